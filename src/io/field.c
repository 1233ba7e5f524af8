#include "io/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- objects ------------------------------------------------------------------------------------
 */

static const field *find_field(const field_table *table, const char *key) {
    for (const field *f = table->fields; f->key; f++) {
        if (strcmp(f->key, key) == 0) {
            return f;
        }
    }
    return NULL;
}

static toile_result unknown_key(const node *at, const field_table *table) {
    const char *nearest = NULL;
    char known[256] = "";
    for (const field *f = table->fields; f->key; f++) {
        nearest = nearer_word(at->key, nearest, f->key);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", f->key);
    }
    if (nearest) {
        return node_error(at, "unknown key, did you mean \"%s\"?", nearest);
    }
    return node_error(at, "unknown key, expected one of: %s", known);
}

toile_result read_fields(const node *at, const field_table *table, void *target) {
    if (!json_is_object(at->value)) {
        return node_error(at, "expected an object, found %s", describe_value(at->value).text);
    }
    const char *key;
    json_t *value;
    json_object_foreach(at->value, key, value) {
        if (!find_field(table, key)) {
            node unknown = node_member(at, key);
            return unknown_key(&unknown, table);
        }
    }
    for (const field *f = table->fields; f->key; f++) {
        node member = node_member(at, f->key);
        if (!member.value) {
            if (f->required) {
                return node_error(&member, "expected, but it is missing");
            }
            continue;
        }
        toile_result result = f->read(&member, f, (char *)target + f->offset);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

toile_result read_object(const node *at, const field *f, void *out) {
    return read_fields(at, f->table, out);
}

/* ---- words --------------------------------------------------------------------------------------
 */

/* "a", "b" or "c": what is possible in this version. */
static void list_choices(const choice *choices, char *out, size_t size) {
    const choice *last = NULL;
    for (const choice *c = choices; c->word; c++) {
        last = c->value != CHOICE_LATER ? c : last;
    }
    size_t used = 0;
    out[0] = '\0';
    for (const choice *c = choices; c->word && used < size; c++) {
        if (c->value != CHOICE_LATER) {
            const char *between = used == 0 ? "" : c == last ? " or " : ", ";
            int more = snprintf(out + used, size - used, "%s\"%s\"", between, c->word);
            used += more > 0 ? (size_t)more : 0;
        }
    }
}

static const choice *find_choice(const choice *choices, const char *word) {
    for (const choice *c = choices; c->word; c++) {
        if (strcmp(c->word, word) == 0) {
            return c;
        }
    }
    return NULL;
}

_Static_assert(sizeof(toile_integrator) == sizeof(int), "enums are stored as int");

toile_result read_word(const node *at, const field *f, void *out) {
    char possible[256];
    list_choices(f->choices, possible, sizeof possible);
    const char *word = json_string_value(at->value);
    const choice *c = word ? find_choice(f->choices, word) : NULL;
    if (!c) {
        return node_error(at, "expected %s, found %s", possible, describe_value(at->value).text);
    }
    if (c->value == CHOICE_LATER) {
        return node_error(at, "\"%s\" is not in this version of Toile, which has %s", word,
                          possible);
    }
    memcpy(out, &c->value, sizeof c->value);
    return TOILE_OK;
}

toile_result check_string(const node *at, const char *expected, const char **out) {
    *out = json_string_value(at->value);
    if (!*out) {
        return node_error(at, "expected %s, found %s", expected, describe_value(at->value).text);
    }
    return TOILE_OK;
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

static toile_result number_error(const node *at, const field *f, const char *kind) {
    char words[256] = "";
    if (f->choices) {
        list_choices(f->choices, words, sizeof words);
    }
    return node_error(at, "expected %s%s%s from %s to %s%s%s, found %s", words,
                      f->choices ? " or " : "", kind, describe_number(f->low).text,
                      describe_number(f->high).text, f->unit ? " " : "", f->unit ? f->unit : "",
                      describe_value(at->value).text);
}

static toile_result number_or_word(const node *at, const field *f, const char *kind, double *out) {
    const char *word = json_string_value(at->value);
    const choice *c = word && f->choices ? find_choice(f->choices, word) : NULL;
    if (c) {
        *out = c->value;
        return TOILE_OK;
    }
    *out = json_number_value(at->value);
    bool in_range = *out >= f->low && *out <= f->high;
    return json_is_number(at->value) && in_range ? TOILE_OK : number_error(at, f, kind);
}

toile_result check_number(const node *at, const field *f, double *out) {
    return number_or_word(at, f, "a number", out);
}

toile_result check_whole_number(const node *at, const field *f, double *out) {
    toile_result result = number_or_word(at, f, "a whole number", out);
    if (result == TOILE_OK && *out != floor(*out)) {
        return number_error(at, f, "a whole number");
    }
    return result;
}

toile_result read_number(const node *at, const field *f, void *out) {
    double number;
    toile_result result = check_number(at, f, &number);
    if (result == TOILE_OK) {
        *(float *)out = (float)number;
    }
    return result;
}

toile_result read_double(const node *at, const field *f, void *out) {
    return check_number(at, f, out);
}

toile_result read_integer(const node *at, const field *f, void *out) {
    double number;
    toile_result result = check_whole_number(at, f, &number);
    if (result == TOILE_OK) {
        *(int *)out = (int)number;
    }
    return result;
}

toile_result read_boolean(const node *at, const field *f, void *out) {
    (void)f;
    if (!json_is_boolean(at->value)) {
        return node_error(at, "expected true or false, found %s", describe_value(at->value).text);
    }
    *(bool *)out = json_is_true(at->value);
    return TOILE_OK;
}

/* ---- arrays -------------------------------------------------------------------------------------
 */

/* An array of exactly count elements of size bytes. */
static toile_result read_tuple(const node *at, const field *f, size_t count, field_reader *read,
                               void *out, size_t size) {
    if (!json_is_array(at->value) || json_array_size(at->value) != count) {
        return node_error(at, "expected an array of %zu numbers, found %s", count,
                          describe_value(at->value).text);
    }
    for (size_t i = 0; i < count; i++) {
        node element = node_element(at, i);
        toile_result result = read(&element, f, (char *)out + i * size);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

toile_result read_integer_pair(const node *at, const field *f, void *out) {
    return read_tuple(at, f, 2, read_integer, out, sizeof(int));
}

toile_result read_pair(const node *at, const field *f, void *out) {
    return read_tuple(at, f, 2, read_number, out, sizeof(float));
}

toile_result read_vector(const node *at, const field *f, void *out) {
    return read_tuple(at, f, 3, read_number, out, sizeof(float));
}

toile_result check_list(const node *at, const field *f, size_t *count) {
    *count = json_array_size(at->value);
    if (!json_is_array(at->value) || (double)*count > f->high) {
        return node_error(at, "expected an array of at most %.0f, found %s", f->high,
                          describe_value(at->value).text);
    }
    return TOILE_OK;
}

/* ---- colours ------------------------------------------------------------------------------------
 */

/* The transfer function of sRGB, IEC 61966-2-1. */
static float linear_from_srgb(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static bool parse_hex_color(const char *text, float out[3]) {
    unsigned rgb[3];
    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6 ||
        sscanf(text, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]) != 3) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = (float)rgb[i] / 255.0f;
    }
    return true;
}

toile_result read_color(const node *at, const field *f, void *out) {
    float srgb[3] = {0};
    const char *text = json_string_value(at->value);
    if (json_is_array(at->value)) {
        toile_result result = read_vector(at, f, srgb);
        if (result != TOILE_OK) {
            return result;
        }
    } else if (!text || !parse_hex_color(text, srgb)) {
        return node_error(at, "expected \"#rrggbb\" or [red, green, blue] from 0 to 1, found %s",
                          describe_value(at->value).text);
    }
    float *linear = out;
    for (int i = 0; i < 3; i++) {
        linear[i] = linear_from_srgb(srgb[i]);
    }
    return TOILE_OK;
}
