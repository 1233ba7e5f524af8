#include "io/cloth_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cook/panel.h"
#include "io/islands.h"
#include "io/json.h"
#include "io/mesh_read.h"
#include "model/rotation.h"

enum { LONGEST_NAME = 80, MOST_CLOTHS = 10000 };

/* Of the spacing: what the border of a piece may move by, to be of few straight lines. */
static const double BORDER_TOLERANCE = 0.01;

/* ---- pieces -------------------------------------------------------------------------------------
 */

static void *keep(document *d, const void *data, size_t count, size_t size) {
    void *copy = document_alloc(d, count, size);
    if (copy) {
        memcpy(copy, data, count * size);
    }
    return copy;
}

/* A copy that lives as long as the scene. */
static const island *keep_island(document *d, const island *from) {
    island *i = keep(d, from, 1, sizeof *i);
    if (!i) {
        return NULL;
    }
    size_t curves = 0;
    for (int l = 0; l < from->outline.loop_count; l++) {
        curves += (size_t)from->outline.loops[l].curve_count;
    }
    i->loops = keep(d, from->loops, (size_t)from->outline.loop_count, sizeof *i->loops);
    i->curves = keep(d, from->curves, curves, sizeof *i->curves);
    i->flat.uv = keep(d, from->flat.uv, 2 * (size_t)from->flat.vertex_count, sizeof(float));
    i->flat.indices =
        keep(d, from->flat.indices, 3 * (size_t)from->flat.triangle_count, sizeof(uint32_t));
    i->positions = keep(d, from->positions, 3 * (size_t)from->flat.vertex_count, sizeof(float));
    if (!i->loops || !i->curves || !i->flat.uv || !i->flat.indices || !i->positions) {
        return NULL;
    }
    for (int l = 0; l < from->outline.loop_count; l++) {
        i->loops[l].curves = i->curves + (from->outline.loops[l].curves - from->curves);
    }
    i->outline.loops = i->loops;
    return i;
}

/* The pins of one piece of a cloth: its own and those of all pieces. */
static toile_result keep_pins(document *d, const scene_cloth *whole, int piece, scene_cloth *out) {
    out->pin_count = 0;
    out->pins = document_alloc(d, (size_t)whole->pin_count, sizeof *out->pins);
    for (int i = 0; i < whole->pin_count && out->pins; i++) {
        if (whole->pins[i].piece == 0 || whole->pins[i].piece == piece) {
            out->pins[out->pin_count++] = whole->pins[i];
        }
    }
    return out->pins ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result make_piece(document *d, const scene_cloth *whole, const islands *all,
                               size_t index, scene_cloth *out) {
    *out = *whole;
    out->piece = keep_island(d, &all->items[index]);
    out->pattern_scale = all->scale;
    if (!out->piece) {
        return TOILE_ERROR_MEMORY;
    }
    out->outline = out->piece->outline;
    memcpy(out->def.size, out->piece->size, sizeof out->def.size);
    if (all->count > 1) {
        char name[LONGEST_NAME];
        snprintf(name, sizeof name, "%s.%zu", whole->def.name, index + 1);
        out->def.name = document_copy_string(d, name);
        if (!out->def.name) {
            return TOILE_ERROR_MEMORY;
        }
    }
    return keep_pins(d, whole, (int)index + 1, out);
}

/* ---- all meshes ---------------------------------------------------------------------------------
 */

typedef struct loader {
    scene *scene;
    node list;        /* "cloths" */
    islands *islands; /* a cloth of the file; none where it is no mesh */
} loader;

static toile_result check_pins(const node *at, const scene_cloth *c, size_t pieces) {
    node pins = node_member(at, "pins");
    for (int i = 0; i < c->pin_count; i++) {
        if ((size_t)c->pins[i].piece > pieces) {
            node pin = node_element(&pins, (size_t)i), piece = node_member(&pin, "piece");
            return node_error(&piece,
                              "expected a number from 1 to the %zu pieces of the mesh, "
                              "found %d",
                              pieces, c->pins[i].piece);
        }
    }
    return TOILE_OK;
}

static toile_result read_islands(const loader *l, int index) {
    scene_cloth *c = &l->scene->cloths[index];
    node at = node_element(&l->list, (size_t)index), mesh = node_member(&at, "mesh");
    node file = node_member(&mesh, "file");
    mesh_data data = {0};
    toile_result result = mesh_read(c->mesh.file.path, &data);
    if (result == TOILE_OK) {
        islands_def def = {.scale = (double)c->mesh.scale,
                           .limit = (double)c->mesh.isometry_limit,
                           .tolerance = BORDER_TOLERANCE * (double)c->def.spacing};
        result = islands_create(&l->islands[index], &data, &def, c->mesh.file.path);
        mesh_free(&data);
    }
    if (result != TOILE_OK) {
        node_error_prefix(&file);
        return result;
    }
    return check_pins(&at, c, l->islands[index].count);
}

static toile_result read_all_islands(const loader *l, size_t *pieces) {
    for (int i = 0; i < l->scene->cloth_count; i++) {
        if (l->scene->cloths[i].mesh.file.name) {
            toile_result result = read_islands(l, i);
            if (result != TOILE_OK) {
                return result;
            }
        }
        *pieces += l->islands[i].count ? l->islands[i].count : 1;
    }
    if (*pieces > MOST_CLOTHS) {
        return node_error(&l->list,
                          "expected at most %d cloths, found %zu with all pieces of meshes",
                          MOST_CLOTHS, *pieces);
    }
    return TOILE_OK;
}

static toile_result take_name(const loader *l, const scene_cloth *c, json_t *taken) {
    if (json_object_get(taken, c->def.name)) {
        node at = node_element(&l->list, (size_t)c->element);
        return node_error(&at, "expected another name: \"%s\", a piece of a mesh, is one already",
                          make_printable(c->def.name).text);
    }
    return json_object_set_new(taken, c->def.name, json_true()) == 0
               ? TOILE_OK
               : error_set(TOILE_ERROR_MEMORY, "not enough memory for the names of cloths");
}

static toile_result put_pieces(const loader *l, size_t count, json_t *taken) {
    scene *s = l->scene;
    scene_cloth *cloths = document_alloc(s->source, count, sizeof *cloths);
    toile_result result = cloths && taken ? TOILE_OK : TOILE_ERROR_MEMORY;
    size_t used = 0;
    for (int i = 0; i < s->cloth_count; i++) {
        size_t pieces = l->islands[i].count;
        for (size_t k = 0; k < (pieces ? pieces : 1) && result == TOILE_OK; k++, used++) {
            cloths[used] = s->cloths[i];
            if (pieces) {
                result = make_piece(s->source, &s->cloths[i], &l->islands[i], k, &cloths[used]);
            }
            if (result == TOILE_OK) {
                result = take_name(l, &cloths[used], taken);
            }
        }
    }
    if (result == TOILE_OK) {
        s->cloths = cloths;
        s->cloth_count = (int)count;
    }
    return result;
}

toile_result cloth_meshes_load(scene *s) {
    node root = node_root(s->source);
    loader l = {.scene = s, .list = node_member(&root, "cloths")};
    bool any = false;
    int count = s->cloth_count; /* of the file */
    for (int i = 0; i < count; i++) {
        any |= s->cloths[i].mesh.file.name != NULL;
    }
    if (!any) {
        return TOILE_OK;
    }
    size_t pieces = 0;
    json_t *taken = json_object();
    l.islands = memory_alloc((size_t)count, sizeof *l.islands, "meshes");
    toile_result result = l.islands ? read_all_islands(&l, &pieces) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = put_pieces(&l, pieces, taken);
    }
    for (int i = 0; l.islands && i < count; i++) {
        islands_free(&l.islands[i]);
    }
    free(l.islands);
    json_decref(taken);
    return result;
}

/* ---- in a world ---------------------------------------------------------------------------------
 */

/* The piece's mesh as the panel's grid sees it: cooking moves and turns the outline (cook/panel.h).
 */
static void turn_mesh(const island *piece, const panel *p, float *uv) {
    double angle = -(double)p->def.grain * 0.017453292519943295;
    double cosine = cos(angle), sine = sin(angle);
    for (size_t v = 0; v < piece->flat.vertex_count; v++) {
        double x = (double)piece->flat.uv[2 * v] - 0.5 * (double)piece->size[0];
        double y = (double)piece->flat.uv[2 * v + 1] - 0.5 * (double)piece->size[1];
        uv[2 * v] = (float)(cosine * x - sine * y + p->center[0]);
        uv[2 * v + 1] = (float)(sine * x + cosine * y + p->center[1]);
    }
}

static void transform_texels(const toile_transform *t, float *positions, size_t count) {
    pose p = {.rotation = quat_from_degrees(t->rotate)};
    for (int k = 0; k < 3; k++) {
        p.position[k] = (double)t->translate[k];
    }
    for (float *x = positions; x < positions + 3 * count; x += 3) {
        double from[3], to[3];
        for (int k = 0; k < 3; k++) {
            from[k] = (double)x[k] * (double)t->scale;
        }
        pose_apply(&p, from, to);
        for (int k = 0; k < 3; k++) {
            x[k] = (float)to[k];
        }
    }
}

toile_result cloth_mesh_place(const scene_cloth *c, const toile_panel *p, toile_world *world,
                              toile_cloth_id id) {
    const grid *g = &p->grid;
    size_t texels = grid_texels(g);
    sampling s = {0};
    flat_mesh turned = c->piece->flat;
    turned.uv = memory_alloc(turned.vertex_count, 2 * sizeof *turned.uv, "a flat mesh");
    float *positions = memory_alloc(texels, 3 * sizeof *positions, "positions");
    toile_result result = TOILE_ERROR_MEMORY;
    if (turned.uv && positions) {
        turn_mesh(c->piece, p, turned.uv);
        result = sampling_create(&s, &turned, g, p->mask);
    }
    if (result == TOILE_OK) {
        sample_vectors(&s, g, c->piece->positions, positions);
        transform_texels(&c->def.transform, positions, texels);
        result = toile_cloth_set_texel_positions(world, id, positions, texels);
    }
    sampling_free(&s);
    free(turned.uv);
    free(positions);
    return result;
}
