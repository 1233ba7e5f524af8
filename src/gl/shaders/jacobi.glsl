/* Particle-based Jacobi: each texel gathers from its eight edges, as in cpu/jacobi.c. */
#ifndef TOILE_GL_JACOBI
#define TOILE_GL_JACOBI

#include "gl/shaders/edges.glsl"

/* The first planes of positions and of multipliers. */
struct jacobi_planes {
    int positions, multipliers;
};

/* How the edge from texel k to k + to moves it, before its inverse mass, in xyz, and the multiplier
 * after that, which is at k + at. */
vec4 edge_of(jacobi_planes from, int kind, int k, int to, int at) {
    float multiplier = level_plane_at(from.multipliers + kind, k + at);
    float weight = edge_weight(k + at, kind), rest = edge_rest(k + at, kind);
    /* Read before it is known whether they are needed, so as to wait for memory once. */
    vec3 d = level_at(from.positions, k + to) - level_at(from.positions, k);
    float masses = table_at(TABLE_inverse_mass, k) + table_at(TABLE_inverse_mass, k + to);
    float most = edge_most(k + at, kind);
    if (!(weight > 0.0 && rest < level.no_edge)) {
        return vec4(vec3(0.0), multiplier);
    }
    float inverse = v3_inverse_length(d), length = v3_dot(d, d) * inverse;
    float change = edge_change(kind, length, weight, rest, multiplier, masses,
                               cloth.jacobi_relaxation, most);
    float longest = rest * (cloth.longest / cloth.spacing);
    float pull =
        distance_pull(weight * change, length, longest, masses / cloth.jacobi_relaxation);
    return vec4(d * (pull * inverse), multiplier + change);
}

/* Where a texel gets to, and the multipliers of the edges whose places are its own: those to the
 * right, up, up and right; and of the one up and left, whose place is k - 1. */
struct jacobi_texel {
    vec3 position;
    float east, north, rise, fall;
};

jacobi_texel jacobi_at(jacobi_planes from, int k) {
    int up = level.grid.stride;
    vec4 east = edge_of(from, KIND_U, k, 1, 0), west = edge_of(from, KIND_U, k, -1, -1);
    vec4 north = edge_of(from, KIND_V, k, up, 0), south = edge_of(from, KIND_V, k, -up, -up);
    vec4 rise = edge_of(from, KIND_RISING, k, 1 + up, 0);
    vec4 sink = edge_of(from, KIND_RISING, k, -1 - up, -1 - up);
    vec4 fall = edge_of(from, KIND_FALLING, k, up - 1, -1);
    vec4 lift = edge_of(from, KIND_FALLING, k, 1 - up, -up);
    vec3 threads = (east.xyz + west.xyz) + (north.xyz + south.xyz);
    vec3 diagonals = (rise.xyz + sink.xyz) + (fall.xyz + lift.xyz);
    float mass = table_at(TABLE_inverse_mass, k);
    vec3 position = v3_madd(level_at(from.positions, k), threads + diagonals, mass);
    return jacobi_texel(position, east.w, north.w, rise.w, fall.w);
}

#endif
