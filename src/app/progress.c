#include "app/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Often enough to look alive, seldom enough to cost nothing. */
static const double REFRESH_MS = 100.0;

/* One that can go back and clear a line. */
static bool is_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

void progress_start(progress *p, const char *what, uint32_t first, uint32_t last, bool quiet) {
    *p = (progress){.what = what,
                    .first = first,
                    .last = last,
                    .quiet = quiet,
                    .terminal = is_terminal(),
                    .start_ms = clock_ms()};
}

static void print_line(const progress *p, uint32_t done, double now) {
    double seconds = fmax((now - p->start_ms) * 1e-3, 1e-9);
    double rate = (double)(done - p->first) / seconds;
    double left = ceil((double)(p->last - done) / rate);
    fprintf(stderr, "%3.0f %%  %s %u of %u  %.3g %ss/s  %.0f:%02.0f left%s",
            100.0 * (double)done / (double)p->last, p->what, (unsigned)done, (unsigned)p->last,
            rate, p->what, floor(left / 60.0), fmod(left, 60.0), p->cost);
}

void progress_update(progress *p, uint32_t done) {
    if (p->quiet) {
        return;
    }
    double now = clock_ms();
    uint32_t tenths = (uint32_t)(10 * (uint64_t)done / p->last);
    if (p->terminal && now - p->shown_ms >= REFRESH_MS) {
        p->shown_ms = now;
        fputs("\r", stderr);
        print_line(p, done, now);
        fputs("\033[K", stderr);
        fflush(stderr);
    } else if (!p->terminal && tenths > p->tenths) {
        p->tenths = tenths;
        print_line(p, done, now);
        fputc('\n', stderr);
    }
}

void progress_clear(const progress *p) {
    if (p->terminal && p->shown_ms > 0.0) {
        fputs("\r\033[K", stderr);
    }
}
