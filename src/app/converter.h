/* The program toile-convert, which lies beside `toile`, as a child process. Whatever becomes of the
 * child, a crash, a hang, more memory than there is, costs one conversion and nothing else. */
#ifndef TOILE_APP_CONVERTER_H
#define TOILE_APP_CONVERTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* What the child may use: far more than any character takes. They are for files that make it run
 * away. */
enum {
    CONVERTER_CPU_SECONDS = 300,
    CONVERTER_SECONDS = 600,           /* by the clock */
    CONVERTER_MEMORY_MEBIBYTES = 8192, /* of address space */
};

typedef struct converter_def {
    const char *input;
    const char *scale; /* m per unit of the file, a number as text; "": as the file says */
    const char *up;    /* "y", "z"; "": as the file says */
    bool quiet;        /* the child's standard output is dropped */
} converter_def;

/* The bytes of a .glb file, not looked at. Free with free(). */
toile_result converter_run(const converter_def *def, uint8_t **bytes, size_t *size);

#endif
