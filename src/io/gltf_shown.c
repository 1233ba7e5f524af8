#include "io/gltf_shown.h"

#define CORNER_LIMIT ((size_t)1 << 28)
enum { FREE_CORNERS = 1 << 22, CORNERS_PER_BYTE = 256 };

size_t gltf_corner_limit(const gltf *g) {
    size_t limit = FREE_CORNERS + CORNERS_PER_BYTE * g->bytes;
    return limit < CORNER_LIMIT ? limit : CORNER_LIMIT;
}

affine gltf_affine(const float matrix[16]) {
    affine a;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            a.row[row][column] = (double)matrix[4 * column + row];
        }
    }
    return a;
}

affine gltf_node_affine(const gltf_node *n) {
    if (n->has_matrix) {
        return gltf_affine(n->matrix);
    }
    transform t = {.rotation = {(double)n->rotation[0], (double)n->rotation[1],
                                (double)n->rotation[2], (double)n->rotation[3]}};
    for (int k = 0; k < 3; k++) {
        t.translation[k] = (double)n->translation[k];
        t.scale[k] = (double)n->scale[k];
    }
    return affine_from_transform(&t);
}

void gltf_find_globals(const gltf *g, affine *out) {
    for (size_t i = 0; i < g->node_count; i++) {
        size_t index = g->order[i];
        const gltf_node *n = &g->nodes[index];
        affine own = gltf_node_affine(n);
        out[index] = n->parent == GLTF_NONE ? own : affine_multiply(&out[n->parent], &own);
    }
}

const float *gltf_target_weights(const gltf *g, const gltf_node *n) {
    return n->weights ? n->weights : g->meshes[n->mesh].weights;
}
