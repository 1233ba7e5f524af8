#!/bin/sh
# The headers of src/kernel are the physics of every device: each must compile unchanged as GLSL 4.30,
# by itself, behind the prelude of that language.
#
#   test/glsl_headers.sh SOURCE_DIR
set -eu
source=$1

if ! command -v glslangValidator >/dev/null; then
    echo 'skipped: no glslangValidator'
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

status=0
for header in "$source"/src/kernel/*.h; do
    name=kernel/${header##*/}
    [ "$name" != kernel/prelude.h ] || continue
    cat >"$folder/shader.comp" <<END
#version 430
#extension GL_GOOGLE_include_directive : require
#include "kernel/prelude.glsl"
#include "$name"
layout(local_size_x = 1) in;
void main() {}
END
    # -l because glslang follows #include only when it links, too.
    if messages=$(glslangValidator -l -I"$source/src" "$folder/shader.comp"); then
        echo "$name: good"
    else
        echo "$name: does not compile as GLSL"
        echo "$messages"
        status=1
    fi
done
exit $status
