#!/bin/sh
# Runs with bodies that deform: what they take along, that they repeat and resume to the bit, and
# that they are drawn where they are.
. "$(dirname "$0")/command.sh"

good=$TOILE_SOURCE_DIR/test/good
mkdir a
cp "$good/actors.json" "$good/bar.gltf" "$good"/wedge_?.obj "$good/wedge.pc2" a

every_file_goes_along() {
    expect 0 run a/actors.json -o whole
    for name in bar.gltf wedge_1.obj wedge_2.obj wedge.pc2; do
        same "a/$name" "whole/scene_files/$name"
    done
    grep -aq '"skins":\[{"inverseBindMatrices"' whole/motion.glb || fail 'no skin in motion.glb'
}

# Read as a character, what was written plays as the sequence did.
deforming_bodies_come_back() {
    cat >a/written.json <<'SCENE'
{"toile": 1, "frames": 8, "device": "cpu",
 "bodies": [{"name": "wedge", "sequence": {"base": "wedge_1.obj", "cache": "wedge.pc2", "rate": 10,
             "rotate": [0, 30, 0]},
             "keyframes": [{"time": 0}, {"time": 1, "translate": [1, 0.5, 0]}]}],
 "camera": {"eye": [3, 2, 4], "target": [0, 0.5, 0]}, "render": {"size": [96, 96]}}
SCENE
    cat >a/read.json <<'SCENE'
{"toile": 1, "frames": 8, "device": "cpu",
 "bodies": [{"name": "wedge", "character": {"file": "motion.glb", "animation": "motion", "loop": false}}],
 "camera": {"eye": [3, 2, 4], "target": [0, 0.5, 0]}, "render": {"size": [96, 96]}}
SCENE
    expect 0 run a/written.json -o written --quiet
    cp written/motion.glb a
    expect 0 run a/read.json -o read --quiet
    for frame in 0 3 8; do
        expect 0 render written --frame $frame -o written.png
        expect 0 render read --frame $frame -o read.png
        same written.png read.png
        [ $frame -eq 0 ] || ! cmp -s written.png last.png || fail "it stands still at $frame"
        mv written.png last.png
    done
}

# Cloths have texture coordinates, bodies have none.
motion_is_told() {
    expect 0 info whole/motion.glb
    prints '^meshes  *7 with'
    prints '^morph targets  *16'
    prints '^  *motion, '
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
deforming_bodies_come_back
motion_is_told
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
