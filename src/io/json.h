/* JSON with a sense of place: every value knows where it stands, so that an error can name file,
 * line and field. */
#ifndef TOILE_IO_JSON_H
#define TOILE_IO_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "toile/toile.h"

/* A parsed text. It owns all memory handed out by document_alloc. */
typedef struct document {
    char *name;   /* stands for the file in messages */
    char *text;   /* zero-terminated copy, kept so that errors found later can name lines */
    json_t *root; /* NULL after document_drop_values */
    void *shared; /* the caller's: what the readers of one document share */
    memory_pool memory;
} document;

/* Parses a copy of the text. Refuses what is not JSON in UTF-8, repeated keys, numbers that no
 * double holds, and nesting deeper than 2048. */
toile_result document_open(const char *text, size_t length, const char *name, document **out);
void document_close(document *d); /* NULL is fine */

/* Frees the parsed values; text and memory stay. */
void document_drop_values(document *d);

/* Zeroed memory that lives as long as the document, or NULL with the error set. */
void *document_alloc(document *d, size_t count, size_t size);
char *document_copy_string(document *d, const char *string);

/* A value and the way to it. Nodes live on the stack and point up to their parents. */
typedef struct node {
    document *document;
    const struct node *parent; /* NULL: the whole text */
    const char *key;           /* of a member of an object; NULL for an element of an array */
    size_t index;              /* of an element */
    json_t *value;             /* borrowed; NULL when there is none */
} node;

node node_root(document *d);
node node_member(const node *parent, const char *key);
node node_element(const node *parent, size_t index);

/* Sets "name:line: field: sentence" as the error and returns TOILE_ERROR_INVALID. What is not in
 * the text, such as a missing key, has the line of what should hold it. */
toile_result node_error(const node *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "name:line: field: " in front of the error that is there. */
void node_error_prefix(const node *at);

/* A stranger's string made fit for a message: control characters replaced, cut when long. */
enum { PRINTABLE_SIZE = 64 };
typedef struct printable {
    char text[PRINTABLE_SIZE];
} printable;
printable make_printable(const char *string);

/* Whether any character is one that make_printable replaces. */
bool has_control_characters(const char *string);

/* What a value is, in words: "a string", "an array of 2". */
printable describe_value(const json_t *value);

/* A number with as many digits as it takes to tell it from any other double. */
printable describe_number(double value);

/* The word closest to the one given, or NULL when none is close enough to be meant. Call with best
 * NULL first and pass the result on: best = nearer_word(word, best, candidate). */
const char *nearer_word(const char *word, const char *best, const char *candidate);

#endif
