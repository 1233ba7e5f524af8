#include "render/painting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/body_mesh.h"
#include "io/crease.h"
#include "model/shape_kind.h"
#include "render/coarse.h"
#include "render/frame.h"
#include "render/matrix.h"

/* Edges along a quarter of a body's girth. */
enum { SEEN_DIVISIONS = 32, CASTER_DIVISIONS = 12 };

const float FLOOR_REACH = 60.0f;
/* Times the radius of what is shown that a floor of the renderer's own lies below everything. */
static const float FLOOR_GAP = 0.001f;
/* Planes that are steeper are walls, as in floor.glsl: cosine of their slope. */
static const float LEVEL = 0.9f;

toile_result body_shapes_make(body_shapes *shapes) {
    toile_result result = cut_sphere_make(&shapes->seen, SEEN_DIVISIONS);
    return result == TOILE_OK ? cut_sphere_make(&shapes->caster, CASTER_DIVISIONS) : result;
}

void body_shapes_free(body_shapes *shapes) {
    cut_sphere_free(&shapes->seen);
    cut_sphere_free(&shapes->caster);
    coarse_store_free(&shapes->cloths);
}

static surface *new_surface(painting *p, surface_kind kind, const float color[3]) {
    surface *s = &p->surfaces[p->surface_count++];
    s->kind = kind;
    memcpy(s->color, color, sizeof s->color);
    return s;
}

static toile_result add_cloths(painting *p, const body_shapes *shapes, geometry *g) {
    const draw_frame *frame = p->frame;
    toile_result result = TOILE_OK;
    for (int i = 0; i < frame->cloth_count && result == TOILE_OK; i++) {
        const draw_cloth *cloth = &frame->cloths[i];
        surface *s = new_surface(p, SURFACE_CLOTH, cloth->color);
        s->tinted = cloth->colors;
        s->drape = cloth->texels ? drape_find(&shapes->drapes, cloth->pattern) : NULL;
        result = s->drape ? TOILE_OK
                          : geometry_add_mesh(g, &cloth->mesh, cloth->colors,
                                              frame->options.wireframe, &s->range);
    }
    return result;
}

/* A cloth that is taken from texels. */
static toile_result add_drape_caster(const draw_cloth *cloth, drape_role role, float detail,
                                     body_shapes *shapes) {
    drape *d = drape_find(&shapes->drapes, cloth->pattern);
    const coarse_plan *plan;
    toile_result result =
        coarse_store_plan(&shapes->cloths, &cloth->mesh, cloth->pattern, detail, &plan);
    return result == TOILE_OK ? drape_cast(d, role, &cloth->mesh, plan) : result;
}

static toile_result add_cloth_casters(const painting *p, drape_role role, float detail,
                                      body_shapes *shapes, geometry *g) {
    toile_result result = TOILE_OK;
    for (int i = 0; i < p->frame->cloth_count && result == TOILE_OK; i++) {
        const draw_cloth *cloth = &p->frame->cloths[i];
        mesh_data coarse;
        if (cloth->texels) {
            result = add_drape_caster(cloth, role, detail, shapes);
            continue;
        }
        result = coarse_store_make(&shapes->cloths, &cloth->mesh, cloth->pattern, detail, &coarse);
        if (result == TOILE_OK) {
            mesh_view view = mesh_get_view(&coarse, NULL);
            geometry_range unseen;
            result = geometry_add_mesh(g, &view, NULL, false, &unseen);
            mesh_free(&coarse);
        }
    }
    return result;
}

/* What casts shadows needs no normals, and is drawn once for each light: its vertices are those of
 * the mesh. */
static toile_result copy_mesh(const toile_mesh_def *def, mesh_data *out) {
    if (!mesh_allocate(out, def->vertices, def->triangle_count, true, false)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory to draw a body");
    }
    memcpy(out->positions, def->positions, 3 * def->vertices * sizeof *out->positions);
    memset(out->normals, 0, 3 * def->vertices * sizeof *out->normals);
    memcpy(out->indices, def->triangles, 3 * def->triangle_count * sizeof *out->indices);
    return TOILE_OK;
}

/* The mesh of a body where it is. */
static toile_result add_body_mesh(const draw_body *body, bool seen, geometry *g,
                                  geometry_range *range) {
    mesh_data mesh;
    toile_result result = !seen ? copy_mesh(&body->def.mesh, &mesh)
                          : body->def.shape == TOILE_SHAPE_SKINNED
                              ? body_mesh_create(&body->def, NULL, &mesh)
                              : mesh_make_shared(&body->def.mesh, &mesh);
    if (result != TOILE_OK) {
        return result;
    }
    v3 position = v3_load(body->pose.position);
    for (size_t i = 0; i < mesh.vertices; i++) {
        float *p = mesh.positions + 3 * i, *n = mesh.normals + 3 * i;
        v3_store(p, v3_add(position, v3_rotate(v3_load(p), body->pose.rotation)));
        v3_store(n, v3_rotate(v3_load(n), body->pose.rotation));
    }
    mesh_view view = mesh_get_view(&mesh, NULL);
    result = geometry_add_mesh(g, &view, NULL, false, range);
    mesh_free(&mesh);
    return result;
}

static toile_result add_body(const draw_body *body, const cut_sphere *sphere, bool seen,
                             geometry *g, geometry_range *range) {
    if (shape_is_mesh(body->def.shape)) {
        return add_body_mesh(body, seen, g, range);
    }
    round_shape shape = round_shape_of(body);
    return geometry_add_shape(g, sphere, &shape, range);
}

/* Casters when `seen` is false. */
static toile_result add_bodies(painting *p, const cut_sphere *sphere, bool seen, geometry *g) {
    toile_result result = TOILE_OK;
    for (int i = 0; i < p->frame->body_count && result == TOILE_OK; i++) {
        const draw_body *body = &p->frame->bodies[i];
        if (body->def.shape != TOILE_SHAPE_PLANE) {
            geometry_range range;
            result = add_body(body, sphere, seen, g, &range);
            if (seen && result == TOILE_OK) {
                new_surface(p, SURFACE_BODY, body->color)->range = range;
            }
        }
    }
    return result;
}

/* The two kinds of casters share the bodies, which stand between their cloths. */
static toile_result add_casters(painting *p, body_shapes *shapes, float key_detail,
                                float dome_detail, geometry *g) {
    size_t first = g->index_count;
    toile_result result = add_cloth_casters(p, DRAPE_DOME, dome_detail, shapes, g);
    size_t bodies = g->index_count;
    if (result == TOILE_OK) {
        result = add_bodies(p, &shapes->caster, false, g);
    }
    p->dome_casters = (geometry_range){first, g->index_count - first};
    if (result == TOILE_OK) {
        result = add_cloth_casters(p, DRAPE_KEY, key_detail, shapes, g);
    }
    coarse_store_sweep(&shapes->cloths);
    p->key_casters = (geometry_range){bodies, g->index_count - bodies};
    return result;
}

/* How far from the middle of a floor, along its axes, shadows of the softbox can fall. */
static void shadow_sides(const painting *p, v3 middle, v3 normal, float extent, float low[2],
                         float high[2]) {
    v3 across = v3_across(normal);
    v3 axes[2] = {across, v3_cross(normal, across)};
    bool bounded = studio_key_shadow(&p->studio, middle, normal, axes, low, high);
    for (int i = 0; i < 2; i++) {
        low[i] = bounded ? fminf(fmaxf(low[i], -extent), extent) : -extent;
        high[i] = bounded ? fminf(fmaxf(high[i], -extent), extent) : extent;
    }
}

/* Shadows of the dome's few lights would be told apart where nothing that casts them is near: they
 * are blurred by about as much as two neighbours' shadows are apart. */
static float floor_blur(const painting *p, v3 middle, v3 normal) {
    static const float LIGHT_SPACING = 0.35f; /* radians */
    v3 half = v3_scale(v3_sub(v3_load(p->shown.high), v3_load(p->shown.low)), 0.5f);
    float reach = half.x * fabsf(normal.x) + half.y * fabsf(normal.y) + half.z * fabsf(normal.z);
    return LIGHT_SPACING * fmaxf(v3_length(v3_sub(p->middle, middle)) - reach, 0.0f);
}

static toile_result add_floor(painting *p, v3 point, v3 normal, const float color[3], geometry *g) {
    v3 eye = v3_load(p->frame->camera.eye);
    if (v3_dot(v3_sub(eye, point), normal) <= 0.0f) {
        return TOILE_OK; /* seen from below it would hide everything */
    }
    v3 middle = v3_madd(p->middle, normal, v3_dot(v3_sub(point, p->middle), normal));
    float extent = FLOOR_REACH * p->radius, low[2], high[2];
    shadow_sides(p, middle, normal, extent, low, high);
    surface *shadowed = new_surface(p, SURFACE_SHADOWED_FLOOR, color);
    surface *rest = new_surface(p, SURFACE_FLOOR, color);
    shadowed->number = rest->number = p->floor_count++;
    shadowed->blur = rest->blur = floor_blur(p, middle, normal);
    return geometry_add_floor(g, middle, normal, extent, low, high, &shadowed->range, &rest->range);
}

static v3 plane_normal(const draw_body *body) {
    return v3_rotate(v3_normalize(v3_load(body->def.normal)), body->pose.rotation);
}

/* Just below everything, bodies that do not count as shown included. */
static toile_result add_own_floor(painting *p, geometry *g) {
    float height = p->shown.low[1];
    for (int i = 0; i < p->frame->body_count; i++) {
        if (p->frame->bodies[i].def.shape != TOILE_SHAPE_PLANE) {
            height = fminf(height, body_bounds(&p->frame->bodies[i]).low[1]);
        }
    }
    v3 point = v3_make(0.0f, height - FLOOR_GAP * p->radius, 0.0f);
    return add_floor(p, point, v3_make(0.0f, 1.0f, 0.0f), p->frame->options.background, g);
}

/* Only a plane that things can lie on stands in for the renderer's own floor. */
static toile_result add_floors(painting *p, geometry *g) {
    bool level = false;
    toile_result result = TOILE_OK;
    for (int i = 0; i < p->frame->body_count && result == TOILE_OK; i++) {
        const draw_body *body = &p->frame->bodies[i];
        if (body->def.shape == TOILE_SHAPE_PLANE) {
            v3 normal = plane_normal(body);
            result = add_floor(p, v3_load(body->pose.position), normal, body->color, g);
            level = level || normal.y >= LEVEL;
        }
    }
    if (result != TOILE_OK || level || !p->frame->options.floor) {
        return result;
    }
    return add_own_floor(p, g);
}

static v3 facing(const draw_frame *frame) {
    v3 given = v3_load(frame->facing);
    return v3_dot(given, given) > 0.0f
               ? given
               : v3_sub(v3_load(frame->camera.target), v3_load(frame->camera.eye));
}

toile_result painting_make(painting *p, const draw_frame *frame, body_shapes *shapes,
                           float key_detail, float dome_detail, geometry *g) {
    *p = (painting){.frame = frame, .shown = frame_shown_bounds(frame)};
    v3 low = v3_load(p->shown.low), high = v3_load(p->shown.high);
    p->middle = v3_scale(v3_add(low, high), 0.5f);
    p->radius = 0.5f * v3_length(v3_sub(high, low));
    draw_bounds casters = draw_bounds_union(p->shown, draw_frame_bounds(frame));
    p->studio = studio_make(facing(frame), casters, v3_load(frame->options.background));
    size_t most = (size_t)frame->cloth_count + 2 * ((size_t)frame->body_count + 1);
    p->surfaces = memory_alloc(most, sizeof *p->surfaces, "the surfaces of a picture");
    if (!p->surfaces) {
        return TOILE_ERROR_MEMORY;
    }
    geometry_clear(g);
    toile_result result = add_cloths(p, shapes, g); /* first, as wireframes need it */
    if (result == TOILE_OK) {
        result = add_casters(p, shapes, key_detail, dome_detail, g);
    }
    if (result == TOILE_OK) {
        result = add_bodies(p, &shapes->seen, true, g);
    }
    if (result == TOILE_OK) {
        result = add_floors(p, g);
    }
    if (result == TOILE_OK) {
        geometry_upload(g);
    } else {
        painting_free(p);
    }
    return result;
}

void painting_free(painting *p) {
    free(p->surfaces);
    p->surfaces = NULL;
}
