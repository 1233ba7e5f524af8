#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/shape_surface.h"
#include "step/refine.h"

static const char *const WHAT = "the bodies of a refined cloth";

/* A box around the origin of which the upper side is where a plane is. */
enum { BOX_VERTICES = 8, BOX_TRIANGLES = 12 };
static const uint32_t box_triangles[3 * BOX_TRIANGLES] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6,
                                                          0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                                          0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

void refine_bodies_free(refine_bodies *r) {
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < 2 && r->owned; k++) {
            free(r->owned[2 * i + k]);
        }
        if (r->indices) {
            free(r->indices[i]);
        }
    }
    free(r->objects);
    free(r->start);
    free(r->end);
    free(r->owned);
    free(r->indices);
    *r = (refine_bodies){0};
}

/* The surface of a shape: three vertices of their own for each triangle. */
static toile_result take_shape(refine_object *o, uint32_t **indices, world_body *b) {
    toile_result result = TOILE_OK;
    if (!b->surface.faces) {
        result = shape_surface(&b->surface, b->body.def.shape, b->body.size);
    }
    const size_t triangles = b->surface.triangle_count;
    *indices = result == TOILE_OK ? memory_alloc(triangles, 3 * sizeof **indices, WHAT) : NULL;
    if (!*indices) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t k = 0; k < 3 * triangles; k++) {
        (*indices)[k] = (uint32_t)k;
    }
    *o = (refine_object){3 * triangles, *indices, triangles};
    return TOILE_OK;
}

static toile_result take_body(refine_bodies *r, size_t index, world_body *b) {
    const body *of = &b->body;
    refine_object *o = &r->objects[index];
    if (of->def.shape == TOILE_SHAPE_PLANE) {
        *o = (refine_object){BOX_VERTICES, box_triangles, BOX_TRIANGLES};
    } else if (shape_is_mesh(of->def.shape)) {
        *o = (refine_object){of->solid.vertices, of->solid.triangles, of->solid.triangle_count};
    } else {
        toile_result result = take_shape(o, &r->indices[index], b);
        if (result != TOILE_OK) {
            return result;
        }
    }
    for (size_t k = 0; k < 2 && !body_deforms(of); k++) {
        r->owned[2 * index + k] = memory_alloc(o->vertices, 3 * sizeof(float), WHAT);
        if (!r->owned[2 * index + k]) {
            return TOILE_ERROR_MEMORY;
        }
    }
    return TOILE_OK;
}

toile_result refine_bodies_make(refine_bodies *r, const toile_world *w) {
    size_t count = 0, index = 0;
    for (size_t i = 0; i < w->bodies.count; i++) {
        count += world_body_at(w, i) != NULL;
    }
    *r = (refine_bodies){.count = count,
                         .objects = memory_alloc(count + 1, sizeof *r->objects, WHAT),
                         .start = memory_alloc(count + 1, sizeof *r->start, WHAT),
                         .end = memory_alloc(count + 1, sizeof *r->end, WHAT),
                         .owned = memory_alloc(2 * count + 1, sizeof *r->owned, WHAT),
                         .indices = memory_alloc(count + 1, sizeof *r->indices, WHAT)};
    bool room = r->objects && r->start && r->end && r->owned && r->indices;
    toile_result result = room ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < w->bodies.count && result == TOILE_OK; i++) {
        if (world_body_at(w, i)) {
            result = take_body(r, index++, world_body_at(w, i));
        }
    }
    if (result != TOILE_OK) {
        refine_bodies_free(r);
    }
    return result;
}

/* ---- places -------------------------------------------------------------------------------------
 */

static void put(const pose *at, const double local[3], float *out) {
    double place[3];
    pose_apply(at, local, place);
    for (int k = 0; k < 3; k++) {
        out[k] = (float)place[k];
    }
}

static void put_point(const pose *at, v3 local, float *out) {
    put(at, (const double[3]){(double)local.x, (double)local.y, (double)local.z}, out);
}

static void place_surface(const solid *s, const pose *at, float *out) {
    for (size_t t = 0; t < s->triangle_count; t++, out += 9) {
        put_point(at, s->faces[t].a, out);
        put_point(at, s->faces[t].b, out + 3);
        put_point(at, s->faces[t].c, out + 6);
    }
}

static void place_mesh(const solid *s, const pose *at, float *out) {
    for (size_t v = 0; v < s->vertices; v++) {
        const float *p = s->positions + 3 * v;
        put_point(at, v3_make(p[0], p[1], p[2]), out + 3 * v);
    }
}

/* As wide and deep as it takes for the nearest way out to lead through its upper side. */
static void place_plane(const pose *at, v3 middle, float reach, float *out) {
    double local[3];
    pose_apply_inverse(at, (const double[3]){(double)middle.x, (double)middle.y, (double)middle.z},
                       local);
    const double half = 4.0 * (double)reach + fmax(0.0, -local[1]);
    for (int corner = 0; corner < BOX_VERTICES; corner++) {
        const double place[3] = {local[0] + (corner & 1 ? half : -half),
                                 corner & 2 ? 0.0 : -half - fmax(0.0, -local[1]),
                                 local[2] + (corner & 4 ? half : -half)};
        put(at, place, out + 3 * corner);
    }
}

static void place(const world_body *b, const pose *at, v3 middle, float reach, float *out) {
    if (b->body.def.shape == TOILE_SHAPE_PLANE) {
        place_plane(at, middle, reach, out);
    } else if (shape_is_mesh(b->body.def.shape)) {
        place_mesh(&b->body.solid, at, out);
    } else {
        place_surface(&b->surface, at, out);
    }
}

void refine_bodies_place(refine_bodies *r, const toile_world *w, v3 middle, float reach) {
    size_t index = 0;
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        if (!b) {
            continue;
        }
        if (body_deforms(&b->body)) {
            r->start[index] = b->body.solid.positions;
            r->end[index] = b->body.solid.ends;
        } else {
            const pose now = body_shape_pose(&b->body, &b->body.now);
            const pose next = body_shape_pose(&b->body, &b->body.next);
            r->start[index] = r->owned[2 * index];
            r->end[index] = r->owned[2 * index + 1];
            place(b, &now, middle, reach, r->start[index]);
            place(b, &next, middle, reach, r->end[index]);
        }
        index++;
    }
}
