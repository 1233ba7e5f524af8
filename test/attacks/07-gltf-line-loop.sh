#!/bin/sh
# A line loop of one corner, and nothing else.
. "$TOILE_SOURCE_DIR/test/command.sh"
. "$TOILE_SOURCE_DIR/test/gltf.sh"

primitive='{"attributes": {"POSITION": 0}, "indices": 1, "mode": 2}'
indices=1
write_gltf m
refused m.json 'm.gltf.* has no triangles'
! shared 07 || refused "$place/s.json" 'has no triangles'
