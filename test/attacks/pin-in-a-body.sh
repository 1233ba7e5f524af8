#!/bin/sh
# A pin in a body that does not carry it stretched cloth by 2200 % without a word.
. "$TOILE_SOURCE_DIR/test/command.sh"

cat >free.json <<'SCENE'
{"toile": 1, "frames": 3, "cloths": [
  {"name": "sheet", "rectangle": [0.5, 0.5], "spacing": 0.05,
   "transform": {"translate": [0.25, -0.25, 0]}, "pins": [{"corner": "top-left"}]}],
 "bodies": [{"name": "ball", "sphere": {"radius": 0.03}}]}
SCENE
expect 1 run free.json --format none
said="cloth 'sheet' is pinned at the top left corner inside body 'ball', 30 mm deep, which does not carry"
says "^toile: warning: $said"
prints "^  $said"

sed 's/"corner": "top-left"/&, "body": "ball"/' free.json >carried.json
expect 0 run carried.json --format none

# Two pins that do not agree about a texel; the later one won.
sed 's/{"corner": "top-left"}/{"edge": "top"}, {"edge": "left", "body": "ball"}/' free.json >twice.json
expect 2 run twice.json
one_sentence
says "twice.json:3: cloths\[0\].pins\[1\]: cloth 'sheet': the pins at the top edge and at the left edge both hold texel (0, 10)"
missing out/twice
