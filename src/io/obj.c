#include "io/obj.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/file.h"

/* What is read at most: a file of a gigabyte holds a sheet of 2000 x 2000 vertices. */
#define FILE_LIMIT     ((size_t)1 << 30)
#define TRIANGLE_LIMIT ((size_t)1 << 26)

/* ---- writing ------------------------------------------------------------------------------------
 */

/* A name ends at the first blank for most readers, and at the end of the line for all. */
static void write_name(FILE *f, const char *name) {
    fputs("o ", f);
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        fputc(c <= ' ' || c == 127 ? '_' : c, f);
    }
    fputc('\n', f);
}

/* Nine digits bring every float back to the bit. */
static void write_vectors(FILE *f, const char *keyword, const float *values, size_t count,
                          size_t width) {
    for (size_t i = 0; i < count; i++) {
        fputs(keyword, f);
        for (size_t k = 0; k < width; k++) {
            fprintf(f, " %.9g", (double)values[width * i + k]);
        }
        fputc('\n', f);
    }
}

static void write_faces(FILE *f, const mesh_view *mesh) {
    for (size_t t = 0; t < mesh->triangles; t++) {
        fputc('f', f);
        for (size_t corner = 0; corner < 3; corner++) {
            size_t i = (size_t)mesh->indices[3 * t + corner] + 1;
            if (mesh->coordinates && mesh->normals) {
                fprintf(f, " %zu/%zu/%zu", i, i, i);
            } else if (mesh->coordinates) {
                fprintf(f, " %zu/%zu", i, i);
            } else if (mesh->normals) {
                fprintf(f, " %zu//%zu", i, i);
            } else {
                fprintf(f, " %zu", i);
            }
        }
        fputc('\n', f);
    }
}

toile_result obj_write(const char *path, const mesh_view *mesh) {
    file_writer *w;
    toile_result result = file_create(path, &w);
    if (result != TOILE_OK) {
        return result;
    }
    FILE *f = file_stream(w);
    fprintf(f, "# toile %s\n", toile_version());
    if (mesh->name && *mesh->name) {
        write_name(f, mesh->name);
    }
    write_vectors(f, "v", mesh->positions, mesh->vertices, 3);
    if (mesh->coordinates) {
        write_vectors(f, "vt", mesh->coordinates, mesh->vertices, 2);
    }
    if (mesh->normals) {
        write_vectors(f, "vn", mesh->normals, mesh->vertices, 3);
    }
    write_faces(f, mesh);
    return file_commit(w);
}

/* ---- reading ------------------------------------------------------------------------------------
 */

/* An array that grows. */
typedef struct list {
    void *items;
    size_t count, capacity;
} list;

/* One corner of a triangle: what it refers to, from 1, 0 for no vt. */
typedef struct corner {
    uint32_t v, vt;
    uint32_t slot; /* place in the index array of the mesh */
} corner;

/* An index may point to what stands further down, so the largest are checked at the end. */
typedef struct reach {
    uint32_t index;
    size_t line;
} reach;

typedef struct parser {
    const char *name;
    const char *at; /* what is read next */
    const char *end;
    size_t line;
    list positions;   /* 3 floats */
    list coordinates; /* 2 floats */
    list corners;     /* corner, 3 a triangle */
    reach largest_v, largest_vt;
    size_t first_with_vt, first_without_vt; /* lines of faces; 0: none */
} parser;

static toile_result wrong(const parser *p, const char *expected) {
    return error_set(TOILE_ERROR_FORMAT, "%s:%zu: expected %s", p->name, p->line, expected);
}

static toile_result no_memory(const parser *p) {
    return error_set(TOILE_ERROR_MEMORY, "not enough memory to read '%s'", p->name);
}

static bool list_append(list *l, const void *item, size_t size) {
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 256;
        void *items = capacity <= SIZE_MAX / size ? realloc(l->items, capacity * size) : NULL;
        if (!items) {
            return false;
        }
        l->items = items;
        l->capacity = capacity;
    }
    memcpy((char *)l->items + l->count * size, item, size);
    l->count++;
    return true;
}

/* Blanks, and a backslash that continues the line. */
static void skip_blanks(parser *p) {
    for (;;) {
        if (*p->at == ' ' || *p->at == '\t' || *p->at == '\r') {
            p->at++;
        } else if (p->at[0] == '\\' && (p->at[1] == '\n' || strncmp(p->at + 1, "\r\n", 2) == 0)) {
            p->at = strchr(p->at, '\n') + 1;
            p->line++;
        } else {
            return;
        }
    }
}

static bool at_line_end(const parser *p) {
    return p->at >= p->end || *p->at == '\n';
}

static bool at_word_end(const parser *p) {
    return at_line_end(p) || *p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\\';
}

static void skip_line(parser *p) {
    while (!at_line_end(p)) {
        p->at++;
    }
}

static bool read_number(parser *p, float *out) {
    skip_blanks(p);
    if (at_word_end(p) || isspace((unsigned char)*p->at)) {
        return false; /* strtof would look for a number beyond */
    }
    char *end;
    float value = strtof(p->at, &end);
    p->at = end;
    *out = value;
    return at_word_end(p) && isfinite(value);
}

static toile_result read_vertex(parser *p) {
    float v[3];
    if (!read_number(p, &v[0]) || !read_number(p, &v[1]) || !read_number(p, &v[2])) {
        return wrong(p, "three finite numbers after 'v'");
    }
    skip_line(p); /* a weight or a colour may follow */
    return list_append(&p->positions, v, sizeof v) ? TOILE_OK : no_memory(p);
}

static toile_result read_coordinate(parser *p) {
    float v[2] = {0.0f, 0.0f};
    bool good = read_number(p, &v[0]);
    skip_blanks(p);
    if (good && !at_line_end(p)) {
        good = read_number(p, &v[1]);
    }
    if (!good) {
        return wrong(p, "one or two finite numbers after 'vt'");
    }
    skip_line(p);
    return list_append(&p->coordinates, v, sizeof v) ? TOILE_OK : no_memory(p);
}

/* An index counts from 1, or backwards from the last one read when it is negative. */
static bool read_index(parser *p, size_t count, reach *largest, uint32_t *out) {
    if (!isdigit((unsigned char)*p->at) && *p->at != '-') {
        return false;
    }
    char *end;
    errno = 0;
    long long value = strtoll(p->at, &end, 10);
    if (end == p->at || errno == ERANGE) {
        return false;
    }
    p->at = end;
    if (value < 0) {
        value += (long long)count + 1;
    }
    if (value < 1 || value > UINT32_MAX) {
        return false;
    }
    *out = (uint32_t)value;
    if (*out > largest->index) {
        *largest = (reach){*out, p->line};
    }
    return true;
}

/* v, v/vt, v//vn or v/vt/vn. */
static bool read_corner(parser *p, corner *out) {
    *out = (corner){0};
    if (!read_index(p, p->positions.count, &p->largest_v, &out->v)) {
        return false;
    }
    if (*p->at == '/') {
        p->at++;
        if (*p->at != '/' && !read_index(p, p->coordinates.count, &p->largest_vt, &out->vt)) {
            return false;
        }
    }
    if (*p->at == '/') {
        p->at++;
        p->at += strspn(p->at, "-0123456789"); /* normals are not read */
    }
    size_t *first = out->vt ? &p->first_with_vt : &p->first_without_vt;
    *first = *first ? *first : p->line;
    return at_word_end(p);
}

static toile_result add_triangle(parser *p, const corner fan[3]) {
    if (p->corners.count / 3 == TRIANGLE_LIMIT) {
        return error_set(TOILE_ERROR_FORMAT, "%s:%zu: more than the %zu triangles allowed here",
                         p->name, p->line, TRIANGLE_LIMIT);
    }
    for (int k = 0; k < 3; k++) {
        corner c = fan[k];
        c.slot = (uint32_t)p->corners.count;
        if (!list_append(&p->corners, &c, sizeof c)) {
            return no_memory(p);
        }
    }
    return TOILE_OK;
}

static toile_result read_face(parser *p) {
    corner fan[3];
    size_t count = 0;
    for (skip_blanks(p); !at_line_end(p); skip_blanks(p)) {
        size_t k = count < 2 ? count : 2;
        if (!read_corner(p, &fan[k])) {
            return wrong(p, "indices such as 1, 1/1, 1//1 or 1/1/1 of what the file holds");
        }
        if (++count < 3) {
            continue;
        }
        toile_result result = add_triangle(p, fan);
        if (result != TOILE_OK) {
            return result;
        }
        fan[1] = fan[2];
    }
    return count >= 3 ? TOILE_OK : wrong(p, "at least three corners after 'f'");
}

/* Everything but v, vt and f is passed over: it says nothing of the shape. */
static toile_result read_line(parser *p) {
    skip_blanks(p);
    const char *keyword = p->at;
    while (!at_word_end(p)) {
        p->at++;
    }
    size_t length = (size_t)(p->at - keyword);
    if (length == 1 && keyword[0] == 'v') {
        return read_vertex(p);
    }
    if (length == 2 && memcmp(keyword, "vt", 2) == 0) {
        return read_coordinate(p);
    }
    if (length == 1 && keyword[0] == 'f') {
        return read_face(p);
    }
    skip_line(p);
    return TOILE_OK;
}

static toile_result check_reach(const parser *p, reach largest, size_t count, const char *kind) {
    if (largest.index <= count) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_FORMAT, "%s:%zu: '%s' number %u does not exist, the file has %zu",
                     p->name, largest.line, kind, (unsigned)largest.index, count);
}

static toile_result read_lines(parser *p) {
    for (p->line = 1; p->at < p->end; p->line++) {
        toile_result result = read_line(p);
        if (result != TOILE_OK) {
            return result;
        }
        p->at++; /* the end of the line */
    }
    if (p->corners.count == 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has no faces: is it an OBJ file?", p->name);
    }
    if (p->first_with_vt && p->first_without_vt) {
        p->line = p->first_without_vt;
        return wrong(p, "a 'vt' at every corner, as other faces have");
    }
    toile_result result = check_reach(p, p->largest_v, p->positions.count, "v");
    if (result == TOILE_OK) {
        result = check_reach(p, p->largest_vt, p->coordinates.count, "vt");
    }
    return result;
}

static int compare_corners(const void *left, const void *right) {
    const corner *a = left, *b = right;
    if (a->v != b->v) {
        return a->v < b->v ? -1 : 1;
    }
    return (a->vt > b->vt) - (a->vt < b->vt);
}

static bool same_vertex(const corner *a, const corner *b) {
    return compare_corners(a, b) == 0;
}

/* Sorted by (v, vt), equal corners lie side by side and vertices keep the order of the file. A
 * chain per v would be faster on friendly files and quadratic on others. */
static toile_result build_mesh(parser *p, mesh_data *out) {
    corner *corners = p->corners.items;
    size_t count = p->corners.count;
    TOILE_ASSERT(corners && count > 0);
    qsort(corners, count, sizeof *corners, compare_corners);
    size_t vertices = 1;
    for (size_t i = 1; i < count; i++) {
        vertices += !same_vertex(&corners[i - 1], &corners[i]);
    }
    if (!mesh_allocate(out, vertices, count / 3, false, p->first_with_vt)) {
        return no_memory(p);
    }
    const float *positions = p->positions.items;
    const float *coordinates = p->coordinates.items;
    size_t vertex = 0;
    for (size_t i = 0; i < count; i++) {
        const corner *c = &corners[i];
        vertex += i > 0 && !same_vertex(c - 1, c);
        memcpy(out->positions + 3 * vertex, positions + 3 * ((size_t)c->v - 1), 3 * sizeof(float));
        if (out->coordinates) {
            memcpy(out->coordinates + 2 * vertex, coordinates + 2 * ((size_t)c->vt - 1),
                   2 * sizeof(float));
        }
        out->indices[c->slot] = (uint32_t)vertex;
    }
    return TOILE_OK;
}

/* A file of nothing but zero bytes would be one long line. */
static toile_result check_text(parser *p) {
    const char *zero = memchr(p->at, '\0', (size_t)(p->end - p->at));
    if (!zero) {
        return TOILE_OK;
    }
    p->line = 1;
    for (const char *c = p->at; c < zero; c++) {
        p->line += *c == '\n';
    }
    return wrong(p, "text, found a zero byte");
}

toile_result obj_parse(const char *text, size_t length, const char *name, mesh_data *out) {
    parser p = {.name = name, .at = text, .end = text + length};
    toile_result result = check_text(&p);
    if (result == TOILE_OK) {
        result = read_lines(&p);
    }
    if (result == TOILE_OK) {
        result = build_mesh(&p, out);
    }
    free(p.positions.items);
    free(p.coordinates.items);
    free(p.corners.items);
    return result;
}

toile_result obj_read(const char *path, mesh_data *out) {
    uint8_t *bytes;
    size_t size;
    toile_result result = file_read_text(path, FILE_LIMIT, &bytes, &size);
    if (result == TOILE_OK) {
        result = obj_parse((const char *)bytes, size, path, out);
        free(bytes);
    }
    return result;
}
