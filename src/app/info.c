/* toile info: what is in the file of a mesh or a character. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/options.h"
#include "app/path.h"
#include "base/error.h"
#include "base/memory.h"
#include "figure/measure.h"
#include "figure/survey.h"
#include "io/gltf.h"
#include "io/json.h"
#include "io/mesh_read.h"
#include "io/weld.h"

enum { WARNINGS = 8, WARNING_SIZE = 256 };

typedef struct animation_info {
    printable name;
    double length; /* s */
} animation_info;

typedef struct file_info {
    const char *path;
    size_t meshes, joints, targets;
    size_t influences; /* joints per vertex at most, weights of 0 not counted */
    bool motion_only;  /* animations and no mesh */
    animation_info *animations;
    size_t animation_count;
    size_t vertices, triangles; /* vertices: welded */
    survey survey;
    measures measures; /* height 0: not that of a standing body */
    char warnings[WARNINGS][WARNING_SIZE];
    size_t warning_count;
} file_info;

/* ---- glTF ---------------------------------------------------------------------------------------
 */

static toile_result read_animations(const gltf *g, file_info *info) {
    info->animations = memory_alloc(g->animation_count, sizeof *info->animations, "animations");
    if (!info->animations) {
        return TOILE_ERROR_MEMORY;
    }
    info->animation_count = g->animation_count;
    for (size_t i = 0; i < g->animation_count; i++) {
        const gltf_animation *a = &g->animations[i];
        info->animations[i] = (animation_info){make_printable(a->name), (double)a->duration};
    }
    return TOILE_OK;
}

/* Of a file without a skin: the nodes that move. */
static toile_result count_moving_nodes(const gltf *g, file_info *info) {
    bool *moves = memory_alloc(g->node_count, sizeof *moves, "nodes");
    if (!moves) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < g->animation_count; i++) {
        for (size_t k = 0; k < g->animations[i].channel_count; k++) {
            bool *moving = &moves[g->animations[i].channels[k].node];
            info->joints += !*moving;
            *moving = true;
        }
    }
    free(moves);
    return TOILE_OK;
}

static size_t count_influences(const gltf_primitive *p) {
    size_t most = 0;
    for (size_t v = 0; v < p->vertices; v++) {
        size_t count = 0;
        for (size_t i = 0; i < p->influences; i++) {
            count += p->weights[v * p->influences + i] > 0.0f;
        }
        most = count > most ? count : most;
    }
    return most;
}

static void read_meshes(const gltf *g, file_info *info) {
    info->meshes = g->mesh_count;
    for (size_t i = 0; i < g->mesh_count; i++) {
        info->targets += g->meshes[i].target_count;
        for (size_t k = 0; k < g->meshes[i].primitive_count; k++) {
            size_t count = count_influences(&g->meshes[i].primitives[k]);
            info->influences = count > info->influences ? count : info->influences;
        }
    }
}

static toile_result read_gltf(file_info *info, mesh_data *mesh) {
    gltf *g;
    toile_result result = gltf_read(info->path, &g);
    if (result != TOILE_OK) {
        return result;
    }
    read_meshes(g, info);
    for (size_t i = 0; i < g->skin_count; i++) {
        info->joints += g->skins[i].joint_count;
    }
    info->motion_only = g->mesh_count == 0 && g->animation_count > 0;
    result = read_animations(g, info);
    if (result == TOILE_OK && info->motion_only) {
        result = count_moving_nodes(g, info);
    } else if (result == TOILE_OK) {
        result = gltf_join(g, info->path, mesh);
    }
    gltf_free(g);
    return result;
}

/* ---- warnings -----------------------------------------------------------------------------------
 */

__attribute__((format(printf, 2, 3))) static void warn(file_info *info, const char *format, ...) {
    if (info->warning_count < WARNINGS) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(info->warnings[info->warning_count++], WARNING_SIZE, format, arguments);
        va_end(arguments);
    }
}

static double extent(const survey *s, int axis) {
    return (double)s->high[axis] - (double)s->low[axis];
}

/* The height of a body tells a scale apart, when there are joints or it is as slender as one. */
static void judge_scale(file_info *info) {
    const survey *s = &info->survey;
    double x = extent(s, 0), y = extent(s, 1), z = extent(s, 2);
    double largest = fmax(x, fmax(y, z));
    bool body = info->joints > 0;
    if (largest > 20.0) {
        double scale = largest > 500.0 ? 0.001 : 0.01;
        warn(info, "%.3g m across: in %s? try \"scale\": %g", largest,
             largest > 500.0 ? "millimetres" : "centimetres", scale);
    } else if (largest < 0.05) {
        warn(info, "%.3g m across: try \"scale\": %g", largest, largest < 0.005 ? 1000.0 : 100.0);
    }
    if (z > 1.5 * y && z > x && (body || x > y)) {
        warn(info, "longest along z: lying down, or made with z up? Toile's up is +y");
    } else if (body && x > 1.5 * y && z < y) {
        warn(info, "longest along x: lying on its side? Toile's up is +y");
    }
}

static const char *at_least(const survey *s) {
    return s->all_overlaps ? "" : "at least ";
}

static void judge_surface(file_info *info) {
    const survey *s = &info->survey;
    if (s->boundary_edges > 0) {
        warn(info, "open: %zu edges have a triangle on one side only; bodies must be closed",
             s->boundary_edges);
    }
    if (s->manifold_breaks > 0) {
        warn(info,
             "not a manifold: %zu edges do not lie between two triangles that run along them "
             "in opposite directions",
             s->manifold_breaks);
    }
    if (s->flat_triangles > 0) {
        warn(info, "%zu triangles have no area", s->flat_triangles);
    }
    if (s->volume < 0.0 && s->boundary_edges == 0) {
        warn(info, "inside out: the volume is %.3g m^3; turn its triangles around", s->volume);
    }
    if (s->overlaps > 0) {
        warn(info, "the surface crosses itself in %s%ju pairs of triangles", at_least(s),
             (uintmax_t)s->overlaps);
    }
}

/* ---- reading ------------------------------------------------------------------------------------
 */

/* What is about as wide as a person, with a crotch and girths in order. */
static bool looks_like_a_body(const survey *s, const measures *m) {
    double y = extent(s, 1), largest = fmax(extent(s, 0), extent(s, 2)),
           least = fmin(extent(s, 0), extent(s, 2));
    return y > 0.0 && largest < 1.3 * y && least < 0.6 * y && m->inseam > 0.35 * y &&
           m->chest > 0.0 && m->waist > 0.0 && m->hip > 0.0;
}

static toile_result measure_mesh(file_info *info, mesh_data *mesh) {
    toile_result result = mesh_weld(mesh);
    if (result == TOILE_OK && mesh->triangles == 0) {
        result = error_set(TOILE_ERROR_FORMAT, "'%s' has no triangles", info->path);
    }
    if (result != TOILE_OK) {
        return result;
    }
    info->vertices = mesh->vertices;
    info->triangles = mesh->triangles;
    result =
        survey_mesh(mesh->positions, mesh->vertices, mesh->indices, mesh->triangles, &info->survey);
    if (result == TOILE_OK) {
        result = measure_body(mesh->positions, mesh->vertices, mesh->indices, mesh->triangles,
                              &info->measures);
    }
    return result;
}

static toile_result read_info(file_info *info) {
    mesh_data mesh = {0};
    bool is_gltf = path_ends_with(info->path, ".glb") || path_ends_with(info->path, ".gltf");
    info->meshes = 1;
    toile_result result = is_gltf ? read_gltf(info, &mesh) : mesh_read(info->path, &mesh);
    if (result == TOILE_OK && !info->motion_only) {
        result = measure_mesh(info, &mesh);
    }
    mesh_free(&mesh);
    if (result != TOILE_OK) {
        return result;
    }
    if (info->motion_only) {
        warn(info, "no mesh: a motion alone, for a character with nodes of the same names");
        return TOILE_OK;
    }
    if (!looks_like_a_body(&info->survey, &info->measures)) {
        info->measures = (measures){0};
    }
    judge_scale(info);
    judge_surface(info);
    return TOILE_OK;
}

/* ---- printing -----------------------------------------------------------------------------------
 */

static bool is_closed(const survey *s) {
    return s->boundary_edges == 0 && s->manifold_breaks == 0;
}

static void print_surface(const survey *s) {
    printf("%-14s%.3f x %.3f x %.3f m (x, y, z), from (%.3f, %.3f, %.3f)\n", "size", extent(s, 0),
           extent(s, 1), extent(s, 2), (double)s->low[0], (double)s->low[1], (double)s->low[2]);
    printf("%-14s%s: %zu boundary edges, %zu non-manifold edges, %zu component%s\n", "surface",
           is_closed(s) ? "closed" : "not closed", s->boundary_edges, s->manifold_breaks,
           s->components, s->components == 1 ? "" : "s");
    printf("%-14s%s%ju pairs of crossing triangles\n", "self-overlaps", at_least(s),
           (uintmax_t)s->overlaps);
}

static void print_text(const file_info *info) {
    const measures *m = &info->measures;
    printf("%-14s%zu with %zu triangles, %zu vertices\n", "meshes", info->meshes, info->triangles,
           info->vertices);
    if (!info->motion_only) {
        print_surface(&info->survey);
    }
    if (info->influences > 0) {
        printf("%-14s%zu, at most %zu per vertex\n", "joints", info->joints, info->influences);
    } else {
        printf("%-14s%zu\n", "joints", info->joints);
    }
    if (info->targets > 0) {
        printf("%-14s%zu\n", "morph targets", info->targets);
    }
    printf("%-14s%zu\n", "animations", info->animation_count);
    for (size_t i = 0; i < info->animation_count; i++) {
        printf("%-14s%s, %.3g s\n", "", info->animations[i].name.text, info->animations[i].length);
    }
    if (m->height > 0.0) {
        printf("%-14sheight %.3f m, chest %.3f, waist %.3f, hip %.3f, inseam %.3f", "as a body",
               m->height, m->chest, m->waist, m->hip, m->inseam);
        if (m->arm > 0.0) {
            printf(", arm %.3f", m->arm);
        }
        putchar('\n');
    }
    for (size_t i = 0; i < info->warning_count; i++) {
        printf("%-14s%s\n", "warning", info->warnings[i]);
    }
}

static json_t *measures_json(const measures *m) {
    if (m->height == 0.0) {
        return json_null();
    }
    json_t *body = json_pack("{s:f, s:f, s:f, s:f, s:f}", "height", m->height, "chest", m->chest,
                             "waist", m->waist, "hip", m->hip, "inseam", m->inseam);
    json_object_set_new(body, "arm", m->arm > 0.0 ? json_real(m->arm) : json_null());
    return body;
}

static void print_json(const file_info *info) {
    const survey *s = &info->survey;
    json_t *animations = json_array(), *warnings = json_array();
    for (size_t i = 0; i < info->animation_count; i++) {
        json_array_append_new(animations,
                              json_pack("{s:s, s:f}", "name", info->animations[i].name.text,
                                        "length", info->animations[i].length));
    }
    for (size_t i = 0; i < info->warning_count; i++) {
        json_array_append_new(warnings, json_string(info->warnings[i]));
    }
    json_t *whole = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:[f,f,f], s:[f,f,f], s:b, s:I, s:I, s:I, s:I, s:b, "
        "s:f, "
        "s:f, s:o, "
        "s:o}",
        "meshes", (json_int_t)info->meshes, "triangles", (json_int_t)info->triangles, "vertices",
        (json_int_t)info->vertices, "joints", (json_int_t)info->joints, "influences",
        (json_int_t)info->influences, "morph_targets", (json_int_t)info->targets, "animations",
        animations, "low", (double)s->low[0], (double)s->low[1], (double)s->low[2], "high",
        (double)s->high[0], (double)s->high[1], (double)s->high[2], "closed",
        (int)(is_closed(s) && !info->motion_only), "boundary_edges", (json_int_t)s->boundary_edges,
        "non_manifold_edges", (json_int_t)s->manifold_breaks, "components",
        (json_int_t)s->components, "self_overlaps", (json_int_t)s->overlaps, "all_self_overlaps",
        (int)s->all_overlaps, "area", s->area, "volume", s->volume, "body",
        measures_json(&info->measures), "warnings", warnings);
    json_dumpf(whole, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(whole);
}

static int info(int argc, char *argv[]) {
    bool json = false;
    file_info found = {0};
    const option_spec specs[] = {{.name = "json", .flag = &json}, {0}};
    toile_result result = options_parse(argc, argv, specs, "the file of a mesh", &found.path);
    if (result == TOILE_OK) {
        result = read_info(&found);
    }
    if (result == TOILE_OK && json) {
        print_json(&found);
    } else if (result == TOILE_OK) {
        print_text(&found);
    }
    free(found.animations);
    return command_end(result);
}

const command info_command = {
    .name = "info",
    .summary = "tell what is in the file of a mesh or a character",
    .help =
        "usage: toile info FILE [--json]\n"
        "\n"
        "Tells of an .obj, .gltf or .glb file: meshes, triangles, size, joints, animations with\n"
        "their lengths, whether the surface is closed and crosses itself, and the measurements of\n"
        "a body that stands upright. Warns where scale or axes look wrong. Vertices at one place\n"
        "count as one.\n"
        "\n"
        "  --json   as JSON; lengths are in metres and seconds\n",
    .run = info,
};
