/* `toile bench contact`: the scenes of a folder, and what of their cloth was where it cannot be in
 * the worst of all frames: triangles that cut each other, depth in bodies, energy out of nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/options.h"
#include "app/path.h"
#include "base/error.h"
#include "bench/bench.h"
#include "bench/device.h"
#include "bench/results.h"
#include "io/actor.h"

enum { QUICK_FRAMES = 2, PATH_BYTES = 4096 };

typedef struct contact_options {
    const char *scenes, *folder, *device;
    int frames, threads;
    bool bounded, quick;
} contact_options;

/* Of a scene. */
typedef struct outcome {
    int frames;
    size_t texels;
    uint64_t crossings;     /* pairs of triangles in the frame with most of them ... */
    int crossing_frame;     /* ... which is this one */
    double depth, standing; /* m, of penetration: max_depth_m, crossing_depth_m */
    double start;           /* J, before the first step */
    double gain;            /* J, most energy above that */
    double scale;           /* J, weight times size, of the cloth with most of it */
    double iterations;      /* a substep, mean */
    double ms;              /* a frame, mean */
} outcome;

static toile_result look(const toile_world *world, int frame, outcome *out) {
    toile_metrics m;
    toile_result result = toile_world_measure_cloths(
        world, TOILE_MEASURE_PENETRATION | TOILE_MEASURE_INTERSECTIONS | TOILE_MEASURE_ENERGY, &m,
        NULL, 0);
    if (result != TOILE_OK) {
        return result;
    }
    double energy = m.kinetic_energy + m.elastic_energy + m.potential_energy;
    out->start = frame == 0 ? energy : out->start;
    out->gain = fmax(out->gain, energy - out->start);
    out->depth = fmax(out->depth, m.penetration.max_depth_m);
    out->standing = fmax(out->standing, m.penetration.crossing_depth_m);
    if (m.self_intersections > out->crossings) {
        out->crossings = m.self_intersections;
        out->crossing_frame = frame;
    }
    return TOILE_OK;
}

static void note_cloths(const scene *s, const toile_world *world, const scene_ids *ids,
                        outcome *out) {
    const float *g = s->world.gravity;
    double gravity = sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    for (int c = 0; c < s->cloth_count; c++) {
        toile_cloth_info info = toile_cloth_get_info(world, ids->cloths[c]);
        double size = fmax((double)info.size[0], (double)info.size[1]);
        out->texels += info.texels_present;
        out->scale = fmax(out->scale, info.mass * gravity * size);
    }
}

static toile_result step_through(const contact_options *o, const scene *s, toile_world *world,
                                 const scene_ids *ids, outcome *out) {
    int frames = o->frames > 0 && o->frames < (int)s->frames ? o->frames : (int)s->frames;
    note_cloths(s, world, ids, out);
    toile_result result = look(world, 0, out);
    for (int frame = 1; frame <= frames && result == TOILE_OK; frame++) {
        result = scene_step(s, world, ids);
        if (result == TOILE_OK) {
            toile_solver_info info = toile_world_get_solver_info(world);
            out->iterations += (double)info.iterations / fmax(info.substeps, 1);
            out->ms += toile_world_get_profile(world).step_ms;
            out->frames = frame;
            result = look(world, frame, out);
        }
    }
    out->iterations /= fmax(out->frames, 1);
    out->ms /= fmax(out->frames, 1);
    return result;
}

static toile_result run_scene(const contact_options *o, const char *path, outcome *out) {
    scene *s;
    toile_world *world;
    scene_ids ids;
    *out = (outcome){0};
    toile_result result = scene_load(path, &s);
    if (result != TOILE_OK) {
        return result;
    }
    s->world.device = o->device;
    s->world.threads = o->threads;
    s->world.solver.bounded |= o->bounded;
    result = actors_load(s);
    if (result == TOILE_OK) {
        result = scene_build(s, NULL, NULL, &world, &ids);
    }
    if (result == TOILE_OK) {
        result = step_through(o, s, world, &ids, out);
        scene_ids_free(&ids);
        toile_world_destroy(world);
    }
    scene_free(s);
    return result;
}

static void write_row(FILE *csv, const contact_options *o, const char *name, const outcome *r) {
    fprintf(csv, "\"%s\",\"%s\",%s,\"%s\",%d,%d,%zu,%llu,%d,%.6f,%.6f,%.4f,%.3f,%.3f\n",
            results_machine(), device_description(o->device), toile_version(), name, o->threads,
            r->frames, r->texels, (unsigned long long)r->crossings, r->crossing_frame, r->depth,
            r->standing, r->gain / r->scale, r->iterations, r->ms);
    printf("%-16s%7d%8zu%11llu%10.2f%12.2f%8.3f%12.2f%9.1f\n", name, r->frames, r->texels,
           (unsigned long long)r->crossings, 1e3 * r->depth, 1e3 * r->standing, r->gain / r->scale,
           r->iterations, r->ms);
    fflush(stdout);
}

static int is_scene(const struct dirent *entry) {
    return path_ends_with(entry->d_name, ".json");
}

static toile_result run_scenes(const contact_options *o, struct dirent **names, int count,
                               FILE *csv) {
    fputs("machine,device,version,scene,threads,frames,texels,crossings,crossing_frame,"
          "depth_m,standing_m,gain,iterations_per_substep,ms_per_frame\n",
          csv);
    printf("%-16s%7s%8s%11s%10s%12s%8s%12s%9s\n", "scene", "frames", "texels", "crossings",
           "depth mm", "stands out", "gain", "iterations", "ms");
    toile_result result = TOILE_OK;
    for (int i = 0; i < count && result == TOILE_OK; i++) {
        char path[PATH_BYTES];
        outcome r;
        snprintf(path, sizeof path, "%s/%s", o->scenes, names[i]->d_name);
        result = run_scene(o, path, &r);
        if (result == TOILE_OK) {
            names[i]->d_name[strlen(names[i]->d_name) - strlen(".json")] = '\0';
            write_row(csv, o, names[i]->d_name, &r);
        }
    }
    return result;
}

int bench_contact(int argc, char *argv[]) {
    contact_options o = {
        .scenes = "scenes/contact", .folder = RESULTS_FOLDER, .device = "cpu", .threads = 2};
    const option_spec specs[] = {
        {.name = "scenes", .text = &o.scenes},
        {.name = "device", .text = &o.device},
        {.name = "out", .text = &o.folder},
        {.name = "frames", .number = &o.frames, .low = 1, .high = 1000000},
        {.name = "threads", .number = &o.threads, .low = 0, .high = 1024},
        {.name = "bounded", .flag = &o.bounded},
        {.name = "quick", .flag = &o.quick},
        {0},
    };
    if (options_parse(argc, argv, specs, NULL, NULL) != TOILE_OK) {
        return command_end(TOILE_ERROR_INVALID);
    }
    o.frames = o.quick ? QUICK_FRAMES : o.frames;
    toile_result result = device_choose(o.device, &o.device);
    results_file kept = {0};
    struct dirent **names = NULL;
    int count = 0;
    if (result == TOILE_OK) {
        count = scandir(o.scenes, &names, is_scene, alphasort);
        result = count < 0 ? error_set(TOILE_ERROR_INVALID, "bench contact: cannot read '%s': %s",
                                       o.scenes, strerror(errno))
                           : TOILE_OK;
    }
    if (result == TOILE_OK) {
        char ending[64];
        snprintf(ending, sizeof ending, "%s%s.csv", device_file_ending(o.device).text,
                 o.bounded ? "_bounded" : "");
        result = results_open(&kept, o.folder, "contact", ending);
    }
    if (result == TOILE_OK) {
        result = run_scenes(&o, names, count, kept.csv);
        if (result == TOILE_OK) {
            result = results_commit(&kept);
        } else {
            results_discard(&kept);
        }
    }
    for (int i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
    return command_end(result);
}
