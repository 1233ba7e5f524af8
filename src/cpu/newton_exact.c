/* The coarsest level of a panel, solved by Cholesky's factors of its matrix. */
#include <math.h>
#include <string.h>

#include "cpu/newton.h"
#include "kernel/newton.h"

/* Row and column of a symmetric block to its place in xx, yy, zz, yz, xz, xy. */
static const int places[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};

typedef struct coarsest {
    const newton_level *l;
    const system_panel *own;
    double *factor, *x; /* n * n, and n behind it */
    int n;
} coarsest;

static coarsest coarsest_of(newton_state *s, int depth, int panel) {
    coarsest c = {.l = &s->level[depth], .own = &s->level[depth].table->panels[panel]};
    c.n = 3 * (int)grid_texels(&c.own->grid);
    c.factor = s->factors + s->first[panel];
    c.x = c.factor + c.n * c.n;
    return c;
}

/* The lower half of the matrix. Bending is left out: cloth this coarse is not held by it. */
static void gather(const coarsest *c) {
    const grid *g = &c->own->grid;
    static const int across[SYSTEM_LINKS + 1] = {1, 0, 1, -1, 0};
    static const int along[SYSTEM_LINKS + 1] = {0, 1, 1, 1, 0};
    memset(c->factor, 0, (size_t)(c->n * c->n) * sizeof *c->factor);
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            const size_t at = c->own->first + grid_index(g, i, j);
            for (int q = 0; q <= SYSTEM_LINKS; q++) {
                int column = i + across[q], row = j + along[q];
                if (column < 0 || column >= g->columns || row >= g->rows) {
                    continue;
                }
                int low = 3 * (j * g->columns + i), high = 3 * (row * g->columns + column);
                for (int k = 0; k < 9; k++) {
                    float *const number = c->l->plane[EQ_east + 6 * q + places[k / 3][k % 3]];
                    c->factor[(high + k / 3) * c->n + low + k % 3] = (double)number[at];
                }
            }
        }
    }
}

/* A texel that nothing holds keeps its place: its pivot is infinite. Rounding of the float blocks
 * is about a millionth of them. */
void newton_factor(newton_state *s, int depth, int panel) {
    const coarsest c = coarsest_of(s, depth, panel);
    gather(&c);
    for (int k = 0; k < c.n; k++) {
        double *row = c.factor + k * c.n;
        double own = row[k], least = 1e-6 * own;
        for (int i = 0; i < k; i++) {
            const double *other = c.factor + i * c.n;
            double sum = row[i];
            for (int m = 0; m < i; m++) {
                sum -= row[m] * other[m];
            }
            row[i] = sum * other[i];
            own -= row[i] * row[i];
        }
        row[k] = own > least ? 1.0 / sqrt(own) : 0.0; /* inverses are kept */
    }
}

void newton_exact(newton_state *s, int depth, int panel) {
    const coarsest c = coarsest_of(s, depth, panel);
    const grid *g = &c.own->grid;
    for (int k = 0; k < c.n; k++) {
        const size_t at = c.own->first + grid_index(g, k / 3 % g->columns, k / 3 / g->columns);
        c.x[k] = (double)c.l->plane[EQ_residual + k % 3][at];
    }
    for (int k = 0; k < c.n; k++) {
        const double *row = c.factor + k * c.n;
        for (int i = 0; i < k; i++) {
            c.x[k] -= row[i] * c.x[i];
        }
        c.x[k] *= row[k];
    }
    for (int k = c.n - 1; k >= 0; k--) {
        const double *row = c.factor + k * c.n;
        c.x[k] *= row[k];
        for (int i = 0; i < k; i++) {
            c.x[i] -= row[i] * c.x[k];
        }
        const size_t at = c.own->first + grid_index(g, k / 3 % g->columns, k / 3 / g->columns);
        c.l->plane[EQ_result + k % 3][at] = (float)c.x[k];
    }
}
