/* The options of a command, as a table. */
#ifndef TOILE_APP_OPTIONS_H
#define TOILE_APP_OPTIONS_H

#include <stdbool.h>

#include "toile/toile.h"

/* Exactly one of text, number and flag is there and is filled in when the option is given. */
typedef struct option_spec {
    const char *name; /* without dashes: "frames" is written --frames, "o" is -o; NULL: the end */
    const char **text;
    int *number;
    int low, high; /* range of the number */
    bool *flag;
} option_spec;

/* Reads `--name value`, `--name=value`, `-o value` and one operand, in any order. argv[0] is the
 * command. operand_name says what it is in messages; NULL: the command has none. */
toile_result options_parse(int argc, char *argv[], const option_spec *specs,
                           const char *operand_name, const char **operand);

#endif
