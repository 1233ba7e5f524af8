#include "app/motion.h"

#include <stdlib.h>
#include <string.h>

#include "app/bodies.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/actor.h"
#include "io/glb.h"

/* A body whose vertices move without joints. */
typedef struct deforming {
    const body_trace *trace;
    int body;
} deforming;

/* A scene as the writer wants it; free with parts_free. */
typedef struct parts {
    glb_surface *surfaces; /* the cloths, then bodies that deform freely */
    deforming *deforming;  /* one a body of those */
    glb_body *bodies;
    body_trace trace;
    int body_count;     /* of the scene */
    glb_skin *skins;    /* one a body of those that hang on joints, */
    transform **locals; /* and their joints */
    glb_scene scene;
} parts;

static void parts_free(parts *p) {
    free(p->surfaces);
    free(p->deforming);
    free(p->bodies);
    for (int b = 0; p->locals && b < p->body_count; b++) {
        free(p->locals[b]);
    }
    free(p->locals);
    free(p->skins);
    bodies_free(&p->trace);
}

/* ---- surfaces -----------------------------------------------------------------------------------
 */

static toile_result read_cloth(void *motion, uint32_t sample, float *positions) {
    return pc2_read(motion, sample, positions);
}

static toile_result read_body(void *motion, uint32_t sample, float *positions) {
    const deforming *d = motion;
    body_sample at;
    return bodies_at(d->trace, d->body, sample, positions, &at);
}

static toile_result check_cache(const mesh_view *mesh, const pc2_reader *motion, uint32_t samples) {
    pc2_info info = pc2_get_info(motion);
    if (info.points == mesh->vertices && info.samples >= samples) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_INVALID,
                     "cloth '%s': its motion has %u samples of %u points, expected %u samples of "
                     "%zu points",
                     mesh->name, (unsigned)info.samples, (unsigned)info.points, (unsigned)samples,
                     mesh->vertices);
}

static toile_result fill_cloths(parts *p, const scene *s, const meshes *m, pc2_reader **motions,
                                uint32_t samples) {
    toile_result result = TOILE_OK;
    for (int c = 0; c < s->cloth_count && result == TOILE_OK; c++) {
        glb_surface *out = &p->surfaces[p->scene.surface_count++];
        *out = (glb_surface){.mesh = mesh_get_view(&m->items[c], s->cloths[c].def.name),
                             .read = read_cloth,
                             .motion = motions ? motions[c] : NULL};
        memcpy(out->color, s->cloths[c].color, sizeof out->color);
        result = motions ? check_cache(&out->mesh, motions[c], samples) : TOILE_OK;
    }
    return result;
}

/* One that deforms, and not by joints alone. */
static bool deforms_freely(const scene_body *b) {
    return b->actor && !actor_character(b->actor->loaded) && !actor_is_still(b->actor->loaded);
}

static void fill_deforming(parts *p, const scene *s) {
    for (int b = 0; b < s->body_count; b++) {
        const toile_body_def *def = &s->bodies[b].def;
        if (!deforms_freely(&s->bodies[b])) {
            continue;
        }
        p->deforming[b] = (deforming){.trace = &p->trace, .body = b};
        glb_surface *out = &p->surfaces[p->scene.surface_count++];
        *out = (glb_surface){.mesh = {.name = def->name,
                                      .vertices = def->mesh.vertices,
                                      .triangles = def->mesh.triangle_count,
                                      .indices = def->mesh.triangles},
                             .read = read_body,
                             .motion = &p->deforming[b]};
        memcpy(out->color, s->bodies[b].color, sizeof out->color);
    }
}

/* ---- bodies -------------------------------------------------------------------------------------
 */

/* The joints of a body at all samples. */
static toile_result fill_skin(parts *p, int body, actor *a, uint32_t samples) {
    const character *c = actor_character(a);
    transform *locals = memory_alloc(c->joint_count * samples, sizeof *locals, "joints");
    if (!locals) {
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t sample = 0; sample < samples; sample++) {
        actor_joints(a, p->trace.times[sample], locals + sample * c->joint_count);
    }
    p->locals[body] = locals;
    p->skins[body] = (glb_skin){.character = c, .locals = locals};
    return TOILE_OK;
}

static toile_result fill_bodies(parts *p, const scene *s, uint32_t samples) {
    p->body_count = s->body_count;
    p->skins = memory_alloc((size_t)s->body_count, sizeof *p->skins, "bodies");
    p->locals = memory_alloc((size_t)s->body_count, sizeof *p->locals, "bodies");
    toile_result result =
        p->skins && p->locals ? bodies_trace(s, samples, &p->trace) : TOILE_ERROR_MEMORY;
    for (int b = 0; b < s->body_count && result == TOILE_OK; b++) {
        if (deforms_freely(&s->bodies[b])) {
            continue;
        }
        const scene_actor *given = s->bodies[b].actor;
        bool skinned = given && actor_character(given->loaded);
        glb_body *out = &p->bodies[p->scene.body_count++];
        *out = (glb_body){.def = s->bodies[b].def,
                          .poses = p->trace.poses + (size_t)b * samples,
                          .skin = skinned ? &p->skins[b] : NULL};
        memcpy(out->color, s->bodies[b].color, sizeof out->color);
        if (skinned) {
            result = fill_skin(p, b, given->loaded, samples);
        }
    }
    return result;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

/* Everything but the bodies' motion, which takes long to trace when there are very many samples. */
static toile_result parts_begin(parts *p, const scene *s, const meshes *m, pc2_reader **motions,
                                uint32_t samples) {
    size_t cloths = (size_t)s->cloth_count, bodies = (size_t)s->body_count;
    *p = (parts){.surfaces = memory_alloc(cloths + bodies, sizeof *p->surfaces, "surfaces"),
                 .deforming = memory_alloc(bodies, sizeof *p->deforming, "bodies"),
                 .bodies = memory_alloc(bodies, sizeof *p->bodies, "bodies")};
    if (!p->surfaces || !p->deforming || !p->bodies) {
        return TOILE_ERROR_MEMORY;
    }
    p->scene = (glb_scene){.surfaces = p->surfaces,
                           .bodies = p->bodies,
                           .samples = samples,
                           .frame_time = (double)s->time_step};
    toile_result result = fill_cloths(p, s, m, motions, samples);
    fill_deforming(p, s);
    return result;
}

static toile_result parts_finish(parts *p, const scene *s) {
    return fill_bodies(p, s, p->scene.samples);
}

static toile_result check_size(const scene *s, const meshes *m, uint32_t samples) {
    parts p;
    toile_result result = parts_begin(&p, s, m, NULL, samples);
    if (result == TOILE_OK) {
        uint64_t poses = (uint64_t)s->body_count * samples * sizeof(toile_pose);
        result = glb_check_size(poses);
    }
    if (result == TOILE_OK && p.scene.surface_count > 0) {
        result = glb_check_size(glb_size(&p.scene));
    }
    if (result == TOILE_OK) {
        result = parts_finish(&p, s);
    }
    if (result == TOILE_OK) {
        result = glb_check_size(glb_size(&p.scene));
    }
    parts_free(&p);
    return result;
}

/* Whether the coarsest cloths there are would do: the weights of all frames at all frames and the
 * bodies stay. */
static bool is_spacing_to_blame(const scene *s, uint32_t samples) {
    double frames = (double)samples;
    double least = 4.0 * frames * frames + 24.0 * frames * 4.0 * (double)s->cloth_count +
                   (double)sizeof(toile_pose) * frames * (double)s->body_count;
    for (int b = 0; b < s->body_count; b++) {
        const toile_body_def *def = &s->bodies[b].def;
        least += deforms_freely(&s->bodies[b]) ? 24.0 * frames * (double)def->mesh.vertices : 0.0;
    }
    return s->cloth_count > 0 && least < GLB_LIMIT_MB * 1e6;
}

toile_result motion_check_size(const scene *s, const meshes *m, uint32_t samples) {
    toile_result result = check_size(s, m, samples);
    if (result == TOILE_ERROR_INVALID) {
        result = error_set(result, "%s: use --format pc2%s", toile_error_message(),
                           is_spacing_to_blame(s, samples) ? ", fewer frames or a larger spacing"
                                                           : " or fewer frames");
    }
    return result;
}

toile_result motion_write(const char *path, const scene *s, const meshes *m, pc2_reader **motions,
                          uint32_t samples) {
    parts p;
    toile_result result = parts_begin(&p, s, m, motions, samples);
    if (result == TOILE_OK) {
        result = parts_finish(&p, s);
    }
    if (result == TOILE_OK) {
        result = glb_write(path, &p.scene);
    }
    parts_free(&p);
    return result;
}
