#include "io/gltf_value.h"

#include <float.h>

#include "io/field.h"

toile_result gltf_expect_object(const node *at) {
    return json_is_object(at->value)
               ? TOILE_OK
               : node_error(at, "expected an object, found %s", describe_value(at->value).text);
}

toile_result gltf_get_length(const node *at, size_t *count) {
    *count = json_array_size(at->value);
    return !at->value || json_is_array(at->value)
               ? TOILE_OK
               : node_error(at, "expected an array, found %s", describe_value(at->value).text);
}

toile_result gltf_get_size(const node *at, size_t low, size_t high, size_t *out) {
    field f = {.low = (double)low, .high = (double)high};
    double number;
    toile_result result = check_whole_number(at, &f, &number);
    if (result == TOILE_OK) {
        *out = (size_t)number;
    }
    return result;
}

toile_result gltf_get_size_if(const node *at, size_t low, size_t high, size_t *out) {
    return at->value ? gltf_get_size(at, low, high, out) : TOILE_OK;
}

toile_result gltf_get_index(const node *at, size_t count, const char *kind, size_t *out) {
    if (count == 0) {
        return node_error(at, "expected an index into %s, of which there are none", kind);
    }
    return gltf_get_size(at, 0, count - 1, out);
}

toile_result gltf_get_index_if(const node *at, size_t count, const char *kind, size_t *out) {
    return at->value ? gltf_get_index(at, count, kind, out) : TOILE_OK;
}

toile_result gltf_get_bool_if(const node *at, bool *out) {
    return at->value ? read_boolean(at, NULL, out) : TOILE_OK;
}

toile_result gltf_get_floats_if(const node *at, size_t count, float *out) {
    if (!at->value) {
        return TOILE_OK;
    }
    if (!json_is_array(at->value) || json_array_size(at->value) != count) {
        return node_error(at, "expected an array of %zu numbers, found %s", count,
                          describe_value(at->value).text);
    }
    const field f = {.low = (double)-FLT_MAX, .high = (double)FLT_MAX};
    for (size_t i = 0; i < count; i++) {
        node element = node_element(at, i);
        toile_result result = read_number(&element, &f, &out[i]);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

toile_result gltf_get_string_if(const node *at, const char **out) {
    *out = NULL;
    return at->value ? check_string(at, "a string", out) : TOILE_OK;
}
