/* The parser, the schema, the documentation and the scenes of the project agree. */
#include "scenes.h"

/* ---- the schema ---------------------------------------------------------------------------------
 */

static json_t *resolve(json_t *schema, json_t *property) {
    const char *reference = json_string_value(json_object_get(property, "$ref"));
    if (!reference) {
        return property;
    }
    const char *start = "#/$defs/";
    assert_int_equal(strncmp(reference, start, strlen(start)), 0);
    json_t *definition =
        json_object_get(json_object_get(schema, "$defs"), reference + strlen(start));
    assert_non_null(definition);
    return definition;
}

static json_t *schema_object(json_t *schema, const char *name) {
    if (strcmp(name, "scene") == 0) {
        return schema;
    }
    json_t *object = json_object_get(json_object_get(schema, "$defs"), name);
    if (!object) {
        fail_msg("the schema has no $defs/%s", name);
    }
    return object;
}

/* The first value of a keyword in a property or the alternatives and items below it. */
static json_t *find_keyword(json_t *schema, json_t *property, const char *keyword) {
    property = resolve(schema, property);
    json_t *value = json_object_get(property, keyword);
    json_t *items = json_object_get(property, "items");
    if (!value && items) {
        value = find_keyword(schema, items, keyword);
    }
    json_t *alternatives = json_object_get(property, "anyOf");
    for (size_t i = 0; !value && i < json_array_size(alternatives); i++) {
        value = find_keyword(schema, json_array_get(alternatives, i), keyword);
    }
    return value;
}

static void assert_keyword(json_t *schema, json_t *property, const char *table, const char *key,
                           const char *keyword, double expected) {
    json_t *value = find_keyword(schema, property, keyword);
    if (!value || json_number_value(value) != expected) {
        fail_msg("%s.%s: %s is %g in the parser and %g in the schema", table, key, keyword,
                 expected, json_number_value(value));
    }
}

static void assert_choices(json_t *schema, json_t *property, const field *f) {
    json_t *words = find_keyword(schema, property, "enum");
    size_t index = 0;
    for (const choice *c = f->choices; c->word; c++) {
        if (c->value != CHOICE_LATER) {
            const char *word = json_string_value(json_array_get(words, index++));
            assert_non_null(word);
            assert_string_equal(word, c->word);
        }
    }
    assert_int_equal(json_array_size(words), index);
}

static bool has_range(const field *f) {
    return reads_number(f) || elements_of(f) || f->read == read_color || f->read == read_points ||
           f->read == read_controls || f->read == read_levels;
}

static void assert_field_in_schema(json_t *schema, json_t *object, const char *table,
                                   const field *f) {
    json_t *property = json_object_get(json_object_get(object, "properties"), f->key);
    if (!property) {
        fail_msg("%s.%s is not in the schema", table, f->key);
    }
    if (has_range(f)) {
        assert_keyword(schema, property, table, f->key, "minimum", f->low);
        assert_keyword(schema, property, table, f->key, "maximum", f->high);
    } else if (f->high > 1.0) {
        assert_keyword(schema, property, table, f->key, "maxItems", f->high);
    }
    bool lists_kinds = f->read == read_pins || f->read == read_bodies || f->read == read_curves;
    if (f->choices && !lists_kinds) {
        assert_choices(schema, property, f);
    }
    json_t *required = json_object_get(object, "required");
    bool in_schema = false;
    for (size_t i = 0; i < json_array_size(required); i++) {
        in_schema |= strcmp(json_string_value(json_array_get(required, i)), f->key) == 0;
    }
    assert_int_equal(in_schema, f->required);
}

/* The schema has the objects, keys, ranges, words and required keys of the parser, and no others.
 */
static void test_schema(void **state) {
    (void)state;
    json_t *schema = read_json(in_source("docs/scene.schema.json"));
    for (const field_table *const *t = scene_tables; *t; t++) {
        json_t *object = schema_object(schema, (*t)->name);
        assert_true(json_is_false(json_object_get(object, "additionalProperties")));
        size_t count = 0;
        for (const field *f = (*t)->fields; f->key; f++, count++) {
            assert_field_in_schema(schema, object, (*t)->name, f);
        }
        if (json_object_size(json_object_get(object, "properties")) != count) {
            fail_msg("the schema has keys for %s that the parser does not know", (*t)->name);
        }
    }
    json_decref(schema);
}

static void assert_default(json_t *schema, const char *table, const field *f, const void *target) {
    json_t *object = schema_object(schema, table);
    json_t *property = json_object_get(json_object_get(object, "properties"), f->key);
    json_t *value = json_object_get(property, "default");
    const void *at = (const char *)target + f->offset;
    if (!value) {
        return;
    }
    if (json_is_string(value) && f->choices && f->read != read_device) {
        for (const choice *c = f->choices; c->word; c++) {
            if (strcmp(c->word, json_string_value(value)) == 0) {
                double is = f->read == read_number   ? (double)*(const float *)at
                            : f->read == read_double ? *(const double *)at
                                                     : *(const int *)at;
                assert_float_equal(is, c->value, 0);
                return;
            }
        }
        fail_msg("%s.%s", table, f->key);
    } else if (f->read == read_number) {
        assert_float_equal(*(const float *)at, (float)json_number_value(value), 0);
    } else if (f->read == read_double) {
        assert_true(*(const double *)at == json_number_value(value));
    } else if (f->read == read_integer) {
        assert_int_equal(*(const int *)at, json_integer_value(value));
    } else if (f->read == read_boolean) {
        assert_int_equal(*(const bool *)at, json_is_true(value));
    } else if (f->read == read_vector || f->read == read_pair) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            float number = (float)json_number_value(json_array_get(value, i));
            assert_float_equal(((const float *)at)[i], number, 0);
        }
    } else if (f->read == read_color) {
        float color[3];
        node none = {.value = value};
        assert_int_equal(read_color(&none, f, color), TOILE_OK);
        for (int i = 0; i < 3; i++) {
            assert_float_equal(((const float *)at)[i], color[i], 0.001f);
        }
    }
}

/* The defaults that the schema shows are those the parser uses. */
static void test_schema_defaults(void **state) {
    (void)state;
    json_t *schema = read_json(in_source("docs/scene.schema.json"));
    scene *s =
        parse("{\"toile\": 1, \"cloths\": [{\"pins\": [{\"point\": [0, 0]}]}], \"bodies\": "
              "[{\"sphere\": {}, \"keyframes\": [{\"time\": 0}]}, {\"mannequin\": {\"animations\": "
              "[{\"name\": \"walk\"}]}}]}");
    scene *tied = parse("{\"toile\": 1, \"cloths\": [{}], \"ties\": [{\"runs\": [{\"cloth\": "
                        "\"a\", \"points\": [[0, 0]]}, {\"cloth\": \"b\", \"points\": [[0, "
                        "0]]}]}]}");
    scene *levels = parse("{\"toile\": 1, \"solver\": {\"kind\": \"multilevel\", \"levels\": "
                          "[{\"iterations\": 1}]}, \"cloths\": [{}]}");
    const toile_body_def *body = &s->bodies[0].def;
    const struct {
        const char *table;
        const void *target;
    } targets[] = {
        {"scene", s},
        {"solver", &s->world.solver},
        {"level", levels->world.solver.levels},
        {"collision", &s->world},
        {"wind", &s->world.wind},
        {"cloth", &s->cloths[0]},
        {"transform", &s->cloths[0].def.transform},
        {"pin", &s->cloths[0].pins[0]},
        {"tie", &tied->ties[0]},
        {"keyframe", body->keyframes},
        {"body", &s->bodies[0]},
        {"sphere", body},
        {"ellipsoid", body},
        {"capsule", body},
        {"box", body},
        {"plane", body},
        {"mesh", &s->bodies[0]},
        {"character", s->bodies[1].actor},
        {"mannequin", s->bodies[1].actor},
        {"sequence", s->bodies[1].actor},
        {"action", s->bodies[1].actor->actions},
        {"camera", &s->camera},
        {"render", &s->render},
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (const field *f = table_named(targets[i].table)->fields; f->key; f++) {
            if (f->read != read_collision) {
                assert_default(schema, targets[i].table, f, targets[i].target);
            }
        }
    }
    scene_free(tied);
    scene_free(levels);
    scene_free(s);
    json_decref(schema);
}

/* The keys that the schema leaves to a solver, with "kind" or without, are those of the parser. */
static void test_schema_of_kinds(void **state) {
    (void)state;
    json_t *schema = read_json(in_source("docs/scene.schema.json"));
    json_t *cases = json_object_get(schema_object(schema, "solver"), "allOf");
    const field *kind = table_named("solver")->fields;
    size_t index = 0;
    for (const choice *c = kind->choices; c->word; c++) {
        if (c->value == CHOICE_LATER) {
            continue;
        }
        json_t *one = json_array_get(cases, index++), *when = json_object_get(one, "if");
        json_t *is = json_object_get(json_object_get(when, "properties"), "kind");
        assert_string_equal(json_string_value(json_object_get(is, "const")), c->word);
        bool usual = c->value == (int)toile_default_world_def().solver.kind;
        assert_int_equal(json_object_get(when, "required") == NULL, usual);
        json_t *then = json_object_get(json_object_get(one, "then"), "properties");
        for (const field *f = kind; f->key; f++) {
            bool refused = f->kinds && !(f->kinds & KIND_BIT(c->value));
            if (refused != json_is_false(json_object_get(then, f->key))) {
                fail_msg("the schema and the parser differ about %s of %s", f->key, c->word);
            }
        }
    }
    assert_int_equal(json_array_size(cases), index);
    json_decref(schema);
}

static void test_documentation(void **state) {
    (void)state;
    char *text = read_text(in_source("docs/scene-format.md"));
    for (const field_table *const *t = scene_tables; *t; t++) {
        for (const field *f = (*t)->fields; f->key; f++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "| `%s` |", f->key);
            if (!strstr(text, quoted)) {
                fail_msg("docs/scene-format.md does not explain %s.%s", (*t)->name, f->key);
            }
        }
    }
    char *start = strstr(text, "```json\n"); /* the first scene is meant to be copied */
    char *end = start ? strstr(start + 8, "```") : NULL;
    assert_non_null(end);
    *end = '\0';
    scene_free(parse(start + 8));
    free(text);
}

/* Every key of the tables stands somewhere in test/good. */
static void find_keys(json_t *value, const field_table *table, json_t *found) {
    size_t index;
    json_t *element;
    json_array_foreach(value, index, element) {
        find_keys(element, table, found);
    }
    for (const field *f = table->fields; f->key && json_is_object(value); f++) {
        json_t *member = json_object_get(value, f->key);
        char path[64];
        snprintf(path, sizeof path, "%s.%s", table->name, f->key);
        if (member) {
            json_object_set_new(found, path, json_true());
        }
        const char *name;
        json_t *own;
        if (f->read == read_fabrics) {
            json_object_foreach(member, name, own) {
                find_keys(own, f->table, found);
            }
        } else if (f->table) {
            find_keys(member, f->table, found);
        }
    }
}

static json_t *seen;

static void find_keys_of(const char *path, const char *name) {
    (void)name;
    json_t *json = read_json(path);
    find_keys(json, scene_tables[0], seen);
    json_decref(json);
}

static void test_every_key_is_tested(void **state) {
    (void)state;
    seen = json_object();
    for_each_scene("test/good", find_keys_of);
    for (const field_table *const *t = scene_tables; *t; t++) {
        for (const field *f = (*t)->fields; f->key; f++) {
            char path[64];
            snprintf(path, sizeof path, "%s.%s", (*t)->name, f->key);
            if (!json_object_get(seen, path)) {
                fail_msg("test/good has no %s", path);
            }
        }
    }
    json_decref(seen);
}

/* ---- the scenes ---------------------------------------------------------------------------------
 */

static void assert_builds(const char *path, const char *name) {
    (void)name;
    scene *s;
    toile_world *world = NULL;
    scene_ids ids;
    if (scene_load(path, &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    if (scene_build(s, NULL, NULL, &world, &ids) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    assert_int_equal(toile_world_get_cloths(world, NULL, 0), s->cloth_count);
    assert_int_equal(toile_world_get_bodies(world, NULL, 0), s->body_count);
    scene_ids_free(&ids);
    toile_world_destroy(world);
    scene_free(s);
}

static void test_scenes_build(void **state) {
    (void)state;
    assert_true(for_each_scene("scenes", assert_builds) >= 4);
    assert_int_equal(for_each_scene("scenes/rabenius", assert_builds), 7);
    assert_int_equal(for_each_scene("scenes/schmitt", assert_builds), 2);
    assert_int_equal(for_each_scene("scenes/implicit", assert_builds), 2);
    assert_int_equal(for_each_scene("scenes/wang", assert_builds), 11);
    assert_int_equal(for_each_scene("test/good", assert_builds), 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_schema_defaults),
        cmocka_unit_test(test_schema_of_kinds),
        cmocka_unit_test(test_documentation),
        cmocka_unit_test(test_every_key_is_tested),
        cmocka_unit_test(test_scenes_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
