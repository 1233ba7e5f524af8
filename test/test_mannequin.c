/* The mannequin: its surface, measurements, weights and motions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figure/mannequin.h"
#include "figure/measure.h"
#include "figure/motions.h"
#include "figure/survey.h"
#include "io/character_glb.h"
#include "io/gltf.h"
#include "model/skinning.h"
#include "step/intersect.h"

#include "scratch.h"

static character usual; /* as it comes when nothing is asked for */

static int set_up(void **state) {
    (void)state;
    mannequin_def def = mannequin_default();
    return mannequin_create(&def, &usual) == TOILE_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    character_free(&usual);
    return 0;
}

/* ---- surface ------------------------------------------------------------------------------------
 */

static vec vertex_of(const float *positions, uint32_t index) {
    const float *p = positions + 3 * (size_t)index;
    return vec_make((double)p[0], (double)p[1], (double)p[2]);
}

static double smallest_angle(const character *c) {
    double largest = -1.0; /* cosine */
    for (size_t i = 0; i < 3 * c->triangles; i++) {
        size_t t = i / 3 * 3;
        vec a = vertex_of(c->positions, c->indices[i]),
            b = vertex_of(c->positions, c->indices[t + (i + 1) % 3]),
            d = vertex_of(c->positions, c->indices[t + (i + 2) % 3]);
        largest = fmax(largest, vec_dot(vec_unit(vec_sub(b, a)), vec_unit(vec_sub(d, a))));
    }
    return acos(largest) * 180.0 / acos(-1.0);
}

/* One closed manifold without handles that does not cross itself, of even triangles. */
static void check_surface(const character *c) {
    survey s;
    assert_int_equal(survey_mesh(c->positions, c->vertices, c->indices, c->triangles, &s),
                     TOILE_OK);
    assert_int_equal(s.boundary_edges, 0);
    assert_int_equal(s.manifold_breaks, 0);
    assert_int_equal(s.components, 1);
    assert_int_equal(s.overlaps, 0);
    assert_true(s.volume > 0.03);
    assert_int_equal((long)c->vertices - (long)s.edges + (long)c->triangles, 2);
    assert_in_range(c->triangles, 10000, 30000);
    if (smallest_angle(c) < 20.0) {
        fail_msg("an angle of %.1f degrees", smallest_angle(c));
    }
}

static void surface_is_closed_and_even(void **state) {
    (void)state;
    check_surface(&usual);
}

static void same_definition_same_bits(void **state) {
    (void)state;
    mannequin_def def = mannequin_default();
    character again;
    assert_int_equal(mannequin_create(&def, &again), TOILE_OK);
    assert_int_equal(again.vertices, usual.vertices);
    assert_memory_equal(again.positions, usual.positions, 12 * usual.vertices);
    assert_memory_equal(again.weights, usual.weights, 16 * usual.vertices);
    character_free(&again);
}

/* ---- measurements -------------------------------------------------------------------------------
 */

static void check_measures(const mannequin_def *def) {
    character c;
    measures m;
    if (mannequin_create(def, &c) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    check_surface(&c);
    assert_int_equal(measure_body(c.positions, c.vertices, c.indices, c.triangles, &m), TOILE_OK);
    const double wanted[] = {def->height, def->chest, def->waist, def->hip};
    const double found[] = {m.height, m.chest, m.waist, m.hip};
    for (int i = 0; i < 4; i++) {
        if (fabs(wanted[i] - found[i]) > 0.005) {
            fail_msg("measurement %d is %.4f m instead of %.4f", i, found[i], wanted[i]);
        }
    }
    character_free(&c);
}

/* Slender, usual, stout and uneven figures, in both poses. */
static void measurements_are_met(void **state) {
    (void)state;
    const mannequin_def defs[] = {{1.72, 0.88, 0.72, 0.96, MANNEQUIN_T},
                                  {1.55, 0.76, 0.58, 0.82, MANNEQUIN_A},
                                  {1.90, 1.15, 1.02, 1.12, MANNEQUIN_A},
                                  {1.72, 1.18, 0.72, 0.86, MANNEQUIN_T}};
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        check_measures(&defs[i]);
    }
}

static void landmarks_are_where_a_tailor_looks(void **state) {
    (void)state;
    measures m;
    measure_body(usual.positions, usual.vertices, usual.indices, usual.triangles, &m);
    double h = m.height;
    assert_true(m.chest_level > 0.70 * h && m.chest_level < 0.74 * h);
    assert_true(m.waist_level > 0.60 * h && m.waist_level < 0.64 * h);
    assert_true(m.hip_level > 0.49 * h && m.hip_level < 0.53 * h);
    assert_true(m.inseam > 0.44 * h && m.inseam < 0.48 * h);
    assert_true(m.arm > 0.31 * h && m.arm < 0.36 * h);
}

static void expect_refusal(mannequin_def def, const char *sentence) {
    character c;
    assert_int_equal(mannequin_create(&def, &c), TOILE_ERROR_INVALID);
    assert_string_equal(toile_error_message(), sentence);
}

static void impossible_figures_are_refused(void **state) {
    (void)state;
    expect_refusal((mannequin_def){.height = 172}, "height: expected 1.4 to 2.1 m, found 172");
    expect_refusal((mannequin_def){.height = NAN}, "height: expected 1.4 to 2.1 m, found nan");
    expect_refusal((mannequin_def){.height = 1.7, .chest = 88},
                   "chest: expected 0.75 to 1.19 m for a height of 1.70 m, found 88");
    expect_refusal((mannequin_def){.height = 1.7, .chest = 0.9, .waist = 0.95, .hip = 1.0},
                   "waist: expected at most 0.88 m, 2 cm less than chest (0.90 m) and hip (1.00 m),"
                   " found 0.95");
}

/* A box, 2 m tall and 0.4 x 0.2 m wide, with no limbs: girths are its own. */
static void boxes_are_measured(void **state) {
    (void)state;
    float positions[24];
    for (int i = 0; i < 8; i++) {
        positions[3 * i] = i & 1 ? 0.2f : -0.2f;
        positions[3 * i + 1] = i & 2 ? 2.0f : 0.0f;
        positions[3 * i + 2] = i & 4 ? 0.1f : -0.1f;
    }
    const uint32_t faces[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    measures m;
    assert_int_equal(measure_body(positions, 8, faces, 12, &m), TOILE_OK);
    assert_true(fabs(m.height - 2.0) < 1e-6);
    assert_true(fabs(m.chest - 1.2) < 1e-6 && fabs(m.hip - 1.2) < 1e-6);
    assert_true(m.inseam == 0.0 && m.arm == 0.0);
    survey s;
    assert_int_equal(survey_mesh(positions, 8, faces, 12, &s), TOILE_OK);
    assert_true(fabs(s.volume - 0.16) < 1e-6);
    assert_int_equal(s.boundary_edges + s.manifold_breaks, 0);
    assert_int_equal(survey_mesh(positions, 8, faces, 11, &s), TOILE_OK);
    assert_int_equal(s.boundary_edges, 3);
}

/* ---- weights ------------------------------------------------------------------------------------
 */

static void weights_sum_to_one(void **state) {
    (void)state;
    size_t owned[JOINT_COUNT] = {0};
    for (size_t v = 0; v < usual.vertices; v++) {
        const float *w = usual.weights + FIGURE_INFLUENCES * v;
        double sum = 0.0;
        for (int k = 0; k < FIGURE_INFLUENCES; k++) {
            int joint = usual.joints[FIGURE_INFLUENCES * v + (size_t)k];
            assert_true(w[k] >= 0.0f && joint < JOINT_COUNT);
            sum += (double)w[k];
            owned[joint] += w[k] > 0.9f;
            float x = usual.positions[3 * v];
            bool other =
                (joint >= JOINT_RIGHT_CLAVICLE && x > 0.05f) ||
                (joint >= JOINT_LEFT_CLAVICLE && joint < JOINT_RIGHT_CLAVICLE && x < -0.05f);
            assert_false(other && w[k] > 0.05f);
        }
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
    for (int j = JOINT_HIPS; j < JOINT_COUNT; j++) {
        bool between = j == JOINT_LEFT_CLAVICLE || j == JOINT_RIGHT_CLAVICLE || j == JOINT_NECK;
        if (owned[j] == 0 && !between) {
            fail_msg("the joint %s has nothing of its own", figure_joint_names[j]);
        }
    }
}

/* ---- motions ------------------------------------------------------------------------------------
 */

static void joints_at(const character_clip *clip, double time, affine *out) {
    transform locals[JOINT_COUNT];
    character_sample(&usual, clip, time, true, locals);
    character_skin_matrices(&usual, locals, out);
}

static void skin(const affine *joints, float *positions) {
    skin_rows matrices[JOINT_COUNT];
    skin_rows_from_affine(joints, JOINT_COUNT, matrices);
    character_skin(&usual, matrices, positions);
}

static vec moved(const affine *matrix, vec at) {
    double in[3] = {at.x, at.y, at.z}, out[3];
    affine_apply(matrix, in, out);
    return vec_make(out[0], out[1], out[2]);
}

/* Where a joint is at rest. */
static vec rest_of(int joint) {
    const affine *bind = &usual.skeleton[joint].inverse_bind;
    return vec_make(-bind->row[0][3], -bind->row[1][3], -bind->row[2][3]);
}

/* The point of the sole that a foot rolls over as it lands. */
static vec heel_of(int side) {
    vec heel = {0.0, 0.0, 1.0};
    for (size_t v = 0; v < usual.vertices; v++) {
        vec p = vertex_of(usual.positions, (uint32_t)v);
        if ((side == RIG_LEFT) == (p.x > 0.0) && p.y < 0.004 && p.z < heel.z) {
            heel = p;
        }
    }
    return heel;
}

/* A foot lands on its heel, is flat in the middle of its stance, and leaves over its ball: how far
 * it slides is how far both are, at any time, from where the heel was first and the ball midway. */
enum { SAMPLES = 2000 };

typedef struct stance {
    vec heel[SAMPLES], ball[SAMPLES];
    size_t count;
} stance;

static double slide_of(const stance *s) {
    double longest = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double heel = vec_length(vec_sub(s->heel[i], s->heel[0])),
               ball = vec_length(vec_sub(s->ball[i], s->ball[s->count / 2]));
        longest = fmax(longest, fmin(heel, ball));
    }
    return longest;
}

typedef bool stands_at(int side, double time);

static bool always_stands(int side, double time) {
    (void)side, (void)time;
    return true;
}

static double longest_slide(const char *name, stands_at *stands) {
    const character_clip *clip = character_find_clip(&usual, name);
    double longest = 0.0;
    for (int side = 0; side < RIG_SIDES; side++) {
        int foot = JOINT_LEFT_FOOT + (side == RIG_LEFT ? 0 : JOINT_MIRROR);
        vec heel = heel_of(side), ball = rest_of(foot + 1);
        static stance s;
        s.count = 0;
        /* Between keys too; a second round of what loops. */
        for (double time = 0.0; time < clip->length * (clip->loop ? 2.0 : 1.0); time += 1.0 / 240) {
            affine joints[JOINT_COUNT];
            joints_at(clip, time, joints);
            if (stands(side, time)) {
                s.heel[s.count] = moved(&joints[foot], heel);
                s.ball[s.count++] = moved(&joints[foot], ball);
            } else {
                longest = fmax(longest, slide_of(&s));
                s.count = 0;
            }
        }
        /* The last stance of what loops is cut off in the middle. */
        longest = clip->loop && stands != always_stands ? longest : fmax(longest, slide_of(&s));
    }
    return longest;
}

static bool walk_stands(int side, double time) {
    return gait_stands(GAIT_WALK, side, time);
}

static bool jog_stands(int side, double time) {
    return gait_stands(GAIT_JOG, side, time);
}

static bool sneak_stands(int side, double time) {
    return gait_stands(GAIT_SNEAK, side, time);
}

static bool left_stands(int side, double time) {
    return side == RIG_LEFT || time < 0.2 || time > 1.32;
}

static bool turning_stands(int side, double time) {
    double step = (time - 0.15) / 0.4;
    return step < 0.0 || step >= 4.0 || (int)step % 2 != side;
}

static void feet_do_not_slide(void **state) {
    (void)state;
    const struct {
        const char *name;
        stands_at *stands;
    } cases[] = {{"idle", always_stands}, {"walk", walk_stands},    {"jog", jog_stands},
                 {"sneak", sneak_stands}, {"turn", turning_stands}, {"kick", left_stands}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double way = longest_slide(cases[i].name, cases[i].stands);
        if (way > 0.004) {
            fail_msg("%s: a foot slides by %.1f mm", cases[i].name, 1e3 * way);
        }
    }
}

static void assert_same_pose(const transform *a, const transform *b, const char *name) {
    for (int j = JOINT_HIPS; j < JOINT_COUNT; j++) {
        quat p = a[j].rotation, q = b[j].rotation;
        double dot = fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
        double way = 0.0;
        for (int k = 0; k < 3; k++) {
            way = fmax(way, fabs(a[j].translation[k] - b[j].translation[k]));
        }
        if (dot < 1.0 - 1e-6 || way > 1e-4) {
            fail_msg("%s: %s differs", name, figure_joint_names[j]);
        }
    }
}

static void motions_loop_or_end_as_idle_begins(void **state) {
    (void)state;
    transform first[JOINT_COUNT], last[JOINT_COUNT], idle[JOINT_COUNT];
    character_sample(&usual, character_find_clip(&usual, "idle"), 0.0, false, idle);
    for (size_t i = 0; i < usual.clip_count; i++) {
        character_clip once = usual.clips[i];
        once.loop = false;
        character_sample(&usual, &once, 0.0, false, first);
        character_sample(&usual, &once, once.length, false, last);
        assert_same_pose(first, last, once.name);
        if (!usual.clips[i].loop) {
            assert_same_pose(first, idle, once.name);
        }
    }
}

/* How far a knee is in front of the line from hip to ankle, as the pelvis sees it. */
static double knee_bend(const affine *joints, int thigh) {
    vec hip = moved(&joints[thigh], rest_of(thigh)),
        knee = moved(&joints[thigh + 1], rest_of(thigh + 1)),
        ankle = moved(&joints[thigh + 2], rest_of(thigh + 2));
    const affine *pelvis = &joints[JOINT_HIPS];
    vec left = vec_make(pelvis->row[0][0], pelvis->row[1][0], pelvis->row[2][0]);
    vec front = vec_unit(vec_cross(vec_sub(ankle, hip), left));
    return vec_dot(vec_sub(knee, hip), front);
}

static void knees_bend_forwards(void **state) {
    (void)state;
    for (size_t i = 0; i < usual.clip_count; i++) {
        const character_clip *clip = &usual.clips[i];
        for (double time = 0.0; time < clip->length; time += 0.02) {
            affine joints[JOINT_COUNT];
            joints_at(clip, time, joints);
            if (knee_bend(joints, JOINT_LEFT_THIGH) < 0.0 ||
                knee_bend(joints, JOINT_RIGHT_THIGH) < 0.0) {
                fail_msg("%s: a knee is bent backwards at %.2f s", clip->name, time);
            }
        }
    }
}

static vec root_at(const char *name, double time, bool root_motion) {
    transform locals[JOINT_COUNT];
    character_sample(&usual, character_find_clip(&usual, name), time, root_motion, locals);
    const double *t = locals[JOINT_ROOT].translation;
    return vec_make(t[0], t[1], t[2]);
}

static void walking_goes_on_at_a_natural_speed(void **state) {
    (void)state;
    assert_true(fabs(root_at("walk", 10.0, true).z - 13.0) < 0.01);
    assert_true(fabs(root_at("jog", 10.0, true).z - 25.0) < 0.01);
    assert_true(vec_length(root_at("walk", 10.0, false)) == 0.0);
    assert_true(vec_length(root_at("idle", 10.0, true)) == 0.0);
}

/* Joints whose parts are looked at together. None is next to another: linear blend skinning lets
 * the hollow of a knee go through itself when it is bent as far as jogging does. */
#define BIT(joint)      (1u << (joint))
#define BOTH(joint)     (BIT(joint) | BIT((joint) + JOINT_MIRROR))
#define HANDS           (BOTH(JOINT_LEFT_FOREARM) | BOTH(JOINT_LEFT_HAND))
#define LOWER_LEG(shin) (BIT(shin) | BIT((shin) + 1) | BIT((shin) + 2))
static const unsigned apart[] = {HANDS | BOTH(JOINT_LEFT_THIGH),
                                 HANDS | BIT(JOINT_HIPS) | BIT(JOINT_SPINE) | BIT(JOINT_CHEST) |
                                     BIT(JOINT_HEAD),
                                 HANDS | LOWER_LEG(JOINT_LEFT_SHIN) | LOWER_LEG(JOINT_RIGHT_SHIN),
                                 BIT(JOINT_LEFT_THIGH) | LOWER_LEG(JOINT_RIGHT_SHIN),
                                 BIT(JOINT_RIGHT_THIGH) | LOWER_LEG(JOINT_LEFT_SHIN)};

/* The triangles that belong to these joints alone. */
static size_t take_apart(unsigned joints, uint32_t *indices) {
    size_t count = 0;
    for (size_t t = 0; t < usual.triangles; t++) {
        bool whole = true;
        for (size_t k = 0; k < 3; k++) {
            size_t first = FIGURE_INFLUENCES * (size_t)usual.indices[3 * t + k];
            whole = whole && usual.weights[first] > 0.9f && (joints & BIT(usual.joints[first]));
        }
        if (whole) {
            memcpy(indices + 3 * count++, usual.indices + 3 * t, 3 * sizeof *indices);
        }
    }
    return count;
}

static void check_crossings(const character_clip *clip, double time, const float *positions,
                            uint32_t *indices) {
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        uint64_t found;
        bool whole;
        size_t triangles = take_apart(apart[i], indices);
        assert_true(triangles > 1000);
        assert_int_equal(count_intersections(positions, usual.vertices, indices, triangles,
                                             UINT64_MAX, &found, &whole),
                         TOILE_OK);
        if (found > 0) {
            fail_msg("%s: limbs of group %zu cross at %.2f s", clip->name, i, time);
        }
    }
}

static void limbs_do_not_cross(void **state) {
    (void)state;
    uint32_t *indices = malloc(12 * usual.triangles);
    float *positions = malloc(12 * usual.vertices);
    assert_non_null(indices);
    assert_non_null(positions);
    for (size_t i = 0; i < usual.clip_count; i++) {
        const character_clip *clip = &usual.clips[i];
        for (double time = 0.0; time < clip->length; time += clip->length / 12) {
            affine joints[JOINT_COUNT];
            joints_at(clip, time, joints);
            skin(joints, positions);
            check_crossings(clip, time, positions, indices);
        }
    }
    free(indices);
    free(positions);
}

/* Nothing of the skin is below the floor by more than a sole gives. */
static void nothing_goes_through_the_floor(void **state) {
    (void)state;
    float *positions = malloc(12 * usual.vertices);
    assert_non_null(positions);
    for (size_t i = 0; i < usual.clip_count; i++) {
        const character_clip *clip = &usual.clips[i];
        for (double time = 0.0; time < clip->length; time += clip->length / 20) {
            affine joints[JOINT_COUNT];
            joints_at(clip, time, joints);
            skin(joints, positions);
            float lowest = 1.0f;
            for (size_t v = 0; v < usual.vertices; v++) {
                lowest = fminf(lowest, positions[3 * v + 1]);
            }
            if (lowest < -0.006f) {
                fail_msg("%s: %.1f mm below the floor at %.2f s", clip->name, -1e3 * (double)lowest,
                         time);
            }
        }
    }
    free(positions);
}

/* ---- files --------------------------------------------------------------------------------------
 */

static void assert_same_skin(const gltf *g) {
    assert_int_equal(g->skin_count, 1);
    assert_int_equal(g->skins[0].joint_count, JOINT_COUNT);
    for (size_t j = 0; j < JOINT_COUNT; j++) {
        const gltf_node *node = &g->nodes[g->skins[0].joints[j]];
        assert_string_equal(node->name, figure_joint_names[j]);
        assert_true(node->parent ==
                    (j == 0 ? GLTF_NONE : g->skins[0].joints[figure_joint_parents[j]]));
        for (size_t k = 0; k < 3; k++) {
            const character_joint *joint = &usual.skeleton[j];
            assert_true(node->translation[k] == (float)joint->rest.translation[k]);
            assert_true(g->skins[0].inverse_bind[16 * j + 12 + k] ==
                        (float)joint->inverse_bind.row[k][3]);
        }
    }
    const gltf_primitive *p = &g->meshes[0].primitives[0];
    assert_int_equal(p->influences, FIGURE_INFLUENCES);
    for (size_t i = 0; i < FIGURE_INFLUENCES * usual.vertices; i++) {
        assert_int_equal(p->joints[i], usual.joints[i]);
        assert_true(fabsf(p->weights[i] - usual.weights[i]) < 1e-6f);
    }
}

static void assert_same_clip(const gltf_animation *a, const character_clip *clip) {
    assert_string_equal(a->name, clip->name);
    assert_true(fabs((double)a->duration - clip->length) < 1e-6);
    assert_int_equal(a->channel_count, clip->track_count);
    for (size_t i = 0; i < clip->track_count; i++) {
        const character_track *t = &clip->tracks[i];
        const gltf_channel *c = &a->channels[i];
        assert_int_equal(c->node, t->joint); /* nodes begin with the joints */
        assert_int_equal(c->key_count, t->keys);
        assert_int_equal(c->path, t->path == TRACK_ROTATION ? GLTF_ROTATION : GLTF_TRANSLATION);
        for (size_t k = 0; k < c->key_count * c->width; k++) {
            assert_true(fabsf(c->values[k] - t->values[k]) < 1e-6f);
        }
    }
}

static void files_are_read_back(void **state) {
    (void)state;
    const char *path = scratch("mannequin.glb");
    assert_int_equal(character_glb_write(path, &usual, "mannequin", NULL), TOILE_OK);
    gltf *g;
    if (gltf_read(path, &g) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_same_skin(g);
    assert_int_equal(g->animation_count, usual.clip_count);
    for (size_t i = 0; i < usual.clip_count; i++) {
        assert_same_clip(&g->animations[i], &usual.clips[i]);
    }
    mesh_data mesh; /* skinned in its rest pose, which is where it was bound */
    assert_int_equal(gltf_join(g, path, &mesh), TOILE_OK);
    assert_int_equal(mesh.vertices, usual.vertices);
    assert_memory_equal(mesh.indices, usual.indices, 12 * usual.triangles);
    for (size_t i = 0; i < 3 * usual.vertices; i++) {
        assert_true(fabsf(mesh.positions[i] - usual.positions[i]) < 1e-6f);
    }
    mesh_free(&mesh);
    gltf_free(g);
    const character_clip *kick = character_find_clip(&usual, "kick");
    assert_int_equal(character_glb_write(path, &usual, "mannequin", kick), TOILE_OK);
    assert_int_equal(gltf_read(path, &g), TOILE_OK);
    assert_int_equal(g->animation_count, 1);
    assert_same_clip(&g->animations[0], kick);
    gltf_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_is_closed_and_even),
        cmocka_unit_test(same_definition_same_bits),
        cmocka_unit_test(measurements_are_met),
        cmocka_unit_test(landmarks_are_where_a_tailor_looks),
        cmocka_unit_test(impossible_figures_are_refused),
        cmocka_unit_test(boxes_are_measured),
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(feet_do_not_slide),
        cmocka_unit_test(motions_loop_or_end_as_idle_begins),
        cmocka_unit_test(knees_bend_forwards),
        cmocka_unit_test(walking_goes_on_at_a_natural_speed),
        cmocka_unit_test(limbs_do_not_cross),
        cmocka_unit_test(nothing_goes_through_the_floor),
        scratch_test(files_are_read_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
