#include "app/converter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/path.h"
#include "base/error.h"
#include "convert/protocol.h"

/* Sanitizers reserve terabytes of addresses that they never use. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

static toile_result cannot_start(const char *program, int error) {
    return error_set(TOILE_ERROR_UNAVAILABLE, "convert: cannot start '%s': %s", program,
                     strerror(error));
}

/* ---- the program --------------------------------------------------------------------------------
 */

/* Beside the running command, in the build tree as where it is installed. Free with free(). */
static toile_result find_program(char **out) {
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (!slash) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "convert: cannot find out where the running command lies");
    }
    *slash = '\0';
    toile_result result = path_format(out, "%s/" CONVERTER_PROGRAM, own);
    if (result == TOILE_OK && access(*out, X_OK) != 0) {
        result = error_set(TOILE_ERROR_UNAVAILABLE,
                           "convert: needs the program '%s', which is not there: Toile was built "
                           "without Assimp (TOILE_CONVERT)",
                           *out);
        free(*out);
        *out = NULL;
    }
    return result;
}

/* ---- the child ----------------------------------------------------------------------------------
 */

static void set_limit(int resource, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && most < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max = most;
        setrlimit(resource, &limit);
    }
}

/* Signals that the command ignores would stay ignored. */
static void limit_child(void) {
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, CONVERTER_CPU_SECONDS);
    if (LIMITS_MEMORY) {
        set_limit(RLIMIT_AS, (rlim_t)CONVERTER_MEMORY_MEBIBYTES << 20);
    }
    alarm(CONVERTER_SECONDS);
}

/* Does not return. Only functions that are safe after fork() of a process with threads. */
static void become_program(const char *program, const converter_def *def, int result) {
    int nothing = def->quiet ? open("/dev/null", O_WRONLY) : -1;
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
    }
    if (result == CONVERTER_DESCRIPTOR) { /* dup2 would leave it to be closed by exec */
        fcntl(result, F_SETFD, 0);
    } else {
        dup2(result, CONVERTER_DESCRIPTOR);
    }
    limit_child();
    execl(program, CONVERTER_PROGRAM, def->input, def->scale, def->up, (char *)NULL);
    _exit(127);
}

/* ---- what it says -------------------------------------------------------------------------------
 */

typedef struct reply {
    uint8_t *bytes;
    size_t size, capacity;
    int status;  /* of waitpid */
    bool failed; /* not enough memory */
} reply;

/* To the end, even when there is no memory left, so that the child does not wait for a reader. */
static void read_reply(int descriptor, reply *r) {
    uint8_t piece[65536];
    for (ssize_t n; (n = read(descriptor, piece, sizeof piece)) != 0;) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return;
        }
        if (r->size + (size_t)n > r->capacity && !r->failed) {
            size_t wanted = 2 * r->capacity + sizeof piece;
            uint8_t *larger = realloc(r->bytes, wanted + 1);
            r->failed = !larger;
            r->bytes = larger ? larger : r->bytes;
            r->capacity = larger ? wanted : r->capacity;
        }
        if (!r->failed) {
            memcpy(r->bytes + r->size, piece, (size_t)n);
            r->size += (size_t)n;
        }
    }
}

static toile_result judge_signal(const char *input, int number) {
    if (number == SIGXCPU || number == SIGALRM || number == SIGKILL) {
        return error_set(TOILE_ERROR_FORMAT,
                         "the converter was stopped on '%s' (signal %d): it may take %d s, and %d "
                         "s of CPU time; nothing was written",
                         input, number, CONVERTER_SECONDS, CONVERTER_CPU_SECONDS);
    }
    return error_set(TOILE_ERROR_FORMAT,
                     "the converter crashed on '%s' (signal %d); nothing was written", input,
                     number);
}

/* A child that finds a mistake says so in place of the file. */
static toile_result judge_reply(const converter_def *def, const reply *r) {
    if (WIFSIGNALED(r->status)) {
        return judge_signal(def->input, WTERMSIG(r->status));
    }
    int status = WEXITSTATUS(r->status);
    if (r->failed) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for what '%s' is converted to",
                         def->input);
    }
    if ((status == CONVERTER_MISTAKE || status == CONVERTER_MEMORY) && r->size > 0) {
        r->bytes[r->size] = '\0';
        return error_set(status == CONVERTER_MISTAKE ? TOILE_ERROR_FORMAT : TOILE_ERROR_MEMORY,
                         "%s", (const char *)r->bytes);
    }
    if (status != CONVERTER_DONE || r->size == 0) {
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "the converter ended with status %d on '%s'; nothing was written", status,
                         def->input);
    }
    return TOILE_OK;
}

static toile_result run_child(const char *program, const converter_def *def, reply *r) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return cannot_start(program, errno);
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        become_program(program, def, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return cannot_start(program, error);
    }
    read_reply(ends[0], r);
    close(ends[0]);
    while (waitpid(child, &r->status, 0) < 0 && errno == EINTR) {
    }
    return judge_reply(def, r);
}

toile_result converter_run(const converter_def *def, uint8_t **bytes, size_t *size) {
    char *program = NULL;
    reply r = {0};
    toile_result result = find_program(&program);
    if (result == TOILE_OK) {
        result = run_child(program, def, &r);
    }
    free(program);
    if (result != TOILE_OK) {
        free(r.bytes);
        return result;
    }
    *bytes = r.bytes;
    *size = r.size;
    return TOILE_OK;
}
