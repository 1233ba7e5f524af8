/* The passes that run over texels. They are compiled once for each instruction set
 * (src/CMakeLists.txt) from the same files; no operation is contracted or reordered, so all sets
 * give the same bits. */
#ifndef TOILE_CPU_PASSES_H
#define TOILE_CPU_PASSES_H

#include <float.h>

#include "device/hierarchy.h"
#include "device/implicit_state.h"
#include "device/plan.h"

/* Everything a pass over some rows of a cloth reads. */
typedef struct pass_args {
    const step_plan *plan;
    const cloth_params *params;
    cloth_state *state;
    const hierarchy *hierarchy;     /* empty when there are springs only */
    const implicit_state *implicit; /* empty unless the solver is */
    float share;                    /* of the substep, PASS_INTEGRATE */
    int parity;                     /* of the substep: which of the plan's two moments */
    int level;                      /* that the pass works on */
    bool again;                     /* not the first cycle of the substep */
    bool backwards;                 /* PASS_RELAX_EVEN and _ODD: the sets in reverse order */
} pass_args;

/* Where positions are predicted: before bending, if there is any, which goes from there to x, y, z.
 */
static inline level_plane predicted_plane(const pass_args *args) {
    return args->params->bend_taken[0] > 0.0f ? LEVEL_qx : LEVEL_x;
}

/* A texel of a vector field, whose three planes follow each other. */
static inline v3 planes_get(float *const *planes, size_t k) {
    return v3_make(planes[0][k], planes[1][k], planes[2][k]);
}

static inline void planes_put(float *const *planes, size_t k, v3 value) {
    planes[0][k] = value.x;
    planes[1][k] = value.y;
    planes[2][k] = value.z;
}

/* Over rows of the level; PASS_RELAX_EVEN and _ODD over pairs of rows. */
typedef void row_pass(const pass_args *args, int row_begin, int row_end);

typedef struct pass_table {
    const char *name;
    row_pass *row_passes[PASS_COUNT]; /* NULL: not a pass over texels */
    const struct newton_table *newton;
} pass_table;

extern const pass_table passes_scalar, passes_baseline, passes_avx2, passes_avx512;

/* The best table this machine can run, or the one that TOILE_SIMD names in the environment. */
const pass_table *passes_choose(void);

/* Within the files that are compiled for each instruction set. */
#ifdef CPU_ISA
#define CPU_JOIN2(name, isa) name##_##isa
#define CPU_JOIN(name, isa)  CPU_JOIN2(name, isa)
#define CPU_FN(name)         CPU_JOIN(name, CPU_ISA)

row_pass CPU_FN(wind_rows), CPU_FN(spring_rows), CPU_FN(integrate_rows), CPU_FN(detect_rows),
    CPU_FN(limit_rows), CPU_FN(limit_back_rows), CPU_FN(rest_rows), CPU_FN(rest_back_rows),
    CPU_FN(respond_rows), CPU_FN(move_rows), CPU_FN(check_rows), CPU_FN(backup_rows),
    CPU_FN(predict_rows), CPU_FN(restrict_rows), CPU_FN(upsample_rows), CPU_FN(bend_rows),
    CPU_FN(relax_even_rows), CPU_FN(relax_odd_rows), CPU_FN(jacobi_rows), CPU_FN(jacobi_back_rows),
    CPU_FN(jacobi_copy_rows), CPU_FN(project_out_rows), CPU_FN(velocity_rows), CPU_FN(begin_rows),
    CPU_FN(stage_rows), CPU_FN(change_rows), CPU_FN(rebound_rows), CPU_FN(normal_rows),
    CPU_FN(curl_rows);

/* Velocities of a row without springs or constraints: damped, and with gravity and wind. */
void CPU_FN(predict_velocity)(const pass_args *args, size_t first);

/* A vector field at a row: three planes from column 0 on. */
typedef struct field {
    const float *restrict x, *restrict y, *restrict z;
} field;

__attribute__((always_inline)) static inline v3 field_at(field f, ptrdiff_t k) {
    return v3_make(f.x[k], f.y[k], f.z[k]);
}

static inline field field_from(const float *x, const float *y, const float *z, size_t first) {
    return (field){x + first, y + first, z + first};
}
#endif

#endif
