#include "io/sequence.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/json.h"
#include "io/mesh.h"
#include "io/mesh_read.h"
#include "io/obj.h"
#include "io/pc2.h"
#include "io/weld.h"

static const size_t BYTES_LIMIT = (size_t)1 << 30;
enum { NO_FRAME = -1 };

struct sequence {
    double rate, scale, speed, start; /* rate: frames, or samples of the cache, per second */
    bool loop;
    size_t frames;
    mesh_data mesh;    /* of the first frame, welded */
    uint32_t *numbers; /* of the vertices in files: which of the mesh */
    size_t points;     /* vertices in files */
    float *kept;       /* of OBJ files: all frames; NULL: a cache has them */
    pc2_reader *cache;
    float *raw;       /* one sample of the cache */
    float *window[2]; /* two frames of the cache, as they were asked for last */
    long shown[2];    /* their numbers, or NO_FRAME */
};

sequence_def sequence_def_default(void) {
    return (sequence_def){.rate = 30.0, .scale = 1.0, .speed = 1.0, .loop = true};
}

size_t sequence_vertices(const sequence *s) {
    return s->mesh.vertices;
}

size_t sequence_triangles(const sequence *s) {
    return s->mesh.triangles;
}

size_t sequence_frames(const sequence *s) {
    return s->frames;
}

double sequence_length(const sequence *s) {
    return (double)(s->loop ? s->frames : s->frames - 1) / s->rate;
}

const uint32_t *sequence_indices(const sequence *s) {
    return s->mesh.indices;
}

/* ---- names --------------------------------------------------------------------------------------
 */

/* Of a name as snprintf had it to write. */
static toile_result check_length(const char *name, int length) {
    return length >= 0 && length < SEQUENCE_NAME_SIZE
               ? TOILE_OK
               : error_set(TOILE_ERROR_INVALID,
                           "the name of a file begins with '%.40s' and has %d bytes: expected at "
                           "most %d",
                           make_printable(name).text, length, SEQUENCE_NAME_SIZE - 1);
}

/* The pattern is a stranger's, so that printf is not asked. */
toile_result sequence_name(const char *pattern, long number, char *out) {
    const char *percent = strchr(pattern, '%');
    size_t digits = 0;
    const char *rest = percent ? percent + 1 : NULL;
    for (; rest && isdigit((unsigned char)*rest) && digits < 10; rest++) {
        digits = 10 * digits + (size_t)(*rest - '0');
    }
    bool padded = percent && percent[1] == '0';
    if (!rest || *rest != 'd' || strchr(rest, '%') || digits > 9 || (digits > 0 && !padded)) {
        return error_set(TOILE_ERROR_INVALID,
                         "expected the name of files with one %%d, or %%04d, found '%s'",
                         make_printable(pattern).text);
    }
    int length = snprintf(out, SEQUENCE_NAME_SIZE, "%.*s%0*ld%s", (int)(percent - pattern), pattern,
                          (int)digits, number, rest + 1);
    return check_length(out, length);
}

static toile_result frame_name(const sequence_def *def, size_t frame, char *out) {
    if (def->pattern) {
        return sequence_name(def->pattern, def->first + (long)frame, out);
    }
    return check_length(out, snprintf(out, SEQUENCE_NAME_SIZE, "%s", def->files[frame]));
}

/* ---- OBJ files ----------------------------------------------------------------------------------
 */

static void put_frame(const sequence *s, const float *points, float *out) {
    for (size_t v = s->points; v-- > 0;) { /* backwards: the first of those at one place stays */
        for (size_t k = 0; k < 3; k++) {
            out[3 * (size_t)s->numbers[v] + k] = (float)(s->scale * (double)points[3 * v + k]);
        }
    }
}

/* Takes the mesh over and welds it. */
static toile_result take_mesh(sequence *s, mesh_data *mesh, const char *name) {
    s->mesh = *mesh;
    s->points = mesh->vertices;
    *mesh = (mesh_data){0};
    s->numbers = memory_alloc(s->points, sizeof *s->numbers, "a mesh sequence");
    toile_result result = s->numbers ? mesh_weld_numbers(&s->mesh, s->numbers) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK && s->mesh.triangles == 0) {
        result = error_set(TOILE_ERROR_FORMAT, "'%s' has no triangles", name);
    }
    return result;
}

typedef struct obj_frames {
    uint32_t *indices; /* of the first file, not welded */
    size_t triangles;
    char first[SEQUENCE_NAME_SIZE];
} obj_frames;

static toile_result keep_first(sequence *s, obj_frames *f, mesh_data *mesh, const char *name) {
    size_t bytes = 3 * mesh->triangles * sizeof *f->indices;
    f->triangles = mesh->triangles;
    f->indices = memory_alloc(3 * mesh->triangles, sizeof *f->indices, "a mesh sequence");
    if (!f->indices) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(f->indices, mesh->indices, bytes);
    snprintf(f->first, sizeof f->first, "%s", name);
    float *points = mesh->positions; /* welding packs them: a copy */
    float *copy = memory_alloc(3 * mesh->vertices, sizeof *copy, "a mesh sequence");
    if (!copy) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(copy, points, 3 * mesh->vertices * sizeof *copy);
    toile_result result = take_mesh(s, mesh, name);
    size_t frame_bytes = 3 * s->mesh.vertices * sizeof(float);
    if (result == TOILE_OK && s->frames > BYTES_LIMIT / frame_bytes) {
        result = error_set(TOILE_ERROR_INVALID,
                           "'%s' and the %zu frames after it take more than %zu MiB: expected a "
                           "PC2 file for so many",
                           name, s->frames - 1, BYTES_LIMIT >> 20);
    }
    if (result == TOILE_OK) {
        s->kept = memory_alloc(s->frames, frame_bytes, "a mesh sequence");
        result = s->kept ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    if (result == TOILE_OK) {
        put_frame(s, copy, s->kept);
    }
    free(copy);
    return result;
}

static toile_result keep_frame(sequence *s, obj_frames *f, size_t frame, mesh_data *mesh,
                               const char *name) {
    if (frame == 0) {
        return keep_first(s, f, mesh, name);
    }
    if (mesh->vertices != s->points || mesh->triangles != f->triangles) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' has %zu vertices and %zu triangles: expected %zu and %zu, as '%s' "
                         "has",
                         name, mesh->vertices, mesh->triangles, s->points, f->triangles, f->first);
    }
    if (memcmp(mesh->indices, f->indices, 3 * f->triangles * sizeof *f->indices) != 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has other triangles than '%s'", name, f->first);
    }
    put_frame(s, mesh->positions, s->kept + 3 * s->mesh.vertices * frame);
    return TOILE_OK;
}

static toile_result read_files(sequence *s, const sequence_def *def) {
    obj_frames f = {0};
    toile_result result = TOILE_OK;
    for (size_t frame = 0; frame < s->frames && result == TOILE_OK; frame++) {
        char name[SEQUENCE_NAME_SIZE];
        mesh_data mesh = {0};
        result = frame_name(def, frame, name);
        result = result == TOILE_OK ? obj_read(name, &mesh) : result;
        result = result == TOILE_OK ? keep_frame(s, &f, frame, &mesh, name) : result;
        mesh_free(&mesh);
    }
    free(f.indices);
    return result;
}

/* ---- point caches -------------------------------------------------------------------------------
 */

/* Points are the vertices of the file, or those that are left when seams are welded: programs that
 * write caches do not know of seams. */
static toile_result match_points(sequence *s, const sequence_def *def, size_t points) {
    if (s->points == points) {
        return TOILE_OK;
    }
    if (s->mesh.vertices != points) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' has %zu points: expected %zu, one for each vertex of '%s', or %zu, "
                         "one for each place",
                         def->cache, points, s->points, def->base, s->mesh.vertices);
    }
    s->points = points;
    for (size_t v = 0; v < points; v++) {
        s->numbers[v] = (uint32_t)v;
    }
    return TOILE_OK;
}

static toile_result open_cache(sequence *s, const sequence_def *def) {
    mesh_data mesh = {0};
    toile_result result = mesh_read(def->base, &mesh);
    result = result == TOILE_OK ? take_mesh(s, &mesh, def->base) : result;
    mesh_free(&mesh);
    result = result == TOILE_OK ? pc2_open(def->cache, &s->cache) : result;
    if (result != TOILE_OK) {
        return result;
    }
    pc2_info info = pc2_get_info(s->cache);
    if (info.samples == 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has no samples", def->cache);
    }
    s->frames = info.samples;
    s->rate = info.rate > 0.0f ? s->rate / (double)info.rate : s->rate;
    s->raw = memory_alloc(3 * (size_t)info.points, sizeof *s->raw, "a mesh sequence");
    for (int i = 0; i < 2; i++) {
        s->shown[i] = NO_FRAME;
        s->window[i] = memory_alloc(3 * s->mesh.vertices, sizeof *s->window[i], "a mesh sequence");
    }
    return s->raw && s->window[0] && s->window[1] ? match_points(s, def, info.points)
                                                  : TOILE_ERROR_MEMORY;
}

/* The frame in one of the two windows; the other one stays. */
static toile_result load_frame(sequence *s, size_t frame, int keep, int *out) {
    for (int i = 0; i < 2; i++) {
        if (s->shown[i] == (long)frame) {
            *out = i;
            return TOILE_OK;
        }
    }
    int window = keep == 0 ? 1 : 0;
    s->shown[window] = NO_FRAME;
    toile_result result = pc2_read(s->cache, (uint32_t)frame, s->raw);
    if (result != TOILE_OK) {
        return result;
    }
    put_frame(s, s->raw, s->window[window]);
    s->shown[window] = (long)frame;
    *out = window;
    return TOILE_OK;
}

static toile_result find_frames(sequence *s, const size_t frames[2], const float *found[2]) {
    if (s->kept) {
        found[0] = s->kept + 3 * s->mesh.vertices * frames[0];
        found[1] = s->kept + 3 * s->mesh.vertices * frames[1];
        return TOILE_OK;
    }
    int first = 0, second = 0;
    bool swapped = s->shown[0] == (long)frames[1]; /* what is there already must not go */
    toile_result result = load_frame(s, frames[0], swapped ? 0 : 1, &first);
    result = result == TOILE_OK ? load_frame(s, frames[1], first, &second) : result;
    found[0] = s->window[first];
    found[1] = s->window[second];
    return result;
}

/* ---- sampling -----------------------------------------------------------------------------------
 */

toile_result sequence_sample(sequence *s, double time, float *positions) {
    double count = (double)s->frames, at = (s->start + s->speed * time) * s->rate;
    at = s->loop ? at - count * floor(at / count) : at;
    at = fmin(fmax(at, 0.0), s->loop ? count : count - 1.0);
    double whole = floor(at);
    size_t first = (size_t)whole % s->frames, next = (first + 1) % s->frames;
    float part = (float)(at - whole);
    const size_t frames[2] = {first, part > 0.0f ? next : first};
    const float *found[2];
    toile_result result = find_frames(s, frames, found);
    for (size_t i = 0; i < 3 * s->mesh.vertices && result == TOILE_OK; i++) {
        positions[i] = (1.0f - part) * found[0][i] + part * found[1][i];
    }
    return result;
}

/* ---- opening ------------------------------------------------------------------------------------
 */

static toile_result check_number(const char *what, double value, double low, double high) {
    return value >= low && value <= high
               ? TOILE_OK
               : error_set(TOILE_ERROR_INVALID, "mesh sequence: %s: expected %g to %g, found %g",
                           what, low, high, value);
}

static toile_result check_def(const sequence_def *def) {
    toile_result result = check_number("rate", def->rate, 1e-3, 1e6);
    result = result == TOILE_OK ? check_number("scale", def->scale, 1e-6, 1e6) : result;
    result = result == TOILE_OK ? check_number("speed", def->speed, -100.0, 100.0) : result;
    result = result == TOILE_OK ? check_number("start", def->start, -1e6, 1e6) : result;
    if (result == TOILE_OK && def->pattern) {
        result = check_number("first", (double)def->first, 0.0, 999999999.0);
        result = result == TOILE_OK
                     ? check_number("last", (double)def->last, (double)def->first, 999999999.0)
                     : result;
    }
    int kinds = (def->files && def->file_count > 0) + (def->pattern != NULL) +
                (def->base != NULL && def->cache != NULL);
    if (result == TOILE_OK && kinds != 1) {
        return error_set(TOILE_ERROR_INVALID,
                         "mesh sequence: expected names of files, or a pattern of names, or a mesh "
                         "with a point cache");
    }
    return result;
}

toile_result sequence_open(const sequence_def *def, sequence **out) {
    toile_result result = check_def(def);
    sequence *s = result == TOILE_OK ? memory_alloc(1, sizeof *s, "a mesh sequence") : NULL;
    if (!s) {
        return result == TOILE_OK ? TOILE_ERROR_MEMORY : result;
    }
    s->rate = def->rate;
    s->scale = def->scale;
    s->speed = def->speed;
    s->start = def->start;
    s->loop = def->loop;
    s->frames = def->pattern ? (size_t)(def->last - def->first) + 1 : def->file_count;
    result = def->cache && !def->pattern && !def->files ? open_cache(s, def) : read_files(s, def);
    if (result != TOILE_OK) {
        sequence_close(s);
        return result;
    }
    *out = s;
    return TOILE_OK;
}

void sequence_close(sequence *s) {
    if (!s) {
        return;
    }
    mesh_free(&s->mesh);
    free(s->numbers);
    free(s->kept);
    pc2_free(s->cache);
    free(s->raw);
    free(s->window[0]);
    free(s->window[1]);
    free(s);
}
