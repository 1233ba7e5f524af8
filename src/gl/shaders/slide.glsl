/* What a texel gains of ways along the cloth from the coarser grid, whose buffer is `coarser`. */
#ifndef TOILE_GL_SLIDE
#define TOILE_GL_SLIDE

/* Between the rows of k and k + other of the coarser grid. */
float slide_between(int part, int k, int other) {
    int at = (CYCLE_la + part) * level.coarser.size + k;
    return cycle_between(coarser[at], coarser[at + other]);
}

float slide_gain(int part, ivec2 texel) {
    int from = index_of(level.coarser, texel.x / 2, texel.y / 2);
    int other = (texel.y & 1) != 0 ? level.coarser.stride : 0;
    float on = slide_between(part, from, other);
    return (texel.x & 1) != 0 ? cycle_between(on, slide_between(part, from + 1, other)) : on;
}

#endif
