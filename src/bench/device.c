#include "bench/device.h"

#include <stdio.h>
#include <string.h>

#include "app/devices.h"
#include "base/error.h"
#include "io/json.h"

bool device_is_cpu(const char *device) {
    return strcmp(device, "cpu") == 0;
}

toile_result device_check_cpu(const char *bench, const char *device, const char *why) {
    if (!device || device_is_cpu(device)) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_INVALID, "bench %s: --device: expected cpu, found '%s': %s", bench,
                     make_printable(device).text, why);
}

toile_result device_choose(const char *asked, const char **device) {
    *device = asked ? asked : "cpu";
    return asked ? device_check(asked) : TOILE_OK;
}

device_ending device_file_ending(const char *device) {
    device_ending ending = {""};
    if (!device_is_cpu(device)) {
        snprintf(ending.text, sizeof ending.text, "_%s", device);
    }
    return ending;
}
