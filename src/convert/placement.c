#include "convert/placement.h"

#include <assimp/cimport.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Nobody is 20 m tall. */
static const double TALLEST = 20.0;

/* ---- what a file says ---------------------------------------------------------------------------
 */

/* A number of the global settings of an FBX file. */
static bool find_number(const struct aiScene *scene, const char *name, double *out) {
    const struct aiMetadata *all = scene->mMetaData;
    for (unsigned i = 0; all && i < all->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &all->mValues[i];
        if (strcmp(all->mKeys[i].data, name) != 0 || !entry->mData) {
            continue;
        }
        switch (entry->mType) {
        case AI_INT32:
            *out = (double)*(const int32_t *)entry->mData;
            return true;
        case AI_FLOAT:
            *out = (double)*(const float *)entry->mData;
            return true;
        case AI_DOUBLE:
            *out = *(const double *)entry->mData;
            return true;
        default:
            return false;
        }
    }
    return false;
}

static bool is_animated(const struct aiScene *scene, const struct aiNode *node) {
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        const struct aiAnimation *a = scene->mAnimations[i];
        for (unsigned k = 0; k < a->mNumChannels; k++) {
            if (strcmp(a->mChannels[k]->mNodeName.data, node->mName.data) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* That of the root's matrix, when it is the same for all axes; 1 otherwise. */
static double find_root_scale(const struct aiScene *scene) {
    const struct aiMatrix4x4 *m = &scene->mRootNode->mTransformation;
    double x = hypot(hypot((double)m->a1, (double)m->b1), (double)m->c1),
           y = hypot(hypot((double)m->a2, (double)m->b2), (double)m->c2),
           z = hypot(hypot((double)m->a3, (double)m->b3), (double)m->c3);
    bool even = fabs(y - x) <= 1e-6 * x && fabs(z - x) <= 1e-6 * x;
    bool scales = even && isfinite(x) && x > 0.0 && fabs(x - 1.0) > 1e-6;
    return scales && !is_animated(scene, scene->mRootNode) ? x : 1.0;
}

/* The largest extent of all nodes at rest, in units of the file. */
static double find_extent(const tree *t) {
    struct aiMatrix4x4 *globals = malloc(t->count * sizeof *globals);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < t->count && globals; i++) {
        globals[i] = t->nodes[i]->mTransformation;
        if (t->parents[i] != TREE_NONE) {
            struct aiMatrix4x4 product = globals[t->parents[i]];
            aiMultiplyMatrix4(&product, &globals[i]);
            globals[i] = product;
        }
        const double at[3] = {(double)globals[i].a4, (double)globals[i].b4, (double)globals[i].c4};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    free(globals);
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

static bool is_bvh(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".bvh") == 0;
}

/* ---- placement ----------------------------------------------------------------------------------
 */

static double choose_scale(const struct aiScene *scene, const tree *t, const char *path,
                           placement *p) {
    double centimetres;
    if (find_number(scene, "UnitScaleFactor", &centimetres) && centimetres > 0.0) {
        snprintf(p->reason, sizeof p->reason, "the file's unit is %g cm", centimetres);
        return 0.01 * centimetres;
    }
    if (p->root_scale != 1.0) {
        snprintf(p->reason, sizeof p->reason, "the file's unit is %g m", p->root_scale);
        return p->root_scale;
    }
    double extent = is_bvh(path) ? find_extent(t) : 0.0;
    if (extent > TALLEST) {
        snprintf(p->reason, sizeof p->reason,
                 "BVH has no unit, and a skeleton %.3g units across is taken for centimetres",
                 extent);
        return 0.01;
    }
    snprintf(p->reason, sizeof p->reason, "the file's unit is 1 m, or it names none");
    return 1.0;
}

placement placement_find(const struct aiScene *scene, const tree *t, const char *path, double scale,
                         char up) {
    placement p = {.root_scale = find_root_scale(scene), .up = up};
    p.inside = choose_scale(scene, t, path, &p);
    if (scale > 0.0) {
        snprintf(p.reason, sizeof p.reason, "--scale; otherwise %g", p.inside);
        p.inside = scale;
    }
    p.outside = p.inside / p.root_scale;
    double axis, sign = 1.0;
    if (!up) {
        /* Assimp 5.2 tells which axis of an FBX file is up, and does not turn it. */
        bool known = find_number(scene, "UpAxis", &axis) && axis >= 0.0 && axis <= 2.0;
        find_number(scene, "UpAxisSign", &sign);
        p.up = known && sign > 0.0 ? "xyz"[(int)axis] : 'y';
    }
    return p;
}

void placement_turn(char up, double out[4]) {
    const double half = sqrt(0.5);
    memcpy(out, (double[4]){up == 'z' ? -half : 0.0, 0.0, up == 'x' ? half : 0.0, half},
           4 * sizeof *out);
}
