#include "device/device.h"

const device *const device_list[] = {&cpu_device,
#ifdef TOILE_GL
                                     &gl_device,
                                     &gl_fragment_device,
#endif
                                     &null_device, NULL};
