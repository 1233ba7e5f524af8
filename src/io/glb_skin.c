#include "io/glb_skin.h"

#include <string.h>

#include "base/error.h"
#include "io/glb_plan.h"

enum { TRACKS = 3 }; /* of a joint: translation, rotation, scale */
static const char *const PATHS[TRACKS] = {"translation", "rotation", "scale"};
static const char *const TYPES[TRACKS] = {"VEC3", "VEC4", "VEC3"};
static const uint64_t WIDTHS[TRACKS] = {3, 4, 3};
enum { TRACK_FLOATS = 10 }; /* all together */

static uint64_t joints_of(const glb_skin *s) {
    return s->character->joint_count;
}

static uint64_t vertices_of(const glb_skin *s) {
    return s->character->vertices;
}

/* Attributes have four influences each. */
static uint64_t sets_of(const glb_skin *s) {
    return (s->character->influences + 3) / 4;
}

static uint64_t accessors_of(const glb_scene *scene, const glb_skin *s) {
    return 2 * sets_of(s) + 1 + (scene->samples > 1 ? TRACKS * joints_of(s) : 0);
}

static uint64_t views_of(const glb_scene *scene) {
    return scene->samples > 1 ? 4 : 3;
}

static uint64_t tracks_bytes(const glb_scene *scene, const glb_skin *s) {
    return scene->samples > 1 ? 4 * TRACK_FLOATS * joints_of(s) * scene->samples : 0;
}

static uint64_t skin_bytes(const glb_scene *scene, const glb_skin *s) {
    return (8 + 16) * sets_of(s) * vertices_of(s) + 64 * joints_of(s) + tracks_bytes(scene, s);
}

bool glb_has_skins(const glb_scene *scene) {
    return glb_skins_bytes(scene) > 0;
}

uint64_t glb_skins_bytes(const glb_scene *scene) {
    uint64_t bytes = 0;
    for (int b = 0; b < scene->body_count; b++) {
        bytes += scene->bodies[b].skin ? skin_bytes(scene, scene->bodies[b].skin) : 0;
    }
    return bytes;
}

toile_result glb_skin_mesh(const glb_skin *skin, mesh_data *out) {
    const character *c = skin->character;
    if (!mesh_allocate(out, c->vertices, c->triangles, true, false)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for a mesh of %zu vertices",
                         c->vertices);
    }
    memcpy(out->positions, c->positions, 3 * c->vertices * sizeof *out->positions);
    memcpy(out->indices, c->indices, 3 * c->triangles * sizeof *out->indices);
    mesh_view view = mesh_get_view(out, NULL);
    mesh_normals(&view, out->positions, out->normals);
    return TOILE_OK;
}

/* ---- the binary chunk ---------------------------------------------------------------------------
 */

/* Joints without weight are numbered 0, as validators ask. */
static void write_influences(const glb_skin *s, FILE *stream) {
    const character *c = s->character;
    for (size_t set = 0; set < sets_of(s); set++) {
        for (size_t v = 0; v < c->vertices; v++) {
            uint16_t joints[4] = {0};
            for (size_t k = 0; k < 4 && 4 * set + k < c->influences; k++) {
                size_t at = v * c->influences + 4 * set + k;
                joints[k] = c->weights[at] > 0.0f ? c->joints[at] : 0;
            }
            fwrite(joints, sizeof joints, 1, stream);
        }
    }
    for (size_t set = 0; set < sets_of(s); set++) {
        for (size_t v = 0; v < c->vertices; v++) {
            float weights[4] = {0.0f};
            for (size_t k = 0; k < 4 && 4 * set + k < c->influences; k++) {
                weights[k] = c->weights[v * c->influences + 4 * set + k];
            }
            fwrite(weights, sizeof weights, 1, stream);
        }
    }
}

/* Column by column. */
static void write_matrices(const glb_skin *s, FILE *stream) {
    for (size_t j = 0; j < joints_of(s); j++) {
        float m[16] = {[15] = 1.0f};
        for (int column = 0; column < 4; column++) {
            for (int row = 0; row < 3; row++) {
                m[4 * column + row] =
                    (float)s->character->skeleton[j].inverse_bind.row[row][column];
            }
        }
        fwrite(m, sizeof m, 1, stream);
    }
}

/* The values of a path, a rotation in the hemisphere of the one before. */
static void path_values(const transform *at, int path, const float last[4], float out[4]) {
    const quat *q = &at->rotation;
    const double *from = path == 0 ? at->translation : at->scale;
    if (path != 1) {
        for (int k = 0; k < 3; k++) {
            out[k] = (float)from[k];
        }
        return;
    }
    const float turn[4] = {(float)q->x, (float)q->y, (float)q->z, (float)q->w};
    float dot = 0.0f;
    glb_unit_rotation(turn, out);
    for (int k = 0; k < 4; k++) {
        dot += out[k] * last[k];
    }
    for (int k = 0; k < 4 && dot < 0.0f; k++) {
        out[k] = -out[k];
    }
}

static void write_tracks(const glb_scene *scene, const glb_skin *s, FILE *stream) {
    for (size_t j = 0; scene->samples > 1 && j < joints_of(s); j++) {
        for (int path = 0; path < TRACKS; path++) {
            float values[4] = {0.0f};
            for (size_t sample = 0; sample < scene->samples; sample++) {
                float last[4];
                memcpy(last, values, sizeof last);
                path_values(&s->locals[sample * joints_of(s) + j], path, last, values);
                fwrite(values, sizeof *values, WIDTHS[path], stream);
            }
        }
    }
}

void glb_skins_write(const glb_scene *scene, FILE *stream) {
    for (int b = 0; b < scene->body_count; b++) {
        const glb_skin *s = scene->bodies[b].skin;
        if (s) {
            write_influences(s, stream);
            write_matrices(s, stream);
            write_tracks(scene, s, stream);
        }
    }
}

/* ---- nodes and skins ----------------------------------------------------------------------------
 */

int glb_skin_number(const glb_scene *scene, int body) {
    int number = 0;
    for (int b = 0; b < body; b++) {
        number += scene->bodies[b].skin != NULL;
    }
    return number;
}

uint64_t glb_skin_holder(const glb_scene *scene, int body) {
    uint64_t node = (uint64_t)scene->surface_count + (uint64_t)scene->body_count;
    for (int b = 0; b < body; b++) {
        node += scene->bodies[b].skin ? 1 + joints_of(scene->bodies[b].skin) : 0;
    }
    return node;
}

/* Those below a joint; -1: those without a parent. */
static void put_children(text *t, const glb_skin *s, int parent, uint64_t first) {
    bool any = false;
    for (size_t j = 0; j < joints_of(s); j++) {
        if (s->character->skeleton[j].parent == parent) {
            put(t, "%s%ju", any ? "," : ",\"children\":[", (uintmax_t)(first + j));
            any = true;
        }
    }
    put(t, "%s", any ? "]" : "");
}

static void put_place(text *t, const float translation[3], const float rotation[4]) {
    float unit[4];
    glb_unit_rotation(rotation, unit);
    put(t, ",\"translation\":");
    put_floats(t, translation, 3);
    put(t, ",\"rotation\":");
    put_floats(t, unit, 4);
}

static void put_joint(text *t, const glb_skin *s, size_t j, uint64_t first) {
    const float none[4] = {0.0f};
    float values[TRACKS][4];
    for (int path = 0; path < TRACKS; path++) {
        path_values(&s->locals[j], path, none, values[path]);
    }
    put(t, ",{\"name\":");
    put_string(t, s->character->skeleton[j].name ? s->character->skeleton[j].name : "joint");
    put_place(t, values[0], values[1]);
    put(t, ",\"scale\":");
    put_floats(t, values[2], 3);
    put_children(t, s, (int)j, first);
    put(t, "}");
}

void put_skin_nodes(text *t, const glb_scene *scene) {
    for (int b = 0; b < scene->body_count; b++) {
        const glb_body *body = &scene->bodies[b];
        if (body->skin) {
            uint64_t first = glb_skin_holder(scene, b) + 1;
            put(t, ",{\"name\":");
            put_string(t, "place");
            put_place(t, body->poses[0].position, body->poses[0].rotation);
            put_children(t, body->skin, -1, first);
            put(t, "}");
            for (size_t j = 0; j < joints_of(body->skin); j++) {
                put_joint(t, body->skin, j, first);
            }
        }
    }
}

static uint64_t skin_accessor(const glb_scene *scene, int body, uint64_t first) {
    for (int b = 0; b < body; b++) {
        first += scene->bodies[b].skin ? accessors_of(scene, scene->bodies[b].skin) : 0;
    }
    return first;
}

void put_skins(text *t, const glb_scene *scene, uint64_t first_accessor) {
    bool any = false;
    for (int b = 0; b < scene->body_count; b++) {
        const glb_skin *s = scene->bodies[b].skin;
        if (s) {
            uint64_t matrices = skin_accessor(scene, b, first_accessor) + 2 * sets_of(s);
            put(t, "%s{\"inverseBindMatrices\":%ju,\"joints\":[", any ? "," : "\"skins\":[",
                (uintmax_t)matrices);
            for (size_t j = 0; j < joints_of(s); j++) {
                put_separator(t, j == 0);
                put(t, "%ju", (uintmax_t)(glb_skin_holder(scene, b) + 1 + j));
            }
            put(t, "]}");
            any = true;
        }
    }
    put(t, "%s", any ? "]," : "");
}

void put_skin_attributes(text *t, const glb_scene *scene, int body, uint64_t first_accessor) {
    const glb_skin *s = scene->bodies[body].skin;
    uint64_t first = skin_accessor(scene, body, first_accessor);
    for (uint64_t set = 0; set < sets_of(s); set++) {
        put(t, ",\"JOINTS_%ju\":%ju,\"WEIGHTS_%ju\":%ju", (uintmax_t)set, (uintmax_t)(first + set),
            (uintmax_t)set, (uintmax_t)(first + sets_of(s) + set));
    }
}

/* ---- animation ----------------------------------------------------------------------------------
 */

void put_skin_samplers(text *t, const glb_scene *scene, uint64_t first_accessor, uint64_t times,
                       bool first) {
    for (int b = 0; b < scene->body_count && scene->samples > 1; b++) {
        const glb_skin *s = scene->bodies[b].skin;
        uint64_t tracks = s ? skin_accessor(scene, b, first_accessor) + 2 * sets_of(s) + 1 : 0;
        for (uint64_t k = 0; s && k < TRACKS * joints_of(s); k++) {
            put_separator(t, first);
            put(t, "{\"input\":%ju,\"output\":%ju,\"interpolation\":\"LINEAR\"}", (uintmax_t)times,
                (uintmax_t)(tracks + k));
            first = false;
        }
    }
}

void put_skin_channels(text *t, const glb_scene *scene, uint64_t sampler, bool first) {
    for (int b = 0; b < scene->body_count && scene->samples > 1; b++) {
        const glb_skin *s = scene->bodies[b].skin;
        for (uint64_t k = 0; s && k < TRACKS * joints_of(s); k++) {
            uint64_t joint = glb_skin_holder(scene, b) + 1 + k / TRACKS;
            put_channel(t, sampler++, joint, PATHS[k % TRACKS], first);
            first = false;
        }
    }
}

/* ---- accessors and views ------------------------------------------------------------------------
 */

static void put_accessors_of(text *t, const glb_scene *scene, const glb_skin *s, uint64_t view) {
    uint64_t vertices = vertices_of(s), offset = 0;
    for (uint64_t set = 0; set < sets_of(s); set++) {
        put_accessor(
            t, (accessor){view, 8 * set * vertices, vertices, UNSIGNED_SHORT, "VEC4", NULL}, false);
    }
    for (uint64_t set = 0; set < sets_of(s); set++) {
        put_accessor(t, (accessor){view + 1, 16 * set * vertices, vertices, FLOAT, "VEC4", NULL},
                     false);
    }
    put_accessor(t, (accessor){view + 2, 0, joints_of(s), FLOAT, "MAT4", NULL}, false);
    for (uint64_t k = 0; k < TRACKS * joints_of(s) && scene->samples > 1; k++) {
        put_accessor(
            t, (accessor){view + 3, offset, scene->samples, FLOAT, TYPES[k % TRACKS], NULL}, false);
        offset += 4 * WIDTHS[k % TRACKS] * scene->samples;
    }
}

void put_skin_accessors(text *t, const glb_scene *scene, uint64_t first_view) {
    for (int b = 0; b < scene->body_count; b++) {
        if (scene->bodies[b].skin) {
            put_accessors_of(t, scene, scene->bodies[b].skin, first_view);
            first_view += views_of(scene);
        }
    }
}

void put_skin_views(text *t, const glb_scene *scene, uint64_t *offset) {
    for (int b = 0; b < scene->body_count; b++) {
        const glb_skin *s = scene->bodies[b].skin;
        if (s) {
            put_view(t, offset, 8 * sets_of(s) * vertices_of(s), 8, ARRAY_BUFFER);
            put_view(t, offset, 16 * sets_of(s) * vertices_of(s), 16, ARRAY_BUFFER);
            put_view(t, offset, 64 * joints_of(s), 0, 0);
            if (scene->samples > 1) {
                put_view(t, offset, tracks_bytes(scene, s), 0, 0);
            }
        }
    }
}
