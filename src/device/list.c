#include "device/device.h"

#include "device/maps.h"

#ifdef TOILE_GL
map_drawer gl_draw_maps; /* of gl/maps.c */
map_drawer *const map_drawer_here = gl_draw_maps;
#else
map_drawer *const map_drawer_here = NULL;
#endif

const device *const device_list[] = {&cpu_device,
#ifdef TOILE_GL
                                     &gl_device, &gl_fragment_device,
#endif
                                     &null_device, NULL};
