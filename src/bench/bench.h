/* The benchmarks of `toile bench`. Each reads its own options; argv[0] is "bench". Returns an exit
 * status. */
#ifndef TOILE_BENCH_BENCH_H
#define TOILE_BENCH_BENCH_H

int bench_ccd(int argc, char *argv[]);
int bench_contact(int argc, char *argv[]);
int bench_hang(int argc, char *argv[]);
int bench_implicit(int argc, char *argv[]);
int bench_safety(int argc, char *argv[]);
int bench_schmitt(int argc, char *argv[]);
int bench_spring(int argc, char *argv[]);
int bench_wang(int argc, char *argv[]);

#endif
