/* Edges of a set of Gauss-Seidel. */
#ifndef TOILE_GL_RELAX
#define TOILE_GL_RELAX

#include "gl/shaders/edges.glsl"

/* The sets of an iteration: a kind of edges, and whether they start in even or odd columns or rows.
 * The order of cpu/relax.c, backwards every second time. */
const ivec2 sets[8] =
    ivec2[8](ivec2(KIND_U, 0), ivec2(KIND_U, 1), ivec2(KIND_V, 0), ivec2(KIND_RISING, 0),
             ivec2(KIND_FALLING, 0), ivec2(KIND_V, 1), ivec2(KIND_RISING, 1),
             ivec2(KIND_FALLING, 1));

/* Edges are numbered by the columns and rows they start in, those of a parity only. */
ivec2 texel_of_edge(ivec2 number, ivec2 set) {
    return set.x == KIND_U ? ivec2(2 * number.x + set.y, number.y)
                           : ivec2(number.x, 2 * number.y + set.y);
}

/* From there to the edge's ends. */
ivec2 start_of(int kind) {
    return ivec2(kind == KIND_FALLING ? 1 : 0, 0);
}

ivec2 end_of(int kind) {
    return ivec2(kind == KIND_U || kind == KIND_RISING ? 1 : 0, kind == KIND_U ? 0 : 1);
}

/* Are both ends in the grid? */
bool has_ends(ivec2 texel, int kind) {
    ivec2 far = texel + ivec2(kind == KIND_V ? 0 : 1, kind == KIND_U ? 0 : 1);
    return texel.x >= 0 && texel.y >= 0 && is_in(level.grid, far);
}

struct relaxed {
    vec3 from, to;
    float multiplier;
};

/* The edge from texel a to b, which are there, whose multiplier and rest length are at k. */
relaxed relax_edge(int a, int b, int k, int kind, relaxed now) {
    float weight = edge_weight(k, kind), rest = edge_rest(k, kind);
    if (!(weight > 0.0 && rest < level.no_edge)) {
        return now;
    }
    vec3 d = now.to - now.from;
    float inverse = v3_inverse_length(d), length = v3_dot(d, d) * inverse;
    float mass_a = table_at(TABLE_inverse_mass, a), mass_b = table_at(TABLE_inverse_mass, b);
    float masses = mass_a + mass_b;
    float change = edge_change(k, kind, length, weight, rest, now.multiplier, masses,
                               cloth.relaxation);
    float longest = rest * (cloth.longest / cloth.spacing);
    float pull = distance_pull(weight * change, length, longest, masses) * inverse;
    return relaxed(v3_madd(now.from, d, pull * mass_a), v3_madd(now.to, d, -pull * mass_b),
                   now.multiplier + change);
}

#endif
