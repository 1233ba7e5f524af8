#!/bin/sh
# toile mannequin and toile info.
. "$(dirname "$0")/command.sh"

figures_are_written() {
    expect 0 mannequin -o body.glb --animation walk
    prints '^body.glb: [0-9]* triangles; height 1.7[0-9]* m, chest 0.8[78][0-9], waist 0.7[12]'
    prints '^22 joints; animations: walk 1.02 s$'
    expect 0 info body.glb
    prints '^surface  *closed: 0 boundary edges, 0 non-manifold edges, 1 component$'
    prints '^self-overlaps 0 pairs'
    prints '^joints  *22, at most 4 per vertex$'
    prints '^  *walk, 1.02 s$'
    prints '^as a body  *height 1.720 m, chest 0.8[78][0-9], waist 0.7[12]'
    ! grep -q warning logs/stdout || fail "warned of our own figure"
}

# The pose of a moment: the figure has walked, and is not as wide as with its arms out.
moments_are_written() {
    expect 0 mannequin -o step.obj --animation walk --time 1.53
    expect 0 info step.obj --json
    [ "$(value closed logs/stdout)" = true ] || fail "not closed"
    [ "$(value joints logs/stdout)" = 0 ] || fail "joints in an .obj"
    awk '$1 == "v" && $4 < 1 { exit 1 }' step.obj || fail "it has not walked"
}

mistakes_get_a_sentence() {
    expect 2 mannequin
    one_sentence
    says 'expected -o with a file to write'
    expect 2 mannequin -o body.fbx
    says 'ends in .glb or .obj'
    expect 2 mannequin -o body.obj --height tall
    says "height: expected a number of metres, found 'tall'"
    expect 2 mannequin -o body.obj --height 172
    says 'height: expected 1.4 to 2.1 m, found 172'
    expect 2 mannequin -o body.obj --chest 0
    says "chest: expected more than 0 m"
    expect 2 mannequin -o body.obj --pose sitting
    says "pose: expected a or t, found 'sitting'"
    expect 2 mannequin -o body.obj --animation fly
    one_sentence
    says "animation: expected idle, walk, jog, sneak, turn or kick, found 'fly'"
    expect 2 mannequin -o body.glb --animation walk --time 1
    says 'time: expected only with an .obj'
    expect 2 mannequin -o body.obj --animation walk --time 1e15
    says 'time: expected 0 to 3600 s'
    missing body.obj
    expect 2 info
    says 'expected the file of a mesh'
    expect 2 info nothing.obj
    one_sentence
    expect 2 info scene.json
    one_sentence
}

# change AWK: rest.obj with the numbers of its vertices or the corners of its faces changed
change() {
    awk "$1"' { print }' rest.obj >changed.obj
    expect 0 info changed.obj
}

# What would take minutes to count is told as far as it was counted.
piles_are_not_counted() {
    awk 'BEGIN {
        print "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1"
        for (i = 0; i < 12000; i++) { print "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4" }
    }' >pile.obj
    expect 0 info pile.obj
    prints '^meshes  *1 with 48000 triangles'
    prints '^self-overlaps  *at least 0 pairs'
}

wrong_meshes_are_seen() {
    expect 0 mannequin -o rest.obj
    change '$1 == "v" { $2 *= 100; $3 *= 100; $4 *= 100 }'
    prints '^warning  *172 m across: in centimetres? try "scale": 0.01$'
    change '$1 == "v" { t = $3; $3 = -$4; $4 = t }'
    prints '^warning  *longest along z: lying down'
    change '$1 == "f" { t = $3; $3 = $4; $4 = t }'
    prints '^warning  *inside out'
    change '$1 == "f" && !gone++ { next }'
    prints '^surface  *not closed: 3 boundary edges'
    prints '^warning  *open: 3 edges'
    change '$1 == "v" && $3 > 1.3 { $3 = 2.6 - $3 }'
    prints '^warning  *the surface crosses itself'
}

figures_are_written
moments_are_written
mistakes_get_a_sentence
piles_are_not_counted
wrong_meshes_are_seen
