/* What the machine's memory can do, to compare with. */
#ifndef TOILE_BENCH_TRIAD_H
#define TOILE_BENCH_TRIAD_H

/* Bytes a second of a = b + s c over arrays that no cache holds, median of some rounds. threads: 0
 * for all there are. NaN without the memory. */
double triad_measure(int threads);

#endif
