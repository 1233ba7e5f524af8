#!/bin/sh
# A run whose frames are all there can be finished by resuming it, to the same bytes, whatever it
# was killed over. One that is killed costs no results of earlier runs.
# shellcheck source=test/command.sh
. "$TOILE_SOURCE_DIR/test/command.sh"

# same_results A B: but for times in the report
same_results() {
    [ "$(cd "$1" && ls -R)" = "$(cd "$2" && ls -R)" ] ||
        fail "found $(ls -R "$1"), expected $(ls -R "$2")"
    for file in 'a curtain.obj' 'a curtain.pc2' motion.glb scene.json sheet.obj sheet.pc2 \
        obj/sheet_0000.obj obj/sheet_0012.obj; do
        same "$1/$file" "$2/$file"
    done
    for key in frames complete verdict state_hash max count; do
        [ "$(value $key "$1/report.json")" = "$(value $key "$2/report.json")" ] || fail "$key differs"
    done
}

expect 0 run scene.json -o straight --format glb,obj --quiet
missing straight/checkpoint

# All frames are there, and something is missing.
expect 0 run scene.json -o all --format glb,obj --every 1 --quiet
for lost in report.json motion.glb obj 'report.json motion.glb sheet.obj'; do
    cp -r all part
    # shellcheck disable=SC2086
    (cd part && rm -r $lost)
    # As a run leaves the list that is killed over it: the last line has no end.
    sed 's/^wrote [0-9a-f]* [0-9]* /writing /' all/files.txt >part/files.txt
    printf 'writing motion' >>part/files.txt
    echo half >part/motion.glb.tmp-12-0
    expect 0 run scene.json -o part --format glb,obj --resume part/checkpoint --quiet
    same_results part straight
    rm -r part
done
# By the verdict.
cat >weak.json <<'SCENE'
{"toile": 1, "frames": 60, "solver": {"kind": "mass-spring", "limit_iterations": 0},
 "cloths": [{"rectangle": [0.4, 0.4], "spacing": 0.05, "fabric": {"stretch": 1, "limit": 0.01},
   "pins": [{"edge": "top"}]}]}
SCENE
expect 1 run weak.json --every 60 --format pc2
rm out/weak/report.json
expect 1 run weak.json --resume out/weak/checkpoint --format pc2
prints '^verdict: bad$'

# killed DIR FILE [OPTION...]: a run that is killed as soon as it has written a file
killed() {
    place=$1 file=$2
    shift 2
    "$toile" run scene.json -o "$place" --format glb,obj --quiet "$@" &
    job=$!
    tries=0
    until [ -e "$place/$file" ] || ! kill -s 0 $job 2>/dev/null || [ $tries -gt 1000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
    kill -s KILL $job 2>/dev/null || true
    wait $job 2>/dev/null || true
    job=
}

# Where it was killed is left to chance; what is left can be finished or run again in any case.
for file in report.json motion.glb obj/sheet_0003.obj; do
    killed dead $file --every 1
    [ ! -e dead/checkpoint ] ||
        expect 0 run scene.json -o dead --format glb,obj --resume dead/checkpoint --quiet
    expect 0 run scene.json -o dead --format glb,obj --quiet
    same_results dead straight
    # Over a run that is complete, which stays until there is another.
    killed dead $file
    if [ -d dead/earlier ]; then
        mv dead/earlier/1 kept
        same_results kept straight
        mv kept dead/earlier/1
    fi
    expect 0 run scene.json -o dead --format glb,obj --quiet
    same_results dead straight
    rm -r dead
done

# The same without chance: a list that says that a run was killed over moving, after some files.
expect 0 run scene.json -o dead --format glb,obj --quiet
mkdir -p dead/earlier/3/obj
echo 'aside 3' >>dead/files.txt
mv dead/motion.glb dead/sheet.pc2 dead/earlier/3
mv dead/obj/sheet_000* dead/earlier/3/obj
sed 's/"frames": 12/"frames": 2/' scene.json >short.json
if [ -z "${TSAN_OPTIONS:-}" ]; then # which does not survive the limit
    (
        ulimit -f 2
        expect 2 run short.json -o dead --quiet
    ) || exit 1
    says "earlier results are kept in 'dead/earlier'"
    same_results dead/earlier/3 straight
fi
expect 0 run scene.json -o dead --format glb,obj --quiet
same_results dead straight

# All was moved but the list.
mkdir -p dead/earlier/1
echo 'aside 1' >>dead/files.txt
(cd dead && mv obj report.json scene.json ./*.obj ./*.pc2 motion.glb earlier/1)
expect 0 run short.json -o dead --format none --quiet
[ "$(cd dead && echo *)" = 'files.txt report.json scene.json' ] || fail "found $(ls -R dead)"

# One that is interrupted keeps them, and says where.
cp -r straight stopped
env --default-signal=INT "$toile" run endless.json -o stopped --format pc2 >logs/stdout \
    2>logs/stderr &
job=$!
tries=0
until [ -f stopped/earlier/1/files.txt ]; do
    tries=$((tries + 1))
    [ $tries -lt 1000 ] || fail 'nothing happens'
    sleep 0.05
done
wait_for_frames stopped/sheet.pc2
kill -s INT $job
wait $job || true
job=
prints '^earlier results are kept in stopped/earlier until a run is complete$'
same_results stopped/earlier/1 straight

shared=$TOILE_SOURCE_DIR/../shared/attacks/25-killed-at-the-end
if [ -d "$shared" ]; then
    (cd "$shared" && TOILE=$toile bash cmd) >logs/stdout 2>logs/stderr
    grep -q 'resume: exit [01]$' logs/stdout || fail 'a killed run cannot be finished'
    grep -q 'report.json' logs/stdout || fail 'no report'
fi
