#!/bin/sh
# Scenes that name files, meshes of cloths and bodies and cooked panels: what a run takes along, and
# what check tells.
. "$(dirname "$0")/command.sh"

mkdir -p a/meshes
cp "$TOILE_SOURCE_DIR/test/good/strip.obj" a/meshes/strip.obj
cat >a/strip.json <<'END'
{
  "toile": 1,
  "frames": 2, "solver": {"self_collision": false},
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
    expect 0 check run --json
    for report in logs/stdout run/report.json; do
        sed -n '/"patterns"/,/^  \]/p' "$report" >logs/patterns
        [ "$(value cloth logs/patterns | tr '\n' ' ')" = 'strip.1 strip.2 ' ] || fail "no patterns in $report"
    done
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

# All kinds of files at once, the buffer of a .gltf too.
every_file_goes_along() {
    mkdir -p all/below
    cp a/meshes/strip.obj all/below/strip.obj
    cp "$TOILE_SOURCE_DIR/test/good/wedge.obj" all/below/wedge.obj
    cp "$TOILE_SOURCE_DIR/test/good/panels/pennant.panel" all/below/pennant.panel
    base64 -d >all/below/tip.bin <<'END'
AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAAADAAIAAQACAAMA
END
    cat >all/below/tip.gltf <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
               {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "buffers": [{"uri": "tip.bin", "byteLength": 72}]}
END
    cat >all/all.json <<'END'
{
  "toile": 1,
  "frames": 2,
  "solver": {"kind": "multilevel", "self_collision": false},
  "cloths": [
    {"name": "strip", "mesh": {"file": "below/strip.obj"}, "spacing": 0.1},
    {"name": "pennant", "panel": "below/pennant.panel", "transform": {"translate": [5, 0, 0]}}
  ],
  "bodies": [
    {"mesh": {"file": "below/wedge.obj", "center": [-5, 0, 0]}},
    {"mesh": {"file": "below/wedge.obj", "center": [-5, 5, 0]}},
    {"mesh": {"file": "below/tip.gltf", "center": [-5, -5, 0]}}
  ]
}
END
    expect 0 run all/all.json -o everything --quiet
    [ "$(cd everything/scene_files/below && echo *)" = 'pennant.panel strip.obj tip.bin tip.gltf wedge.obj' ] ||
        fail "found $(ls -R everything)"
    rm -r all
    mv everything moved_all
    expect 0 check moved_all
    hash=$(value state_hash moved_all/report.json)
    expect 0 run moved_all/scene.json -o repeated --quiet
    [ "$hash" = "$(value state_hash repeated/report.json)" ] || fail "another state from the copies"
    expect 0 run repeated/scene.json -o repeated --quiet # over itself
    [ "$hash" = "$(value state_hash repeated/report.json)" ] || fail "another state in its own folder"
}

# A run writes CLOTH.obj and removes old ones: a mesh must not be among them.
meshes_are_safe() {
    cp a/meshes/strip.obj a/strip.obj
    sed 's|meshes/strip.obj|strip.obj|' a/strip.json >a/beside.json
    expect 2 run a/beside.json -o a --quiet
    one_sentence
    says "'a/strip.obj' lies in the folder of the run"
    same a/strip.obj a/meshes/strip.obj
    for file in "$PWD/a/strip.obj" a/strip.obj; do # by its whole path, and from above
        sed "s|meshes/strip.obj|$file|" a/strip.json >above.json
        expect 2 run above.json -o a --quiet
        one_sentence
        says "a/strip.obj' lies in the folder of the run"
        same a/strip.obj a/meshes/strip.obj
    done
    mkdir -p b/scene_files
    cp a/strip.obj b/scene_files/strip.obj
    sed "s|meshes/strip.obj|$PWD/b/scene_files/strip.obj|" a/strip.json >above.json
    expect 2 run above.json -o b --quiet
    says "b/scene_files/strip.obj' lies in the folder of the run"
}

bad_meshes_are_named() {
    sed 's/^vt .*/vt 0 0/' a/meshes/strip.obj >a/bad.obj
    sed 's|meshes/strip.obj|bad.obj|' a/strip.json >a/bad.json
    expect 2 run a/bad.json -o bad --quiet
    one_sentence
    says "a/bad.json:5: cloths\[0\].mesh.file: 'a/bad.obj': triangle 1, .* has no area"
    missing bad
}

# A needle between the vertices of a cloth: none of them is inside, and the verdict is bad.
needles_are_seen() {
    mkdir -p sewing
    printf 'v %s\n' '.029 -.1 .017' '.033 -.1 .017' '.031 -.1 .021' '.031 .2 .018' >sewing/needle.obj
    printf 'f %s\n' '1 2 3' '1 4 2' '2 4 3' '3 4 1' >>sewing/needle.obj
    cat >sewing/needle.json <<'END'
{"toile": 1, "frames": 8, "cloths": [{"name": "cloth", "rectangle": [0.5, 0.5], "spacing": 0.025,
  "transform": {"translate": [0, 0.22, 0], "rotate": [-90, 0, 0]}}],
 "bodies": [{"name": "needle", "mesh": {"file": "needle.obj"}}]}
END
    expect 1 run sewing/needle.json -o pricked --quiet
    [ "$(value max_depth_m pricked/report.json | head -n 1)" = 0.0 ] || fail 'a vertex is inside'
    expect 1 check pricked
    prints '^crossings  *[1-9][0-9]* pairs of triangles of cloth and bodies, up to'
    prints '^caught  *0 vertices between parts of a body$'
    prints "cloth 'cloth': frame [0-9]*: penetration.crossing_depth_m is "
    [ "$(value caught pricked/report.json | head -n 1)" = 0 ] || fail 'caught by a needle'
}

pieces_are_written
check_tells_the_isometry
run_stands_alone
every_file_goes_along
meshes_are_safe
bad_meshes_are_named
needles_are_seen
