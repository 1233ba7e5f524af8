#!/bin/sh
# The command draws: pictures, films, and what it says where nothing can be drawn. See command.sh for
# what it needs.
. "$(dirname "$0")/command.sh"

png_size() {
    [ "$(od -An -c -j1 -N3 "$1" | tr -d ' ')" = PNG ] || fail "$1 is no PNG"
    od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'
}

is_size() {
    [ "$(png_size "$1")" = "$2" ] || fail "$1 is $(png_size "$1"), expected $2"
}

expect 0 devices
prints '^cpu '
prints '^cuda  *not available: '
prints '^renderer .*OpenGL'
expect 0 devices --json
prints '"available": true'

expect 0 run scene.json --frames 3 --quiet
expect 0 render out/scene -o run.png --size 96x64
is_size run.png 96x64
# The same picture from the scene, which leaves nothing behind but it.
mkdir tmp
ls >logs/before
export TMPDIR="$folder/tmp"
expect 0 render scene.json -o scene.png --size 96x64 --frame 3
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
[ "$(ls | grep -v '^scene.png$')" = "$(cat logs/before)" ] || fail "left behind: $(ls)"
same run.png scene.png
expect 0 render out/scene -o first.png --size 96x64 --frame 0
! cmp -s first.png run.png || fail 'the first frame looks like the last'
expect 2 render out/scene -o no.png --frame 4
says 'expected 0 to 3'

# Bodies are where their keyframes take them, with and without cloth.
cat >moving.json <<'SCENE'
{"toile": 1, "frames": 6, "camera": {"eye": [0, 1, 3], "target": [0, 0.3, 0]}, "bodies": [
  {"sphere": {"center": [0, 0.3, 0]}, "keyframes": [{"time": 0}, {"time": 0.1, "translate": [0.6, 0, 0]}]}]}
SCENE
expect 0 render moving.json -o before.png --size 96x64 --frame 0
expect 0 render moving.json -o after.png --size 96x64
! cmp -s before.png after.png || fail 'the body stands still'

# What was never run is not there to be drawn, and what is not shown is not simulated.
expect 0 run moving.json -o out/moving --frames 3 --quiet
expect 2 render out/moving -o no.png --frame 4
says 'expected 0 to 3'
sed 's/"frames": 12/"frames": 900000/' scene.json >endless.json
expect 0 render endless.json -o start.png --size 96x64 --frame 0
same start.png first.png

expect 0 render out/scene -o 'frame_%02d.png' --size 64x48
[ "$(echo frame_*)" = 'frame_00.png frame_01.png frame_02.png frame_03.png' ] || fail "$(echo frame_*)"
is_size frame_03.png 64x48

expect 0 render out/scene -o film.mp4 --size 64x48
[ "$(od -An -c -j4 -N4 film.mp4 | tr -d ' ')" = ftyp ] || fail 'film.mp4 is no MP4'
if command -v ffprobe >/dev/null; then
    [ "$(ffprobe -v error -count_frames -show_entries stream=codec_name,nb_read_frames -of csv=p=0 film.mp4)" = h264,4 ] ||
        fail 'not 4 frames of H.264'
fi
expect 2 render out/scene -o odd.mp4 --size 65x48
one_sentence
expect 2 render scene.json -o nowhere/picture.png
one_sentence
[ ! -e odd.mp4 ] || fail 'odd.mp4 was written'

# A folder whose run was cut off draws what is there; one that is none says so.
head -c 3000 out/scene/sheet.pc2 >cut && cp cut out/scene/sheet.pc2
expect 2 render out/scene -o cut.png
one_sentence
says 'cut short'
expect 2 render logs -o cut.png
one_sentence
missing cut.png

# No driver: libglvnd finds none where there are no vendors.
export __EGL_VENDOR_LIBRARY_DIRS="$folder/tmp"
expect 4 render scene.json -o none.png
one_sentence
missing none.png
expect 0 devices
prints '^renderer  *not available: '
