#include "app/motion.h"

#include <stdlib.h>
#include <string.h>

#include "app/bodies.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/actor.h"
#include "io/glb.h"

/* A scene as the writer wants it; free with parts_free. */
typedef struct parts {
    glb_cloth *cloths;
    glb_body *bodies;
    body_trace trace;
    int body_count;     /* of the scene */
    glb_skin *skins;    /* one a body of those that hang on joints, */
    transform **locals; /* and their joints */
    glb_scene scene;
} parts;

static void parts_free(parts *p) {
    free(p->cloths);
    free(p->bodies);
    for (int b = 0; p->locals && b < p->body_count; b++) {
        free(p->locals[b]);
    }
    free(p->locals);
    free(p->skins);
    bodies_free(&p->trace);
}

static void fill_cloths(parts *p, const scene *s, const meshes *m, pc2_reader **motions) {
    for (int c = 0; c < s->cloth_count; c++) {
        p->cloths[c].mesh = mesh_get_view(&m->items[c], s->cloths[c].def.name);
        p->cloths[c].motion = motions ? motions[c] : NULL;
        memcpy(p->cloths[c].color, s->cloths[c].color, sizeof p->cloths[c].color);
    }
}

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

bool motion_leaves_out(const scene *s, int body) {
    const scene_actor *given = s->bodies[body].actor;
    return given && !actor_character(given->loaded);
}

static toile_result fill_bodies(parts *p, const scene *s, uint32_t samples) {
    p->body_count = s->body_count;
    p->skins = memory_alloc((size_t)s->body_count, sizeof *p->skins, "bodies");
    p->locals = memory_alloc((size_t)s->body_count, sizeof *p->locals, "bodies");
    toile_result result =
        p->skins && p->locals ? bodies_trace(s, samples, &p->trace) : TOILE_ERROR_MEMORY;
    for (int b = 0; b < s->body_count && result == TOILE_OK; b++) {
        if (motion_leaves_out(s, b)) {
            continue;
        }
        glb_body *out = &p->bodies[p->scene.body_count++];
        *out = (glb_body){.def = s->bodies[b].def,
                          .poses = p->trace.poses + (size_t)b * samples,
                          .skin = s->bodies[b].actor ? &p->skins[b] : NULL};
        memcpy(out->color, s->bodies[b].color, sizeof out->color);
        if (s->bodies[b].actor) {
            result = fill_skin(p, b, s->bodies[b].actor->loaded, samples);
        }
    }
    return result;
}

/* Everything but the bodies, which take long to trace when there are very many samples. */
static toile_result parts_begin(parts *p, const scene *s, const meshes *m, pc2_reader **motions,
                                uint32_t samples) {
    *p = (parts){.cloths = memory_alloc((size_t)s->cloth_count, sizeof *p->cloths, "cloths"),
                 .bodies = memory_alloc((size_t)s->body_count, sizeof *p->bodies, "bodies")};
    if (!p->cloths || !p->bodies) {
        return TOILE_ERROR_MEMORY;
    }
    fill_cloths(p, s, m, motions);
    p->scene = (glb_scene){.cloths = p->cloths,
                           .cloth_count = s->cloth_count,
                           .bodies = p->bodies,
                           .samples = samples,
                           .frame_time = (double)s->time_step};
    return TOILE_OK;
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
    if (result == TOILE_OK && s->cloth_count > 0) {
        result = glb_check_size(glb_size(&p.scene));
    }
    if (result == TOILE_OK) {
        result = parts_finish(&p, s);
    }
    if (result == TOILE_OK && p.scene.cloth_count + p.scene.body_count == 0) {
        result = error_set(TOILE_ERROR_INVALID, "the scene has nothing that a .glb file can hold");
    } else if (result == TOILE_OK) {
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
