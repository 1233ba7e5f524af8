/* Where things start: cloth in bodies, cloth in cloth, texels that two pins hold, and pins in
 * bodies that do not carry them. All of it was silent once. */
#include "worlds.h"

#include <stdio.h>
#include <string.h>

static void assert_step_refused(toile_world *world, const char *part, const char *other) {
    uint64_t hash = toile_world_hash(world);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_INVALID);
    assert_message(part);
    assert_message(other);
    assert_true(toile_world_hash(world) == hash);
    assert_int_equal(toile_world_step_count(world), 0);
}

/* ---- cloth and body -----------------------------------------------------------------------------
 */

static void add_named_ball(toile_world *world, float y) {
    toile_body_def ball = toile_default_body_def();
    ball.name = "ball";
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.center[1] = y;
    ball.radii[0] = 0.2f;
    add_body(world, &ball);
}

static void test_cloth_in_a_body_is_refused(void **state) {
    (void)state;
    for (int body_first = 0; body_first < 2; body_first++) {
        toile_world *world = make_null_world();
        toile_cloth_def sheet = lying_def(21, 0.15f);
        sheet.name = "sheet";
        if (body_first) {
            add_named_ball(world, 0.0f);
        }
        toile_cloth_id cloth = add_cloth(world, &sheet);
        if (!body_first) {
            add_named_ball(world, 0.0f);
        }
        assert_step_refused(world, "of \"sheet\" start inside the body \"ball\"", "50 mm deep");
        toile_world_remove_cloth(world, cloth);
        assert_ok(toile_world_step(world, 1.0f / 60.0f));
        toile_world_destroy(world);
    }
}

/* What counts is where texels are when the world is stepped. */
static void test_texels_may_be_put_elsewhere_first(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def sheet = lying_def(21, 0.15f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    add_named_ball(world, 0.0f);
    float *positions = texel_positions(world, cloth);
    for (size_t t = 0; t < 21 * 21; t++) {
        positions[3 * t + 1] += 0.1f;
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, positions, 21 * 21));
    free(positions);
    assert_ok(toile_world_step(world, 1.0f / 60.0f));
    toile_world_destroy(world);
}

/* Later, a new body may not be put into the cloth either; the one that cloth lies on is no mistake.
 */
static void test_only_what_is_new_is_looked_at(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def sheet = lying_def(21, 0.25f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    add_named_ball(world, 0.0f);
    run_steps(world, 1, 1.0f / 60.0f);
    float *positions = texel_positions(world, cloth);
    for (size_t t = 0; t < 21 * 21; t++) {
        positions[3 * t + 1] = 0.199f;
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, positions, 21 * 21));
    free(positions);
    run_steps(world, 1, 1.0f / 60.0f);
    toile_body_def box = toile_default_body_def();
    box.name = "box";
    box.shape = TOILE_SHAPE_BOX;
    box.center[0] = 0.4f;
    box.center[1] = 0.2f;
    box.half[0] = box.half[1] = box.half[2] = 0.05f;
    toile_body_id id = add_body(world, &box);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_INVALID);
    assert_message("box");
    toile_world_remove_body(world, id);
    run_steps(world, 1, 1.0f / 60.0f);
    toile_world_destroy(world);
}

/* ---- cloth and cloth ----------------------------------------------------------------------------
 */

typedef struct neighbour {
    const char *what;
    float size[2], spacing;
    float translate[3], rotate[3];
    bool refused;
} neighbour;

/* Beside a square of 0.4 m, flat around the origin. */
static const neighbour neighbours[] = {
    {"the same", {0.4f, 0.4f}, 0.05f, {0}, {0}, true},
    {"the same, turned over", {0.4f, 0.4f}, 0.05f, {0}, {180.0f, 0.0f, 0.0f}, true},
    {"finer", {0.4f, 0.4f}, 0.013f, {0}, {0}, true},
    {"shifted in its plane", {0.4f, 0.4f}, 0.05f, {0.17f, 0.03f, 0.0f}, {0}, true},
    {"a patch of one cell", {0.02f, 0.02f}, 0.02f, {0.11f, 0.07f, 0.0f}, {0}, true},
    {"through its middle", {0.4f, 0.4f}, 0.05f, {0}, {0.0f, 90.0f, 0.0f}, true},
    {"through its middle, askew", {0.4f, 0.4f}, 0.05f, {0.01f, 0, 0}, {20.0f, 70.0f, 0.0f}, true},
    {"a little through it", {0.4f, 0.4f}, 0.05f, {0, 0, 0.19f}, {0.0f, 90.0f, 0.0f}, true},
    {"a ribbon through it", {0.6f, 0.02f}, 0.02f, {0.013f, 0.017f, 0}, {0, 80.0f, 0}, true},
    {"a thickness away", {0.4f, 0.4f}, 0.05f, {0, 0, 0.0005f}, {0}, false},
    {"a millimetre away", {0.4f, 0.4f}, 0.05f, {0, 0, 0.001f}, {0}, false},
    {"side by side", {0.4f, 0.4f}, 0.05f, {0.4f, 0, 0}, {0}, false},
    {"side by side, finer", {0.4f, 0.4f}, 0.013f, {0.4f, 0, 0}, {0}, false},
    {"around a corner", {0.4f, 0.4f}, 0.05f, {0.2f, 0, 0.2f}, {0.0f, 90.0f, 0.0f}, false},
    {"folded back", {0.4f, 0.4f}, 0.05f, {0, 0, 0.02f}, {0.0f, 5.732f, 0.0f}, false},
    {"with its border on it", {0.4f, 0.4f}, 0.05f, {0, 0, 0.2f}, {0.0f, 90.0f, 0.0f}, false},
    {"far away", {0.4f, 0.4f}, 0.05f, {5.0f, 0, 0}, {0}, false},
};

static void check_neighbour(const neighbour *n, bool swapped) {
    toile_world *world = make_null_world();
    toile_cloth_def defs[2] = {toile_default_cloth_def(), toile_default_cloth_def()};
    defs[0].name = "first";
    defs[1].name = "second";
    defs[0].size[0] = defs[0].size[1] = 0.4f;
    defs[0].spacing = 0.05f;
    memcpy(defs[1].size, n->size, sizeof n->size);
    defs[1].spacing = n->spacing;
    memcpy(defs[1].transform.translate, n->translate, sizeof n->translate);
    memcpy(defs[1].transform.rotate, n->rotate, sizeof n->rotate);
    add_cloth(world, &defs[swapped]);
    add_cloth(world, &defs[!swapped]);
    toile_result result = toile_world_step(world, 1.0f / 60.0f);
    if ((result == TOILE_ERROR_INVALID) != n->refused) {
        fail_msg("%s: %s", n->what, n->refused ? "not refused" : toile_error_message());
    }
    if (n->refused) {
        assert_message(swapped ? "\"first\" starts in the same place as \"second\""
                               : "\"second\" starts in the same place as \"first\"");
    }
    toile_world_destroy(world);
}

static void test_cloths_in_one_place_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof neighbours / sizeof neighbours[0]; i++) {
        check_neighbour(&neighbours[i], false);
        check_neighbour(&neighbours[i], true);
    }
}

/* ---- pins ---------------------------------------------------------------------------------------
 */

static const float UNTURNED[4] = {0.0f, 0.0f, 0.0f, 1.0f};

static toile_pin_def edge_pin(toile_edge edge) {
    toile_pin_def def = toile_default_pin_def();
    def.kind = TOILE_PIN_EDGE;
    def.edge = edge;
    return def;
}

static void test_texels_are_not_pinned_twice(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def sheet = lying_def(11, 1.0f);
    sheet.name = "sheet";
    toile_cloth_id cloth = add_cloth(world, &sheet);
    add_named_ball(world, 0.0f);
    toile_body_id ball;
    assert_int_equal(toile_world_get_bodies(world, &ball, 1), 1);
    toile_pin_def top = edge_pin(TOILE_EDGE_TOP);
    const toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 1.0f, .translate = {1.0f}}};
    top.keyframes = keys;
    top.keyframe_count = 2;
    toile_pin_id first = add_pin(world, cloth, &top);
    toile_pin_def corner = toile_default_pin_def();
    corner.corner = TOILE_CORNER_TOP_LEFT;
    assert_int_equal(toile_cloth_add_pin(world, cloth, &corner).slot, 0);
    assert_message("cloth 'sheet': the pins at the top edge and at the top left corner both hold "
                   "texel (0, 10)");
    corner.body = ball;
    assert_int_equal(toile_cloth_add_pin(world, cloth, &corner).slot, 0);
    assert_int_equal(toile_world_get_pins(world, NULL, 0), 1);
    corner.corner = TOILE_CORNER_BOTTOM_LEFT;
    add_pin(world, cloth, &corner);
    toile_pin_def point = toile_default_pin_def();
    point.kind = TOILE_PIN_POINT;
    assert_int_equal(toile_cloth_add_pin(world, cloth, &point).slot, 0);
    assert_message("the bottom left corner and at the point (0, 0)");
    toile_world_remove_pin(world, first);
    corner.corner = TOILE_CORNER_TOP_LEFT;
    add_pin(world, cloth, &corner);
    toile_world_destroy(world);
}

/* A cloth may be held all around. Its edges share corners, so that none of them can be moved. */
static void test_pins_that_agree_share_texels(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def sheet = lying_def(11, 1.0f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_pin_id ids[4];
    for (int e = TOILE_EDGE_TOP; e <= TOILE_EDGE_RIGHT; e++) {
        toile_pin_def pin = edge_pin((toile_edge)e);
        ids[e] = add_pin(world, cloth, &pin);
    }
    run_steps(world, 1, 1.0f / 60.0f);
    const float up[3] = {0.0f, 0.1f, 0.0f};
    assert_int_equal(toile_world_move_pin(world, ids[0], up, UNTURNED), TOILE_ERROR_INVALID);
    assert_message("both hold texel");
    toile_world_remove_pin(world, ids[TOILE_EDGE_LEFT]);
    toile_world_remove_pin(world, ids[TOILE_EDGE_RIGHT]);
    assert_ok(toile_world_move_pin(world, ids[0], up, UNTURNED));
    toile_pin_def left = edge_pin(TOILE_EDGE_LEFT);
    assert_int_equal(toile_cloth_add_pin(world, cloth, &left).slot, 0);
    toile_world_destroy(world);
}

typedef struct said {
    int count;
    char text[512];
} said;

static void listen(toile_log_item item, const char *message, void *user) {
    said *s = user;
    if (item == TOILE_LOG_PIN_TRAPPED) {
        s->count++;
        snprintf(s->text, sizeof s->text, "%s", message);
    }
}

/* A corner of the cloth is pinned in the middle of a ball: by the ball, that is how things are hung
 * on a body; by itself, the cloth is torn. */
static void check_pin_in_a_ball(bool carried) {
    said heard = {0};
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.log = listen;
    def.log_user = &heard;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(11);
    sheet.name = "sheet";
    sheet.transform.translate[0] = 0.5f;
    sheet.transform.translate[1] = -0.5f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_def ball = toile_default_body_def();
    ball.name = "ball";
    ball.radii[0] = 0.05f;
    toile_pin_def pin = toile_default_pin_def();
    pin.corner = TOILE_CORNER_TOP_LEFT;
    pin.body = carried ? add_body(world, &ball) : (toile_body_id){0};
    if (!carried) {
        add_body(world, &ball);
    }
    toile_pin_id id = add_pin(world, cloth, &pin);
    run_steps(world, 3, 1.0f / 60.0f);
    toile_trapped_pin trapped;
    assert_int_equal(toile_world_get_trapped_pins(world, &trapped, 1), carried ? 0 : 1);
    assert_int_equal(heard.count, carried ? 0 : 1);
    if (!carried) {
        assert_int_equal(trapped.pin.slot, id.slot);
        assert_near((double)trapped.depth, 0.05, 1e-6);
        assert_non_null(strstr(heard.text, "cloth 'sheet' is pinned at the top left corner inside "
                                           "body 'ball', 50 mm deep"));
    }
    toile_world_destroy(world);
}

static void test_pins_in_bodies_are_told(void **state) {
    (void)state;
    check_pin_in_a_ball(false);
    check_pin_in_a_ball(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_in_a_body_is_refused),
        cmocka_unit_test(test_texels_may_be_put_elsewhere_first),
        cmocka_unit_test(test_only_what_is_new_is_looked_at),
        cmocka_unit_test(test_cloths_in_one_place_are_refused),
        cmocka_unit_test(test_texels_are_not_pinned_twice),
        cmocka_unit_test(test_pins_that_agree_share_texels),
        cmocka_unit_test(test_pins_in_bodies_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
