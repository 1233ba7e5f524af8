/* Cloth in pieces that are tied together, for tests of ties. */
#ifndef TOILE_TEST_PATCHWORK_H
#define TOILE_TEST_PATCHWORK_H

#include "kernel/vec.h"
#include "truths.h"

static inline toile_world_def newton_def(void) {
    toile_world_def def = toile_default_world_def();
    def.solver.self_collision = false;
    def.solver.sleep = false;
    def.threads = 1;
    return def;
}

static inline toile_world_def film_def(void) {
    toile_world_def def = newton_def();
    def.solver.quality = TOILE_QUALITY_FILM;
    return def;
}

/* Iterations go on until none moves a texel by more than this. */
static inline toile_world_def converged_def(float tolerance) {
    toile_world_def def = newton_def();
    def.solver.tolerance = tolerance;
    return def;
}

/* ---- patchwork ----------------------------------------------------------------------------------
 *
 * A sheet that lies flat around the origin, u along x and v along -z, in pieces with grids of their
 * own. */

typedef struct piece {
    float u, v, end_u, end_v, spacing; /* m, on the sheet */
} piece;

typedef struct sheet {
    const piece *pieces;
    int count;
    float size[2];
    toile_cloth_id cloths[8];
} sheet;

static inline void lay_piece(toile_world *world, sheet *s, int index) {
    const piece *p = &s->pieces[index];
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = p->end_u - p->u;
    def.size[1] = p->end_v - p->v;
    def.spacing = p->spacing;
    def.transform.rotate[0] = -90.0f;
    def.transform.translate[0] = 0.5f * (p->u + p->end_u - s->size[0]);
    def.transform.translate[2] = -0.5f * (p->v + p->end_v - s->size[1]);
    s->cloths[index] = add_cloth(world, &def);
}

static inline toile_tie_id add_tie(toile_world *world, const toile_tie_def *def) {
    toile_tie_id tie = toile_world_add_tie(world, def);
    if (tie.slot == 0) {
        fail_msg("add_tie: %s", toile_error_message());
    }
    return tie;
}

/* Along a line of the sheet. */
static inline void sew(toile_world *world, const sheet *s, int one, int other,
                       const float line[4]) {
    float points[2][4];
    toile_tie_def tie = toile_default_tie_def();
    for (int r = 0; r < 2; r++) {
        const piece *p = &s->pieces[r ? other : one];
        for (int k = 0; k < 4; k++) {
            points[r][k] = line[k] - (k % 2 ? p->v : p->u);
        }
        tie.runs[r] = (toile_tie_run){s->cloths[r ? other : one], points[r], 2};
    }
    add_tie(world, &tie);
}

/* Pieces that have more than a corner in common. */
static inline void sew_neighbours(toile_world *world, const sheet *s, int one, int other) {
    const piece *a = &s->pieces[one], *b = &s->pieces[other];
    const float line[4] = {fmaxf(a->u, b->u), fmaxf(a->v, b->v), fminf(a->end_u, b->end_u),
                           fminf(a->end_v, b->end_v)};
    const float wide = line[2] - line[0], high = line[3] - line[1];
    if (wide >= 0.0f && high >= 0.0f && wide + high > 0.0f) {
        sew(world, s, one, other, line);
    }
}

static inline sheet lay_sheet(toile_world *world, const piece *pieces, int count, float u,
                              float v) {
    sheet s = {.pieces = pieces, .count = count, .size = {u, v}};
    for (int i = 0; i < count; i++) {
        lay_piece(world, &s, i);
        for (int before = 0; before < i; before++) {
            sew_neighbours(world, &s, before, i);
        }
    }
    return s;
}

/* The place of a point of the sheet, between the texels around it. */
static inline v3 sheet_place(toile_world *world, const sheet *s, float u, float v) {
    int index = 0;
    while (u > s->pieces[index].end_u || v > s->pieces[index].end_v || u < s->pieces[index].u ||
           v < s->pieces[index].v) {
        index++;
    }
    const piece *p = &s->pieces[index];
    const toile_cloth_info info = toile_cloth_get_info(world, s->cloths[index]);
    float *x = texel_positions(world, s->cloths[index]);
    float across = (u - p->u) / p->spacing, along = (v - p->v) / p->spacing;
    int column = (int)fminf(across, (float)info.columns - 2.0f);
    int row = (int)fminf(along, (float)info.rows - 2.0f);
    across -= (float)column;
    along -= (float)row;
    v3 place = v3_make(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 4; k++) {
        const float *corner = x + 3 * ((row + k / 2) * info.columns + column + k % 2);
        float weight = (k % 2 ? across : 1.0f - across) * (k / 2 ? along : 1.0f - along);
        place = v3_madd(place, v3_make(corner[0], corner[1], corner[2]), weight);
    }
    free(x);
    return place;
}

static inline void hang_by_corners(toile_world *world, const sheet *s) {
    for (int i = 0; i < s->count; i++) {
        if (s->pieces[i].end_v == 1.0f && s->pieces[i].u == 0.0f) {
            pin_corner(world, s->cloths[i], TOILE_CORNER_TOP_LEFT);
        }
        if (s->pieces[i].end_v == 1.0f && s->pieces[i].end_u == 1.0f) {
            pin_corner(world, s->cloths[i], TOILE_CORNER_TOP_RIGHT);
        }
    }
}

#endif
