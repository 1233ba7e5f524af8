/* The option --device of benchmarks. */
#ifndef TOILE_BENCH_DEVICE_H
#define TOILE_BENCH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "toile/toile.h"

bool device_is_cpu(const char *device);

/* Of a benchmark that runs on the CPU alone: refuses any other device, and says why and what
 * measures it instead. device: NULL if none was asked for. */
toile_result device_check_cpu(const char *bench, const char *device, const char *why);

/* The device that was asked for, "cpu" for NULL, if it can be used here. */
toile_result device_choose(const char *asked, const char **device);

/* What names of files get behind those of the CPU: "_gl". */
typedef struct device_ending {
    char text[32];
} device_ending;
device_ending device_file_ending(const char *device);

#endif
