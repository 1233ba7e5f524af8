#!/bin/sh
# The window, on a display of its own: what keys and mouse do, and that pictures show it. See command.sh
# and window.sh for what it needs, and
#
#   test_view_command.sh PNG_DIFFERENCE X_DROP
. "$(dirname "$0")/command.sh"
difference=$1
x_drop=$2

# A window that cannot be is one sentence, with a reason. This much needs no X server.
unset DISPLAY WAYLAND_DISPLAY
expect 4 view scene.json
one_sentence
says 'no display.*DISPLAY is not set'
export DISPLAY=:9999
expect 4 view scene.json
one_sentence
says "no display.*':9999'"
expect 2 view
one_sentence
expect 2 view scene.json --size 10x10
one_sentence
says 'found .10x10'

. "$TOILE_SOURCE_DIR/test/window.sh"

expect 2 view missing.json
one_sentence
says 'missing.json'

export MESA_GL_VERSION_OVERRIDE=3.0
expect 4 view scene.json
one_sentence
says 'no window with OpenGL 3.3: '
unset MESA_GL_VERSION_OVERRIDE

# ---- looking ------------------------------------------------------------------------------------

start curtain.json --paused
[ "$(state paused) $(state step)" = '1 0' ] || fail "paused $(state paused), step $(state step)"
shoot first
# It is what `toile render` draws.
"$toile" render curtain.json --frame 0 -o rendered.png --size 400x300 2>logs/stderr
is_below first rendered 0.02

# Around it, and back.
old=$(state azimuth)
move_to 30 280
xdotool mousedown 1
move_to 130 250
xdotool mouseup 1
until_changed azimuth "$old"
shoot turned
is_above first turned 2
old=$(state distance)
xdotool click 4
until_changed distance "$old"
old=$(state target)
xdotool key d
until_changed target "$old"
old=$(state elevation)
xdotool key Up
until_changed elevation "$old"
xdotool key Home
until_state target 0.0000
xdotool key F1 F1 t
until_state wireframe 1
shoot wires
is_above first wires 0.3
xdotool key t h
until_state bodies 0
shoot hidden
is_above first hidden 0.5
xdotool key h c
until_state stretch 1
shoot stretch
is_above first stretch 1
xdotool key c l
until_state skin 1
xdotool key shift+l
until_state skin 0
shoot home
is_below first home 0.02

# ---- touching -----------------------------------------------------------------------------------

xdotool key n
until_state step 1
xdotool key space
until_state paused 0

# What is held follows the mouse.
move_to 200 190
xdotool mousedown 1
until_state held 1
wait_for '^take cloth 0' 'nothing was taken'
move_to 170 140
tries=0
until state hand 2 | awk '{ exit !(($1 - 170) ^ 2 + ($2 - 140) ^ 2 < 9) }'; do
    tries=$((tries + 1))
    [ $tries -lt 6000 ] || fail "the cloth is at $(state hand 2), expected 170 140"
    sleep 0.05
done
xdotool key space
until_state paused 1
shoot pulled
is_above first pulled 1
xdotool key space
xdotool mouseup 1
until_state held 0

xdotool key space
until_state paused 1
move_to 200 105
xdotool key p
until_state pins 2
xdotool key p
until_state pins 1
xdotool key v
until_state wind 1
xdotool key v
until_state wind 0

# From the start: the same picture.
xdotool key r
until_state step 0
shoot again
is_below first again 0.02

# ---- files --------------------------------------------------------------------------------------

cp curtain.json good.json
echo '{"toile": 1, "cloths": 3}' >curtain.json
xdotool key F5
wait_for '^error curtain.json:1: ' 'no error'
old=$(state step)
xdotool key space
until_changed step "$old"
cp good.json curtain.json
xdotool key F5
tries=0
until [ "$(grep -c '^playing' logs/stdout)" -eq 2 ]; do
    tries=$((tries + 1))
    [ $tries -lt 6000 ] || fail 'not loaded again'
    sleep 0.05
done

# Files that are dropped on it: one that is none, and one that is.
id=$(xdotool search --class toile | tail -1)
echo 'no scene' >none.json
"$x_drop" "$id" "$folder/none.json" || fail 'the file is not taken'
wait_for "^error $folder/none.json:1: " 'no error'
"$x_drop" "$id" "$folder/scene.json" || fail 'the file is not taken'
wait_for "^playing $folder/scene.json" 'not loaded'
until_changed pins 0

xdotool windowsize "$id" 300 200
tries=0
until [ "$(state size 2)" = '300 200' ]; do
    tries=$((tries + 1))
    [ $tries -lt 6000 ] || fail "the window is $(state size 2)"
    sleep 0.05
done

close
rm -f first.png rendered.png turned.png wires.png hidden.png stretch.png home.png pulled.png again.png good.json none.json curtain_*.png
[ "$(ls)" = "$(cat logs/before)" ] || fail "left behind: $(ls)"

# A simulation that bursts stops, says so, and can begin anew; a signal ends the window.
cat >bursts.json <<'SCENE'
{"toile": 1, "solver": {"kind": "mass-spring", "substeps": 1, "stiffness": "true", "limit_iterations": 0},
 "cloths": [{"rectangle": [1, 1], "spacing": 0.02, "transform": {"rotate": [-80, 10, 0]},
             "pins": [{"corner": "top-left"}]}]}
SCENE
start bursts.json
wait_for "^error cloth 'cloth' left all bounds" 'it does not say that it failed'
until_state paused 1
xdotool key r
until_state step 0
kill $window
status=0
wait $window || status=$?
window=
[ $status -eq 0 ] || fail "SIGTERM: the window ended with $status"
