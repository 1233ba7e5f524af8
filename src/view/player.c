#include "view/player.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/actor.h"

/* s, of a cross-fade at the speed that the body has. */
static const double FADE = 0.3;
/* A body that is nearly still would fade for minutes once it goes on. */
static const double SLOWEST_FADE = 0.1;

static const double SPEEDS[] = {0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0};
enum { SPEED_COUNT = sizeof SPEEDS / sizeof *SPEEDS };

static actor *actor_of(const player *p, int body) {
    const scene_actor *given = p->scene->bodies[body].actor;
    return given ? given->loaded : NULL;
}

void player_restart(player *p) {
    p->followed = -1;
    for (int b = p->scene->body_count - 1; b >= 0; b--) {
        actor *a = actor_of(p, b);
        if (a) {
            actor_restart(a);
        }
        bool moves = a && (!actor_is_still(a) || actor_animation_count(a) > 0);
        p->parts[b] = (player_part){.moves = moves, .speed = 1.0, .chosen = -1};
        p->followed = moves ? b : p->followed;
    }
}

toile_result player_make(player *p, const scene *s) {
    *p = (player){.scene = s, .followed = -1};
    p->parts = memory_alloc((size_t)s->body_count, sizeof *p->parts, "bodies");
    if (!p->parts) {
        return TOILE_ERROR_MEMORY;
    }
    player_restart(p);
    return TOILE_OK;
}

void player_free(player *p) {
    free(p->parts);
    *p = (player){.followed = -1};
}

/* ---- clocks -------------------------------------------------------------------------------------
 */

static double rate_of(const player_part *part) {
    return part->stopped ? 0.0 : part->speed;
}

/* From the last change of speed on rather than a sum over steps: at the speed of the file it is the
 * time of the world to the bit. */
double player_time(const player *p, int body, double time) {
    const player_part *part = &p->parts[body];
    return part->time + rate_of(part) * (time - part->since);
}

/* Keeps what a clock shows, for its speed is about to change. */
static void keep_time(player *p, int body, double time) {
    p->parts[body].time = player_time(p, body, time);
    p->parts[body].since = time;
}

toile_result player_drive(const player *p, toile_world *world, const scene_ids *ids, double time) {
    toile_result result = TOILE_OK;
    for (int b = 0; b < p->scene->body_count && result == TOILE_OK; b++) {
        result = scene_drive_body(p->scene, world, ids, b, player_time(p, b, time));
    }
    return result;
}

/* ---- what is asked for --------------------------------------------------------------------------
 */

player_facts player_get_facts(const player *p, double time) {
    const int b = p->followed;
    if (b < 0) {
        return (player_facts){.body = -1, .animation = -1};
    }
    return (player_facts){.body = b,
                          .animation = actor_leading(actor_of(p, b), player_time(p, b, time)),
                          .speed = p->parts[b].speed,
                          .stopped = p->parts[b].stopped,
                          .turns = p->turns};
}

static bool follow(player *p, int body) {
    if (body < 0 || body >= p->scene->body_count || !p->parts[body].moves) {
        return false;
    }
    p->followed = body;
    p->turns++;
    return true;
}

toile_result player_choose(player *p, int body, int by, double time) {
    if (!follow(p, body)) {
        return TOILE_OK;
    }
    player_part *part = &p->parts[body];
    actor *a = actor_of(p, body);
    const int count = (int)actor_animation_count(a);
    if (count == 0) {
        return TOILE_OK;
    }
    const double now = player_time(p, body, time);
    const int before = part->chosen >= 0 ? part->chosen : actor_leading(a, now);
    /* Where nothing plays, the first one is next, and the last one is before. */
    const int next = before < 0 && by < 0 ? count + by : before + by;
    const int number = (next % count + count) % count;
    performance_action action = performance_action_default();
    action.animation = actor_animation(a, (size_t)number);
    action.fade_in = FADE * fmax(part->speed, SLOWEST_FADE);
    /* Few files say which of their animations loop. */
    if (p->scene->bodies[body].actor->kind == SCENE_CHARACTER) {
        action.loop = PERFORMANCE_LOOP;
    }
    toile_result result = actor_turn(a, now, &action);
    if (result == TOILE_OK) {
        part->chosen = number;
    }
    return result;
}

void player_hurry(player *p, int body, int by, double time) {
    if (!follow(p, body)) {
        return;
    }
    int at = 0;
    while (at + 1 < SPEED_COUNT && SPEEDS[at + 1] <= p->parts[body].speed) {
        at++;
    }
    at += by;
    at = at < 0 ? 0 : at >= SPEED_COUNT ? SPEED_COUNT - 1 : at;
    keep_time(p, body, time);
    p->parts[body].speed = SPEEDS[at];
}

void player_stop(player *p, int body, double time) {
    if (follow(p, body)) {
        keep_time(p, body, time);
        p->parts[body].stopped = !p->parts[body].stopped;
    }
}
