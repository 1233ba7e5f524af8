#!/bin/sh
# Two cloths in the same place were thrown apart, or passed as good where nothing keeps them apart.
. "$TOILE_SOURCE_DIR/test/command.sh"

for on in true false; do
    cat >twins.json <<SCENE
{"toile": 1, "frames": 2, "solver": {"self_collision": $on}, "cloths": [
  {"name": "a", "rectangle": [0.5, 0.5], "transform": {"translate": [0, 0.5, 0], "rotate": [-90, 0, 0]}},
  {"name": "b", "rectangle": [0.5, 0.5], "transform": {"translate": [0, 0.5, 0], "rotate": [-90, 0, 0]}}]}
SCENE
    expect 2 run twins.json
    one_sentence
    says 'twins.json:3: cloths\[1\]: "b" starts in the same place as "a"'
    missing out
done

# A thickness apart is apart.
sed 's/"b", "rectangle": \[0.5, 0.5\], "transform": {"translate": \[0, 0.5, 0\]/"b", "transform": {"translate": [0, 0.501, 0]/
    s/"frames": 2/"frames": 1/' twins.json >apart.json
expect 0 run apart.json --format none

theirs=$(echo "$TOILE_SOURCE_DIR"/../shared/attacks/24-*)
if [ -d "$theirs" ]; then
    for scene in s off; do
        expect 2 run "$theirs/$scene.json"
        one_sentence
        says '"b" starts in the same place as "a"'
    done
fi
