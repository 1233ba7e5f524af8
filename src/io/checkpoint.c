#include "io/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/file.h"

enum { VERSION = 6, ENDIAN_TAG = 0x01020304 };

#define FILE_LIMIT ((size_t)1 << 34) /* 16 GB: some hundred million texels */

static const char MAGIC[8] = "TOILECP";

/* Then the state and what was measured, then the hash of all that in 8 bytes. */
typedef struct header {
    char magic[8];
    uint32_t endian_tag;
    uint32_t version;
    uint32_t frame;
    uint32_t history_size;
    uint64_t state_size;
} header;

_Static_assert(sizeof(header) == 32, "the header is written as it is");

/* body: state and history. */
static uint64_t checksum(const header *h, const void *body) {
    return hash_bytes(hash_bytes(HASH_SEED, h, sizeof *h), body, h->state_size + h->history_size);
}

toile_result checkpoint_write(const char *path, const toile_world *world, uint32_t frame,
                              const history *measured) {
    header h = {.endian_tag = ENDIAN_TAG,
                .version = VERSION,
                .frame = frame,
                .history_size = measured ? (uint32_t)history_size(measured) : 0,
                .state_size = toile_world_state_size(world)};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    size_t size = h.state_size + h.history_size;
    uint8_t *body = malloc(size);
    if (!body) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the %zu bytes of '%s'", size,
                         path);
    }
    file_writer *w = NULL;
    toile_result result = toile_world_save_state(world, body, h.state_size);
    if (result == TOILE_OK) {
        result = file_create(path, &w);
    }
    if (result == TOILE_OK) {
        if (measured) {
            history_write(measured, body + h.state_size);
        }
        uint64_t sum = checksum(&h, body);
        fwrite(&h, sizeof h, 1, file_stream(w));
        fwrite(body, 1, size, file_stream(w));
        fwrite(&sum, sizeof sum, 1, file_stream(w));
        result = file_commit(w);
    }
    free(body);
    return result;
}

/* Whether the bytes are what a writer left, whatever the state in them means. */
static toile_result check(const uint8_t *bytes, size_t size, const char *name, header *h) {
    uint64_t sum;
    if (memcmp(bytes, MAGIC, size < sizeof MAGIC ? size : sizeof MAGIC) != 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' is not a checkpoint of toile", name);
    }
    if (size < sizeof *h + sizeof sum) {
        return error_set(TOILE_ERROR_FORMAT, "checkpoint '%s' is cut short: it has %zu bytes", name,
                         size);
    }
    memcpy(h, bytes, sizeof *h);
    if (h->endian_tag == __builtin_bswap32(ENDIAN_TAG)) {
        return error_set(TOILE_ERROR_FORMAT,
                         "checkpoint '%s' was written by a machine of the other byte order", name);
    }
    if (h->version != VERSION) {
        return error_set(TOILE_ERROR_FORMAT, "checkpoint '%s' has version %u, expected %d", name,
                         (unsigned)h->version, VERSION);
    }
    size_t held = size - sizeof *h - sizeof sum;
    if (held < h->history_size || held - h->history_size < h->state_size) {
        return error_set(TOILE_ERROR_FORMAT,
                         "checkpoint '%s' is cut short: it has %zu of %llu bytes of state", name,
                         held, (unsigned long long)h->state_size);
    }
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    if (held - h->history_size > h->state_size || sum != checksum(h, bytes + sizeof *h)) {
        return error_set(TOILE_ERROR_FORMAT,
                         "checkpoint '%s' was altered: its checksum does not match", name);
    }
    return TOILE_OK;
}

toile_result checkpoint_parse(const uint8_t *bytes, size_t size, const char *name,
                              toile_world *world, uint32_t *frame, history *measured) {
    header h = {0};
    toile_result result = check(bytes, size, name, &h);
    if (result == TOILE_OK && measured && h.history_size != history_size(measured)) {
        result = error_set(TOILE_ERROR_FORMAT,
                           "checkpoint '%s' has %u bytes of measures: expected %zu, those of %zu "
                           "cloths",
                           name, (unsigned)h.history_size, history_size(measured),
                           measured->cloth_count);
    }
    if (result != TOILE_OK) {
        return result;
    }
    result = toile_world_load_state(world, bytes + sizeof h, h.state_size);
    if (result != TOILE_OK) {
        error_prefix("checkpoint '%s': ", name);
        return result;
    }
    if (measured) {
        history_read(measured, bytes + sizeof h + h.state_size);
    }
    *frame = h.frame;
    return TOILE_OK;
}

toile_result checkpoint_read(const char *path, toile_world *world, uint32_t *frame,
                             history *measured) {
    uint8_t *bytes;
    size_t size;
    toile_result result = file_read(path, FILE_LIMIT, &bytes, &size);
    if (result == TOILE_OK) {
        result = checkpoint_parse(bytes, size, path, world, frame, measured);
        free(bytes);
    }
    return result;
}
