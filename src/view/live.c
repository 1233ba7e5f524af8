#include "view/live.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "view/pace.h"

/* s between two measurements of strain, which takes about as long as a step. */
static const double STRAIN_PERIOD = 0.25;
/* Share of the last step in the times that are shown. */
static const double FRESH = 0.1;

struct live {
    live_def def;
    char *path, *device;
    pthread_t thread;
    play play; /* the thread's; scene and skins never change */
    bool paused;
    int steps_asked;
    double strain_at; /* ms, when it was last measured */

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t woken;
    live_phase phase;
    toile_result result;
    bool ended;
    live_wish *wishes;
    size_t wish_count, wish_capacity;
    GLsync looked;     /* the window has copied what it looks at; NULL: it has none on the device */
    moment moments[3]; /* the one before the last, the last, and the one that is being made */
    bool jumped;       /* there is no way from the first of them to the second */
    pace pace;
    live_facts facts;
    /* What was last looked at: which change, and how far on the way. */
    uint64_t seen_change;
    double seen_share;
    uint64_t looks;
};

/* ---- publishing ---------------------------------------------------------------------------------
 */

static void smooth_profile(toile_profile *shown, const toile_profile *next) {
    double share = shown->step_ms > 0.0 ? FRESH : 1.0; /* the first one as it is */
    for (int i = 0; i < TOILE_STAGE_COUNT; i++) {
        shown->stage_ms[i] += share * (next->stage_ms[i] - shown->stage_ms[i]);
    }
    shown->step_ms += share * (next->step_ms - shown->step_ms);
}

static void note_message(live *l) {
    snprintf(l->facts.message, sizeof l->facts.message, "%s", toile_error_message());
}

/* The strain of all cloths: means by their texels, the others the largest. */
static toile_strain measure_strain(const play *p) {
    toile_strain all = {0};
    double weight = 0.0;
    for (int c = 0; c < p->scene->cloth_count; c++) {
        toile_strain s = {0};
        if (toile_cloth_get_strain(p->world, p->ids.cloths[c], &s) == TOILE_OK) {
            double texels = (double)toile_cloth_get_info(p->world, p->ids.cloths[c]).texels_present;
            all.mean += texels * s.mean;
            weight += texels;
            all.p99 = fmax(all.p99, s.p99);
            all.p999 = fmax(all.p999, s.p999);
            all.max = fmax(all.max, s.max);
        }
    }
    all.mean = weight > 0.0 ? all.mean / weight : 0.0;
    return all;
}

static void rotate_moments(live *l) {
    moment first = l->moments[0];
    l->moments[0] = l->moments[1];
    l->moments[1] = l->moments[2];
    l->moments[2] = first;
}

/* What the window still copies may not be written to. */
static void wait_for_window(live *l) {
    pthread_mutex_lock(&l->lock);
    GLsync looked = l->looked;
    l->looked = NULL;
    pthread_mutex_unlock(&l->lock);
    if (looked) {
        glWaitSync(looked, 0, GL_TIMEOUT_IGNORED);
        glDeleteSync(looked);
    }
}

/* Lets the window see the world as it is now. Where it jumped, there is nothing in between. */
static void publish(live *l, int which, bool jumped) {
    const play *p = &l->play;
    wait_for_window(l);
    toile_result result = moment_read(&l->moments[2], p, which);
    toile_profile profile = toile_world_get_profile(p->world);
    double now = clock_ms();
    bool measure = jumped || now - l->strain_at > STRAIN_PERIOD * 1e3;
    toile_strain strain = measure ? measure_strain(p) : (toile_strain){0};
    pthread_mutex_lock(&l->lock);
    rotate_moments(l);
    l->jumped = jumped;
    if (!jumped) {
        smooth_profile(&l->facts.profile, &profile);
    }
    if (measure) {
        l->facts.strain = strain;
        l->strain_at = now;
    }
    l->facts.change++;
    l->facts.time = toile_world_time(p->world);
    l->facts.steps = toile_world_step_count(p->world);
    l->facts.solver = toile_world_get_solver_info(p->world);
    l->facts.wind = p->wind;
    l->facts.paused = l->paused;
    l->facts.pins = (size_t)p->hold.pin_count;
    l->facts.player = player_get_facts(&p->player, l->facts.time);
    if (result != TOILE_OK) {
        note_message(l);
    }
    pthread_mutex_unlock(&l->lock);
}

/* ---- wishes -------------------------------------------------------------------------------------
 */

static toile_result fulfil(live *l, const live_wish *w, int *which) {
    play *p = &l->play;
    const double time = toile_world_time(p->world);
    bool pinned;
    switch (w->kind) {
    case LIVE_PAUSE:
        l->paused = w->on;
        return TOILE_OK;
    case LIVE_STEP:
        l->steps_asked++;
        return TOILE_OK;
    case LIVE_RESET:
        return play_reset(p);
    case LIVE_WIND:
        return play_blow(p, w->on, w->vector);
    case LIVE_SKIN:
        *which = w->number;
        return TOILE_OK;
    case LIVE_TAKE:
        return hold_take(&p->hold, p->world, p->ids.cloths[w->number], w->point, w->vector);
    case LIVE_AIM:
        hold_aim(&p->hold, w->vector);
        return TOILE_OK;
    case LIVE_DROP:
        hold_drop(&p->hold, p->world);
        return TOILE_OK;
    case LIVE_PIN:
        return hold_pin(&p->hold, p->world, p->ids.cloths[w->number], w->point, &pinned);
    case LIVE_CHOOSE:
        return player_choose(&p->player, w->number, w->by, time);
    case LIVE_HURRY:
        player_hurry(&p->player, w->number, w->by, time);
        return TOILE_OK;
    case LIVE_STOP:
        player_stop(&p->player, w->number, time);
        return TOILE_OK;
    }
    return TOILE_OK;
}

/* Called and left with the lock held. */
static void fulfil_all(live *l, int *which) {
    while (l->wish_count > 0 && !l->ended) {
        live_wish wish = l->wishes[0];
        memmove(l->wishes, l->wishes + 1, --l->wish_count * sizeof *l->wishes);
        if (wish.kind == LIVE_RESET) {
            l->facts.message[0] = '\0';
        }
        pthread_mutex_unlock(&l->lock);
        toile_result result = fulfil(l, &wish, which);
        /* While time goes on, the next step will show it. */
        if (l->paused || wish.kind == LIVE_RESET || wish.kind == LIVE_SKIN) {
            publish(l, *which, true);
        }
        pthread_mutex_lock(&l->lock);
        if (result != TOILE_OK) {
            note_message(l);
        }
    }
}

void live_ask(live *l, live_wish wish) {
    pthread_mutex_lock(&l->lock);
    live_wish *last = l->wish_count > 0 ? &l->wishes[l->wish_count - 1] : NULL;
    if (last && last->kind == LIVE_AIM && wish.kind == LIVE_AIM) {
        *last = wish; /* only the latest counts */
    } else {
        live_wish *wishes =
            memory_grow(l->wishes, l->wish_count, &l->wish_capacity, sizeof *l->wishes, "wishes");
        if (wishes) {
            l->wishes = wishes;
            wishes[l->wish_count++] = wish;
        } else {
            note_message(l);
        }
    }
    pthread_cond_signal(&l->woken);
    pthread_mutex_unlock(&l->lock);
}

/* ---- the thread ---------------------------------------------------------------------------------
 */

static void wait_until(live *l, double ms) {
    struct timespec until = {.tv_sec = (time_t)(ms / 1e3)};
    until.tv_nsec = (long)((ms - (double)until.tv_sec * 1e3) * 1e6);
    pthread_cond_timedwait(&l->woken, &l->lock, &until);
}

/* One step, outside the lock. A failure stops the clock: the last good state stays to be looked
 * at. */
static void step(live *l, int which) {
    toile_result result = play_step(&l->play);
    if (result != TOILE_OK) {
        l->paused = true;
        pthread_mutex_lock(&l->lock);
        note_message(l);
        pthread_mutex_unlock(&l->lock);
    }
    publish(l, which, false);
}

static void play_on(live *l) {
    int which = 0;
    pthread_mutex_lock(&l->lock);
    while (!l->ended) {
        fulfil_all(l, &which);
        double now = clock_ms();
        bool stepping = l->steps_asked > 0;
        if (l->ended) {
            break; /* said while a wish was fulfilled, without the lock: nobody says it again */
        }
        if (l->paused && !stepping) {
            pace_rest(&l->pace);
            pthread_cond_wait(&l->woken, &l->lock);
        } else if (!stepping && now < pace_due(&l->pace, now)) {
            wait_until(l, pace_due(&l->pace, now));
        } else {
            l->steps_asked -= stepping;
            pthread_mutex_unlock(&l->lock);
            step(l, which);
            pthread_mutex_lock(&l->lock);
            pace_arrive(&l->pace, clock_ms());
            l->facts.speed = pace_speed(&l->pace);
            l->facts.slow = pace_is_slow(&l->pace);
        }
    }
    pthread_mutex_unlock(&l->lock);
}

static toile_result load(live *l) {
    play *p = &l->play;
    toile_result result = play_open(p, &(play_def){.path = l->path,
                                                   .device = l->device,
                                                   .threads = l->def.threads,
                                                   .display = l->def.display,
                                                   .window = l->def.window});
    for (int i = 0; i < 3 && result == TOILE_OK; i++) {
        result = moment_make(&l->moments[i], p, false);
        if (result == TOILE_OK) {
            result = moment_read(&l->moments[i], p, 0);
        }
    }
    for (int c = 0; result == TOILE_OK && c < p->scene->cloth_count; c++) {
        l->facts.particles += toile_cloth_get_info(p->world, p->ids.cloths[c]).texels_present;
    }
    if (result == TOILE_OK) {
        pace_start(&l->pace, (double)p->scene->time_step * 1e3);
        l->facts.solver = toile_world_get_solver_info(p->world);
        l->facts.wind = p->wind;
        l->facts.pins = (size_t)p->hold.pin_count;
        l->facts.player = player_get_facts(&p->player, 0.0);
    }
    return result;
}

static void *run(void *user) {
    live *l = user;
    toile_result result = load(l);
    pthread_mutex_lock(&l->lock);
    l->result = result;
    l->phase = result == TOILE_OK ? LIVE_PLAYING : LIVE_FAILED;
    if (result != TOILE_OK) {
        note_message(l);
    }
    pthread_mutex_unlock(&l->lock);
    if (result == TOILE_OK) {
        play_on(l);
    }
    /* Here, for what is on the device belongs to this thread's context. */
    for (int i = 0; i < 3; i++) {
        moment_free(&l->moments[i], &l->play);
    }
    play_end(&l->play);
    return NULL;
}

/* ---- opening and closing ------------------------------------------------------------------------
 */

static void live_free(live *l) {
    if (l->looked) {
        glDeleteSync(l->looked);
    }
    play_close(&l->play);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->woken);
    free(l->wishes);
    free(l->path);
    free(l->device);
    free(l);
}

toile_result live_open(const live_def *def, live **out) {
    live *l = memory_alloc(1, sizeof *l, "a scene");
    if (!l) {
        return TOILE_ERROR_MEMORY;
    }
    l->def = *def;
    l->paused = l->facts.paused = def->paused;
    pthread_mutex_init(&l->lock, NULL);
    pthread_condattr_t monotonic; /* as clock_ms */
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->woken, &monotonic);
    pthread_condattr_destroy(&monotonic);
    l->path = memory_string(def->path);
    l->device = def->device ? memory_string(def->device) : NULL;
    if (!l->path || (def->device && !l->device)) {
        live_free(l);
        return TOILE_ERROR_MEMORY;
    }
    if (pthread_create(&l->thread, NULL, run, l) != 0) {
        live_free(l);
        return error_set(TOILE_ERROR_MEMORY, "cannot start a thread to simulate on");
    }
    *out = l;
    return TOILE_OK;
}

void live_close(live *l) {
    if (!l) {
        return;
    }
    pthread_mutex_lock(&l->lock);
    l->ended = true;
    pthread_cond_signal(&l->woken);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    live_free(l);
}

/* ---- looking ------------------------------------------------------------------------------------
 */

live_phase live_get_phase(live *l, toile_result *result, char message[LIVE_MESSAGE]) {
    pthread_mutex_lock(&l->lock);
    live_phase phase = l->phase;
    *result = l->result;
    memcpy(message, l->facts.message, LIVE_MESSAGE);
    pthread_mutex_unlock(&l->lock);
    return phase;
}

const scene *live_scene(const live *l) {
    return l->play.scene;
}

const skins *live_skins(const live *l) {
    return &l->play.skins;
}

const char *live_path(const live *l) {
    return l->path;
}

bool live_is_on_device(const live *l) {
    return l->play.on_device;
}

toile_result live_make_moment(const live *l, moment *m) {
    return moment_make(m, &l->play, true);
}

void live_free_moment(const live *l, moment *m) {
    moment_free(m, &l->play);
}

live_facts live_get_facts(live *l) {
    pthread_mutex_lock(&l->lock);
    live_facts facts = l->facts;
    pthread_mutex_unlock(&l->lock);
    return facts;
}

toile_result live_look(live *l, double now, moment *m, uint64_t *look) {
    pthread_mutex_lock(&l->lock);
    double share = pace_share(&l->pace, now);
    toile_result result =
        moment_between(m, &l->moments[l->jumped ? 1 : 0], &l->moments[1], (float)share, &l->play);
    if (l->facts.change != l->seen_change || share != l->seen_share) {
        l->looks++;
    }
    l->seen_change = l->facts.change;
    l->seen_share = share;
    *look = l->looks;
    if (m->on_device) {
        if (l->looked) {
            glDeleteSync(l->looked);
        }
        l->looked = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        glFlush();
    }
    pthread_mutex_unlock(&l->lock);
    return result;
}
