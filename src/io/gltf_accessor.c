#include "io/gltf_accessor.h"

#include <math.h>
#include <string.h>

#include "io/gltf_value.h"

/* Indices, offsets, lengths and counts are at most GLTF_LARGEST, 2^53, and strides 252: sums and
 * products of them as below stay under 2^64. */
_Static_assert(sizeof(size_t) == 8, "offsets are counted in 64 bits");

typedef struct component_type {
    size_t code; /* OpenGL's */
    unsigned bit;
    size_t size;
    double largest;
    const char *name;
} component_type;

static const component_type component_types[] = {
    {5120, COMPONENT_I8, 1, 127.0, "BYTE"},
    {5121, COMPONENT_U8, 1, 255.0, "UNSIGNED_BYTE"},
    {5122, COMPONENT_I16, 2, 32767.0, "SHORT"},
    {5123, COMPONENT_U16, 2, 65535.0, "UNSIGNED_SHORT"},
    {5125, COMPONENT_U32, 4, 4294967295.0, "UNSIGNED_INT"},
    {5126, COMPONENT_F32, 4, 0.0, "FLOAT"},
};
enum { COMPONENT_TYPES = sizeof component_types / sizeof *component_types };

static const struct {
    const char *name;
    size_t width;
} element_types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
enum { ELEMENT_TYPES = sizeof element_types / sizeof *element_types };

static const component_type *type_of(unsigned bit) {
    const component_type *t = component_types;
    while (t->bit != bit) {
        t++;
    }
    return t;
}

/* ---- layout -------------------------------------------------------------------------------------
 */

typedef struct view {
    const uint8_t *bytes;
    size_t size;
    size_t offset; /* in its buffer */
    size_t stride; /* 0: none given */
} view;

static toile_result open_view(gltf_file *f, const node *index, view *out) {
    size_t i, buffer;
    toile_result result = gltf_get_index(index, f->view_count, "bufferViews", &i);
    if (result != TOILE_OK) {
        return result;
    }
    node at = node_element(&f->buffer_views, i), at_buffer = node_member(&at, "buffer"),
         at_offset = node_member(&at, "byteOffset"), at_size = node_member(&at, "byteLength"),
         at_stride = node_member(&at, "byteStride");
    *out = (view){0};
    result = gltf_get_index(&at_buffer, f->buffer_count, "buffers", &buffer);
    if (result != TOILE_OK) {
        return result;
    }
    const gltf_buffer *b = &f->buffers[buffer];
    result = gltf_get_size_if(&at_offset, 0, b->size, &out->offset);
    if (result == TOILE_OK) {
        result = gltf_get_size(&at_size, 1, b->size - out->offset, &out->size);
    }
    if (result == TOILE_OK) {
        result = gltf_get_size_if(&at_stride, 4, 252, &out->stride);
    }
    if (result == TOILE_OK && out->stride % 4 != 0) {
        return node_error(&at_stride, "expected a multiple of 4, found %zu", out->stride);
    }
    out->bytes = b->bytes + out->offset;
    return result;
}

/* Finds count elements of size bytes: `at` has bufferView and byteOffset. */
static toile_result find_run(gltf_file *f, const node *at, size_t count, size_t size,
                             accessor_run *run) {
    node at_view = node_member(at, "bufferView"), at_offset = node_member(at, "byteOffset");
    view v;
    size_t offset = 0, alignment = type_of(run->component)->size;
    toile_result result = open_view(f, &at_view, &v);
    if (result == TOILE_OK) {
        result = gltf_get_size_if(&at_offset, 0, GLTF_LARGEST, &offset);
    }
    if (result != TOILE_OK) {
        return result;
    }
    run->stride = v.stride ? v.stride : size;
    if (run->stride < size) {
        return node_error(&at_view, "expected a view with a byteStride of at least %zu, found %zu",
                          size, run->stride);
    }
    if (offset % alignment != 0 || (v.offset + offset) % alignment != 0) {
        return node_error(&at_offset, "expected elements at multiples of %zu bytes", alignment);
    }
    size_t needed = offset + run->stride * (count - 1) + size;
    if (needed > v.size) {
        return node_error(at, "needs %zu bytes of its bufferView, which has %zu", needed, v.size);
    }
    run->bytes = v.bytes + offset;
    return TOILE_OK;
}

/* ---- types --------------------------------------------------------------------------------------
 */

static toile_result read_component(const node *at, unsigned allowed, const char *use,
                                   unsigned *out) {
    size_t code;
    toile_result result = gltf_get_size(at, 0, GLTF_LARGEST, &code);
    if (result != TOILE_OK) {
        return result;
    }
    char names[128] = "";
    for (int i = 0; i < COMPONENT_TYPES; i++) {
        const component_type *t = &component_types[i];
        if (!(t->bit & allowed)) {
            continue;
        }
        if (t->code == code) {
            *out = t->bit;
            return TOILE_OK;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%zu (%s)", used ? " or " : "", t->code,
                 t->name);
    }
    return node_error(at, "expected %s for %s, found %zu", names, use, code);
}

static toile_result read_type(const node *at, const accessor_rule *rule, accessor *out) {
    const char *type;
    toile_result result = gltf_get_string_if(at, &type);
    if (result != TOILE_OK) {
        return result;
    }
    if (!type || strcmp(type, rule->type) != 0) {
        return node_error(at, "expected \"%s\" for %s, found %s", rule->type, rule->use,
                          describe_value(at->value).text);
    }
    for (int i = 0; i < ELEMENT_TYPES; i++) {
        out->width = strcmp(type, element_types[i].name) == 0 ? element_types[i].width : out->width;
    }
    return TOILE_OK;
}

static toile_result read_types(const accessor_rule *rule, accessor *out) {
    node at_normalized = node_member(&out->at, "normalized"),
         at_component = node_member(&out->at, "componentType"),
         at_type = node_member(&out->at, "type"), at_count = node_member(&out->at, "count");
    toile_result result = gltf_get_bool_if(&at_normalized, &out->normalized);
    if (result == TOILE_OK) {
        unsigned allowed = out->normalized ? rule->normalized : rule->plain;
        if (!allowed) {
            return node_error(&at_normalized, "expected false for %s", rule->use);
        }
        result = read_component(&at_component, allowed, rule->use, &out->values.component);
    }
    if (result == TOILE_OK) {
        result = read_type(&at_type, rule, out);
    }
    return result == TOILE_OK ? gltf_get_size(&at_count, 1, GLTF_LARGEST, &out->count) : result;
}

/* ---- sparse -------------------------------------------------------------------------------------
 */

static uint32_t get_integer(const accessor_run *run, size_t element, size_t k) {
    const uint8_t *bytes = run->bytes + element * run->stride;
    if (run->component == COMPONENT_U8) {
        return bytes[k];
    }
    if (run->component == COMPONENT_U16) {
        uint16_t value;
        memcpy(&value, bytes + k * sizeof value, sizeof value);
        return value;
    }
    uint32_t value;
    memcpy(&value, bytes + k * sizeof value, sizeof value);
    return value;
}

static toile_result check_sparse_indices(const accessor *a, const node *at) {
    size_t least = 0;
    for (size_t i = 0; i < a->sparse_count; i++) {
        uint32_t index = get_integer(&a->sparse_indices, i, 0);
        if (index < least || index >= a->count) {
            return node_error(at, "index %zu is %u: expected them to rise, from 0 to at most %zu",
                              i, (unsigned)index, a->count - 1);
        }
        least = (size_t)index + 1;
    }
    return TOILE_OK;
}

static toile_result open_sparse(gltf_file *f, size_t size, accessor *out) {
    node at = node_member(&out->at, "sparse");
    if (!at.value) {
        return TOILE_OK;
    }
    node at_count = node_member(&at, "count"), at_indices = node_member(&at, "indices"),
         at_values = node_member(&at, "values"),
         at_component = node_member(&at_indices, "componentType");
    toile_result result = gltf_expect_object(&at);
    if (result == TOILE_OK) {
        result = gltf_get_size(&at_count, 1, out->count, &out->sparse_count);
    }
    if (result == TOILE_OK) {
        result = read_component(&at_component, COMPONENT_U8 | COMPONENT_U16 | COMPONENT_U32,
                                "sparse indices", &out->sparse_indices.component);
    }
    if (result == TOILE_OK) {
        result = find_run(f, &at_indices, out->sparse_count,
                          type_of(out->sparse_indices.component)->size, &out->sparse_indices);
    }
    if (result == TOILE_OK) {
        out->sparse_values.component = out->values.component;
        result = find_run(f, &at_values, out->sparse_count, size, &out->sparse_values);
    }
    return result == TOILE_OK ? check_sparse_indices(out, &at_indices) : result;
}

/* ---- accessors ----------------------------------------------------------------------------------
 */

static toile_result take_values(gltf_file *f, const accessor *a) {
    if (a->count > f->values_left / a->width) {
        return node_error(&a->at, "its %zu elements are too many for a file of this size",
                          a->count);
    }
    f->values_left -= a->count * a->width;
    return TOILE_OK;
}

static toile_result open_values(gltf_file *f, const accessor_rule *rule, size_t size,
                                accessor *out) {
    node at_view = node_member(&out->at, "bufferView"),
         at_offset = node_member(&out->at, "byteOffset");
    if (!at_view.value) { /* zeros */
        return at_offset.value ? node_error(&at_offset, "expected only with a bufferView")
                               : TOILE_OK;
    }
    toile_result result = find_run(f, &out->at, out->count, size, &out->values);
    if (result == TOILE_OK && rule->vertex) {
        size_t offset = 0;
        result = gltf_get_size_if(&at_offset, 0, GLTF_LARGEST, &offset);
        if (offset % 4 != 0 || out->values.stride % 4 != 0) {
            return node_error(&out->at, "expected %s at multiples of 4 bytes", rule->use);
        }
    }
    return result;
}

toile_result accessor_open(gltf_file *f, const node *index, const accessor_rule *rule,
                           accessor *out) {
    size_t i;
    toile_result result = gltf_get_index(index, f->accessor_count, "accessors", &i);
    if (result != TOILE_OK) {
        return result;
    }
    *out = (accessor){.at = node_element(&f->accessors, i)};
    result = gltf_expect_object(&out->at);
    if (result == TOILE_OK) {
        result = read_types(rule, out);
    }
    if (result != TOILE_OK) {
        return result;
    }
    size_t size = out->width * type_of(out->values.component)->size;
    result = open_values(f, rule, size, out);
    if (result == TOILE_OK) {
        result = open_sparse(f, size, out);
    }
    return result == TOILE_OK ? take_values(f, out) : result;
}

toile_result accessor_expect_count(const accessor *a, size_t count, const char *as) {
    if (a->count == count) {
        return TOILE_OK;
    }
    node at = node_member(&a->at, "count");
    return node_error(&at, "expected %zu elements, as %s has, found %zu", count, as, a->count);
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

static float get_float(const accessor_run *run, size_t element, size_t k, bool normalized) {
    const uint8_t *bytes = run->bytes + element * run->stride;
    int8_t i8;
    int16_t i16;
    float value;
    switch (run->component) {
    case COMPONENT_F32:
        memcpy(&value, bytes + k * sizeof value, sizeof value);
        return value;
    case COMPONENT_I8:
        memcpy(&i8, bytes + k, sizeof i8);
        value = i8;
        break;
    case COMPONENT_I16:
        memcpy(&i16, bytes + k * sizeof i16, sizeof i16);
        value = i16;
        break;
    default:
        value = (float)get_integer(run, element, k);
        break;
    }
    return normalized ? fmaxf(value / (float)type_of(run->component)->largest, -1.0f) : value;
}

/* One element, which must be finite. */
static toile_result put_floats(const accessor *a, const accessor_run *run, size_t from, size_t to,
                               float *out) {
    for (size_t k = 0; k < a->width; k++) {
        out[k] = get_float(run, from, k, a->normalized);
        if (!isfinite(out[k])) {
            return node_error(&a->at, "element %zu is not finite", to);
        }
    }
    return TOILE_OK;
}

toile_result accessor_get_floats(const accessor *a, float *out, size_t pitch) {
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < a->count && result == TOILE_OK; i++) {
        if (a->values.bytes) {
            result = put_floats(a, &a->values, i, i, out + i * pitch);
        } else {
            memset(out + i * pitch, 0, a->width * sizeof *out);
        }
    }
    for (size_t i = 0; i < a->sparse_count && result == TOILE_OK; i++) {
        size_t to = get_integer(&a->sparse_indices, i, 0);
        result = put_floats(a, &a->sparse_values, i, to, out + to * pitch);
    }
    return result;
}

void accessor_get_integers(const accessor *a, uint32_t *out, size_t pitch) {
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < a->width; k++) {
            out[i * pitch + k] = a->values.bytes ? get_integer(&a->values, i, k) : 0;
        }
    }
    for (size_t i = 0; i < a->sparse_count; i++) {
        size_t to = get_integer(&a->sparse_indices, i, 0);
        for (size_t k = 0; k < a->width; k++) {
            out[to * pitch + k] = get_integer(&a->sparse_values, i, k);
        }
    }
}

uint32_t accessor_largest(const accessor *a) {
    return (uint32_t)type_of(a->values.component)->largest;
}
