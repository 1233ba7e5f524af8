/* The coarsest level of a part, all its panels at once, solved by Cholesky's factors of its
 * matrix. */
#include <string.h>

#include "cpu/newton.h"
#include "kernel/coarsest.h"
#include "kernel/coupling.h"
#include "kernel/link.h"

typedef struct coarsest {
    const equations *e;
    const newton_level *l;
    const meet_level *meet; /* NULL: none */
    double *factor, *x;     /* n * n, both halves, and n behind it */
    int part, n;
} coarsest;

static coarsest coarsest_of(const newton_args *args, int part) {
    const newton_state *s = args->state;
    const system_part *own = &s->equations.part[part];
    const int depth = own->levels - 1;
    coarsest c = {.e = &s->equations, .l = &s->level[depth], .part = part};
    c.meet = args->meet ? &args->meet->level[depth] : NULL;
    c.n = own->unknowns;
    c.factor = s->factors + s->first[part];
    c.x = c.factor + c.n * c.n;
    return c;
}

/* The links of a texel, to its blocks with others. */
static void gather_texel(const coarsest *c, const system_panel *own, int i, int j) {
    const grid *g = &own->grid;
    const size_t at = own->first + grid_index(g, i, j);
    for (int q = 0; q <= SYSTEM_LINKS; q++) {
        int column = i + link_across(q), row = j + link_along(q);
        if (column < 0 || column >= g->columns || row >= g->rows) {
            continue;
        }
        int low = coarsest_unknown(own->unknown, g->columns, i, j);
        int high = coarsest_unknown(own->unknown, g->columns, column, row);
        for (int k = 0; k < 9; k++) {
            float *const number = c->l->plane[EQ_east + 6 * q + coarsest_number(k / 3, k % 3)];
            c->factor[(high + k / 3) * c->n + low + k % 3] = (double)number[at];
        }
    }
}

/* ---- couplings ----------------------------------------------------------------------------------
 */

static int unknown_of(const coarsest *c, int panel, uint32_t texel) {
    const system_panel *own = &c->l->table->panels[panel];
    const size_t at = texel - own->first - grid_index(&own->grid, 0, 0);
    const size_t stride = (size_t)own->grid.stride;
    return coarsest_unknown(own->unknown, own->grid.columns, (int)(at % stride),
                            (int)(at / stride));
}

/* A pair of its texels adds to the lower half. */
static void gather_pair(const coarsest *c, int high, int low, double weight, block stiff) {
    for (int k = 0; k < 9; k++) {
        double number = (double)coarsest_from(stiff, k / 3, k % 3);
        c->factor[(high + k / 3) * c->n + low + k % 3] += weight * number;
    }
}

static void gather_coupling(const coarsest *c, int index) {
    const coupling_row *row = &c->l->table->couplings.row[index];
    int unknowns[COUPLED_CORNERS];
    for (int k = 0; k < row->count; k++) {
        unknowns[k] = unknown_of(c, coupling_panel(row, k), row->texels[k]);
    }
    for (int k = 0; k < row->count * row->count; k++) {
        const int one = k / row->count, other = k % row->count;
        const double weight = (double)row->weights[one] * (double)row->weights[other];
        if (unknowns[one] >= unknowns[other]) {
            gather_pair(c, unknowns[one], unknowns[other], weight, c->l->stiffness[index]);
        }
    }
}

/* ---- contacts -----------------------------------------------------------------------------------
 */

/* Between two parts, which are solved one by one, each feels all of a contact as its own. */
static void gather_contact(const coarsest *c, uint32_t row) {
    const meet_level *l = c->meet;
    const coupling_end *ends = &l->ends[2 * (size_t)row];
    const bool here[2] = {c->e->part_of[ends[0].panel] == c->part,
                          c->e->part_of[ends[1].panel] == c->part};
    const uint32_t first = l->first[row], count = l->first[row + 1] - first;
    int unknowns[COUPLED_CORNERS];
    float all = 0.0f;
    for (uint32_t k = 0; k < count; k++) {
        const meet_weight *w = &l->weights[first + k];
        const system_panel *one = &c->l->table->panels[ends[0].panel];
        const bool in_first = w->texel - one->first < one->grid.size;
        const int panel = ends[in_first ? 0 : 1].panel;
        unknowns[k] = here[in_first ? 0 : 1] ? unknown_of(c, panel, w->texel) : -1;
        all += k_abs(w->weight);
    }
    for (uint32_t k = 0; k < count * count; k++) {
        const uint32_t i = k / count, j = k % count;
        const float one = l->weights[first + i].weight, other = l->weights[first + j].weight;
        if (here[0] && here[1] && unknowns[i] >= unknowns[j]) {
            gather_pair(c, unknowns[i], unknowns[j], (double)one * (double)other,
                        l->stiffness[row]);
        } else if (!(here[0] && here[1]) && i == j && unknowns[i] >= 0) {
            gather_pair(c, unknowns[i], unknowns[i], (double)coupling_share(one, all),
                        l->stiffness[row]);
        }
    }
}

/* The lower half of the matrix. */
static void gather(const coarsest *c) {
    memset(c->factor, 0, (size_t)(c->n * c->n) * sizeof *c->factor);
    for (int p = c->e->part[c->part].first; p != NO_PANEL; p = c->e->next[p]) {
        const system_panel *own = &c->l->table->panels[p];
        for (int t = 0; t < (int)grid_texels(&own->grid); t++) {
            gather_texel(c, own, t % own->grid.columns, t / own->grid.columns);
        }
    }
    for (int r = 0; r < c->l->table->couplings.rows; r++) {
        if (c->e->part_of[c->l->table->couplings.row[r].panels[0]] == c->part) {
            gather_coupling(c, r);
        }
    }
    for (uint32_t r = 0; c->meet && r < c->meet->rows; r++) {
        gather_contact(c, r);
    }
}

/* ---- the factor and the solution ----------------------------------------------------------------
 */

/* A row of the matrix less what the unknowns before it take, times the inverses of their pivots:
 * the row of the factor. Of a row of zeros, as of panels that are not tied to each other, nothing
 * is taken. above: the factor's rows of the other half, so that numbers lie in the order in which
 * they are read. Returns what is left of the diagonal. */
static double eliminate(const coarsest *c, double *row, int k) {
    double own = row[k];
    for (int i = 0; i < k; i++) {
        const double *above = c->factor + i * c->n;
        row[i] *= above[i];
        const double here = row[i];
        if (here == 0.0) {
            continue;
        }
        for (int m = i + 1; m < k; m++) {
            row[m] -= here * above[m];
        }
        own -= here * here;
    }
    return own;
}

void newton_factor(const newton_args *args, int part) {
    const coarsest c = coarsest_of(args, part);
    gather(&c);
    for (int k = 0; k < c.n; k++) {
        double *row = c.factor + k * c.n;
        const double begun = row[k];
        row[k] =
            coarsest_root(eliminate(&c, row, k), begun, COARSEST_ROUNDING); /* of the inverse */
        for (int i = 0; i < k; i++) {
            c.factor[i * c.n + k] = row[i];
        }
    }
}

/* Between three planes and the unknowns. */
static void exchange(const coarsest *c, equation_plane first, bool store) {
    for (int p = c->e->part[c->part].first; p != NO_PANEL; p = c->e->next[p]) {
        const system_panel *own = &c->l->table->panels[p];
        for (int k = 0; k < 3 * (int)grid_texels(&own->grid); k++) {
            const int column = k / 3 % own->grid.columns, row = k / 3 / own->grid.columns;
            float *number =
                c->l->plane[(int)first + k % 3] + own->first + grid_index(&own->grid, column, row);
            if (store) {
                *number = (float)c->x[own->unknown + k];
            } else {
                c->x[own->unknown + k] = (double)*number;
            }
        }
    }
}

void newton_exact(const newton_args *args, int part) {
    const coarsest c = coarsest_of(args, part);
    exchange(&c, EQ_residual, false);
    for (int k = 0; k < c.n; k++) {
        const double *above = c.factor + k * c.n;
        c.x[k] *= above[k];
        const double here = c.x[k];
        for (int i = k + 1; i < c.n; i++) {
            c.x[i] -= here * above[i];
        }
    }
    for (int k = c.n - 1; k >= 0; k--) {
        const double *row = c.factor + k * c.n;
        c.x[k] *= row[k];
        const double here = c.x[k];
        for (int i = 0; i < k; i++) {
            c.x[i] -= row[i] * here;
        }
    }
    exchange(&c, EQ_result, true);
}
