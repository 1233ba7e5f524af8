#!/bin/sh
# The window with a character in it: what its keys do. See command.sh and window.sh for what it needs, and
#
#   test_view_figure.sh PNG_DIFFERENCE
. "$(dirname "$0")/command.sh"
difference=$1
. "$TOILE_SOURCE_DIR/test/window.sh"


cat >figure.json <<'SCENE'
{
  "toile": 1,
  "bodies": [
    {"name": "ball", "sphere": {"center": [0, 0, -5], "radius": 0.1}},
    {"name": "figure", "mannequin": {"animation": "walk"}}
  ],
  "cloths": [{"rectangle": [0.3, 0.3], "spacing": 0.1, "transform": {"translate": [0, 1.2, -0.4]},
              "pins": [{"edge": "top"}]}],
  "camera": {"eye": [2, 1, 3], "target": [0, 0.9, 0], "fov": 40}
}
SCENE
size=100x80 # little is drawn
start figure.json --paused
[ "$(state body) $(state animation) $(state rate)" = '1 1 1' ] || fail 'the figure does not walk'
xdotool key bracketright
until_state animation 2
wait_for '^notice jog' 'it does not say what it does'
xdotool key bracketleft
until_state animation 1
xdotool key comma
until_state rate 0.75
xdotool key period period
until_state rate 1.25
xdotool key b
until_state stopped 1
wait_for '^notice walk, stopped' 'it does not say that it is stopped'
xdotool key b
until_state stopped 0
xdotool key m
wait_for '^notice M shows' 'there are no marks'
# The camera goes along with it.
xdotool key f
until_state follow 1
old=$(state target)
xdotool key n n n
until_changed target "$old"
xdotool key Home
until_state follow 0
until_state target 0.0000
xdotool key r
until_state rate 1
close
