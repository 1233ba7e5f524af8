/* What keys and the mouse do. */
#include <math.h>
#include <string.h>

#include "render/camera.h"
#include "view/pick.h"
#include "view/session.h"

/* A tap on a key counts as if it had been down for so long, s. */
static const float TAP = 0.08f;
/* Distances to the target, and heights of the window, that a key moves a second. */
static const float WALK = 0.6f, TURN = 0.5f;
/* How much deeper or nearer a notch of the wheel takes what is held. */
static const float REACH = 0.06f;
/* A surface this much nearer than what is picked hides it: share of the distance. */
static const float HIDES = 0.02f;

/* For callbacks: whatever comes is worth a look. */
static session *session_of(GLFWwindow *handle) {
    session *s = glfwGetWindowUserPointer(handle);
    s->touched = true;
    return s;
}

static camera_view view_of(const session *s) {
    return camera_view_make(&s->options.camera, s->window.pixels[0], s->window.pixels[1]);
}

/* ---- the mouse ----------------------------------------------------------------------------------
 */

static v3 mouse_ray(const session *s, const camera_view *view) {
    return camera_view_ray(view, s->mouse[0] / (float)s->window.pixels[0],
                           s->mouse[1] / (float)s->window.pixels[1]);
}

static bool mouse_inside(const session *s) {
    return s->mouse[0] >= 0.0f && s->mouse[0] < (float)s->window.pixels[0] && s->mouse[1] >= 0.0f &&
           s->mouse[1] < (float)s->window.pixels[1];
}

/* The point of a cloth under the mouse, unless something is in front of it. */
static pick pick_under_mouse(session *s) {
    camera_view view = view_of(s);
    pick found = {.found = false};
    bool any = mouse_inside(s) && show_fetch(&s->show) == TOILE_OK;
    for (int c = 0; c < s->show.scene->cloth_count && any; c++) {
        pick p = pick_cloth(&s->show.cloths[c].mesh, 1, view.eye, mouse_ray(s, &view));
        if (p.found && (!found.found || p.distance < found.distance)) {
            found = p;
            found.cloth = c;
        }
    }
    if (found.found) {
        float seen = drawer_distance(s->show.drawer, (int)s->mouse[0], (int)s->mouse[1]);
        found.found = seen > (1.0f - HIDES) * found.distance;
    }
    return found;
}

/* The body that keys for characters are for: the one under the mouse, in front of cloth or behind
 * it, else the one that is followed. */
static int body_under_mouse(const session *s) {
    const camera_view view = view_of(s);
    pick nearest = {.found = false};
    int found = s->facts.player.body;
    for (int b = 0; b < s->show.scene->body_count && mouse_inside(s); b++) {
        const toile_mesh_def *def = &s->show.scene->bodies[b].def.mesh;
        if (s->show.moment.vertices[b]) {
            const mesh_view mesh = {.vertices = def->vertices,
                                    .triangles = def->triangle_count,
                                    .positions = s->show.moment.vertices[b],
                                    .indices = def->triangles};
            pick p = pick_cloth(&mesh, 1, view.eye, mouse_ray(s, &view));
            if (p.found && (!nearest.found || p.distance < nearest.distance)) {
                nearest = p;
                found = b;
            }
        }
    }
    return found;
}

static void aim(session *s) {
    camera_view view = view_of(s);
    live_wish wish = {.kind = LIVE_AIM};
    v3_store(wish.vector, v3_madd(view.eye, mouse_ray(s, &view), s->depth));
    live_ask(s->live, wish);
}

static bool take(session *s) {
    pick found = pick_under_mouse(s);
    if (!found.found) {
        return false;
    }
    live_wish wish = {.kind = LIVE_TAKE, .number = found.cloth};
    memcpy(wish.point, found.point, sizeof wish.point);
    memcpy(wish.vector, found.place, sizeof wish.vector);
    live_ask(s->live, wish);
    s->depth = found.distance;
    session_say(s, "take cloth %d at u %.4f v %.4f", found.cloth, (double)found.point[0],
                (double)found.point[1]);
    return true;
}

static void drop(session *s) {
    if (s->drag == DRAG_CLOTH) {
        live_ask(s->live, (live_wish){.kind = LIVE_DROP});
        session_say(s, "drop");
    }
    s->drag = DRAG_NONE;
}

static void on_button(GLFWwindow *handle, int button, int action, int mods) {
    session *s = session_of(handle);
    drop(s);
    if (action != GLFW_PRESS) {
        return;
    }
    if (button == GLFW_MOUSE_BUTTON_MIDDLE || (mods & GLFW_MOD_SHIFT)) {
        s->drag = DRAG_PAN;
    } else if (button == GLFW_MOUSE_BUTTON_LEFT && take(s)) {
        s->drag = DRAG_CLOTH;
    } else {
        s->drag = DRAG_TURN;
    }
}

static void on_cursor(GLFWwindow *handle, double x, double y) {
    session *s = session_of(handle);
    float place[2] = {(float)x * s->window.density[0], (float)y * s->window.density[1]};
    float height = (float)(s->window.pixels[1] > 0 ? s->window.pixels[1] : 1);
    float right = (place[0] - s->mouse[0]) / height, down = (place[1] - s->mouse[1]) / height;
    memcpy(s->mouse, place, sizeof s->mouse);
    if (s->drag == DRAG_TURN) {
        orbit_turn(&s->orbit, right, down);
    } else if (s->drag == DRAG_PAN) {
        orbit_pan(&s->orbit, right, down);
    } else if (s->drag == DRAG_CLOTH) {
        aim(s);
    }
}

static void on_scroll(GLFWwindow *handle, double x, double y) {
    (void)x;
    session *s = session_of(handle);
    if (s->drag == DRAG_CLOTH) {
        s->depth *= expf(REACH * (float)y);
        aim(s);
    } else {
        orbit_zoom(&s->orbit, (float)y);
    }
}

static void on_drop(GLFWwindow *handle, int count, const char *paths[]) {
    if (count > 0) {
        session_load(session_of(handle), paths[0]);
    }
}

bool session_project(const session *s, const float place[3], float pixels[2]) {
    camera_view view = view_of(s);
    float x, y;
    if (!camera_view_project(&view, v3_load(place), &x, &y)) {
        return false;
    }
    pixels[0] = x * (float)s->window.pixels[0];
    pixels[1] = y * (float)s->window.pixels[1];
    return true;
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

static void toggle_pause(session *s, int mods) {
    (void)mods;
    live_ask(s->live, (live_wish){.kind = LIVE_PAUSE, .on = !s->facts.paused});
    s->facts.paused = !s->facts.paused; /* two in a row undo each other */
}

static void one_step(session *s, int mods) {
    (void)mods;
    live_ask(s->live, (live_wish){.kind = LIVE_PAUSE, .on = true});
    live_ask(s->live, (live_wish){.kind = LIVE_STEP});
}

static void reset(session *s, int mods) {
    (void)mods;
    drop(s);
    live_ask(s->live, (live_wish){.kind = LIVE_RESET});
    session_notice(s, "From the start");
}

static void toggle_wind(session *s, int mods) {
    (void)mods;
    /* Where the scene has no wind, it blows from the onlooker's back. */
    live_wish wish = {.kind = LIVE_WIND, .on = !s->facts.wind};
    wish.vector[0] = -sinf(s->orbit.azimuth);
    wish.vector[2] = -cosf(s->orbit.azimuth);
    live_ask(s->live, wish);
    s->facts.wind = wish.on;
    session_notice(s, wish.on ? "Wind" : "No wind");
}

static void toggle_pin(session *s, int mods) {
    (void)mods;
    pick found = pick_under_mouse(s);
    if (!found.found) {
        session_notice(s, "P pins the cloth under the mouse");
        return;
    }
    live_wish wish = {.kind = LIVE_PIN, .number = found.cloth};
    memcpy(wish.point, found.point, sizeof wish.point);
    live_ask(s->live, wish);
}

/* What was done is said when it is (viewer.c): the window does not know what plays now. */
static void ask_body(session *s, live_wish_kind kind, int by) {
    if (s->facts.player.body < 0) {
        session_notice(s, "There is no body that could play an animation");
        return;
    }
    live_ask(s->live, (live_wish){.kind = kind, .number = body_under_mouse(s), .by = by});
}

static void last_animation(session *s, int mods) {
    (void)mods;
    ask_body(s, LIVE_CHOOSE, -1);
}

static void next_animation(session *s, int mods) {
    (void)mods;
    ask_body(s, LIVE_CHOOSE, 1);
}

static void slower(session *s, int mods) {
    (void)mods;
    ask_body(s, LIVE_HURRY, -1);
}

static void faster(session *s, int mods) {
    (void)mods;
    ask_body(s, LIVE_HURRY, 1);
}

static void toggle_motion(session *s, int mods) {
    (void)mods;
    ask_body(s, LIVE_STOP, 0);
}

static void next_skin(session *s, int mods) {
    const skins *all = live_skins(s->live);
    /* Levels that the solver has, and the grid itself in any case. */
    int levels = s->facts.solver.levels > 1 ? s->facts.solver.levels : 1;
    int count = all->count;
    do {
        s->skin = (s->skin + (mods & GLFW_MOD_SHIFT ? count - 1 : 1)) % count;
    } while (all->items[s->skin].kind == SKIN_LEVEL && all->items[s->skin].level >= levels);
    live_ask(s->live, (live_wish){.kind = LIVE_SKIN, .number = s->skin});
    switch (all->items[s->skin].kind) {
    case SKIN_MESH:
        session_notice(s, "Cloth");
        break;
    case SKIN_COARSE:
        session_notice(s, "Coarse mesh");
        break;
    case SKIN_LEVEL:
        session_notice(s, "Level %d", all->items[s->skin].level);
        break;
    }
}

static void toggle_wireframe(session *s, int mods) {
    (void)mods;
    s->options.wireframe = !s->options.wireframe;
}

static void toggle_bodies(session *s, int mods) {
    (void)mods;
    s->options.bodies = !s->options.bodies;
}

static void toggle_stretch(session *s, int mods) {
    (void)mods;
    s->options.stretch = !s->options.stretch;
}

static void toggle_marks(session *s, int mods) {
    (void)mods;
    if (!s->show.moment.marks) {
        session_notice(s,
                       "M shows depth layers of the solver refine, which this scene does not have");
        return;
    }
    s->options.marks = !s->options.marks;
}

static void toggle_follow(session *s, int mods) {
    (void)mods;
    if (s->facts.player.body < 0) {
        session_notice(s, "There is no body that could be followed");
        return;
    }
    s->follow = !s->follow;
    session_notice(s, s->follow ? "The camera follows" : "The camera stays");
}

static void toggle_help(session *s, int mods) {
    (void)mods;
    s->help = !s->help;
}

static void toggle_details(session *s, int mods) {
    (void)mods;
    s->details = !s->details;
}

static void load_again(session *s, int mods) {
    (void)mods;
    session_load(s, live_path(s->live));
}

static void shoot(session *s, int mods) {
    (void)mods;
    session_shoot(s);
}

static void go_home(session *s, int mods) {
    (void)mods;
    session_home(s);
}

static void leave(session *s, int mods) {
    (void)mods;
    if (s->help) {
        s->help = false;
    } else {
        glfwSetWindowShouldClose(s->window.handle, GLFW_TRUE);
    }
}

static const struct {
    int key;
    void (*act)(session *s, int mods);
} ACTS[] = {
    {GLFW_KEY_SPACE, toggle_pause},
    {GLFW_KEY_N, one_step},
    {GLFW_KEY_R, reset},
    {GLFW_KEY_V, toggle_wind},
    {GLFW_KEY_P, toggle_pin},
    {GLFW_KEY_L, next_skin},
    {GLFW_KEY_T, toggle_wireframe},
    {GLFW_KEY_H, toggle_bodies},
    {GLFW_KEY_C, toggle_stretch},
    {GLFW_KEY_F1, toggle_help},
    {GLFW_KEY_F2, toggle_details},
    {GLFW_KEY_F5, load_again},
    {GLFW_KEY_LEFT_BRACKET, last_animation},
    {GLFW_KEY_RIGHT_BRACKET, next_animation},
    {GLFW_KEY_COMMA, slower},
    {GLFW_KEY_PERIOD, faster},
    {GLFW_KEY_B, toggle_motion},
    {GLFW_KEY_M, toggle_marks},
    {GLFW_KEY_F, toggle_follow},
    {GLFW_KEY_F12, shoot},
    {GLFW_KEY_HOME, go_home},
    {GLFW_KEY_ESCAPE, leave},
};

static const int MOVES[MOVE_KINDS] = {
    [MOVE_LEFT] = GLFW_KEY_A,    [MOVE_RIGHT] = GLFW_KEY_D,     [MOVE_AHEAD] = GLFW_KEY_W,
    [MOVE_BACK] = GLFW_KEY_S,    [MOVE_UP] = GLFW_KEY_E,        [MOVE_DOWN] = GLFW_KEY_Q,
    [TURN_LEFT] = GLFW_KEY_LEFT, [TURN_RIGHT] = GLFW_KEY_RIGHT, [TURN_UP] = GLFW_KEY_UP,
    [TURN_DOWN] = GLFW_KEY_DOWN,
};

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods) {
    (void)scancode;
    session *s = session_of(handle);
    for (int i = 0; i < MOVE_KINDS; i++) {
        if (MOVES[i] == key) {
            s->moving[i] = action != GLFW_RELEASE;
            s->tapped[i] = s->tapped[i] || action == GLFW_PRESS;
        }
    }
    bool may_repeat = key == GLFW_KEY_N;
    for (size_t i = 0; i < sizeof ACTS / sizeof *ACTS; i++) {
        if (ACTS[i].key == key && (action == GLFW_PRESS || (action == GLFW_REPEAT && may_repeat))) {
            ACTS[i].act(s, mods);
        }
    }
}

static float amount(session *s, move_kind kind, float seconds) {
    float result = s->moving[kind] ? seconds : 0.0f;
    if (s->tapped[kind] && result < TAP) {
        result = TAP;
    }
    s->tapped[kind] = false;
    return result;
}

/* Takes the camera along with the middle of a character, level. Returns whether it moved. */
static bool go_along(session *s) {
    const int body = s->facts.player.body;
    const float *vertices = s->follow && body >= 0 ? s->show.moment.vertices[body] : NULL;
    const size_t count = vertices ? s->show.scene->bodies[body].def.mesh.vertices : 0;
    double sum[2] = {0.0, 0.0};
    for (size_t v = 0; v < count; v++) {
        sum[0] += (double)vertices[3 * v];
        sum[1] += (double)vertices[3 * v + 2];
    }
    bool moved = false;
    for (int k = 0; k < 2 && count > 0; k++) {
        const float middle = (float)(sum[k] / (double)count);
        const float way = s->led == body ? middle - s->middle[k] : 0.0f;
        s->orbit.target[2 * k] += way;
        s->middle[k] = middle;
        moved = moved || way != 0.0f;
    }
    s->led = count > 0 ? body : -1;
    return moved;
}

void controls_update(session *s, double ms) {
    const bool led = go_along(s);
    float seconds = fminf((float)ms * 1e-3f, 0.1f);
    float right = amount(s, MOVE_RIGHT, seconds) - amount(s, MOVE_LEFT, seconds);
    float up = amount(s, MOVE_UP, seconds) - amount(s, MOVE_DOWN, seconds);
    float ahead = amount(s, MOVE_AHEAD, seconds) - amount(s, MOVE_BACK, seconds);
    float turn = amount(s, TURN_RIGHT, seconds) - amount(s, TURN_LEFT, seconds);
    float rise = amount(s, TURN_UP, seconds) - amount(s, TURN_DOWN, seconds);
    orbit_walk(&s->orbit, WALK * right, WALK * up, WALK * ahead);
    orbit_turn(&s->orbit, -TURN * turn, TURN * rise);
    s->options.camera = orbit_camera(&s->orbit);
    bool moved = right != 0.0f || up != 0.0f || ahead != 0.0f || turn != 0.0f || rise != 0.0f;
    if ((moved || led) && s->drag == DRAG_CLOTH) {
        aim(s);
    }
}

static void on_change(GLFWwindow *handle, int width, int height) {
    (void)width;
    (void)height;
    window_update(&session_of(handle)->window);
}

static void on_refresh(GLFWwindow *handle) {
    session_of(handle);
}

void controls_attach(session *s) {
    GLFWwindow *handle = s->window.handle;
    glfwSetWindowUserPointer(handle, s);
    glfwSetMouseButtonCallback(handle, on_button);
    glfwSetCursorPosCallback(handle, on_cursor);
    glfwSetScrollCallback(handle, on_scroll);
    glfwSetKeyCallback(handle, on_key);
    glfwSetDropCallback(handle, on_drop);
    glfwSetFramebufferSizeCallback(handle, on_change);
    glfwSetWindowRefreshCallback(handle, on_refresh);
}
