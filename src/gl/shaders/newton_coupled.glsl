/* The couplings of a level as kernel/coupled.h loads them: the one that call.w says. */
#ifndef TOILE_GL_NEWTON_COUPLED
#define TOILE_GL_NEWTON_COUPLED

#include "gl/shaders/newton_tile.glsl"

#define COUPLED
#define COUPLED_HERE

layout(std430, binding = BIND_COUPLINGS) NEWTON_MEMORY restrict buffer coupling_buffer {
    uint couplings[];
};
/* Which plane holds the vectors that rows sum up. */
int coupled_plane;

int coupled_at(int what) {
    return int(couplings[COUPLED_WORDS * call.w + what]);
}

int row_word(int row, int word) {
    return int(couplings[coupled_at(COUPLED_ROW) + ROW_WORDS * row + word]);
}

int touched_word(int touched, int word) {
    return int(couplings[coupled_at(COUPLED_TEXEL) + TOUCHED_WORDS * touched + word]);
}

uint entry_word(int entry, int word) {
    return couplings[coupled_at(COUPLED_ENTRY) + ENTRY_WORDS * entry + word];
}

vec3 coupled_vector(int at) {
    return vec3(uintBitsToFloat(couplings[at]), uintBitsToFloat(couplings[at + 1]),
                uintBitsToFloat(couplings[at + 2]));
}

void set_coupled_vector(int at, vec3 value) {
    for (int axis = 0; axis < 3; axis++) {
        couplings[at + axis] = floatBitsToUint(value[axis]);
    }
}

block coupled_block(int at) {
    return block_make(coupled_vector(at), coupled_vector(at + 3));
}

/* A number of a touched texel: WAY_. */
int way_at(int touched, int what) {
    return coupled_at(COUPLED_WAY) + WAY_WORDS * touched + what;
}

/* A shader that finds what rows sum up elsewhere says so. */
#ifndef COUPLED_MOVE
#define COUPLED_MOVE(row, k, texel) vector_at(coupled_plane, texel)
#endif

vec3 load_coupled(int row, int k) {
    return COUPLED_MOVE(row, k, row_word(row, ROW_TEXELS + k));
}

int load_count(int row) {
    return row_word(row, ROW_COUNT);
}

/* The panel of its texel k. */
int row_panel(int row, int k) {
    return row_word(row, ROW_PANELS + (k < row_word(row, ROW_FIRST) ? 0 : 1));
}

float load_row_weight(int row, int k) {
    return uintBitsToFloat(uint(row_word(row, ROW_WEIGHTS + k)));
}

/* A shader that knows of what rows are drawn to says so; products aim at nothing. */
#ifndef COUPLED_AIM
#define COUPLED_AIM(row) vec3(0.0)
#endif

vec3 load_aim(int row) {
    return COUPLED_AIM(row);
}

block load_stiffness(int row) {
    return coupled_block(coupled_at(COUPLED_STIFFNESS) + STIFFNESS_WORDS * row);
}

vec3 load_pull(int row) {
    return coupled_vector(coupled_at(COUPLED_PULL) + PULL_WORDS * row);
}

int load_entry_row(int entry) {
    return int(entry_word(entry, ENTRY_ROW));
}

float load_entry_weight(int entry) {
    return uintBitsToFloat(entry_word(entry, ENTRY_WEIGHT));
}

float load_entry_share(int entry) {
    return uintBitsToFloat(entry_word(entry, ENTRY_SHARE));
}

#include "kernel/coupled.h"

void keep_pull(int row) {
    set_coupled_vector(coupled_at(COUPLED_PULL) + PULL_WORDS * row, coupling_pull(row));
}

/* What couplings do at a touched texel. */
vec3 gather_touched(int touched) {
    return coupling_gather(touched_word(touched, TOUCHED_ENTRY),
                           touched_word(touched + 1, TOUCHED_ENTRY));
}

block own_touched(int touched) {
    return coupling_own(touched_word(touched, TOUCHED_ENTRY),
                        touched_word(touched + 1, TOUCHED_ENTRY));
}

#endif
