#!/bin/sh
# Runs the Khronos glTF validator over the files that test_glb leaves, which have all that a file of
# ours can have, over those of real runs, and over a character.
#
#   test/gltf_validator.sh BUILD_DIR TEST_GLB
#
# The npm package is installed into BUILD_DIR/node once. Exit status 77, which ctest takes for a
# skipped test, says that there is no node, or no way to get the package.
set -eu

version=2.0.0-dev.3.10
here=$(cd "$(dirname "$0")" && pwd)
node_dir=$1/node
files=$1/gltf
test_glb=$2

for tool in node npm; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done
installed=$node_dir/node_modules/gltf-validator/package.json
if ! grep -qs "\"version\": \"$version\"" "$installed"; then
    mkdir -p "$node_dir"
    if ! timeout 60 npm install --prefix "$node_dir" --no-fund --no-audit --no-save \
        --fetch-retries=1 --fetch-retry-mintimeout=1000 "gltf-validator@$version" \
        >"$node_dir/install.log" 2>&1; then
        echo "skipped: npm could not install gltf-validator $version, see $node_dir/install.log"
        exit 77
    fi
fi

rm -rf "$files"
mkdir -p "$files"
"$test_glb" "$files" >"$files/test_glb.log" 2>&1
# A verdict, exit status 1, does not matter here: a few frames in, cloth is still falling.
"$TOILE_COMMAND" run "$here/../scenes/moving_ball.json" --frames 4 --format glb --quiet \
    -o "$files/run" || [ $? -eq 1 ]
"$TOILE_COMMAND" run "$here/good/walk.json" --frames 4 --format glb --quiet \
    -o "$files/walk" || [ $? -eq 1 ]
"$TOILE_COMMAND" run "$here/good/actors.json" --format glb --quiet -o "$files/actors"
"$TOILE_COMMAND" mannequin -o "$files/mannequin.glb" >"$files/mannequin.log"
if [ -x "${TOILE_COMMAND%/*}/toile-convert" ]; then
    for name in arm.bvh bend.dae turn.fbx; do
        "$TOILE_COMMAND" convert "$TOILE_SOURCE_DIR/test/data/$name" -o "$files/$name.glb" --quiet
    done
fi
exec node "$here/gltf_validator.mjs" "$node_dir/node_modules" "$files"/*.glb "$files"/run/*.glb \
    "$files"/walk/*.glb "$files"/actors/*.glb
