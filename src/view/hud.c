/* What is written over the picture. Lengths are points until they are drawn. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/actor.h"
#include "view/session.h"

static const ink PANEL = {0.11f, 0.10f, 0.10f, 0.66f};
static const ink TEXT = {0.97f, 0.95f, 0.92f, 1.0f};
static const ink FAINT = {0.97f, 0.95f, 0.92f, 0.62f};
static const ink ACCENT = {0.93f, 0.55f, 0.38f, 1.0f};
static const ink WARNING = {0.98f, 0.78f, 0.36f, 1.0f};
static const ink ALARM = {0.55f, 0.12f, 0.09f, 0.90f};

static const float MARGIN = 12.0f, PADDING = 11.0f, RADIUS = 9.0f;
/* Of the panel with the facts, and where its second column begins. */
static const float WIDTH = 276.0f, COLUMN = 82.0f;

/* A column of lines. */
typedef struct writer {
    overlay *o;
    float x, y; /* pixels */
} writer;

static float px(const overlay *o, float points) {
    return roundf(points * o->scale);
}

static void write_pair(writer *w, const char *name, const char *value, ink color) {
    overlay_text(w->o, w->x, w->y, name, FAINT);
    overlay_text(w->o, w->x + px(w->o, COLUMN), w->y, value, color);
    w->y += w->o->font.line;
}

/* ---- the facts ----------------------------------------------------------------------------------
 */

static void format_count(char *out, size_t size, size_t count) {
    if (count < 10000) {
        snprintf(out, size, "%zu", count);
    } else {
        snprintf(out, size, "%zu %03zu", count / 1000, count % 1000);
    }
}

static const char *solver_name(toile_solver_kind kind) {
    return kind == TOILE_SOLVER_MULTILEVEL ? "multilevel"
           : kind == TOILE_SOLVER_IMPLICIT ? "implicit"
           : kind == TOILE_SOLVER_REFINE   ? "refine"
                                           : "mass-spring";
}

static void write_cloth(writer *w, const session *s) {
    const live_facts *f = &s->facts;
    char text[160], count[32];
    format_count(count, sizeof count, f->particles);
    snprintf(text, sizeof text, "%s, %s", count,
             solver_name(live_scene(s->live)->world.solver.kind));
    write_pair(w, "particles", text, TEXT);
    const char *device = f->solver.device ? f->solver.device : "";
    if (strcmp(device, "cpu") == 0 && f->solver.threads > 0) {
        snprintf(text, sizeof text, "cpu, %d thread%s, %s", f->solver.threads,
                 f->solver.threads == 1 ? "" : "s", f->solver.simd);
    } else {
        snprintf(text, sizeof text, "%s", device);
    }
    write_pair(w, "device", text, TEXT);
    snprintf(text, sizeof text, "%.1f %% mean, %.1f %% max", 100.0 * f->strain.mean,
             100.0 * f->strain.max);
    write_pair(w, "strain", text, TEXT);
}

void session_describe_motion(const session *s, char *out, size_t size) {
    const player_facts *f = &s->facts.player;
    const scene_actor *given = live_scene(s->live)->bodies[f->body].actor;
    const char *name = f->animation >= 0 ? actor_animation(given->loaded, (size_t)f->animation)
                       : given->kind == SCENE_SEQUENCE ? "sequence"
                                                       : "at rest";
    if (f->stopped) {
        snprintf(out, size, "%s, stopped", name);
    } else if (f->speed != 1.0) {
        snprintf(out, size, "%s, %g times", name, f->speed);
    } else {
        snprintf(out, size, "%s", name);
    }
}

static void write_motion(writer *w, const session *s) {
    char text[160];
    session_describe_motion(s, text, sizeof text);
    write_pair(w, "motion", text, s->facts.player.stopped ? ACCENT : TEXT);
}

static void write_time(writer *w, const session *s) {
    const live_facts *f = &s->facts;
    char text[160];
    snprintf(text, sizeof text, "%.2f s", f->time);
    write_pair(w, "time", text, TEXT);
    bool slow = f->slow && !f->paused;
    snprintf(text, sizeof text, "slowed to %.0f %%", 100.0 * f->speed);
    write_pair(w, "speed",
               f->paused ? "paused"
               : slow    ? text
                         : "real time",
               f->paused ? ACCENT
               : slow    ? WARNING
                         : TEXT);
    snprintf(text, sizeof text, "%.1f ms, %.0f pictures/s", s->show.ms,
             s->frame_ms > 0.0 ? 1e3 / s->frame_ms : 0.0);
    write_pair(w, "drawing", text, TEXT);
    snprintf(text, sizeof text, "%.1f ms", f->profile.step_ms);
    write_pair(w, "step", text, TEXT);
}

/* A bar for each stage that the solver has: its share of the step. */
static int write_stages(writer *w, const live_facts *f, bool draw) {
    int count = 0;
    for (int i = 0; i < TOILE_STAGE_COUNT; i++) {
        double ms = f->profile.stage_ms[i];
        if (ms == 0.0) {
            continue;
        }
        count++;
        if (draw) {
            char text[32];
            snprintf(text, sizeof text, "%.2f", ms);
            float share = (float)fmin(ms / fmax(f->profile.step_ms, 1e-6), 1.0);
            float left = w->x + px(w->o, COLUMN + 54.0f);
            float most = px(w->o, WIDTH - COLUMN - 54.0f - 2.0f * PADDING);
            float height = px(w->o, 5.0f), top = w->y + 0.5f * (w->o->font.line - height);
            overlay_box(w->o, left, roundf(top), fmaxf(most * share, height), height, height,
                        ACCENT);
            write_pair(w, toile_stage_name((toile_stage)i), text, FAINT);
        }
    }
    return count;
}

static void draw_facts(session *s) {
    overlay *o = &s->overlay;
    writer w = {.o = o, .x = px(o, MARGIN + PADDING), .y = px(o, MARGIN + PADDING)};
    const bool moves = s->facts.player.body >= 0;
    int lines = 8 + moves + write_stages(&w, &s->facts, false);
    float gaps = px(o, 6.0f);
    overlay_box(o, px(o, MARGIN), px(o, MARGIN), px(o, WIDTH),
                2.0f * px(o, PADDING) + (float)lines * o->font.line + 2.0f * gaps, px(o, RADIUS),
                PANEL);
    const char *path = live_path(s->live), *slash = strrchr(path, '/');
    overlay_text(o, w.x, w.y, slash ? slash + 1 : path, TEXT);
    w.y += o->font.line + gaps;
    write_cloth(&w, s);
    w.y += gaps;
    if (moves) {
        write_motion(&w, s);
    }
    write_time(&w, s);
    write_stages(&w, &s->facts, true);
}

/* ---- pins and the hand --------------------------------------------------------------------------
 */

static void draw_held(session *s) {
    overlay *o = &s->overlay;
    const moment *m = &s->show.moment;
    float at[2];
    for (size_t i = 0; i < m->pin_count; i++) {
        if (session_project(s, m->pins[i], at)) {
            overlay_ring(o, at[0], at[1], px(o, 3.5f), 0.0f, (ink){0.1f, 0.1f, 0.1f, 0.35f});
            overlay_ring(o, at[0], at[1], px(o, 2.0f), 0.0f, TEXT);
        }
    }
    if (m->held && session_project(s, m->hand, at)) {
        if (s->drag == DRAG_CLOTH) {
            overlay_line(o, at, s->mouse, px(o, 1.5f), ACCENT);
        }
        overlay_ring(o, at[0], at[1], px(o, 7.0f), px(o, 2.0f), ACCENT);
    }
}

/* ---- messages -----------------------------------------------------------------------------------
 */

/* Where a line of at most `width` pixels ends: at a space, if there is one. */
static size_t line_end(const overlay *o, const char *text, float width) {
    const char *at = text;
    size_t space = 0;
    float used = 0.0f;
    while (*at) {
        const char *before = at;
        uint32_t letter = text_next(&at);
        used += font_glyph(&o->font, letter)->advance;
        if (used > width && before > text) {
            return space ? space : (size_t)(before - text);
        }
        if (letter == ' ') {
            space = (size_t)(at - text);
        }
    }
    return (size_t)(at - text);
}

/* Writes, or without `draw` only counts, the lines of a text. */
static int write_wrapped(writer *w, const char *text, float width, bool draw) {
    int lines = 0;
    while (*text) {
        size_t length = line_end(w->o, text, width);
        if (draw) {
            char line[LIVE_MESSAGE];
            snprintf(line, sizeof line, "%.*s", (int)length, text);
            overlay_text(w->o, w->x, w->y, line, TEXT);
            w->y += w->o->font.line;
        }
        text += length;
        lines++;
    }
    return lines;
}

static void draw_error(session *s, const char *message) {
    overlay *o = &s->overlay;
    float pad = px(o, PADDING);
    float width = fminf((float)s->window.pixels[0] - 2.0f * px(o, MARGIN), px(o, 560.0f));
    writer w = {.o = o};
    int lines = write_wrapped(&w, message, width - 2.0f * pad, false);
    float height = (float)lines * o->font.line + 2.0f * pad;
    float x = roundf(0.5f * ((float)s->window.pixels[0] - width));
    float y = (float)s->window.pixels[1] - height - px(o, MARGIN);
    overlay_box(o, x, y, width, height, px(o, RADIUS), ALARM);
    w.x = x + pad;
    w.y = y + pad;
    write_wrapped(&w, message, width - 2.0f * pad, true);
}

static void draw_chip(session *s, const char *text, float fade) {
    overlay *o = &s->overlay;
    float pad = px(o, PADDING), width = font_width(&o->font, text) + 2.0f * pad;
    float height = o->font.line + pad;
    float x = roundf(0.5f * ((float)s->window.pixels[0] - width));
    float y = (float)s->window.pixels[1] - height - px(o, MARGIN);
    ink panel = PANEL, letters = TEXT;
    panel.a *= fade;
    letters.a *= fade;
    overlay_box(o, x, y, width, height, 0.5f * height, panel);
    overlay_text(o, x + pad, y + 0.5f * pad, text, letters);
}

static void draw_messages(session *s, double now) {
    if (s->error[0]) {
        draw_error(s, s->error);
    } else if (s->facts.message[0]) {
        draw_error(s, s->facts.message);
    } else if (s->next) {
        draw_chip(s, "Loading…", 1.0f);
    } else if (now < s->notice_until) {
        draw_chip(s, s->notice, (float)fmin((s->notice_until - now) / 400.0, 1.0));
    }
}

static void draw_hint(session *s) {
    overlay *o = &s->overlay;
    const char *hint = "F1 help";
    float pad = px(o, 0.7f * PADDING), width = font_width(&o->font, hint) + 2.0f * pad;
    float x = (float)s->window.pixels[0] - width - px(o, MARGIN), y = px(o, MARGIN);
    overlay_box(o, x, y, width, o->font.line + pad, px(o, RADIUS), PANEL);
    overlay_text(o, x + pad, y + 0.5f * pad, hint, FAINT);
}

/* ---- help ---------------------------------------------------------------------------------------
 */

static const char *const HELP[][2] = {
    {"left drag", "pull the cloth, or turn around it"},
    {"wheel", "nearer, farther; what is held, too"},
    {"right drag", "turn"},
    {"middle or shift drag", "move sideways"},
    {"arrows, W A S D, Q E", "turn and move"},
    {"Home", "camera as at the start"},
    {NULL, NULL},
    {"space, N", "pause, one step"},
    {"R", "scene from its start"},
    {"P", "pin or unpin under the mouse"},
    {"V", "wind"},
    {NULL, NULL},
    {"[ ]", "the last, the next animation"},
    {", .", "slower, faster animation"},
    {"B", "stop the body, or let it go on"},
    {"F", "camera goes along with it"},
    {NULL, NULL},
    {"T", "wireframe"},
    {"H", "hide bodies"},
    {"C", "colour by strain: blue short, red long"},
    {"M", "colour by depth layers, corrections of refine"},
    {"L, shift L", "levels, coarse mesh"},
    {"F2", "hide the facts"},
    {NULL, NULL},
    {"F5", "load the file again"},
    {"F12", "write a picture here"},
    {"drop a file", "open another scene"},
    {"Esc", "leave"},
};

static void draw_help(session *s) {
    overlay *o = &s->overlay;
    const size_t count = sizeof HELP / sizeof *HELP;
    float gap = 0.5f * o->font.line, height = 2.0f * px(o, PADDING);
    for (size_t i = 0; i < count; i++) {
        height += HELP[i][0] ? o->font.line : gap;
    }
    float width = px(o, 430.0f);
    writer w = {.o = o,
                .x = roundf(0.5f * ((float)s->window.pixels[0] - width)),
                .y = roundf(0.5f * ((float)s->window.pixels[1] - height))};
    ink panel = PANEL;
    panel.a = 0.86f;
    overlay_box(o, w.x, w.y, width, height, px(o, RADIUS), panel);
    w.x += px(o, PADDING + 4.0f);
    w.y += px(o, PADDING);
    for (size_t i = 0; i < count; i++) {
        if (HELP[i][0]) {
            overlay_text(o, w.x, w.y, HELP[i][0], ACCENT);
            overlay_text(o, w.x + px(o, 158.0f), w.y, HELP[i][1], TEXT);
        }
        w.y += HELP[i][0] ? o->font.line : gap;
    }
}

void hud_draw(session *s, double now) {
    draw_held(s);
    if (s->help) {
        draw_help(s);
    } else if (s->details) {
        draw_facts(s);
        draw_hint(s);
    }
    draw_messages(s, now);
}
