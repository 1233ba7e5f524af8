/* Cell by cell: a cell has the edges to the right and up from its texel, its diagonal, and its two
 * triangles. Its parts are compared with the mesh, each keeps the first contact, and tells its
 * corners by how much they would have to end elsewhere. Texels then gather what the parts around
 * them want. So nothing is written twice, and the sums do not depend on threads.
 *
 * Distance is the business of texels. Here, only what would get through is answered, and held off
 * by a part of the distance that texels keep, so that what rests is left alone. */
#include "cpu/edges.h"

#include "cpu/path.h"
#include "cpu/sweep.h"
#include "model/solid_build.h"

/* Of the distance that texels keep: what parts that have met something end at. More than is a
 * contact, or the next substep would begin with one. */
static const float KEEP = 0.25f;

/* The most that a corner does for the whole part, where others cannot. */
static const float MOST_SHARE = 3.0f;

/* No point of a triangle is farther from the nearest corner than this share of the longest edge,
 * here squared; of an edge it is a half. */
static const float REACH_SQUARED = 1.0f / 3.0f;

/* The sine of an angle: an edge of cloth that lies on a face of the mesh but for so much is before
 * it. */
static const float PARALLEL = 0.01f;

enum { CORNERS = 4, EDGES = 3 };

/* Corners of a cell, counter-clockwise from its texel, that its parts have; cells alternate as in
 * the mesh that is drawn (cook/panel.c). */
static const int corners_of[2][CCD_PARTS][3] = {
    {{0, 1, -1}, {0, 3, -1}, {0, 2, -1}, {0, 1, 2}, {0, 2, 3}},
    {{0, 1, -1}, {0, 3, -1}, {1, 3, -1}, {0, 1, 3}, {1, 2, 3}},
};

/* The first contact of a part. */
typedef struct contact {
    bool found;
    float time; /* in substeps */
    int body;
    uint32_t number;       /* half edge of the mesh: of two at the same time the lower counts */
    v3 on;                 /* weights of the part's corners */
    v3 normal;             /* unit, from the mesh to the cloth */
    v3 body_from, body_to; /* m, the point of the mesh at the start and at the end */
} contact;

typedef struct part {
    int count;         /* corners */
    v3 from[3], to[3]; /* m */
    v3 low, high;      /* box around its way and the thickness */
    contact first;
} part;

typedef struct cell {
    const pass_args *args;
    sweep sweep; /* of the body in question */
    int body;
    float thickness, tolerance;
    v3 low, high; /* as of a part, of all of them */
    part parts[CCD_PARTS];
    unsigned mask; /* those there are */
} cell;

/* ---- contacts -----------------------------------------------------------------------------------
 */

/* A part of a face that the cell is compared with: it and its corners, from the one in question on.
 */
typedef struct feature {
    uint32_t face;
    uint32_t k;
    v3 from[3], to[3];
} feature;

static bool is_first(const contact *c, float time, int body, uint32_t number) {
    return !c->found || time < c->time ||
           (time == c->time && (body < c->body || (body == c->body && number < c->number)));
}

static v3 across_from(const cell *c, uint32_t half_edge, float time) {
    uint32_t h = half_edge_next(half_edge_next(half_edge));
    const shape_args *f = c->sweep.shape;
    v3 from = sweep_place(&c->sweep, solid_corner(c->sweep.solid, h, f->from), false);
    v3 to = sweep_place(&c->sweep, solid_corner(c->sweep.solid, h, f->time), true);
    return v3_mix(from, to, time);
}

/* Does a line that passes an edge of the mesh, `normal` away from it, touch the mesh from outside?
 * Seen along that line, both faces are on the other side of the edge, and its normal is between
 * theirs. If one is on this side, the line goes through a face and not past an edge. */
static bool is_outside_edge(const cell *c, const feature *f, uint32_t half_edge, float time,
                            v3 normal) {
    v3 a = v3_mix(f->from[0], f->to[0], time), b = v3_mix(f->from[1], f->to[1], time);
    v3 along = v3_sub(b, a), own = v3_sub(v3_mix(f->from[2], f->to[2], time), a);
    v3 outwards = ccd_unit(v3_cross(along, own));
    bool behind = v3_dot(ccd_unit(own), normal) < PARALLEL;
    uint32_t twin = c->sweep.solid->twins[half_edge];
    if (twin != SOLID_NONE) {
        v3 other = v3_sub(across_from(c, twin, time), a);
        outwards = v3_add(outwards, ccd_unit(v3_cross(other, along)));
        behind = behind && v3_dot(ccd_unit(other), normal) < PARALLEL;
    }
    return behind && v3_dot(outwards, normal) > 0.0f;
}

static v3 point_of(const v3 *corners, int count, v3 on) {
    v3 p = v3_madd(v3_scale(corners[0], on.x), corners[1], on.y);
    return count == 3 ? v3_madd(p, corners[2], on.z) : p;
}

static bool approaches(const part *p, const contact *c) {
    v3 way = v3_sub(point_of(p->to, p->count, c->on), point_of(p->from, p->count, c->on));
    return v3_dot(v3_sub(way, v3_sub(c->body_to, c->body_from)), c->normal) < 0.0f;
}

static bool meets(const part *p, v3 a, v3 b, v3 c, v3 d) {
    return ccd_boxes_meet(p->low, p->high, v3_min(v3_min(a, b), v3_min(c, d)),
                          v3_max(v3_max(a, b), v3_max(c, d)));
}

static void meet_edge(const cell *c, const feature *f, part *p) {
    if (!meets(p, f->from[0], f->from[1], f->to[0], f->to[1])) {
        return;
    }
    uint32_t number = 3 * c->sweep.solid->face_triangle[f->face] + f->k;
    ccd_quad start = ccd_from_edges(p->from[0], p->from[1], f->from[0], f->from[1]);
    ccd_quad end = ccd_from_edges(p->to[0], p->to[1], f->to[0], f->to[1]);
    ccd_hit hit = ccd_first_contact(start, end, c->thickness, c->tolerance);
    if (!hit.found || !is_first(&p->first, hit.time, c->body, number) ||
        !is_outside_edge(c, f, number, hit.time, hit.normal)) {
        return;
    }
    v3 at = ccd_on_edges(ccd_at(start, end, hit.time));
    contact found = {true,
                     hit.time,
                     c->body,
                     number,
                     v3_make(1.0f - at.x, at.x, 0.0f),
                     hit.normal,
                     v3_mix(f->from[0], f->from[1], at.y),
                     v3_mix(f->to[0], f->to[1], at.y)};
    if (approaches(p, &found)) {
        p->first = found;
    }
}

static v3 vertex_normal(const cell *c, const feature *f) {
    const shape_args *s = c->sweep.shape;
    v3 normal = solid_normal(c->sweep.solid, f->face, f->k, s->time);
    return solid_deforms(c->sweep.solid)
               ? normal
               : shape_world_direction(normal, s->axis_x, s->axis_y, s->axis_z);
}

static void meet_vertex(const cell *c, const feature *f, part *p) {
    if (!meets(p, f->from[0], f->to[0], f->from[0], f->to[0])) {
        return;
    }
    uint32_t number = 3 * c->sweep.solid->face_triangle[f->face] + f->k;
    ccd_quad start = ccd_from_triangle(f->from[0], p->from[0], p->from[1], p->from[2]);
    ccd_quad end = ccd_from_triangle(f->to[0], p->to[0], p->to[1], p->to[2]);
    ccd_hit hit = ccd_first_contact(start, end, c->thickness, c->tolerance);
    if (!hit.found || !is_first(&p->first, hit.time, c->body, number) ||
        !(v3_dot(vertex_normal(c, f), hit.normal) < 0.0f)) {
        return;
    }
    contact found = {true,
                     hit.time,
                     c->body,
                     number,
                     ccd_on_triangle(ccd_at(start, end, hit.time)),
                     v3_scale(hit.normal, -1.0f),
                     f->from[0],
                     f->to[0]};
    if (approaches(p, &found)) {
        p->first = found;
    }
}

static void visit_face(void *user, uint32_t face) {
    cell *c = user;
    const unsigned firsts = c->sweep.solid->firsts[face];
    const solid_corners a = sweep_corners(&c->sweep, face, false),
                        b = sweep_corners(&c->sweep, face, true);
    const v3 from[3] = {a.a, a.b, a.c}, to[3] = {b.a, b.b, b.c};
    v3 low = v3_min(v3_min(v3_min(a.a, a.b), v3_min(a.c, b.a)), v3_min(b.b, b.c));
    v3 high = v3_max(v3_max(v3_max(a.a, a.b), v3_max(a.c, b.a)), v3_max(b.b, b.c));
    if (!ccd_boxes_meet(c->low, c->high, low, high)) {
        return;
    }
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t l = (k + 1) % 3, m = (k + 2) % 3;
        const feature f = {face, k, {from[k], from[l], from[m]}, {to[k], to[l], to[m]}};
        for (int i = 0; i < CCD_PARTS; i++) {
            bool edge = i < EDGES;
            unsigned bit = (unsigned)(edge ? SOLID_FIRST_EDGE : SOLID_FIRST_VERTEX) << k;
            if ((c->mask >> i & 1u) && (firsts & bit)) {
                (edge ? meet_edge : meet_vertex)(c, &f, &c->parts[i]);
            }
        }
    }
}

/* ---- cells --------------------------------------------------------------------------------------
 */

static unsigned parts_at(const pass_args *args, size_t k, int column, int row) {
    const grid *g = &args->state->grid;
    const float *coverage = args->state->at.coverage;
    bool here = coverage[k] > 0.0f;
    bool right = column + 1 < g->columns && (here || coverage[k - (size_t)g->stride] > 0.0f);
    bool up = row + 1 < g->rows && (here || coverage[k - 1] > 0.0f);
    return (right ? 1u : 0u) | (up ? 2u : 0u) | (here ? 28u : 0u);
}

/* Those that none of its parts has are its texel. */
static void cell_corners(const grid *g, size_t k, unsigned mask, size_t out[CORNERS]) {
    const size_t up = (size_t)g->stride;
    bool whole = mask & ~3u;
    out[0] = k;
    out[1] = whole || mask & 1u ? k + 1 : k;
    out[2] = whole ? k + 1 + up : k;
    out[3] = whole || mask & 2u ? k + up : k;
}

static float squared(v3 a, v3 b) {
    v3 d = v3_sub(a, b);
    return v3_dot(d, d);
}

static float longer(const ccd_state *s, size_t a, size_t b, float longest) {
    return k_max(longest, k_max(squared(s->from[a], s->from[b]), squared(s->to[a], s->to[b])));
}

/* Has a cell no mesh in reach? Each of its corners is in a ball that has none, and the balls reach
 * over all parts. */
static bool is_free(const ccd_state *s, const size_t c[CORNERS], int parity) {
    float least = k_min(k_min(s->room[c[0]], s->room[c[1]]), k_min(s->room[c[2]], s->room[c[3]]));
    if (!(least > 0.0f)) {
        return false;
    }
    float longest = longer(s, c[parity], c[parity + 2], 0.0f);
    longest = longer(s, c[0], c[1], longer(s, c[1], c[2], longest));
    longest = longer(s, c[2], c[3], longer(s, c[3], c[0], longest));
    return REACH_SQUARED * longest < least * least;
}

/* Texels that have no room are where they must not be, and go with what has caught them: their
 * edges have nothing to tell. */
static unsigned without_caught(const ccd_state *s, const size_t corners[CORNERS], unsigned mask,
                               int parity) {
    for (int i = 0; i < CCD_PARTS; i++) {
        for (int j = 0; j < 3 && corners_of[parity][i][j] >= 0; j++) {
            bool caught = (mask >> i & 1u) && s->clear[corners[corners_of[parity][i][j]]].caught;
            mask &= caught ? ~(1u << i) : ~0u;
        }
    }
    return mask;
}

static void load_part(const ccd_state *s, const size_t corners[CORNERS], const int at[3],
                      float margin, part *p) {
    p->count = at[2] < 0 ? 2 : 3;
    for (int j = 0; j < p->count; j++) {
        p->from[j] = s->from[corners[at[j]]];
        p->to[j] = s->to[corners[at[j]]];
        v3 low = v3_min(p->from[j], p->to[j]), high = v3_max(p->from[j], p->to[j]);
        p->low = j == 0 ? low : v3_min(p->low, low);
        p->high = j == 0 ? high : v3_max(p->high, high);
    }
    p->low = ccd_box_low(p->low, margin);
    p->high = ccd_box_high(p->high, margin);
}

/* m, the most that is a contact with any body. */
static float widest(const pass_args *args) {
    float most = 0.0f;
    for (int b = 0; b < args->plan->body_count; b++) {
        most = k_max(most, path_thickness(args, b) + path_tolerance(args, b));
    }
    return most;
}

/* Compares the cell with all meshes. */
static void search(cell *c, const v3 *from, const v3 *to, int count) {
    for (int b = 0; b < c->args->plan->body_count; b++) {
        const plan_body *body = &c->args->plan->bodies[b];
        if (!body->solid) {
            continue;
        }
        c->body = b;
        c->thickness = path_thickness(c->args, b);
        c->tolerance = path_tolerance(c->args, b);
        c->sweep = sweep_around(body->solid, &body->shape[c->args->parity], from, to, count,
                                c->thickness + c->tolerance, c->args->plan->moment);
        sweep_walk(&c->sweep, visit_face, c);
    }
}

/* ---- pushes -------------------------------------------------------------------------------------
 */

/* What a part that met something does, as a texel at that point would (cpu/ccd.c). If that was of
 * no use before, its corners keep their places relative to the mesh. */
static bool push_of(const pass_args *args, const part *p, const size_t *corners, const int *at,
                    ccd_push *out) {
    const contact *c = &p->first;
    const float on[3] = {c->on.x, c->on.y, c->on.z};
    const float distance = KEEP * path_distance(args, c->body);
    float inertia = 0.0f;
    v3 own = v3_make(0.0f, 0.0f, 0.0f), to = point_of(p->to, p->count, c->on);
    for (int j = 0; j < p->count; j++) {
        size_t k = corners[at[j]];
        inertia += args->state->at.inverse_mass[k] * on[j] * on[j];
        own = v3_madd(own, ccd_way(args, k), on[j]);
    }
    if (!(inertia > 0.0f)) {
        return false;
    }
    v3 body = v3_sub(c->body_to, c->body_from), end, after = body;
    if (args->again) {
        *out = (ccd_push){.way = body, .share = {1.0f, 1.0f, 1.0f}, .rides = true};
        return true;
    }
    if (args->plan->follows) {
        end = ccd_follow(c->body_to, c->normal, distance);
    } else {
        float friction = args->params->contact_friction[c->body];
        float reflection = path_reflection(args, c->body);
        after = ccd_after(own, body, c->normal, friction, reflection);
        end = ccd_slide(v3_sub(to, own), to, c->body_from, c->body_to, c->time, c->normal,
                        c->normal, distance, friction, reflection);
    }
    *out = (ccd_push){.shift = v3_sub(end, to), .way = v3_sub(after, own)};
    for (int j = 0; j < p->count; j++) {
        float share = args->state->at.inverse_mass[corners[at[j]]] * on[j] / inertia;
        out->share[j] = k_min(share, MOST_SHARE);
    }
    return true;
}

static void collide_cell(ccd_state *s, const pass_args *args, size_t k, unsigned mask, int parity,
                         float margin) {
    const grid *g = &args->state->grid;
    size_t corners[CORNERS];
    cell_corners(g, k, mask, corners);
    bool changed =
        s->changed[k] || s->changed[corners[1]] || s->changed[corners[2]] || s->changed[corners[3]];
    if (!changed || is_free(s, corners, parity)) {
        return;
    }
    cell c = {.args = args, .mask = without_caught(s, corners, mask, parity)};
    v3 from[CORNERS], to[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        from[i] = s->from[corners[i]];
        to[i] = s->to[corners[i]];
        v3 low = v3_min(from[i], to[i]), high = v3_max(from[i], to[i]);
        c.low = i == 0 ? low : v3_min(c.low, low);
        c.high = i == 0 ? high : v3_max(c.high, high);
    }
    c.low = ccd_box_low(c.low, margin);
    c.high = ccd_box_high(c.high, margin);
    for (int i = 0; i < CCD_PARTS; i++) {
        if (c.mask >> i & 1u) {
            load_part(s, corners, corners_of[parity][i], margin, &c.parts[i]);
        }
    }
    if (c.mask) {
        search(&c, from, to, CORNERS);
    }
    for (int i = 0; i < CCD_PARTS; i++) {
        ccd_push *push = &s->pushes[CCD_PARTS * k + (size_t)i];
        if (c.parts[i].first.found &&
            push_of(args, &c.parts[i], corners, corners_of[parity][i], push)) {
            s->met[k] |= (uint8_t)(1u << i);
        }
    }
}

void edges_rows(ccd_state *s, const pass_args *args, int row_begin, int row_end) {
    const grid *g = &args->state->grid;
    const float margin = widest(args);
    for (int row = row_begin; row < row_end; row++) {
        bool changed = s->row_changed[row] || s->row_changed[row + 1];
        if (!changed && !s->row_met[row]) {
            continue;
        }
        s->row_met[row] = false;
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            unsigned mask = parts_at(args, k, column, row);
            s->met[k] = 0;
            if (mask && changed) {
                collide_cell(s, args, k, mask, (column + row) % 2, margin);
                s->row_met[row] = s->row_met[row] || s->met[k];
            }
        }
    }
}

/* One after the other: what a push finds done by those before it is not done again. Of two that are
 * against each other, each gets half. */
static v3 add_push(v3 sum, v3 push) {
    float size = k_sqrt(v3_dot(push, push));
    if (!(size > 0.0f)) {
        return sum;
    }
    v3 along = v3_scale(push, 1.0f / size);
    float done = v3_dot(sum, along), left = k_max(size - done, 0.0f);
    return v3_madd(sum, along, done < 0.0f ? 0.5f * left : left);
}

/* Adds a push to what a texel is to do. Returns whether that is all: it rides. */
static bool take(const ccd_push *push, float share, v3 stay, v3 own, v3 *shift, v3 *way) {
    if (push->rides) {
        *shift = v3_add(stay, push->way);
        *way = v3_sub(push->way, own);
        return true;
    }
    *shift = add_push(*shift, v3_scale(push->shift, share));
    *way = add_push(*way, v3_scale(push->way, share));
    return false;
}

bool edges_gather(const ccd_state *s, const pass_args *args, int column, int row, v3 *shift,
                  v3 *way) {
    /* The cells around a texel, by which of their corners it is. */
    static const int left[CORNERS] = {0, 1, 1, 0}, down[CORNERS] = {0, 0, 1, 1};
    const grid *g = &args->state->grid;
    const size_t texel = grid_index(g, column, row);
    const v3 stay = v3_sub(s->from[texel], s->to[texel]), own = ccd_way(args, texel);
    bool any = false;
    *shift = *way = v3_make(0.0f, 0.0f, 0.0f);
    for (int corner = 0; corner < CORNERS; corner++) {
        int i = column - left[corner], j = row - down[corner];
        size_t k = grid_index(g, i, j);
        for (size_t n = 0; s->met[k] >> n; n++) {
            const ccd_push *push = &s->pushes[CCD_PARTS * k + n];
            const int *at = corners_of[(i + j) & 1][n];
            for (int c = 0; (s->met[k] >> n & 1) && c < 3; c++) {
                if (at[c] == corner && push->share[c] > 0.0f) {
                    any = true;
                    if (take(push, push->share[c], stay, own, shift, way)) {
                        return true;
                    }
                }
            }
        }
    }
    return any;
}
