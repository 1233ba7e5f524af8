# shellcheck shell=sh
# For scripts that try glTF files: a tetrahedron of which parts can be chosen, and a scene with it
# under a cloth. Sourced behind command.sh.
data='data:application/octet-stream;base64,AAAAAAAAAAAAAAAAmpmZPgAAAAAAAAAAAAAAAJqZmT4AAAAAAAAAAAAA
AACamZk+AAACAAEAAAABAAMAAAADAAIAAQACAAMA'
data=$(printf %s "$data" | tr -d '\n')

nodes='[{"mesh": 0}]'
primitive='{"attributes": {"POSITION": 0}, "indices": 1}'
sparse=
indices=12
buffers="[{\"byteLength\": 72, \"uri\": \"$data\"}]"
more=

# write_gltf NAME: NAME.gltf from the variables above, and NAME.json, a scene with it
write_gltf() {
    cat >"$1.gltf" <<GLTF
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": $nodes,
 "meshes": [{"primitives": [$primitive]}], $more
 "accessors": [
   {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"$sparse},
   {"bufferView": 1, "componentType": 5123, "count": $indices, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48},
                 {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "buffers": $buffers}
GLTF
    cat >"$1.json" <<SCENE
{"toile": 1, "frames": 1, "bodies": [{"mesh": {"file": "$1.gltf"}}],
 "cloths": [{"rectangle": [0.2, 0.2], "transform": {"translate": [0, 1, 0]}}]}
SCENE
}

# refused SCENE PATTERN: with one sentence, before anything is written
refused() {
    expect 2 run "$1" -o refused --format none --quiet
    one_sentence
    says "$2"
    missing refused
}

# shared NUMBER: goes to the folder of the attack where it was first seen; false where it is not
shared() {
    for place in "$TOILE_SOURCE_DIR/../shared/attacks/$1"-*; do
        [ -d "$place" ] || return 1
    done
}
