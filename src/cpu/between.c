#include "cpu/between.h"

/* What threads share. Planes of a level follow from DATA_LEVEL on, a bit each. */
enum {
    DATA_PLACES = 1 << 0,
    DATA_SPEEDS = 1 << 1,
    DATA_AIR = 1 << 2,      /* forces of the wind on cells */
    DATA_STRETCH = 1 << 3,  /* of rows, by which the limit knows whether there is something to do */
    DATA_BODIES = 1 << 4,   /* where they are; thread 0 writes it */
    DATA_WAYS = 1 << 5,     /* how far meshes move, likewise */
    DATA_VERTICES = 1 << 6, /* of the coarse mesh */
    DATA_NORMALS = 1 << 7,
    DATA_LEVEL = 1 << 8
};
_Static_assert(8 + MAX_LEVELS <= 32, "a bit for each level");

typedef struct pass_data {
    uint32_t reads; /* of other rows */
    uint32_t writes;
} pass_data;

/* Passes that are not here go over their own rows, or threads meet within them. */
static const pass_data data_of_pass[PASS_COUNT] = {
    [PASS_BODIES] = {0, DATA_BODIES},
    [PASS_PINS] = {0, DATA_SPEEDS},
    [PASS_WIND] = {DATA_PLACES | DATA_SPEEDS | DATA_BODIES, DATA_AIR},
    [PASS_FORCE] = {DATA_PLACES | DATA_SPEEDS | DATA_AIR, DATA_STRETCH},
    [PASS_INTEGRATE] = {0, DATA_SPEEDS},
    [PASS_DETECT] = {DATA_BODIES, 0},
    [PASS_LIMIT] = {DATA_STRETCH, 0},
    [PASS_REST] = {DATA_STRETCH, 0},
    [PASS_RESPOND] = {DATA_BODIES, DATA_PLACES | DATA_SPEEDS},
    [PASS_MAPS_RESPOND] = {DATA_BODIES, DATA_PLACES | DATA_SPEEDS},
    [PASS_CCD] = {DATA_BODIES, DATA_PLACES | DATA_SPEEDS},
    [PASS_CCD_PUSH] = {DATA_BODIES, DATA_PLACES | DATA_SPEEDS},
    [PASS_MOVE] = {0, DATA_PLACES | DATA_SPEEDS},
    [PASS_PREDICT] = {DATA_AIR, DATA_SPEEDS | DATA_LEVEL},
    [PASS_COARSE_BEGIN] = {0, DATA_WAYS},
    [PASS_COARSE] = {DATA_WAYS | DATA_BODIES | DATA_PLACES | DATA_SPEEDS | DATA_LEVEL,
                     DATA_VERTICES},
    [PASS_SAMPLE] = {DATA_VERTICES, DATA_SPEEDS | DATA_LEVEL},
    [PASS_BEND] = {DATA_LEVEL, DATA_LEVEL},
    [PASS_SELF] = {DATA_PLACES | DATA_SPEEDS | DATA_LEVEL, 0},
    [PASS_SELF_AHEAD] = {DATA_PLACES | DATA_SPEEDS | DATA_LEVEL, 0},
    [PASS_SELF_AFTER] = {DATA_PLACES | DATA_SPEEDS | DATA_LEVEL, 0},
    [PASS_BEGIN] = {DATA_AIR, DATA_SPEEDS | DATA_LEVEL},
    [PASS_NORMAL] = {DATA_PLACES | DATA_LEVEL, DATA_NORMALS},
    [PASS_CURL] = {DATA_NORMALS, DATA_SPEEDS},
    [PASS_MESHES_BEGIN] = {0, DATA_WAYS},
    [PASS_MESHES] = {DATA_WAYS | DATA_BODIES, 0},
    [PASS_MAPS] = {DATA_WAYS | DATA_BODIES, 0},
    [PASS_STAGE] = {0, DATA_PLACES | DATA_SPEEDS},
    [PASS_REBOUND] = {0, DATA_SPEEDS},
    [PASS_VELOCITY] = {0, DATA_SPEEDS},
};

static uint32_t level_data(int depth) {
    return (uint32_t)DATA_LEVEL << depth;
}

static bool is_small(const step_plan *plan, int depth) {
    return depth > 0 && depth < MAX_LEVELS && plan->levels[depth].small;
}

/* Small levels are thread 0's alone: what it reads there is its own. */
static uint32_t other_rows(const step_plan *plan, int depth, int own) {
    return is_small(plan, depth) && is_small(plan, own) ? 0 : level_data(depth);
}

static pass_data data_of(const step_plan *plan, pass_call call) {
    const int own = call.level;
    switch (call.pass) {
    case PASS_RESTRICT:
        return (pass_data){other_rows(plan, own - 1, own), level_data(own)};
    case PASS_UPSAMPLE:
        return (pass_data){other_rows(plan, own + 1, own), level_data(own)};
    case PASS_RELAX:
        return (pass_data){other_rows(plan, own, own), level_data(own)};
    case PASS_PROJECT_OUT:
    case PASS_MAPS_OUT:
        return (pass_data){is_small(plan, own) ? 0 : DATA_BODIES, level_data(own)};
    default:
        return data_of_pass[call.pass];
    }
}

bool meets_before(const since_met *since, const step_plan *plan, pass_call call) {
    const pass_data data = data_of(plan, call);
    return (data.reads & since->written) != 0 || (data.writes & since->read) != 0;
}

void note_call(since_met *since, const step_plan *plan, pass_call call) {
    const pass_data data = data_of(plan, call);
    since->written |= data.writes;
    since->read |= data.reads;
}
