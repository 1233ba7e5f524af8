#include "device/newton_order.h"

static void cycle(const newton_device *d) {
    const int last = d->levels - 1;
    for (int level = 0; level < last; level++) {
        d->run(d->user, NEWTON_DEFECT, level);
        d->run(d->user, NEWTON_DOWN, level + 1);
    }
    for (int level = last; level >= 0; level--) {
        if (level < last) {
            d->run(d->user, NEWTON_UP, level);
            d->run(d->user, NEWTON_SWEEP, level);
        }
        if (level > 0) {
            d->run(d->user, NEWTON_EXACT, level);
        }
    }
}

static void linearise(const newton_device *d) {
    d->run(d->user, NEWTON_SPRINGS, 0);
    d->run(d->user, NEWTON_FORCES, 0);
}

static void iterate(const newton_device *d) {
    linearise(d);
    for (int level = 1; level < d->levels; level++) {
        d->run(d->user, NEWTON_COARSEN, level);
        d->run(d->user, NEWTON_FACTOR, level);
    }
    for (int i = 0; i < d->gradients; i++) {
        cycle(d);
        d->run(d->user, NEWTON_DIRECTION, 0);
        d->run(d->user, NEWTON_PRODUCT, 0);
        d->run(d->user, NEWTON_ADVANCE, 0);
    }
    d->run(d->user, NEWTON_MOVE, 0);
}

/* Every texel moves by itself first, half of the way: without that, one iteration from where
 * velocities lead gains energy (two joules in the swing of a square metre by a corner). */
void newton_order(const newton_device *d) {
    d->run(d->user, NEWTON_START, 0);
    linearise(d);
    d->run(d->user, NEWTON_LOCAL, 0);
    int done = 0;
    do {
        iterate(d);
        done++;
    } while (d->goes_on(d->user, done));
    d->run(d->user, NEWTON_END, 0);
}
