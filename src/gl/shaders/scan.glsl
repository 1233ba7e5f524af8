/* Sums over the threads of a work group of SELF_LINE. All of them call these together. */
#ifndef TOILE_GL_SCAN
#define TOILE_GL_SCAN

shared uint scan_sums[SELF_LINE];

/* The counts of all threads up to and with this one. */
uint scan_up_to(int own, uint count) {
    barrier();
    scan_sums[own] = count;
    barrier();
    for (int apart = 1; apart < SELF_LINE; apart *= 2) {
        uint other = own >= apart ? scan_sums[own - apart] : 0u;
        barrier();
        scan_sums[own] += other;
        barrier();
    }
    return scan_sums[own];
}

/* Those of all, after it. */
uint scan_total() {
    return scan_sums[SELF_LINE - 1];
}

#endif
