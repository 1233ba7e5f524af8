#!/bin/sh
# "nodes" stands in the file twice: a long chain of nodes, and a harmless one.
. "$TOILE_SOURCE_DIR/test/command.sh"
. "$TOILE_SOURCE_DIR/test/gltf.sh"

nodes='[{"children": [1]}, {"children": [2]}, {"mesh": 0}], "nodes": [{"mesh": 0}]'
write_gltf m
refused m.json "m.gltf:1: expected each key once, found it again near '\"nodes\"'"

# The chain alone is a matter of its length.
nodes=$(i=1; while [ $i -lt 300 ]; do printf '{"children": [%d]}, ' $i; i=$((i + 1)); done)
nodes="[$nodes {\"mesh\": 0}]"
write_gltf chain
refused chain.json 'nodes\[256\]: has more than 255 ancestors'

if shared 02; then
    refused "$place/s.json" 'expected each key once'
    refused "$place/small.json" 'expected each key once'
fi
