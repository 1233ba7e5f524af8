#include "io/json.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { PATH_SIZE = 256, LONGEST_WORD = 40 };

/* ---- documents ----------------------------------------------------------------------------------
 */

/* jansson's own words are for programmers: these are for the one who wrote the file. */
static const char *syntax_sentence(enum json_error_code code) {
    switch (code) {
    case json_error_stack_overflow:
        return "nested too deep: expected at most 2048 levels of brackets";
    case json_error_invalid_utf8:
        return "expected UTF-8 text, found a byte that is not part of any character";
    case json_error_premature_end_of_input:
        return "the text ends too early: a bracket or quote is still open";
    case json_error_end_of_input_expected:
        return "expected nothing more behind the last bracket";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "expected no zero character (\\u0000) in a string";
    case json_error_duplicate_key:
        return "expected each key once, found it again";
    case json_error_numeric_overflow:
        return "expected a number that a double can hold, found a larger one";
    default:
        return NULL;
    }
}

static toile_result syntax_error(const document *d, const json_error_t *error) {
    enum json_error_code code = json_error_code(error);
    if (code == json_error_out_of_memory || error->text[0] == '\0') { /* not all are told apart */
        return error_set(TOILE_ERROR_MEMORY, "%s: not enough memory to read it", d->name);
    }
    int line = error->line > 0 ? error->line : 1;
    const char *sentence = syntax_sentence(code);
    if (!sentence) {
        return error_set(TOILE_ERROR_INVALID, "%s:%d: expected valid JSON: %s", d->name, line,
                         make_printable(error->text).text);
    }
    const char *near = strstr(error->text, " near ");
    return error_set(TOILE_ERROR_INVALID, "%s:%d: %s%s", d->name, line, sentence,
                     near ? make_printable(near).text : "");
}

/* What a text that cannot be JSON seems to be instead: jansson would only say where it stopped. */
static toile_result check_text(const char *text, size_t length, const char *name) {
    size_t blanks = 0;
    while (blanks < length && strchr(" \t\r\n", text[blanks]) && text[blanks]) {
        blanks++;
    }
    if (blanks == length) {
        return error_set(TOILE_ERROR_INVALID, "%s: expected JSON, found %s", name,
                         length == 0 ? "an empty file" : "nothing but blanks");
    }
    /* With or without its byte order mark: one of the two bytes of an ASCII character is zero. */
    if (length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0 ||
                        !text[0] != !text[1])) {
        return error_set(TOILE_ERROR_INVALID, "%s: expected UTF-8 text, found UTF-16", name);
    }
    const char *zero = memchr(text, '\0', length);
    if (zero) {
        int line = 1;
        for (const char *c = text; c < zero; c++) {
            line += *c == '\n';
        }
        return error_set(TOILE_ERROR_INVALID, "%s:%d: expected text, found a zero byte", name,
                         line);
    }
    return TOILE_OK;
}

static char *copy_bytes(const char *bytes, size_t length) {
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, bytes, length);
        copy[length] = '\0';
    }
    return copy;
}

toile_result document_open(const char *text, size_t length, const char *name, document **out) {
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3; /* some editors put a byte order mark in front; RFC 8259 lets us skip it */
        length -= 3;
    }
    toile_result result = check_text(text, length, name);
    if (result != TOILE_OK) {
        return result;
    }
    document *d = calloc(1, sizeof *d);
    if (d) {
        d->name = copy_bytes(name, strlen(name));
        d->text = copy_bytes(text, length);
    }
    if (!d || !d->name || !d->text) {
        document_close(d);
        return error_set(TOILE_ERROR_MEMORY, "%s: not enough memory for its %zu bytes", name,
                         length);
    }
    json_error_t error;
    /* As reals, whole numbers that are too large are told like all others out of range. */
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL;
    d->root = json_loadb(d->text, length, flags, &error);
    if (!d->root) {
        result = syntax_error(d, &error);
        document_close(d);
        return result;
    }
    *out = d;
    return TOILE_OK;
}

void document_drop_values(document *d) {
    json_decref(d->root);
    d->root = NULL;
}

void document_close(document *d) {
    if (!d) {
        return;
    }
    document_drop_values(d);
    memory_pool_free(&d->memory);
    free(d->text);
    free(d->name);
    free(d);
}

void *document_alloc(document *d, size_t count, size_t size) {
    return memory_pool_alloc(&d->memory, count, size, d->name);
}

char *document_copy_string(document *d, const char *string) {
    size_t size = strlen(string) + 1;
    char *copy = document_alloc(d, size, 1);
    if (copy) {
        memcpy(copy, string, size);
    }
    return copy;
}

/* ---- nodes --------------------------------------------------------------------------------------
 */

node node_root(document *d) {
    return (node){.document = d, .value = d->root};
}

node node_member(const node *parent, const char *key) {
    return (node){.document = parent->document,
                  .parent = parent,
                  .key = key,
                  .value = json_object_get(parent->value, key)};
}

node node_element(const node *parent, size_t index) {
    return (node){.document = parent->document,
                  .parent = parent,
                  .index = index,
                  .value = json_array_get(parent->value, index)};
}

/* ---- the locator --------------------------------------------------------------------------------
 * jansson does not say where a value stood. Errors are rare, so the line is found by going through
 * the text again. The text is valid JSON and ends in a zero, which none of the loops passes. */

static const char *skip_space(const char *c) {
    return c + strspn(c, " \t\r\n");
}

/* From the opening quote to behind the closing one. */
static const char *skip_string(const char *c) {
    for (c++; *c && *c != '"'; c++) {
        if (*c == '\\' && c[1]) {
            c++;
        }
    }
    return *c ? c + 1 : c;
}

static const char *skip_value(const char *c) {
    int depth = 0;
    do {
        if (*c == '"') {
            c = skip_string(c);
            continue;
        }
        if (*c == '{' || *c == '[') {
            depth++;
        } else if (*c == '}' || *c == ']') {
            depth--;
        } else if (depth == 0) {
            return c + strcspn(c, ",]} \t\r\n"); /* a number, true, false or null */
        }
        c++;
    } while (*c && depth > 0);
    return c;
}

/* Compares a quoted key of the text, escapes and all. */
static bool is_key(const char *quoted, const char *end, const char *key) {
    json_t *string = json_loadb(quoted, (size_t)(end - quoted), JSON_DECODE_ANY, NULL);
    bool same = json_is_string(string) && strcmp(json_string_value(string), key) == 0;
    json_decref(string);
    return same;
}

/* Where the value of a member or element starts, inside the value of its parent; NULL when there is
 * no such one. A member's key goes to *label. */
static const char *find_child(const char *parent, const node *child, const char **label) {
    if (*parent != (child->key ? '{' : '[')) {
        return NULL;
    }
    const char *c = skip_space(parent + 1);
    for (size_t i = 0; *c && *c != '}' && *c != ']'; i++) {
        const char *start = c;
        bool found = i == child->index;
        if (child->key) {
            c = skip_string(c);
            found = is_key(start, c, child->key);
            c = skip_space(skip_space(c) + 1); /* the colon */
        }
        if (found) {
            *label = start;
            return c;
        }
        c = skip_space(skip_value(c));
        if (*c == ',') {
            c = skip_space(c + 1);
        }
    }
    return NULL;
}

/* Where the value of a node starts, or NULL. *label is where its key starts, or else the value, or,
 * when it is not there, the label of what should hold it. */
static const char *find_node(const node *at, const char **label) {
    if (!at->parent) {
        *label = skip_space(at->document->text);
        return *label;
    }
    const char *parent = find_node(at->parent, label);
    return parent ? find_child(parent, at, label) : NULL;
}

static int line_of(const node *at) {
    const char *label = at->document->text;
    find_node(at, &label);
    int line = 1;
    for (const char *c = at->document->text; c < label; c++) {
        line += *c == '\n';
    }
    return line;
}

/* Writes the path, "cloths[0].fabric.density", and returns its length. */
static size_t write_path(const node *at, char *out, size_t size) {
    if (!at->parent) {
        out[0] = '\0';
        return 0;
    }
    size_t used = write_path(at->parent, out, size);
    int more;
    if (at->key) {
        more = snprintf(out + used, size - used, "%s%s", used ? "." : "",
                        make_printable(at->key).text);
    } else {
        more = snprintf(out + used, size - used, "[%zu]", at->index);
    }
    used += more > 0 ? (size_t)more : 0;
    return used < size ? used : size - 1;
}

/* ---- messages -----------------------------------------------------------------------------------
 */

void node_error_prefix(const node *at) {
    char path[PATH_SIZE];
    size_t length = write_path(at, path, sizeof path);
    error_prefix("%s:%d: %s%s", at->document->name, line_of(at), path, length ? ": " : "");
}

toile_result node_error(const node *at, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(TOILE_ERROR_INVALID, "%s", text);
    node_error_prefix(at);
    return TOILE_ERROR_INVALID;
}

/* Bytes of the character at c that may be shown; 0 for control characters, which in UTF-8 include
 * the two-byte ones from U+0080 to U+009F. */
static size_t shown_bytes(const char *c) {
    unsigned char first = (unsigned char)c[0];
    if (first < 0x20 || first == 0x7F || (first == 0xC2 && (unsigned char)c[1] < 0xA0)) {
        return 0;
    }
    size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return strnlen(c, bytes);
}

bool has_control_characters(const char *string) {
    while (*string && shown_bytes(string)) {
        string += shown_bytes(string);
    }
    return *string;
}

printable make_printable(const char *string) {
    printable p;
    size_t used = 0;
    while (*string) {
        size_t bytes = shown_bytes(string);
        if (used + (bytes ? bytes : 1) > sizeof p.text - 4) {
            memcpy(p.text + used, "...", 3);
            used += 3;
            break;
        }
        if (bytes == 0) {
            p.text[used++] = '?';
            string += (unsigned char)*string == 0xC2 ? 2 : 1;
            continue;
        }
        memcpy(p.text + used, string, bytes);
        used += bytes;
        string += bytes;
    }
    p.text[used] = '\0';
    return p;
}

printable describe_number(double value) {
    enum { FEWEST_DIGITS = 9, MOST_DIGITS = 17 }; /* fewer would make 1e+06 of a million */
    printable p;
    int digits = FEWEST_DIGITS;
    do {
        snprintf(p.text, sizeof p.text, "%.*g", digits, value);
    } while (digits++ < MOST_DIGITS && strtod(p.text, NULL) != value);
    return p;
}

printable describe_value(const json_t *value) {
    printable p;
    if (!value) {
        snprintf(p.text, sizeof p.text, "nothing");
        return p;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        snprintf(p.text, sizeof p.text, "an object");
        break;
    case JSON_ARRAY:
        snprintf(p.text, sizeof p.text, "an array of %zu", json_array_size(value));
        break;
    case JSON_STRING:
        snprintf(p.text, sizeof p.text, "\"%.56s\"", make_printable(json_string_value(value)).text);
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        return describe_number(json_number_value(value));
    case JSON_TRUE:
        snprintf(p.text, sizeof p.text, "true");
        break;
    case JSON_FALSE:
        snprintf(p.text, sizeof p.text, "false");
        break;
    case JSON_NULL:
        snprintf(p.text, sizeof p.text, "null");
        break;
    }
    return p;
}

/* Levenshtein's distance by dynamic programming over one row. Both words are short. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[LONGEST_WORD + 1];
    size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t replace = diagonal + (a[i] != b[j]);
            size_t skip = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = replace < skip ? replace : skip;
        }
    }
    return row[length];
}

const char *nearer_word(const char *word, const char *best, const char *candidate) {
    if (strlen(word) > LONGEST_WORD || strlen(candidate) > LONGEST_WORD) {
        return best;
    }
    size_t distance = edit_distance(word, candidate);
    size_t limit = best ? edit_distance(word, best) : (strlen(word) + strlen(candidate)) / 3 + 1;
    return distance < limit ? candidate : best;
}
