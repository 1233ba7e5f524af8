#!/bin/sh
# A sparse accessor without count, indices and values.
. "$TOILE_SOURCE_DIR/test/command.sh"
. "$TOILE_SOURCE_DIR/test/gltf.sh"

sparse=', "sparse": {}'
write_gltf m
refused m.json 'm.gltf:4: accessors\[0\].sparse.count: expected a whole number from 1 to 4'
! shared 01 || refused "$place/s.json" 'accessors\[0\].sparse'
