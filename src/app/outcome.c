#include "app/outcome.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/path.h"
#include "base/error.h"
#include "io/file.h"
#include "io/json.h"

enum { LARGEST_REPORT = 1 << 20 };

static toile_result read_values(const char *path, json_t *root, outcome *out) {
    json_t *frames = json_object_get(root, "frames"), *complete = json_object_get(root, "complete"),
           *reasons = json_object_get(root, "reasons");
    double count = json_number_value(frames);
    if (!json_is_number(frames) || !(count >= 0.0 && count < INT32_MAX) ||
        !json_is_boolean(complete) || !json_is_array(reasons)) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' is not the report of a run: expected frames, complete and reasons",
                         path);
    }
    const char *verdict = json_string_value(json_object_get(root, "verdict"));
    *out = (outcome){.there = true,
                     .frames = (uint32_t)count,
                     .complete = json_is_true(complete),
                     .interrupted = verdict && strcmp(verdict, "interrupted") == 0,
                     .reasons = json_incref(reasons)};
    return TOILE_OK;
}

static toile_result read_file(const char *path, outcome *out) {
    uint8_t *bytes;
    size_t size;
    document *d;
    toile_result result = file_read(path, LARGEST_REPORT, &bytes, &size);
    if (result != TOILE_OK) {
        return result;
    }
    result = document_open((const char *)bytes, size, path, &d);
    free(bytes);
    if (result == TOILE_OK) {
        result = read_values(path, d->root, out);
        document_close(d);
    }
    return result;
}

toile_result outcome_read(const char *folder, outcome *out) {
    *out = (outcome){0};
    char *path;
    toile_result result = path_format(&path, "%s/report.json", folder);
    if (result == TOILE_OK && access(path, F_OK) == 0) {
        result = read_file(path, out);
    }
    free(path);
    return result;
}

void outcome_free(outcome *o) {
    json_decref(o->reasons);
    *o = (outcome){0};
}

/* What a reason is about: "cloth 'c': frame 30: strain.max is 0.31, above ..." and the same with
 * the digits of another measure are one. Returns the length of it, and how far the cloth's name
 * goes. */
static size_t subject_of(const char *reason, size_t *name) {
    const char *frame = strstr(reason, ": frame "), *figure = strstr(reason, " is ");
    *name = frame ? (size_t)(frame - reason) : 0;
    return figure ? (size_t)(figure - reason) : strlen(reason);
}

static bool is_same(const char *a, const char *b) {
    size_t a_name, b_name, a_end = subject_of(a, &a_name), b_end = subject_of(b, &b_name);
    size_t a_digits = a_name > 0 ? strspn(a + a_name + 8, "0123456789") + 8 : 0;
    size_t b_digits = b_name > 0 ? strspn(b + b_name + 8, "0123456789") + 8 : 0;
    size_t a_rest = a_name + a_digits, b_rest = b_name + b_digits;
    return a_name == b_name && strncmp(a, b, a_name) == 0 && a_rest <= a_end &&
           a_end - a_rest == b_end - b_rest && strncmp(a + a_rest, b + b_rest, a_end - a_rest) == 0;
}

static bool is_known(const report *r, const char *reason) {
    for (int i = 0; i < r->reason_count; i++) {
        if (is_same(r->reasons[i], reason)) {
            return true;
        }
    }
    return false;
}

void outcome_judge(const outcome *o, uint32_t samples, report *r) {
    r->frames = samples - 1;
    r->complete = o->complete;
    r->interrupted = o->interrupted;
    r->has_complete = true;
    if (!o->there) {
        report_add_reason(r, "there is no report.json: the run did not end");
    } else if (o->frames + 1 != samples) {
        report_add_reason(r, "the motion has %u frames, and report.json says %u",
                          (unsigned)(samples - 1), (unsigned)o->frames);
    }
    size_t i;
    json_t *reason;
    json_array_foreach(o->reasons, i, reason) {
        const char *text = json_string_value(reason);
        if (text && !is_known(r, text)) {
            report_add_reason(r, "%s", text);
        }
    }
}
