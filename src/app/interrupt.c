#include "app/interrupt.h"

#include <signal.h>

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t asked;

static void ask(int signal_number) {
    (void)signal_number;
    asked = 1;
}

void interrupt_watch(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction inherited;
        if (sigaction(signals[i], NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

bool interrupt_asked(void) {
    return asked;
}
