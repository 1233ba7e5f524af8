#include "device/device.h"

#include "device/maps.h"
#include "device/refined.h"

extern const refine_driver cpu_refine_driver, gl_refine_driver; /* of cpu/refine.c, gl/refine.c */

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

const refine_driver *const refine_drivers[] = {&cpu_refine_driver,
#ifdef TOILE_GL
                                               &gl_refine_driver,
#endif
                                               NULL};
