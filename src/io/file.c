#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

struct file_writer {
    FILE *stream;
    int descriptor;
    int error;       /* errno of the first write that failed; 0: none */
    char *path;      /* as the caller named it, for messages */
    char *target;    /* where the file goes: the path with links followed */
    char *temporary; /* NULL: written to directly */
};

static toile_result cannot(const char *verb, const char *path, int error) {
    return error_set(TOILE_ERROR_INVALID, "cannot %s '%s': %s", verb, path, strerror(error));
}

/* A FILE forgets errno between the write that failed and the close that reports it. These three
 * make a stream over the descriptor that remembers. */

static ssize_t stream_write(void *cookie, const char *bytes, size_t size) {
    file_writer *w = cookie;
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(w->descriptor, bytes + done, size - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            w->error = w->error ? w->error : errno;
            return 0;
        }
        done += (size_t)n;
    }
    return (ssize_t)size;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
    file_writer *w = cookie;
    off_t position = lseek(w->descriptor, *offset, whence);
    if (position < 0) {
        return -1;
    }
    *offset = position;
    return 0;
}

static int stream_close(void *cookie) {
    file_writer *w = cookie;
    int result = close(w->descriptor);
    w->descriptor = -1;
    return result;
}

/* O_EXCL keeps two processes that write the same path apart; the mode is left to the umask. */
static int open_temporary(const char *target, char **name) {
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        if (asprintf(name, "%s.tmp-%ld-%u", target, (long)getpid(), attempt) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return -1;
        }
        int descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            return descriptor;
        }
        int error = errno;
        free(*name);
        *name = NULL;
        errno = error;
        if (error != EEXIST) {
            return -1;
        }
    }
    return -1;
}

static void writer_free(file_writer *w) {
    if (w->stream) {
        fclose(w->stream);
    } else if (w->descriptor >= 0) {
        close(w->descriptor);
    }
    if (w->temporary) {
        unlink(w->temporary);
    }
    free(w->temporary);
    free(w->target);
    free(w->path);
    free(w);
}

/* After opening with O_NONBLOCK, which does not wait for the other end of a pipe. */
static void wait_from_now_on(int descriptor) {
    int flags = descriptor >= 0 ? fcntl(descriptor, F_GETFL) : -1;
    if (flags >= 0) {
        fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
    }
}

/* Finds the target and opens it or its temporary stand-in; errno says why it could not. */
static bool writer_open(file_writer *w, const char *path) {
    w->path = strdup(path);
    w->target = realpath(path, NULL);
    if (!w->target) {
        w->target = strdup(path); /* not there yet, or a link to nowhere, which is replaced */
    }
    if (!w->path || !w->target) {
        errno = ENOMEM;
        return false;
    }
    struct stat status;
    bool there = stat(w->target, &status) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (there && !S_ISREG(status.st_mode)) {
        w->descriptor = open(w->target, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        wait_from_now_on(w->descriptor);
    } else {
        w->descriptor = open_temporary(w->target, &w->temporary);
    }
    if (w->descriptor < 0) {
        return false;
    }
    cookie_io_functions_t functions = {
        .write = stream_write, .seek = stream_seek, .close = stream_close};
    w->stream = fopencookie(w, "w", functions);
    return w->stream;
}

/* NULL with an error message on failure. */
static file_writer *writer_create(const char *path) {
    file_writer *w = calloc(1, sizeof *w);
    if (!w) {
        cannot("write", path, ENOMEM);
        return NULL;
    }
    w->descriptor = -1;
    if (!writer_open(w, path)) {
        int error = errno;
        writer_free(w);
        if (error == ENXIO) {
            error_set(TOILE_ERROR_INVALID, "cannot write '%s': nobody reads from this pipe", path);
        } else {
            cannot("write", path, error);
        }
        return NULL;
    }
    return w;
}

toile_result file_create(const char *path, file_writer **out) {
    *out = writer_create(path);
    return *out ? TOILE_OK : error_last();
}

FILE *file_stream(file_writer *w) {
    return w->stream;
}

/* 0, or the errno of what failed. */
static int writer_finish(file_writer *w) {
    if (fflush(w->stream) != 0 || ferror(w->stream)) {
        return w->error ? w->error : EIO;
    }
    /* Pipes and devices cannot be synced, which is no error. */
    if (fsync(w->descriptor) != 0 && w->temporary) {
        return errno;
    }
    FILE *stream = w->stream;
    w->stream = NULL;
    if (fclose(stream) != 0) {
        return errno;
    }
    if (w->temporary) {
        if (rename(w->temporary, w->target) != 0) {
            return errno;
        }
        free(w->temporary);
        w->temporary = NULL;
    }
    return 0;
}

toile_result file_commit(file_writer *w) {
    int error = writer_finish(w);
    toile_result result = error ? cannot("write", w->path, error) : TOILE_OK;
    writer_free(w);
    return result;
}

void file_discard(file_writer *w) {
    if (w) {
        writer_free(w);
    }
}

static toile_result too_large(const char *path, size_t limit) {
    return error_set(TOILE_ERROR_INVALID, "'%s' is larger than the %zu bytes allowed here", path,
                     limit);
}

enum { TEXT_PIECE = 1 << 16 }; /* bytes of text that are read before they are looked at */

/* Reads to the end of the file. The size that stat gave is only where the buffer starts: pipes have
 * none, and a file can grow meanwhile. */
static toile_result read_all(int descriptor, const char *path, size_t capacity, size_t limit,
                             bool text, uint8_t **bytes, size_t *size) {
    uint8_t *buffer = malloc(capacity + 1);
    size_t used = 0;
    while (buffer) {
        if (used == capacity) {
            capacity = capacity < limit / 2 ? 2 * capacity : limit + 1;
            uint8_t *larger = realloc(buffer, capacity + 1);
            if (!larger) {
                break;
            }
            buffer = larger;
        }
        size_t wanted = text && capacity - used > TEXT_PIECE ? TEXT_PIECE : capacity - used;
        ssize_t n = read(descriptor, buffer + used, wanted);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            int error = errno;
            free(buffer);
            return cannot("read", path, error);
        }
        bool ends = n == 0 || (text && memchr(buffer + used, 0, (size_t)n));
        used += (size_t)n;
        if (used > limit) {
            free(buffer);
            return too_large(path, limit);
        }
        if (ends) {
            buffer[used] = 0;
            *bytes = buffer;
            *size = used;
            return TOILE_OK;
        }
    }
    free(buffer);
    return error_set(TOILE_ERROR_MEMORY, "not enough memory for the %zu bytes of '%s'", capacity,
                     path);
}

/* Whoever waits at a pipe in a folder may wait for ever. Those without a name, as /dev/stdin can
 * be, have somebody at their other end. */
static bool is_named_pipe(const char *path, const struct stat *status) {
    char *name = S_ISFIFO(status->st_mode) ? realpath(path, NULL) : NULL;
    bool named = name;
    free(name);
    return named;
}

/* Opens a file of at most limit bytes for reading; -1 with an error message on failure. *size is
 * what it has now, or 0 for what is no plain file. */
static int open_file(const char *path, bool plain, size_t limit, size_t *size) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *size = 0;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        cannot("read", path, errno);
    } else if ((plain && !S_ISREG(status.st_mode)) || is_named_pipe(path, &status)) {
        error_set(TOILE_ERROR_INVALID, "'%s' is no plain file", path);
    } else if (S_ISDIR(status.st_mode)) {
        cannot("read", path, EISDIR);
    } else if (S_ISREG(status.st_mode) && (uint64_t)status.st_size > limit) {
        too_large(path, limit);
    } else {
        wait_from_now_on(descriptor);
        *size = S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
        return descriptor;
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return -1;
}

static toile_result read_file(const char *path, bool plain, bool text, size_t limit,
                              uint8_t **bytes, size_t *size) {
    TOILE_ASSERT(limit < SIZE_MAX / 2);
    size_t expected;
    int descriptor = open_file(path, plain, limit, &expected);
    if (descriptor < 0) {
        return error_last();
    }
    size_t capacity = expected ? expected + 1 : 65536;
    toile_result result = read_all(descriptor, path, capacity, limit, text, bytes, size);
    close(descriptor);
    return result;
}

toile_result file_read(const char *path, size_t limit, uint8_t **bytes, size_t *size) {
    return read_file(path, false, false, limit, bytes, size);
}

toile_result file_read_plain(const char *path, size_t limit, uint8_t **bytes, size_t *size) {
    return read_file(path, true, false, limit, bytes, size);
}

toile_result file_read_text(const char *path, size_t limit, uint8_t **bytes, size_t *size) {
    return read_file(path, false, true, limit, bytes, size);
}

/* Ends at the first write that fails, which file_commit reports. */
static toile_result copy_bytes(int descriptor, const char *from, size_t limit, FILE *to) {
    char bytes[65536];
    for (ssize_t n; (n = read(descriptor, bytes, sizeof bytes)) != 0;) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return cannot("read", from, errno);
        }
        if ((size_t)n > limit) { /* it grew */
            return too_large(from, limit);
        }
        limit -= (size_t)n;
        if (fwrite(bytes, 1, (size_t)n, to) != (size_t)n) {
            return TOILE_OK;
        }
    }
    return TOILE_OK;
}

toile_result file_copy(const char *from, const char *to, size_t limit) {
    size_t size;
    int descriptor = open_file(from, true, limit, &size);
    if (descriptor < 0) {
        return error_last();
    }
    file_writer *w = writer_create(to);
    toile_result result = w ? copy_bytes(descriptor, from, limit, w->stream) : error_last();
    if (w && result == TOILE_OK) {
        result = file_commit(w);
    } else {
        file_discard(w);
    }
    close(descriptor);
    return result;
}

bool file_same(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool file_lies_in(const char *path, const char *folder) {
    char *file = realpath(path, NULL), *above = realpath(folder, NULL);
    size_t length = above ? strlen(above) : 0;
    bool in = file && above && strncmp(file, above, length) == 0 &&
              (above[length - 1] == '/' || file[length] == '/');
    free(file);
    free(above);
    return in;
}

bool file_climbs(const char *path) {
    for (const char *at = path; (at = strstr(at, "..")); at += 2) {
        bool begins = at == path || at[-1] == '/', ends = at[2] == '\0' || at[2] == '/';
        if (begins && ends) {
            return true;
        }
    }
    return false;
}

toile_result file_make_folder(const char *path) {
    char *partial = strdup(path);
    if (!partial) {
        return cannot("make folder", path, ENOMEM);
    }
    int error = *path ? 0 : ENOENT;
    for (char *end = partial; *end && !error;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char separator = *end;
        *end = 0;
        struct stat status;
        if (mkdir(partial, 0777) != 0) {
            error = errno;
            if (stat(partial, &status) == 0) {
                error = S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
            }
        }
        *end = separator;
    }
    free(partial);
    return error ? cannot("make folder", path, error) : TOILE_OK;
}
