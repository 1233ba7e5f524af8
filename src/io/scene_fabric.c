/* Fabrics by name: presets of the library, those a scene defines, and objects that change some
 * values of another. */
#include <string.h>

#include "io/scene_parse.h"

/* How many fabrics may stand on each other's shoulders. */
enum { LONGEST_CHAIN = 16 };

/* One number for both directions, or [warp, weft]. */
toile_result read_stretch(const node *at, const field *f, void *out) {
    float *stretch = out;
    if (json_is_array(at->value)) {
        return read_pair(at, f, stretch);
    }
    toile_result result = read_number(at, f, &stretch[0]);
    stretch[1] = stretch[0];
    return result;
}

static bool is_preset(const char *name) {
    for (int i = 0; i < toile_fabric_count(); i++) {
        if (strcmp(toile_fabric_name(i), name) == 0) {
            return true;
        }
    }
    return false;
}

static node fabrics_of_scene(const node *root) {
    return node_member(root, "fabrics");
}

static toile_result unknown_fabric(const node *at, const char *name) {
    const char *nearest = NULL;
    for (int i = 0; i < toile_fabric_count(); i++) {
        nearest = nearer_word(name, nearest, toile_fabric_name(i));
    }
    node root = node_root(at->document);
    const char *own;
    json_t *value;
    json_object_foreach(fabrics_of_scene(&root).value, own, value) {
        nearest = nearer_word(name, nearest, own);
    }
    if (nearest) {
        return node_error(at, "unknown fabric \"%s\", did you mean \"%s\"?",
                          make_printable(name).text, make_printable(nearest).text);
    }
    toile_fabric_named(name); /* for its message, which lists the presets */
    node_error_prefix(at);
    return TOILE_ERROR_INVALID;
}

/* The name a fabric object is based on. */
static toile_result base_name(const node *at, const char **name) {
    node base = node_member(at, "base");
    *name = "cotton";
    return base.value ? check_string(&base, "the name of a fabric", name) : TOILE_OK;
}

/* Follows the bases up to a preset, then applies what each fabric changes on the way back. */
static toile_result fabric_by_name(const node *at, const char *name, toile_fabric *out) {
    node root = node_root(at->document);
    node fabrics = fabrics_of_scene(&root);
    node chain[LONGEST_CHAIN];
    node base = *at;
    int length = 0;
    while (json_object_get(fabrics.value, name)) {
        for (int i = 0; i < length; i++) {
            if (strcmp(chain[i].key, name) == 0) {
                return node_error(&base, "fabric \"%s\" is based on itself",
                                  make_printable(name).text);
            }
        }
        if (length == LONGEST_CHAIN) {
            return node_error(at, "expected at most %d fabrics based on each other, found more",
                              LONGEST_CHAIN);
        }
        chain[length] = node_member(&fabrics, name);
        base = node_member(&chain[length], "base");
        toile_result result = base_name(&chain[length++], &name);
        if (result != TOILE_OK) {
            return result;
        }
    }
    if (!is_preset(name)) {
        return unknown_fabric(&base, name);
    }
    *out = toile_fabric_named(name);
    while (length-- > 0) {
        toile_result result = read_fields(&chain[length], &fabric_table, out);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

/* The base was applied before the other fields were read. */
toile_result read_base(const node *at, const field *f, void *out) {
    (void)at, (void)f, (void)out;
    return TOILE_OK;
}

toile_result read_fabric(const node *at, const field *f, void *out) {
    const char *name = json_string_value(at->value);
    if (name) {
        return fabric_by_name(at, name, out);
    }
    if (!json_is_object(at->value)) {
        return node_error(at, "expected the name of a fabric or an object, found %s",
                          describe_value(at->value).text);
    }
    toile_result result = base_name(at, &name);
    if (result == TOILE_OK) {
        node base = node_member(at, "base");
        result = fabric_by_name(&base, name, out);
    }
    return result == TOILE_OK ? read_fields(at, f->table, out) : result;
}

toile_result read_fabrics(const node *at, const field *f, void *out) {
    (void)f, (void)out;
    if (!json_is_object(at->value)) {
        return node_error(at, "expected an object of fabrics by name, found %s",
                          describe_value(at->value).text);
    }
    const char *name;
    json_t *value;
    json_object_foreach(at->value, name, value) {
        node own = node_member(at, name);
        if (name[0] == '\0') {
            return node_error(&own, "expected a name, found none");
        }
        if (is_preset(name)) {
            return node_error(&own, "expected a new name, found that of a preset");
        }
        toile_fabric fabric;
        toile_result result = fabric_by_name(&own, name, &fabric);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}
