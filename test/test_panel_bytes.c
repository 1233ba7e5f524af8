/* Cooked panels as bytes, and what strangers make of them. */
#include "outlines.h"

#include "base/hash.h"
#include "cook/panel.h"

/* Free with free(). */
static uint8_t *save_panel(const toile_panel *piece, size_t *size) {
    *size = toile_panel_size(piece);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_ok(toile_panel_save(piece, bytes, *size));
    return bytes;
}

static uint64_t swing_hash(const toile_panel *piece) {
    toile_cloth_def def = panel_cloth(piece);
    def.transform.translate[1] = 0.8f;
    toile_cloth_id cloth;
    toile_world *world = swing(&def, &cloth, 20);
    uint64_t hash = toile_world_hash(world);
    size_t vertices = toile_cloth_get_info(world, cloth).vertices;
    float *mesh = mesh_positions(world, cloth);
    hash = hash_bytes(hash, mesh, vertices * 3 * sizeof(float));
    free(mesh);
    toile_world_destroy(world);
    return hash;
}

static void test_saved_panel_is_the_same(void **state) {
    (void)state;
    for (int m = -1; m < MAKERS; m++) {
        test_outline o;
        toile_panel_def def = toile_default_panel_def();
        def.spacing = 0.05f;
        def.size[1] = 0.83f;
        if (m >= 0) {
            makers[m](&o);
            def.outline = &o.def;
            def.grain = 20.0f;
            def.snap = true;
        }
        toile_panel *cooked = NULL, *loaded = NULL;
        assert_ok(toile_panel_cook(&def, &cooked));
        size_t size, again;
        uint8_t *bytes = save_panel(cooked, &size);
        assert_ok(toile_panel_load(bytes, size, &loaded));
        uint8_t *second = save_panel(loaded, &again);
        assert_int_equal(size, again);
        assert_memory_equal(bytes, second, size);
        toile_panel_info a = toile_panel_get_info(cooked), b = toile_panel_get_info(loaded);
        assert_int_equal(a.texels, b.texels);
        assert_int_equal(a.parts, b.parts);
        assert_int_equal(a.render_triangles, b.render_triangles);
        assert_true(a.area == b.area && a.size[0] == b.size[0] && a.size[1] == b.size[1]);
        assert_true(swing_hash(cooked) == swing_hash(loaded));
        assert_int_equal(toile_panel_save(cooked, bytes, size - 1), TOILE_ERROR_INVALID);
        free(bytes);
        free(second);
        toile_panel_destroy(cooked);
        toile_panel_destroy(loaded);
    }
}

static void assert_refused(const uint8_t *bytes, size_t size) {
    toile_panel *piece = NULL;
    assert_int_equal(toile_panel_load(bytes, size, &piece), TOILE_ERROR_FORMAT);
    assert_null(piece);
    assert_message("panel");
}

/* Makes the checksum right again. */
static void sign(uint8_t *bytes, size_t size) {
    uint64_t hash = hash_bytes(HASH_SEED, bytes + 24, size - 24);
    memcpy(bytes + 16, &hash, sizeof hash);
}

static void test_damaged_panels_are_refused(void **state) {
    (void)state;
    test_outline o;
    make_ring(&o);
    toile_panel *piece = cook_outline(&o, 0.1f, 0.0f), *loaded = NULL;
    size_t size;
    uint8_t *bytes = save_panel(piece, &size);
    toile_panel_destroy(piece);
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 97) {
        assert_refused(bytes, cut);
    }
    for (size_t at = 0; at < size; at += at < 200 ? 1 : 41) {
        bytes[at] ^= (uint8_t)(1u << at % 8);
        assert_refused(bytes, size);
        bytes[at] ^= (uint8_t)(1u << at % 8);
    }
    /* with a checksum to match, every byte is read: what is taken must be usable */
    for (size_t at = 24; at < size; at += at < 200 ? 1 : 7) {
        uint8_t was = bytes[at];
        bytes[at] ^= (uint8_t)(1u << (at * 5) % 8);
        sign(bytes, size);
        if (toile_panel_load(bytes, size, &loaded) == TOILE_OK) {
            toile_world *world = make_null_world();
            toile_cloth_def def = panel_cloth(loaded);
            toile_cloth_id cloth = add_cloth(world, &def);
            measure(world, cloth);
            toile_world_destroy(world);
            toile_panel_destroy(loaded);
        }
        bytes[at] = was;
    }
    sign(bytes, size);
    assert_ok(toile_panel_load(bytes, size, &loaded));
    toile_panel_destroy(loaded);
    uint64_t random = 1;
    for (size_t at = 24; at < size; at++) {
        random = hash_word(random, at);
        bytes[at] = (uint8_t)random;
    }
    sign(bytes, size);
    assert_refused(bytes, size);
    free(bytes);
}

/* The number of bytes, so many floats or indices that they would overflow, and the like. */
static void test_hostile_counts_are_refused(void **state) {
    (void)state;
    toile_panel_def def = toile_default_panel_def();
    def.spacing = 0.5f;
    toile_panel *piece = NULL;
    assert_ok(toile_panel_cook(&def, &piece));
    size_t size;
    uint8_t *bytes = save_panel(piece, &size), *copy = malloc(size);
    assert_non_null(copy);
    toile_panel_destroy(piece);
    const uint32_t numbers[] = {0xffffffffu, 0x7fffffffu, 0x80000000u, 0x40000000u, 0x55555556u};
    for (size_t at = 24; at + 4 <= size; at++) {
        for (int n = 0; n < 5; n++) {
            memcpy(copy, bytes, size);
            memcpy(copy + at, &numbers[n], 4);
            sign(copy, size);
            toile_panel *loaded = NULL;
            if (toile_panel_load(copy, size, &loaded) == TOILE_OK) {
                toile_panel_destroy(loaded);
            }
        }
    }
    free(bytes);
    free(copy);
}

/* A panel whose threads are cut between two columns: its cloth goes to the cells beside them. */
static toile_panel *cook_two_parts(void) {
    test_outline o = {0};
    add_rectangle(&o, 0.0f, 0.0f, 1.0f, 0.3f);
    toile_panel *piece = cook_outline(&o, 0.1f, 0.0f), *loaded = NULL;
    for (int j = 0; j < piece->grid.rows - 1; j++) {
        float *c = piece->coverage + grid_index(&piece->grid, 5, j);
        c[-1] += c[0];
        c[0] = 0.0f;
    }
    size_t size = toile_panel_size(piece);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_panel_save(piece, bytes, size));
    assert_ok(toile_panel_load(bytes, size, &loaded));
    free(bytes);
    toile_panel_destroy(piece);
    return loaded;
}

static void test_two_parts(void **state) {
    (void)state;
    toile_panel *piece = cook_two_parts();
    assert_int_equal(toile_panel_get_info(piece).parts, 2);
    toile_world_def world_def = quiet_def();
    toile_world *world = make_world(&world_def);
    toile_cloth_def def = panel_cloth(piece);
    toile_cloth_id cloth = add_cloth(world, &def);
    pin_edge(world, cloth, TOILE_EDGE_LEFT);
    run_steps(world, 60, 1.0f / 60.0f);
    float *x = texel_positions(world, cloth);
    assert_below(-0.8, (double)x[3 * 5 + 1]); /* hangs */
    for (size_t i = 6; i < 11; i++) {         /* falls as one for a second */
        assert_near((double)x[3 * i + 1], -0.15 - 0.5 * 9.81, 0.01);
    }
    assert_below(measure(world, cloth).strain.max, 0.2); /* not of the threads that are no more */
    free(x);
    toile_world_destroy(world);
    toile_panel_destroy(piece);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved_panel_is_the_same),
        cmocka_unit_test(test_damaged_panels_are_refused),
        cmocka_unit_test(test_hostile_counts_are_refused),
        cmocka_unit_test(test_two_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
