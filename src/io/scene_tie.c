/* Ties between cloths. Whether their points are on them is for the library to say. */
#include <string.h>

#include "io/scene_parse.h"

enum { MOST_POINTS = 10000 };

toile_result read_tie_points(const node *at, const field *f, void *out) {
    scene_run *run = out;
    size_t count;
    toile_result result = check_list(at, &(field){.high = MOST_POINTS}, &count);
    if (result != TOILE_OK) {
        return result;
    }
    if (count == 0) {
        return node_error(at, "expected at least one point, found an array of 0");
    }
    float *points = document_alloc(at->document, count, 2 * sizeof *points);
    if (!points) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        node element = node_element(at, i);
        result = read_pair(&element, f, points + 2 * i);
    }
    run->points = points;
    run->point_count = (int)count;
    return result;
}

toile_result read_tie_runs(const node *at, const field *f, void *out) {
    scene_tie *tie = out;
    if (!json_is_array(at->value) || json_array_size(at->value) != 2) {
        return node_error(at, "expected an array of 2 runs, found %s",
                          describe_value(at->value).text);
    }
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < 2 && result == TOILE_OK; i++) {
        node element = node_element(at, i);
        result = read_fields(&element, f->table, &tie->runs[i]);
    }
    return result;
}

static toile_result read_tie(const node *at, const field *list, void *element) {
    scene_tie *tie = element;
    tie->def = toile_default_tie_def();
    return read_fields(at, list->table, tie);
}

toile_result read_ties(const node *at, const field *f, void *out) {
    scene *s = out;
    void *ties = NULL;
    toile_result result = read_list(at, f, read_tie, sizeof(scene_tie), &ties, &s->tie_count);
    s->ties = ties;
    return result;
}
