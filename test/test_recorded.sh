#!/bin/sh
# Motion that is known to cross is found to: recorded by a solver that let it, and made here.
. "$(dirname "$0")/command.sh"

expect 0 check "$TOILE_SOURCE_DIR/test/data/wrung.obj"
prints '^self-intersections  76$'

# A strip wrung by an end, with nothing to keep it from itself ...
cat >strip.json <<'END'
{"toile": 1, "frames": 60, "solver": {"self_collision": false},
 "cloths": [{"name": "strip", "rectangle": [0.2, 0.1], "spacing": 0.01, "fabric": "cotton",
   "transform": {"rotate": [-90, 0, 0]},
   "pins": [{"edge": "left"}, {"edge": "right", "keyframes": [
     {"time": 0},
     {"time": 0.25, "rotate": [120, 0, 0], "translate": [-0.02, 0, 0]},
     {"time": 0.5, "rotate": [240, 0, 0], "translate": [-0.04, 0, 0]},
     {"time": 0.75, "rotate": [360, 0, 0], "translate": [-0.06, 0, 0]},
     {"time": 1.0, "rotate": [480, 0, 0], "translate": [-0.08, 0, 0]}]}]}]}
END
expect 0 run strip.json -o strip --quiet
expect 0 check strip
prints '^verdict  *good ([1-9][0-9]* self-intersections in frame [0-9]*, not prevented: '

# ... is bad where the scene says that something did.
sed 's/"self_collision": false/"self_collision": true/' strip.json >strip/scene.json
expect 1 check strip
prints "^  *cloth 'strip': frame [0-9]*: self_intersections is [1-9][0-9]*, expected 0"
