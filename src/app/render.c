/* toile render: pictures and films. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "app/path.h"
#include "app/playback.h"
#include "app/progress.h"
#include "app/simulation.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/json.h"
#include "render/draw.h"
#include "render/film.h"
#include "render/picture.h"

typedef enum output_kind { OUTPUT_PICTURE, OUTPUT_PICTURES, OUTPUT_FILM } output_kind;

/* The number in "frame_%04d.png": where it stands and how wide it is. */
typedef struct number_place {
    int before; /* characters in front */
    int width;  /* least digits */
    const char *after;
} number_place;

typedef struct render_options {
    const char *source; /* scene or folder */
    const char *output;
    const char *size_text;
    int frame; /* -1: the last */
    output_kind kind;
    number_place number; /* of OUTPUT_PICTURES */
    int size[2];         /* 0: as the scene says */
} render_options;

/* ---- options ------------------------------------------------------------------------------------
 */

static bool find_number(const char *output, number_place *out) {
    const char *percent = strchr(output, '%');
    if (!percent) {
        return false;
    }
    const char *at = percent + 1;
    int width = 0;
    if (*at == '0' && isdigit((unsigned char)at[1])) {
        width = at[1] - '0';
        at += 2;
    }
    *out = (number_place){.before = (int)(percent - output), .width = width, .after = at + 1};
    return *at == 'd' && !strchr(at, '%');
}

static toile_result read_output(render_options *o) {
    if (!o->output) {
        return error_set(TOILE_ERROR_INVALID, "render: expected -o with a file to write");
    }
    if (path_ends_with(o->output, ".mp4") && !strchr(o->output, '%')) {
        o->kind = OUTPUT_FILM;
    } else if (path_ends_with(o->output, ".png") && !strchr(o->output, '%')) {
        o->kind = OUTPUT_PICTURE;
    } else if (path_ends_with(o->output, ".png") && find_number(o->output, &o->number)) {
        o->kind = OUTPUT_PICTURES;
    } else {
        return error_set(TOILE_ERROR_INVALID,
                         "render: -o: expected a name such as picture.png, film.mp4 or "
                         "frame_%%04d.png, found '%s'",
                         o->output);
    }
    if (o->frame >= 0 && o->kind != OUTPUT_PICTURE) {
        return error_set(TOILE_ERROR_INVALID,
                         "render: --frame: expected only with one picture, found '%s'", o->output);
    }
    return TOILE_OK;
}

static toile_result read_size(render_options *o) {
    char rest;
    if (o->size_text &&
        (sscanf(o->size_text, "%dx%d%c", &o->size[0], &o->size[1], &rest) != 2 || o->size[0] < 16 ||
         o->size[0] > 8192 || o->size[1] < 16 || o->size[1] > 8192)) {
        return error_set(TOILE_ERROR_INVALID,
                         "render: --size: expected WIDTHxHEIGHT from 16 to 8192 pixels, such as "
                         "1280x720, found '%s'",
                         make_printable(o->size_text).text);
    }
    return TOILE_OK;
}

/* ---- drawing ------------------------------------------------------------------------------------
 */

typedef struct rendering {
    const render_options *options;
    playback playback;
    drawer *drawer;
    draw_cloth *cloths;
    draw_body *bodies;
    draw_frame frame;
    uint8_t *rgb;
} rendering;

/* Sets the frame up for a sample. */
static toile_result show(rendering *r, uint32_t sample) {
    playback *p = &r->playback;
    toile_result result = playback_seek(p, sample);
    for (int c = 0; c < p->scene->cloth_count; c++) {
        r->cloths[c].mesh = mesh_get_view(&p->meshes.items[c], p->scene->cloths[c].def.name);
        r->cloths[c].pattern = (uint64_t)c + 1;
        memcpy(r->cloths[c].color, p->scene->cloths[c].color, sizeof r->cloths[c].color);
    }
    for (int b = 0; b < p->scene->body_count && result == TOILE_OK; b++) {
        body_sample body;
        result = playback_body(p, b, sample, &body);
        r->bodies[b].def = body.def;
        r->bodies[b].pose = body.pose;
        memcpy(r->bodies[b].color, p->scene->bodies[b].color, sizeof r->bodies[b].color);
    }
    return result;
}

/* Floor, light and a camera of its own choice are fitted to all that will be seen. */
static toile_result choose_view(rendering *r, uint32_t first, uint32_t last) {
    draw_bounds all = {0};
    toile_result result = TOILE_OK;
    for (uint32_t sample = first; sample <= last && result == TOILE_OK; sample++) {
        result = show(r, sample);
        draw_bounds bounds = draw_frame_bounds(&r->frame);
        all = sample == first ? bounds : draw_bounds_union(all, bounds);
    }
    r->frame.bounds = all;
    if (result == TOILE_OK && !r->frame.camera.given) {
        r->frame.camera = draw_frame_camera(&r->frame);
    }
    return result;
}

static toile_result draw(rendering *r, uint32_t sample) {
    if (interrupt_asked()) {
        return error_set(TOILE_ERROR_INVALID, "interrupted before '%s' was complete",
                         r->options->output);
    }
    toile_result result = show(r, sample);
    return result == TOILE_OK ? drawer_draw(r->drawer, &r->frame, r->rgb) : result;
}

static toile_result write_picture(rendering *r, const char *path, uint32_t sample) {
    toile_result result = draw(r, sample);
    if (result == TOILE_OK) {
        const int *size = r->frame.options.size;
        result = picture_write_png(path, size[0], size[1], r->rgb);
    }
    return result;
}

static toile_result numbered_path(const render_options *o, uint32_t sample, char **out) {
    const number_place *n = &o->number;
    return path_format(out, "%.*s%0*u%s", n->before, o->output, n->width, (unsigned)sample,
                       n->after);
}

static toile_result write_numbered(rendering *r, uint32_t sample) {
    char *path;
    toile_result result = numbered_path(r->options, sample, &path);
    if (result == TOILE_OK) {
        result = write_picture(r, path, sample);
        free(path);
    }
    return result;
}

/* film: NULL for pictures one by one. */
static toile_result draw_all(rendering *r, film *f) {
    progress p;
    uint32_t samples = r->playback.samples;
    toile_result result = choose_view(r, 0, samples - 1);
    progress_start(&p, "picture", 0, samples, false);
    for (uint32_t sample = 0; sample < samples && result == TOILE_OK; sample++) {
        if (f) {
            result = draw(r, sample);
            if (result == TOILE_OK) {
                result = film_append(f, r->rgb);
            }
        } else {
            result = write_numbered(r, sample);
        }
        if (result == TOILE_OK) {
            progress_update(&p, sample + 1);
        }
    }
    progress_clear(&p);
    return result;
}

static toile_result write_film(rendering *r) {
    film *f;
    const int *size = r->frame.options.size;
    toile_result result =
        film_open(r->options->output, size[0], size[1], (double)r->playback.scene->time_step, &f);
    if (result != TOILE_OK) {
        return result;
    }
    result = draw_all(r, f);
    if (result != TOILE_OK) {
        film_discard(f);
        return result;
    }
    return film_close(f);
}

static toile_result write_one(rendering *r) {
    uint32_t last = r->playback.samples - 1;
    if (r->options->frame > (int64_t)last) {
        return error_set(TOILE_ERROR_INVALID, "render: --frame: expected 0 to %u in '%s', found %d",
                         (unsigned)last, r->options->source, r->options->frame);
    }
    uint32_t sample = r->options->frame < 0 ? last : (uint32_t)r->options->frame;
    toile_result result = choose_view(r, sample, sample);
    return result == TOILE_OK ? write_picture(r, r->options->output, sample) : result;
}

static toile_result prepare(rendering *r) {
    const scene *s = r->playback.scene;
    r->frame = (draw_frame){.cloth_count = s->cloth_count,
                            .body_count = s->body_count,
                            .camera = s->camera,
                            .options = s->render,
                            .quality = r->options->kind == OUTPUT_PICTURE ? DRAW_QUALITY_STILL
                                                                          : DRAW_QUALITY_FILM};
    if (r->options->size_text) {
        memcpy(r->frame.options.size, r->options->size, sizeof r->frame.options.size);
    }
    size_t pixels = (size_t)r->frame.options.size[0] * (size_t)r->frame.options.size[1];
    r->frame.cloths = r->cloths = memory_alloc((size_t)s->cloth_count, sizeof *r->cloths, "cloths");
    r->frame.bodies = r->bodies = memory_alloc((size_t)s->body_count, sizeof *r->bodies, "bodies");
    r->rgb = memory_alloc(pixels, 3, "a picture");
    if (!r->cloths || !r->bodies || !r->rgb) {
        return TOILE_ERROR_MEMORY;
    }
    return drawer_open(r->frame.options.size[0], r->frame.options.size[1], &r->drawer);
}

static toile_result render_run(const render_options *o, const char *folder) {
    rendering r = {.options = o};
    toile_result result = playback_open(&r.playback, folder);
    if (result == TOILE_OK) {
        result = prepare(&r);
    }
    if (result == TOILE_OK) {
        result = o->kind == OUTPUT_PICTURE ? write_one(&r)
                 : o->kind == OUTPUT_FILM  ? write_film(&r)
                                           : draw_all(&r, NULL);
    }
    drawer_close(r.drawer);
    playback_close(&r.playback);
    free(r.cloths);
    free(r.bodies);
    free(r.rgb);
    return result;
}

/* ---- the command --------------------------------------------------------------------------------
 */

/* What would stop the drawing should stop it before the simulation. */
static toile_result try_drawing(const render_options *o, const scene *s) {
    const int *size = o->size_text ? o->size : s->render.size;
    drawer *d = NULL;
    toile_result result = drawer_open(size[0], size[1], &d);
    drawer_close(d);
    film *f = NULL;
    if (result == TOILE_OK && o->kind == OUTPUT_FILM) {
        result = film_open(o->output, size[0], size[1], (double)s->time_step, &f);
        film_discard(f);
    } else if (result == TOILE_OK && o->kind == OUTPUT_PICTURE) {
        result = path_probe(o->output);
    } else if (result == TOILE_OK) {
        char *first;
        result = numbered_path(o, 0, &first);
        if (result == TOILE_OK) {
            result = path_probe(first);
            free(first);
        }
    }
    return result;
}

static toile_result simulate_into(const scene *s, const char *folder) {
    simulation_def def = {.folder = folder, .formats = FORMAT_PC2};
    simulation_end end;
    toile_result result = simulate(s, &def, &end);
    if (result == TOILE_OK && end.interrupted) {
        result = error_set(TOILE_ERROR_INVALID, "interrupted at frame %u of %d: nothing was drawn",
                           (unsigned)end.frame, s->frames);
    }
    return result;
}

static toile_result render_scene(const render_options *o) {
    scene *s;
    char *folder = NULL;
    toile_result result = scene_load(o->source, &s);
    if (result != TOILE_OK) {
        /* A film or a mesh that is read as JSON gives a message that helps nobody. */
        if (access(o->source, F_OK) == 0 && !path_ends_with(o->source, ".json")) {
            error_prefix("render: expected a scene file or the folder of a run: ");
        }
        return result;
    }
    if (o->frame > s->frames) {
        result =
            error_set(TOILE_ERROR_INVALID, "render: --frame: expected 0 to %d in '%s', found %d",
                      s->frames, o->source, o->frame);
    } else if (o->frame >= 0) {
        s->frames = o->frame;
    }
    if (result == TOILE_OK) {
        result = try_drawing(o, s);
    }
    if (result == TOILE_OK) {
        result = path_make_temporary(&folder);
    }
    if (result == TOILE_OK) {
        result = simulate_into(s, folder);
        if (result == TOILE_OK) {
            result = render_run(o, folder);
        }
        path_remove_folder(folder);
    }
    free(folder);
    scene_free(s);
    return result;
}

static int render(int argc, char *argv[]) {
    render_options o = {.frame = -1};
    const option_spec specs[] = {
        {.name = "o", .text = &o.output},
        {.name = "size", .text = &o.size_text},
        {.name = "frame", .number = &o.frame, .low = 0, .high = 1000000},
        {0},
    };
    toile_result result =
        options_parse(argc, argv, specs, "a scene file or the folder of a run", &o.source);
    if (result == TOILE_OK) {
        result = read_output(&o);
    }
    if (result == TOILE_OK) {
        result = read_size(&o);
    }
    if (result == TOILE_OK) {
        interrupt_watch();
        result = path_is_folder(o.source) ? render_run(&o, o.source) : render_scene(&o);
    }
    return command_end(result);
}

const command render_command = {
    .name = "render",
    .summary = "draw a run or a scene as picture or film",
    .help =
        "usage: toile render SCENE.json|RUN_DIR -o FILE [options]\n"
        "\n"
        "Draws a run, or simulates a scene and draws it, keeping nothing else. No window and no\n"
        "GPU are needed.\n"
        "\n"
        "  -o picture.png     one picture\n"
        "  -o film.mp4        a film; width and height must be even\n"
        "  -o frame_%04d.png  a picture of every frame, numbered from 0\n"
        "  --size WxH         in pixels, 16 to 8192; default: as the scene says\n"
        "  --frame N          which frame the picture shows; 0 is the start; default: the last\n",
    .run = render,
};
