#!/bin/sh
# Pipes that nobody serves: a sentence and exit 2, and no waiting. Those with somebody at their
# other end work.
# shellcheck source=test/command.sh
. "$TOILE_SOURCE_DIR/test/command.sh"

# Waits for ever, or not at all: how long the limit is does not matter.
at_once() {
    wanted=$1
    shift
    status=0
    timeout 60 "$toile" "$@" >logs/stdout 2>logs/stderr </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || fail "toile $* ended with $status, expected $wanted"
    one_sentence
}

mkfifo pipe
ln -s pipe link
for name in scene.json report.json checkpoint sheet.pc2 motion.glb files.txt; do
    mkdir o
    mkfifo o/$name
    at_once 2 run scene.json -o o --quiet
    says "'o/$name'"
    [ "$(ls o)" = $name ] || fail "found $(ls o)"
    rm -r o
done
for name in pipe link; do
    at_once 2 run $name -o o
    says "'$name' is no plain file"
    at_once 2 run scene.json -o o --resume $name
    says "'$name' is no plain file"
    missing o
done
for option in --report --checkpoint; do
    at_once 2 run scene.json -o o --quiet $option pipe
    says "cannot write 'pipe': nobody reads from this pipe"
done
[ -f o/report.json ] && [ -f o/motion.glb ] || fail "found $(ls o)"
rm o/report.json o/sheet.pc2
mkfifo o/report.json
at_once 2 check o
cp scene.json o/scene.json
rm o/report.json
mkfifo o/sheet.pc2
at_once 2 check o
says "'o/sheet.pc2'"
rm -r o

# With somebody there.
cat pipe >read &
job=$!
expect 0 run scene.json -o o --quiet --report pipe
wait $job
job=
same read o/report.json
"$toile" run scene.json -o o --quiet --report /dev/stdout >read
same read o/report.json
"$toile" run scene.json -o o --quiet --report /dev/stdout | cat >read
same read o/report.json
cat scene.json | "$toile" run /dev/stdin -o o --quiet || fail 'a scene from a pipe'
same scene.json o/scene.json
