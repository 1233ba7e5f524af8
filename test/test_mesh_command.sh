#!/bin/sh
# Scenes with cloths from meshes: what a run takes along, and what check tells.
. "$(dirname "$0")/command.sh"

mkdir -p a/meshes
cp "$TOILE_SOURCE_DIR/test/good/strip.obj" a/meshes/strip.obj
cat >a/strip.json <<'END'
{
  "toile": 1,
  "frames": 2,
  "cloths": [
    {"name": "strip", "mesh": {"file": "meshes/strip.obj"}, "spacing": 0.1, "pins": [{"edge": "top"}]}
  ]
}
END

pieces_are_written() {
    expect 0 run a/strip.json -o run --quiet
    for piece in 1 2; do
        [ -s "run/strip.$piece.pc2" ] || fail "no motion of piece $piece"
    done
    same a/meshes/strip.obj run/scene_files/meshes/strip.obj
}

check_tells_the_isometry() {
    expect 0 check run
    prints '^flat pattern  *"strip.1" at 1 m a unit: stretched by 0 % on average'
    prints '^flat pattern  *"strip.2" at 1 m a unit, mirrored: stretched by 0 % on average'
}

# The folder of a run can be moved, checked and run again without the scene.
run_stands_alone() {
    mv a elsewhere
    mv run moved
    expect 0 check moved
    expect 0 run moved/scene.json -o again --quiet
    [ "$(value state_hash moved/report.json)" = "$(value state_hash again/report.json)" ] ||
        fail "another state from the copy"
    mv elsewhere a
}

# A run writes CLOTH.obj and removes old ones: a mesh must not be among them.
meshes_are_safe() {
    cp a/meshes/strip.obj a/strip.obj
    sed 's|meshes/strip.obj|strip.obj|' a/strip.json >a/beside.json
    expect 2 run a/beside.json -o a --quiet
    one_sentence
    says "'a/strip.obj' lies in the folder of the run"
    same a/strip.obj a/meshes/strip.obj
}

bad_meshes_are_named() {
    sed 's/^vt .*/vt 0 0/' a/meshes/strip.obj >a/bad.obj
    sed 's|meshes/strip.obj|bad.obj|' a/strip.json >a/bad.json
    expect 2 run a/bad.json -o bad --quiet
    one_sentence
    says "a/bad.json:5: cloths\[0\].mesh.file: 'a/bad.obj': triangle 1, .* has no area"
    missing bad
}

pieces_are_written
check_tells_the_isometry
run_stands_alone
meshes_are_safe
bad_meshes_are_named
