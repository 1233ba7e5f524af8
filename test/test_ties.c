/* Ties and soft pins: cloth that is cut and tied again does what it did, at about the same cost;
 * springs take no momentum and give no energy; and what is not tied does not know of it. */
#include <stdio.h>

#include "kernel/vec.h"
#include "truths.h"

static toile_world_def newton_def(void) {
    toile_world_def def = toile_default_world_def();
    def.solver.newton = true;
    def.solver.self_collision = false;
    def.threads = 1;
    return def;
}

/* Iterations go on until none moves a texel by more than this. */
static toile_world_def converged_def(float tolerance) {
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

static void lay_piece(toile_world *world, sheet *s, int index) {
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

static toile_tie_id add_tie(toile_world *world, const toile_tie_def *def) {
    toile_tie_id tie = toile_world_add_tie(world, def);
    if (tie.slot == 0) {
        fail_msg("add_tie: %s", toile_error_message());
    }
    return tie;
}

/* Along a line of the sheet. */
static void sew(toile_world *world, const sheet *s, int one, int other, const float line[4]) {
    float points[2][4];
    toile_tie_def tie = toile_default_tie_def();
    tie.bend = true;
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
static void sew_neighbours(toile_world *world, const sheet *s, int one, int other) {
    const piece *a = &s->pieces[one], *b = &s->pieces[other];
    const float line[4] = {fmaxf(a->u, b->u), fmaxf(a->v, b->v), fminf(a->end_u, b->end_u),
                           fminf(a->end_v, b->end_v)};
    const float wide = line[2] - line[0], high = line[3] - line[1];
    if (wide >= 0.0f && high >= 0.0f && wide + high > 0.0f) {
        sew(world, s, one, other, line);
    }
}

static sheet lay_sheet(toile_world *world, const piece *pieces, int count, float u, float v) {
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
static v3 sheet_place(toile_world *world, const sheet *s, float u, float v) {
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

/* ---- a strip ------------------------------------------------------------------------------------
 */

static const float LENGTH = 0.6f, WIDTH = 0.1f;
static const piece whole_strip[1] = {{0.0f, 0.0f, 0.1f, 0.6f, 0.01f}};
/* 0.29 m are 22.3 of the other spacing: the last row of cells is wider. */
static const piece cut_strip[2] = {{0.0f, 0.0f, 0.1f, 0.29f, 0.013f},
                                   {0.0f, 0.29f, 0.1f, 0.6f, 0.01f}};

typedef struct strip_world {
    toile_world *world;
    sheet sheet;
} strip_world;

static strip_world make_strip(bool cut, toile_edge held) {
    const toile_world_def def = converged_def(1e-5f);
    strip_world s = {.world = make_world(&def)};
    s.sheet = lay_sheet(s.world, cut ? cut_strip : whole_strip, cut ? 2 : 1, WIDTH, LENGTH);
    pin_edge(s.world, s.sheet.cloths[s.sheet.count - 1], held);
    return s;
}

/* The middle of the lower edge after it swung down for a time. */
static v3 strip_end(bool cut, double seconds) {
    strip_world s = make_strip(cut, TOILE_EDGE_TOP);
    run_seconds(s.world, seconds);
    v3 end = sheet_place(s.world, &s.sheet, 0.5f * WIDTH, 0.0f);
    toile_world_destroy(s.world);
    return end;
}

static void test_cut_strip_ends_where_the_whole_one_does(void **state) {
    (void)state;
    for (int k = 1; k <= 2; k++) {
        v3 whole = strip_end(false, 0.2 * k), cut = strip_end(true, 0.2 * k);
        v3 apart = v3_sub(whole, cut);
        print_message("%.1f s: whole %.4f %.4f m, cut %.4f %.4f m\n", 0.2 * k, (double)whole.y,
                      (double)whole.z, (double)cut.y, (double)cut.z);
        assert_below(sqrt((double)v3_dot(apart, apart)), 0.02 * (double)LENGTH);
    }
}

/* Swings of a strip that was let go from the horizontal: the mean time from one passage of its end
 * below the edge that holds it to the next but one. */
static double strip_period(bool cut) {
    strip_world s = make_strip(cut, TOILE_EDGE_TOP);
    const float axis = -0.5f * LENGTH;
    double first = 0.0, last = 0.0, before = 1.0;
    int passages = 0;
    while (toile_world_time(s.world) < 3.0) {
        run_steps(s.world, 1, 1.0f / 60.0f);
        const double now = (double)(sheet_place(s.world, &s.sheet, 0.5f * WIDTH, 0.0f).z - axis);
        if ((now < 0.0) != (before < 0.0)) {
            last = toile_world_time(s.world) - now / (now - before) / 60.0;
            first = passages == 0 ? last : first;
            passages++;
        }
        before = now;
    }
    toile_world_destroy(s.world);
    assert_true(passages >= 3);
    return 2.0 * (last - first) / (passages - 1);
}

static void test_cut_strip_swings_as_the_whole_one(void **state) {
    (void)state;
    const double whole = strip_period(false), cut = strip_period(true);
    print_message("whole %.5f s, cut %.5f s\n", whole, cut);
    assert_near(cut, whole, 0.02 * whole);
}

/* How far a strip hangs down between its ends, which come nearer. */
static double strip_sag(bool cut) {
    const toile_world_def def = converged_def(1e-5f);
    toile_world *world = make_world(&def);
    sheet s = lay_sheet(world, cut ? cut_strip : whole_strip, cut ? 2 : 1, WIDTH, LENGTH);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_BOTTOM;
    pin_and_gather(world, s.cloths[0], pin, 0.0f, -0.04f);
    pin.edge = TOILE_EDGE_TOP;
    pin_and_gather(world, s.cloths[s.count - 1], pin, 0.0f, 0.04f);
    run_seconds(world, 3.0);
    double lowest = 0.0;
    for (int i = 0; i < s.count; i++) {
        lowest = fmin(lowest, measure(world, s.cloths[i]).lowest);
    }
    toile_world_destroy(world);
    return -lowest;
}

static void test_cut_strip_sags_as_the_whole_one(void **state) {
    (void)state;
    const double whole = strip_sag(false), cut = strip_sag(true);
    print_message("whole %.5f m, cut %.5f m\n", whole, cut);
    assert_near(cut, whole, 0.02 * whole);
}

/* ---- a square -----------------------------------------------------------------------------------
 */

static void hang_by_corners(toile_world *world, const sheet *s) {
    for (int i = 0; i < s->count; i++) {
        if (s->pieces[i].end_v == 1.0f && s->pieces[i].u == 0.0f) {
            pin_corner(world, s->cloths[i], TOILE_CORNER_TOP_LEFT);
        }
        if (s->pieces[i].end_v == 1.0f && s->pieces[i].end_u == 1.0f) {
            pin_corner(world, s->cloths[i], TOILE_CORNER_TOP_RIGHT);
        }
    }
}

/* The middle of the lower edge of a square metre after half a second, at default settings. */
static v3 swung(const piece *pieces, int count) {
    const toile_world_def def = newton_def();
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, count, 1.0f, 1.0f);
    hang_by_corners(world, &s);
    run_seconds(world, 0.5);
    v3 middle = sheet_place(world, &s, 0.5f, 0.0f);
    toile_world_destroy(world);
    return middle;
}

static void test_cut_square_swings_as_the_whole_one(void **state) {
    (void)state;
    const piece whole[1] = {{0.0f, 0.0f, 1.0f, 1.0f, 0.025f}};
    const piece cut[2] = {{0.0f, 0.0f, 0.5f, 1.0f, 0.025f}, {0.5f, 0.0f, 1.0f, 1.0f, 0.02f}};
    const v3 one = swung(whole, 1), two = swung(cut, 2), apart = v3_sub(one, two);
    print_message("whole %.4f %.4f m, cut %.4f %.4f m\n", (double)one.y, (double)one.z,
                  (double)two.y, (double)two.z);
    assert_below(sqrt((double)v3_dot(apart, apart)), 0.02);
}

/* ---- iterations ---------------------------------------------------------------------------------
 */

/* The mean number of iterations of conjugate gradients in a substep, while the world goes on for
 * half a second. Steps that end at the most iterations say nothing about what is needed. */
static double gradients_of(toile_world *world) {
    double sum = 0.0;
    int substeps = 0, steps = 0;
    for (int step = 0; step < 30; step++) {
        run_steps(world, 1, 1.0f / 60.0f);
        const toile_solver_info info = toile_world_get_solver_info(world);
        sum += info.converged ? info.gradients : 0;
        substeps += info.converged ? info.substeps : 0;
        steps += info.converged;
    }
    assert_true(steps >= 28);
    toile_world_destroy(world);
    return sum / substeps;
}

/* A square metre that swings by two corners, in pieces. */
static double patchwork_gradients(const piece *pieces, int count) {
    const toile_world_def def = converged_def(1e-5f);
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, count, 1.0f, 1.0f);
    hang_by_corners(world, &s);
    return gradients_of(world);
}

static const float FINE = 1.0f / 40.0f;

static void test_two_panels_take_as_many_iterations(void **state) {
    (void)state;
    const piece whole[1] = {{0.0f, 0.0f, 1.0f, 1.0f, FINE}};
    const piece upright[2] = {{0.0f, 0.0f, 0.47f, 1.0f, FINE},
                              {0.47f, 0.0f, 1.0f, 1.0f, 1.15f * FINE}};
    const piece across[2] = {{0.0f, 0.0f, 1.0f, 0.47f, 1.15f * FINE},
                             {0.0f, 0.47f, 1.0f, 1.0f, FINE}};
    const double one = patchwork_gradients(whole, 1);
    const double two = patchwork_gradients(upright, 2), other = patchwork_gradients(across, 2);
    print_message("whole %.1f, cut upright %.1f, across %.1f\n", one, two, other);
    assert_below(two, 1.3 * one);
    assert_below(other, 1.3 * one);
}

static void test_eight_panels_take_few_more_iterations(void **state) {
    (void)state;
    const piece whole[1] = {{0.0f, 0.0f, 1.0f, 1.0f, FINE}};
    piece pieces[8];
    for (int i = 0; i < 8; i++) {
        const float u = 0.25f * (float)(i % 4), v = 0.5f * (float)(i / 4);
        pieces[i] = (piece){u, v, u + 0.25f, v + 0.5f, FINE * (1.0f + 0.07f * (float)(i % 3))};
    }
    const double one = patchwork_gradients(whole, 1), eight = patchwork_gradients(pieces, 8);
    print_message("whole %.1f, in eight %.1f\n", one, eight);
    assert_below(eight, 1.6 * one);
}

/* A square metre, rolled up along u, which swings by two points of one end; tied to a tube, or not:
 * the motion of what is rolled is harder to solve than that of what is flat, seam or none. */
static double rolled_gradients(bool tied) {
    const toile_world_def def = converged_def(1e-5f);
    toile_world *world = make_world(&def);
    const int n = 33;
    toile_cloth_def flat = lying_def(n, 0.0f);
    const toile_cloth_id cloth = add_cloth(world, &flat);
    const float sides[2][4] = {{0.0f, 0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 1.0f, 1.0f}};
    float *x = texel_positions(world, cloth);
    for (int t = 0; t < n * n; t++) {
        const float angle = 6.2831853f * (x[3 * t] + 0.5f), radius = 1.0f / 6.2831853f;
        x[3 * t] = radius * sinf(angle);
        x[3 * t + 1] = radius * cosf(angle);
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, (size_t)(n * n)));
    free(x);
    for (int k = 0; k < 2; k++) {
        toile_pin_def pin = toile_default_pin_def();
        pin.kind = TOILE_PIN_POINT;
        pin.point[0] = 0.25f + 0.5f * (float)k;
        pin.point[1] = 1.0f;
        add_pin(world, cloth, &pin);
    }
    toile_tie_def tie = toile_default_tie_def();
    tie.bend = true;
    for (int r = 0; r < 2; r++) {
        tie.runs[r] = (toile_tie_run){cloth, sides[r], 2};
    }
    if (tied) {
        add_tie(world, &tie);
    }
    return gradients_of(world);
}

static void test_tube_takes_at_most_twice_as_many_iterations(void **state) {
    (void)state;
    const double rolled = rolled_gradients(false), tube = rolled_gradients(true);
    print_message("rolled %.1f, tube %.1f\n", rolled, tube);
    assert_below(tube, 2.0 * rolled);
}

/* ---- laws ---------------------------------------------------------------------------------------
 */

/* Two cloths of 0.3 m side by side, a gap between them, tied along it. */
typedef struct pair {
    toile_world *world;
    toile_cloth_id cloths[2];
    toile_tie_id tie;
} pair;

static toile_tie_def pair_tie(const pair *p) {
    static const float left[4] = {0.3f, 0.0f, 0.3f, 0.3f}, right[4] = {0.0f, 0.0f, 0.0f, 0.3f};
    toile_tie_def tie = toile_default_tie_def();
    tie.runs[0] = (toile_tie_run){p->cloths[0], left, 2};
    tie.runs[1] = (toile_tie_run){p->cloths[1], right, 2};
    return tie;
}

static pair make_pair(const toile_world_def *def, float gap) {
    pair p = {.world = make_world(def)};
    for (int k = 0; k < 2; k++) {
        toile_cloth_def cloth = toile_default_cloth_def();
        cloth.size[0] = cloth.size[1] = 0.3f;
        cloth.spacing = k ? 0.02f : 0.025f;
        cloth.transform.rotate[0] = -90.0f;
        cloth.transform.translate[0] = (k ? 0.5f : -0.5f) * (0.3f + gap);
        p.cloths[k] = add_cloth(p.world, &cloth);
    }
    return p;
}

/* Of rectangles whose sizes are multiples of their spacings. */
static double texel_mass(const toile_cloth_info *info, int t) {
    const int i = t % info->columns, j = t / info->columns;
    const double cells = (info->columns - 1) * (info->rows - 1);
    return info->mass / cells * (i == 0 || i == info->columns - 1 ? 0.5 : 1.0) *
           (j == 0 || j == info->rows - 1 ? 0.5 : 1.0);
}

static void add_momentum(toile_world *world, toile_cloth_id cloth, double sum[3]) {
    const toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float *v = malloc(3 * info.texels * sizeof *v);
    assert_non_null(v);
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, v, info.texels));
    for (int t = 0; t < 3 * (int)info.texels; t++) {
        sum[t % 3] += texel_mass(&info, t / 3) * (double)v[t];
    }
    free(v);
}

/* Cloths that are 2 cm apart fly towards each other: none of their momentum is lost. */
static void test_ties_take_no_momentum(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.gravity[1] = 0.0f;
    def.solver.damping = 0.0f;
    pair p = make_pair(&def, 0.02f);
    const toile_tie_def tie = pair_tie(&p);
    p.tie = add_tie(p.world, &tie);
    set_motion(p.world, p.cloths[0], (motion_of){.velocity = {0.5, 0.2, -0.1}});
    double before[3] = {0.0}, after[3] = {0.0};
    add_momentum(p.world, p.cloths[0], before);
    run_seconds(p.world, 1.0);
    for (int k = 0; k < 2; k++) {
        add_momentum(p.world, p.cloths[k], after);
    }
    double other[3] = {0.0};
    add_momentum(p.world, p.cloths[1], other);
    print_message("momentum %.6f of %.6f kg m/s, %.6f of it the second cloth's\n", after[0],
                  before[0], other[0]);
    for (int k = 0; k < 3; k++) {
        assert_near(after[k], before[k], 1e-4 * before[0]);
    }
    assert_true(other[0] > 0.3 * before[0]);
    toile_world_destroy(p.world);
}

/* J, of both cloths and of springs of so many N/m between them. */
static double pair_energy(const pair *p, double stiffness, double gap) {
    double sum = 0.5 * stiffness * gap * gap;
    for (int k = 0; k < 2; k++) {
        const toile_metrics m = measure(p->world, p->cloths[k]);
        sum += m.kinetic_energy + m.potential_energy + m.elastic_energy;
    }
    return sum;
}

/* All springs of the tie are as long here but for what cloths stretch: the mean serves. */
static void test_ties_give_no_energy(void **state) {
    (void)state;
    enum { STIFF = 50 };
    toile_world_def def = newton_def();
    def.gravity[1] = 0.0f;
    def.solver.damping = 0.0f;
    pair p = make_pair(&def, 0.05f);
    toile_tie_def tie = pair_tie(&p);
    tie.stiffness = STIFF;
    p.tie = add_tie(p.world, &tie);
    double least = pair_energy(&p, STIFF, toile_tie_get_info(p.world, p.tie).mean_gap);
    const double first = least;
    for (int step = 0; step < 60; step++) {
        run_steps(p.world, 1, 1.0f / 60.0f);
        const double now = pair_energy(&p, STIFF, toile_tie_get_info(p.world, p.tie).mean_gap);
        assert_below(now, least + 1e-3 * first);
        least = fmin(least, now);
    }
    print_message("%.5f J, %.5f J after a second\n", first, least);
    toile_world_destroy(p.world);
}

/* The stiffness of a seam follows the cloth from substep to substep: that gives none either. A
 * strip swings without air, and what it has never exceeds what it had. */
static void test_seams_give_no_energy(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.solver.damping = 0.0f;
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, cut_strip, 2, WIDTH, LENGTH);
    pin_edge(world, s.cloths[1], TOILE_EDGE_TOP);
    double first = 0.0, least = 0.0, weight = 0.0;
    for (int step = 0; step <= 360; step++) {
        double now = 0.0;
        for (int i = 0; i < 2; i++) {
            const toile_metrics m = measure(world, s.cloths[i]);
            now += m.kinetic_energy + m.potential_energy + m.elastic_energy;
            weight += step == 0 ? 9.81 * toile_cloth_get_info(world, s.cloths[i]).mass : 0.0;
        }
        first = step == 0 ? now : first;
        least = step == 0 ? now : fmin(least, now);
        assert_below(now, least + 1e-3 * weight * (double)LENGTH);
        run_steps(world, 1, 1.0f / 60.0f);
    }
    print_message("lost %.4f J in 6 s, of a weight times length of %.4f J\n", first - least,
                  weight * (double)LENGTH);
    toile_world_destroy(world);
}

/* ---- ties that come and go ----------------------------------------------------------------------
 */

/* One of two cloths is held and carries the other one, until the tie lets go. */
static void test_tie_lets_go_at_its_time(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    toile_tie_def tie = pair_tie(&p);
    tie.until = 0.5f;
    p.tie = add_tie(p.world, &tie);
    pin_edge(p.world, p.cloths[0], TOILE_EDGE_LEFT);
    run_seconds(p.world, 0.5);
    const toile_tie_info held = toile_tie_get_info(p.world, p.tie);
    assert_false(held.holds);
    assert_below(held.max_gap, 1e-3);
    run_steps(p.world, 6, 1.0f / 60.0f);
    assert_true(toile_tie_get_info(p.world, p.tie).mean_gap > 0.02);
    run_seconds(p.world, 1.4);
    assert_true(toile_tie_get_info(p.world, p.tie).mean_gap > 5.0);
    toile_world_remove_tie(p.world, p.tie);
    assert_int_equal(toile_world_get_ties(p.world, NULL, 0), 0);
    run_steps(p.world, 1, 1.0f / 60.0f);
    toile_world_destroy(p.world);
}

/* Texels of both sides would keep a spacing apart; and triangles of one lie in the other by the
 * gap, which does not count as cutting. */
static void test_self_collision_leaves_ties_alone(void **state) {
    (void)state;
    static const piece pieces[2] = {{0.0f, 0.0f, 0.5f, 1.0f, 0.025f},
                                    {0.5f, 0.0f, 1.0f, 1.0f, 0.02f}};
    toile_world_def def = newton_def();
    def.solver.self_collision = true;
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, 2, 1.0f, 1.0f);
    hang_by_corners(world, &s);
    uint64_t cuts = 0;
    for (int step = 0; step < 20; step++) {
        run_steps(world, 1, 1.0f / 60.0f);
        cuts += measure(world, (toile_cloth_id){0}).cloth_intersections;
    }
    toile_tie_id tie;
    assert_int_equal(toile_world_get_ties(world, &tie, 1), 1);
    const double gap = toile_tie_get_info(world, tie).mean_gap;
    print_message("mean gap %.1f um\n", 1e6 * gap);
    assert_below(gap, 1e-4);
    assert_int_equal(cuts, 0);
    toile_world_destroy(world);
}

static void test_ties_go_with_their_cloth(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    const toile_tie_def tie = pair_tie(&p);
    p.tie = add_tie(p.world, &tie);
    run_steps(p.world, 1, 1.0f / 60.0f);
    toile_world_remove_cloth(p.world, p.cloths[0]);
    assert_int_equal(toile_world_get_ties(p.world, NULL, 0), 0);
    run_steps(p.world, 1, 1.0f / 60.0f);
    toile_world_destroy(p.world);
}

/* ---- soft pins ----------------------------------------------------------------------------------
 */

static toile_pin_def soft_edge(float stiffness) {
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_TOP;
    pin.stiffness = stiffness;
    return pin;
}

/* The pin gives way by m g / k, however many texels it holds. */
static void test_soft_pin_gives_way_by_the_weight(void **state) {
    (void)state;
    for (int n = 11; n <= 21; n += 10) {
        toile_world_def def = newton_def();
        def.solver.damping = 4.0f;
        toile_world *world = make_world(&def);
        const toile_cloth_def hanging = square_def(n);
        const toile_cloth_id cloth = add_cloth(world, &hanging);
        const double mass = toile_cloth_get_info(world, cloth).mass;
        const toile_pin_def pin = soft_edge(40.0f);
        add_pin(world, cloth, &pin);
        run_seconds(world, 6.0);
        float *x = texel_positions(world, cloth);
        double depth = 0.0;
        for (int i = 0; i < n; i++) {
            depth += (0.5 - (double)x[3 * (n * (n - 1) + i) + 1]) / n;
        }
        free(x);
        print_message("%d texels: %.5f m, expected %.5f m\n", n, depth, mass * 9.81 / 40.0);
        assert_near(depth, mass * 9.81 / 40.0, 0.01 * mass * 9.81 / 40.0);
        toile_world_destroy(world);
    }
}

/* A ring on a rail: it holds in height and across, and cloth that is let go slides along it. A pin
 * that moves takes the cloth along. */
static void test_soft_pin_holds_along_its_direction(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.solver.damping = 0.0f;
    toile_world *world = make_world(&def);
    const toile_cloth_def hanging = square_def(11);
    const toile_cloth_id cloth = add_cloth(world, &hanging);
    const toile_keyframe keys[2] = {{.time = 0.0f},
                                    {.time = 1.0f, .translate = {0.0f, 0.2f, 0.0f}}};
    toile_pin_def pin = soft_edge(2000.0f);
    pin.along[1] = 2.0f;
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
    set_motion(world, cloth, (motion_of){.velocity = {0.4, 0.0, 0.0}});
    run_seconds(world, 1.5);
    float *x = texel_positions(world, cloth);
    const float *middle = x + 3 * (11 * 10 + 5);
    print_message("the middle of the edge is at %.4f %.4f m\n", (double)middle[0],
                  (double)middle[1]);
    assert_near((double)middle[0], 0.6, 0.01);
    assert_near((double)middle[1], 0.7, 0.01);
    free(x);
    toile_world_destroy(world);
}

/* ---- the same bits ------------------------------------------------------------------------------
 */

/* A patchwork that is large enough for levels that threads share, on a soft pin, over a ball. */
static toile_world *make_mixed(int threads) {
    static const piece pieces[2] = {{0.0f, 0.0f, 0.47f, 1.0f, 0.014f},
                                    {0.47f, 0.0f, 1.0f, 1.0f, 0.0125f}};
    toile_world_def def = newton_def();
    def.threads = threads;
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, 2, 1.0f, 1.0f);
    const toile_pin_def pin = soft_edge(200.0f);
    add_pin(world, s.cloths[0], &pin);
    pin_corner(world, s.cloths[1], TOILE_CORNER_TOP_RIGHT);
    add_ball(world, -0.5f, 0.25f);
    return world;
}

static void test_threads_give_the_same_bits(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int k = 0; k < 3; k++) {
        toile_world *world = make_mixed(k + 1);
        run_steps(world, 20, 1.0f / 60.0f);
        hashes[k] = toile_world_hash(world);
        toile_world_destroy(world);
    }
    assert_same_hash(hashes[1], hashes[0], "two threads");
    assert_same_hash(hashes[2], hashes[0], "three threads");
}

static void test_tied_worlds_resume(void **state) {
    (void)state;
    assert_resumes(make_mixed, 3, 3);
}

/* A cloth beside two that are tied does what it does alone. */
static void test_ties_do_not_reach_others(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    const toile_cloth_def sheet_def = lying_def(21, 1.0f);
    toile_world *alone = make_world(&def);
    const toile_cloth_id only = add_cloth(alone, &sheet_def);
    pin_corner(alone, only, TOILE_CORNER_TOP_LEFT);
    pair p = make_pair(&def, 0.0f);
    const toile_tie_def tie = pair_tie(&p);
    p.tie = add_tie(p.world, &tie);
    const toile_cloth_id third = add_cloth(p.world, &sheet_def);
    pin_corner(p.world, third, TOILE_CORNER_TOP_LEFT);
    run_steps(alone, 20, 1.0f / 60.0f);
    run_steps(p.world, 20, 1.0f / 60.0f);
    float *a = texel_positions(alone, only), *b = texel_positions(p.world, third);
    assert_memory_equal(a, b, sizeof(float) * 3 * 21 * 21);
    free(a);
    free(b);
    toile_world_destroy(alone);
    toile_world_destroy(p.world);
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static void assert_tie_refused(const pair *p, const toile_tie_def *tie, const char *part) {
    const uint64_t before = toile_world_hash(p->world);
    assert_int_equal(toile_world_add_tie(p->world, tie).slot, 0);
    assert_message(part);
    assert_int_equal(toile_world_get_ties(p->world, NULL, 0), 0);
    assert_same_hash(toile_world_hash(p->world), before, "refused");
}

static void test_bad_ties_are_refused(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    static const float outside[2] = {0.31f, 0.1f}, inside[4] = {0.1f, 0.1f, 0.2f, 0.1f};
    const toile_tie_def good = pair_tie(&p);
    toile_tie_def tie = good;
    tie.runs[1].points = outside;
    tie.runs[1].point_count = 1;
    assert_tie_refused(&p, &tie, "tie run 1, point 0: (0.31");
    tie = good;
    tie.runs[0].point_count = 0;
    assert_tie_refused(&p, &tie, "tie run 0 has 0 points: expected 1 to 10000");
    tie = good;
    tie.count = -1;
    assert_tie_refused(&p, &tie, "tie count is -1: expected 0 to 100000");
    tie = good;
    tie.stiffness = NAN;
    assert_tie_refused(&p, &tie, "tie stiffness is nan: expected 0 to 1e+09 N/m");
    tie = good;
    tie.along[2] = INFINITY;
    assert_tie_refused(&p, &tie, "tie along is (0, 0, inf): expected a direction");
    tie = good;
    tie.until = -1.0f;
    assert_tie_refused(&p, &tie, "tie until is -1: expected 0 s or more");
    tie = good;
    tie.bend = true;
    tie.runs[1].points = inside;
    assert_tie_refused(&p, &tie, "tie bend: run 1 has cloth on both sides");
    toile_world_destroy(p.world);
}

static void test_other_solvers_refuse_ties(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.solver.newton = false;
    pair p = make_pair(&def, 0.0f);
    const toile_tie_def tie = pair_tie(&p);
    assert_tie_refused(&p, &tie, "ties: only Newton's method has them: expected solver");
    const toile_pin_def pin = soft_edge(10.0f);
    assert_int_equal(toile_cloth_add_pin(p.world, p.cloths[0], &pin).slot, 0);
    assert_message("soft pins: only Newton's method has them");
    toile_world_destroy(p.world);
}

static void test_bad_soft_pins_are_refused(void **state) {
    (void)state;
    const toile_world_def def = newton_def();
    pair p = make_pair(&def, 0.0f);
    toile_pin_def pin = soft_edge(-2.0f);
    assert_int_equal(toile_cloth_add_pin(p.world, p.cloths[0], &pin).slot, 0);
    assert_message("pin stiffness is -2: expected 0 to 1e+09 N/m");
    toile_world_destroy(p.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_strip_ends_where_the_whole_one_does),
        cmocka_unit_test(test_cut_strip_swings_as_the_whole_one),
        cmocka_unit_test(test_cut_strip_sags_as_the_whole_one),
        cmocka_unit_test(test_cut_square_swings_as_the_whole_one),
        cmocka_unit_test(test_two_panels_take_as_many_iterations),
        cmocka_unit_test(test_eight_panels_take_few_more_iterations),
        cmocka_unit_test(test_tube_takes_at_most_twice_as_many_iterations),
        cmocka_unit_test(test_ties_take_no_momentum),
        cmocka_unit_test(test_ties_give_no_energy),
        cmocka_unit_test(test_seams_give_no_energy),
        cmocka_unit_test(test_tie_lets_go_at_its_time),
        cmocka_unit_test(test_self_collision_leaves_ties_alone),
        cmocka_unit_test(test_ties_go_with_their_cloth),
        cmocka_unit_test(test_soft_pin_gives_way_by_the_weight),
        cmocka_unit_test(test_soft_pin_holds_along_its_direction),
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_tied_worlds_resume),
        cmocka_unit_test(test_ties_do_not_reach_others),
        cmocka_unit_test(test_bad_ties_are_refused),
        cmocka_unit_test(test_other_solvers_refuse_ties),
        cmocka_unit_test(test_bad_soft_pins_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
