/* Any bytes must be a point cache whose samples can all be read, or a sentence about what is wrong
 * with them. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/pc2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) {
        abort();
    }
}

/* A sample that is there has its points. */
static void read_samples(pc2_reader *r, size_t size) {
    pc2_info info = pc2_get_info(r);
    if (info.samples == 0) {
        return;
    }
    check(info.points <= size / 12);
    float *positions = malloc((size_t)info.points * 12 + 1);
    check(positions);
    for (uint32_t i = 0; i < info.samples && i < 100; i++) {
        check(pc2_read(r, i, positions) == TOILE_OK || toile_error_message()[0] != '\0');
    }
    free(positions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int descriptor = memfd_create("fuzz.pc2", MFD_CLOEXEC);
    char path[64];
    pc2_reader *r;
    check(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (pc2_open(path, &r) != TOILE_OK) {
        check(strstr(toile_error_message(), path) != NULL);
    } else {
        read_samples(r, size);
        pc2_free(r);
    }
    close(descriptor);
    return 0;
}
