/* The keys of bodies that deform: characters, mannequins and mesh sequences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/scene_files.h"
#include "io/scene_parse.h"
#include "io/sequence.h"

enum { LONGEST_TEXT = 1024 };

toile_result read_label(const node *at, const field *f, void *out) {
    (void)f;
    const char *text;
    toile_result result = check_string(at, "a string", &text);
    if (result != TOILE_OK) {
        return result;
    }
    if (!*text || strlen(text) > LONGEST_TEXT || has_control_characters(text)) {
        return node_error(at,
                          "expected a string of 1 to %d bytes without control characters, found %s",
                          LONGEST_TEXT, describe_value(at->value).text);
    }
    char *copy = document_copy_string(at->document, text);
    *(const char **)out = copy;
    return copy ? TOILE_OK : TOILE_ERROR_MEMORY;
}

/* ---- what they do -------------------------------------------------------------------------------
 */

toile_result read_looping(const node *at, const field *f, void *out) {
    bool loop;
    toile_result result = read_boolean(at, f, &loop);
    if (result == TOILE_OK) {
        *(performance_loop *)out = loop ? PERFORMANCE_LOOP : PERFORMANCE_HOLD;
    }
    return result;
}

static toile_result read_action(const node *at, const field *list, void *element) {
    performance_action *action = element;
    *action = performance_action_default();
    toile_result result = read_fields(at, list->table, action);
    if (result == TOILE_OK && !(action->end > action->begin)) {
        node end = node_member(at, "end");
        return node_error(&end, "expected a time after its begin at %.9g s, found %s",
                          action->begin, describe_value(end.value).text);
    }
    return result;
}

toile_result read_actions(const node *at, const field *f, void *out) {
    scene_actor *actor = out;
    void *actions = NULL;
    toile_result result =
        read_list(at, f, read_action, sizeof(performance_action), &actions, &actor->action_count);
    actor->actions = actions;
    return result;
}

/* "animation" with the keys beside it is the short form of one of "animations". */
static toile_result settle_actions(const node *at, scene_actor *actor) {
    static const char *const beside[] = {"speed", "time", "loop"};
    const bool one = json_object_get(at->value, "animation");
    if (one && json_object_get(at->value, "animations")) {
        return node_error(at, "expected either animation or animations, found both");
    }
    for (int i = 0; i < 3 && !one; i++) {
        node member = node_member(at, beside[i]);
        if (member.value) {
            return node_error(&member, "expected only beside animation");
        }
    }
    if (one) {
        actor->actions = &actor->only;
        actor->action_count = 1;
    }
    return TOILE_OK;
}

/* ---- the files of a sequence --------------------------------------------------------------------
 */

static toile_result read_one_file(const node *at, const field *f, void *element) {
    scene_file *file = element;
    return read_file_name(at, f, &file->name);
}

toile_result read_sequence_files(const node *at, const field *f, void *out) {
    scene_actor *actor = out;
    void *files = NULL;
    toile_result result =
        read_list(at, f, read_one_file, sizeof(scene_file), &files, &actor->file_count);
    actor->files = files;
    if (result == TOILE_OK && actor->file_count == 0) {
        return node_error(at, "expected at least one file");
    }
    return result;
}

/* The files that a pattern stands for, so that each is found and taken along. */
static toile_result expand_pattern(const node *at, scene_actor *actor) {
    node at_pattern = node_member(at, "pattern"), at_last = node_member(at, "last");
    int count = actor->last - actor->first + 1;
    if (!json_object_get(at->value, "first") || !at_last.value) {
        return node_error(&at_pattern, "expected first and last beside it");
    }
    if (count < 1 || count > MOST_SEQUENCE_FILES) {
        return node_error(&at_last, "expected first to last to be 1 to %d files, found %d to %d",
                          MOST_SEQUENCE_FILES, actor->first, actor->last);
    }
    actor->files = document_alloc(at->document, (size_t)count, sizeof *actor->files);
    actor->file_count = count;
    for (int i = 0; i < count && actor->files; i++) {
        char name[SEQUENCE_NAME_SIZE];
        toile_result result = sequence_name(actor->pattern, actor->first + i, name);
        if (result == TOILE_OK) {
            result = check_file_name(&at_pattern, name);
        } else {
            node_error_prefix(&at_pattern);
        }
        if (result != TOILE_OK) {
            return result;
        }
        actor->files[i].name = document_copy_string(at->document, name);
        if (!actor->files[i].name) {
            return TOILE_ERROR_MEMORY;
        }
    }
    return actor->files ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result settle_files(const node *at, scene_actor *actor) {
    static const char *const kinds[] = {"files", "pattern", "base"};
    const char *found = NULL;
    for (int i = 0; i < 3; i++) {
        if (json_object_get(at->value, kinds[i])) {
            if (found) {
                return node_error(at, "expected either %s or %s, found both", found, kinds[i]);
            }
            found = kinds[i];
        }
    }
    if (!found) {
        return node_error(at, "expected one of files, pattern, base, found none");
    }
    if ((actor->base.name != NULL) != (actor->cache.name != NULL)) {
        return node_error(at, "expected base and cache together, found only %s",
                          actor->base.name ? "base" : "cache");
    }
    for (int i = 0; i < 2 && !actor->pattern; i++) {
        node member = node_member(at, i ? "last" : "first");
        if (member.value) {
            return node_error(&member, "expected only beside pattern");
        }
    }
    return actor->pattern ? expand_pattern(at, actor) : TOILE_OK;
}

/* ---- bodies -------------------------------------------------------------------------------------
 */

static toile_result read_actor(const node *at, const field *f, scene_actor_kind kind,
                               scene_body *body) {
    scene_actor *actor = document_alloc(at->document, 1, sizeof *actor);
    if (!actor) {
        return TOILE_ERROR_MEMORY;
    }
    const sequence_def usual = sequence_def_default();
    *actor = (scene_actor){.kind = kind,
                           .scale = 1.0,
                           .mannequin = mannequin_default(),
                           .only = performance_action_default(),
                           .root_motion = true,
                           .rate = usual.rate,
                           .speed = usual.speed,
                           .loop = usual.loop};
    toile_result result = read_fields(at, f->table, actor);
    if (result == TOILE_OK) {
        result = kind == SCENE_SEQUENCE ? settle_files(at, actor) : settle_actions(at, actor);
    }
    memcpy(body->def.center, actor->center, sizeof actor->center);
    memcpy(body->def.rotate, actor->rotate, sizeof actor->rotate);
    body->def.open = actor->open;
    body->actor = actor;
    return result;
}

toile_result read_character(const node *at, const field *f, void *out) {
    return read_actor(at, f, SCENE_CHARACTER, out);
}

toile_result read_mannequin(const node *at, const field *f, void *out) {
    return read_actor(at, f, SCENE_MANNEQUIN, out);
}

toile_result read_sequence(const node *at, const field *f, void *out) {
    return read_actor(at, f, SCENE_SEQUENCE, out);
}
