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

cloth_inside_is_refused() {
    sed 's/\[0, 0.5, 0.2\]},/[0, 0.3, 0]}/; /attach/d' a/actors.json >a/inside.json
    expect 2 run a/inside.json -o inside --quiet
    says 'a/inside.json:[0-9]*: cloths\[0\]: .* start inside the body "bar"'
    one_sentence
}

mannequin_needs_no_file() {
    expect 0 run "$good/walk.json" -o walk --frames 2 --quiet
    missing walk/scene_files
}

# W10: held by the texels that start near the shoulders, cloth falls onto them and stays outside.
mantle_and_robe_are_worn() {
    for cloth in mantle robe; do
        expect 0 run "$TOILE_SOURCE_DIR/scenes/wang/$cloth.json" -o $cloth --frames 12 --threads 1 --format none --quiet
        grep -q '"max_depth_m": 0.0,' $cloth/report.json || fail "$cloth is inside"
    done
}

every_file_goes_along
resumed_is_uninterrupted
run_stands_alone
cloth_inside_is_refused
mannequin_needs_no_file
mantle_and_robe_are_worn

# Where there is no OpenGL, that is all.
if "$toile" devices | grep -q '^renderer .*OpenGL'; then
    cat >a/bar.json <<'END'
{"toile": 1, "frames": 9, "bodies": [{"character": {"file": "bar.gltf", "animation": "bend"}}]}
END
    expect 0 render a/bar.json -o frame_%d.png --size 48x48
    ! cmp -s frame_0.png frame_9.png || fail 'the first frame looks like the last'
fi
