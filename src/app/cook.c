/* toile cook: the panels of a scene, cooked, as files. */
#include <stdio.h>
#include <stdlib.h>

#include "app/command.h"
#include "app/options.h"
#include "app/path.h"
#include "base/error.h"
#include "io/file.h"
#include "io/panel_file.h"
#include "io/scene.h"
#include "step/world.h"

static void print_panel(const char *path, const panel *p) {
    toile_panel_info info = toile_panel_get_info(p);
    printf("%s: %d x %d texels, %zu of them with cloth; coarse mesh of %zu triangles, render mesh "
           "of %zu",
           path, info.columns, info.rows, info.texels, info.coarse_triangles,
           info.render_triangles);
    if (info.parts > 1) {
        printf("; the texels fall into %d parts that no thread connects", info.parts);
    }
    putchar('\n');
}

static toile_result write_panel(const scene *s, const char *folder, const char *name,
                                const panel *p) {
    char *path;
    toile_result result = path_format(&path, "%s/%s.panel", folder, name);
    if (result != TOILE_OK) {
        return result;
    }
    if (path_same(path, s->path)) {
        result = error_set(TOILE_ERROR_INVALID, "cook: '%s' is the scene: expected another folder",
                           path);
    }
    if (result == TOILE_OK) {
        result = panel_write(path, p);
    }
    if (result == TOILE_OK) {
        print_panel(path, p);
    }
    free(path);
    return result;
}

/* Cloths cook their panels themselves; a world in which nothing moves has them all. */
static toile_result cook_scene(scene *s, const char *folder) {
    toile_world *world = NULL;
    scene_ids ids = {0};
    s->world.device = "null";
    toile_result result = scene_build(s, NULL, NULL, &world, &ids);
    if (result == TOILE_OK) {
        result = file_make_folder(folder);
    }
    for (int c = 0; c < s->cloth_count && result == TOILE_OK; c++) {
        const cloth *made = world_cloth(world, ids.cloths[c].slot - 1);
        result = write_panel(s, folder, made->name, made->panel);
    }
    toile_world_destroy(world);
    scene_ids_free(&ids);
    return result;
}

static int cook(int argc, char *argv[]) {
    const char *path = NULL, *folder = ".";
    const option_spec specs[] = {
        {.name = "out", .text = &folder}, {.name = "o", .text = &folder}, {0}};
    toile_result result = options_parse(argc, argv, specs, "a scene file", &path);
    scene *s = NULL;
    if (result == TOILE_OK) {
        result = scene_load(path, &s);
    }
    if (result == TOILE_OK) {
        result = cook_scene(s, folder);
    }
    scene_free(s);
    return command_end(result);
}

const command cook_command = {
    .name = "cook",
    .summary = "cook the panels of a scene and write them as files",
    .help =
        "usage: toile cook SCENE.json [--out DIR]\n"
        "\n"
        "Makes grid, meshes and the tables between them for every cloth of a scene, once, and\n"
        "writes them as CLOTH.panel. A cloth with \"panel\": \"CLOTH.panel\" takes it as it is.\n"
        "\n"
        "  --out DIR, -o DIR   the folder; default: the current one\n"
        "\n"
        "Exit status: 0 good, 2 mistake of the user, 4 something is missing, such as memory.\n",
    .run = cook,
};
