/* Failures of which one must not keep the others' work from being done: they become one message. */
#ifndef TOILE_APP_FAILURES_H
#define TOILE_APP_FAILURES_H

#include "toile/toile.h"

typedef struct failures {
    toile_result first;
    char text[1024];
} failures;

/* With a result that is not TOILE_OK, adds the message of the error that is set now. */
void failures_add(failures *f, toile_result result);

/* The first result, with all messages. */
toile_result failures_end(const failures *f);

#endif
