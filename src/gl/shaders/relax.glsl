/* An edge of a set of Gauss-Seidel. */
#ifndef TOILE_GL_RELAX
#define TOILE_GL_RELAX

#include "gl/shaders/edges.glsl"

/* The edge from texel a to b, whose multiplier and rest length are at k. */
void relax_edge(int a, int b, int k, int kind) {
    float weight = edge_weight(k, kind), rest = edge_rest(k, kind);
    if (!(weight > 0.0 && rest < level.no_edge)) {
        return;
    }
    vec3 from = level_at(LEVEL_x, a), to = level_at(LEVEL_x, b), d = to - from;
    float inverse = v3_inverse_length(d), length = v3_dot(d, d) * inverse;
    float mass_a = table_at(TABLE_inverse_mass, a), mass_b = table_at(TABLE_inverse_mass, b);
    float masses = mass_a + mass_b, multiplier = level_plane_at(LEVEL_lu + kind, k);
    float change =
        edge_change(k, kind, length, weight, rest, multiplier, masses, cloth.relaxation);
    float longest = rest * (cloth.longest / cloth.spacing);
    float pull = distance_pull(weight * change, length, longest, masses) * inverse;
    set_level_plane(LEVEL_lu + kind, k, multiplier + change);
    set_level(LEVEL_x, a, v3_madd(from, d, pull * mass_a));
    set_level(LEVEL_x, b, v3_madd(to, d, -pull * mass_b));
}

/* Edges are numbered by the columns and rows they start in, those of a parity only. */
void relax_number(ivec2 number, int kind, int parity) {
    int column = kind == KIND_U ? 2 * number.x + parity : number.x;
    int row = kind == KIND_U ? number.y : 2 * number.y + parity;
    int right = kind == KIND_V ? 0 : 1, above = kind == KIND_U ? 0 : 1;
    if (column + right >= level.grid.columns || row + above >= level.grid.rows) {
        return;
    }
    int k = index_of(level.grid, column, row), up = level.grid.stride;
    int a = kind == KIND_FALLING ? k + 1 : k;
    int b = kind == KIND_U ? k + 1 : kind == KIND_RISING ? k + 1 + up : k + up;
    relax_edge(a, b, k, kind);
}

#endif
