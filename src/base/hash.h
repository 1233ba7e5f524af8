/* One hash for state, definitions and checkpoints: not cryptographic, but every bit counts. */
#ifndef TOILE_BASE_HASH_H
#define TOILE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_SEED UINT64_C(0x546f696c65) /* "Toile" */

static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static inline uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t hash = hash_word(seed, size);
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = hash_word(hash, word);
    }
    uint64_t rest = 0;
    if (size > 0) { /* nothing may be at NULL, which memcpy must not see */
        memcpy(&rest, at, size);
    }
    return hash_word(hash, rest);
}

#endif
