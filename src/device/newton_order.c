#include "device/newton_order.h"

static void cycle(const newton_device *d) {
    const int last = d->levels - 1;
    for (int depth = 0; depth < last; depth++) {
        if (d->coupled) {
            d->run(d->user, NEWTON_TOGETHER, depth);
        }
        d->run(d->user, NEWTON_DEFECT, depth);
        d->run(d->user, NEWTON_DOWN, depth + 1);
    }
    for (int depth = last; depth >= 0; depth--) {
        if (depth < last) {
            d->run(d->user, NEWTON_UP, depth);
            d->run(d->user, NEWTON_SWEEP, depth);
        }
        if (depth < last && d->coupled) {
            d->run(d->user, NEWTON_JOINED, depth);
        }
        if (depth > 0) {
            d->run(d->user, NEWTON_EXACT, depth);
        }
    }
}

static void linearise(const newton_device *d, bool stiffens) {
    d->run(d->user, NEWTON_SPRINGS, 0);
    for (int depth = 0; stiffens && depth < d->levels; depth++) {
        d->run(d->user, NEWTON_STIFFEN, depth);
    }
    d->run(d->user, NEWTON_FORCES, 0);
    d->run(d->user, NEWTON_MEET, 0);
}

static void iterate(const newton_device *d) {
    linearise(d, false);
    for (int depth = 1; depth < d->levels; depth++) {
        d->run(d->user, NEWTON_COARSEN, depth);
        d->run(d->user, NEWTON_FACTOR, depth);
    }
    int done = 0;
    do {
        cycle(d);
        d->run(d->user, NEWTON_DIRECTION, 0);
        d->run(d->user, NEWTON_PRODUCT, 0);
        d->run(d->user, NEWTON_ADVANCE, 0);
        done++;
    } while (d->draws_on(d->user, done));
    d->run(d->user, NEWTON_MOVE, 0);
    d->run(d->user, NEWTON_PRESS, 0);
}

/* Every texel moves by itself first, half of the way: it takes out what turns yarns most before
 * they are linearised. Couplings keep their stiffness for the substep: the energy that is looked
 * for the least of must not change on the way. */
void newton_order(const newton_device *d) {
    d->run(d->user, NEWTON_START, 0);
    linearise(d, d->coupled);
    d->run(d->user, NEWTON_LOCAL, 0);
    int done = 0;
    do {
        iterate(d);
        done++;
    } while (d->goes_on(d->user, done));
    d->run(d->user, NEWTON_END, 0);
}
