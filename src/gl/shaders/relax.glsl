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

/* What an edge is apart from its ends. Without weight it is none. */
struct edge {
    float multiplier, weight, rest, most;
};

/* The one at k, with the multiplier of that plane. */
edge edge_at(int k, int kind, int plane) {
    float weight = edge_weight(k, kind), rest = edge_rest(k, kind);
    return edge(level_plane_at(plane + kind, k), rest < level.no_edge ? weight : 0.0, rest,
                edge_most(k, kind));
}

struct edge_ends {
    vec3 from, to;
    float mass_from, mass_to; /* inverse */
};

/* Relaxes an edge that has weight. */
void relax_edge(int kind, inout edge e, inout edge_ends ends) {
    vec3 d = ends.to - ends.from;
    float inverse = v3_inverse_length(d), length = v3_dot(d, d) * inverse;
    float masses = ends.mass_from + ends.mass_to;
    float change = edge_change(kind, length, e.weight, e.rest, e.multiplier, masses,
                               cloth.relaxation, e.most);
    float longest = e.rest * (cloth.longest / cloth.spacing);
    float pull = distance_pull(e.weight * change, length, longest, masses) * inverse;
    ends.from = v3_madd(ends.from, d, pull * ends.mass_from);
    ends.to = v3_madd(ends.to, d, -pull * ends.mass_to);
    e.multiplier += change;
}

#endif
