#include "cook/triangulate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#ifdef TOILE_GTS
#include "cook/delaunay.h"
#include "cook/lattice.h"
#endif

/* More are refused before anything is built. */
static const double VERTICES_MAX = 5e7;

static toile_result check_edge(double edge) {
    if (!(edge > 0.0 && isfinite(edge))) {
        return error_set(TOILE_ERROR_INVALID,
                         "triangles %g m wide: expected a positive number of metres", edge);
    }
    return TOILE_OK;
}

/* glib ends the process when memory runs out, so this asks before. */
static toile_result check_size(double vertices, double bytes_a_vertex, double edge) {
    double bytes = vertices * bytes_a_vertex, have = (double)memory_machine_bytes();
    if (!(vertices <= VERTICES_MAX) || (have > 0.0 && bytes > 0.5 * have)) {
        return error_set(TOILE_ERROR_MEMORY,
                         "triangles %g m wide make about %.3g vertices, which need %.3g GB: "
                         "expected at most %.3g vertices and %.3g GB, with larger triangles",
                         edge, vertices, bytes / 1e9, VERTICES_MAX, 0.5 * have / 1e9);
    }
    return TOILE_OK;
}

/* ---- rectangles --------------------------------------------------------------------------------
 */

/* How many cells of about `edge` a side takes. */
static double count_cells(double size, double edge) {
    return fmax(round(size / edge), 1.0);
}

toile_result triangulate_rectangle(double width, double height, double edge, flat_mesh *mesh) {
    *mesh = (flat_mesh){0};
    if (!(width > 0.0 && height > 0.0 && isfinite(width) && isfinite(height))) {
        return error_set(TOILE_ERROR_INVALID,
                         "a rectangle of %g x %g m: expected positive numbers of metres", width,
                         height);
    }
    toile_result result = check_edge(edge);
    if (result != TOILE_OK) {
        return result;
    }
    double cells_u = count_cells(width, edge), cells_v = count_cells(height, edge);
    result = check_size((cells_u + 1.0) * (cells_v + 1.0), 32.0, edge);
    if (result != TOILE_OK) {
        return result;
    }
    uint32_t columns = (uint32_t)cells_u + 1, rows = (uint32_t)cells_v + 1;
    result = flat_mesh_allocate(mesh, columns * rows, 2 * (columns - 1) * (rows - 1));
    if (result != TOILE_OK) {
        return result;
    }
    float *uv = mesh->uv;
    uint32_t *t = mesh->indices;
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            *uv++ = (float)(width * i / cells_u);
            *uv++ = (float)(height * j / cells_v);
            if (i + 1 == columns || j + 1 == rows) {
                continue;
            }
            /* Diagonals alternate, so that the mesh bends alike along both. */
            uint32_t a = j * columns + i, b = a + 1, c = a + columns, d = c + 1;
            const uint32_t both[2][6] = {{a, b, d, a, d, c}, {a, b, c, b, d, c}};
            memcpy(t, both[(i + j) & 1], sizeof both[0]);
            t += 6;
        }
    }
    return TOILE_OK;
}

/* ---- outlines ----------------------------------------------------------------------------------
 */

#ifdef TOILE_GTS

/* Angles below this are mended: the largest bound for which Ruppert's refinement is known to end.
 */
static const double ANGLE = 20.7; /* degrees */

/* And circles through the corners of a triangle above this many edges: about 1.4 times the one of
 * an equilateral triangle. */
static const double RADIUS = 0.8;

/* How near to the outline points inside may be, in edges. Pieces of the outline are at most one
 * long, so at more than half of that the pieces are edges of the Delaunay triangulation. */
static const double CLEARANCE = 0.6;

/* No piece of the outline is cut to less than this many edges, unless it has finer detail. */
static const double SHORTEST = 0.0625;

/* What GTS takes for a vertex with its faces, edges and lists. */
static const double BYTES_A_VERTEX = 1200.0;

typedef struct fill {
    const outline *o;
    double edge;
    float (*points)[2]; /* from the lower left corner of the box; the outline's first */
    size_t point_count, border_count;
    uint32_t *loop_ends;
    uint32_t *order;
    double shortest; /* m, of the pieces */
    lattice lattice;
} fill;

static double pieces_of(const double *a, const double *b, double edge) {
    return fmax(ceil(hypot(b[0] - a[0], b[1] - a[1]) / edge - 1e-9), 1.0);
}

static const double *point_after(const outline *o, uint32_t begin, uint32_t end, uint32_t i) {
    return o->points[i + 1 < end ? i + 1 : begin];
}

static double count_pieces(const outline *o, uint32_t begin, uint32_t end, double edge) {
    double count = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        count += pieces_of(o->points[i], point_after(o, begin, end, i), edge);
    }
    return count;
}

static double count_border(const outline *o, double edge) {
    double count = 0.0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        count += count_pieces(o, loop > 0 ? o->loop_ends[loop - 1] : 0, o->loop_ends[loop], edge);
    }
    return count;
}

/* Vertices there will be, roughly. Rows of the lattice count even where nothing is inside. */
static double estimate(const outline *o, double edge) {
    double inside = o->area / (sqrt(0.75) * edge * edge);
    double across = fmax(o->high[0] - o->low[0], o->high[1] - o->low[1]) / edge;
    return count_border(o, edge) + fmax(inside, across);
}

static void add_point(fill *f, double u, double v) {
    float *p = f->points[f->point_count++];
    p[0] = (float)(u - f->o->low[0]);
    p[1] = (float)(v - f->o->low[1]);
}

static bool same_point(const float *a, const float *b) {
    return a[0] == b[0] && a[1] == b[1];
}

/* Cuts long sides evenly. Points that fall together in single precision become one. */
static toile_result cut_outline(fill *f) {
    const outline *o = f->o;
    uint32_t begin = 0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t end = o->loop_ends[loop];
        size_t first = f->point_count;
        for (uint32_t i = begin; i < end; i++) {
            const double *a = o->points[i], *b = point_after(o, begin, end, i);
            uint32_t pieces = (uint32_t)pieces_of(a, b, f->edge);
            for (uint32_t k = 0; k < pieces; k++) {
                double s = (double)k / pieces;
                add_point(f, a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]));
                const float *p = f->points[f->point_count - 1];
                if (f->point_count - 1 > first && same_point(p, p - 2)) {
                    f->point_count--;
                }
            }
        }
        if (f->point_count - first > 1 &&
            same_point(f->points[first], f->points[f->point_count - 1])) {
            f->point_count--;
        }
        if (f->point_count - first < 3) {
            return error_set(TOILE_ERROR_INVALID,
                             "outline: loop %d is too small to have three points in single "
                             "precision",
                             loop);
        }
        f->loop_ends[loop] = (uint32_t)f->point_count;
        begin = end;
    }
    f->border_count = f->point_count;
    return TOILE_OK;
}

static void measure_pieces(fill *f) {
    f->shortest = INFINITY;
    size_t begin = 0;
    for (int loop = 0; loop < f->o->loop_count; loop++) {
        size_t end = f->loop_ends[loop];
        for (size_t i = begin; i < end; i++) {
            const float *a = f->points[i], *b = f->points[i + 1 < end ? i + 1 : begin];
            f->shortest =
                fmin(f->shortest, hypot((double)b[0] - (double)a[0], (double)b[1] - (double)a[1]));
        }
        begin = end;
    }
}

/* A point to insert. The triangulation is made coarse first, points of higher levels before those
 * between them, so no vertex has more than a few neighbours at any time; points of a level in rows
 * to and fro, so each is found from the one before in a few steps. */
typedef struct turn {
    int level;
    int32_t row, column;
    uint32_t point;
} turn;

enum { LEVELS = 16 };

/* How often a number can be halved. */
static int level_of(int32_t number) {
    int level = 0;
    while (level < LEVELS && !((uint32_t)number >> level & 1)) {
        level++;
    }
    return level;
}

static int by_turn(const void *a, const void *b) {
    const turn *x = a, *y = b;
    if (x->level != y->level) {
        return x->level > y->level ? -1 : 1;
    }
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    int forth = (x->row >> x->level & 1) ? -1 : 1;
    return x->column < y->column ? -forth : x->column > y->column ? forth : 0;
}

static void order_border(fill *f, size_t first) {
    uint32_t *next = f->order + first;
    for (int level = LEVELS; level >= 0; level--) {
        for (uint32_t i = 0; i < f->border_count; i++) {
            if (level_of((int32_t)i) == level) {
                *next++ = i;
            }
        }
    }
}

/* Adds what is left of the lattice behind the outline. It is inserted before: points of a smooth
 * outline alone lie nearly on a circle, and some would be neighbours of thousands. */
static toile_result add_lattice(fill *f) {
    const lattice *l = &f->lattice;
    turn *turns = memory_alloc(l->point_count + 1, sizeof *turns, "points of a lattice");
    if (!turns) {
        return TOILE_ERROR_MEMORY;
    }
    size_t count = 0, run = 0;
    for (int32_t row = 0; row < l->rows; row++) {
        for (; run < l->row_ends[row]; run++) {
            const lattice_run *r = &l->runs[run];
            for (uint32_t i = 0; i < r->count; i++) {
                if (l->gone[r->start + i]) {
                    continue;
                }
                int32_t column = r->first + (int32_t)i;
                int level = level_of(row), across = level_of(column);
                turns[count++] =
                    (turn){level < across ? level : across, row, column, (uint32_t)f->point_count};
                double point[2];
                lattice_place(l, column, row, point);
                add_point(f, point[0], point[1]);
            }
        }
    }
    qsort(turns, count, sizeof *turns, by_turn);
    for (size_t i = 0; i < count; i++) {
        f->order[i] = turns[i].point;
    }
    order_border(f, count);
    free(turns);
    return TOILE_OK;
}

static toile_result prepare(fill *f) {
    toile_result result = lattice_create(&f->lattice, f->o, f->edge, CLEARANCE * f->edge);
    if (result != TOILE_OK) {
        return result;
    }
    size_t most = (size_t)count_border(f->o, f->edge) + f->lattice.point_count;
    f->points = memory_alloc(most, sizeof *f->points, "points of a panel");
    f->order = memory_alloc(most, sizeof *f->order, "points of a panel");
    f->loop_ends = memory_alloc((size_t)f->o->loop_count, sizeof *f->loop_ends, "loops of a panel");
    if (!f->points || !f->order || !f->loop_ends) {
        return TOILE_ERROR_MEMORY;
    }
    result = cut_outline(f);
    if (result != TOILE_OK) {
        return result;
    }
    measure_pieces(f);
    return add_lattice(f);
}

static void fill_free(fill *f) {
    lattice_free(&f->lattice);
    free(f->points);
    free(f->order);
    free(f->loop_ends);
}

/* ---- order of what comes out ---- */

typedef struct place {
    float u, v;
    uint32_t vertex;
} place;

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->v != y->v) {
        return x->v < y->v ? -1 : 1;
    }
    return (x->u > y->u) - (x->u < y->u);
}

static int by_indices(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

/* Vertices from the bottom up and left to right, triangles by their first vertex: neighbours are
 * near in memory. */
static toile_result sort_mesh(flat_mesh *mesh) {
    place *places = memory_alloc(mesh->vertex_count, sizeof *places, "vertices of a flat mesh");
    uint32_t *renamed = memory_alloc(mesh->vertex_count, sizeof *renamed, "vertices of a mesh");
    if (!places || !renamed) {
        free(places);
        free(renamed);
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        places[i] = (place){mesh->uv[2 * i], mesh->uv[2 * i + 1], i};
    }
    qsort(places, mesh->vertex_count, sizeof *places, by_place);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        mesh->uv[2 * i] = places[i].u;
        mesh->uv[2 * i + 1] = places[i].v;
        renamed[places[i].vertex] = i;
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t *t = mesh->indices + 3 * (size_t)i, first = 0, old[3];
        for (uint32_t k = 0; k < 3; k++) {
            old[k] = renamed[t[k]];
            first = old[k] < old[first] ? k : first;
        }
        for (uint32_t k = 0; k < 3; k++) {
            t[k] = old[(first + k) % 3];
        }
    }
    qsort(mesh->indices, mesh->triangle_count, 3 * sizeof *mesh->indices, by_indices);
    free(places);
    free(renamed);
    return TOILE_OK;
}

toile_result triangulate(const outline *o, double edge, flat_mesh *mesh) {
    *mesh = (flat_mesh){0};
    toile_result result = check_edge(edge);
    if (result == TOILE_OK) {
        result = check_size(estimate(o, edge), BYTES_A_VERTEX, edge);
    }
    if (result != TOILE_OK) {
        return result;
    }
    fill f = {.o = o, .edge = edge};
    result = prepare(&f);
    if (result == TOILE_OK) {
        delaunay_def def = {.points = (const float(*)[2])f.points,
                            .point_count = (uint32_t)f.point_count,
                            .loop_ends = f.loop_ends,
                            .loop_count = o->loop_count,
                            .order = f.order,
                            .angle = ANGLE,
                            .radius = RADIUS * edge,
                            .shortest = fmin(0.5 * f.shortest, SHORTEST * edge)};
        result = delaunay_create(&def, mesh);
    }
    fill_free(&f);
    if (result == TOILE_OK) {
        result = sort_mesh(mesh);
    }
    if (result != TOILE_OK) {
        flat_mesh_free(mesh);
    }
    return result;
}

#else

toile_result triangulate(const outline *o, double edge, flat_mesh *mesh) {
    (void)o;
    *mesh = (flat_mesh){0};
    toile_result result = check_edge(edge);
    return result != TOILE_OK
               ? result
               : error_set(TOILE_ERROR_UNAVAILABLE,
                           "this build cannot triangulate outlines, only rectangles: it was made "
                           "without GTS (TOILE_GTS)");
}

#endif
