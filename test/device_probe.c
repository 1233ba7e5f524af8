/* Runs a test on a device, or skips it where the device cannot be used:
 *
 *     device_probe DEVICE PROGRAM
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toile/toile.h"

int main(int argc, char *argv[]) {
    if (argc != 3) {
        fprintf(stderr, "usage: device_probe DEVICE PROGRAM\n");
        return 2;
    }
    for (int i = 0; i < toile_device_count(); i++) {
        toile_device_info info = toile_device_get_info(i);
        if (strcmp(info.name, argv[1]) == 0 && info.available) {
            setenv("TOILE_TEST_DEVICE", argv[1], 1);
            execv(argv[2], (char *[]){argv[2], NULL});
            perror(argv[2]);
            return 1;
        }
        if (strcmp(info.name, argv[1]) == 0) {
            printf("skipped: %s\n", info.reason);
            return 77;
        }
    }
    fprintf(stderr, "device_probe: this library has no device %s\n", argv[1]);
    return 1;
}
