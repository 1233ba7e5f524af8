/* Worlds in which much happens at once, and that they give the same bits whatever steps them. */
#ifndef TOILE_TEST_ZOO_H
#define TOILE_TEST_ZOO_H

#include "outlines.h"

/* Up, aside and turning. */
static const toile_keyframe zoo_keys[2] = {
    {.time = 0.0f},
    {.time = 0.2f, .translate = {0.0f, 0.1f, 0.1f}, .rotate = {0.0f, 40.0f, 10.0f}}};

/* Wind with gusts, a shape that moves, a sheet that is pulled over it, large enough for threads to
 * share its coarse levels, and an outline that is pinned to the shape. */
static inline toile_world *make_zoo_of(toile_world_def def, int threads) {
    def.threads = threads;
    def.seed = 42;
    def.wind.velocity[0] = 2.0f;
    def.wind.gust = 0.5f;
    toile_world *world = make_world(&def);
    toile_body_def shape = toile_default_body_def();
    shape.shape = TOILE_SHAPE_ELLIPSOID;
    shape.radii[0] = 0.2f;
    shape.radii[1] = 0.1f;
    shape.radii[2] = 0.3f;
    shape.keyframes = zoo_keys;
    shape.keyframe_count = 2;
    toile_pin_def hold = toile_default_pin_def(), ride = hold;
    ride.body = add_body(world, &shape);
    toile_cloth_def sheet = lying_def(101, 0.16f);
    sheet.size[1] = 0.83f;
    hold.kind = TOILE_PIN_EDGE;
    hold.edge = TOILE_EDGE_LEFT;
    hold.keyframes = zoo_keys;
    hold.keyframe_count = 2;
    add_pin(world, add_cloth(world, &sheet), &hold);
    test_outline ring;
    make_ring(&ring);
    toile_panel *cooked = cook_outline(&ring, 0.03f, 10.0f);
    sheet = panel_cloth(cooked);
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.translate[1] = 0.2f;
    sheet.fabric = toile_fabric_named("silk");
    ride.kind = TOILE_PIN_POINT;
    ride.point[0] = ride.point[1] = 0.1f;
    ride.radius = 0.05f;
    add_pin(world, add_cloth(world, &sheet), &ride);
    toile_panel_destroy(cooked);
    return world;
}

static inline uint64_t hash_of(toile_world *make(int threads), int threads, int steps) {
    toile_world *world = make(threads);
    run_steps(world, steps, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

static inline void assert_same_bits(toile_world *make(int threads), int steps) {
    static const char *const names[] = {"scalar", "baseline", "avx2", "avx512"};
    const uint64_t one = hash_of(make, 1, steps);
    assert_same_hash(hash_of(make, 2, steps), one, "2 threads");
    assert_same_hash(hash_of(make, 7, steps), one, "7 threads");
    for (int i = 0; i < 4; i++) {
        setenv("TOILE_SIMD", names[i], 1);
        assert_same_hash(hash_of(make, 1 + i % 2, steps), one, names[i]);
    }
    unsetenv("TOILE_SIMD");
}

#endif
