#!/bin/sh
# The command draws bodies for collision maps, and says why where it cannot. See command.sh for what it needs.
. "$(dirname "$0")/command.sh"

LP_NUM_THREADS=0 # cloths are small
export LP_NUM_THREADS
sed 's/"frames"/"collision": {"kind": "maps", "map_size": 64}, "frames"/' scene.json >maps.json

# Without a driver at all, the command says so and offers what there is.
__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent
export __EGL_VENDOR_LIBRARY_FILENAMES
expect 4 run maps.json --device cpu --frames 2 --quiet
one_sentence
says 'collision "maps" draws bodies with OpenGL; "auto", "shapes" and "coarse" do without: no OpenGL 4.3'
missing out
unset __EGL_VENDOR_LIBRARY_FILENAMES

expect 0 devices
if ! grep -q '^gl .*OpenGL' logs/stdout; then
    grep '^gl' logs/stdout | sed 's/^gl  *not available/skipped/'
    exit 77
fi

for device in cpu gl; do
    expect 0 run maps.json --device $device --frames 3 --quiet --format none -o "$device"
    [ "$(value device "$device/report.json")" = $device ] || fail 'the report names another device'
    [ "$(value ambiguous_texels "$device/report.json")" = 0 ] || fail 'ambiguous texels on a ball'
    expect 0 run "$TOILE_SOURCE_DIR/scenes/vassilev/maps.json" --device $device --frames 2 --quiet \
        --format none -o "form_$device"
done

sed 's/"map_size": 64/"map_cameras": 4/' maps.json >cameras.json
expect 2 run cameras.json --frames 2
one_sentence
says 'map_cameras is 4: expected 2, at the front and the back, or 6'
sed 's/"map_size": 64/"map_size": 4/' maps.json >size.json
expect 2 run size.json --frames 2
one_sentence
says 'size.json:[0-9]*: collision.map_size: .*16'
