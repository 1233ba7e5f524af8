#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "base/error.h"
#include "bench/mapping.h"
#include "io/json.h"

static const struct {
    const char *name;
    int (*run)(int argc, char *argv[]);
} benches[] = {
    {"ccd", bench_ccd},           {"contact", bench_contact}, {"hang", bench_hang},
    {"implicit", bench_implicit}, {"mapping", bench_mapping}, {"safety", bench_safety},
    {"schmitt", bench_schmitt},   {"spring", bench_spring},   {"wang", bench_wang},
};
enum { BENCHES = sizeof benches / sizeof *benches };

/* "ccd, contact, hang, implicit, mapping, safety, schmitt, spring or wang" */
static const char *list_benches(void) {
    static char list[256];
    size_t used = 0;
    for (int i = 0; i < BENCHES && used < sizeof list; i++) {
        const char *join = i == 0 ? "" : i + 1 < BENCHES ? ", " : " or ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", join, benches[i].name);
    }
    return list;
}

static int bench(int argc, char *argv[]) {
    if (argc < 2) {
        return command_end(
            error_set(TOILE_ERROR_INVALID, "bench: expected what to measure: %s", list_benches()));
    }
    const char *best = NULL;
    for (int i = 0; i < BENCHES; i++) {
        if (strcmp(argv[1], benches[i].name) == 0) {
            argv[1] = argv[0]; /* what messages begin with */
            return benches[i].run(argc - 1, argv + 1);
        }
        best = nearer_word(argv[1], best, benches[i].name);
    }
    if (best) {
        return command_end(error_set(TOILE_ERROR_INVALID,
                                     "bench: unknown benchmark '%s', did you mean '%s'?",
                                     make_printable(argv[1]).text, best));
    }
    return command_end(error_set(TOILE_ERROR_INVALID, "bench: unknown benchmark '%s': expected %s",
                                 make_printable(argv[1]).text, list_benches()));
}

const command bench_command = {
    .name = "bench",
    .summary = "measure the speed of this machine",
    .help =
        "usage: toile bench spring [-o FILE.csv]\n"
        "       toile bench ccd [--out FOLDER] [--quick]\n"
        "       toile bench contact [--scenes FOLDER] [--device NAME] [--frames N] [--bounded]\n"
        "                        [--threads N] [--out FOLDER] [--quick]\n"
        "       toile bench mapping [--out FOLDER] [--device NAME] [--quick]\n"
        "       toile bench hang [--sizes LIST] [--solver NAME] [--substeps N] [--levels N]\n"
        "                        [--cycles N] [--iterations N] [--device NAME] [--threads N]\n"
        "                        [--out FOLDER] [--quick]\n"
        "       toile bench implicit [--device NAME] [--threads N] [--out FOLDER] [--quick]\n"
        "       toile bench safety [--quality NAME] [--every N] [--run N] [--threads N]\n"
        "                        [--out FOLDER] [--quick]\n"
        "       toile bench schmitt [--only PART] [--measure NAME] [--device NAME] [--threads N]\n"
        "                        [--out FOLDER] [--quick]\n"
        "       toile bench wang [--device cpu|gl] [--frames N] [--budget SECONDS] [--threads N]\n"
        "                        [--out FOLDER] [--quick]\n"
        "\n"
        "Prints tables and keeps them as CSV, named after the machine.\n"
        "\n"
        "  spring    speed of the mass-spring solver by instruction set and threads\n"
        "  ccd       how long it takes to find what cloth meets of a body that moves, by a tree "
        "and\n"
        "            by the boxes of Wang 2005; with 1 and 2 threads, and charts as SVG\n"
        "  contact   the scenes of a folder, in the worst of all frames: triangles that cut each\n"
        "            other, depth in bodies, energy beyond that of the start in weight times size\n"
        "            (bodies and pins that move give some), beside iterations and time\n"
        "  mapping   what is lost between the mesh and the grid of a panel (Schmitt 2013, section\n"
        "            4.3), and how long it takes; with --device gl how long it takes there with "
        "the\n"
        "            graphics pipeline, beside Table 1\n"
        "  hang      strain and time of a square metre that swings down over a sphere\n"
        "  implicit  the implicit solver on that scene at eight resolutions, beside the others "
        "and\n"
        "            what it is to reach; with charts as SVG; some minutes\n"
        "  safety    1440 small cloths, of every fabric, that swing, fall and are hit: does one "
        "gain\n"
        "            energy, or is it stretched too far? Status 1 if so; half an hour\n"
        "  schmitt   Figures 9 to 11 of Schmitt 2013 on that scene, the drape against resolution,\n"
        "            and one level against many; with charts as SVG; some minutes\n"
        "  wang      Tables 7.1 and 7.2 of Wang 2005 on the mannequin: frames per second of a "
        "cloak\n"
        "            by solver and size, and how much of it is inside the body; some minutes\n"
        "\n"
        "  -o FILE.csv      the file; default: one under bench/results\n"
        "  --out FOLDER     where files go; default: bench/results\n"
        "  --scenes FOLDER  of contact; default: scenes/contact\n"
        "  --sizes LIST     texels along an edge, such as 33,101\n"
        "  --solver NAME    mass-spring, multilevel or implicit; default: the library's\n"
        "  --substeps N, --levels N, --cycles N, --iterations N\n"
        "                   of the solver; 0, the default: the library's\n"
        "  --device NAME    cpu, the default, or another that `toile devices` lists; spring and\n"
        "                   mapping know only the CPU\n"
        "  --quality NAME   of safety: default, game or film, of the solver\n"
        "  --every N        only the runs whose numbers are multiples of N\n"
        "  --run N          only that run, by the number in the table\n"
        "  --only PART      iterations, levels, strain, drape or speed\n"
        "  --measure NAME   what the paper's figures hold at 10 % strain: the mean over the cloth\n"
        "                   (the default), p99, p999 or max\n"
        "  --bounded        of contact: cloth within bounds, whatever the scenes say\n"
        "  --frames N       of a cell of the tables, default: 30; of contact the most of a scene\n"
        "  --budget N       seconds; a cell that would take longer is given up after a few "
        "frames,\n"
        "                   and larger ones are left out; default: 10\n"
        "  --threads N      of the CPU, 0 for all there are; default: 2\n"
        "  --quick          tiny cloths: tries everything, and measures nothing of use\n",
    .run = bench,
};
