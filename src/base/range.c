#include "base/range.h"

#include <string.h>

#include "base/error.h"

static double number_at(const void *object, const range *r) {
    const char *at = (const char *)object + r->offset;
    if (r->type == RANGE_INT) {
        int value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, at, sizeof value);
    return (double)value;
}

toile_result range_check(const void *object, const range *table) {
    for (const range *r = table; r->name; r++) {
        double value = number_at(object, r);
        if (!(value >= r->low && value <= r->high)) { /* NaN fails both */
            return error_set(TOILE_ERROR_INVALID, "%s is %.7g%s: expected %g to %g%s", r->name,
                             value, r->unit, r->low, r->high, r->unit);
        }
    }
    return TOILE_OK;
}
