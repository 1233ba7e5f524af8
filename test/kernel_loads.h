/* What drivers define for kernel/system.h, for tests that compile it alone: in the words that GLSL
 * and CUDA share. */
#define PLACE int
#define SYSTEM
#define SYSTEM_HERE

#include "kernel/block.h"

KERNEL_FN v3 load_move(int k) {
    return v3_make(float(k), 0.0f, 0.0f);
}

KERNEL_FN float load_inertia(int k) {
    return float(k);
}

KERNEL_FN v4 load_spring(int q, int k) {
    return v4_make(load_move(k), float(q));
}

KERNEL_FN block load_block(int q, int k) {
    return block_make(load_move(k), load_move(q));
}
