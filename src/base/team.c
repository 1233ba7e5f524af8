#include "base/team.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/spin.h"

/* Ten times what the passes need, and nothing that a user sets changes it. */
enum { STACK_BYTES = 2 << 20 };

typedef struct member {
    team *team;
    int number;
    pthread_t thread;
    sem_t called;
} member;

struct team {
    int size;        /* the most there may be, with the caller */
    int made;        /* so many there are, with the caller */
    member *members; /* made, from 1 on; [0], the caller, is unused */
    atomic_int busy; /* members that are not done with the run */
    sem_t done;      /* posted by the last of them */
    team_work *work; /* of the run; NULL: the members end */
    void *argument;
    int count; /* of members in the run */
};

int team_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than the set has room for */
    return online > 1 ? (int)online : 1;
}

team *team_create(int wanted) {
    team *t = memory_alloc(1, sizeof *t, "threads");
    int size = wanted > 0 ? wanted : team_processors();
    member *members = t ? memory_alloc((size_t)size, sizeof *members, "threads") : NULL;
    if (!members) {
        free(t);
        return NULL;
    }
    t->size = size;
    t->made = 1;
    t->members = members;
    atomic_init(&t->busy, 0);
    sem_init(&t->done, 0, 0);
    return t;
}

int team_size(const team *t) {
    return t->size;
}

static void take(sem_t *s) {
    for (int spin = 0; spin < SPINS; spin++) {
        if (sem_trywait(s) == 0) {
            return;
        }
        spin_pause();
    }
    while (sem_wait(s) != 0) { /* a signal */
    }
}

static void *serve(void *argument) {
    member *m = argument;
    team *t = m->team;
    fesetenv(FE_DFL_ENV);
    for (;;) {
        take(&m->called);
        if (!t->work) {
            return NULL;
        }
        t->work(t->argument, m->number, t->count);
        if (atomic_fetch_sub_explicit(&t->busy, 1, memory_order_acq_rel) == 1) {
            sem_post(&t->done);
        }
    }
}

/* A thread has the signal mask of the one that makes it. */
static bool make_member(team *t, const pthread_attr_t *attributes) {
    member *m = &t->members[t->made];
    *m = (member){.team = t, .number = t->made};
    sem_init(&m->called, 0, 0);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = pthread_create(&m->thread, attributes, serve, m) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!made) {
        sem_destroy(&m->called);
    }
    return made;
}

int team_gather(team *t, int members) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (t->made < members && t->made < t->size) {
        if (make_member(t, &attributes)) {
            t->made++;
        } else {
            t->size = t->made; /* not tried again */
        }
    }
    pthread_attr_destroy(&attributes);
    return members < t->size ? members : t->size;
}

/* Members 1 to count - 1. */
static void call(team *t, int count) {
    for (int m = 1; m < count; m++) {
        sem_post(&t->members[m].called);
    }
}

void team_run(team *t, int members, team_work *work, void *argument) {
    t->count = team_gather(t, members);
    t->work = work;
    t->argument = argument;
    atomic_store_explicit(&t->busy, t->count - 1, memory_order_relaxed);
    call(t, t->count);
    work(argument, 0, t->count);
    if (t->count > 1) {
        take(&t->done);
    }
}

void team_destroy(team *t) {
    if (!t) {
        return;
    }
    t->work = NULL;
    call(t, t->made);
    for (int m = 1; m < t->made; m++) {
        pthread_join(t->members[m].thread, NULL);
        sem_destroy(&t->members[m].called);
    }
    sem_destroy(&t->done);
    free(t->members);
    free(t);
}
