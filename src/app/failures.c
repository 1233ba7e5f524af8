#include "app/failures.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void failures_add(failures *f, toile_result result) {
    if (result == TOILE_OK) {
        return;
    }
    size_t used = strlen(f->text);
    snprintf(f->text + used, sizeof f->text - used, "%s%s", used ? "; " : "",
             toile_error_message());
    f->first = f->first == TOILE_OK ? result : f->first;
}

toile_result failures_end(const failures *f) {
    return f->first == TOILE_OK ? TOILE_OK : error_set(f->first, "%s", f->text);
}
