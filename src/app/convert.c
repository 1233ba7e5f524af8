/* toile convert: FBX, Collada, BVH and others to glTF. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command.h"
#include "app/converter.h"
#include "app/options.h"
#include "app/path.h"
#include "base/error.h"
#include "io/file.h"
#include "io/gltf.h"
#include "io/json.h"

typedef struct convert_options {
    const char *input, *output, *scale, *up;
    bool quiet;
} convert_options;

/* ---- options ------------------------------------------------------------------------------------
 */

static toile_result check_scale(const char *text) {
    char *end;
    double value = text ? strtod(text, &end) : 1.0;
    if (text && (end == text || *end || !(value >= 1e-6 && value <= 1e6))) {
        return error_set(TOILE_ERROR_INVALID,
                         "convert: --scale: expected metres per unit of the file, 1e-6 to 1e6, "
                         "found '%s'",
                         make_printable(text).text);
    }
    return TOILE_OK;
}

static toile_result check_up(const char *text) {
    if (text && strcmp(text, "y") != 0 && strcmp(text, "z") != 0) {
        return error_set(TOILE_ERROR_INVALID, "convert: --up: expected y or z, found '%s'",
                         make_printable(text).text);
    }
    return TOILE_OK;
}

static toile_result check_input(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return error_set(TOILE_ERROR_INVALID, "cannot read '%s': %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return error_set(TOILE_ERROR_INVALID, "'%s' is no plain file", path);
    }
    return TOILE_OK;
}

static toile_result check_output(const convert_options *o) {
    if (!o->output) {
        return error_set(TOILE_ERROR_INVALID, "convert: expected -o with a file to write");
    }
    if (!path_ends_with(o->output, ".glb")) {
        return error_set(TOILE_ERROR_INVALID,
                         "convert: -o: expected a name that ends in .glb, found '%s'",
                         make_printable(o->output).text);
    }
    if (path_same(o->input, o->output)) {
        return error_set(TOILE_ERROR_INVALID,
                         "-o: '%s' is the file to convert: expected another file", o->output);
    }
    return TOILE_OK;
}

static toile_result read_options(int argc, char *argv[], convert_options *o) {
    const option_spec specs[] = {{.name = "o", .text = &o->output},
                                 {.name = "scale", .text = &o->scale},
                                 {.name = "up", .text = &o->up},
                                 {.name = "quiet", .flag = &o->quiet},
                                 {0}};
    toile_result result = options_parse(argc, argv, specs, "a file to convert", &o->input);
    result = result == TOILE_OK ? check_scale(o->scale) : result;
    result = result == TOILE_OK ? check_up(o->up) : result;
    result = result == TOILE_OK ? check_output(o) : result;
    result = result == TOILE_OK ? check_input(o->input) : result;
    return result == TOILE_OK ? path_probe(o->output) : result;
}

/* ---- the file -----------------------------------------------------------------------------------
 */

static void print_summary(const char *path, const gltf *g) {
    size_t triangles = 0, joints = 0;
    for (size_t i = 0; i < g->mesh_count; i++) {
        for (size_t k = 0; k < g->meshes[i].primitive_count; k++) {
            triangles += g->meshes[i].primitives[k].triangles;
        }
    }
    for (size_t i = 0; i < g->skin_count; i++) {
        joints += g->skins[i].joint_count;
    }
    printf("%s: %zu meshes with %zu triangles, %zu nodes, %zu joints of %zu skins\n", path,
           g->mesh_count, triangles, g->node_count, joints, g->skin_count);
    for (size_t i = 0; i < g->animation_count; i++) {
        const gltf_animation *a = &g->animations[i];
        printf("animation '%s': %.3g s, %zu channels\n", make_printable(a->name).text,
               (double)a->duration, a->channel_count);
    }
}

static toile_result write_bytes(const char *path, const uint8_t *bytes, size_t size) {
    file_writer *file;
    toile_result result = file_create(path, &file);
    if (result == TOILE_OK) {
        fwrite(bytes, 1, size, file_stream(file));
        result = file_commit(file);
    }
    return result;
}

/* The file is written when our own reader has taken all of it. */
static toile_result convert_file(const convert_options *o) {
    converter_def def = {.input = o->input,
                         .scale = o->scale ? o->scale : "",
                         .up = o->up ? o->up : "",
                         .quiet = o->quiet};
    uint8_t *bytes = NULL;
    size_t size;
    gltf *g = NULL;
    toile_result result = converter_run(&def, &bytes, &size);
    if (result == TOILE_OK) {
        result = gltf_parse(bytes, size, o->output, &g);
        if (result != TOILE_OK) {
            error_prefix("what the converter made cannot be read; nothing was written: ");
        }
    }
    if (result == TOILE_OK) {
        result = write_bytes(o->output, bytes, size);
    }
    if (result == TOILE_OK && !o->quiet) {
        print_summary(o->output, g);
    }
    gltf_free(g);
    free(bytes);
    return result;
}

static int convert(int argc, char *argv[]) {
    convert_options o = {0};
    toile_result result = read_options(argc, argv, &o);
    return command_end(result == TOILE_OK ? convert_file(&o) : result);
}

const command convert_command = {
    .name = "convert",
    .summary = "turn FBX, Collada, BVH and other files into glTF",
    .help =
        "usage: toile convert FILE -o FILE.glb [OPTION...]\n"
        "\n"
        "Reads a character or a motion in any format that Assimp knows and writes it as glTF, in\n"
        "metres, y up: meshes, nodes, skins, morph targets and animations. Materials, cameras and\n"
        "lights are left out. Says by how much lengths were scaled, and why.\n"
        "\n"
        "  -o FILE     ends in .glb\n"
        "  --scale S   metres per unit of the file; default: what the file says, and for BVH,\n"
        "              which says nothing, 0.01 if the skeleton is more than 20 units across\n"
        "  --up y|z    the axis of the file that points up; default: what the file says, or y\n"
        "  --quiet     print nothing\n"
        "\n"
        "A process of its own does it: a file that makes it crash, or take more than 5 minutes of\n"
        "CPU time or 8 GiB of memory, is refused, and nothing is written.\n",
    .run = convert,
};
