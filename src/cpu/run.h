/* The steps of the CPU device. */
#ifndef TOILE_CPU_RUN_H
#define TOILE_CPU_RUN_H

#include "base/team.h"
#include "cpu/ccd.h"
#include "cpu/coarse.h"
#include "cpu/maps.h"
#include "cpu/meet.h"
#include "cpu/meshes.h"
#include "cpu/newton_run.h"
#include "cpu/passes.h"
#include "cpu/self.h"
#include "device/device.h"

struct device_context {
    team *team;        /* the world's */
    int used;          /* in the last step */
    unsigned substeps; /* that were begun before the step */
    const pass_table *passes;
    self_table *self;    /* NULL unless cloths collide with each other by their texels, */
    meet_table *meet;    /* or by their meshes, within bounds */
    map_set maps;        /* empty unless they collide with images of bodies */
    newton_state newton; /* empty unless the solver is implicit, as is the next */
    pass_args *panels;   /* a cloth: what its passes read; solve */
};

struct device_cloth {
    cloth_state state;
    const panel *panel;
    hierarchy hierarchy; /* empty with springs, as is the next */
    coarse_state coarse;
    implicit_state implicit; /* empty unless the solver is */
    ccd_state ccd;           /* empty unless texels collide by PASS_CCD */
};

toile_result cpu_run(device_context *context, step_plan *plan, device_cloth *const *cloths,
                     toile_profile *profile, device_solved *solved, device_failure *failure);

#endif
