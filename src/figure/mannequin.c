#include "figure/mannequin.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "figure/measure.h"
#include "figure/motions.h"
#include "figure/polygonise.h"
#include "figure/weights.h"

mannequin_def mannequin_default(void) {
    return (mannequin_def){.height = 1.72};
}

/* ---- definition ---------------------------------------------------------------------------------
 */

/* Girths over the stature: smallest, that of the figure with none given, and largest. Usual are
 * 88, 72 and 96 cm for 1.72 m. */
typedef struct girth_limits {
    const char *name;
    double low, usual, high;
} girth_limits;

static const girth_limits chest_limits = {"chest", 0.44, 0.88 / 1.72, 0.70};
static const girth_limits waist_limits = {"waist", 0.34, 0.72 / 1.72, 0.66};
static const girth_limits hip_limits = {"hip", 0.48, 0.96 / 1.72, 0.70};

static toile_result choose_girth(const girth_limits *limits, double height, double *girth) {
    if (*girth == 0.0) {
        *girth = limits->usual * height;
    }
    if (!(*girth >= limits->low * height && *girth <= limits->high * height)) {
        return error_set(TOILE_ERROR_INVALID,
                         "%s: expected %.2f to %.2f m for a height of %.2f m, found %g",
                         limits->name, limits->low * height, limits->high * height, height, *girth);
    }
    return TOILE_OK;
}

static toile_result choose_girths(mannequin_def *d) {
    if (!(d->height >= 1.4 && d->height <= 2.1)) {
        return error_set(TOILE_ERROR_INVALID, "height: expected 1.4 to 2.1 m, found %g", d->height);
    }
    toile_result result = choose_girth(&chest_limits, d->height, &d->chest);
    if (result == TOILE_OK) {
        result = choose_girth(&waist_limits, d->height, &d->waist);
    }
    if (result == TOILE_OK) {
        result = choose_girth(&hip_limits, d->height, &d->hip);
    }
    if (result != TOILE_OK) {
        return result;
    }
    double most = fmin(d->chest, d->hip) - 0.02;
    if (d->waist > most) {
        return error_set(TOILE_ERROR_INVALID,
                         "waist: expected at most %.2f m, 2 cm less than chest (%.2f m) and hip "
                         "(%.2f m), found %g",
                         most, d->chest, d->hip, d->waist);
    }
    return TOILE_OK;
}

/* ---- girths -------------------------------------------------------------------------------------
 */

enum { RAYS = 48, SOLVER_ROUNDS = 16 };

/* From the axis outwards to the surface. Directions are points of a square: no sines needed. */
static vec cast_ray(const field *f, vec from, vec direction) {
    double low = 0.0, high = 0.02;
    while (high < 0.6 && field_distance(f, vec_madd(from, direction, high), ~0u) < 0.0) {
        low = high;
        high += 0.02;
    }
    for (int i = 0; i < 16; i++) {
        double middle = 0.5 * (low + high);
        if (field_distance(f, vec_madd(from, direction, middle), ~0u) < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return vec_madd(from, direction, low);
}

/* What a tape around the field measures, before there is a mesh. Symmetric: one side is looked at.
 */
static double field_girth(const figure *b, double level) {
    vec points[4 * RAYS + 2];
    size_t count = 0;
    vec from = {0.0, level, -0.02};
    for (int i = -RAYS; i <= RAYS; i++) {
        double slope = (double)i / RAYS;
        vec direction = fabs(slope) > 0.5
                            ? vec_make(2.0 - 2.0 * fabs(slope), 0.0, slope > 0 ? 1 : -1)
                            : vec_make(1.0, 0.0, 2.0 * slope);
        vec p = cast_ray(&b->field, from, vec_unit(direction));
        points[count++] = p;
        points[count++] = vec_make(-p.x, p.y, p.z);
    }
    return hull_length(points, count);
}

static double find_girth(const figure *b, girth_range range) {
    double best = 0.0;
    for (int i = 0; i <= GIRTH_LEVELS; i += 2) {
        double fraction = range.low + (range.high - range.low) * i / GIRTH_LEVELS;
        double girth = field_girth(b, fraction * b->shape.height);
        if (best == 0.0 || range.sign * girth > range.sign * best) {
            best = girth;
        }
    }
    return best;
}

/* Each girth grows with its own factor and hardly feels the others, so a few rounds of correcting
 * them in proportion find them. */
static toile_result solve(const mannequin_def *d, figure *b) {
    figure_shape shape = {.height = d->height, .chest = 1.0, .waist = 1.0, .hip = 1.0};
    static const double arms[2][2] = {{0.642787609686539, 0.766044443118978}, {1.0, 0.0}};
    memcpy(shape.arm, arms[d->pose], sizeof shape.arm);
    for (int round = 0; round < SOLVER_ROUNDS; round++) {
        figure_make(b, &shape);
        double chest = find_girth(b, chest_range), waist = find_girth(b, waist_range),
               hip = find_girth(b, hip_range);
        double error =
            fmax(fabs(chest - d->chest), fmax(fabs(waist - d->waist), fabs(hip - d->hip)));
        if (error < 2e-4) {
            return TOILE_OK;
        }
        shape.chest *= d->chest / chest;
        shape.waist *= d->waist / waist;
        shape.hip *= d->hip / hip;
    }
    return error_set(TOILE_ERROR_INVALID,
                     "no figure %.2f m tall has a chest of %.2f, a waist of %.2f and a hip of %.2f "
                     "m: they are too far from each other",
                     d->height, d->chest, d->waist, d->hip);
}

/* ---- mesh ---------------------------------------------------------------------------------------
 */

/* Finer where there is more to see: hands, feet, face. */
static double edge_size(const void *context, vec at) {
    const figure *b = context;
    double unit = b->unit, y = at.y / unit;
    vec left = vec_make(fabs(at.x), at.y, at.z);
    double to_hand = vec_length(vec_sub(left, b->joints[JOINT_LEFT_HAND])) / unit;
    double size = 16 - 7 * smooth_step(1480, 1560, y);
    size = fmin(size, 7.5 + 8.5 * smooth_step(170, 300, to_hand));
    size = fmin(size, 9 + 7 * smooth_step(60, 200, y));
    return size * unit;
}

static toile_result make_surface(const figure *b, manifold *s) {
    double margin = 0.05, side = b->fingertip.x + margin, unit = b->unit;
    vec low = vec_make(-side, -margin, -0.35 * b->shape.height);
    vec high = vec_make(side, b->shape.height + margin, 0.35 * b->shape.height);
    toile_result result = polygonise(&b->field, low, high, 10 * unit, s);
    return result == TOILE_OK ? remesh(&b->field, edge_size, b, s) : result;
}

static toile_result keep_mesh(const figure *b, const manifold *s, character *c) {
    c->vertices = s->vertex_count;
    c->triangles = s->edge_count / 3;
    c->influences = FIGURE_INFLUENCES;
    c->positions = memory_alloc(3 * c->vertices, sizeof *c->positions, "a figure");
    c->indices = memory_alloc(3 * c->triangles, sizeof *c->indices, "a figure");
    c->joints = memory_alloc(FIGURE_INFLUENCES * c->vertices, sizeof *c->joints, "a figure");
    c->weights = memory_alloc(FIGURE_INFLUENCES * c->vertices, sizeof *c->weights, "a figure");
    if (!c->positions || !c->indices || !c->joints || !c->weights) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t v = 0; v < c->vertices; v++) {
        vec p = s->vertices[v].position;
        memcpy(c->positions + 3 * v, (float[3]){(float)p.x, (float)p.y, (float)p.z},
               3 * sizeof(float));
    }
    for (size_t h = 0; h < s->edge_count; h++) {
        c->indices[h] = s->edges[h].vertex;
    }
    return weights_make(b, s, c->joints, c->weights);
}

static toile_result keep_skeleton(const figure *b, character *c) {
    c->skeleton = memory_alloc(JOINT_COUNT, sizeof *c->skeleton, "a skeleton");
    if (!c->skeleton) {
        return TOILE_ERROR_MEMORY;
    }
    c->joint_count = JOINT_COUNT;
    for (int j = 0; j < JOINT_COUNT; j++) {
        character_joint *joint = &c->skeleton[j];
        int parent = figure_joint_parents[j];
        vec at = b->joints[j], offset = parent < 0 ? at : vec_sub(at, b->joints[parent]);
        transform back = transform_identity;
        joint->parent = parent;
        joint->rest = transform_identity;
        memcpy(joint->rest.translation, (double[3]){offset.x, offset.y, offset.z},
               sizeof joint->rest.translation);
        memcpy(back.translation, (double[3]){-at.x, -at.y, -at.z}, sizeof back.translation);
        joint->inverse_bind = affine_from_transform(&back);
        joint->name = memory_string(figure_joint_names[j]);
        if (!joint->name) {
            return TOILE_ERROR_MEMORY;
        }
    }
    return TOILE_OK;
}

static toile_result make(const mannequin_def *d, figure *b, manifold *s, character *out) {
    toile_result result = solve(d, b);
    if (result == TOILE_OK) {
        result = make_surface(b, s);
    }
    if (result == TOILE_OK) {
        result = keep_mesh(b, s, out);
    }
    if (result == TOILE_OK) {
        result = keep_skeleton(b, out);
    }
    return result == TOILE_OK ? motions_make(b, out) : result;
}

toile_result mannequin_create(const mannequin_def *def, character *out) {
    *out = (character){0};
    mannequin_def d = *def;
    toile_result result = choose_girths(&d);
    if (result != TOILE_OK) {
        return result;
    }
    figure *b = memory_alloc(1, sizeof *b, "a figure");
    manifold s = {0};
    result = b ? make(&d, b, &s, out) : TOILE_ERROR_MEMORY;
    free(b);
    manifold_free(&s);
    if (result != TOILE_OK) {
        character_free(out);
    }
    return result;
}
