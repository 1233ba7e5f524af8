#include "io/pc2.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/file.h"

/* The head of the file, as the public format has it; samples of points of 3 floats follow. */
typedef struct header {
    char magic[12];
    int32_t version;
    int32_t points;
    float start;
    float rate;
    int32_t samples;
} header;

_Static_assert(sizeof(header) == 32, "the header is written as it is");

static const char MAGIC[12] = "POINTCACHE2";

/* What writers and readers share. */
typedef struct cache {
    int descriptor;
    char *path;
    pc2_info info;
} cache;

struct pc2_writer {
    cache cache;
};

struct pc2_reader {
    cache cache;
};

static uint64_t sample_bytes(const cache *c) {
    return (uint64_t)c->info.points * 3 * sizeof(float);
}

static off_t sample_offset(const cache *c, uint32_t sample) {
    return (off_t)(sizeof(header) + sample * sample_bytes(c));
}

static toile_result cannot(const char *verb, const char *path, int error) {
    return error_set(TOILE_ERROR_INVALID, "cannot %s '%s': %s", verb, path, strerror(error));
}

static bool write_at(const cache *c, const void *bytes, uint64_t size, off_t offset) {
    const char *next = bytes;
    while (size > 0) {
        ssize_t n = pwrite(c->descriptor, next, size, offset);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        if (n > 0) {
            next += n;
            offset += n;
            size -= (uint64_t)n;
        }
    }
    return true;
}

static toile_result read_at(const cache *c, void *bytes, uint64_t size, off_t offset) {
    char *next = bytes;
    while (size > 0) {
        ssize_t n = pread(c->descriptor, next, size, offset);
        if (n < 0 && errno != EINTR) {
            return cannot("read", c->path, errno);
        }
        if (n == 0) {
            return error_set(TOILE_ERROR_FORMAT, "'%s' is cut short", c->path);
        }
        if (n > 0) {
            next += n;
            offset += n;
            size -= (uint64_t)n;
        }
    }
    return TOILE_OK;
}

static bool write_header(const cache *c) {
    header h = {.version = 1,
                .points = (int32_t)c->info.points,
                .start = c->info.start,
                .rate = c->info.rate,
                .samples = (int32_t)c->info.samples};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    return write_at(c, &h, sizeof h, 0);
}

/* A file can be longer than its header says, for a writer that died leaves the beginning of a
 * sample, but never shorter. */
static toile_result read_header(cache *c) {
    header h;
    struct stat status;
    if (fstat(c->descriptor, &status) != 0) {
        return cannot("read", c->path, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return error_set(TOILE_ERROR_INVALID, "cannot read '%s': not a file", c->path);
    }
    toile_result result = read_at(c, &h, sizeof h, 0);
    if (result != TOILE_OK) {
        return result;
    }
    if (memcmp(h.magic, MAGIC, sizeof h.magic) != 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' is not a PC2 point cache", c->path);
    }
    if (h.version != 1) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' is a PC2 file of version %d, expected 1",
                         c->path, (int)h.version);
    }
    if (h.points < 1 || h.samples < 0 || !isfinite(h.start) || !isfinite(h.rate)) {
        return error_set(TOILE_ERROR_FORMAT,
                         "the header of '%s' is damaged: %d points, %d samples, start %g, rate %g",
                         c->path, (int)h.points, (int)h.samples, (double)h.start, (double)h.rate);
    }
    c->info = (pc2_info){.points = (uint32_t)h.points,
                         .samples = (uint32_t)h.samples,
                         .start = h.start,
                         .rate = h.rate};
    /* Divided, because the product of two damaged numbers can overflow. */
    uint64_t whole = ((uint64_t)status.st_size - sizeof h) / sample_bytes(c);
    if (whole < c->info.samples) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' is cut short: its header says %u samples of %u points, "
                         "%llu of them are there",
                         c->path, (unsigned)c->info.samples, (unsigned)c->info.points,
                         (unsigned long long)whole);
    }
    return TOILE_OK;
}

static void cache_close(cache *c) {
    if (c->descriptor >= 0) {
        close(c->descriptor);
    }
    free(c->path);
}

static toile_result cache_open(cache *c, const char *path, int flags, const char *verb) {
    c->path = strdup(path);
    if (!c->path) {
        c->descriptor = -1;
        return cannot(verb, path, ENOMEM);
    }
    c->descriptor = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0666); /* a pipe is refused later */
    return c->descriptor >= 0 ? TOILE_OK : cannot(verb, path, errno);
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static void writer_free(pc2_writer *w) {
    cache_close(&w->cache);
    free(w);
}

toile_result pc2_create(const char *path, uint32_t points, float start, pc2_writer **out) {
    TOILE_ASSERT(points > 0 && points <= INT32_MAX);
    pc2_writer *w = calloc(1, sizeof *w);
    if (!w) {
        return cannot("write", path, ENOMEM);
    }
    w->cache.info = (pc2_info){.points = points, .start = start, .rate = 1.0f};
    toile_result result = cache_open(&w->cache, path, O_RDWR | O_CREAT | O_TRUNC, "write");
    if (result == TOILE_OK && !write_header(&w->cache)) {
        result = cannot("write", path, errno);
        unlink(path);
    }
    if (result != TOILE_OK) {
        writer_free(w);
        return result;
    }
    *out = w;
    return TOILE_OK;
}

/* The header first: a process that dies in between leaves a file that is too long, which is fine.
 */
static toile_result keep_samples(cache *c, uint32_t points, uint32_t samples) {
    toile_result result = read_header(c);
    if (result != TOILE_OK) {
        return result;
    }
    if (c->info.points != points || c->info.samples < samples) {
        return error_set(TOILE_ERROR_INVALID,
                         "'%s' holds %u samples of %u points, expected at least %u of %u", c->path,
                         (unsigned)c->info.samples, (unsigned)c->info.points, (unsigned)samples,
                         (unsigned)points);
    }
    c->info.samples = samples;
    if (!write_header(c) || ftruncate(c->descriptor, sample_offset(c, samples)) != 0) {
        return cannot("write", c->path, errno);
    }
    return TOILE_OK;
}

toile_result pc2_continue(const char *path, uint32_t points, uint32_t samples, pc2_writer **out) {
    pc2_writer *w = calloc(1, sizeof *w);
    if (!w) {
        return cannot("write", path, ENOMEM);
    }
    toile_result result = cache_open(&w->cache, path, O_RDWR, "continue");
    if (result == TOILE_OK) {
        result = keep_samples(&w->cache, points, samples);
    }
    if (result != TOILE_OK) {
        writer_free(w);
        return result;
    }
    *out = w;
    return TOILE_OK;
}

toile_result pc2_append(pc2_writer *w, const float *positions) {
    cache *c = &w->cache;
    TOILE_ASSERT(c->info.samples < INT32_MAX);
    off_t offset = sample_offset(c, c->info.samples);
    if (!write_at(c, positions, sample_bytes(c), offset)) {
        toile_result result = cannot("write", c->path, errno);
        /* Gives the space back; when that fails, too, the header still says what is whole. */
        (void)!ftruncate(c->descriptor, offset);
        return result;
    }
    c->info.samples++;
    if (!write_header(c)) {
        c->info.samples--;
        return cannot("write", c->path, errno);
    }
    return TOILE_OK;
}

toile_result pc2_close(pc2_writer *w) {
    cache *c = &w->cache;
    toile_result result = TOILE_OK;
    if (fsync(c->descriptor) != 0) {
        result = cannot("write", c->path, errno);
    }
    writer_free(w);
    return result;
}

/* ---- reading ------------------------------------------------------------------------------------
 */

toile_result pc2_open(const char *path, pc2_reader **out) {
    pc2_reader *r = calloc(1, sizeof *r);
    if (!r) {
        return cannot("read", path, ENOMEM);
    }
    toile_result result = cache_open(&r->cache, path, O_RDONLY, "read");
    if (result == TOILE_OK) {
        result = read_header(&r->cache);
    }
    if (result != TOILE_OK) {
        pc2_free(r);
        return result;
    }
    *out = r;
    return TOILE_OK;
}

pc2_info pc2_get_info(const pc2_reader *r) {
    return r->cache.info;
}

toile_result pc2_read(pc2_reader *r, uint32_t sample, float *positions) {
    const cache *c = &r->cache;
    if (sample >= c->info.samples) {
        return error_set(TOILE_ERROR_INVALID, "'%s' has %u samples, there is no sample %u", c->path,
                         (unsigned)c->info.samples, (unsigned)sample);
    }
    toile_result result = read_at(c, positions, sample_bytes(c), sample_offset(c, sample));
    for (size_t i = 0; result == TOILE_OK && i < 3 * (size_t)c->info.points; i++) {
        if (!isfinite(positions[i])) {
            result =
                error_set(TOILE_ERROR_FORMAT, "'%s': point %zu of sample %u is not a finite number",
                          c->path, i / 3, (unsigned)sample);
        }
    }
    return result;
}

void pc2_free(pc2_reader *r) {
    if (r) {
        cache_close(&r->cache);
        free(r);
    }
}
