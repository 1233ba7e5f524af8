/* toile run: simulate a scene. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/devices.h"
#include "app/earlier.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "app/path.h"
#include "app/simulation.h"
#include "base/error.h"
#include "io/json.h"

typedef struct run_options {
    const char *scene;
    const char *folder;
    const char *device;
    int threads;
    int frames; /* 0: as the scene says */
    const char *format;
    const char *report;
    const char *checkpoint;
    int every;
    const char *resume;
    bool quiet;
} run_options;

static const struct {
    const char *word;
    unsigned formats;
} format_words[] = {
    {"glb", FORMAT_GLB | FORMAT_PC2},
    {"obj", FORMAT_OBJ | FORMAT_PC2},
    {"pc2", FORMAT_PC2},
    {"none", 0},
};
enum { FORMAT_WORDS = sizeof format_words / sizeof format_words[0] };

static toile_result unknown_format(const char *word) {
    const char *best = NULL;
    for (int i = 0; i < FORMAT_WORDS; i++) {
        best = nearer_word(word, best, format_words[i].word);
    }
    return error_set(
        TOILE_ERROR_INVALID,
        "--format: expected glb, obj, pc2, separated by commas, or none, found '%s'%s%s%s",
        make_printable(word).text, best ? ", did you mean '" : "", best ? best : "",
        best ? "'?" : "");
}

static toile_result read_formats(const char *list, unsigned *formats) {
    bool none = false;
    *formats = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        char word[PRINTABLE_SIZE];
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
        int i = 0;
        while (i < FORMAT_WORDS && strcmp(word, format_words[i].word) != 0) {
            i++;
        }
        if (i == FORMAT_WORDS) {
            return unknown_format(word);
        }
        *formats |= format_words[i].formats;
        none = none || format_words[i].formats == 0;
        at += length;
        if (!*at) {
            break;
        }
    }
    if (none && *formats) {
        return error_set(TOILE_ERROR_INVALID, "--format: expected none alone, found '%s'",
                         make_printable(list).text);
    }
    return TOILE_OK;
}

/* out/NAME for a scene in some/where/NAME.json */
static toile_result default_folder(const char *scene_path, char **out) {
    const char *slash = strrchr(scene_path, '/');
    const char *name = slash ? slash + 1 : scene_path;
    size_t length = strlen(name);
    if (length > 5 && path_ends_with(name, ".json")) {
        length -= 5;
    }
    return path_format(out, "out/%.*s", (int)length, name);
}

static bool is_interrupted(void *user) {
    (void)user;
    return interrupt_asked();
}

static void apply_options(scene *s, const run_options *o) {
    s->world.threads = o->threads;
    s->world.stop = is_interrupted;
    if (o->frames > 0) {
        s->frames = o->frames;
    }
    if (o->device) {
        s->world.device = o->device;
    }
}

/* " --report 'x'", or nothing where there is no value. */
static toile_result print_option(const char *option, const char *value) {
    char *quoted;
    toile_result result = value ? path_quote(value, &quoted) : TOILE_OK;
    if (value && result == TOILE_OK) {
        printf(" %s %s", option, quoted);
        free(quoted);
    }
    return result;
}

static void print_number(const char *option, int value) {
    if (value > 0) {
        printf(" %s %d", option, value);
    }
}

/* All that was asked for, but for the checkpoint that it began with. */
static toile_result print_resume(const scene *s, const run_options *o, const simulation_end *end) {
    char *own = NULL;
    toile_result result = o->checkpoint ? TOILE_OK : path_format(&own, "%s/checkpoint", o->folder);
    printf("interrupted at frame %u of %d; resume with: toile", (unsigned)end->frame, s->frames);
    const struct {
        const char *option, *value;
    } words[] = {
        {"run", o->scene},
        {"-o", o->folder},
        {"--resume", o->checkpoint ? o->checkpoint : own},
        {"--checkpoint", o->checkpoint},
        {"--report", o->report},
        {"--device", o->device},
        {"--format", o->format},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0] && result == TOILE_OK; i++) {
        result = print_option(words[i].option, words[i].value);
    }
    print_number("--frames", o->frames);
    print_number("--every", o->every);
    print_number("--threads", o->threads);
    puts(o->quiet ? " --quiet" : "");
    free(own);
    return result;
}

static toile_result print_end(const scene *s, const run_options *o, const simulation_end *end) {
    recording_def def = {.folder = o->folder, .formats = end->formats, .scene = s};
    recording_print(&def, end->frame, stdout);
    if (o->report) {
        puts(o->report);
    }
    printf("verdict: ");
    report_print_verdict(&end->report, stdout);
    for (int i = 0; i < end->report.reason_count; i++) {
        printf("  %s\n", end->report.reasons[i]);
    }
    if (end->keeps_earlier) {
        printf("earlier results are kept in %s/" EARLIER " until a run is complete\n", o->folder);
    }
    return end->interrupted ? print_resume(s, o, end) : TOILE_OK;
}

static int simulate_and_tell(const scene *s, const run_options *o, const simulation_def *def) {
    simulation_end end;
    interrupt_watch();
    toile_result result = simulate(s, def, &end);
    if (result != TOILE_OK && result != TOILE_ERROR_NUMERICAL) {
        return command_end(result);
    }
    int status = command_end(result);
    toile_result printed = o->quiet ? TOILE_OK : print_end(s, o, &end);
    if (printed != TOILE_OK) {
        return command_end(printed);
    }
    return status == STATUS_GOOD ? command_verdict(&end.report) : status;
}

static toile_result check_options(const run_options *o, simulation_def *def) {
    toile_result result = read_formats(o->format ? o->format : "glb", &def->formats);
    def->glb_may_miss = !o->format;
    if (result == TOILE_OK && o->device) {
        result = device_check(o->device);
    }
    return result;
}

static int run_with(run_options *o) {
    simulation_def def = {.checkpoint = o->checkpoint,
                          .every = o->every,
                          .report = o->report,
                          .resume = o->resume,
                          .quiet = o->quiet};
    scene *s = NULL;
    char *folder = NULL;
    toile_result result = check_options(o, &def);
    if (result == TOILE_OK && !o->folder) {
        result = default_folder(o->scene, &folder);
        o->folder = folder;
    }
    if (result == TOILE_OK) {
        result = scene_load(o->scene, &s);
    }
    int status;
    if (result == TOILE_OK) {
        apply_options(s, o);
        def.folder = o->folder;
        status = simulate_and_tell(s, o, &def);
    } else {
        status = command_end(result);
    }
    scene_free(s);
    free(folder);
    return status;
}

static int run(int argc, char *argv[]) {
    run_options o = {0};
    const option_spec specs[] = {
        {.name = "o", .text = &o.folder},
        {.name = "device", .text = &o.device},
        {.name = "threads", .number = &o.threads, .low = 0, .high = 1024},
        {.name = "frames", .number = &o.frames, .low = 1, .high = 1000000},
        {.name = "format", .text = &o.format},
        {.name = "report", .text = &o.report},
        {.name = "checkpoint", .text = &o.checkpoint},
        {.name = "every", .number = &o.every, .low = 1, .high = 1000000},
        {.name = "resume", .text = &o.resume},
        {.name = "quiet", .flag = &o.quiet},
        {0},
    };
    toile_result result = options_parse(argc, argv, specs, "a scene file", &o.scene);
    return result == TOILE_OK ? run_with(&o) : command_end(result);
}

const command run_command = {
    .name = "run",
    .summary = "simulate a scene and write its motion",
    .help =
        "usage: toile run SCENE.json [options]\n"
        "\n"
        "Simulates a scene and writes its motion and a report into a folder.\n"
        "\n"
        "  -o DIR             the folder; default: out/SCENE\n"
        "  --device NAME      auto, cpu, gl, gl-fragment or cuda; default: as the scene\n"
        "                     says\n"
        "  --threads N        0, the default, means all there are; the result is the same\n"
        "  --frames N         frames to simulate; default: as the scene says\n"
        "  --format LIST      what to write, separated by commas; default: glb\n"
        "                       glb   motion.glb: everything, moving, as glTF 2.0\n"
        "                       obj   obj/CLOTH_0000.obj ...: every frame\n"
        "                       pc2   only CLOTH.pc2, the motion as a point cache, and the last\n"
        "                             frame as CLOTH.obj, which glb and obj bring along\n"
        "                       none  only the report\n"
        "  --report FILE      write the report to this file as well as to DIR/report.json\n"
        "  --checkpoint FILE  write the whole state to this file at the end and on an interrupt;\n"
        "                     without it, an interrupt writes DIR/checkpoint\n"
        "  --every N          write the checkpoint after every N frames and at the end; without\n"
        "                     --checkpoint to DIR/checkpoint\n"
        "  --resume FILE      go on from a checkpoint with the motion in DIR; gives the same bits\n"
        "                     as never having stopped. Where all frames are there, writes what is\n"
        "                     missing\n"
        "  --quiet            print nothing but errors and warnings\n"
        "\n"
        "DIR/files.txt lists the files that runs wrote. A run replaces and removes only these,\n"
        "and only if nobody has changed them since; anything else in its way is an error, and\n"
        "nothing is changed. Results of earlier runs are moved to DIR/earlier/1 and so on, and\n"
        "removed when a run is complete. The state is written first at the end: when something\n"
        "after it fails, --resume DIR/checkpoint makes it again.\n"
        "\n"
        "Long options are written in full. Ctrl-C, SIGTERM and SIGHUP end the run with the last\n"
        "whole frame: what was written is whole and can be resumed.\n"
        "Every frame is judged, or every so many as the scene says, and the last one.\n"
        "Exit status: 0 good, 1 the verdict is bad, 2 mistake of the user, 3 numerical failure,\n"
        "4 something is missing, such as a device, 5 interrupted, whatever the verdict so far.\n",
    .run = run,
};
