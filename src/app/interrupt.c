#include "app/interrupt.h"

#include <signal.h>

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t asked;

static void ask(int signal_number) {
    (void)signal_number;
    asked = 1;
}

void interrupt_watch(void) {
    struct sigaction action = {.sa_handler = ask, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_asked(void) {
    return asked;
}
