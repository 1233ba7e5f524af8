/* Threads: every member works once a run, those that cannot be made are done without, and signals
 * go to the caller. */
#include "worlds.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/team.h"

/* How many threads may still be made. */
static int threads_left;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
    return threads_left-- > 0 ? __real_pthread_create(thread, attributes, start, argument) : EAGAIN;
}

typedef struct tally {
    int runs[16]; /* of each member */
    atomic_int wrong;
    int members; /* expected */
} tally;

static void count(void *argument, int member, int members) {
    tally *t = argument;
    t->runs[member]++;
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    bool takes_signals = sigismember(&blocked, SIGINT) == 0;
    if (members != t->members || takes_signals != (member == 0)) {
        atomic_fetch_add(&t->wrong, 1);
    }
}

static void check_runs(team *t, int asked, int expected) {
    tally all = {.members = expected};
    for (int run = 0; run < 100; run++) {
        team_run(t, asked, count, &all);
    }
    assert_int_equal(all.wrong, 0);
    for (int m = 0; m < 16; m++) {
        assert_int_equal(all.runs[m], m < expected ? 100 : 0);
    }
}

static void test_every_member_works_once_a_run(void **state) {
    (void)state;
    threads_left = 100;
    team *t = team_create(8);
    assert_non_null(t);
    check_runs(t, 3, 3);
    check_runs(t, 1, 1);
    check_runs(t, 100, 8);
    check_runs(t, 2, 2);
    assert_int_equal(threads_left, 100 - 7); /* those there are work again */
    assert_int_equal(team_size(t), 8);
    team_destroy(t);
}

static void test_a_team_does_without_members(void **state) {
    (void)state;
    threads_left = 2;
    team *t = team_create(8);
    assert_int_equal(team_gather(t, 2), 2);
    assert_int_equal(team_gather(t, 5), 3);
    assert_int_equal(team_size(t), 3);
    threads_left = 100;
    check_runs(t, 8, 3); /* not tried again */
    team_destroy(t);
}

static void hear(toile_log_item item, const char *message, void *user) {
    if (item == TOILE_LOG_FEWER_THREADS) {
        assert_non_null(strstr(message, "only 2 of 7 threads"));
        ++*(int *)user;
    }
}

static uint64_t hash_with(int threads, int possible, int *heard) {
    threads_left = possible;
    toile_world_def def = toile_default_world_def();
    def.device = "cpu";
    def.threads = threads;
    def.log = hear;
    def.log_user = heard;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(21, 0.3f);
    add_cloth(world, &sheet);
    add_ball(world, 0.0f, 0.25f);
    run_steps(world, 10, 1.0f / 60.0f);
    assert_int_equal(toile_world_get_solver_info(world).threads,
                     possible < threads - 1 ? possible + 1 : threads);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

static void test_a_world_does_without_threads_and_says_so_once(void **state) {
    (void)state;
    int heard = 0;
    uint64_t all = hash_with(7, 100, &heard);
    assert_int_equal(heard, 0);
    assert_same_hash(hash_with(7, 1, &heard), all, "2 of 7 threads");
    assert_int_equal(heard, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_member_works_once_a_run),
        cmocka_unit_test(test_a_team_does_without_members),
        cmocka_unit_test(test_a_world_does_without_threads_and_says_so_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
