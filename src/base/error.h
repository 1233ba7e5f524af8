/* Errors and asserts. Three kinds: a programmer's mistake asserts, a user's mistake and a numerical
 * failure return a toile_result and leave a sentence for toile_error_message(). */
#ifndef TOILE_BASE_ERROR_H
#define TOILE_BASE_ERROR_H

#include "toile/toile.h"

/* Keeps the sentence for this thread and returns result, so that `return error_set(...)` reads
 * well. */
toile_result error_set(toile_result result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The result that came with the sentence, for callers of functions that return none. */
toile_result error_last(void);

/* Puts more words in front of the message that is there: error_prefix("cloth '%s': ", name). */
void error_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn void assert_failed(const char *condition, const char *file, int line);

#define TOILE_ASSERT(condition)                                                                    \
    ((condition) ? (void)0 : assert_failed(#condition, __FILE__, __LINE__))

#endif
