# shellcheck shell=sh
# What tests of the window begin with, after command.sh: a display of its own with a curtain to look at, and ways to
# drive it. Sourced, not run; ends the test where there is no display to be had. $difference is the program png_difference.
#
# The window says on its standard output what it does (--verbose). All waits end as soon as what is
# waited for is there: software that draws on a busy machine may take seconds for a picture.

for program in Xvfb xdotool; do
    if ! command -v $program >/dev/null; then
        echo "skipped: there is no $program (scripts/setup installs it)"
        exit 77
    fi
done

# Xvfb picks a number that is free and says it when it is ready.
Xvfb -displayfd 3 -noreset -screen 0 640x480x24 -nolisten tcp 3>logs/display >logs/xvfb 2>&1 &
server=$!
window=
trap '[ -z "$window" ] || kill -s KILL $window; kill $server; rm -rf "$folder"' EXIT
tries=0
until [ -s logs/display ]; do
    tries=$((tries + 1))
    [ $tries -lt 2000 ] || fail 'Xvfb does not start'
    sleep 0.05
done
export DISPLAY=":$(cat logs/display)"

cat >curtain.json <<'SCENE'
{
  "toile": 1,
  "solver": {"damping": 4},
  "cloths": [
    {"name": "curtain", "rectangle": [1, 1], "spacing": 0.05, "transform": {"translate": [0, 0.5, 0]},
     "pins": [{"edge": "top"}], "color": "#b8432f"}
  ],
  "bodies": [{"name": "ball", "sphere": {"center": [0.75, 0.3, 0.2], "radius": 0.2}}],
  "camera": {"eye": [0, 0.6, 3], "target": [0, 0.5, 0], "fov": 40}
}
SCENE
ls >logs/before

# ---- driving ------------------------------------------------------------------------------------

# start ARGUMENT...: opens the window, of $size
start() {
    : >logs/stdout # of the window before
    "$toile" view "$@" --threads 1 --size ${size:-400x300} --no-vsync --verbose >logs/stdout 2>logs/stderr &
    window=$!
    wait_for '^state' 'the window does not open'
}

# wait_for PATTERN MESSAGE: a line with it, from the first one
wait_for() {
    tries=0
    until grep -q -- "$1" logs/stdout; do
        tries=$((tries + 1))
        [ $tries -lt 12000 ] || fail "$2"
        kill -0 $window 2>/dev/null || fail 'the window has gone'
        sleep 0.05
    done
}

# state KEY: the value, or values with state KEY 2, that were said last
state() {
    awk -v key="$1" -v count="${2:-1}" '/^state/ {
        for (i = 2; i < NF; i++) if ($i == key) { out = $(i + 1); if (count == 2) out = out " " $(i + 2) }
    } END { print out }' logs/stdout
}

# until_state KEY VALUE
until_state() {
    tries=0
    until [ "$(state "$1")" = "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "$1 is $(state "$1"), expected $2"
        sleep 0.05
    done
}

# until_changed KEY OLD
until_changed() {
    tries=0
    until [ "$(state "$1")" != "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "$1 is still $2"
        sleep 0.05
    done
}

# The mouse has been seen there before it does anything.
move_to() {
    xdotool mousemove "$1" "$2"
    tries=0
    until [ "$(state mouse 2)" = "$1.0 $2.0" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "the mouse is at $(state mouse 2), expected $1 $2"
        sleep 0.05
    done
}

# shoot NAME: F12 into NAME.png
shoot() {
    shots=$((shots + 1))
    xdotool key F12
    wait_for "^notice Wrote curtain_$shots.png" 'no screenshot'
    cp "curtain_$shots.png" "$1.png"
}
shots=0

is_above() {
    value=$("$difference" "$1.png" "$2.png")
    awk -v value="$value" -v bound="$3" 'BEGIN { exit !(value > bound) }' ||
        fail "$1 and $2 differ by $value, expected more than $3"
}

is_below() {
    value=$("$difference" "$1.png" "$2.png")
    awk -v value="$value" -v bound="$3" 'BEGIN { exit !(value < bound) }' ||
        fail "$1 and $2 differ by $value, expected less than $3"
}

# Closes the window by its key.
close() {
    xdotool key Escape
    status=0
    wait $window || status=$?
    window=
    [ $status -eq 0 ] || fail "the window ended with $status"
    [ ! -s logs/stderr ] || fail 'it says something on stderr'
}
