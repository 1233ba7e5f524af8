#!/bin/sh
# Threads that cannot be made are done without: a note, the same bits, and no exit from inside a
# library.
. "$TOILE_SOURCE_DIR/test/command.sh"
arguments='--format none --frames 3 --threads'

# shellcheck disable=SC2086
expect 0 run scene.json -o one $arguments 1
hash=$(value state_hash one/report.json)
[ -n "$hash" ] || fail 'no hash in the report'

# Stacks are of one size, whatever is set for OpenMP.
# shellcheck disable=SC2086
OMP_STACKSIZE=64G expect 0 run scene.json -o stack $arguments 4
[ "$(value state_hash stack/report.json)" = "$hash" ] || fail 'threads change the result'
! grep -q 'could be made' logs/stderr || fail 'OMP_STACKSIZE has an effect'

# Root has no limit of processes: another user then, if it can get at the command.
limit='prlimit --nproc=3'
if [ "$(id -u)" = 0 ]; then
    limit="setpriv --reuid 65533 --clear-groups $limit"
fi
$limit "$toile" version >/dev/null 2>&1 || exit 0
mkdir -m 777 few
chmod 755 .
status=0
# shellcheck disable=SC2086
$limit "$toile" run scene.json -o few $arguments 16 >logs/stdout 2>logs/stderr || status=$?
[ "$status" -eq 0 ] || fail "ended with $status"
says 'note: only .* of 16 threads could be made'
[ "$(value state_hash few/report.json)" = "$hash" ] || fail 'fewer threads change the result'
