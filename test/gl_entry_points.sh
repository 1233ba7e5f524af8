#!/bin/sh
# The gl-fragment device calls nothing that OpenGL 3.3 does not have: neither a driver that is no newer nor, later, a
# browser has a place for it. Drivers that tests run on are newer and would not complain.
#
#   test/gl_entry_points.sh SOURCE_DIR
set -eu
cd "$1/src/gl"

header=/usr/include/GL/glcorearb.h
if [ ! -r "$header" ]; then
    echo "skipped: no $header"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Versions stand in their order.
sed -n '/^#ifndef GL_VERSION_4_0/q; s/^GLAPI .*APIENTRY \(gl[A-Za-z0-9]*\) .*/\1/p' "$header" |
    sort -u >"$folder/known"
cat fragment/*.c context.c program.c queue.c timer.c | grep -oE '\bgl[A-Z][A-Za-z0-9]*\(' | tr -d '(' |
    sort -u >"$folder/called"
grep -qx glDrawArrays "$folder/known" && grep -qx glDrawArrays "$folder/called" || {
    echo 'neither header nor sources look as expected'
    exit 1
}
newer=$(comm -13 "$folder/known" "$folder/called")
if [ -n "$newer" ]; then
    echo 'not in OpenGL 3.3:' $newer
    exit 1
fi
