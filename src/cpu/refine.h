/* Refinement on the CPU: slow, and the reference of every pass. */
#ifndef TOILE_CPU_REFINE_H
#define TOILE_CPU_REFINE_H

#include "cpu/refine_image.h"

extern const refine_driver cpu_refine_driver;

/* For tests: the layers of the last step. */
const refine_images *cpu_refine_images(const refiner *r);

#endif
