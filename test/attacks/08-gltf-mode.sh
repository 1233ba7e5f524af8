#!/bin/sh
# A mode that does not exist, and a skin whose matrices are positions.
. "$TOILE_SOURCE_DIR/test/command.sh"
. "$TOILE_SOURCE_DIR/test/gltf.sh"

primitive='{"attributes": {"POSITION": 0}, "indices": 1, "mode": 7}'
write_gltf mode
refused mode.json 'meshes\[0\].primitives\[0\].mode: expected a whole number from 0 to 6, found 7'

primitive='{"attributes": {"POSITION": 0}, "indices": 1}'
nodes='[{"mesh": 0, "skin": 0}]'
more='"skins": [{"joints": [0], "inverseBindMatrices": 0}],'
write_gltf skin
refused skin.json 'accessors\[0\].type: expected "MAT4" for inverse bind matrices, found "VEC3"'
! shared 08 || refused "$place/s.json" 'primitives\[0\].mode'
