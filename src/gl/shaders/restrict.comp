#version 430 core
/* The positions and multipliers of a coarse level from those of the finer one. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/other.glsl"
#include "kernel/bend.h"
#include "kernel/transfer.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: not the first cycle of the substep */

float finer_at(int plane, int k) {
    return other[plane * level.finer.size + k];
}

float row_at(int plane, int k) {
    return transfer_row(finer_at(plane, k - 1), finer_at(plane, k), finer_at(plane, k + 1));
}

float usual_mean(int plane, int k) {
    int up = level.finer.stride;
    return transfer_mean(row_at(plane, k - up), row_at(plane, k), row_at(plane, k + up));
}

float listed_mean(int plane, uint begin, uint end) {
    float sum = 0.0;
    for (uint p = begin; p < end; p++) {
        uint at = uint(level.parts_at) + 2u * p;
        sum += uintBitsToFloat(table[at + 1u]) * finer_at(plane, int(table[at]));
    }
    return sum;
}

vec3 usual_means(int plane, int below) {
    return vec3(usual_mean(plane, below), usual_mean(plane + 1, below),
                usual_mean(plane + 2, below));
}

/* What is known of a texel before its means: where they are listed, if so, and whether the usual
 * ones fit. */
struct mean_kind {
    uint begin, end;
    bool usual;
};

mean_kind kind_of_mean(int k, ivec2 texel) {
    int number = texel.x + texel.y * level.grid.columns;
    return mean_kind(table[number], table[number + 1], table_at(TABLE_mean, k) > 0.0);
}

/* Three planes of the finer level, or what they are where there is none of it. */
vec3 mean_of(int plane, mean_kind kind, vec3 usual, vec3 absent) {
    if (kind.begin < kind.end) {
        return vec3(listed_mean(plane, kind.begin, kind.end),
                    listed_mean(plane + 1, kind.begin, kind.end),
                    listed_mean(plane + 2, kind.begin, kind.end));
    }
    return kind.usual ? usual : absent;
}

/* A coarse thread has twice the mean of the two that it stands for; see cpu/transfer.c. */
float multiplier_of(int kind, ivec2 texel) {
    if (call.x == 0 || 2 * texel.y >= level.finer.rows) {
        return 0.0;
    }
    int up = level.finer.stride;
    int along = kind == KIND_U ? 1 : kind == KIND_V ? up : kind == KIND_RISING ? up + 1 : up - 1;
    int begin = kind == KIND_FALLING ? 1 : 0;
    int one = index_of(level.finer, 2 * texel.x + begin, 2 * texel.y);
    return finer_at(LEVEL_lu + kind, one) + finer_at(LEVEL_lu + kind, one + along);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.grid, texel)) {
        return;
    }
    int k = index_of(level.grid, texel.x, texel.y);
    int below = index_of(level.finer, 2 * texel.x, 2 * texel.y);
    bool bends = call.x == 0 && level.bend_taken > 0.0;
    /* All is read before it is known whether it is needed, so as to wait for memory once. */
    mean_kind kind_here = kind_of_mean(k, texel);
    float mass = table_at(TABLE_inverse_mass, k);
    vec3 x = level_at(LEVEL_x, k), push = level_at(LEVEL_ox, k);
    vec3 usual = usual_means(LEVEL_x, below), usual_push = vec3(0.0);
    if (bends) {
        usual_push = usual_means(LEVEL_ox, below);
    }
    x = mean_of(LEVEL_x, kind_here, usual, x);
    set_level(LEVEL_bx, k, x);
    if (bends) {
        push = mean_of(LEVEL_ox, kind_here, usual_push, push);
        set_level(LEVEL_ox, k, push);
        x += mass > 0.0 ? push * (level.bend_taken * bend_share(level.bend_stiff, mass))
                        : vec3(0.0);
    }
    set_level(LEVEL_x, k, x);
    set_level_plane(LEVEL_push, k, 0.0);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        float multiplier = multiplier_of(kind, texel);
        set_level_plane(LEVEL_lu + kind, k, multiplier);
        set_level_plane(LEVEL_bu + kind, k, multiplier);
    }
}
