#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/json.h"

typedef struct parser {
    const char *command;
    const option_spec *specs;
    struct option *longs; /* for getopt_long; val is 1 + the index of the option */
    char *shorts;         /* ":o:" */
} parser;

static const char *dashes(const option_spec *spec) {
    return spec->name[1] ? "--" : "-";
}

static bool describe_to_getopt(parser *p) {
    size_t count = 0;
    while (p->specs[count].name) {
        count++;
    }
    p->longs = memory_alloc(count + 1, sizeof *p->longs, "options");
    p->shorts = memory_alloc(2 * count + 2, 1, "options");
    if (!p->longs || !p->shorts) {
        return false;
    }
    char *letter = p->shorts;
    *letter++ = ':'; /* a missing value is told apart from an unknown option */
    struct option *next = p->longs;
    for (size_t i = 0; i < count; i++) {
        const option_spec *spec = &p->specs[i];
        if (spec->name[1]) {
            *next++ = (struct option){.name = spec->name,
                                      .has_arg = spec->flag ? no_argument : required_argument,
                                      .val = (int)i + 1};
        } else {
            *letter++ = spec->name[0];
            if (!spec->flag) {
                *letter++ = ':';
            }
        }
    }
    return true;
}

/* getopt_long answers with the letter or with val. */
static const option_spec *find_spec(const parser *p, int answer) {
    for (const option_spec *spec = p->specs; spec->name; spec++) {
        if (spec->name[1] ? answer == spec - p->specs + 1 : answer == spec->name[0]) {
            return spec;
        }
    }
    return NULL;
}

static toile_result unknown_option(const parser *p, const char *given) {
    const char *name = given + strspn(given, "-");
    printable word = make_printable(name);
    word.text[strcspn(word.text, "=")] = '\0';
    const option_spec *best = NULL;
    for (const option_spec *spec = p->specs; spec->name; spec++) {
        const char *nearest = nearer_word(word.text, best ? best->name : NULL, spec->name);
        best = nearest == spec->name ? spec : best;
        if (spec->flag && strcmp(word.text, spec->name) == 0) {
            return error_set(TOILE_ERROR_INVALID, "%s: --%s takes no value, found '%s'", p->command,
                             spec->name, make_printable(given).text);
        }
    }
    if (best) {
        return error_set(TOILE_ERROR_INVALID, "%s: unknown option '%s', did you mean '%s%s'?",
                         p->command, make_printable(given).text, dashes(best), best->name);
    }
    return error_set(TOILE_ERROR_INVALID, "%s: unknown option '%s'; 'toile help %s' lists them",
                     p->command, make_printable(given).text, p->command);
}

static toile_result read_whole_number(const parser *p, const option_spec *spec, const char *text) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < spec->low || value > spec->high) {
        return error_set(
            TOILE_ERROR_INVALID, "%s: %s%s: expected a whole number from %d to %d, found '%s'",
            p->command, dashes(spec), spec->name, spec->low, spec->high, make_printable(text).text);
    }
    *spec->number = (int)value;
    return TOILE_OK;
}

/* given: "--frames" or "--frames=3" */
static bool is_name(const char *given, const char *name) {
    size_t length = strlen(name);
    return strncmp(given + 2, name, length) == 0 &&
           (given[2 + length] == '\0' || given[2 + length] == '=');
}

static toile_result read_option(const parser *p, int answer, char *argv[]) {
    if (answer == '?') {
        return unknown_option(p, argv[optind - 1]);
    }
    const option_spec *spec = find_spec(p, answer == ':' ? optopt : answer);
    if (answer == ':') {
        return error_set(TOILE_ERROR_INVALID, "%s: %s%s: expected a value after it", p->command,
                         dashes(spec), spec->name);
    }
    /* getopt_long takes the beginning of a name for the name, which the next version's option may
     * begin with, too. */
    const char *given = optarg && optarg == argv[optind - 1] ? argv[optind - 2] : argv[optind - 1];
    if (spec->name[1] && !is_name(given, spec->name)) {
        return unknown_option(p, given);
    }
    const char *value = optarg ? optarg : "";
    if (spec->flag) {
        *spec->flag = true;
    } else if (spec->text && !*value) {
        return error_set(TOILE_ERROR_INVALID, "%s: %s%s: expected a value, found ''", p->command,
                         dashes(spec), spec->name);
    } else if (spec->text) {
        *spec->text = value;
    } else {
        return read_whole_number(p, spec, value);
    }
    return TOILE_OK;
}

static toile_result read_operand(const parser *p, int count, char *operands[], const char *name,
                                 const char **operand) {
    if (name && count == 1) {
        *operand = operands[0];
        return TOILE_OK;
    }
    if (name && count == 0) {
        return error_set(TOILE_ERROR_INVALID, "%s: expected %s; see 'toile help %s'", p->command,
                         name, p->command);
    }
    if (count > 0) {
        return error_set(TOILE_ERROR_INVALID, "%s: expected %s, found '%s'", p->command,
                         name ? "nothing more" : "no argument",
                         make_printable(operands[name ? 1 : 0]).text);
    }
    return TOILE_OK;
}

toile_result options_parse(int argc, char *argv[], const option_spec *specs,
                           const char *operand_name, const char **operand) {
    parser p = {.command = argv[0], .specs = specs};
    toile_result result = describe_to_getopt(&p) ? TOILE_OK : TOILE_ERROR_MEMORY;
    opterr = 0;
    optind = 0; /* glibc starts anew */
    for (int answer;
         result == TOILE_OK && (answer = getopt_long(argc, argv, p.shorts, p.longs, NULL)) != -1;) {
        result = read_option(&p, answer, argv);
    }
    if (result == TOILE_OK) {
        result = read_operand(&p, argc - optind, argv + optind, operand_name, operand);
    }
    free(p.longs);
    free(p.shorts);
    return result;
}
