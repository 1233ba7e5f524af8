/* The commands of `toile`, and how they end. */
#ifndef TOILE_APP_COMMAND_H
#define TOILE_APP_COMMAND_H

#include "io/report.h"
#include "toile/toile.h"

/* What the process ends with: docs/toile.1 promises these. */
enum exit_status {
    STATUS_GOOD = 0,
    STATUS_BAD = 1,         /* the verdict is bad */
    STATUS_MISTAKE = 2,     /* of the user: options, files, what is in them */
    STATUS_NUMERICAL = 3,   /* the simulation is no longer finite */
    STATUS_MISSING = 4,     /* something in the environment: a device, a driver, memory */
    STATUS_INTERRUPTED = 5, /* by a signal, before the verdict was final */
};

typedef struct command {
    const char *name;
    const char *summary;                /* for the list of all commands */
    const char *help;                   /* from "usage:" on */
    int (*run)(int argc, char *argv[]); /* argv[0] is the name; returns an exit status */
} command;

extern const command run_command, render_command, check_command, cook_command, devices_command,
    bench_command, view_command, mannequin_command, info_command, convert_command;

/* Writes a line to stderr: "toile: ", what kind of message it is, and the text. What names of files
 * bring along must not make several lines of it, nor control the terminal. */
void command_say(const char *kind, const char *text);

/* Says what the error is, unless the result is TOILE_OK, and returns the status for it. */
int command_end(toile_result result);

/* The status for a report that was made without an error. */
int command_verdict(const report *r);

#endif
