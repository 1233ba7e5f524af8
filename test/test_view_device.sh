#!/bin/sh
# The window draws what the gl device simulates without reading it back, and it looks as what the CPU simulates. See
# command.sh and window.sh for what it needs, and
#
#   test_view_device.sh PNG_DIFFERENCE
. "$(dirname "$0")/command.sh"
difference=$1

if ! "$toile" devices | grep -q '^gl .*OpenGL'; then
    "$toile" devices | grep '^gl' | sed 's/^gl  *not available/skipped/'
    exit 77
fi
. "$TOILE_SOURCE_DIR/test/window.sh"

# stepped DEVICE NAME: some steps of the curtain in the wind, as NAME.png; the window stays open
stepped() {
    start curtain.json --device "$1" --paused
    xdotool key v
    until_state wind 1
    for step in 1 2 3 4 5 6; do
        xdotool key n
        until_state step $step
    done
    shoot "$2"
}

export LP_NUM_THREADS=0 # the cloth is small
stepped cpu steps_cpu
grep -q '^playing curtain.json, texels read back' logs/stdout || fail 'the CPU has texels on a device'
close
stepped gl steps_gl
grep -q '^playing curtain.json, texels on the device' logs/stdout || fail 'texels are read back'
is_below steps_cpu steps_gl 0.1
xdotool key t
until_state wireframe 1
shoot wires_gl
is_above steps_gl wires_gl 0.3
xdotool key t c
until_state stretch 1
xdotool key c l
until_state skin 1
xdotool key shift+l
until_state skin 0
move_to 200 150
xdotool mousedown 1
wait_for '^take cloth 0' 'nothing was taken'
xdotool mouseup 1
until_state held 0
xdotool key r
until_state step 0
xdotool key F5
tries=0
until [ "$(grep -c '^playing' logs/stdout)" -eq 2 ]; do
    tries=$((tries + 1))
    [ $tries -lt 6000 ] || fail 'not loaded again'
    sleep 0.05
done
close
rm -f ./*_gl.png ./*_cpu.png curtain_*.png
[ "$(ls)" = "$(cat logs/before)" ] || fail "left behind: $(ls)"
