#!/bin/sh
# A folder of src/ includes only itself and folders above it in the list below (docs/architecture.md),
# and the public headers include nothing but each other.
#
#   test/include_order.sh SOURCE_DIR
set -eu
cd "${1:-.}"

# shellcheck disable=SC2016
find src include -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.glsl' \
    -o -name '*.comp' -o -name '*.vert' -o -name '*.geom' -o -name '*.frag' \) | sort | xargs awk '
BEGIN {
    count = split("toile base kernel model body cook device cpu gl cuda step figure io render view convert app bench", folders)
    for (i = 1; i <= count; i++)
        rank[folders[i]] = i
    bad = 0
}

function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    bad = 1
}

FNR == 1 {
    files++
    split(FILENAME, parts, "/")
    own = parts[2]
    if (!(own in rank))
        complain("folder \"" own "\" has no place in the order; add it to test/include_order.sh")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    path = $0
    sub(/^[^"]*"/, "", path)
    sub(/".*/, "", path)
    folder = path
    sub(/\/.*/, "", folder)
    if (path !~ /\// || !(folder in rank))
        complain("\"" path "\" does not start with a folder of src/ or with toile/")
    else if (own in rank && rank[folder] > rank[own])
        complain(own " must not include \"" path "\": " folder " comes after " own)
}

END {
    if (!files) {
        print "no sources found"
        bad = 1
    }
    exit bad
}'
