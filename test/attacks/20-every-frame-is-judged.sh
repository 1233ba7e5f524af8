#!/bin/sh
# Faults in the middle of a run are in its verdict, with cloth and frame, also when it was resumed.
. "$TOILE_SOURCE_DIR/test/command.sh"

# Pulled to three times its length in frame 15, and back.
cat >stretch.json <<'SCENE'
{"toile": 1, "frames": 60, "cloths": [{"name": "sheet", "rectangle": [0.3, 0.3], "spacing": 0.05,
  "pins": [{"edge": "top", "keyframes": [{"time": 0}, {"time": 0.25, "translate": [0, 0.6, 0]},
                                         {"time": 0.5}]},
           {"edge": "bottom"}]}]}
SCENE
# One sheet is pushed through the other, and back.
cat >cross.json <<'SCENE'
{"toile": 1, "frames": 30, "solver": {"kind": "implicit", "self_collision": true}, "cloths": [
  {"name": "lower", "rectangle": [0.3, 0.3], "spacing": 0.05, "transform": {"rotate": [-90, 0, 0]},
   "pins": [{"edge": "left"}, {"edge": "right"}]},
  {"name": "upper", "rectangle": [0.3, 0.3], "spacing": 0.05,
   "transform": {"translate": [0, 0.1, 0], "rotate": [-90, 45, 0]},
   "pins": [{"edge": "left", "keyframes": [{"time": 0}, {"time": 0.2, "translate": [0, -0.2, 0]},
                                           {"time": 0.4}]},
            {"edge": "right", "keyframes": [{"time": 0}, {"time": 0.2, "translate": [0, -0.2, 0]},
                                            {"time": 0.4}]}]}]}
SCENE

expect 1 run stretch.json -o whole --format pc2
prints '^verdict: bad$'
prints "^  cloth 'sheet': frame 15: strain.max is "
expect 1 check whole
prints "cloth 'sheet': frame 15: strain.max is "

# An interval that steps over the fault does not see it, and says what it saw.
sed 's/"toile": 1/"toile": 1, "report": {"interval": 60}/' stretch.json >seldom.json
expect 0 run seldom.json -o seldom --format pc2
[ "$(value interval seldom/report.json)" = 60 ] || fail 'no interval in the report'
expect 0 check seldom
sed 's/"toile": 1/"toile": 1, "report": {"interval": 0}/' stretch.json >never.json
expect 2 run never.json -o never
says 'interval'

# What was judged before a stop counts after it: the report is that of a run that never stopped.
expect 1 run stretch.json -o parts --format pc2 --frames 20 --checkpoint state
expect 1 run stretch.json -o parts --format pc2 --resume state
prints "^  cloth 'sheet': frame 15: strain.max is "
without_times() {
    sed -e '/"ms_per_frame": {/,/}/d' -e '/"stages": {/,/}/d' -e '/measuring_ms/d' \
        -e '/peak_rss/d' "$1"
}
without_times whole/report.json >logs/whole
without_times parts/report.json >logs/parts
same logs/whole logs/parts

# Crossings of two cloths are named with both where they should not be, and elsewhere said not to be
# prevented.
expect 1 run cross.json -o crossed --format pc2
prints "^  cloth 'lower': frame [0-9]*: cloth_intersections is [0-9]*, expected 0 with self-coll"
prints "^  cloth 'upper': frame [0-9]*: cloth_intersections is "
expect 1 check crossed
sed 's/true/false/' cross.json >off.json
expect 0 run off.json -o off --format pc2
prints '^verdict: good ([0-9]* self-intersections in frame [0-9]*, not prevented: self-collision is off)$'
expect 0 check off
prints 'not prevented: self-collision is off'
sed 's/"implicit", "self_collision": true/"mass-spring"/' cross.json >spring.json
expect 0 run spring.json -o spring --format pc2
prints 'not prevented: the mass-spring solver has no self-collision)$'

# A sheet that falls on its edge folds up, crosses itself on the way, and ends free of crossings.
# What is expected here is that this is seen, however contact is made: good if nothing crossed, else
# bad with the frame. One thread: the cloth is small.
cat >fold.json <<'SCENE'
{"toile": 1, "frames": 60,
 "cloths": [{"name": "c", "rectangle": [0.6, 1], "spacing": 0.02,
             "transform": {"translate": [0, 0.62, 0], "rotate": [4, 0, 0]}}],
 "bodies": [{"plane": {}}]}
SCENE
judge_fold() {
    status=0
    "$toile" run "$1" -o "$2" --format none --threads 1 >logs/stdout 2>logs/stderr || status=$?
    most=$(sed -n '/"self_intersections": {/,/}/s/.*"value": \([0-9]*\).*/\1/p' "$2/report.json")
    if [ "$most" -gt 0 ]; then
        [ "$status" -eq 1 ] || fail "$1 crosses itself $most times and ends with $status"
        prints "^  cloth 'c': frame [0-9]*: self_intersections is $most, expected 0"
    else
        [ "$status" -eq 0 ] || fail "$1 ended with $status"
    fi
}
judge_fold fold.json fold
shared=$TOILE_SOURCE_DIR/../shared/attacks/20-only-the-last-frame-is-judged
if [ -d "$shared" ]; then
    expect 1 run "$shared/s.json" -o shared --format none
    prints "^  cloth 'c': frame 30: strain.max is 3,"
    judge_fold "$shared/fold.json" shared_fold
fi
