/* `toile bench`: how fast this machine is. */
#ifndef TOILE_APP_BENCH_H
#define TOILE_APP_BENCH_H

/* argv[0] is the benchmark's name, such as "spring"; the rest are its options. Returns an exit
 * status. */
int bench_command(int argc, char **argv);

#endif
