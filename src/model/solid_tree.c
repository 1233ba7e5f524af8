/* A tree of boxes over triangles. */
#include <stdlib.h>
#include <string.h>

#include "base/halving.h"
#include "base/memory.h"
#include "model/solid_build.h"

/* Triangles of a leaf, at most. */
enum { LEAF = 4 };

typedef struct box {
    v3 low, high;
} box;

typedef struct builder {
    solid *solid;
    box *boxes;     /* of the triangles */
    float *middles; /* 3 a triangle */
    halving halves;
} builder;

static box box_of(const solid *s, uint32_t triangle) {
    v3 a = solid_corner(s, 3 * triangle, 0.0f), b = solid_corner(s, 3 * triangle + 1, 0.0f),
       c = solid_corner(s, 3 * triangle + 2, 0.0f);
    return (box){v3_min(a, v3_min(b, c)), v3_max(a, v3_max(b, c))};
}

/* Twice the middles of the boxes, which sort as well. */
static void find_middles(builder *b) {
    for (size_t t = 0; t < b->solid->triangle_count; t++) {
        v3 middle = v3_add(b->boxes[t].low, b->boxes[t].high);
        b->middles[3 * t] = middle.x;
        b->middles[3 * t + 1] = middle.y;
        b->middles[3 * t + 2] = middle.z;
    }
}

static box box_of_range(const builder *b, uint32_t first, uint32_t count) {
    box all = b->boxes[b->halves.sorted[0][first]];
    for (uint32_t i = 1; i < count; i++) {
        const box *other = &b->boxes[b->halves.sorted[0][first + i]];
        all = (box){v3_min(all.low, other->low), v3_max(all.high, other->high)};
    }
    return all;
}

/* Halves are equal to one triangle, so that the tree is no deeper than the logarithm. */
static uint32_t build_node(builder *b, uint32_t first, uint32_t count) {
    uint32_t index = b->solid->node_count++;
    uint32_t left = count / 2;
    halving_split(&b->halves, first, count, left);
    uint32_t firsts[2] = {first, first + left}, counts[2] = {left, count - left};
    for (int child = 0; child < 2; child++) {
        box around = box_of_range(b, firsts[child], counts[child]);
        bool leaf = counts[child] <= LEAF;
        uint32_t at = leaf ? firsts[child] : build_node(b, firsts[child], counts[child]);
        solid_node *node = &b->solid->nodes[index];
        node->low[child] = around.low;
        node->high[child] = around.high;
        node->first[child] = at;
        node->count[child] = leaf ? counts[child] : 0;
    }
    return index;
}

static bool allocate(builder *b) {
    solid *s = b->solid;
    size_t count = s->triangle_count;
    const char *what = "the tree of a mesh";
    b->boxes = memory_alloc(count, sizeof *b->boxes, what);
    b->middles = memory_alloc(count, 3 * sizeof *b->middles, what);
    /* A node has more than LEAF triangles, so a leaf of its children has LEAF / 2 or more; only the
     * root may have fewer. */
    s->nodes = memory_alloc(count / (LEAF / 2) + 1, sizeof *s->nodes, what);
    return b->boxes && b->middles && s->nodes;
}

toile_result solid_build_tree(solid *s) {
    builder b = {.solid = s};
    toile_result result = allocate(&b) ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (uint32_t t = 0; t < s->triangle_count && result == TOILE_OK; t++) {
        b.boxes[t] = box_of(s, t);
    }
    if (result == TOILE_OK) {
        find_middles(&b);
        result =
            halving_create(&b.halves, b.middles, (uint32_t)s->triangle_count, "the tree of a mesh");
    }
    if (result == TOILE_OK) {
        build_node(&b, 0, (uint32_t)s->triangle_count);
        memcpy(s->face_triangle, b.halves.sorted[0], s->triangle_count * sizeof *s->face_triangle);
        s->low = v3_min(s->nodes[0].low[0], s->nodes[0].low[1]);
        s->high = v3_max(s->nodes[0].high[0], s->nodes[0].high[1]);
    }
    halving_free(&b.halves);
    free(b.boxes);
    free(b.middles);
    return result;
}
