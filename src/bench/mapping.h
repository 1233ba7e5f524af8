/* `toile bench mapping`. */
#ifndef TOILE_BENCH_MAPPING_H
#define TOILE_BENCH_MAPPING_H

/* How much is lost between the mesh and the grid of a panel (Schmitt 2013 section 4.3), and how
 * long it takes. argv[0] is what messages begin with, the rest are options. Returns an exit status.
 */
int bench_mapping(int argc, char *argv[]);

#endif
