/* Any bytes must be refused with a sentence, or make a panel that a cloth can be cut from.
 * Mutations cannot hit a checksum, so the bytes are tried once as they are and once behind a header
 * that fits them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "toile/toile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The layout of cook/panel_bytes.c: magic, bytes that follow, their hash. */
enum { HEADER = 24 };

static void use(const toile_panel *panel) {
    toile_world_def def = toile_default_world_def();
    def.threads = 1;
    def.solver.max_substeps = 2;
    toile_world *world = NULL;
    if (toile_world_create(&def, &world) != TOILE_OK) {
        abort();
    }
    toile_cloth_def cloth_def = toile_default_cloth_def();
    cloth_def.panel = panel;
    toile_cloth_id cloth = toile_world_add_cloth(world, &cloth_def);
    if (cloth.slot) {
        toile_cloth_info info = toile_cloth_get_info(world, cloth);
        float *normals = malloc(3 * info.vertices * sizeof *normals);
        toile_metrics metrics;
        toile_world_step(world, 1.0f / 60.0f);
        toile_world_measure(world, cloth, &metrics);
        if (normals) {
            toile_cloth_get_mesh_normals(world, cloth, normals, info.vertices);
        }
        free(normals);
    }
    toile_world_destroy(world);
}

static void try_panel(const uint8_t *data, size_t size) {
    toile_panel *panel = NULL;
    if (toile_panel_load(data, size, &panel) == TOILE_OK) {
        use(panel);
    } else if (panel || toile_error_message()[0] == '\0') {
        abort();
    }
    toile_panel_destroy(panel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_panel(data, size);
    if (size < HEADER) {
        return 0;
    }
    uint8_t *whole = malloc(size);
    if (!whole) {
        return 0;
    }
    memcpy(whole, data, size);
    uint64_t left = size - HEADER, hash = hash_bytes(HASH_SEED, whole + HEADER, left);
    memcpy(whole, "TlPanel1", 8);
    memcpy(whole + 8, &left, sizeof left);
    memcpy(whole + 16, &hash, sizeof hash);
    try_panel(whole, size);
    free(whole);
    return 0;
}
