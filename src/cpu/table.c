/* The passes of one instruction set. */
#include "cpu/newton.h"

#define NAME2(isa) #isa
#define NAME(isa)  NAME2(isa)

static const newton_table newton = {.passes = {[NEWTON_START] = CPU_FN(newton_start),
                                               [NEWTON_SPRINGS] = CPU_FN(newton_springs),
                                               [NEWTON_STIFFEN] = CPU_FN(newton_stiffen),
                                               [NEWTON_TOGETHER] = CPU_FN(newton_together),
                                               [NEWTON_JOINED] = CPU_FN(newton_joined),
                                               [NEWTON_FORCES] = CPU_FN(newton_forces),
                                               [NEWTON_LOCAL] = CPU_FN(newton_local),
                                               [NEWTON_COARSEN] = CPU_FN(newton_coarsen),
                                               [NEWTON_DEFECT] = CPU_FN(newton_defect),
                                               [NEWTON_DOWN] = CPU_FN(newton_down),
                                               [NEWTON_UP] = CPU_FN(newton_up),
                                               [NEWTON_SWEEP] = CPU_FN(newton_sweep),
                                               [NEWTON_DIRECTION] = CPU_FN(newton_direction),
                                               [NEWTON_PRODUCT] = CPU_FN(newton_product),
                                               [NEWTON_ADVANCE] = CPU_FN(newton_advance),
                                               [NEWTON_MOVE] = CPU_FN(newton_move),
                                               [NEWTON_END] = CPU_FN(newton_end)}};

const pass_table CPU_FN(passes) = {
    .name = NAME(CPU_ISA),
    .newton = &newton,
    .row_passes =
        {
            [PASS_BACKUP] = CPU_FN(backup_rows),
            [PASS_WIND] = CPU_FN(wind_rows),
            [PASS_FORCE] = CPU_FN(spring_rows),
            [PASS_INTEGRATE] = CPU_FN(integrate_rows),
            [PASS_DETECT] = CPU_FN(detect_rows),
            [PASS_LIMIT] = CPU_FN(limit_rows),
            [PASS_LIMIT_BACK] = CPU_FN(limit_back_rows),
            [PASS_REST] = CPU_FN(rest_rows),
            [PASS_REST_BACK] = CPU_FN(rest_back_rows),
            [PASS_RESPOND] = CPU_FN(respond_rows),
            [PASS_MOVE] = CPU_FN(move_rows),
            [PASS_CHECK] = CPU_FN(check_rows),
            [PASS_PREDICT] = CPU_FN(predict_rows),
            [PASS_RESTRICT] = CPU_FN(restrict_rows),
            [PASS_UPSAMPLE] = CPU_FN(upsample_rows),
            [PASS_BEND] = CPU_FN(bend_rows),
            [PASS_RELAX_EVEN] = CPU_FN(relax_even_rows),
            [PASS_RELAX_ODD] = CPU_FN(relax_odd_rows),
            [PASS_JACOBI] = CPU_FN(jacobi_rows),
            [PASS_JACOBI_BACK] = CPU_FN(jacobi_back_rows),
            [PASS_JACOBI_COPY] = CPU_FN(jacobi_copy_rows),
            [PASS_PROJECT_OUT] = CPU_FN(project_out_rows),
            [PASS_BEGIN] = CPU_FN(begin_rows),
            [PASS_STAGE] = CPU_FN(stage_rows),
            [PASS_REBOUND] = CPU_FN(rebound_rows),
            [PASS_NORMAL] = CPU_FN(normal_rows),
            [PASS_CURL] = CPU_FN(curl_rows),
            [PASS_CHANGE] = CPU_FN(change_rows),
            [PASS_VELOCITY] = CPU_FN(velocity_rows),
        },
};
