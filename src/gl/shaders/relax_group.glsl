/* Gauss-Seidel by a work group that shares the positions of a window of a level. Of each set a
 * thread has one edge at most, always the same one, and knows all about it before it begins: sets
 * follow each other without waiting for memory, which took longer than all else. */
#ifndef TOILE_GL_RELAX_GROUP
#define TOILE_GL_RELAX_GROUP

#include "gl/shaders/relax.glsl"

/* The shader's own, beside THREADS: how large its windows are, at most ROOM texels, and where the
 * group's one begins, in an even column and row. */
int window_columns();
int window_rows();
ivec2 window_corner();

shared float positions[3][ROOM], masses[ROOM];

/* The thread's: its edges by their sets, which are named one by one below, so that they can be in
 * registers, which have no numbers; where those along u, and others, start in the window if their
 * set is an even one, and the index of that. */
edge edges[8];
ivec2 start_u, start_v;
int index_u, index_v;

vec3 position_at(int i) {
    return vec3(positions[0][i], positions[1][i], positions[2][i]);
}

void set_position(int i, vec3 p) {
    for (int axis = 0; axis < 3; axis++) {
        positions[axis][i] = p[axis];
    }
}

bool is_there(ivec2 texel) {
    return texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
}

/* The texel in the window where the thread's edge of a set starts. */
ivec2 place_of(int s) {
    return sets[s].x == KIND_U ? start_u + ivec2(sets[s].y, 0) : start_v + ivec2(0, sets[s].y);
}

int index_of_place(int s) {
    return sets[s].x == KIND_U ? index_u + sets[s].y : index_v + sets[s].y * window_columns();
}

bool is_in_window(ivec2 place) {
    return place.x < window_columns() && place.y < window_rows();
}

/* From there to its ends. */
bool has_ends_in_window(ivec2 place, int kind) {
    return is_in_window(place + ivec2(kind == KIND_V ? 0 : 1, kind == KIND_U ? 0 : 1));
}

/* multipliers: where they are, the first plane of them. */
void load_edge(int s, int multipliers) {
    ivec2 place = place_of(s), texel = window_corner() + place;
    bool there = is_in_window(place) && is_there(texel);
    int k = there ? index_of(level.grid, texel.x, texel.y) : level.grid.first, kind = sets[s].x;
    edges[s] = edge_at(k, kind, multipliers);
    if (!(there && has_ends(texel, kind) && has_ends_in_window(place, kind))) {
        edges[s].weight = 0.0;
    }
}

void load_edges(int multipliers) {
    int thread = int(gl_LocalInvocationIndex), columns = window_columns();
    int pairs = (columns + 1) / 2;
    start_u = texel_of_edge(ivec2(thread % pairs, thread / pairs), sets[0]);
    start_v = texel_of_edge(ivec2(thread % columns, thread / columns), sets[2]);
    index_u = start_u.y * columns + start_u.x;
    index_v = start_v.y * columns + start_v.x;
    load_edge(0, multipliers);
    load_edge(1, multipliers);
    load_edge(2, multipliers);
    load_edge(3, multipliers);
    load_edge(4, multipliers);
    load_edge(5, multipliers);
    load_edge(6, multipliers);
    load_edge(7, multipliers);
}

/* from: the first plane of positions. */
void load_window(int from) {
    int texels = window_columns() * window_rows();
    for (int i = int(gl_LocalInvocationIndex); i < texels; i += THREADS) {
        ivec2 texel = window_corner() + ivec2(i % window_columns(), i / window_columns());
        if (is_there(texel)) {
            int k = index_of(level.grid, texel.x, texel.y);
            set_position(i, level_at(from, k));
            masses[i] = table_at(TABLE_inverse_mass, k);
        }
    }
}

void relax_set(int s) {
    if (edges[s].weight > 0.0) {
        int kind = sets[s].x, i = index_of_place(s);
        ivec2 end = end_of(kind);
        int from = i + start_of(kind).x, to = i + end.x + end.y * window_columns();
        edge_ends ends = edge_ends(position_at(from), position_at(to), masses[from], masses[to]);
        relax_edge(kind, edges[s], ends);
        set_position(from, ends.from);
        set_position(to, ends.to);
    }
    barrier();
}

void relax_forwards() {
    relax_set(0);
    relax_set(1);
    relax_set(2);
    relax_set(3);
    relax_set(4);
    relax_set(5);
    relax_set(6);
    relax_set(7);
}

void relax_backwards() {
    relax_set(7);
    relax_set(6);
    relax_set(5);
    relax_set(4);
    relax_set(3);
    relax_set(2);
    relax_set(1);
    relax_set(0);
}

/* Iterations from number `first` on; every second one goes backwards. */
void relax_window(int first, int iterations) {
    barrier();
    for (int i = first; i < first + iterations; i++) {
        if (i % 2 == 0) {
            relax_forwards();
        } else {
            relax_backwards();
        }
    }
}

#endif
