#version 430 core
/* The solution on a cloth's coarsest level, by one work group: by the inverse of its matrix, or where
 * bodies hold it by conjugate gradients among what they allow; see cpu/held.c. */
#define CYCLE_MEMORY coherent restrict
#include "gl/shaders/cycle.glsl"

layout(local_size_x = GROUP_LINE) in;

layout(std430, binding = BIND_MOMENTS) restrict readonly buffer exact_buffer { float exact[]; };

uniform ivec4 call; /* x: the level is also the finest */

/* Planes behind the matrix. */
const int RESIDUAL = CYCLE_COUNT + MATRIX_COUNT, WAY = RESIDUAL + 3, IMAGE = WAY + 3;

shared double sums[GROUP_LINE];

int texels() {
    return level.grid.columns * level.grid.rows;
}

int place_of(int i) {
    return index_of(level.grid, i % level.grid.columns, i / level.grid.columns);
}

/* The sum over all threads, the same in each. */
double sum_all(double own) {
    int at = int(gl_LocalInvocationID.x);
    barrier();
    sums[at] = own;
    barrier();
    for (int apart = GROUP_LINE / 2; apart > 0; apart /= 2) {
        if (at < apart) {
            sums[at] += sums[at + apart];
        }
        barrier();
    }
    return sums[0];
}

void wait() {
    memoryBarrierBuffer();
    barrier();
}

/* On the finest grid held texels do not move along the normal at all. */
vec3 allowed(int k, vec3 a) {
    return call.x != 0 ? hold_back(k, a) : a;
}

/* The residual divided by A's diagonal. */
vec3 scaled(int k) {
    vec3 e = cycle_at(RESIDUAL, k) * matrix_at(MATRIX_inverse, k);
    return call.x != 0 ? e : sweep_held(k, e, vec3(0.0), 0.0);
}

/* The image of the way; returns its product with the way. */
double image_of_way() {
    double sum = 0.0LF;
    for (int i = int(gl_LocalInvocationID.x); i < texels(); i += GROUP_LINE) {
        int k = place_of(i);
        float inverse = matrix_at(MATRIX_inverse, k);
        vec3 way = cycle_at(WAY, k), image = way * (inverse > 0.0 ? 1.0 / inverse : 0.0);
        image -= around(WAY, k);
        if (call.x == 0) {
            image += grip_pull(way, cycle_at(CYCLE_nx, k), cycle_plane_at(CYCLE_hold, k));
        }
        image = allowed(k, image);
        set_cycle(IMAGE, k, image);
        sum += double(v3_dot(way, image));
    }
    wait();
    return sum_all(sum);
}

void begin_held() {
    for (int i = int(gl_LocalInvocationID.x); i < texels(); i += GROUP_LINE) {
        int k = place_of(i);
        set_cycle(WAY, k, call.x != 0 ? land(k, vec3(0.0)) : vec3(0.0));
        set_cycle(CYCLE_ex, k, vec3(0.0));
        set_cycle(RESIDUAL, k, allowed(k, cycle_at(CYCLE_rx, k)));
    }
    wait();
    image_of_way();
}

/* Goes that far; returns what is left. */
double go_held(float far) {
    double sum = 0.0LF;
    for (int i = int(gl_LocalInvocationID.x); i < texels(); i += GROUP_LINE) {
        int k = place_of(i);
        set_cycle(CYCLE_ex, k, v3_madd(cycle_at(CYCLE_ex, k), cycle_at(WAY, k), far));
        vec3 r = v3_madd(cycle_at(RESIDUAL, k), cycle_at(IMAGE, k), -far);
        set_cycle(RESIDUAL, k, r);
        sum += double(v3_dot(r, scaled(k)));
    }
    wait();
    return sum_all(sum);
}

void turn_held(float keep) {
    for (int i = int(gl_LocalInvocationID.x); i < texels(); i += GROUP_LINE) {
        int k = place_of(i);
        set_cycle(WAY, k, v3_madd(scaled(k), cycle_at(WAY, k), keep));
    }
    wait();
}

void solve_held() {
    begin_held();
    double left = go_held(1.0), enough = double(HELD_ENOUGH) * left;
    turn_held(0.0);
    for (int i = 0; i < HELD_MOST && left > enough; i++) {
        double bent = image_of_way();
        if (!(bent > 0.0LF)) {
            return;
        }
        double next = go_held(float(left / bent));
        turn_held(float(next / left));
        left = next;
    }
}

void solve_free() {
    for (int i = int(gl_LocalInvocationID.x); i < texels(); i += GROUP_LINE) {
        vec3 sum = vec3(0.0);
        for (int j = 0; j < texels(); j++) {
            sum += exact[i * texels() + j] * cycle_at(CYCLE_rx, place_of(j));
        }
        set_cycle(CYCLE_ex, place_of(i), sum);
    }
}

void main() {
    if (is_settled()) {
        return;
    }
    if (marks[cloth.mark].gripped == stamp) {
        solve_held();
    } else {
        solve_free();
    }
}
