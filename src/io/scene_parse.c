#include "io/scene_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/islands.h"

/* What the readers of one document share. */
typedef struct names {
    json_t *cloths; /* name -> index of those read so far */
    json_t *bodies;
    const scene *scene; /* what was read so far */
} names;

enum { LONGEST_NAME = 64 };

/* ---- single values ------------------------------------------------------------------------------
 */

toile_result read_version(const node *at, const field *f, void *out) {
    (void)out;
    if (json_number_value(at->value) != f->high) { /* 0 for what is no number */
        return node_error(at, "expected scene format version %.0f, found %s", f->high,
                          describe_value(at->value).text);
    }
    return TOILE_OK;
}

toile_result read_seed(const node *at, const field *f, void *out) {
    double number;
    toile_result result = check_whole_number(at, f, &number);
    if (result == TOILE_OK) {
        *(uint64_t *)out = (uint64_t)number;
    }
    return result;
}

/* The passes of the gl device are devices of their own. */
static toile_result read_device_object(const node *at, const field *f, const char **out) {
    scene_device d = {.pass = SCENE_PASS_COMPUTE};
    toile_result result = read_object(at, f, &d);
    if (result != TOILE_OK) {
        return result;
    }
    *out = f->choices[d.kind].word;
    if (json_object_get(at->value, "pass") && strcmp(*out, "gl") != 0) {
        return node_error(at, "only kind \"gl\" has passes to choose from, found \"%s\"", *out);
    }
    *out = d.pass == SCENE_PASS_FRAGMENT ? "gl-fragment" : *out;
    return TOILE_OK;
}

/* Whether this machine has the device is for the world to say. */
toile_result read_device(const node *at, const field *f, void *out) {
    if (json_is_object(at->value)) {
        return read_device_object(at, f, out);
    }
    int index;
    toile_result result = read_word(at, f, &index);
    if (result == TOILE_OK) {
        *(const char **)out = f->choices[index].word;
    }
    return result;
}

toile_result read_collision(const node *at, const field *f, void *out) {
    toile_world_def *world = out;
    return json_is_string(at->value) ? read_word(at, f, &world->collision)
                                     : read_object(at, f, world);
}

toile_result read_camera(const node *at, const field *f, void *out) {
    scene_camera *camera = out;
    toile_result result = read_object(at, f, camera);
    if (result != TOILE_OK) {
        return result;
    }
    bool eye = json_object_get(at->value, "eye");
    bool target = json_object_get(at->value, "target");
    if (eye != target) {
        return node_error(at, "expected eye and target together, found only %s",
                          eye ? "eye" : "target");
    }
    camera->given = eye;
    const float *a = camera->eye, *b = camera->target;
    if (eye && a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) {
        return node_error(at, "expected eye and target apart, found them at the same place");
    }
    return TOILE_OK;
}

/* ---- names --------------------------------------------------------------------------------------
 */

/* Names become parts of file names, so a stranger's scene must not choose folders with them. */
static bool is_good_name(const char *name) {
    if (name[0] == '\0' || name[0] == '.' || strlen(name) > LONGEST_NAME) {
        return false;
    }
    return !has_control_characters(name) && !strpbrk(name, "/\\:*?\"<>|");
}

toile_result read_name(const node *at, const field *f, void *out) {
    (void)f;
    const char *name;
    toile_result result = check_string(at, "a name", &name);
    if (result != TOILE_OK) {
        return result;
    }
    if (!is_good_name(name)) {
        return node_error(at,
                          "expected a name of 1 to %d bytes that does not begin with a dot and has "
                          "no control characters and none of / \\ : * ? \" < > |, found %s",
                          LONGEST_NAME, describe_value(at->value).text);
    }
    char *copy = document_copy_string(at->document, name);
    *(const char **)out = copy;
    return copy ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result take_name(const node *at, json_t *taken, const char *name) {
    json_t *other = json_object_get(taken, name);
    if (other) {
        return node_error(at, "expected a name of its own, found \"%s\" as in %s[%d]",
                          make_printable(name).text, at->parent->key,
                          (int)json_integer_value(other));
    }
    if (json_object_set_new(taken, name, json_integer((json_int_t)at->index)) != 0) {
        return error_set(TOILE_ERROR_MEMORY, "%s: not enough memory for its names",
                         at->document->name);
    }
    return TOILE_OK;
}

/* The first name from "cloth-7" on that nothing has; "cloth" itself is number 1. */
static toile_result take_free_name(const node *at, json_t *taken, size_t *number,
                                   const char **name) {
    char text[LONGEST_NAME];
    do {
        if (*number == 1) {
            snprintf(text, sizeof text, "%s", *name);
        } else {
            snprintf(text, sizeof text, "%s-%zu", *name, *number);
        }
        (*number)++;
    } while (json_object_get(taken, text));
    *name = document_copy_string(at->document, text);
    return *name ? take_name(at, taken, *name) : TOILE_ERROR_MEMORY;
}

/* Sees to it that no two elements of a list have the same name. Those without one get theirs after
 * all others: that of their place, or the next that is free. first points to the name in the first
 * element of size bytes. */
static toile_result settle_names(const node *list, json_t *taken, void *first, size_t size) {
    size_t next = 1;
    for (int given = 1; given >= 0; given--) {
        for (size_t i = 0; i < json_array_size(list->value); i++) {
            node at = node_element(list, i);
            const char **name = (const char **)((char *)first + i * size);
            if ((json_object_get(at.value, "name") != NULL) != given) {
                continue;
            }
            toile_result result = TOILE_OK;
            if (given) {
                result = take_name(&at, taken, *name);
            } else {
                next = next > i ? next : i + 1;
                result = take_free_name(&at, taken, &next, name);
            }
            if (result != TOILE_OK) {
                return result;
            }
        }
    }
    return TOILE_OK;
}

toile_result read_kind(const node *at, const choice *kinds, void *kind) {
    const choice *found = NULL;
    char list[128] = "";
    for (const choice *c = kinds; c->word; c++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", c->word);
        if (!json_object_get(at->value, c->word)) {
            continue;
        }
        if (found) {
            return node_error(at, "expected one of its kinds, found both %s and %s", found->word,
                              c->word);
        }
        found = c;
    }
    if (!found) {
        return node_error(at, "expected one of %s, found none", list);
    }
    memcpy(kind, &found->value, sizeof found->value);
    return TOILE_OK;
}

/* ---- lists --------------------------------------------------------------------------------------
 */

toile_result read_list(const node *at, const field *f, element_reader *read, size_t size,
                       void **out, int *out_count) {
    size_t count;
    toile_result result = check_list(at, f, &count);
    if (result != TOILE_OK) {
        return result;
    }
    char *elements = document_alloc(at->document, count, size);
    if (!elements) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        node element = node_element(at, i);
        result = read(&element, f, elements + i * size);
        if (result != TOILE_OK) {
            return result;
        }
    }
    *out = elements;
    *out_count = (int)count;
    return TOILE_OK;
}

static toile_result read_keyframe(const node *at, const field *list, void *element) {
    toile_keyframe *keyframe = element;
    toile_result result = read_fields(at, list->table, keyframe);
    if (result == TOILE_OK && at->index > 0 && !(keyframe->time > keyframe[-1].time)) {
        node time = node_member(at, "time");
        return node_error(&time, "expected a time after the %.9g s before it, found %s",
                          (double)keyframe[-1].time, describe_value(time.value).text);
    }
    return result;
}

static toile_result read_keyframes(const node *at, const field *f, const toile_keyframe **out,
                                   int *count) {
    void *keyframes = NULL;
    toile_result result =
        read_list(at, f, read_keyframe, sizeof(toile_keyframe), &keyframes, count);
    *out = keyframes;
    return result;
}

toile_result read_body_keyframes(const node *at, const field *f, void *out) {
    scene_body *body = out;
    return read_keyframes(at, f, &body->def.keyframes, &body->def.keyframe_count);
}

toile_result read_pin_keyframes(const node *at, const field *f, void *out) {
    scene_pin *pin = out;
    return read_keyframes(at, f, &pin->def.keyframes, &pin->def.keyframe_count);
}

toile_result read_pin_body(const node *at, const field *f, void *out) {
    (void)f;
    const names *known = at->document->shared;
    const char *name;
    toile_result result = check_string(at, "the name of a body", &name);
    if (result != TOILE_OK) {
        return result;
    }
    json_t *index = json_object_get(known->bodies, name);
    if (!index) {
        const char *nearest = NULL, *other;
        json_t *value;
        json_object_foreach(known->bodies, other, value) {
            nearest = nearer_word(name, nearest, other);
        }
        return node_error(at, "expected the name of a body, found \"%s\"%s%s%s",
                          make_printable(name).text, nearest ? ", did you mean \"" : "",
                          nearest ? nearest : "", nearest ? "\"?" : "");
    }
    *(int *)out = (int)json_integer_value(index);
    return TOILE_OK;
}

static toile_result read_pin(const node *at, const field *list, void *element) {
    scene_pin *pin = element;
    pin->def = toile_default_pin_def();
    pin->body = -1;
    toile_result result = read_fields(at, list->table, pin);
    if (result == TOILE_OK) {
        result = read_kind(at, list->choices, &pin->def.kind);
    }
    if (result != TOILE_OK) {
        return result;
    }
    if (pin->def.kind != TOILE_PIN_POINT && json_object_get(at->value, "radius")) {
        return node_error(at, "expected radius only beside point");
    }
    if (pin->body >= 0 && json_object_get(at->value, "keyframes")) {
        return node_error(at, "expected either body or keyframes, found both");
    }
    return TOILE_OK;
}

toile_result read_pins(const node *at, const field *f, void *out) {
    scene_cloth *cloth = out;
    void *pins = NULL;
    toile_result result = read_list(at, f, read_pin, sizeof(scene_pin), &pins, &cloth->pin_count);
    cloth->pins = pins;
    return result;
}

/* Planes reach everywhere, so nobody who says nothing means one. */
static toile_result find_only_body(const node *at, int *out) {
    const names *known = at->document->shared;
    const scene *s = known->scene;
    int count = 0;
    for (int i = 0; i < s->body_count; i++) {
        if (s->bodies[i].def.shape != TOILE_SHAPE_PLANE) {
            *out = i;
            count++;
        }
    }
    return count == 1 ? TOILE_OK
                      : node_error(at, "expected body, as there are %d that it may mean", count);
}

/* One more pin, behind the others. */
toile_result read_attach(const node *at, const field *f, void *out) {
    scene_cloth *cloth = out;
    scene_pin *pins = document_alloc(at->document, (size_t)cloth->pin_count + 1, sizeof *pins);
    if (!pins) {
        return TOILE_ERROR_MEMORY;
    }
    if (cloth->pin_count > 0) {
        memcpy(pins, cloth->pins, (size_t)cloth->pin_count * sizeof *pins);
    }
    scene_pin *pin = &pins[cloth->pin_count];
    pin->def = toile_default_pin_def();
    pin->def.kind = TOILE_PIN_NEAR;
    pin->body = -1;
    toile_result result = read_fields(at, f->table, pin);
    if (result == TOILE_OK && pin->body < 0) {
        result = find_only_body(at, &pin->body);
    }
    cloth->pins = pins;
    cloth->pin_count++;
    return result;
}

/* Only meshes come in pieces. */
static toile_result check_pieces(const node *at, const scene_cloth *cloth) {
    node pins = node_member(at, "pins");
    for (int i = 0; i < cloth->pin_count && !cloth->mesh.file.name; i++) {
        node pin = node_element(&pins, (size_t)i), piece = node_member(&pin, "piece");
        if (piece.value) {
            return node_error(&piece, "expected only where the cloth is a mesh");
        }
    }
    return TOILE_OK;
}

/* A cooked panel is what it is. Else it is a rectangle, has an outline, or is cut from a mesh; some
 * keys go with the last two. */
static toile_result check_panel(const node *at) {
    static const char *const kinds[] = {"rectangle", "outline", "mesh"};
    static const char *const of_outlines[] = {"grain", "render_edge"};
    static const char *const cooked[] = {"rectangle",   "outline",     "mesh", "grain", "spacing",
                                         "coarse_edge", "render_edge", "snap", NULL};
    for (int i = 0; json_object_get(at->value, "panel") && cooked[i]; i++) {
        if (json_object_get(at->value, cooked[i])) {
            return node_error(at, "expected either panel or %s, found both", cooked[i]);
        }
    }
    int found = 0;
    for (int i = 1; i < 3; i++) {
        if (!json_object_get(at->value, kinds[i])) {
            continue;
        }
        if (found || json_object_get(at->value, kinds[0])) {
            return node_error(at, "expected either %s or %s, found both", kinds[found], kinds[i]);
        }
        found = i;
    }
    for (int i = 0; i < 2 && !found; i++) {
        if (json_object_get(at->value, of_outlines[i])) {
            return node_error(at, "expected %s only beside outline or mesh", of_outlines[i]);
        }
    }
    return TOILE_OK;
}

static toile_result read_cloth(const node *at, const field *list, void *element) {
    static const float madder[3] = {0.509f, 0.068f, 0.044f}; /* #bd4a3b */
    scene_cloth *cloth = element;
    cloth->def = toile_default_cloth_def();
    cloth->element = (int)at->index;
    cloth->mesh.isometry_limit = (float)ISLANDS_LIMIT;
    memcpy(cloth->color, madder, sizeof madder);
    toile_result result = read_fields(at, list->table, cloth);
    if (result == TOILE_OK) {
        result = check_panel(at);
    }
    return result == TOILE_OK ? check_pieces(at, cloth) : result;
}

toile_result read_cloths(const node *at, const field *f, void *out) {
    scene *s = out;
    void *cloths = NULL;
    toile_result result =
        read_list(at, f, read_cloth, sizeof(scene_cloth), &cloths, &s->cloth_count);
    if (result != TOILE_OK) {
        return result;
    }
    const names *known = at->document->shared;
    s->cloths = cloths;
    return settle_names(at, known->cloths, &s->cloths->def.name, sizeof *s->cloths);
}

static toile_result read_body(const node *at, const field *list, void *element) {
    static const float stone[3] = {0.533f, 0.503f, 0.456f}; /* #c1bcb4 */
    scene_body *body = element;
    body->def = toile_default_body_def();
    body->mesh_scale = 1.0f;
    memcpy(body->color, stone, sizeof stone);
    toile_result result = read_fields(at, list->table, body);
    return result == TOILE_OK ? read_kind(at, list->choices, &body->def.shape) : result;
}

toile_result read_bodies(const node *at, const field *f, void *out) {
    scene *s = out;
    void *bodies = NULL;
    toile_result result = read_list(at, f, read_body, sizeof(scene_body), &bodies, &s->body_count);
    if (result != TOILE_OK) {
        return result;
    }
    const names *known = at->document->shared;
    s->bodies = bodies;
    return settle_names(at, known->bodies, &s->bodies->def.name, sizeof *s->bodies);
}

/* ---- the scene ----------------------------------------------------------------------------------
 */

static void set_defaults(scene *s) {
    s->world = toile_default_world_def();
    s->time_step = 1.0f / 60.0f;
    s->frames = 300;
    s->report.interval = 1;
    s->camera = (scene_camera){.given = false, .fov = 35.0f};
    s->render = (scene_render){.size = {1280, 720},
                               .background = {0.905f, 0.905f, 0.888f}, /* #f4f4f2 */
                               .texture = SCENE_TEXTURE_WEAVE,
                               .floor = true};
}

toile_result scene_read(document *d, scene *s) {
    names known = {json_object(), json_object(), s};
    toile_result result;
    if (!known.cloths || !known.bodies) {
        result = error_set(TOILE_ERROR_MEMORY, "%s: not enough memory to read it", d->name);
    } else {
        d->shared = &known;
        set_defaults(s);
        node root = node_root(d);
        result = read_fields(&root, scene_tables[0], s);
        if (result == TOILE_OK && s->cloth_count == 0 && s->body_count == 0) {
            result = node_error(&root, "expected at least one cloth or body");
        }
        d->shared = NULL;
    }
    json_decref(known.cloths);
    json_decref(known.bodies);
    return result;
}
