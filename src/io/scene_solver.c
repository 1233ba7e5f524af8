/* The solver of a scene: its levels, and which keys go with which kind. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene_parse.h"

enum { MOST_HALVINGS = 5 }; /* of the refine solver */

static toile_result read_level(const node *at, const field *list, void *element) {
    return read_fields(at, list->table, element);
}

/* How many levels, or what each of them does. */
toile_result read_levels(const node *at, const field *f, void *out) {
    toile_solver_def *solver = out;
    double number = json_is_array(at->value) ? (double)json_array_size(at->value)
                                             : json_number_value(at->value); /* 0 for others */
    if (!(number >= f->low && number <= f->high && number == floor(number))) {
        return node_error(at,
                          "expected a number of levels, %.0f to %.0f, or an array of as many, "
                          "found %s",
                          f->low, f->high, describe_value(at->value).text);
    }
    if (solver->kind == TOILE_SOLVER_REFINE) { /* the kind was read before */
        if (!json_is_number(at->value) || number > MOST_HALVINGS) {
            return node_error(at,
                              "expected a number of levels, 1 to %d, for the solver \"refine\", "
                              "found %s",
                              MOST_HALVINGS, describe_value(at->value).text);
        }
        solver->refine.levels = (int)number;
        return TOILE_OK;
    }
    solver->level_count = (int)number;
    void *levels = NULL;
    toile_result result = TOILE_OK;
    if (json_is_array(at->value)) {
        result =
            read_list(at, f, read_level, sizeof(toile_level_def), &levels, &solver->level_count);
    }
    solver->levels = levels;
    return result;
}

/* "a" or "b": the kinds that have a key. */
static void name_kinds(const choice *kinds, unsigned bits, char *out, size_t size) {
    out[0] = '\0';
    for (const choice *c = kinds; c->word; c++) {
        if (c->value != CHOICE_LATER && (bits & KIND_BIT(c->value))) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "%s\"%s\"", used ? " or " : "", c->word);
        }
    }
}

/* A key of another solver would do nothing, and whoever wrote it believes that it does. */
toile_result read_solver(const node *at, const field *f, void *out) {
    toile_solver_def *solver = out;
    toile_result result = read_fields(at, f->table, solver);
    if (result != TOILE_OK) {
        return result;
    }
    const field *kind = f->table->fields; /* the first of them */
    const bool given = json_object_get(at->value, kind->key);
    for (const field *k = kind; k->key; k++) {
        node member = node_member(at, k->key);
        if (member.value && k->kinds && !(k->kinds & KIND_BIT(solver->kind))) {
            char owners[128], here[64];
            name_kinds(kind->choices, k->kinds, owners, sizeof owners);
            name_kinds(kind->choices, KIND_BIT(solver->kind), here, sizeof here);
            return node_error(&member,
                              "this is a key of the solver %s, and the solver here is %s%s: "
                              "expected \"kind\": %s beside it, or the key left out",
                              owners, here, given ? "" : ", the default", owners);
        }
    }
    solver->self_collision &= solver->kind != TOILE_SOLVER_MASS_SPRING &&
                              solver->kind != TOILE_SOLVER_REFINE; /* which have none */
    return TOILE_OK;
}
