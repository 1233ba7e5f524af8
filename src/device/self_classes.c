#include "device/self_classes.h"

#include <float.h>

#include "kernel/self.h"

/* Cells are numbered up to this; what lies beyond takes no part. It is further away than floats can
 * tell neighbours apart. */
static const double MOST_CELLS = 1e9;

/* The longest distance up to a bound, 0 for none. */
static float longest_within(const self_member *members, int count, float bound) {
    float longest = 0.0f;
    for (int m = 0; m < count; m++) {
        float distance = members[m].distance;
        longest = distance <= bound ? k_max(longest, distance) : longest;
    }
    return longest;
}

/* A wider margin makes longer lists, a narrower one makes them oftener. The cell is a little more
 * than the reach: what is within it is in the next one whatever is rounded. */
static self_class class_of_distance(float longest) {
    float margin = SELF_MARGIN * longest, reach = longest + margin;
    double cell = 1.0001 * (double)reach;
    return (self_class){.distance = longest,
                        .margin = margin,
                        .reach = reach,
                        .inverse_cell = 1.0 / cell,
                        .farthest = MOST_CELLS * cell};
}

static self_slots give_slots(self_classes *c, uint32_t texels, uint32_t fewest) {
    self_slots s = {c->slots, fewest};
    while (s.count > 0 && s.count < texels) {
        s.count *= 2;
    }
    c->slots += s.count;
    return s;
}

void self_classes_arrange(self_classes *c, self_member *members, int count) {
    enum { FEWEST = 64 };
    float longest = longest_within(members, count, FLT_MAX);
    *c = (self_classes){0};
    while (longest > 0.0f && c->count < SELF_CLASSES) {
        c->list[c->count++] = class_of_distance(longest);
        longest = longest_within(members, count, 0.5f * longest);
    }
    for (int m = 0; m < count; m++) {
        self_member *own = &members[m];
        own->class = 0;
        while (own->class + 1 < c->count && own->distance <= c->list[own->class + 1].distance) {
            own->class += 1;
        }
        c->keys += own->numbers;
    }
    for (int k = 0; k < c->count; k++) {
        uint32_t own = 0, guests = 0;
        for (int m = 0; m < count; m++) {
            own += members[m].class == k ? members[m].numbers : 0;
            guests += members[m].class > k ? members[m].numbers : 0;
        }
        c->list[k].own = give_slots(c, own, FEWEST);
        c->list[k].guests = give_slots(c, guests, guests > 0 ? FEWEST : 0);
    }
    for (int m = 0; m < count; m++) {
        members[m].first_guest = c->keys;
        c->keys += (uint64_t)members[m].class * members[m].numbers;
    }
}
