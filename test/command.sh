# shellcheck shell=sh
# For scripts that test the command: a folder of their own, small scenes, and what is expected of a
# call. Sourced, not run.
#
#   TOILE_COMMAND      the command
#   TOILE_SOURCE_DIR   the sources
set -eu
toile=$TOILE_COMMAND
folder=$(mktemp -d)
job= # in the background
trap '[ -z "$job" ] || kill -s KILL "$job"; rm -rf "$folder"' EXIT
cd "$folder"
mkdir logs

fail() {
    echo "FAILED: $*" >&2
    for log in logs/stdout logs/stderr; do
        [ ! -s "$log" ] || sed "s|^|    $log: |" "$log" >&2
    done
    exit 1
}

# expect STATUS ARGUMENT...: runs toile, keeps what it says in logs/
expect() {
    wanted=$1
    shift
    status=0
    "$toile" "$@" >logs/stdout 2>logs/stderr || status=$?
    [ "$status" -eq "$wanted" ] || fail "toile $* ended with $status, expected $wanted"
}

# says PATTERN: the errors of the last call have a line with it
says() {
    grep -q -- "$1" logs/stderr || fail "expected '$1' on stderr"
}

# prints PATTERN: the same for the standard output
prints() {
    grep -q -- "$1" logs/stdout || fail "expected '$1' on stdout"
}

# An error is one sentence that begins with "toile: ".
one_sentence() {
    [ "$(wc -l <logs/stderr)" -eq 1 ] || fail "expected one line on stderr"
    says '^toile: '
}

same() {
    cmp "$1" "$2" >&2 || fail "$1 and $2 differ"
}

missing() {
    [ ! -e "$1" ] || fail "expected no $1"
}

# value KEY FILE: of a report
value() {
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$2"
}

# A small cloth over a moving ball, and one that hangs, whose height is no multiple of its spacing.
cat >scene.json <<'SCENE'
{
  "toile": 1,
  "frames": 12,
  "cloths": [
    {"name": "sheet", "rectangle": [0.5, 0.5], "spacing": 0.05, "fabric": "silk",
     "transform": {"translate": [0, 0.42, 0], "rotate": [-90, 0, 0]}},
    {"name": "a curtain", "rectangle": [0.3, 0.33], "spacing": 0.05,
     "transform": {"translate": [0, 0.5, 0.7]}, "pins": [{"edge": "top"}]}
  ],
  "bodies": [
    {"name": "ball", "sphere": {"center": [0, 0.2, 0], "radius": 0.2},
     "keyframes": [{"time": 0}, {"time": 0.2, "translate": [0.1, 0, 0]}]},
    {"name": "floor", "plane": {}}
  ]
}
SCENE
sed 's/"frames": 12/"frames": 900000/' scene.json >endless.json

# The sixth frame is certainly there when its bytes are.
wait_for_frames() {
    until [ -f "$1" ] && [ "$(wc -c <"$1")" -gt 10000 ]; do
        kill -s 0 "$job" || fail 'it ended early'
        sleep 0.05
    done
}
