/* toile mannequin: a body of given measurements as a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/options.h"
#include "app/path.h"
#include "base/error.h"
#include "base/memory.h"
#include "figure/mannequin.h"
#include "figure/measure.h"
#include "io/character_glb.h"
#include "io/json.h"
#include "io/mesh.h"
#include "io/obj.h"
#include "model/skinning.h"

typedef struct mannequin_options {
    const char *output, *pose, *animation;
    const char *height, *chest, *waist, *hip, *time; /* numbers, as they were written */
    mannequin_def def;
    double moment; /* s */
    bool glb;
} mannequin_options;

/* ---- options ------------------------------------------------------------------------------------
 */

static toile_result read_number(const char *option, const char *text, const char *unit,
                                double *out) {
    if (!text) {
        return TOILE_OK;
    }
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        return error_set(TOILE_ERROR_INVALID,
                         "mannequin: --%s: expected a number of %s, found '%s'", option, unit,
                         make_printable(text).text);
    }
    *out = value;
    return TOILE_OK;
}

static toile_result read_girth(const char *option, const char *text, double *out) {
    toile_result result = read_number(option, text, "metres", out);
    if (result == TOILE_OK && text && *out <= 0.0) { /* 0 would mean: not given */
        return error_set(TOILE_ERROR_INVALID, "mannequin: --%s: expected more than 0 m, found '%s'",
                         option, make_printable(text).text);
    }
    return result;
}

/* An hour is more than a pose is looked for in. */
static toile_result read_time(const char *text, double *out) {
    toile_result result = read_number("time", text, "seconds", out);
    if (result == TOILE_OK && text && !(*out >= 0.0 && *out <= 3600.0)) {
        return error_set(TOILE_ERROR_INVALID, "mannequin: --time: expected 0 to 3600 s, found '%s'",
                         make_printable(text).text);
    }
    return result;
}

static toile_result read_output(mannequin_options *o) {
    if (!o->output) {
        return error_set(TOILE_ERROR_INVALID, "mannequin: expected -o with a file to write");
    }
    o->glb = path_ends_with(o->output, ".glb");
    if (!o->glb && !path_ends_with(o->output, ".obj")) {
        return error_set(TOILE_ERROR_INVALID,
                         "mannequin: -o: expected a name that ends in .glb or .obj, found '%s'",
                         make_printable(o->output).text);
    }
    if (o->time && (o->glb || !o->animation)) {
        return error_set(TOILE_ERROR_INVALID,
                         "mannequin: --time: expected only with an .obj file and --animation");
    }
    return TOILE_OK;
}

static toile_result read_pose(mannequin_options *o) {
    if (!o->pose || strcmp(o->pose, "a") == 0) {
        o->def.pose = MANNEQUIN_A;
    } else if (strcmp(o->pose, "t") == 0) {
        o->def.pose = MANNEQUIN_T;
    } else {
        return error_set(TOILE_ERROR_INVALID, "mannequin: --pose: expected a or t, found '%s'",
                         make_printable(o->pose).text);
    }
    return TOILE_OK;
}

static toile_result read_options(int argc, char *argv[], mannequin_options *o) {
    const option_spec specs[] = {{.name = "o", .text = &o->output},
                                 {.name = "height", .text = &o->height},
                                 {.name = "chest", .text = &o->chest},
                                 {.name = "waist", .text = &o->waist},
                                 {.name = "hip", .text = &o->hip},
                                 {.name = "pose", .text = &o->pose},
                                 {.name = "animation", .text = &o->animation},
                                 {.name = "time", .text = &o->time},
                                 {0}};
    toile_result result = options_parse(argc, argv, specs, NULL, NULL);
    o->def = mannequin_default();
    if (result == TOILE_OK) {
        result = read_girth("height", o->height, &o->def.height);
    }
    if (result == TOILE_OK) {
        result = read_girth("chest", o->chest, &o->def.chest);
    }
    if (result == TOILE_OK) {
        result = read_girth("waist", o->waist, &o->def.waist);
    }
    if (result == TOILE_OK) {
        result = read_girth("hip", o->hip, &o->def.hip);
    }
    if (result == TOILE_OK) {
        result = read_time(o->time, &o->moment);
    }
    if (result == TOILE_OK) {
        result = read_pose(o);
    }
    return result == TOILE_OK ? read_output(o) : result;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static toile_result find_clip(const mannequin_options *o, const character *c,
                              const character_clip **out) {
    *out = NULL;
    if (!o->animation) {
        return TOILE_OK;
    }
    *out = character_find_clip(c, o->animation);
    if (*out) {
        return TOILE_OK;
    }
    char list[128];
    size_t used = 0;
    for (size_t i = 0; i < c->clip_count && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0                   ? ""
                                 : i + 1 == c->clip_count ? " or "
                                                          : ", ",
                                 c->clips[i].name);
    }
    return error_set(TOILE_ERROR_INVALID, "mannequin: --animation: expected %s, found '%s'", list,
                     make_printable(o->animation).text);
}

/* The mesh as the animation has it at the moment, or at rest. */
static toile_result write_posed(const mannequin_options *o, const character *c,
                                const character_clip *clip) {
    mesh_data mesh = {0};
    transform *locals = memory_alloc(c->joint_count, sizeof *locals, "a pose");
    affine *joints = memory_alloc(c->joint_count, sizeof *joints, "a pose");
    skin_rows *matrices = memory_alloc(c->joint_count, sizeof *matrices, "a pose");
    toile_result result = TOILE_ERROR_MEMORY;
    if (locals && joints && matrices &&
        mesh_allocate(&mesh, c->vertices, c->triangles, true, false)) {
        character_sample(c, clip, o->moment, true, locals);
        character_skin_matrices(c, locals, joints);
        skin_rows_from_affine(joints, c->joint_count, matrices);
        character_skin(c, matrices, mesh.positions);
        memcpy(mesh.indices, c->indices, 3 * c->triangles * sizeof *c->indices);
        mesh_view view = mesh_get_view(&mesh, "mannequin");
        mesh_normals(&view, mesh.positions, mesh.normals);
        result = obj_write(o->output, &view);
    }
    free(locals);
    free(joints);
    free(matrices);
    mesh_free(&mesh);
    return result;
}

static toile_result print_summary(const mannequin_options *o, const character *c,
                                  const character_clip *clip) {
    measures m;
    toile_result result = measure_body(c->positions, c->vertices, c->indices, c->triangles, &m);
    if (result != TOILE_OK) {
        return result;
    }
    printf("%s: %zu triangles; height %.3f m, chest %.3f, waist %.3f, hip %.3f, inseam %.3f, arm "
           "%.3f\n",
           o->output, c->triangles, m.height, m.chest, m.waist, m.hip, m.inseam, m.arm);
    if (o->glb) {
        printf("%zu joints; animations:", c->joint_count);
        for (size_t i = 0; i < c->clip_count; i++) {
            if (!clip || clip == &c->clips[i]) {
                printf(" %s %g s%s", c->clips[i].name, c->clips[i].length,
                       clip || i + 1 == c->clip_count ? "\n" : ",");
            }
        }
    }
    return TOILE_OK;
}

static toile_result write_mannequin(const mannequin_options *o) {
    character c;
    toile_result result = mannequin_create(&o->def, &c);
    if (result != TOILE_OK) {
        error_prefix("mannequin: ");
        return result;
    }
    const character_clip *clip;
    result = find_clip(o, &c, &clip);
    if (result == TOILE_OK) {
        result = o->glb ? character_glb_write(o->output, &c, "mannequin", clip)
                        : write_posed(o, &c, clip);
    }
    if (result == TOILE_OK) {
        result = print_summary(o, &c, clip);
    }
    character_free(&c);
    return result;
}

static int mannequin(int argc, char *argv[]) {
    mannequin_options o = {0};
    toile_result result = read_options(argc, argv, &o);
    return command_end(result == TOILE_OK ? write_mannequin(&o) : result);
}

const command mannequin_command = {
    .name = "mannequin",
    .summary = "write a body of given measurements, with animations",
    .help =
        "usage: toile mannequin -o FILE [OPTION...]\n"
        "\n"
        "Writes a human figure: FILE.glb with joints and animations, or FILE.obj in one pose.\n"
        "It stands on y = 0 and looks along +z.\n"
        "\n"
        "  -o FILE            ends in .glb or .obj\n"
        "  --height M         in metres, 1.4 to 2.1; default 1.72\n"
        "  --chest M          girth around the fullest part of the chest; default 0.512 x height\n"
        "  --waist M          girth where the waist is narrowest; default 0.419 x height\n"
        "  --hip M            girth around the fullest part of the seat; default 0.558 x height\n"
        "  --pose a|t         rest pose: arms 40 degrees from the sides (default), or stretched\n"
        "                     out\n"
        "  --animation NAME   idle, walk, jog, sneak, turn or kick; a .glb has all without it\n"
        "  --time S           of an .obj with --animation: the moment, in seconds; default 0\n",
    .run = mannequin,
};
