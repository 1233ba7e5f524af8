/* What is asked of a device that refuses a step, and of one that made many worlds. */
#ifndef TOILE_TEST_REFUSALS_H
#define TOILE_TEST_REFUSALS_H

#include <stdio.h>
#include <unistd.h>

#include "worlds.h"

static inline toile_world *make_sheet(const toile_world_def *def) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = lying_def(9, 0.0f);
    pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_LEFT);
    return world;
}

/* A step fails, says so, and leaves everything as it was. */
static inline void assert_refused(toile_world *world, toile_result wanted, const char *part) {
    uint64_t before = toile_world_hash(world);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), wanted);
    assert_message(part);
    assert_same_hash(toile_world_hash(world), before, "refused");
}

static inline long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %ld", &size, &resident) != 2) {
            resident = 0;
        }
        fclose(f);
    }
    return resident;
}

/* Worlds leave nothing behind: after the first hundred, memory grows by less than so many bytes. */
static inline void check_many_worlds(const toile_world_def *def, int worlds, double most) {
    long before = 0;
    for (int i = 0; i < worlds; i++) {
        toile_world *world = make_sheet(def);
        run_steps(world, 1, 1.0f / 60.0f);
        toile_world_destroy(world);
        before = i == 100 ? resident_pages() : before;
    }
    double grown = (double)(resident_pages() - before) * (double)sysconf(_SC_PAGESIZE);
#ifdef __SANITIZE_ADDRESS__
    (void)most;
    print_message("%.0f MB more: freed memory is kept, and leaks are found otherwise\n",
                  1e-6 * grown);
#else
    assert_below(grown, most);
#endif
}

#endif
