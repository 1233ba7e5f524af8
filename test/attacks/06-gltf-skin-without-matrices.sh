#!/bin/sh
# A skin may leave out its matrices: they are identities then.
. "$TOILE_SOURCE_DIR/test/command.sh"
. "$TOILE_SOURCE_DIR/test/gltf.sh"

# Joints are the first four zeros of the buffer, weights 1 and 0 from behind it.
nodes='[{"mesh": 0, "skin": 0}, {"name": "joint"}]'
primitive='{"attributes": {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3}, "indices": 1}'
more='"skins": [{"joints": [1]}],'
write_gltf m
zeros=AAAAAAAAAAAAAAAAAAAAAA==
one=AACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAA==
uri=data:application/octet-stream
sed -e 's|"SCALAR"}\]|"SCALAR"},\
   {"bufferView": 2, "componentType": 5121, "count": 4, "type": "VEC4"},\
   {"bufferView": 3, "componentType": 5126, "count": 4, "type": "VEC4"}]|' \
    -e 's|"byteLength": 24}\]|"byteLength": 24}, {"buffer": 1, "byteLength": 16},\
                 {"buffer": 2, "byteLength": 64}]|' \
    -e "s|\"}\]}\$|\"}, {\"byteLength\": 16, \"uri\": \"$uri;base64,$zeros\"},\\
             {\"byteLength\": 64, \"uri\": \"$uri;base64,$one\"}]}|" m.gltf >skinned.gltf
mv skinned.gltf m.gltf
expect 0 run m.json -o out --format none --quiet
! shared 06 || expect 0 run "$place/s.json" -o out6 --format none --quiet
