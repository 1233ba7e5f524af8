/* Objects of a JSON file described by tables, one line a key, that read like the format's
 * documentation. The tests hold the same tables against docs/scene.schema.json. */
#ifndef TOILE_IO_FIELD_H
#define TOILE_IO_FIELD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "io/json.h"

typedef struct field field;
typedef struct field_table field_table;

/* Checks the value at a node and stores it at out: the target plus the field's offset. */
typedef toile_result field_reader(const node *at, const field *f, void *out);

/* A word that stands for a value. A list of them ends in a NULL word. */
typedef struct choice {
    const char *word;
    int value;
} choice;
enum { CHOICE_LATER = INT_MIN }; /* known, but not possible in this version */

struct field {
    const char *key;
    field_reader *read;
    size_t offset;            /* in the struct that the table fills in */
    double low, high;         /* range of numbers; high is the longest length of a list */
    const char *unit;         /* of numbers; NULL: none */
    const choice *choices;    /* words allowed; beside a number, such as "auto" */
    const field_table *table; /* of an object, or of the objects in a list */
    bool required;
    unsigned kinds; /* bits, KIND_BIT(the object's kind), of those that have the key; 0: all */
};
#define KIND_BIT(kind) (1u << (kind))

struct field_table {
    const char *name;    /* of the object in the schema */
    const field *fields; /* ends in a NULL key */
};

/* Reads an object into target. Keys that are not there leave it as it is. Fields are read in the
 * order of the table; an unknown key is an error that names the nearest known one. */
toile_result read_fields(const node *at, const field_table *table, void *target);

/* Readers, by what they store. */
toile_result read_object(const node *at, const field *f, void *out); /* the struct of f->table */
toile_result read_number(const node *at, const field *f, void *out); /* float */
toile_result read_double(const node *at, const field *f, void *out);
toile_result read_integer(const node *at, const field *f, void *out); /* int */
toile_result read_boolean(const node *at, const field *f, void *out); /* bool */
toile_result read_word(const node *at, const field *f, void *out);    /* an enum of f->choices */
toile_result read_integer_pair(const node *at, const field *f, void *out); /* int[2] */
toile_result read_pair(const node *at, const field *f, void *out);         /* float[2] */
toile_result read_vector(const node *at, const field *f, void *out);       /* float[3] */
toile_result read_color(const node *at, const field *f, void *out); /* float[3], linear RGB */

/* Parts of the above, for readers of their own. */
toile_result check_number(const node *at, const field *f, double *out);
toile_result check_whole_number(const node *at, const field *f, double *out);
toile_result check_string(const node *at, const char *expected, const char **out);
/* An array of at most f->high elements. */
toile_result check_list(const node *at, const field *f, size_t *count);

#endif
