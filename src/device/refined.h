/* The memory of a cloth that is refined (TOILE_SOLVER_REFINE): its finest grid, which a refiner
 * makes anew in each step. A table of functions as of any device; texels are fetched from the
 * refiner when somebody reads them. */
#ifndef TOILE_DEVICE_REFINED_H
#define TOILE_DEVICE_REFINED_H

#include "device/device.h"
#include "device/refine.h"

/* All that can refine, ended by NULL: device/list.c. */
extern const refine_driver *const refine_drivers[];

/* Of the driver of that name; NULL: there is none. FIELD_CHANGE is where texels were in the step
 * before, m, and no other solver's meaning of it. */
const device *refined_device(const char *name);

/* Takes another refiner, which goes on from the same texels. */
toile_result refined_open(device_cloth *cloth, const refine_def *def);

/* Refines, waits for it, and adds the times of its passes up. Without success the cloth is as it
 * was. */
toile_result refined_step(device_cloth *cloth, const refine_step *step,
                          double times[REFINE_PASS_COUNT]);
/* Undoes a step. Only after refined_fetch() in front of it. */
void refined_rewind(device_cloth *cloth);

/* Fetches what the last step made, if nobody did yet. */
void refined_fetch(const device_cloth *cloth);
/* Counts of all levels, and layers that were peeled, in the last step. */
refine_count refined_count(const device_cloth *cloth);
int refined_layers(const device_cloth *cloth);
/* What is known of each texel since then: REFINE_INSIDE and the others. */
const int32_t *refined_marks(const device_cloth *cloth);

#endif
