#include "io/mesh_read.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "io/gltf.h"
#include "io/obj.h"

static toile_result read_gltf(const char *path, mesh_data *out) {
    gltf *g;
    toile_result result = gltf_read(path, &g);
    if (result == TOILE_OK) {
        result = gltf_join(g, path, out);
        gltf_free(g);
    }
    return result;
}

static bool ends_with(const char *path, const char *end) {
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcasecmp(path + length - size, end) == 0;
}

toile_result mesh_read(const char *path, mesh_data *out) {
    if (ends_with(path, ".obj")) {
        return obj_read(path, out);
    }
    if (ends_with(path, ".glb") || ends_with(path, ".gltf")) {
        return read_gltf(path, out);
    }
    return error_set(TOILE_ERROR_INVALID,
                     "'%s': expected the name of a mesh to end in .obj, .glb or .gltf", path);
}
