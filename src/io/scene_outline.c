/* The outlines of cloths. Whether they are closed and apart is for the library to say. */
#include <string.h>

#include "io/scene_parse.h"

enum { MOST_POINTS = 262144 };

/* The key that goes with a kind of curve. */
static const struct {
    const char *kind, *key;
} companions[] = {{"arc", "through"}, {"quadratic", "control"}, {"cubic", "controls"}};

static toile_result read_curve(const node *at, const field *list, void *element) {
    toile_curve *curve = element;
    toile_result result = read_fields(at, list->table, curve);
    if (result == TOILE_OK) {
        result = read_kind(at, list->choices, &curve->kind);
    }
    for (size_t i = 0; i < sizeof companions / sizeof companions[0] && result == TOILE_OK; i++) {
        bool kind = json_object_get(at->value, companions[i].kind);
        bool key = json_object_get(at->value, companions[i].key);
        if (kind != key) {
            return node_error(at, "expected %s and %s together, found only %s", companions[i].kind,
                              companions[i].key, kind ? companions[i].kind : companions[i].key);
        }
    }
    return result;
}

toile_result read_curves(const node *at, const field *f, void *out) {
    toile_loop *loop = out;
    void *curves = NULL;
    toile_result result =
        read_list(at, f, read_curve, sizeof(toile_curve), &curves, &loop->curve_count);
    loop->curves = curves;
    return result;
}

toile_result read_controls(const node *at, const field *f, void *out) {
    if (!json_is_array(at->value) || json_array_size(at->value) != 2) {
        return node_error(at, "expected an array of 2 points, found %s",
                          describe_value(at->value).text);
    }
    float(*controls)[2] = out;
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < 2 && result == TOILE_OK; i++) {
        node element = node_element(at, i);
        result = read_pair(&element, f, controls[i]);
    }
    return result;
}

/* A polygon: lines from each point to the next, and from the last to the first. */
toile_result read_points(const node *at, const field *f, void *out) {
    toile_loop *loop = out;
    size_t count;
    toile_result result = check_list(at, &(field){.high = MOST_POINTS}, &count);
    if (result != TOILE_OK) {
        return result;
    }
    if (count < 3) {
        return node_error(at, "expected at least 3 points, found %s",
                          describe_value(at->value).text);
    }
    toile_curve *curves = document_alloc(at->document, count, sizeof *curves);
    if (!curves) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        node element = node_element(at, i);
        result = read_pair(&element, f, curves[(i + count - 1) % count].to);
    }
    memcpy(loop->start, curves[count - 1].to, sizeof loop->start);
    loop->curves = curves;
    loop->curve_count = (int)count;
    return result;
}

static toile_result read_loop(const node *at, const field *list, void *element) {
    toile_result result = read_fields(at, list->table, element);
    if (result != TOILE_OK) {
        return result;
    }
    bool start = json_object_get(at->value, "start");
    bool curves = json_object_get(at->value, "curves");
    bool points = json_object_get(at->value, "points");
    if (points ? start || curves : !(start && curves)) {
        return node_error(at, "expected either points or both start and curves");
    }
    return TOILE_OK;
}

toile_result read_outline(const node *at, const field *f, void *out) {
    scene_cloth *cloth = out;
    void *loops = NULL;
    toile_result result =
        read_list(at, f, read_loop, sizeof(toile_loop), &loops, &cloth->outline.loop_count);
    cloth->outline.loops = loops;
    if (result == TOILE_OK && cloth->outline.loop_count == 0) {
        return node_error(at, "expected at least one loop, found an array of 0");
    }
    return result;
}
