/* toile-convert: the only program that links Assimp. `toile convert` starts it (app/converter.h),
 * so that whatever a file makes of Assimp stays in this process. */
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "convert/conversion.h"
#include "convert/protocol.h"

typedef struct request {
    const char *path;
    double scale; /* 0: as the file says */
    char up;      /* 0: the same */
} request;

/* Without a mesh Assimp would draw the bones of a BVH file as one. */
static const struct aiScene *import(const request *r) {
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION,
                               r->up ? 1 : 0);
    const struct aiScene *scene = aiImportFileExWithProperties(
        r->path, aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_SortByPType,
        NULL, settings);
    aiReleasePropertyStore(settings);
    return scene;
}

static void print_notes(const conversion *c) {
    printf("scale %g: %s\n", c->place.inside, c->place.reason);
    if (c->place.up != 'y') {
        printf("turned so that %c becomes y, which points up\n", c->place.up);
    }
    if (c->crowded > 0) {
        printf("%zu weights left out: the %d largest per vertex are kept\n", c->crowded,
               CONVERSION_INFLUENCES);
    }
}

static toile_result make_parts(const request *r, conversion *c) {
    toile_result result = tree_list(c->scene->mRootNode, &c->tree);
    if (result != TOILE_OK) {
        return result;
    }
    c->place = placement_find(c->scene, &c->tree, r->path, r->scale, r->up);
    result = conversion_meshes(c);
    result = result == TOILE_OK ? conversion_skins(c) : result;
    result = result == TOILE_OK ? conversion_nodes(c) : result;
    result = result == TOILE_OK ? conversion_animations(c) : result;
    if (result == TOILE_OK && !json_object_get(c->out.root, "meshes") &&
        !json_object_get(c->out.root, "animations")) {
        return error_set(TOILE_ERROR_FORMAT,
                         "cannot convert '%s': it has neither triangles nor an animation", c->path);
    }
    return result;
}

static toile_result convert(const request *r, FILE *out) {
    const struct aiScene *scene = import(r);
    if (!scene || !scene->mRootNode) {
        const char *reason = aiGetErrorString();
        return error_set(TOILE_ERROR_FORMAT, "cannot convert '%s': %s", r->path,
                         *reason ? reason : "Assimp does not say why");
    }
    conversion c = {.scene = scene, .path = r->path, .out = glb_builder_begin()};
    toile_result result = make_parts(r, &c);
    if (result == TOILE_OK && !glb_builder_write(&c.out, out)) {
        result = error_set(TOILE_ERROR_MEMORY,
                           "not enough memory to convert '%s', or a result of "
                           "more than 4 GiB",
                           r->path);
    }
    if (result == TOILE_OK) {
        print_notes(&c);
    }
    glb_builder_free(&c.out);
    for (size_t i = 0; i < c.skin_count; i++) {
        free(c.skins[i].joints);
    }
    free(c.skins);
    free(c.added);
    free(c.meshes);
    tree_free(&c.tree);
    aiReleaseImport(scene);
    return result;
}

int main(int argc, char *argv[]) {
    FILE *out =
        fcntl(CONVERTER_DESCRIPTOR, F_GETFD) != -1 ? fdopen(CONVERTER_DESCRIPTOR, "wb") : NULL;
    if (argc != 4 || !out) {
        fputs("toile-convert: is a part of 'toile convert', which starts it\n", stderr);
        return CONVERTER_MISTAKE;
    }
    request r = {argv[1], strtod(argv[2], NULL), argv[3][0]};
    toile_result result = convert(&r, out);
    if (result != TOILE_OK) {
        fputs(toile_error_message(), out);
    }
    bool written = fclose(out) == 0 && fflush(stdout) == 0;
    if (result != TOILE_OK || !written) {
        return result == TOILE_ERROR_MEMORY ? CONVERTER_MEMORY : CONVERTER_MISTAKE;
    }
    return CONVERTER_DONE;
}
