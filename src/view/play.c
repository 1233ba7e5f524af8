#include "view/play.h"

#include <string.h>

/* What blows where a scene has no wind of its own. */
static const float BREEZE = 5.0f; /* m/s */
static const float BREEZE_GUST = 0.5f;

/* ---- opening and closing ------------------------------------------------------------------------
 */

static bool scene_has_wind(const scene *s) {
    const float *v = s->world.wind.velocity;
    return v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f;
}

static toile_result build(play *p) {
    toile_result result = scene_build(p->scene, NULL, NULL, &p->world, &p->ids);
    if (result == TOILE_OK) {
        p->wind = scene_has_wind(p->scene);
        result = hold_begin(&p->hold, p->world);
    }
    return result;
}

/* Lets the world run where a window sees its texels. */
static void share(play *p, const play_def *def) {
    const context_need need = {4, 3, "to simulate with"};
    const char *device = p->scene->world.device;
    if (!def->window || !device || strcmp(device, "gl") != 0 ||
        p->scene->world.solver.kind == TOILE_SOLVER_REFINE || /* which has a context of its own */
        context_open_shared(&p->context, &need, def->display, def->window) != TOILE_OK) {
        return;
    }
    p->on_device = context_enter(&p->context, &p->before) == TOILE_OK;
    if (p->on_device) {
        p->scene->world.gl_context = TOILE_GL_CONTEXT_CURRENT;
    } else {
        context_close(&p->context);
    }
}

toile_result play_open(play *p, const play_def *def) {
    *p = (play){0};
    toile_result result = scene_load(def->path, &p->scene);
    if (result != TOILE_OK) {
        return result;
    }
    if (def->device) {
        p->scene->world.device = def->device;
    }
    p->scene->world.threads = def->threads;
    result = player_make(&p->player, p->scene);
    if (result == TOILE_OK) {
        share(p, def);
        result = build(p);
    }
    if (result == TOILE_OK) {
        result = skins_make(&p->skins, p->world, p->ids.cloths, p->scene->cloth_count);
    }
    if (result != TOILE_OK) {
        play_close(p);
    }
    return result;
}

static void end_world(play *p) {
    hold_free(&p->hold);
    toile_world_destroy(p->world);
    scene_ids_free(&p->ids);
    p->world = NULL;
}

void play_end(play *p) {
    end_world(p);
    if (p->on_device) {
        context_leave(&p->context, &p->before);
        context_close(&p->context);
        p->on_device = false;
    }
}

void play_close(play *p) {
    play_end(p);
    skins_free(&p->skins);
    player_free(&p->player);
    scene_free(p->scene);
    *p = (play){0};
}

toile_result play_reset(play *p) {
    play fresh = {.scene = p->scene};
    toile_result result = build(&fresh);
    end_world(result == TOILE_OK ? p : &fresh);
    if (result == TOILE_OK) {
        /* Others may be reading what stays. */
        p->world = fresh.world;
        p->ids = fresh.ids;
        p->hold = fresh.hold;
        p->wind = fresh.wind;
        player_restart(&p->player);
    }
    return result;
}

/* ---- playing ------------------------------------------------------------------------------------
 */

toile_result play_step(play *p) {
    const double end = toile_world_time(p->world) + (double)p->scene->time_step;
    toile_result result = hold_move(&p->hold, p->world, p->scene->time_step);
    if (result == TOILE_OK) {
        result = player_drive(&p->player, p->world, &p->ids, end);
    }
    return result == TOILE_OK ? toile_world_step(p->world, p->scene->time_step) : result;
}

toile_result play_blow(play *p, bool on, const float direction[3]) {
    toile_wind_def wind = p->scene->world.wind;
    if (!on) {
        memset(wind.velocity, 0, sizeof wind.velocity);
    } else if (!scene_has_wind(p->scene)) {
        for (int k = 0; k < 3; k++) {
            wind.velocity[k] = BREEZE * direction[k];
        }
        wind.gust = BREEZE_GUST;
    }
    toile_result result = toile_world_set_wind(p->world, &wind);
    if (result == TOILE_OK) {
        p->wind = on;
    }
    return result;
}
