#include "bench/search.h"

toile_result search_least(search_try *attempt, void *user, double limit, int guess, int cap,
                          search_result *out) {
    int bad = 0, good = 0; /* counts that are known to be so */
    int count = guess < 1 ? 1 : guess < cap ? guess : cap;
    *out = (search_result){0};
    while (good == 0 || good - bad > 1 + good / 17) {
        double value;
        toile_result result = attempt(user, count, &value);
        if (result != TOILE_OK) {
            return result;
        }
        if (value != value && bad == 0 && count > 1) {
            cap = count - 1; /* the guess was too bold */
            count /= 2;
            continue;
        }
        if (value <= limit) {
            good = count;
        } else if (good == 0 && (count == cap || value != value)) {
            out->count = value != value ? bad : count;
            return TOILE_OK;
        } else {
            bad = count;
        }
        count = good > 0 ? bad + (good - bad) / 2 : count < cap / 2 ? 2 * count : cap;
    }
    *out = (search_result){.found = true, .count = good};
    return TOILE_OK;
}
