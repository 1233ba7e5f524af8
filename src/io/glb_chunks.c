#include "io/glb_chunks.h"

enum { HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8 };

static uint64_t round_up_to_4(uint64_t bytes) {
    return (bytes + 3) & ~UINT64_C(3);
}

uint64_t glb_file_bytes(uint64_t json_bytes, uint64_t binary_bytes) {
    return HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + round_up_to_4(json_bytes) + binary_bytes;
}

static void write_words(FILE *stream, const uint32_t *words, size_t count) {
    fwrite(words, sizeof *words, count, stream);
}

void glb_begin_json(FILE *stream, uint64_t json_bytes, uint64_t binary_bytes) {
    uint32_t total = (uint32_t)glb_file_bytes(json_bytes, binary_bytes);
    write_words(stream, (uint32_t[]){0x46546c67 /* "glTF" */, 2, total}, 3);
    uint32_t chunk = (uint32_t)round_up_to_4(json_bytes);
    write_words(stream, (uint32_t[]){chunk, 0x4e4f534a /* "JSON" */}, 2);
}

void glb_begin_binary(FILE *stream, uint64_t json_bytes, uint64_t binary_bytes) {
    fwrite("   ", 1, (size_t)(round_up_to_4(json_bytes) - json_bytes), stream);
    write_words(stream, (uint32_t[]){(uint32_t)binary_bytes, 0x004e4942 /* "BIN" */}, 2);
}
