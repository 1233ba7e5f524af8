#include "app/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"

/* Open besides those counted: the standard streams, the folder, what is being written, a driver. */
enum { OTHER_FILES = 24 };

/* The next file opened would become the standard output or error, and messages would go into it. */
static void fill_standard_streams(void) {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) == -1) {
            (void)!open("/dev/null", O_RDWR); /* takes the lowest that is free: this one */
        }
    }
}

/* The motion of every cloth stays open, and the usual limit of 1024 is only a default. */
static void raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void process_prepare(void) {
    fill_standard_streams();
    raise_file_limit();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

toile_result process_check_files(int files, const char *what) {
    struct rlimit limit;
    rlim_t needed = (rlim_t)files + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_UNAVAILABLE,
                     "%s, which takes %llu open files: this process may have %llu; raise the limit "
                     "with 'ulimit -n'",
                     what, (unsigned long long)needed, (unsigned long long)limit.rlim_cur);
}
