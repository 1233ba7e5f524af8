#!/bin/sh
# The longest strip that a hierarchy is made for is checked when the cloth is made, and not by an
# assertion after gigabytes. test_strip has those that are not too long.
. "$TOILE_SOURCE_DIR/test/command.sh"

echo '{"toile": 1, "frames": 1, "cloths": [{"rectangle": [9000, 0.016], "spacing": 0.008}]}' >long.json
expect 2 run long.json -o out --format none
one_sentence
says 'long.json:1: cloths\[0\]: .*spacing 0.008 m makes 1125000 x 2 cells: expected at most 1000000'
missing out/report.json
