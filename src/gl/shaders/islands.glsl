/* Islands of parts (device/newton_state.h) among the springs that repel texels: a part has 1 more
 * than the number of another one of its island, or 0 if it is the first of it. */
#ifndef TOILE_GL_ISLANDS
#define TOILE_GL_ISLANDS

/* The first part of the island; at: where these words begin. */
int island_of(int part, int at) {
    uint next = repels[at + part];
    while (next != 0u) {
        part = int(next) - 1;
        next = repels[at + part];
    }
    return part;
}

#endif
