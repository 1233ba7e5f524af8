/* Any bytes must be refused or loaded, and a refusal must change nothing. Mutations cannot hit a
 * checksum, so the bytes are tried once as a file and once as the state inside a good file. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/checkpoint.h"
#include "io/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scene_text[] =
    "{\"toile\": 1, \"device\": \"cpu\", \"wind\": {\"velocity\": [1, 0, 2], \"gust\": 0.5},"
    " \"solver\": {\"max_substeps\": 8},"
    " \"cloths\": [{\"rectangle\": [0.4, 0.3], \"spacing\": 0.1, \"pins\": ["
    "   {\"corner\": \"top-left\", \"body\": \"ball\"},"
    "   {\"edge\": \"right\", \"keyframes\": [{\"time\": 0}, {\"time\": 1, \"rotate\": [9, 0, "
    "0]}]}]}],"
    " \"bodies\": [{\"name\": \"ball\", \"sphere\": {\"center\": [0, 0, -1]}}, "
    "   {\"box\": {\"center\": [0, -2, 0]}, \"keyframes\": [{\"time\": 0.5}]}]}";

/* Made once; what it is made of is never freed. */
typedef struct fixture {
    toile_world *world;
    uint8_t *state; /* as saved at the start */
    size_t size;
    history measured;
} fixture;

static fixture make_fixture(void) {
    fixture f = {0};
    scene *s;
    scene_ids ids;
    if (scene_parse(scene_text, sizeof scene_text - 1, "fixture", &s) != TOILE_OK) {
        abort();
    }
    s->world.threads = 1;
    if (scene_build(s, NULL, NULL, &f.world, &ids) != TOILE_OK) {
        abort();
    }
    scene_ids_free(&ids);
    scene_free(s);
    f.size = toile_world_state_size(f.world);
    f.state = malloc(f.size);
    if (!f.state || toile_world_save_state(f.world, f.state, f.size) != TOILE_OK ||
        history_create(&f.measured, 1) != TOILE_OK) {
        abort();
    }
    return f;
}

static void try_file(fixture *f, const uint8_t *data, size_t size) {
    uint64_t before = toile_world_hash(f->world);
    uint32_t frame;
    if (checkpoint_parse(data, size, "fuzz.checkpoint", f->world, &frame, &f->measured) !=
            TOILE_OK &&
        (toile_world_hash(f->world) != before || toile_error_message()[0] == '\0')) {
        abort();
    }
}

/* The layout of step/state.c: four words, of which the last is the hash of all that follows. */
static void try_state(const fixture *f, const uint8_t *data, size_t size) {
    enum { HEADER = 32, HASH_AT = 24 };
    uint8_t *state = malloc(f->size);
    if (!state) {
        return;
    }
    memcpy(state, f->state, f->size);
    memcpy(state + HEADER, data, size < f->size - HEADER ? size : f->size - HEADER);
    uint64_t hash = hash_bytes(HASH_SEED, state + HEADER, f->size - HEADER);
    memcpy(state + HASH_AT, &hash, sizeof hash);
    if (toile_world_load_state(f->world, state, f->size) == TOILE_OK) {
        toile_metrics metrics;
        toile_world_step(f->world, 1.0f / 60.0f);
        toile_world_measure(f->world, (toile_cloth_id){0}, &metrics);
    }
    free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fixture f;
    if (!f.world) {
        f = make_fixture();
    }
    try_file(&f, data, size);
    try_state(&f, data, size);
    if (toile_world_load_state(f.world, f.state, f.size) != TOILE_OK) {
        abort(); /* the next input starts from the same state */
    }
    return 0;
}
