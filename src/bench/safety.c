#include "bench/safety.h"

#include <math.h>

#include "base/error.h"

static const float GRAVITY = 9.81f;

const float safety_spacings[SAFETY_SPACINGS] = {0.001f, 0.003f, 0.01f, 0.03f, 0.1f};
const float safety_steps[SAFETY_STEPS] = {1.0f / 240.0f, 1.0f / 60.0f, 1.0f / 24.0f};
enum { ORDERS = 2 };

/* Two seconds, five and six. */
static const int frames_of_step[SAFETY_STEPS] = {500, 300, 150};

static const char *const scene_names[SAFETY_SCENES] = {
    [SAFETY_CORNER] = "corner", [SAFETY_CORNERS] = "corners", [SAFETY_BALL] = "ball",
    [SAFETY_BESIDE] = "beside", [SAFETY_ASIDE] = "aside",     [SAFETY_FLOOR] = "floor",
    [SAFETY_WALL] = "wall",     [SAFETY_STRUCK] = "struck",
};

const char *safety_scene_name(safety_scene scene) {
    return scene_names[scene];
}

int safety_count(void) {
    return toile_fabric_count() * SAFETY_SPACINGS * SAFETY_STEPS * SAFETY_SCENES * ORDERS;
}

/* The last digit of a number in a system of such a base; the rest stays. */
static int take(int *number, int base) {
    int digit = *number % base;
    *number /= base;
    return digit;
}

safety_def safety_get(int number) {
    safety_def def = {.solver = toile_default_world_def().solver};
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.self_collision = false;
    def.solver.sleep = false;
    def.solver.damping = 0.0f;
    def.solver.order = 1 + take(&number, ORDERS);
    def.scene = (safety_scene)take(&number, SAFETY_SCENES);
    const int step = take(&number, SAFETY_STEPS);
    def.time_step = safety_steps[step];
    def.frames = frames_of_step[step];
    def.spacing = safety_spacings[take(&number, SAFETY_SPACINGS)];
    def.fabric = number;
    return def;
}

safety_def safety_converged(const safety_def *def) {
    safety_def converged = *def;
    converged.solver.iterations = 120;
    converged.solver.tolerance = 1e-7f;
    return converged;
}

/* ---- scenes -------------------------------------------------------------------------------------
 */

static float size_of(const safety_def *def) {
    return (float)(SAFETY_TEXELS - 1) * def->spacing;
}

/* Of a fall from one size, m/s. */
static float blow(const safety_def *def) {
    return sqrtf(2.0f * GRAVITY * size_of(def));
}

static float ball_radius(const safety_def *def) {
    return 5.0f * def->spacing;
}

static bool is_pinned(safety_scene scene) {
    return scene == SAFETY_CORNER || scene == SAFETY_CORNERS || scene == SAFETY_STRUCK;
}

/* How the cloth starts: level, but where it hangs, is thrown or falls on its edge. */
static toile_transform start_of(const safety_def *def) {
    const float size = size_of(def);
    toile_transform t = {.rotate = {-90.0f, 0.0f, 0.0f}, .scale = 1.0f};
    switch (def->scene) {
    case SAFETY_BALL:
    case SAFETY_BESIDE:
    case SAFETY_ASIDE:
        t.translate[0] = size * (def->scene == SAFETY_BALL     ? 0.0f
                                 : def->scene == SAFETY_BESIDE ? 0.1f
                                                               : 0.3f);
        t.translate[1] = 2.0f * ball_radius(def) + size;
        break;
    case SAFETY_FLOOR:
        t.translate[1] = 1.5f * size;
        t.rotate[0] = 3.0f;
        t.rotate[2] = 2.0f;
        break;
    case SAFETY_WALL:
        t.translate[1] = 1.5f * size;
        t.rotate[0] = 0.0f;
        t.rotate[1] = 20.0f;
        break;
    case SAFETY_STRUCK:
        t.rotate[0] = 0.0f;
        break;
    default:
        break;
    }
    return t;
}

static bool add_pins(const safety_def *def, toile_world *world, toile_cloth_id cloth) {
    const toile_corner corners[] = {TOILE_CORNER_TOP_LEFT, TOILE_CORNER_TOP_RIGHT};
    const int count = !is_pinned(def->scene) ? 0 : def->scene == SAFETY_CORNER ? 1 : 2;
    bool good = true;
    for (int i = 0; i < count; i++) {
        toile_pin_def pin = toile_default_pin_def();
        pin.kind = TOILE_PIN_CORNER;
        pin.corner = corners[i];
        good = good && toile_cloth_add_pin(world, cloth, &pin).slot;
    }
    return good;
}

static bool add_plane(toile_world *world, float ny, float nz, float z) {
    toile_body_def plane = toile_default_body_def();
    plane.shape = TOILE_SHAPE_PLANE;
    plane.center[2] = z;
    plane.normal[0] = 0.0f;
    plane.normal[1] = ny;
    plane.normal[2] = nz;
    return toile_world_add_body(world, &plane).slot;
}

/* One that lies on the floor, or one that goes through the lower half of what hangs, four times. */
static bool add_ball(const safety_def *def, toile_world *world) {
    const float size = size_of(def), crossing = 2.0f * size / blow(def);
    toile_keyframe keys[5];
    for (int i = 0; i < 5; i++) {
        keys[i] = (toile_keyframe){.time = (float)i * crossing,
                                   .translate = {0.0f, 0.0f, i % 2 ? -2.0f * size : 0.0f}};
    }
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.radii[0] = ball_radius(def);
    ball.center[1] = ball_radius(def);
    if (def->scene == SAFETY_STRUCK) {
        ball.center[1] = -0.25f * size;
        ball.center[2] = size;
        ball.keyframes = keys;
        ball.keyframe_count = 5;
    }
    return toile_world_add_body(world, &ball).slot;
}

static bool add_bodies(const safety_def *def, toile_world *world) {
    const bool floor = !is_pinned(def->scene);
    const bool wall = def->scene == SAFETY_WALL;
    const bool ball = def->scene == SAFETY_BALL || def->scene == SAFETY_BESIDE ||
                      def->scene == SAFETY_ASIDE || def->scene == SAFETY_STRUCK;
    return (!floor || add_plane(world, 1.0f, 0.0f, 0.0f)) &&
           (!wall || add_plane(world, 0.0f, 1.0f, -size_of(def))) &&
           (!ball || add_ball(def, world));
}

static toile_result throw_cloth(const safety_def *def, toile_world *world, toile_cloth_id cloth) {
    float v[SAFETY_TEXELS * SAFETY_TEXELS][3] = {{0}};
    for (int t = 0; t < SAFETY_TEXELS * SAFETY_TEXELS; t++) {
        v[t][2] = -blow(def);
    }
    return toile_cloth_set_texel_velocities(world, cloth, v[0], SAFETY_TEXELS * SAFETY_TEXELS);
}

static toile_result fill_world(const safety_def *def, toile_world *world, toile_cloth_id *cloth) {
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = size_of(def);
    sheet.spacing = def->spacing;
    sheet.fabric = toile_fabric_named(toile_fabric_name(def->fabric));
    sheet.transform = start_of(def);
    *cloth = toile_world_add_cloth(world, &sheet);
    if (!cloth->slot || !add_pins(def, world, *cloth) || !add_bodies(def, world)) {
        return error_last();
    }
    return def->scene == SAFETY_WALL ? throw_cloth(def, world, *cloth) : TOILE_OK;
}

/* ---- measuring ----------------------------------------------------------------------------------
 */

typedef float texel_places[SAFETY_TEXELS][SAFETY_TEXELS][3];

static double apart(const float *a, const float *b) {
    double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1],
           z = (double)b[2] - (double)a[2];
    return sqrt(x * x + y * y + z * z);
}

static void note_yarn(safety_result *out, double length, double spacing) {
    out->elongation = fmax(out->elongation, length / spacing - 1.0);
    out->shortening = fmax(out->shortening, 1.0 - length / spacing);
}

static void note_places(const safety_def *def, const texel_places x, const float *middle,
                        safety_result *out) {
    const double spacing = (double)def->spacing, size = (double)size_of(def);
    for (int j = 0; j < SAFETY_TEXELS; j++) {
        for (int i = 0; i < SAFETY_TEXELS; i++) {
            if (i + 1 < SAFETY_TEXELS) {
                note_yarn(out, apart(x[j][i], x[j][i + 1]), spacing);
            }
            if (j + 1 < SAFETY_TEXELS) {
                note_yarn(out, apart(x[j][i], x[j + 1][i]), spacing);
            }
            out->reach = fmax(out->reach, apart(x[j][i], middle) / size);
        }
    }
}

/* Of motion and height, and of springs and bending, which have none before the first step. */
static toile_result energies_of(const toile_world *world, double *motion, double *elastic) {
    toile_metrics m;
    toile_result result = toile_world_measure_cloths(world, TOILE_MEASURE_ENERGY, &m, NULL, 0);
    *motion = m.kinetic_energy + m.potential_energy;
    *elastic = m.elastic_energy;
    return result;
}

static toile_result step_through(const safety_def *def, toile_world *world, toile_cloth_id cloth,
                                 safety_result *out) {
    texel_places x;
    const size_t texels = SAFETY_TEXELS * SAFETY_TEXELS;
    const toile_transform start = start_of(def);
    const double unit =
        (double)GRAVITY * toile_cloth_get_info(world, cloth).mass * (double)size_of(def);
    double at_start, motion, elastic;
    toile_result result = energies_of(world, &at_start, &elastic);
    double least = at_start;
    for (int frame = 1; frame <= def->frames && result == TOILE_OK; frame++) {
        result = toile_world_step(world, def->time_step);
        if (result == TOILE_ERROR_NUMERICAL) {
            out->stopped = frame;
            return TOILE_OK;
        }
        if (result == TOILE_OK) {
            result = toile_cloth_get_texel_positions(world, cloth, x[0][0], texels);
        }
        if (result == TOILE_OK) {
            note_places(def, (const float(*)[SAFETY_TEXELS][3])x, start.translate, out);
            result = energies_of(world, &motion, &elastic);
            out->motion = fmax(out->motion, (motion - at_start) / unit);
            out->gain = fmax(out->gain, (motion + elastic - at_start) / unit);
            least = fmin(least, motion + elastic);
            out->rise = fmax(out->rise, (motion + elastic - least) / unit);
        }
    }
    return result;
}

toile_result safety_run(const safety_def *def, safety_result *out) {
    *out = (safety_result){.gain = -INFINITY, .motion = -INFINITY};
    toile_world_def world_def = toile_default_world_def();
    world_def.gravity[1] = -GRAVITY;
    world_def.threads = 1;
    world_def.solver = def->solver;
    toile_world *world;
    toile_result result = toile_world_create(&world_def, &world);
    if (result != TOILE_OK) {
        return result;
    }
    toile_cloth_id cloth;
    result = fill_world(def, world, &cloth);
    if (result == TOILE_OK) {
        result = step_through(def, world, cloth, out);
    }
    toile_world_destroy(world);
    return result;
}

/* ---- faults -------------------------------------------------------------------------------------
 */

static const double GAIN = 0.05, ELONGATION = 0.05, LIMITS = 3.0;

/* A pinned texel is half a size from the middle, or that times the root of two, and the farthest
 * another diagonal away: 2.1. */
static const double REACH = 2.5;

/* What the converged run has is as much if it is at most this share less. */
static const double AS_MUCH = 0.9;

const char *safety_fault_name(safety_fault fault) {
    static const char *const names[SAFETY_FAULTS] = {[SAFETY_STOPPED] = "stopped",
                                                     [SAFETY_GAINED] = "gained",
                                                     [SAFETY_STRETCHED] = "stretched",
                                                     [SAFETY_THROWN] = "thrown"};
    return names[fault];
}

static double longest_of(const safety_def *def) {
    const toile_fabric fabric = toile_fabric_named(toile_fabric_name(def->fabric));
    return fmax(ELONGATION, LIMITS * (double)fabric.limit);
}

double safety_amount(const safety_def *def, const safety_result *r, safety_fault fault) {
    const bool moved = def->scene == SAFETY_STRUCK;
    switch (fault) {
    case SAFETY_STOPPED:
        return r->stopped ? INFINITY : 0.0;
    case SAFETY_GAINED:
        return moved ? 0.0 : r->gain / GAIN;
    case SAFETY_STRETCHED:
        return r->elongation / longest_of(def);
    default:
        return moved ? r->reach / REACH : 0.0;
    }
}

bool safety_rises(const safety_def *def, const safety_result *r) {
    return def->scene != SAFETY_STRUCK && r->rise > GAIN;
}

bool safety_has_own(const safety_def *def, const safety_result *r, const safety_result *converged,
                    safety_fault fault) {
    const double amount = safety_amount(def, r, fault);
    return amount > 1.0 && safety_amount(def, converged, fault) < AS_MUCH * amount;
}
