#version 430 core
/* Particle-based Jacobi: each texel gathers from its eight edges, as in cpu/jacobi.c. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/edges.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* The planes that positions are read from and written to, and those of the multipliers. */
uniform ivec4 call;

/* How the edge from texel k to k + to moves it, before its inverse mass, in xyz, and the multiplier
 * after that, which is at k + at. */
vec4 edge_of(int kind, int k, int to, int at) {
    float multiplier = level_plane_at(call.z + kind, k + at);
    float weight = edge_weight(k + at, kind), rest = edge_rest(k + at, kind);
    if (!(weight > 0.0 && rest < level.no_edge)) {
        return vec4(vec3(0.0), multiplier);
    }
    vec3 d = level_at(call.x, k + to) - level_at(call.x, k);
    float inverse = v3_inverse_length(d), length = v3_dot(d, d) * inverse;
    float masses = table_at(TABLE_inverse_mass, k) + table_at(TABLE_inverse_mass, k + to);
    float change = edge_change(kind, length, weight, rest, multiplier, masses,
                               cloth.jacobi_relaxation, edge_most(k + at, kind));
    float longest = rest * (cloth.longest / cloth.spacing);
    float pull =
        distance_pull(weight * change, length, longest, masses / cloth.jacobi_relaxation);
    return vec4(d * (pull * inverse), multiplier + change);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.grid, texel)) {
        return;
    }
    int up = level.grid.stride, k = index_of(level.grid, texel.x, texel.y);
    vec4 east = edge_of(KIND_U, k, 1, 0), west = edge_of(KIND_U, k, -1, -1);
    vec4 north = edge_of(KIND_V, k, up, 0), south = edge_of(KIND_V, k, -up, -up);
    vec4 rise = edge_of(KIND_RISING, k, 1 + up, 0);
    vec4 sink = edge_of(KIND_RISING, k, -1 - up, -1 - up);
    vec4 fall = edge_of(KIND_FALLING, k, up - 1, -1), lift = edge_of(KIND_FALLING, k, 1 - up, -up);
    vec3 threads = (east.xyz + west.xyz) + (north.xyz + south.xyz);
    vec3 diagonals = (rise.xyz + sink.xyz) + (fall.xyz + lift.xyz);
    float mass = table_at(TABLE_inverse_mass, k);
    set_level(call.y, k, v3_madd(level_at(call.x, k), threads + diagonals, mass));
    set_level_plane(call.w + KIND_U, k, east.w);
    set_level_plane(call.w + KIND_V, k, north.w);
    set_level_plane(call.w + KIND_RISING, k, rise.w);
    set_level_plane(call.w + KIND_FALLING, k - 1, fall.w);
}
