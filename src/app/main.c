#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/process.h"
#include "base/error.h"
#include "io/json.h"

static int version(int argc, char *argv[]);
static int help(int argc, char *argv[]);

static const command version_command = {
    .name = "version",
    .summary = "print the version",
    .help = "usage: toile version\n",
    .run = version,
};

static const command help_command = {
    .name = "help",
    .summary = "explain a command",
    .help = "usage: toile help [COMMAND]\n",
    .run = help,
};

static const command *const commands[] = {
    &run_command,     &render_command,
#ifdef TOILE_VIEW
    &view_command,
#endif
    &check_command,   &cook_command,    &mannequin_command, &convert_command, &info_command,
    &devices_command, &version_command, &bench_command,     &help_command,    NULL,
};

void command_say(const char *kind, const char *text) {
    fprintf(stderr, "toile: %s", kind);
    for (; *text; text++) {
        fputc(iscntrl((unsigned char)*text) ? '?' : *text, stderr);
    }
    fputc('\n', stderr);
}

int command_end(toile_result result) {
    if (result != TOILE_OK) {
        command_say("", toile_error_message());
    }
    switch (result) {
    case TOILE_OK:
        return STATUS_GOOD;
    case TOILE_ERROR_INVALID:
    case TOILE_ERROR_FORMAT:
        return STATUS_MISTAKE;
    case TOILE_ERROR_NUMERICAL:
        return STATUS_NUMERICAL;
    case TOILE_ERROR_MEMORY:
    case TOILE_ERROR_UNAVAILABLE:
        return STATUS_MISSING;
    case TOILE_ERROR_STOPPED:
        return STATUS_INTERRUPTED;
    }
    return STATUS_MISTAKE;
}

int command_verdict(const report *r) {
    return r->interrupted ? STATUS_INTERRUPTED : r->good ? STATUS_GOOD : STATUS_BAD;
}

/* NULL with an error message when there is none of that name. */
static const command *find_command(const char *name) {
    const char *best = NULL;
    for (int i = 0; commands[i]; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            return commands[i];
        }
        best = nearer_word(name, best, commands[i]->name);
    }
    if (name[0] == '-') {
        error_set(TOILE_ERROR_INVALID, "expected a command, found '%s'; 'toile help' lists them",
                  make_printable(name).text);
    } else if (best) {
        error_set(TOILE_ERROR_INVALID, "unknown command '%s', did you mean '%s'?",
                  make_printable(name).text, best);
    } else {
        error_set(TOILE_ERROR_INVALID, "unknown command '%s'; 'toile help' lists them",
                  make_printable(name).text);
    }
    return NULL;
}

static void print_commands(FILE *stream) {
    fputs("usage: toile COMMAND ...\n\n", stream);
    for (int i = 0; commands[i]; i++) {
        fprintf(stream, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n'toile help COMMAND' explains one.\n", stream);
}

static int version(int argc, char *argv[]) {
    if (argc > 1) {
        return command_end(error_set(TOILE_ERROR_INVALID,
                                     "version: expected no argument, found '%s'",
                                     make_printable(argv[1]).text));
    }
    printf("toile %s\n", toile_version());
    return STATUS_GOOD;
}

static int help(int argc, char *argv[]) {
    if (argc < 2) {
        print_commands(stdout);
        return STATUS_GOOD;
    }
    if (argc > 2) {
        return command_end(error_set(TOILE_ERROR_INVALID, "help: expected one command, found '%s'",
                                     make_printable(argv[2]).text));
    }
    const command *c = find_command(argv[1]);
    if (!c) {
        return command_end(TOILE_ERROR_INVALID);
    }
    fputs(c->help, stdout);
    return STATUS_GOOD;
}

static bool is_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool asks_for_help(int argc, char *argv[]) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_help(argv[i])) {
            return true;
        }
    }
    return false;
}

static int dispatch(int argc, char *argv[]) {
    const char *name = argv[1];
    if (is_help(name)) {
        name = "help";
    } else if (strcmp(name, "--version") == 0) {
        name = "version";
    }
    const command *c = find_command(name);
    if (!c) {
        return command_end(TOILE_ERROR_INVALID);
    }
    if (asks_for_help(argc - 1, argv + 1)) {
        fputs(c->help, stdout);
        return STATUS_GOOD;
    }
    return c->run(argc - 1, argv + 1);
}

int main(int argc, char *argv[]) {
    process_prepare();
    if (argc < 2) {
        print_commands(stderr);
        return STATUS_MISTAKE;
    }
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return command_end(error_set(TOILE_ERROR_INVALID, "cannot write to the standard output"));
    }
    return status;
}
