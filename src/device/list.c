#include "device/device.h"

#include "device/maps.h"

#ifdef TOILE_GL
extern const map_drawer gl_map_drawer; /* of gl/maps.c */
const map_drawer *const map_drawer_here = &gl_map_drawer;
#else
const map_drawer *const map_drawer_here = NULL;
#endif

const device *const device_list[] = {&cpu_device,
#ifdef TOILE_GL
                                     &gl_device, &gl_fragment_device,
#endif
                                     &null_device, NULL};
