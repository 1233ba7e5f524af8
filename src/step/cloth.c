#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/fabric.h"
#include "step/world.h"

toile_cloth_def toile_default_cloth_def(void) {
    return (toile_cloth_def){
        .name = "cloth",
        .size = {1.0f, 1.0f},
        .spacing = 0.02f,
        .fabric = toile_fabric_named("cotton"),
        .transform = {.scale = 1.0f},
    };
}

static void fill_masses(cloth *c) {
    float full = c->def.fabric.density * c->grid.spacing * c->grid.spacing;
    float *mass = c->mass;
    for (int j = 0; j < c->grid.rows; j++) {
        for (int i = 0; i < c->grid.columns; i++) {
            *mass++ = full * grid_texel_share(&c->grid, c->panel->coverage, i, j);
        }
    }
}

/* The panel of a cloth: the one given, or the rectangle of its definition. */
static toile_result take_panel(cloth *c, const toile_cloth_def *def) {
    float scale = def->transform.scale;
    if (def->panel) {
        const grid *g = &def->panel->grid;
        c->panel = panel_retain(def->panel);
        return grid_check((const float[2]){g->size_u, g->size_v}, g->spacing, scale);
    }
    toile_result result = grid_check(def->size, def->spacing, scale);
    if (result != TOILE_OK) {
        return result;
    }
    toile_panel_def rectangle = toile_default_panel_def();
    memcpy(rectangle.size, def->size, sizeof rectangle.size);
    rectangle.spacing = def->spacing;
    panel *own = NULL;
    result = panel_cook(&rectangle, &own);
    c->panel = own;
    return result;
}

/* What of a fabric only some solvers have. */
static toile_result check_solver(const toile_world *w, const toile_fabric *f) {
    for (int i = 0; i < 2; i++) {
        if (f->curvature[i] != 0.0f && w->def.solver.kind != TOILE_SOLVER_IMPLICIT) {
            return error_set(TOILE_ERROR_INVALID,
                             "fabric curvature[%d] is %g 1/m, and only the implicit solver curls "
                             "cloth by itself: expected 0, or that solver",
                             i, (double)f->curvature[i]);
        }
    }
    return TOILE_OK;
}

static toile_result check_layer(int layer) {
    enum { MOST = 1000 };
    return layer >= -MOST && layer <= MOST
               ? TOILE_OK
               : error_set(TOILE_ERROR_INVALID, "layer is %d: expected %d to %d", layer, -MOST,
                           MOST);
}

static toile_result cloth_create(toile_world *w, cloth *c, const toile_cloth_def *def) {
    c->def = *def;
    toile_result result = fabric_check(&def->fabric);
    if (result == TOILE_OK) {
        result = check_solver(w, &def->fabric);
    }
    if (result == TOILE_OK) {
        result = grid_check_transform(&def->transform);
    }
    if (result == TOILE_OK) {
        result = check_layer(def->layer);
    }
    if (result == TOILE_OK) {
        result = take_panel(c, def);
    }
    if (result != TOILE_OK) {
        return result;
    }
    c->grid = grid_scaled(&c->panel->grid, def->transform.scale);
    c->stride = 1;
    if (w->refine) {
        result = refine_check_cloth(w, c);
    }
    if (result != TOILE_OK) {
        return result;
    }
    size_t texels = grid_texels(&c->grid);
    c->name = memory_string(def->name ? def->name : "cloth");
    c->def.name = c->name;
    c->mass = memory_alloc(texels, sizeof *c->mass, "masses");
    c->buffer = memory_alloc(texels, 3 * sizeof *c->buffer, "read-back");
    c->memory = w->device->cloth_create(w->context, c->panel, &c->grid);
    if (!c->name || !c->mass || !c->buffer || !c->memory) {
        return TOILE_ERROR_MEMORY;
    }
    fill_masses(c);
    panel_place(c->panel, &c->grid, &def->transform, c->buffer);
    w->device->write(c->memory, FIELD_POSITION, c->buffer);
    return TOILE_OK;
}

void cloth_destroy(toile_world *w, cloth *c) {
    w->device->cloth_destroy(c->memory);
    levels_free(&c->levels);
    panel_release(c->panel);
    gauge_free(&c->gauge);
    free(c->name);
    free(c->mass);
    free(c->buffer);
    free(c->places);
    c->memory = NULL;
    c->panel = NULL;
    c->name = NULL;
    c->mass = c->buffer = c->places = NULL;
}

toile_cloth_id toile_world_add_cloth(toile_world *world, const toile_cloth_def *def) {
    TOILE_ASSERT(world && def);
    toile_cloth_id id = {0};
    cloth *c = slots_add(&world->cloths, sizeof *c, &id.slot, &id.generation, "cloths");
    if (!c) {
        return (toile_cloth_id){0};
    }
    if (cloth_create(world, c, def) != TOILE_OK ||
        (world->refine && refine_add_cloth(world, id.slot - 1) != TOILE_OK)) {
        cloth_destroy(world, c);
        slots_release(&world->cloths, id.slot);
        return (toile_cloth_id){0};
    }
    c->fresh = true;
    world->prepared = false;
    return id;
}

void toile_world_remove_cloth(toile_world *world, toile_cloth_id id) {
    TOILE_ASSERT(world);
    cloth *c = slots_get(&world->cloths, id.slot, id.generation);
    pins_remove_of(world, (int64_t)id.slot - 1, NO_INDEX);
    ties_remove_of(world, id.slot - 1);
    sleep_end_near_cloth(world, c);
    if (world->refine) {
        refine_remove_cloth(world, id.slot - 1);
    }
    cloth_destroy(world, c);
    slots_release(&world->cloths, id.slot);
    world->prepared = false;
}

void cloth_inverse_masses(const toile_world *w, const cloth *c, float *out) {
    for (size_t t = 0, n = grid_texels(&c->grid); t < n; t++) {
        out[t] = c->panel->mask[t] ? 1.0f / c->mass[t] : 0.0f;
    }
    for (size_t p = 0; p < w->pins.count; p++) {
        const pin *held = world_pin(w, p);
        bool here = held && held->stiffness == 0.0f && world_cloth(w, held->cloth) == c;
        const uint32_t *texels = held && held->coarse ? held->coarse : held ? held->texels : NULL;
        for (uint32_t t = 0; here && t < held->count; t++) {
            out[texels[t]] = 0.0f;
        }
    }
}

void cloths_update_masses(const toile_world *w) {
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(w, i);
        if (c) {
            cloth_inverse_masses(w, c, c->buffer);
            w->device->write_inverse_mass(c->memory, c->buffer);
        }
    }
}

bool cloths_curved(const toile_world *w) {
    bool any = false;
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(w, i);
        any |= c && (c->def.fabric.curvature[0] != 0.0f || c->def.fabric.curvature[1] != 0.0f);
    }
    return any;
}

const float *cloth_read(const toile_world *w, const cloth *c, device_field field) {
    w->device->read(c->memory, field, c->buffer);
    return c->buffer;
}

void cloth_write(const toile_world *w, const cloth *c, device_field field) {
    for (size_t t = 0, n = grid_texels(&c->grid); t < n; t++) {
        if (!c->panel->mask[t]) {
            memset(c->buffer + 3 * t, 0, 3 * sizeof *c->buffer);
        }
    }
    w->device->write(c->memory, field, c->buffer);
}

/* Bytes of the equations of all cloths, from the first step on, by how many texels a cloth has. */
static size_t system_share(const toile_world *w, const cloth *c) {
    size_t texels = 0;
    for (size_t i = 0; i < w->cloths.count; i++) {
        texels += world_cloth(w, i) ? grid_texels(&world_cloth(w, i)->grid) : 0;
    }
    const size_t bytes = w->device->system ? w->device->system(w->context).bytes : 0;
    return (size_t)((double)bytes * (double)grid_texels(&c->grid) / (double)texels);
}

toile_cloth_info toile_cloth_get_info(const toile_world *world, toile_cloth_id id) {
    TOILE_ASSERT(world);
    const cloth *c = slots_get(&world->cloths, id.slot, id.generation);
    toile_cloth_info info = {
        .name = c->name,
        .columns = c->grid.columns,
        .rows = c->grid.rows,
        .texels = grid_texels(&c->grid),
        .texels_present = c->panel->texel_count,
        .vertices = c->panel->render.vertex_count,
        .triangles = c->panel->render.triangle_count,
        .coarse_vertices = c->panel->coarse.vertex_count,
        .coarse_triangles = c->panel->coarse.triangle_count,
        .size = {c->grid.size_u, c->grid.size_v},
        .spacing = c->grid.spacing,
        .fabric = c->def.fabric,
        .solver_bytes = world->device->cloth_bytes(c->memory) + system_share(world, c),
    };
    for (size_t t = 0; t < info.texels; t++) {
        info.mass += (double)c->mass[t];
    }
    return info;
}

int toile_world_get_cloths(const toile_world *world, toile_cloth_id *ids, int capacity) {
    TOILE_ASSERT(world && (ids || capacity == 0));
    return slots_list(&world->cloths, (uint32_t *)ids, capacity);
}

/* ---- read-back ----------------------------------------------------------------------------------
 */

static const cloth *cloth_of(const toile_world *world, toile_cloth_id id) {
    TOILE_ASSERT(world);
    return slots_get(&world->cloths, id.slot, id.generation);
}

static toile_result check_count(const cloth *c, const void *array, size_t count, size_t expected,
                                const char *what) {
    TOILE_ASSERT(array);
    if (count != expected) {
        return error_set(TOILE_ERROR_INVALID, "cloth '%s': count is %zu: expected %zu %s", c->name,
                         count, expected, what);
    }
    return TOILE_OK;
}

static toile_result check_texels(const cloth *c, const void *array, size_t count) {
    return check_count(c, array, count, grid_texels(&c->grid), "texels");
}

toile_result toile_cloth_get_texel_mask(const toile_world *world, toile_cloth_id id, uint8_t *out,
                                        size_t count) {
    const cloth *c = cloth_of(world, id);
    toile_result result = check_texels(c, out, count);
    if (result == TOILE_OK) {
        memcpy(out, c->panel->mask, count);
    }
    return result;
}

static toile_result read_texels(const toile_world *world, toile_cloth_id id, device_field field,
                                float *out, size_t count) {
    const cloth *c = cloth_of(world, id);
    toile_result result = check_texels(c, out, count);
    if (result == TOILE_OK) {
        world->device->read(c->memory, field, out);
    }
    return result;
}

toile_result toile_cloth_get_texel_positions(const toile_world *world, toile_cloth_id id,
                                             float *out, size_t count) {
    return read_texels(world, id, FIELD_POSITION, out, count);
}

toile_result toile_cloth_get_texel_velocities(const toile_world *world, toile_cloth_id id,
                                              float *out, size_t count) {
    return read_texels(world, id, FIELD_VELOCITY, out, count);
}

static toile_result write_texels(toile_world *world, toile_cloth_id id, device_field field,
                                 const float *in, size_t count) {
    const cloth *c = cloth_of(world, id);
    toile_result result = check_texels(c, in, count);
    if (result != TOILE_OK) {
        return result;
    }
    for (size_t k = 0; k < 3 * count; k++) {
        if (c->panel->mask[k / 3] && !isfinite(in[k])) {
            return error_set(TOILE_ERROR_INVALID, "cloth '%s': texel %zu: expected finite numbers",
                             c->name, k / 3);
        }
    }
    memcpy(c->buffer, in, 3 * count * sizeof *in);
    cloth_write(world, c, field);
    sleep_end(world, (int64_t)id.slot - 1);
    if (world->refine) {
        refine_take_texels(world, id.slot - 1, (float)world->moment);
    }
    return TOILE_OK;
}

toile_result toile_cloth_set_texel_positions(toile_world *world, toile_cloth_id id, const float *in,
                                             size_t count) {
    toile_result result = write_texels(world, id, FIELD_POSITION, in, count);
    cloth *c = slots_get(&world->cloths, id.slot, id.generation);
    c->placed |= result == TOILE_OK;
    return result;
}

toile_result toile_cloth_set_texel_velocities(toile_world *world, toile_cloth_id id,
                                              const float *in, size_t count) {
    return write_texels(world, id, FIELD_VELOCITY, in, count);
}

static toile_result check_vertices(const cloth *c, const flat_mesh *mesh, const void *array,
                                   size_t count) {
    return check_count(c, array, count, mesh->vertex_count, "vertices");
}

static toile_result get_coordinates(const cloth *c, const flat_mesh *mesh, float *out,
                                    size_t count) {
    toile_result result = check_vertices(c, mesh, out, count);
    if (result == TOILE_OK) {
        surface_coordinates(c, mesh, out);
    }
    return result;
}

static toile_result get_triangles(const cloth *c, const flat_mesh *mesh, uint32_t *out,
                                  size_t count) {
    toile_result result = check_count(c, out, count, mesh->triangle_count, "triangles");
    if (result == TOILE_OK) {
        memcpy(out, mesh->indices, 3 * count * sizeof *out);
    }
    return result;
}

toile_result toile_cloth_get_mesh_positions(const toile_world *world, toile_cloth_id id, float *out,
                                            size_t count) {
    const cloth *c = cloth_of(world, id);
    toile_result result = check_vertices(c, &c->panel->render, out, count);
    if (result == TOILE_OK) {
        surface_positions(c->panel, cloth_read(world, c, FIELD_POSITION), out);
    }
    return result;
}

toile_result toile_cloth_get_mesh_normals(const toile_world *world, toile_cloth_id id, float *out,
                                          size_t count) {
    const cloth *c = cloth_of(world, id);
    toile_result result = check_vertices(c, &c->panel->render, out, count);
    if (result == TOILE_OK) {
        surface_normals(c->panel, cloth_read(world, c, FIELD_POSITION), out);
    }
    return result;
}

toile_result toile_cloth_get_mesh_coordinates(const toile_world *world, toile_cloth_id id,
                                              float *out, size_t count) {
    const cloth *c = cloth_of(world, id);
    return get_coordinates(c, &c->panel->render, out, count);
}

toile_result toile_cloth_get_mesh_triangles(const toile_world *world, toile_cloth_id id,
                                            uint32_t *out, size_t count) {
    const cloth *c = cloth_of(world, id);
    return get_triangles(c, &c->panel->render, out, count);
}

toile_result toile_cloth_get_mesh_squares(const toile_world *world, toile_cloth_id id,
                                          toile_square *out, size_t count) {
    const cloth *c = cloth_of(world, id);
    const projection *p = &c->panel->render_projection;
    toile_result result = check_vertices(c, &c->panel->render, out, count);
    for (size_t v = 0; result == TOILE_OK && v < count; v++) {
        out[v] = (toile_square){p->texels[v], {p->fractions[2 * v], p->fractions[2 * v + 1]}};
    }
    return result;
}

toile_result toile_cloth_get_gl_texels(const toile_world *world, toile_cloth_id id,
                                       toile_gl_texels *out) {
    const cloth *c = cloth_of(world, id);
    TOILE_ASSERT(out);
    if (!world->device->locate) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "device \"%s\" keeps no texels in OpenGL: expected device \"gl\"",
                         world->device->name);
    }
    *out = world->device->locate(c->memory);
    return TOILE_OK;
}

toile_result toile_cloth_get_coarse_positions(const toile_world *world, toile_cloth_id id,
                                              float *out, size_t count) {
    const cloth *c = cloth_of(world, id);
    toile_result result = check_vertices(c, &c->panel->coarse, out, count);
    if (result == TOILE_OK) {
        project_vectors(&c->panel->coarse_projection, c->panel->coarse.vertex_count, &c->grid,
                        cloth_read(world, c, FIELD_POSITION), out);
    }
    return result;
}

toile_result toile_cloth_get_coarse_coordinates(const toile_world *world, toile_cloth_id id,
                                                float *out, size_t count) {
    const cloth *c = cloth_of(world, id);
    return get_coordinates(c, &c->panel->coarse, out, count);
}

toile_result toile_cloth_get_coarse_triangles(const toile_world *world, toile_cloth_id id,
                                              uint32_t *out, size_t count) {
    const cloth *c = cloth_of(world, id);
    return get_triangles(c, &c->panel->coarse, out, count);
}
