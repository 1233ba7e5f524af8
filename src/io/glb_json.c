/* The JSON text of a .glb file. It is streamed, for its targets can be many, and written by hand,
 * for its length has to be known beforehand: every real number is padded to the same width. */
#include "io/body_mesh.h"
#include "io/glb_skin.h"
#include "io/glb_text.h"

static bool has_coordinates(const glb_scene *scene, int surface) {
    return scene->surfaces[surface].mesh.coordinates != NULL;
}

static const char *surface_name(const glb_scene *scene, int surface) {
    const char *name = scene->surfaces[surface].mesh.name;
    return name ? name : has_coordinates(scene, surface) ? "cloth" : "body";
}

static const char *body_name(const glb_scene *scene, int body) {
    const char *name = scene->bodies[body].def.name;
    return name ? name : "body";
}

/* ---- numbering ----------------------------------------------------------------------------------
 */

/* How many surfaces before that one have coordinates. */
static uint64_t coordinates_before(const glb_scene *scene, int surface) {
    uint64_t count = 0;
    for (int i = 0; i < surface; i++) {
        count += has_coordinates(scene, i);
    }
    return count;
}

static uint64_t surface_accessor(const glb_scene *scene, int surface) {
    return (uint64_t)surface * (2 * (uint64_t)scene->samples + 1) +
           coordinates_before(scene, surface);
}

static uint64_t surface_view(const glb_scene *scene, int surface) {
    return 2 * (uint64_t)surface + coordinates_before(scene, surface);
}

static uint64_t body_accessor(const glb_scene *scene, int body) {
    return surface_accessor(scene, scene->surface_count) + 3 * (uint64_t)body;
}

static uint64_t body_view(const glb_scene *scene, int body) {
    return surface_view(scene, scene->surface_count) + 2 * (uint64_t)body;
}

static uint64_t animation_accessor(const glb_scene *scene) {
    return body_accessor(scene, scene->body_count);
}

/* Of surfaces and the poses of bodies; joints have theirs behind them. */
static uint64_t samplers_of(const glb_scene *scene) {
    uint64_t samplers = scene->surface_count > 0;
    for (int b = 0; b < scene->body_count; b++) {
        samplers += glb_body_moves(scene, b) ? 2 : 0;
    }
    return samplers;
}

static uint64_t skin_accessors(const glb_scene *scene) {
    bool moves = glb_animation_bytes(scene) > 0;
    return animation_accessor(scene) + (moves ? 1 + samplers_of(scene) : 0);
}

/* ---- nodes, meshes, materials -------------------------------------------------------------------
 */

/* Node n shows mesh n, and has material n: the surfaces, then the bodies. */
static void put_nodes(text *t, const glb_scene *scene) {
    int count = scene->surface_count + scene->body_count;
    put(t, "\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int n = 0; n < count; n++) {
        put_separator(t, n == 0);
        put(t, "%d", n);
    }
    for (int b = 0; b < scene->body_count; b++) {
        if (scene->bodies[b].skin) {
            put(t, ",%ju", (uintmax_t)glb_skin_holder(scene, b));
        }
    }
    put(t, "]}],\"nodes\":[");
    for (int n = 0; n < count; n++) {
        int body = n - scene->surface_count;
        put_separator(t, n == 0);
        put(t, "{\"mesh\":%d,\"name\":", n);
        put_string(t, body < 0 ? surface_name(scene, n) : body_name(scene, body));
        if (body >= 0 && scene->bodies[body].skin) {
            put(t, ",\"skin\":%d", glb_skin_number(scene, body));
        } else if (body >= 0) {
            const toile_pose *start = &scene->bodies[body].poses[0];
            put(t, ",\"translation\":");
            put_floats(t, start->position, 3);
            float rotation[4];
            glb_unit_rotation(start->rotation, rotation);
            put(t, ",\"rotation\":");
            put_floats(t, rotation, 4);
        }
        put(t, "}");
    }
    put_skin_nodes(t, scene);
    put(t, "],");
    put_skins(t, scene, skin_accessors(scene));
}

static void put_surface_mesh(text *t, const glb_scene *scene, int surface) {
    uintmax_t first = surface_accessor(scene, surface);
    uintmax_t indices = first + 2 * (uint64_t)scene->samples;
    put(t, "{\"name\":");
    put_string(t, surface_name(scene, surface));
    put(t, ",\"primitives\":[{\"attributes\":{\"POSITION\":%ju,\"NORMAL\":%ju", first, first + 1);
    if (has_coordinates(scene, surface)) {
        put(t, ",\"TEXCOORD_0\":%ju", indices + 1);
    }
    put(t, "},\"indices\":%ju,\"material\":%d", indices, surface);
    for (uint32_t sample = 1; sample < scene->samples; sample++) {
        uintmax_t target = first + 2 * (uint64_t)sample;
        put(t, "%s{\"POSITION\":%ju,\"NORMAL\":%ju}", sample == 1 ? ",\"targets\":[" : ",", target,
            target + 1);
    }
    put(t, "%s}]}", scene->samples > 1 ? "]" : "");
}

static void put_body_mesh(text *t, const glb_scene *scene, int body) {
    uintmax_t first = body_accessor(scene, body);
    put(t, "{\"name\":");
    put_string(t, body_name(scene, body));
    put(t, ",\"primitives\":[{\"attributes\":{\"POSITION\":%ju,\"NORMAL\":%ju", first, first + 1);
    if (scene->bodies[body].skin) {
        put_skin_attributes(t, scene, body, skin_accessors(scene));
    }
    put(t, "},\"indices\":%ju,\"material\":%d}]}", first + 2, scene->surface_count + body);
}

/* Cloths have two sides. */
static void put_material(text *t, const char *name, const float color[3], bool cloth) {
    put(t, "{\"name\":");
    put_string(t, name);
    put(t, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":");
    put_floats(t, (float[4]){color[0], color[1], color[2], 1.0f}, 4);
    put(t, ",\"metallicFactor\":0,\"roughnessFactor\":%s}%s}", cloth ? "0.9" : "0.6",
        cloth ? ",\"doubleSided\":true" : "");
}

static void put_meshes(text *t, const glb_scene *scene) {
    put(t, "\"meshes\":[");
    for (int i = 0; i < scene->surface_count; i++) {
        put_separator(t, i == 0);
        put_surface_mesh(t, scene, i);
    }
    for (int b = 0; b < scene->body_count; b++) {
        put_separator(t, b + scene->surface_count == 0);
        put_body_mesh(t, scene, b);
    }
    put(t, "],\"materials\":[");
    for (int i = 0; i < scene->surface_count; i++) {
        put_separator(t, i == 0);
        put_material(t, surface_name(scene, i), scene->surfaces[i].color,
                     has_coordinates(scene, i));
    }
    for (int b = 0; b < scene->body_count; b++) {
        put_separator(t, b + scene->surface_count == 0);
        put_material(t, body_name(scene, b), scene->bodies[b].color, false);
    }
    put(t, "],");
}

/* ---- animation ----------------------------------------------------------------------------------
 */

/* All surfaces share one sampler, as their weights are the same. */
static void put_animation(text *t, const glb_scene *scene) {
    uintmax_t times = animation_accessor(scene);
    uint64_t samplers = samplers_of(scene);
    put(t, "\"animations\":[{\"name\":\"motion\",\"samplers\":[");
    for (uint64_t s = 0; s < samplers; s++) {
        put_separator(t, s == 0);
        put(t, "{\"input\":%ju,\"output\":%ju,\"interpolation\":\"LINEAR\"}", times,
            times + 1 + (uintmax_t)s);
    }
    put_skin_samplers(t, scene, skin_accessors(scene), times, samplers == 0);
    put(t, "],\"channels\":[");
    for (int i = 0; i < scene->surface_count; i++) {
        put_channel(t, 0, (uint64_t)i, "weights", i == 0);
    }
    uint64_t sampler = scene->surface_count > 0;
    for (int b = 0; b < scene->body_count; b++) {
        if (glb_body_moves(scene, b)) {
            uint64_t node = scene->bodies[b].skin ? glb_skin_holder(scene, b)
                                                  : (uint64_t)(scene->surface_count + b);
            put_channel(t, sampler, node, "translation", sampler == 0);
            put_channel(t, sampler + 1, node, "rotation", false);
            sampler += 2;
        }
    }
    put_skin_channels(t, scene, sampler, sampler == 0);
    put(t, "]}],");
}

/* ---- accessors ----------------------------------------------------------------------------------
 */

static const glb_range *range_at(const glb_plan *plan, uint64_t index) {
    static const glb_range unknown;
    return plan->ranges ? &plan->ranges[index] : &unknown;
}

static void put_surface_accessors(text *t, const glb_plan *plan, int surface) {
    const glb_scene *scene = plan->scene;
    const mesh_view *mesh = &scene->surfaces[surface].mesh;
    uint64_t view = surface_view(scene, surface);
    uint64_t bytes = 12 * (uint64_t)mesh->vertices;
    for (uint64_t sample = 0; sample < scene->samples; sample++) {
        const glb_range *range = range_at(plan, (uint64_t)surface * scene->samples + sample);
        accessor a = {view, 2 * sample * bytes, mesh->vertices, FLOAT, "VEC3", range};
        put_accessor(t, a, surface == 0 && sample == 0);
        a.offset += bytes;
        a.range = NULL;
        put_accessor(t, a, false);
    }
    put_accessor(t, (accessor){view + 1, 0, 3 * mesh->triangles, UNSIGNED_INT, "SCALAR", NULL},
                 false);
    if (mesh->coordinates) {
        put_accessor(t, (accessor){view + 2, 0, mesh->vertices, FLOAT, "VEC2", NULL}, false);
    }
}

static void put_body_accessors(text *t, const glb_plan *plan, int body) {
    const glb_scene *scene = plan->scene;
    body_mesh_size size = glb_body_size(scene, body);
    uint64_t view = body_view(scene, body);
    uint64_t index = (uint64_t)scene->surface_count * scene->samples + (uint64_t)body;
    accessor a = {view, 0, size.vertices, FLOAT, "VEC3", range_at(plan, index)};
    put_accessor(t, a, scene->surface_count == 0 && body == 0);
    a.offset = 12 * size.vertices;
    a.range = NULL;
    put_accessor(t, a, false);
    put_accessor(t, (accessor){view + 1, 0, 3 * size.triangles, UNSIGNED_INT, "SCALAR", NULL},
                 false);
}

static void put_animation_accessors(text *t, const glb_scene *scene) {
    uint64_t view = body_view(scene, scene->body_count);
    uint64_t samples = scene->samples, offset = 4 * samples;
    float last = (float)((double)(samples - 1) * scene->frame_time);
    put(t,
        ",{\"bufferView\":%ju,\"byteOffset\":0,\"componentType\":%d,\"count\":%ju,"
        "\"type\":\"SCALAR\",\"min\":[0],\"max\":",
        (uintmax_t)view, FLOAT, (uintmax_t)samples);
    put_floats(t, &last, 1);
    put(t, "}");
    if (scene->surface_count > 0) {
        accessor a = {view, offset, samples * (samples - 1), FLOAT, "SCALAR", NULL};
        put_accessor(t, a, false);
        offset += glb_weights_bytes(scene);
    }
    for (int b = 0; b < scene->body_count; b++) {
        if (glb_body_moves(scene, b)) {
            put_accessor(t, (accessor){view, offset, samples, FLOAT, "VEC3", NULL}, false);
            offset += 12 * samples;
            put_accessor(t, (accessor){view, offset, samples, FLOAT, "VEC4", NULL}, false);
            offset += 16 * samples;
        }
    }
}

static uint64_t first_skin_view(const glb_scene *scene) {
    return body_view(scene, scene->body_count) + (glb_animation_bytes(scene) > 0);
}

static void put_accessors(text *t, const glb_plan *plan) {
    put(t, "\"accessors\":[");
    for (int i = 0; i < plan->scene->surface_count; i++) {
        put_surface_accessors(t, plan, i);
    }
    for (int b = 0; b < plan->scene->body_count; b++) {
        put_body_accessors(t, plan, b);
    }
    if (glb_animation_bytes(plan->scene) > 0) {
        put_animation_accessors(t, plan->scene);
    }
    put_skin_accessors(t, plan->scene, first_skin_view(plan->scene));
    put(t, "],");
}

/* ---- buffer views -------------------------------------------------------------------------------
 */

static void put_views(text *t, const glb_plan *plan) {
    const glb_scene *scene = plan->scene;
    uint64_t offset = 0;
    put(t, "\"bufferViews\":[");
    for (int i = 0; i < scene->surface_count; i++) {
        put_view(t, &offset, glb_surface_vectors_bytes(scene, i), 12, ARRAY_BUFFER);
        put_view(t, &offset, glb_surface_indices_bytes(scene, i), 0, ELEMENT_ARRAY_BUFFER);
        if (has_coordinates(scene, i)) {
            put_view(t, &offset, glb_surface_coordinates_bytes(scene, i), 0, ARRAY_BUFFER);
        }
    }
    for (int b = 0; b < scene->body_count; b++) {
        put_view(t, &offset, glb_body_vectors_bytes(scene, b), 12, ARRAY_BUFFER);
        put_view(t, &offset, glb_body_indices_bytes(scene, b), 0, ELEMENT_ARRAY_BUFFER);
    }
    if (glb_animation_bytes(scene) > 0) {
        put_view(t, &offset, glb_animation_bytes(scene), 0, 0);
    }
    put_skin_views(t, scene, &offset);
    put(t, "],\"buffers\":[{\"byteLength\":%ju}]", (uintmax_t)plan->binary_bytes);
}

uint64_t glb_write_json(const glb_plan *plan, FILE *stream) {
    text t = {.stream = stream};
    put(&t, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"toile %s\"},", toile_version());
    put_nodes(&t, plan->scene);
    put_meshes(&t, plan->scene);
    if (glb_animation_bytes(plan->scene) > 0) {
        put_animation(&t, plan->scene);
    }
    put_accessors(&t, plan);
    put_views(&t, plan);
    put(&t, "}");
    return t.length;
}
