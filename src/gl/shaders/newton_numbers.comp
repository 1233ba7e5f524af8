#version 430 core
/* The numbers of conjugate gradients of an island, and whether it needs another iteration: the work
 * group of its first part adds up the sums of their tiles, in an order that does not depend on
 * anything, and tells all of them. */
#include "gl/shaders/newton_coupled.glsl"
#include "gl/shaders/marks.glsl"
#include "kernel/gradients.h"

layout(local_size_x = PART_THREADS) in;

/* The work groups of dispatches to come. */
layout(std430, binding = BIND_COARSER) restrict buffer group_buffer { uint groups[]; };

layout(std430, binding = BIND_TOLD) restrict writeonly buffer told_buffer { uint told[]; };

layout(std430, binding = BIND_REPELS_ISLANDS) restrict readonly buffer repel_buffer {
    uint repels[];
};

#include "gl/shaders/islands.glsl"

shared float summed[PART_THREADS];

int lead; /* the first panel of the first part, which tells of it */

/* x: NUMBERS_, y: how many iterations are done with this one, of conjugate gradients or of Newton's
 * method, z: ITERATION_ and what it is. */

/* Of those of all threads, which all get it. most: the largest instead. */
float sum_threads(float sum, bool most) {
    int own = int(gl_LocalInvocationID.x);
    barrier();
    summed[own] = sum;
    for (int step = PART_THREADS / 2; step > 0; step /= 2) {
        barrier();
        if (own < step) {
            float part = summed[own + step];
            summed[own] = most ? (part <= summed[own] ? summed[own] : part) : summed[own] + part;
        }
    }
    barrier();
    return summed[0];
}

system_block first_panel(int part) {
    return panels[panels[part].lead];
}

int next_part(int part) {
    return int(parts[PART_FLOATS * part + PART_NEXT]);
}

float sum_island(int number, bool most) {
    float sum = 0.0;
    for (int p = panel.part; p >= 0; p = next_part(p)) {
        system_block first = first_panel(p);
        for (int i = int(gl_LocalInvocationID.x); i < first.tiles; i += PART_THREADS) {
            float part = parts[first.sums + SUMS_FLOATS * i + number];
            sum = most ? (part <= sum ? sum : part) : sum + part;
        }
    }
    return sum_threads(sum, most);
}

/* The force times what the cycle has found, of touched texels, which tiles leave out. */
float sum_touched() {
    float sum = 0.0;
    for (int t = int(gl_LocalInvocationID.x); t < coupled_at(COUPLED_TOUCHED); t += PART_THREADS) {
        int part = panels[touched_word(t, TOUCHED_PANEL)].part;
        if (int(parts[PART_FLOATS * part + PART_LEAD]) == panel.part) {
            int k = touched_word(t, TOUCHED_TEXEL);
            sum += v3_dot(vector_at(EQ_residual, k), vector_at(EQ_result, k));
        }
    }
    return sum_threads(sum, false);
}

/* For one thread. Returns how many parts there are. */
uint tell_parts(int number, float value) {
    uint count = 0u;
    for (int p = panel.part; p >= 0; p = next_part(p)) {
        parts[PART_FLOATS * p + number] = value;
        count++;
    }
    return count;
}

void set_parts(int number, float value) {
    if (gl_LocalInvocationIndex == 0u) {
        tell_parts(number, value);
    }
}

void set_own(int number, float value) {
    if (gl_LocalInvocationIndex == 0u) {
        parts[PART_FLOATS * panel.part + number] = value;
    }
}

/* The island of a part, which is loose where all of its parts are. */
void find_island() {
    int at = REPELS_HEADS + REPELS_PLACE * panel.size, count = int(gl_NumWorkGroups.x);
    int island = island_of(panel.part, at), next = count;
    float held = 0.0;
    for (int p = int(gl_LocalInvocationID.x); p < count; p += PART_THREADS) {
        if (island_of(p, at) == island) {
            held = first_panel(p).loose != 0 ? held : 1.0;
            next = p > panel.part ? min(next, p) : next;
        }
    }
    held = sum_threads(held, true);
    next = int(-sum_threads(-float(next), true));
    set_own(PART_LEAD, float(island));
    set_own(PART_NEXT, next < count ? float(next) : -1.0);
    set_own(PART_LOOSE, held > 0.0 ? 0.0 : 1.0);
}

/* Texels that found no room for their springs are without: the step is made again. */
void look_at_room() {
    if (gl_LocalInvocationIndex == 0u && repels[0] > uint(panel.repels) &&
        marks[lead].springs == 0) {
        marks[lead].springs = int(min(repels[0], 0x7fffffffu));
    }
}

/* The only one that every part does itself. */
void start() {
    set_own(PART_RESTS, 0.0);
    set_own(PART_SOLVED, 0.0);
    set_own(PART_LEAD, float(panel.part));
    set_own(PART_NEXT, -1.0);
    set_own(PART_LOOSE, float(panel.loose));
    for (int i = 0; i < 3; i++) {
        set_own(PART_SHIFT + i, 0.0);
    }
    if (panel.repels != 0) {
        find_island();
        look_at_room();
    }
    if (panel.asleep != 0 && gl_LocalInvocationIndex == 0u) {
        parts[PART_FLOATS * panel.part + PART_RESTS] = 1.0;
        atomicAdd(groups[GROUPS_RESTING], 1u);
    }
}

/* Before the first iteration of conjugate gradients. */
void begin_gradients() {
    float inertia = sum_island(SUMS_INERTIA, false), motion = sum_island(SUMS_MOTION, false);
    if (part_at(PART_LOOSE) != 0.0) {
        float x = sum_island(SUMS_WAY, false), y = sum_island(SUMS_WAY + 1, false);
        motion = gradients_inner(motion, x, y, sum_island(SUMS_WAY + 2, false), inertia);
    }
    set_parts(PART_MOTION, gradients_motion(motion, inertia, panel.slow));
    set_parts(PART_GAIN, 0.0);
}

void find_direction() {
    float now = sum_island(SUMS_DOT, false);
    if (panel.coupled != 0) {
        now += sum_touched();
    }
    float before = call.y == 1 ? 0.0 : part_at(PART_BEFORE);
    barrier(); /* all have read */
    set_parts(PART_NOW, now);
    set_parts(PART_BEFORE, now);
    set_parts(PART_BETA, gradients_ratio(now, before));
    if (call.y == 1) {
        begin_gradients();
    }
}

/* The island needs no more conjugate gradients. Where that goes for all, those that are queued have
 * nothing to do. */
void solved() {
    uint own = tell_parts(PART_SOLVED, float(call.y));
    uint others = gl_NumWorkGroups.x - groups[GROUPS_RESTING];
    if (atomicAdd(groups[GROUPS_SOLVED], own) + own < others) {
        return;
    }
    told[TOLD_SOLVED] = 1u;
    int kept = int(groups[GROUPS_ADVANCE]) + GROUPS_WORDS * (call.y % GROUPS_ADVANCES);
    for (int i = int(groups[GROUPS_DRAWN]); i < groups.length() / 2; i += GROUPS_WORDS) {
        groups[i] = i == kept ? groups[i] : 0u;
    }
}

void look_at_step(float taken, float gain) {
    mark_block m = marks[lead];
    bool ends = gradients_end(taken, panel.little, part_at(PART_MOTION), panel.share, gain);
    marks[lead].gradients = m.gradients + 1;
    marks[lead].drawn = max(m.drawn, call.y);
    if (ends || call.z == ITERATION_LAST) {
        solved();
    } else if (call.z == ITERATION_SHORT) {
        marks[lead].cut = 1;
    }
}

void advance() {
    float now = part_at(PART_NOW), alpha = gradients_ratio(now, sum_island(SUMS_DOT, false));
    float gain = part_at(PART_GAIN) + alpha * now;
    barrier();
    set_parts(PART_ALPHA, alpha);
    set_parts(PART_GAIN, gain);
    if (gl_LocalInvocationIndex == 0u) {
        look_at_step(alpha * now, gain);
    }
}

void find_shift() {
    float sums[9];
    for (int i = 0; i < 9; i++) {
        sums[i] = sum_island(SUMS_FORCE + i, false);
    }
    block all = block_make(vec3(sums[3], sums[4], sums[5]), vec3(sums[6], sums[7], sums[8]));
    vec3 shift = gradients_shift(all, vec3(sums[0], sums[1], sums[2]));
    for (int i = 0; i < 3; i++) {
        set_parts(PART_SHIFT + i, shift[i]);
    }
}

/* When all parts do, there is nothing more to do in the substep. */
void rest() {
    uint own = tell_parts(PART_RESTS, 1.0);
    if (atomicAdd(groups[GROUPS_RESTING], own) + own == gl_NumWorkGroups.x) {
        told[TOLD_REST] = 1u;
        for (int i = GROUPS_FIRST; i < groups.length() / 2; i += GROUPS_WORDS) {
            groups[i] = 0u;
        }
    }
}

/* Conjugate gradients begin again. All parts that go on write the same, and then not all rest. */
void go_on() {
    int all = groups.length() / 2;
    tell_parts(PART_SOLVED, 0.0);
    groups[GROUPS_SOLVED] = 0u;
    for (int i = int(groups[GROUPS_DRAWN]); i < all; i += GROUPS_WORDS) {
        groups[i] = groups[all + i];
    }
}

void leave_mark(bool little, float longest) {
    mark_block m = marks[lead];
    marks[lead].wanted = max(m.wanted, call.y);
    if (little || call.z == ITERATION_LAST) {
        rest();
        marks[lead].iterations = m.iterations + call.y;
        marks[lead].restless = little ? m.restless : 1;
        marks[lead].last_move = max(m.last_move, longest);
        return;
    }
    go_on();
    if (call.z == ITERATION_SHORT) {
        marks[lead].hurried = 1;
    }
}

void settle() {
    float longest = k_sqrt(sum_island(SUMS_MOVED, true));
    bool little = gradients_settle(part_at(PART_GAIN), panel.enough, part_at(PART_MOTION), longest,
                                   panel.tolerance);
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        leave_mark(little, longest);
    }
}

void shift() {
    if (part_at(PART_LOOSE) != 0.0) {
        find_shift();
    }
}

void draw() {
    if (call.x == NUMBERS_DIRECTION) {
        find_direction();
    } else {
        advance();
    }
}

void main() {
    lead = panels[int(gl_WorkGroupID.x)].lead;
    panel = panels[lead];
    enter_level();
    if (call.x == NUMBERS_START) {
        start();
    } else if (part_at(PART_RESTS) != 0.0 || int(part_at(PART_LEAD)) != panel.part) {
        return;
    } else if (call.x == NUMBERS_SETTLE) {
        settle();
    } else if (call.x == NUMBERS_SHIFT) {
        shift();
    } else if (part_at(PART_SOLVED) == 0.0) {
        draw();
    }
}
