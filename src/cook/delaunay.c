#include "cook/delaunay.h"

#include <gts.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* GTS sets its classes up on first use and has flags for the whole process: one thread at a time.
 */
static pthread_mutex_t gts_lock = PTHREAD_MUTEX_INITIALIZER;

enum { NOWHERE = UINT32_MAX };

/* A piece of a loop from vertex a to vertex b. The edge is made before there are triangles: GTS
 * takes an edge that connects two vertices already for every triangle it makes there, and never
 * swaps a constraint. */
typedef struct segment {
    GtsEdge *edge;
    uint32_t a, b;
} segment;

typedef struct corners {
    uint32_t of[3]; /* vertices of a triangle, counter-clockwise */
} corners;

/* All that is kept in arrays is numbered in the order it was made in. GTS keeps faces in tables by
 * address, so nothing here may ask it for all of them: the order would change from run to run. That
 * is also why gts_delaunay_refine is not used. */
typedef struct delaunay {
    const delaunay_def *def;
    GtsSurface *surface;
    GtsFace *guess; /* near the vertex inserted last */
    GtsVertex **vertices;
    uint32_t *leaving; /* the segment that begins at each vertex; NOWHERE inside */
    size_t vertex_count, vertex_capacity, leaving_capacity;
    segment *segments;
    size_t segment_count, segment_capacity;
    corners *triangles; /* a list that is worked through */
    size_t triangle_count, triangle_capacity;
} delaunay;

/* The number of a vertex, and that of a segment, stand in the field that GTS leaves to whoever
 * works on an object. */
static uint32_t number(GtsVertex *v) {
    return GPOINTER_TO_UINT(GTS_OBJECT(v)->reserved);
}

static double distance(GtsVertex *a, GtsVertex *b) {
    return hypot(GTS_POINT(a)->x - GTS_POINT(b)->x, GTS_POINT(a)->y - GTS_POINT(b)->y);
}

static GtsVertex *other_end(GtsEdge *e, GtsVertex *v) {
    GtsSegment *s = GTS_SEGMENT(e);
    return s->v1 == v ? s->v2 : s->v1;
}

/* ---- building ---------------------------------------------------------------------------------
 */

static GtsVertex *make_vertex(double u, double v, uint32_t num) {
    GtsVertex *vertex = gts_vertex_new(gts_vertex_class(), u, v, 0.0);
    GTS_OBJECT(vertex)->reserved = GUINT_TO_POINTER(num);
    return vertex;
}

static toile_result add_vertex(delaunay *d, double u, double v) {
    GtsVertex **vertices = memory_grow(d->vertices, d->vertex_count, &d->vertex_capacity,
                                       sizeof(GtsVertex *), "vertices of a triangulation");
    if (!vertices) {
        return TOILE_ERROR_MEMORY;
    }
    d->vertices = vertices;
    uint32_t *leaving = memory_grow(d->leaving, d->vertex_count, &d->leaving_capacity,
                                    sizeof *leaving, "vertices of a triangulation");
    if (!leaving) {
        return TOILE_ERROR_MEMORY;
    }
    d->leaving = leaving;
    d->leaving[d->vertex_count] = NOWHERE;
    d->vertices[d->vertex_count] = make_vertex(u, v, (uint32_t)d->vertex_count);
    d->vertex_count++;
    return TOILE_OK;
}

static void set_segment(delaunay *d, size_t at, uint32_t a, uint32_t b) {
    GtsEdge *edge =
        gts_edge_new(GTS_EDGE_CLASS(gts_constraint_class()), d->vertices[a], d->vertices[b]);
    GTS_OBJECT(edge)->reserved = GUINT_TO_POINTER((guint)at);
    d->segments[at] = (segment){edge, a, b};
    d->leaving[a] = (uint32_t)at;
}

static toile_result grow_segments(delaunay *d) {
    segment *segments = memory_grow(d->segments, d->segment_count, &d->segment_capacity,
                                    sizeof *segments, "border of a triangulation");
    if (!segments) {
        return TOILE_ERROR_MEMORY;
    }
    d->segments = segments;
    return TOILE_OK;
}

static toile_result add_loops(delaunay *d) {
    uint32_t begin = 0;
    for (int loop = 0; loop < d->def->loop_count; loop++) {
        uint32_t end = d->def->loop_ends[loop];
        for (uint32_t i = begin; i < end; i++) {
            if (grow_segments(d) != TOILE_OK) {
                return TOILE_ERROR_MEMORY;
            }
            set_segment(d, d->segment_count++, i, i + 1 < end ? i + 1 : begin);
        }
        begin = end;
    }
    return TOILE_OK;
}

/* A triangle far around all points. Its corners have the highest number. */
static void make_surface(delaunay *d) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < d->def->point_count; i++) {
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], (double)d->def->points[i][k]);
            high[k] = fmax(high[k], (double)d->def->points[i][k]);
        }
    }
    double u = 0.5 * (low[0] + high[0]), v = 0.5 * (low[1] + high[1]);
    double size = fmax(high[0] - low[0], high[1] - low[1]);
    GtsVertex *a = make_vertex(u - 40.0 * size, v - 25.0 * size, NOWHERE);
    GtsVertex *b = make_vertex(u + 40.0 * size, v - 25.0 * size, NOWHERE);
    GtsVertex *c = make_vertex(u, v + 50.0 * size, NOWHERE);
    d->surface = gts_surface_new(gts_surface_class(), gts_face_class(), gts_edge_class(),
                                 gts_vertex_class());
    d->guess =
        gts_face_new(gts_face_class(), gts_edge_new(gts_edge_class(), a, b),
                     gts_edge_new(gts_edge_class(), b, c), gts_edge_new(gts_edge_class(), c, a));
    gts_surface_add_face(d->surface, d->guess);
}

/* A face of the vertex that has an area. */
static GtsFace *face_of(GtsVertex *v) {
    for (GSList *i = v->segments; i; i = i->next) {
        for (GSList *t = GTS_EDGE(i->data)->triangles; t; t = t->next) {
            if (gts_triangle_orientation(GTS_TRIANGLE(t->data)) > 0.0) {
                return GTS_FACE(t->data);
            }
        }
    }
    return NULL;
}

static toile_result insert(delaunay *d, uint32_t vertex) {
    GtsVertex *v = d->vertices[vertex];
    GtsVertex *there = gts_delaunay_add_vertex(d->surface, v, d->guess);
    GtsFace *face = there ? NULL : face_of(v);
    if (!face) {
        return error_set(TOILE_ERROR_INVALID,
                         "outline: it meets itself at (%g, %g) m, as far as single precision "
                         "tells: expected no points so near to each other",
                         GTS_POINT(v)->x, GTS_POINT(v)->y);
    }
    d->guess = face;
    return TOILE_OK;
}

/* Cuts a segment in the middle. Cut or not, it is no longer a constraint: where triangles have it,
 * the new vertex swaps it away. */
static toile_result split(delaunay *d, size_t at) {
    segment s = d->segments[at];
    GtsPoint *p = GTS_POINT(d->vertices[s.a]), *q = GTS_POINT(d->vertices[s.b]);
    double u = (double)(float)(0.5 * (p->x + q->x)), v = (double)(float)(0.5 * (p->y + q->y));
    toile_result result = grow_segments(d);
    if (result == TOILE_OK) {
        result = add_vertex(d, u, v);
    }
    if (result != TOILE_OK) {
        return result;
    }
    uint32_t middle = (uint32_t)d->vertex_count - 1;
    set_segment(d, at, s.a, middle);
    set_segment(d, d->segment_count++, middle, s.b);
    GtsFace *near = face_of(d->vertices[s.a]);
    if (s.edge->triangles) {
        GTS_OBJECT(s.edge)->klass = GTS_OBJECT_CLASS(gts_edge_class());
        GTS_OBJECT(s.edge)->reserved = NULL;
    } else {
        gts_object_destroy(GTS_OBJECT(s.edge));
    }
    d->guess = near;
    return insert(d, middle);
}

/* Cuts segments that are no edges of the triangulation until all are. That they become edges in
 * the end is what makes gts_delaunay_add_constraint needless, which aborts the process when it
 * meets a point on its way. */
static toile_result recover(delaunay *d) {
    const size_t limit = 4 * d->segment_count + 10000;
    for (size_t i = 0; i < d->segment_count; i++) {
        while (!d->segments[i].edge->triangles) {
            if (d->segment_count > limit) {
                GtsPoint *p = GTS_POINT(d->vertices[d->segments[i].a]);
                return error_set(TOILE_ERROR_INVALID,
                                 "outline: it comes too near to itself at (%g, %g) m to be "
                                 "triangulated",
                                 p->x, p->y);
            }
            toile_result result = split(d, i);
            if (result != TOILE_OK) {
                return result;
            }
        }
    }
    return TOILE_OK;
}

static toile_result build(delaunay *d) {
    for (uint32_t i = 0; i < d->def->point_count; i++) {
        const float *p = d->def->points[i];
        toile_result result = add_vertex(d, (double)p[0], (double)p[1]);
        if (result != TOILE_OK) {
            return result;
        }
    }
    make_surface(d);
    toile_result result = add_loops(d);
    for (uint32_t i = 0; i < d->def->point_count && result == TOILE_OK; i++) {
        result = insert(d, d->def->order[i]);
    }
    return result == TOILE_OK ? recover(d) : result;
}

static void destroy(delaunay *d) {
    for (size_t i = 0; i < d->segment_count; i++) {
        if (!d->segments[i].edge->triangles) {
            gts_allow_floating_vertices = TRUE;
            gts_object_destroy(GTS_OBJECT(d->segments[i].edge));
            gts_allow_floating_vertices = FALSE;
        }
    }
    for (size_t i = 0; i < d->vertex_count; i++) {
        if (!d->vertices[i]->segments) {
            gts_object_destroy(GTS_OBJECT(d->vertices[i]));
        }
    }
    if (d->surface) {
        gts_object_destroy(GTS_OBJECT(d->surface));
    }
    free(d->vertices);
    free(d->leaving);
    free(d->segments);
    free(d->triangles);
}

/* ---- asking -----------------------------------------------------------------------------------
 */

/* The face on the left when going along an edge from one of its ends. */
static GtsFace *face_left(GtsEdge *e, GtsVertex *from, GtsVertex **opposite) {
    GtsVertex *to = other_end(e, from);
    for (GSList *t = e->triangles; t; t = t->next) {
        GtsVertex *v = gts_triangle_vertex_opposite(GTS_TRIANGLE(t->data), e);
        if (gts_point_orientation(GTS_POINT(from), GTS_POINT(to), GTS_POINT(v)) > 0.0) {
            *opposite = v;
            return GTS_FACE(t->data);
        }
    }
    return NULL;
}

static toile_result list_triangle(delaunay *d, uint32_t a, uint32_t b, uint32_t c) {
    corners *triangles = memory_grow(d->triangles, d->triangle_count, &d->triangle_capacity,
                                     sizeof *triangles, "triangles of a triangulation");
    if (!triangles) {
        return TOILE_ERROR_MEMORY;
    }
    d->triangles = triangles;
    d->triangles[d->triangle_count++] = (corners){{a, b, c}};
    return TOILE_OK;
}

/* Lists the triangles around a vertex that lie inside, counter-clockwise. With `own`, only those
 * of which it has the lowest number: over all vertices this lists each triangle once. */
static toile_result list_around(delaunay *d, uint32_t vertex, bool own) {
    GtsVertex *v = d->vertices[vertex], *w;
    uint32_t leaving = d->leaving[vertex];
    GtsEdge *start = leaving != NOWHERE ? d->segments[leaving].edge : GTS_EDGE(v->segments->data);
    GtsEdge *e = start;
    do {
        GtsVertex *u = other_end(e, v);
        GtsFace *f = face_left(e, v, &w);
        if (!f) {
            break;
        }
        if (!own || (vertex < number(u) && vertex < number(w))) {
            if (list_triangle(d, vertex, number(u), number(w)) != TOILE_OK) {
                return TOILE_ERROR_MEMORY;
            }
        }
        e = gts_triangle_edge_opposite(GTS_TRIANGLE(f), u);
    } while (e != start && !GTS_IS_CONSTRAINT(e));
    return TOILE_OK;
}

static toile_result list_all(delaunay *d) {
    d->triangle_count = 0;
    for (uint32_t i = 0; i < d->vertex_count; i++) {
        toile_result result = list_around(d, i, true);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

/* ---- refining: Ruppert 1995 --------------------------------------------------------------------
 */

/* The face with these corners, unless it is gone. */
static GtsFace *find_face(const delaunay *d, const corners *c) {
    GtsVertex *a = d->vertices[c->of[0]], *b = d->vertices[c->of[1]], *w;
    GtsSegment *s = gts_vertices_are_connected(a, b);
    GtsFace *f = s ? face_left(GTS_EDGE(s), a, &w) : NULL;
    return f && w == d->vertices[c->of[2]] ? f : NULL;
}

/* Middle of the circle through the corners, and its radius. */
static double circumcentre(GtsVertex *const v[3], double centre[2]) {
    GtsPoint *a = GTS_POINT(v[0]), *b = GTS_POINT(v[1]), *c = GTS_POINT(v[2]);
    double bu = b->x - a->x, bv = b->y - a->y, cu = c->x - a->x, cv = c->y - a->y;
    double twice = 2.0 * (bu * cv - bv * cu), bb = bu * bu + bv * bv, cc = cu * cu + cv * cv;
    double u = (cv * bb - bv * cc) / twice, w = (bu * cc - cu * bb) / twice;
    centre[0] = a->x + u;
    centre[1] = a->y + w;
    return hypot(u, w);
}

/* Whether a triangle is too large or has too small an angle. One between two segments of the border
 * cannot be mended. */
static bool is_bad(const delaunay *d, const corners *c, double *radius, double centre[2]) {
    GtsVertex *v[3] = {d->vertices[c->of[0]], d->vertices[c->of[1]], d->vertices[c->of[2]]};
    *radius = circumcentre(v, centre);
    if (*radius > d->def->radius) {
        return true;
    }
    int opposite = 0; /* to the shortest side */
    double shortest = INFINITY;
    for (int k = 0; k < 3; k++) {
        double length = distance(v[(k + 1) % 3], v[(k + 2) % 3]);
        if (length < shortest) {
            shortest = length;
            opposite = k;
        }
    }
    if (shortest >= 2.0 * *radius * sin(d->def->angle * (M_PI / 180.0))) {
        return false;
    }
    GtsVertex *tip = v[opposite], *p = v[(opposite + 1) % 3], *q = v[(opposite + 2) % 3];
    return !GTS_IS_CONSTRAINT(gts_vertices_are_connected(tip, p)) ||
           !GTS_IS_CONSTRAINT(gts_vertices_are_connected(tip, q));
}

/* Goes from the middle of a face straight to a point. Returns the face it is in, or NULL with the
 * segment that is in the way. */
static GtsFace *walk(GtsFace *f, const double to[2], GtsPoint *from, GtsPoint *target,
                     GtsEdge **stop) {
    GtsVertex *v[3];
    gts_triangle_vertices(GTS_TRIANGLE(f), &v[0], &v[1], &v[2]);
    gts_point_set(from, (GTS_POINT(v[0])->x + GTS_POINT(v[1])->x + GTS_POINT(v[2])->x) / 3.0,
                  (GTS_POINT(v[0])->y + GTS_POINT(v[1])->y + GTS_POINT(v[2])->y) / 3.0, 0.0);
    gts_point_set(target, to[0], to[1], 0.0);
    *stop = NULL;
    GtsEdge *entry = NULL;
    while (f) {
        GtsEdge *e[3], *cross = NULL;
        gts_triangle_vertices_edges(GTS_TRIANGLE(f), NULL, &v[0], &v[1], &v[2], &e[0], &e[1],
                                    &e[2]);
        for (int k = 0; k < 3 && !cross; k++) {
            GtsPoint *a = GTS_POINT(v[k]), *b = GTS_POINT(v[(k + 1) % 3]);
            if (e[k] != entry && gts_point_orientation(a, b, target) < 0.0 &&
                gts_point_orientation(from, target, a) <= 0.0 &&
                gts_point_orientation(from, target, b) >= 0.0) {
                cross = e[k];
            }
        }
        if (!cross) {
            return f;
        }
        if (GTS_IS_CONSTRAINT(cross)) {
            *stop = cross;
            return NULL;
        }
        GtsFace *next = NULL;
        for (GSList *t = cross->triangles; t; t = t->next) {
            next = t->data != f ? GTS_FACE(t->data) : next;
        }
        f = next;
        entry = cross;
    }
    return NULL;
}

/* A segment among the edges of a face and of its neighbours whose circle (the one it is a diameter
 * of) holds the point: a vertex there would make flat triangles. */
static GtsEdge *find_encroached(GtsFace *f, GtsVertex *point, int depth) {
    GtsEdge *e[3] = {GTS_TRIANGLE(f)->e1, GTS_TRIANGLE(f)->e2, GTS_TRIANGLE(f)->e3};
    for (int k = 0; k < 3; k++) {
        if (GTS_IS_CONSTRAINT(e[k])) {
            if (gts_vertex_encroaches_edge(point, e[k])) {
                return e[k];
            }
            continue;
        }
        for (GSList *t = depth > 0 ? e[k]->triangles : NULL; t; t = t->next) {
            GtsEdge *found =
                t->data != f ? find_encroached(GTS_FACE(t->data), point, depth - 1) : NULL;
            if (found) {
                return found;
            }
        }
    }
    return NULL;
}

/* Looks at one triangle of the list. Adds a vertex, if that helps, and then lists what is new. */
static toile_result mend(delaunay *d, corners c, GtsPoint *scratch[2], GtsVertex *probe) {
    double centre[2], radius;
    GtsFace *f = find_face(d, &c);
    if (!f || !is_bad(d, &c, &radius, centre)) {
        return TOILE_OK;
    }
    centre[0] = (double)(float)centre[0];
    centre[1] = (double)(float)centre[1];
    GtsEdge *cut;
    GtsFace *at = walk(f, centre, scratch[0], scratch[1], &cut);
    gts_point_set(GTS_POINT(probe), centre[0], centre[1], 0.0);
    if (at) {
        cut = find_encroached(at, probe, 2);
    }
    toile_result result;
    if (cut) {
        if (distance(GTS_SEGMENT(cut)->v1, GTS_SEGMENT(cut)->v2) < 2.0 * d->def->shortest) {
            return TOILE_OK;
        }
        result = split(d, GPOINTER_TO_UINT(GTS_OBJECT(cut)->reserved));
    } else {
        if (!at || radius < d->def->shortest) {
            return TOILE_OK;
        }
        result = add_vertex(d, centre[0], centre[1]);
        d->guess = at;
        if (result == TOILE_OK) {
            result = insert(d, (uint32_t)d->vertex_count - 1);
        }
    }
    if (result == TOILE_OK) {
        result = list_around(d, (uint32_t)d->vertex_count - 1, false);
    }
    return result == TOILE_OK && cut ? list_triangle(d, c.of[0], c.of[1], c.of[2]) : result;
}

/* With at most 20.7 degrees this ends by itself, unless the border has sharp corners; there the
 * shortest length ends it, and the number of vertices if all else fails: the mesh is whole at any
 * time. */
static toile_result refine(delaunay *d) {
    const size_t limit = 4 * d->vertex_count + 1000;
    GtsPoint *scratch[2] = {gts_point_new(gts_point_class(), 0.0, 0.0, 0.0),
                            gts_point_new(gts_point_class(), 0.0, 0.0, 0.0)};
    GtsVertex *probe = gts_vertex_new(gts_vertex_class(), 0.0, 0.0, 0.0);
    toile_result result = list_all(d);
    for (size_t i = 0; i < d->triangle_count && d->vertex_count < limit && result == TOILE_OK;
         i++) {
        result = mend(d, d->triangles[i], scratch, probe);
    }
    gts_object_destroy(GTS_OBJECT(scratch[0]));
    gts_object_destroy(GTS_OBJECT(scratch[1]));
    gts_object_destroy(GTS_OBJECT(probe));
    return result;
}

static toile_result write_mesh(const delaunay *d, flat_mesh *mesh) {
    toile_result result =
        flat_mesh_allocate(mesh, (uint32_t)d->vertex_count, (uint32_t)d->triangle_count);
    if (result != TOILE_OK) {
        return result;
    }
    for (size_t i = 0; i < d->vertex_count; i++) {
        mesh->uv[2 * i] = (float)GTS_POINT(d->vertices[i])->x;
        mesh->uv[2 * i + 1] = (float)GTS_POINT(d->vertices[i])->y;
    }
    for (size_t i = 0; i < 3 * d->triangle_count; i++) {
        mesh->indices[i] = d->triangles[i / 3].of[i % 3];
    }
    return TOILE_OK;
}

toile_result delaunay_create(const delaunay_def *def, flat_mesh *mesh) {
    *mesh = (flat_mesh){0};
    delaunay d = {.def = def};
    pthread_mutex_lock(&gts_lock);
    toile_result result = build(&d);
    if (result == TOILE_OK) {
        result = refine(&d);
    }
    if (result == TOILE_OK) {
        result = list_all(&d);
    }
    if (result == TOILE_OK) {
        result = write_mesh(&d, mesh);
    }
    destroy(&d);
    pthread_mutex_unlock(&gts_lock);
    return result;
}
