#!/bin/sh
# A full disk costs the file that does not fit, and neither report nor state nor earlier results.
# A limit on the size of files stands for it; ThreadSanitizer keeps its own books in files and does
# not survive it.
# shellcheck source=test/command.sh
. "$TOILE_SOURCE_DIR/test/command.sh"
[ -z "${TSAN_OPTIONS:-}" ] || exit 77

# limited BLOCKS ARGUMENT...: of 512 bytes
limited() {
    blocks=$1
    shift
    (
        ulimit -f "$blocks"
        expect 2 "$@"
    ) || exit 1
    one_sentence
    says 'File too large'
}

expect 0 run scene.json -o first --quiet
cp -r first o
limited 40 run scene.json -o o --frames 11 --quiet
says "'o/motion.glb'"
says "all frames are there: finish with --resume 'o/checkpoint'"
says "earlier results are kept in 'o/earlier'"
missing o/motion.glb
[ "$(value frames o/report.json)" -eq 11 ] || fail 'no report'
for file in checkpoint sheet.pc2 sheet.obj 'a curtain.pc2'; do
    [ -f "o/$file" ] || fail "no $file"
done
for file in motion.glb report.json sheet.pc2 sheet.obj scene.json; do
    same o/earlier/1/$file first/$file
done
# What is there can be finished, and then the earlier results go.
expect 0 run scene.json -o o --frames 11 --resume o/checkpoint --quiet
expect 0 run scene.json -o eleven --frames 11 --quiet
same o/motion.glb eleven/motion.glb
same o/sheet.pc2 eleven/sheet.pc2
[ "$(ls o)" = "$(ls eleven)" ] || fail "found $(ls o)"

# Nothing fits, again and again: the good run stays.
for time in 1 2 3; do
    limited 2 run scene.json -o first --frames 3 --quiet
    [ -d first/earlier/$time ] || fail "found $(ls -R first)"
done
expect 0 check first/earlier/1
prints '^frames  *12$'
expect 0 run scene.json -o first --quiet
missing first/earlier

# A device that is full costs only itself.
status=0
"$toile" run scene.json -o full --quiet --report /dev/full 2>logs/stderr || status=$?
[ $status -eq 2 ] || fail "a full device ended with $status"
one_sentence
same full/motion.glb first/motion.glb
[ -f full/report.json ] && [ -f full/checkpoint ] || fail "found $(ls full)"

shared=$TOILE_SOURCE_DIR/../shared/attacks/27-full-disk-loses-report
if [ -d "$shared" ]; then
    (cd "$shared" && TOILE=$toile bash cmd) >logs/stdout 2>logs/stderr
    sed -n '/no room/,$p' logs/stdout | grep -q report.json || fail 'no report'
fi
