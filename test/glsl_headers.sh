#!/bin/sh
# The headers of src/kernel are the physics of every device: each must compile unchanged, by itself and behind the
# prelude of that language, as GLSL 4.30, as 3.30 and as ES 3.00, which is what browsers have.
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

# look NAME KIND: the shader of that kind, which includes the header NAME
look() {
    # -l because glslang follows #include only when it links, too.
    if ! messages=$(glslangValidator -l -I"$source/src" "$folder/shader.$2"); then
        echo "$1: does not compile as $(head -n 1 "$folder/shader.$2")"
        echo "$messages"
        status=1
    fi
}

status=0
for header in "$source"/src/kernel/*.h; do
    name=kernel/${header##*/}
    [ "$name" != kernel/prelude.h ] || continue
    loads=
    if [ "$name" = kernel/system.h ]; then # what drivers define for it
        loads='#include "kernel/block.h"
#define PLACE int
#define SYSTEM
#define SYSTEM_HERE
vec3 load_move(int k) { return vec3(float(k)); }
float load_inertia(int k) { return float(k); }
vec4 load_spring(int q, int k) { return vec4(float(k + q)); }
block load_block(int q, int k) { return block_make(vec3(float(k)), vec3(float(q))); }'
    elif [ "$name" = kernel/coupled.h ]; then
        loads='#include "kernel/block.h"
#define COUPLED
#define COUPLED_HERE
int load_count(int row) { return row; }
vec3 load_coupled(int row, int k) { return vec3(float(row + k)); }
float load_weight(int row, int k) { return float(row + k); }
vec3 load_aim(int row) { return vec3(float(row)); }
block load_stiffness(int row) { return block_make(vec3(float(row)), vec3(0.0)); }
vec3 load_pull(int row) { return vec3(float(row)); }
int load_entry_row(int entry) { return entry; }
float load_entry_weight(int entry) { return float(entry); }
float load_entry_share(int entry) { return float(entry); }'
    fi
    includes="#extension GL_GOOGLE_include_directive : require
#include \"kernel/prelude.glsl\"
$loads
#include \"$name\""
    cat >"$folder/shader.comp" <<END
#version 430
$includes
layout(local_size_x = 1) in;
void main() {}
END
    look "$name" comp
    for version in '330 core' '300 es'; do
        cat >"$folder/shader.vert" <<END
#version $version
$includes
void main() {
    gl_Position = vec4(0.0);
}
END
        look "$name" vert
    done
    echo "$name: done"
done
exit $status
