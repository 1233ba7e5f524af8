#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char message[MESSAGE_SIZE];
static _Thread_local toile_result last;
static toile_assert_handler *assert_handler;

const char *toile_error_message(void) {
    return message;
}

toile_result error_set(toile_result result, const char *format, ...) {
    char text[MESSAGE_SIZE]; /* arguments may point into the old message */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof text);
    last = result;
    return result;
}

toile_result error_last(void) {
    return last;
}

void error_prefix(const char *format, ...) {
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    int used = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (used < 0 || used >= MESSAGE_SIZE) {
        return;
    }
    snprintf(text + used, sizeof text - (size_t)used, "%s", message);
    memcpy(message, text, sizeof text);
}

void toile_set_assert_handler(toile_assert_handler *handler) {
    assert_handler = handler;
}

_Noreturn void assert_failed(const char *condition, const char *file, int line) {
    if (assert_handler) {
        assert_handler(condition, file, line);
    } else {
        fprintf(stderr, "toile: %s:%d: assertion failed: %s\n", file, line, condition);
    }
    abort();
}

const char *toile_version(void) {
#define TEXT(x)    #x
#define VERSION(x) TEXT(x)
    return VERSION(TOILE_VERSION_MAJOR) "." VERSION(TOILE_VERSION_MINOR) "." VERSION(
        TOILE_VERSION_PATCH);
}
