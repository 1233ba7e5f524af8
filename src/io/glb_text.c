#include "io/glb_text.h"

#include <stdarg.h>

void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = t->stream ? vfprintf(t->stream, format, args) : vsnprintf(NULL, 0, format, args);
    va_end(args);
    t->length += length > 0 ? (uint64_t)length : 0; /* errors are found by file_commit */
}

void put_separator(text *t, bool first) {
    put(t, "%s", first ? "" : ",");
}

void put_string(text *t, const char *string) {
    put(t, "\"");
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\') {
            put(t, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20) {
            put(t, "\\u%04x", (unsigned)(unsigned char)*c);
        } else {
            put(t, "%c", *c);
        }
    }
    put(t, "\"");
}

/* Nine digits bring a float back to the bit; with sign and exponent that is 15 characters. */
void put_floats(text *t, const float *values, int count) {
    put(t, "[");
    for (int k = 0; k < count; k++) {
        put_separator(t, k == 0);
        put(t, "%15.8e", (double)values[k]);
    }
    put(t, "]");
}

void put_channel(text *t, uint64_t sampler, uint64_t node, const char *path, bool first) {
    put_separator(t, first);
    put(t, "{\"sampler\":%ju,\"target\":{\"node\":%ju,\"path\":\"%s\"}}", (uintmax_t)sampler,
        (uintmax_t)node, path);
}

void put_accessor(text *t, accessor a, bool first) {
    put_separator(t, first);
    put(t,
        "{\"bufferView\":%ju,\"byteOffset\":%ju,\"componentType\":%d,\"count\":%ju,"
        "\"type\":\"%s\"",
        (uintmax_t)a.view, (uintmax_t)a.offset, a.component, (uintmax_t)a.count, a.type);
    if (a.range) {
        put(t, ",\"min\":");
        put_floats(t, a.range->low, 3);
        put(t, ",\"max\":");
        put_floats(t, a.range->high, 3);
    }
    put(t, "}");
}

void put_view(text *t, uint64_t *offset, uint64_t bytes, int stride, int target) {
    put_separator(t, *offset == 0);
    put(t, "{\"buffer\":0,\"byteOffset\":%ju,\"byteLength\":%ju", (uintmax_t)*offset,
        (uintmax_t)bytes);
    if (stride) {
        put(t, ",\"byteStride\":%d", stride);
    }
    if (target) {
        put(t, ",\"target\":%d", target);
    }
    put(t, "}");
    *offset += bytes;
}
