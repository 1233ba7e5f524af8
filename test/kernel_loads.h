/* What drivers define for kernel/system.h and others, for tests that compile them alone: in
 * the words that GLSL and CUDA share. */
#define PLACE int
#define SYSTEM
#define SYSTEM_HERE
#define COUPLED
#define COUPLED_HERE

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

KERNEL_FN int load_count(int row) {
    return row;
}

KERNEL_FN v3 load_coupled(int row, int k) {
    return load_move(row + k);
}

KERNEL_FN float load_row_weight(int row, int k) {
    return float(row + k);
}

KERNEL_FN float load_bend(int w, int k) {
    return float(w + k);
}

KERNEL_FN v3 load_aim(int row) {
    return load_move(row);
}

KERNEL_FN block load_stiffness(int row) {
    return block_make(load_move(row), load_move(0));
}

KERNEL_FN v3 load_pull(int row) {
    return load_move(row);
}

KERNEL_FN int load_entry_row(int entry) {
    return entry;
}

KERNEL_FN float load_entry_weight(int entry) {
    return float(entry);
}

KERNEL_FN float load_entry_share(int entry) {
    return float(entry);
}
