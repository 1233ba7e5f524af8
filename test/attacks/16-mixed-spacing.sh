#!/bin/sh
# A coarse cloth far away made the self-collision of a fine one up to 1500 times slower. How much is
# looked at is counted in test_self; here, the fine one must not notice the other at all.
. "$TOILE_SOURCE_DIR/test/command.sh"

cat >alone.json <<'SCENE'
{"toile": 1, "frames": 5, "cloths": [
  {"name": "fine", "rectangle": [0.2, 0.2], "spacing": 0.004,
   "transform": {"translate": [0, 0.02, 0], "rotate": [-90, 0, 0]}}], "bodies": [{"plane": {}}]}
SCENE
sed 's/\]}}\], "bodies"/]}},\
  {"name": "coarse", "rectangle": [5, 5], "spacing": 0.5,\
   "transform": {"translate": [0, 20, 0], "rotate": [-90, 0, 0]}}], "bodies"/' alone.json >both.json
grep -q coarse both.json || fail 'the scene has no coarse cloth'
for scene in alone both; do
    expect 0 run $scene.json -o $scene --format pc2 --quiet
done
same alone/fine.pc2 both/fine.pc2

theirs=$(echo "$TOILE_SOURCE_DIR"/../shared/attacks/16-*)
if [ -d "$theirs" ]; then
    for scene in s0 s0.02 s0.5; do
        expect 0 run "$theirs/$scene.json" -o $scene --format pc2 --quiet
        same s0/fine.pc2 $scene/fine.pc2
    done
fi
