#!/bin/sh
# One texel far away does not make measuring slow: test_measure counts its work. Here such a run
# ends at all, with the verdict that it deserves.
. "$TOILE_SOURCE_DIR/test/command.sh"

cat >far.json <<'SCENE'
{"toile": 1, "frames": 1, "cloths": [{"rectangle": [1, 1], "spacing": 0.02,
  "pins": [{"corner": "top-left", "keyframes": [{"time": 0}, {"time": 0.0167,
                                                 "translate": [0, 1000, 0]}]},
           {"edge": "bottom"}]}]}
SCENE
expect 1 run far.json -o far --format none
prints "frame 1: strain.max is "

shared=$TOILE_SOURCE_DIR/../shared/attacks/12-quadratic-count
if [ -d "$shared" ]; then # of which self-collision makes something else
    sed 's/"toile": 1/"toile": 1, "solver": {"self_collision": false}/' "$shared/s2.json" >s2.json
    expect 1 run s2.json -o shared --format none
fi
