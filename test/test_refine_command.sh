#!/bin/sh
# The command runs, draws and judges refined cloth. See command.sh for what it needs.
. "$(dirname "$0")/command.sh"

LP_NUM_THREADS=0 # cloths are small
export LP_NUM_THREADS
cat >refine.json <<'END'
{
  "toile": 1,
  "frames": 4,
  "solver": {"kind": "refine", "levels": 2, "resolution": 64},
  "cloths": [
    {"rectangle": [0.8, 0.4], "spacing": 0.05,
     "transform": {"translate": [0, 0.03, 0], "rotate": [-90, 0, 0]}}
  ],
  "bodies": [{"name": "ball", "sphere": {"center": [0, -0.2, 0], "radius": 0.2}}]
}
END
devices=cpu
expect 0 devices
if grep -q '^gl .*OpenGL' logs/stdout; then
    devices='cpu gl'
fi
for device in $devices; do
    expect 0 run refine.json --device $device --quiet -o "$device"
    [ "$(value device "$device/report.json")" = $device ] || fail 'the report names another device'
    grep -q '"peel":' "$device/report.json" || fail 'the report has no time of peeling'
    [ "$(value particles "$device/report.json")" = 153 ] || fail 'not the finest grid'
    [ -s "$device/cloth.obj" ] || fail 'nothing is exported'
    expect 0 check "$device"
done

sed 's/0.8, 0.4/0.85, 0.4/' refine.json >size.json
expect 2 run size.json
one_sentence
says 'size.json:6: cloths\[0\]: a grid of 18 x 9 texels .* multiples of 4, as with 0.8 x 0.4 m'
