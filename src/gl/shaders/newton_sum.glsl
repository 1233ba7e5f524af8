/* Sums over the texels of a tile, in an order that does not depend on anything. */
#ifndef TOILE_GL_NEWTON_SUM
#define TOILE_GL_NEWTON_SUM

const int SUMMED = UP_COLUMNS * UP_ROWS;

shared vec4 summed[SUMMED];

/* For all threads of a group. Only the first gets the sum; xyz with most: w is not a sum, but the
 * largest. */
vec4 sum_tile(vec4 part, bool most) {
    int at = int(gl_LocalInvocationIndex);
    barrier();
    summed[at] = part;
    for (int step = SUMMED / 2; step > 0; step /= 2) {
        barrier();
        if (at < step) {
            vec4 other = summed[at + step];
            float largest = k_max(summed[at].w, other.w);
            summed[at] += other;
            summed[at].w = most ? largest : summed[at].w;
        }
    }
    return summed[at];
}

#endif
