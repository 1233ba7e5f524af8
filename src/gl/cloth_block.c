#include "gl/cloth_block.h"

#include <float.h>

#include "kernel/limit.h"

grid_block gl_grid(const grid *g) {
    return (grid_block){.columns = g->columns,
                        .rows = g->rows,
                        .stride = g->stride,
                        .first = (int)grid_index(g, 0, 0),
                        .size = (int)g->size};
}

void gl_fill_contacts(const step_plan *plan, int index, contact_block *out) {
    const cloth_params *p = &plan->cloths[index];
    for (int b = 0; b < plan->body_count; b++) {
        out[b] = (contact_block){.distance = p->contact_distance[b],
                                 .coarse_distance = p->coarse_distance[b],
                                 .friction = p->contact_friction[b]};
    }
}

cloth_block cloth_block_of(const step_plan *plan, int index, const grid *g) {
    const cloth_params *p = &plan->cloths[index];
    return (cloth_block){
        .grid = gl_grid(g),
        .spacing = p->spacing,
        .diagonal = p->diagonal,
        .stretch_u = p->stretch_u,
        .stretch_v = p->stretch_v,
        .shear = p->shear,
        .bend = p->bend,
        .stretch_retardation = p->stretch_retardation,
        .bend_retardation = p->bend_retardation,
        .longest = p->longest,
        .nearly = p->limited ? limit_nearly(p->longest, p->spacing) : FLT_MAX,
        .cell_mass = p->cell_mass,
        .compliance_u = p->compliance_u,
        .compliance_v = p->compliance_v,
        .compliance_shear = p->compliance_shear,
        .bend_lag = p->bend_lag,
        .curl_u = p->curl_u,
        .curl_v = p->curl_v,
        .bend_rate = p->bend_rate,
        .substep = plan->substep,
        .moment = plan->moment,
        .pace = plan->pace,
        .gravity_x = plan->gravity.x,
        .gravity_y = plan->gravity.y,
        .gravity_z = plan->gravity.z,
        .viscosity = plan->viscosity,
        .persistence = plan->persistence,
        .relaxation = plan->relaxation,
        .jacobi_relaxation = plan->jacobi_relaxation,
        .drag = plan->wind.drag,
        .lift = plan->wind.lift,
        .windy = plan->wind.on,
        .body_count = plan->body_count,
        .mark = index,
        .pin_count = plan->pin_count,
        .coarse_only = plan->coarse_only,
        .grip_follow = plan->grip_follow,
        .strike = p->strike,
        .span = plan->span,
        .looks = p->looks,
    };
}
