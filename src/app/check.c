/* toile check: is a finished run, or a mesh, any good? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/judge.h"
#include "app/options.h"
#include "app/path.h"
#include "app/playback.h"
#include "app/recover.h"
#include "app/strain.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/islands.h"
#include "io/obj.h"
#include "io/report.h"
#include "step/intersect.h"
#include "step/world.h"

typedef struct findings {
    report report;                          /* judged */
    const char *no_strain, *no_penetration; /* why it is not known, where it is not */
    playback run;                           /* that the report is about; zeroed: none */
    history history;                        /* of its frames */
} findings;

/* ---- a run --------------------------------------------------------------------------------------
 */

/* Moves `vertex` on the line from `before` through it to where the texel is: `width` spacings of
 * mesh are one spacing of grid. */
static void move_to_texel(const float *before, float *vertex, float width) {
    for (int k = 0; k < 3; k++) {
        vertex[k] = before[k] + (vertex[k] - before[k]) / width;
    }
}

/* The mesh has its last column and row on the outline, the texels have theirs a spacing from those
 * before. Changes the mesh's positions into the texels'. */
static void mesh_to_texels(const toile_cloth_info *info, mesh_data *mesh) {
    size_t columns = (size_t)info->columns, rows = (size_t)info->rows;
    const float *last = mesh->coordinates + 2 * (columns * rows - 1);
    float last_u = (last[0] - last[-2]) / info->spacing;
    float last_v = (last[1] - last[1 - 2 * (ptrdiff_t)columns]) / info->spacing;
    for (size_t i = 0; i < columns; i++) {
        float *vertex = mesh->positions + 3 * (columns * (rows - 1) + i);
        move_to_texel(vertex - 3 * columns, vertex, last_v);
    }
    for (size_t j = 0; j < rows; j++) {
        float *vertex = mesh->positions + 3 * (columns * (j + 1) - 1);
        move_to_texel(vertex - 3, vertex, last_u);
    }
}

static toile_result restore_cloth(toile_world *world, toile_cloth_id id, mesh_data *mesh) {
    toile_cloth_info info = toile_cloth_get_info(world, id);
    const panel *p = world_cloth(world, id.slot - 1)->panel;
    if (p->rectangle) {
        mesh_to_texels(&info, mesh);
        return toile_cloth_set_texel_positions(world, id, mesh->positions, info.texels);
    }
    float *texels = memory_alloc(3 * info.texels, sizeof *texels, "texels");
    toile_result result = texels ? recover_texels(p, mesh->positions, texels) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = toile_cloth_set_texel_positions(world, id, texels, info.texels);
    }
    free(texels);
    return result;
}

static toile_result restore_sample(playback *p, uint32_t sample) {
    toile_result result = playback_seek(p, sample);
    for (int c = 0; c < p->meshes.count && result == TOILE_OK; c++) {
        result = restore_cloth(p->world, p->ids.cloths[c], &p->meshes.items[c]);
    }
    return result;
}

/* Takes the world from sample to sample: its bodies by steps, which move no cloth on the null
 * device, and its cloths by hand. */
static toile_result measure_samples(playback *p, history *h) {
    toile_result result = TOILE_OK;
    for (uint32_t sample = 0; sample < p->samples && result == TOILE_OK; sample++) {
        if (sample > 0) {
            result = scene_step(p->scene, p->world, &p->ids);
        }
        bool due = sample % (uint32_t)p->scene->report.interval == 0 || sample + 1 == p->samples;
        if (result == TOILE_OK && due) {
            result = restore_sample(p, sample);
            result = result == TOILE_OK ? history_measure(h, p->world, sample) : result;
        }
    }
    return result;
}

/* With fewer vertices than texels, wrinkles between them are lost, and what is left looks strained.
 */
static bool meshes_tell_texels(const playback *p) {
    for (int c = 0; c < p->meshes.count; c++) {
        toile_cloth_info info = toile_cloth_get_info(p->world, p->ids.cloths[c]);
        if (info.vertices < info.texels_present) {
            return false;
        }
    }
    return true;
}

static toile_result check_run(const char *folder, findings *f) {
    playback *p = &f->run;
    toile_result result = playback_open(p, folder);
    if (result != TOILE_OK) {
        return result;
    }
    course *courses = NULL;
    result = courses_note(p->scene, p->world, &p->ids, &courses);
    if (result == TOILE_OK) {
        result = history_create(&f->history, (size_t)p->scene->cloth_count);
    }
    if (result == TOILE_OK) {
        result = measure_samples(p, &f->history);
    }
    if (result == TOILE_OK) {
        const judged whole = {p->scene, p->world, &p->ids, courses, &f->history};
        result = judge_world(&f->report, &whole, meshes_tell_texels(p), NULL);
    }
    free(courses);
    if (result == TOILE_OK) {
        outcome_judge(&p->outcome, p->samples, &f->report);
    }
    f->no_strain =
        p->meshes.count > 0 ? "the mesh of a cloth is coarser than its grid" : "there is no cloth";
    f->no_penetration = p->meshes.count > 0 ? "there are no bodies" : "there is no cloth";
    return result;
}

/* ---- a mesh -------------------------------------------------------------------------------------
 */

/* A mesh does not know its fabric: it may be as elastic as the most elastic preset. */
static double largest_limit(void) {
    double largest = 0.0;
    for (int i = 0; i < toile_fabric_count(); i++) {
        largest = fmax(largest, (double)toile_fabric_named(toile_fabric_name(i)).limit);
    }
    return largest;
}

static toile_result check_mesh(const char *path, findings *f) {
    report *r = &f->report;
    mesh_data mesh;
    toile_result result = obj_read(path, &mesh);
    if (result != TOILE_OK) {
        return result;
    }
    r->strain_limit = largest_limit();
    if (mesh.coordinates) {
        result = strain_measure(&mesh, &r->has_strain, &r->metrics.strain);
    }
    if (result == TOILE_OK) {
        bool whole;
        result = count_intersections(mesh.positions, mesh.vertices, mesh.indices, mesh.triangles,
                                     UINT64_MAX, &r->metrics.self_intersections, &whole);
    }
    if (result == TOILE_OK) {
        report_judge(r);
    }
    f->no_strain = "there is no flat pattern";
    f->no_penetration = "there are no bodies";
    mesh_free(&mesh);
    return result;
}

/* ---- the command --------------------------------------------------------------------------------
 */

/* A line for each piece of a mesh: how far its flat pattern is from isometric. */
static void print_patterns(const scene *s) {
    for (int c = 0; s && c < s->cloth_count; c++) {
        const scene_cloth *given = &s->cloths[c];
        if (given->piece) {
            printf("flat pattern        \"%s\" at %.4g m a unit%s: %s\n", given->def.name,
                   given->pattern_scale, given->piece->mirrored ? ", mirrored" : "",
                   isometry_describe(&given->piece->isometry).text);
        }
    }
}

/* The worst of all cloths and frames, and where it was. */
static void print_worst(const report *r, const char *what, measure_kind kind) {
    const cloth_history *worst = NULL;
    int index = 0;
    for (int c = 0; r->history && c < r->scene->cloth_count; c++) {
        const cloth_history *h = &r->history->cloths[c];
        if (h->worst[kind].value > (worst ? worst->worst[kind].value : 0.0)) {
            worst = h;
            index = c;
        }
    }
    if (!worst) {
        return;
    }
    const toile_place *at = kind == MEASURE_DEPTH ? &worst->deepest : &worst->farthest;
    const char *name = report_body_name(r, at);
    printf("%-20s%.3g mm in frame %ju: cloth '%s', body '%s', at (%.4g, %.4g, %.4g)\n", what,
           1e3 * worst->worst[kind].value, (uintmax_t)worst->worst[kind].frame,
           r->scene->cloths[index].def.name, name ? name : "", at->position[0], at->position[1],
           at->position[2]);
}

static void print_table(const findings *f) {
    const report *r = &f->report;
    const toile_strain *s = &r->metrics.strain;
    const toile_penetration *p = &r->metrics.penetration;
    if (r->has_complete) {
        printf("frames              %u%s\n", (unsigned)r->frames,
               r->complete ? "" : ", not complete: the run stopped before its last one");
    }
    print_patterns(r->scene);
    if (r->has_strain) {
        printf("strain              mean %.3g %%, p99 %.3g %%, p999 %.3g %%, max %.3g %%\n",
               100.0 * s->mean, 100.0 * s->p99, 100.0 * s->p999, 100.0 * s->max);
    } else {
        printf("strain              not known: %s\n", f->no_strain);
    }
    if (r->has_penetration) {
        printf("penetration         %ju points, up to %.3g mm deep\n", (uintmax_t)p->count,
               1e3 * p->max_depth_m);
        printf("crossings           %ju pairs of triangles of cloth and bodies, up to %.3g mm\n",
               (uintmax_t)p->crossings, 1e3 * p->crossing_depth_m);
        print_worst(r, "worst depth", MEASURE_DEPTH);
        print_worst(r, "worst crossing", MEASURE_CROSSING_DEPTH);
        printf("caught              %ju vertices between parts of a body\n", (uintmax_t)p->caught);
    } else {
        printf("penetration         not known: %s\n", f->no_penetration);
    }
    printf("self-intersections  %ju\n", (uintmax_t)r->metrics.self_intersections);
    printf("verdict             ");
    report_print_verdict(r, stdout);
    for (int i = 0; i < r->reason_count; i++) {
        printf("                    %s\n", r->reasons[i]);
    }
}

static toile_result check_path(const char *path, findings *f) {
    if (path_is_folder(path)) {
        return check_run(path, f);
    }
    if (path_ends_with(path, ".obj")) {
        return check_mesh(path, f);
    }
    if (access(path, F_OK) != 0) {
        return error_set(TOILE_ERROR_INVALID, "check: cannot read '%s': %s", path, strerror(errno));
    }
    return error_set(TOILE_ERROR_INVALID,
                     "check: expected the folder of a run or a file that ends in .obj, found '%s'",
                     path);
}

static int check(int argc, char *argv[]) {
    const char *path = NULL;
    bool json = false;
    const option_spec specs[] = {{.name = "json", .flag = &json}, {0}};
    toile_result result =
        options_parse(argc, argv, specs, "the folder of a run or an .obj file", &path);
    findings f = {0};
    if (result == TOILE_OK) {
        result = check_path(path, &f);
    }
    if (result == TOILE_OK && json) {
        result = report_print(&f.report, stdout);
    } else if (result == TOILE_OK) {
        print_table(&f);
    }
    playback_close(&f.run);
    history_free(&f.history);
    int status = command_end(result);
    return status == STATUS_GOOD ? command_verdict(&f.report) : status;
}

const command check_command = {
    .name = "check",
    .summary = "measure a run or a mesh and give a verdict",
    .help =
        "usage: toile check RUN_DIR|FILE.obj [--json]\n"
        "\n"
        "Measures strain, penetration of bodies and self-intersections in the frames of a run, or\n"
        "of one mesh, and gives a verdict. The measures that are printed are those of the last\n"
        "frame; reasons name the worst one. A run that failed, or was killed, is bad. Of bodies\n"
        "that are meshes it counts crossings with cloth, and vertices caught between two parts of\n"
        "a body. Of cloths that the scene takes from meshes it tells how far their flat patterns\n"
        "are from keeping lengths. A mesh needs its flat pattern in metres as texture coordinates\n"
        "for the strain, and has no bodies to penetrate.\n"
        "\n"
        "  --json   as JSON, with the keys of the report; what cannot be known is null\n"
        "\n"
        "Exit status: 0 good, 1 the verdict is bad, 2 mistake of the user, 5 the run was\n"
        "interrupted.\n",
    .run = check,
};
