/* A tree of boxes over triangles. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/solid_build.h"

/* Triangles of a leaf, at most. */
enum { LEAF = 4 };

typedef struct box {
    v3 low, high;
} box;

typedef struct builder {
    solid *solid;
    box *boxes;          /* of the triangles */
    uint32_t *sorted[3]; /* triangles by the middle of their box along an axis; a subtree has the
                            same range in each of them */
    uint32_t *scratch;
    bool *right; /* whether a triangle goes to the second child */
} builder;

static v3 lower(v3 a, v3 b) {
    return v3_make(k_min(a.x, b.x), k_min(a.y, b.y), k_min(a.z, b.z));
}

static v3 upper(v3 a, v3 b) {
    return v3_make(k_max(a.x, b.x), k_max(a.y, b.y), k_max(a.z, b.z));
}

static v3 position_of(const solid *s, size_t corner) {
    const float *p = s->positions + 3 * (size_t)s->triangles[corner];
    return v3_make(p[0], p[1], p[2]);
}

static box box_of(const solid *s, size_t triangle) {
    v3 a = position_of(s, 3 * triangle), b = position_of(s, 3 * triangle + 1),
       c = position_of(s, 3 * triangle + 2);
    return (box){lower(a, lower(b, c)), upper(a, upper(b, c))};
}

/* Twice the middle of a box along an axis, which sorts as well. */
static float middle(const box *b, int axis) {
    return axis == 0   ? b->low.x + b->high.x
           : axis == 1 ? b->low.y + b->high.y
                       : b->low.z + b->high.z;
}

typedef struct sort_key {
    float middle;
    uint32_t triangle;
} sort_key;

static int compare_keys(const void *left, const void *right) {
    const sort_key *a = left, *b = right;
    if (a->middle != b->middle) {
        return a->middle < b->middle ? -1 : 1;
    }
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static toile_result sort_triangles(builder *b) {
    size_t count = b->solid->triangle_count;
    sort_key *keys = memory_alloc(count, sizeof *keys, "the tree of a mesh");
    if (!keys) {
        return TOILE_ERROR_MEMORY;
    }
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t t = 0; t < count; t++) {
            keys[t] = (sort_key){middle(&b->boxes[t], axis), t};
        }
        qsort(keys, count, sizeof *keys, compare_keys);
        for (size_t i = 0; i < count; i++) {
            b->sorted[axis][i] = keys[i].triangle;
        }
    }
    free(keys);
    return TOILE_OK;
}

/* The axis along which the middles of a range are farthest apart. */
static int longest_axis(const builder *b, uint32_t first, uint32_t count) {
    int longest = 0;
    float most = -1.0f;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t *sorted = b->sorted[axis] + first;
        float extent =
            middle(&b->boxes[sorted[count - 1]], axis) - middle(&b->boxes[sorted[0]], axis);
        if (extent > most) {
            most = extent;
            longest = axis;
        }
    }
    return longest;
}

/* Keeps the order on both sides, so that sorting once is enough: n log n in all. */
static void partition(builder *b, int axis, uint32_t first, uint32_t count) {
    uint32_t *sorted = b->sorted[axis] + first;
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (b->right[sorted[i]]) {
            b->scratch[right++] = sorted[i];
        } else {
            sorted[left++] = sorted[i];
        }
    }
    memcpy(sorted + left, b->scratch, right * sizeof *sorted);
}

static uint32_t split(builder *b, uint32_t first, uint32_t count) {
    int axis = longest_axis(b, first, count);
    uint32_t left = count / 2;
    for (uint32_t i = 0; i < count; i++) {
        b->right[b->sorted[axis][first + i]] = i >= left;
    }
    for (int other = 0; other < 3; other++) {
        if (other != axis) {
            partition(b, other, first, count);
        }
    }
    return left;
}

static box box_of_range(const builder *b, uint32_t first, uint32_t count) {
    box all = b->boxes[b->sorted[0][first]];
    for (uint32_t i = 1; i < count; i++) {
        const box *other = &b->boxes[b->sorted[0][first + i]];
        all = (box){lower(all.low, other->low), upper(all.high, other->high)};
    }
    return all;
}

/* Halves are equal to one triangle, so that the tree is no deeper than the logarithm. */
static uint32_t build_node(builder *b, uint32_t first, uint32_t count) {
    uint32_t index = b->solid->node_count++;
    uint32_t left = split(b, first, count);
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
    bool good = true;
    for (int axis = 0; axis < 3; axis++) {
        b->sorted[axis] = memory_alloc(count, sizeof *b->sorted[axis], what);
        good = good && b->sorted[axis];
    }
    b->boxes = memory_alloc(count, sizeof *b->boxes, what);
    b->scratch = memory_alloc(count, sizeof *b->scratch, what);
    b->right = memory_alloc(count, sizeof *b->right, what);
    /* A node has more than LEAF triangles, so a leaf of its children has LEAF / 2 or more; only the
     * root may have fewer. */
    s->nodes = memory_alloc(count / (LEAF / 2) + 1, sizeof *s->nodes, what);
    return good && b->boxes && b->scratch && b->right && s->nodes;
}

toile_result solid_build_tree(solid *s) {
    builder b = {.solid = s};
    toile_result result = allocate(&b) ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t t = 0; t < s->triangle_count && result == TOILE_OK; t++) {
        b.boxes[t] = box_of(s, t);
    }
    if (result == TOILE_OK) {
        result = sort_triangles(&b);
    }
    if (result == TOILE_OK) {
        build_node(&b, 0, (uint32_t)s->triangle_count);
        memcpy(s->face_triangle, b.sorted[0], s->triangle_count * sizeof *s->face_triangle);
        s->low = lower(s->nodes[0].low[0], s->nodes[0].low[1]);
        s->high = upper(s->nodes[0].high[0], s->nodes[0].high[1]);
    }
    for (int axis = 0; axis < 3; axis++) {
        free(b.sorted[axis]);
    }
    free(b.boxes);
    free(b.scratch);
    free(b.right);
    return result;
}
