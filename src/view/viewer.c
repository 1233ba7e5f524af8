#include "view/viewer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "render/picture.h"
#include "view/session.h"

static const double NOTICE_MS = 2500.0;
/* How often the state is said, at most, and how long a picture that rests is left alone. */
static const double SAY_MS = 50.0;
static const double REST_S = 0.05;

/* ---- words --------------------------------------------------------------------------------------
 */

void session_say(const session *s, const char *format, ...) {
    if (s->def.verbose) {
        va_list args;
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        putchar('\n');
        fflush(stdout);
    }
}

void session_notice(session *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(s->notice, sizeof s->notice, format, args);
    va_end(args);
    s->notice_until = clock_ms() + NOTICE_MS;
    s->error[0] = '\0';
    session_say(s, "notice %s", s->notice);
}

static void session_error(session *s, const char *message) {
    snprintf(s->error, sizeof s->error, "%s", message);
    session_say(s, "error %s", s->error);
}

static void say_state(session *s, double now) {
    if (!s->def.verbose || now - s->said_at < SAY_MS) {
        return;
    }
    s->said_at = now;
    const live_facts *f = &s->facts;
    float hand[2] = {-1.0f, -1.0f};
    if (s->show.moment.held) {
        session_project(s, s->show.moment.hand, hand);
    }
    session_say(
        s,
        "state step %llu paused %d wind %d pins %zu held %d hand %.1f %.1f mouse %.1f %.1f "
        "azimuth %.4f elevation %.4f distance %.4f target %.4f %.4f %.4f wireframe %d "
        "bodies %d stretch %d skin %d speed %.3f slow %d size %d %d body %d animation %d rate %g "
        "stopped %d follow %d marks %d",
        (unsigned long long)f->steps, f->paused, f->wind, f->pins, s->show.moment.held,
        (double)hand[0], (double)hand[1], (double)s->mouse[0], (double)s->mouse[1],
        (double)s->orbit.azimuth, (double)s->orbit.elevation, (double)s->orbit.distance,
        (double)s->orbit.target[0], (double)s->orbit.target[1], (double)s->orbit.target[2],
        s->options.wireframe, s->options.bodies, s->options.stretch, s->skin, f->speed, f->slow,
        s->window.pixels[0], s->window.pixels[1], f->player.body, f->player.animation,
        f->player.speed, f->player.stopped, s->follow, s->options.marks);
}

/* ---- scenes -------------------------------------------------------------------------------------
 */

void session_home(session *s) {
    s->follow = false;
    s->orbit = orbit_make(&s->show.camera, show_size(&s->show));
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static toile_result turn_to(session *s, live *l) {
    toile_result result = show_turn_to(&s->show, l);
    if (result != TOILE_OK) {
        return result;
    }
    live_close(s->live);
    s->live = l;
    s->skin = 0;
    s->drag = DRAG_NONE;
    s->led = -1;
    s->error[0] = '\0';
    session_home(s);
    char title[512];
    snprintf(title, sizeof title, "%s – Toile", base_name(live_path(l)));
    glfwSetWindowTitle(s->window.handle, title);
    session_say(s, "playing %s, texels %s", live_path(l),
                live_is_on_device(l) ? "on the device" : "read back");
    return TOILE_OK;
}

void session_load(session *s, const char *path) {
    live_close(s->next);
    s->next = NULL;
    live_def def = {.path = path,
                    .device = s->def.device,
                    .threads = s->def.threads,
                    .display = eglGetCurrentDisplay(),
                    .window = eglGetCurrentContext()};
    if (live_open(&def, &s->next) != TOILE_OK) {
        session_error(s, toile_error_message());
    }
}

/* A scene that is loaded takes the place of the one before; one that cannot be leaves it. */
static void look_after_next(session *s) {
    if (!s->next) {
        return;
    }
    toile_result result;
    char message[LIVE_MESSAGE];
    live_phase phase = live_get_phase(s->next, &result, message);
    if (phase == LIVE_LOADING) {
        return;
    }
    live *next = s->next;
    s->next = NULL;
    if (phase == LIVE_FAILED) {
        session_error(s, message);
        live_close(next);
    } else if (turn_to(s, next) != TOILE_OK) {
        session_error(s, toile_error_message());
        live_close(next);
    }
}

/* The first scene must be good, or there is nothing to show. */
static toile_result open_first(session *s) {
    live_def def = {.path = s->def.path,
                    .device = s->def.device,
                    .threads = s->def.threads,
                    .paused = s->def.paused,
                    .display = eglGetCurrentDisplay(),
                    .window = eglGetCurrentContext()};
    live *first;
    toile_result result = live_open(&def, &first);
    char message[LIVE_MESSAGE];
    while (result == TOILE_OK && live_get_phase(first, &result, message) == LIVE_LOADING) {
        glfwWaitEventsTimeout(0.01);
    }
    if (result != TOILE_OK) {
        live_close(first);
        return error_set(result, "%s", message);
    }
    result = turn_to(s, first);
    if (result != TOILE_OK) {
        live_close(first);
    }
    return result;
}

/* ---- pictures to keep ---------------------------------------------------------------------------
 */

/* "sphere_1.png" in the current folder, or the next number that is free. */
static bool free_name(const session *s, char *name, size_t size) {
    const char *base = base_name(live_path(s->live));
    const char *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    for (int number = 1; number < 10000; number++) {
        int n = snprintf(name, size, "%.*s_%d.png", length, base, number);
        if (n > 0 && (size_t)n < size && access(name, F_OK) != 0 && errno == ENOENT) {
            return true;
        }
    }
    return false;
}

void session_shoot(session *s) {
    const int *size = s->window.pixels;
    char name[300];
    if (!free_name(s, name, sizeof name)) {
        session_error(s, "no free name for a screenshot in this folder");
        return;
    }
    uint8_t *rgb = memory_alloc((size_t)size[0] * (size_t)size[1], 3, "a screenshot");
    toile_result result = rgb ? show_shoot(&s->show, &s->options, rgb) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = picture_write_png(name, size[0], size[1], rgb);
    }
    free(rgb);
    if (result == TOILE_OK) {
        session_notice(s, "Wrote %s", name);
    } else {
        session_error(s, toile_error_message());
    }
}

/* ---- the loop -----------------------------------------------------------------------------------
 */

static toile_result draw(session *s, double now, bool *rests) {
    memcpy(s->options.size, s->window.pixels, sizeof s->options.size);
    toile_result result = show_draw(&s->show, &s->options, now, rests);
    if (result == TOILE_OK) {
        result = overlay_set_scale(&s->overlay, s->window.scale);
    }
    if (result == TOILE_OK) {
        hud_draw(s, now);
        overlay_show(&s->overlay, s->window.pixels[0], s->window.pixels[1]);
        glfwSwapBuffers(s->window.handle);
    }
    return result;
}

static void look_at_facts(session *s) {
    live_facts facts = live_get_facts(s->live);
    if (facts.message[0] && strcmp(facts.message, s->facts.message) != 0) {
        session_say(s, "error %s", facts.message);
    }
    const bool turned = facts.player.turns != s->facts.player.turns;
    s->facts = facts;
    if (turned && facts.player.turns > 0) {
        char motion[128];
        session_describe_motion(s, motion, sizeof motion);
        session_notice(s, "%s", motion);
    }
}

/* Nothing in the window would be another. */
static bool is_calm(const session *s, double now) {
    return !s->touched && !s->next && s->facts.change == s->drawn_change &&
           now > s->notice_until + 1e3 * REST_S && show_has(&s->show, &s->options);
}

/* One turn of the loop, the last of which began at `before`. */
static toile_result turn(session *s, double before, double now, bool *rests) {
    look_after_next(s);
    controls_update(s, now - before);
    look_at_facts(s);
    if (s->window.pixels[0] < 1 || s->window.pixels[1] < 1) {
        *rests = true; /* an icon */
        return TOILE_OK;
    }
    if (*rests && is_calm(s, now)) {
        return TOILE_OK;
    }
    s->touched = false;
    s->drawn_change = s->facts.change;
    toile_result result = draw(s, now, rests);
    if (!*rests) {
        s->frame_ms += 0.1 * (now - before - s->frame_ms);
    }
    return result;
}

static toile_result loop(session *s) {
    toile_result result = TOILE_OK;
    bool rests = false;
    double before = clock_ms();
    while (result == TOILE_OK && !glfwWindowShouldClose(s->window.handle) &&
           !(s->def.ended && s->def.ended())) {
        if (rests) {
            glfwWaitEventsTimeout(REST_S);
        } else {
            glfwPollEvents();
        }
        double now = clock_ms();
        result = turn(s, before, now, &rests);
        before = now;
        say_state(s, now);
    }
    return result;
}

static toile_result open_session(session *s) {
    window_def def = {
        .title = "Toile", .size = {s->def.size[0], s->def.size[1]}, .vsync = s->def.vsync};
    toile_result result = window_open(&s->window, &def);
    if (result == TOILE_OK) {
        result = show_open(&s->show, s->window.pixels[0], s->window.pixels[1]);
    }
    if (result == TOILE_OK) {
        result = overlay_open(&s->overlay);
    }
    if (result == TOILE_OK) {
        result = open_first(s);
    }
    if (result == TOILE_OK) {
        controls_attach(s);
    }
    return result;
}

toile_result viewer_run(const viewer_def *def) {
    session s = {.def = *def, .details = true, .led = -1, .options = {.bodies = true}};
    toile_result result = open_session(&s);
    if (result == TOILE_OK) {
        result = loop(&s);
    }
    live_close(s.next);
    if (s.window.handle) {
        overlay_close(&s.overlay);
        show_close(&s.show);
    }
    live_close(s.live);
    window_close(&s.window);
    return result;
}
