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
        },
};
