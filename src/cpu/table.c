/* The passes of one instruction set. */
#include "cpu/passes.h"

#define NAME2(isa) #isa
#define NAME(isa)  NAME2(isa)

const pass_table CPU_FN(passes) = {
    .name = NAME(CPU_ISA),
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
            [PASS_READY] = CPU_FN(ready_rows),
            [PASS_STAGE] = CPU_FN(stage_rows),
            [PASS_KEEP] = CPU_FN(keep_rows),
            [PASS_REBOUND] = CPU_FN(rebound_rows),
            [PASS_NORMAL] = CPU_FN(normal_rows),
            [PASS_CURL] = CPU_FN(curl_rows),
            [PASS_CHANGE] = CPU_FN(change_rows),
            [PASS_LOCAL] = CPU_FN(local_rows),
            [PASS_RESIDUAL] = CPU_FN(residual_rows),
            [PASS_DEFECT] = CPU_FN(defect_rows),
            [PASS_DOWN] = CPU_FN(down_rows),
            [PASS_EXACT] = CPU_FN(exact_rows),
            [PASS_UP] = CPU_FN(up_rows),
            [PASS_SWEEP] = CPU_FN(sweep_rows),
            [PASS_SWEEP_BACK] = CPU_FN(sweep_back_rows),
            [PASS_CORRECT] = CPU_FN(correct_rows),
            [PASS_VELOCITY] = CPU_FN(velocity_rows),
        },
};
