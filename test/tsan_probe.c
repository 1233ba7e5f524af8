/* A team writes one array from another and back, a barrier between; with an argument, a counter
 * that nothing guards. */
#include <stdbool.h>
#include <stdio.h>

#include "base/barrier.h"
#include "base/team.h"

enum { COUNT = 10000, THREADS = 4 };
static float forth[COUNT], back[COUNT];
static int unguarded;

typedef struct probe {
    barrier barrier;
    bool races;
} probe;

static void work(void *argument, int member, int members) {
    probe *p = argument;
    const int begin = COUNT * member / members, end = COUNT * (member + 1) / members;
    for (int i = begin; i < end; i++) {
        forth[i] = back[COUNT - 1 - i] + 1.0f;
    }
    if (p->races) {
        unguarded++;
    }
    barrier_wait(&p->barrier);
    for (int i = begin; i < end; i++) {
        back[i] = forth[COUNT - 1 - i];
    }
}

int main(int argc, char **argv) {
    (void)argv;
    team *t = team_create(THREADS);
    probe p = {.races = argc > 1};
    barrier_create(&p.barrier, team_gather(t, THREADS));
    for (int pass = 0; pass < 10; pass++) {
        team_run(t, THREADS, work, &p);
    }
    barrier_destroy(&p.barrier);
    team_destroy(t);
    printf("%g %d\n", (double)back[0], unguarded);
    return 0;
}
