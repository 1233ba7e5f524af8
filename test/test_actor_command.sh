#!/bin/sh
# Runs with bodies that deform: what they take along, that they repeat and resume to the bit, and
# that they are drawn where they are.
. "$(dirname "$0")/command.sh"

good=$TOILE_SOURCE_DIR/test/good
mkdir a
cp "$good/actors.json" "$good/bar.gltf" "$good"/wedge_?.obj "$good/wedge.pc2" a

every_file_goes_along() {
    expect 0 run a/actors.json -o whole
    says 'note: motion.glb leaves out a body that deforms without joints: cached'
    for name in bar.gltf wedge_1.obj wedge_2.obj wedge.pc2; do
        same "a/$name" "whole/scene_files/$name"
    done
    grep -aq '"skins":\[{"inverseBindMatrices"' whole/motion.glb || fail 'no skin in motion.glb'
}

resumed_is_uninterrupted() {
    expect 0 run a/actors.json -o part --frames 2 --checkpoint part.state --quiet
    expect 0 run a/actors.json -o part --resume part.state --quiet
    [ "$(value state_hash part/report.json)" = "$(value state_hash whole/report.json)" ] ||
        fail 'another state after resuming'
    same part/flag.pc2 whole/flag.pc2
    same part/motion.glb whole/motion.glb
}

# The folder needs nothing but itself.
run_stands_alone() {
    mv a elsewhere
    expect 0 check whole
    mv elsewhere a
}

# A mannequin needs no file; a cloth in it is refused by name.
mannequin_walks() {
    expect 0 run "$good/walk.json" -o walk --frames 2 --quiet
    missing walk/scene_files
    sed 's/-0.21\], "rotate": \[0, 30, 0\]},/-0.05]}/; /attach/d' "$good/walk.json" >inside.json
    expect 2 run inside.json -o inside --quiet
    says 'start inside the body "figure"'
    one_sentence
}

every_file_goes_along
resumed_is_uninterrupted
run_stands_alone
mannequin_walks

# Where there is no OpenGL, that is all.
if "$toile" devices | grep -q '^renderer .*OpenGL'; then
    expect 0 render whole -o first.png --size 64x64 --frame 0
    expect 0 render whole -o last.png --size 64x64
    ! cmp -s first.png last.png || fail 'the first frame looks like the last'
fi
