#!/bin/sh
# Where something of an earlier run cannot be moved, nothing is. Permissions mean nothing to root, so
# root becomes somebody else.
# shellcheck source=test/command.sh
. "$TOILE_SOURCE_DIR/test/command.sh"

user=$toile
if [ "$(id -u)" -eq 0 ]; then
    command -v setpriv >/dev/null || exit 77
    chmod 755 "$folder"
    chown -R 65534 "$folder"
    user="setpriv --reuid=65534 --clear-groups $toile"
    $user version >/dev/null 2>&1 || exit 77
fi

# as_user STATUS ARGUMENT...
as_user() {
    wanted=$1
    shift
    status=0
    $user "$@" >logs/stdout 2>logs/stderr || status=$?
    [ "$status" -eq "$wanted" ] || fail "toile $* ended with $status, expected $wanted"
}

listing() {
    (cd o && find . -type f -exec cksum {} + | sort -k 3)
}

as_user 0 run scene.json -o o --format glb,obj --frames 2 --quiet
listing >logs/before
for place in o/obj o; do
    chmod 555 $place
    for format in none obj; do
        as_user 2 run scene.json -o o --format $format --quiet
        one_sentence
        says "'$place.*': Permission denied"
        listing >logs/after
        same logs/before logs/after
    done
    chmod 755 $place
done
as_user 0 run scene.json -o o --format none --quiet
[ "$(cd o && echo *)" = 'files.txt report.json scene.json' ] || fail "found $(ls o)"
# A folder of the user's that is needed, and one that is not.
mkdir o/obj
chmod 555 o/obj
listing >logs/before
as_user 2 run scene.json -o o --format obj --quiet
one_sentence
says "'o/obj': Permission denied"
listing >logs/after
same logs/before logs/after
as_user 0 run scene.json -o o --quiet
