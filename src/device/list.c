#include "device/device.h"

const device *const device_list[] = {&cpu_device, &null_device, NULL};
