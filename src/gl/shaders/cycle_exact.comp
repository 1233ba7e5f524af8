#version 430 core
/* The solution on a cloth's coarsest grid, by one work group whose threads have a texel each: by
 * the inverse of its matrix, or where bodies hold it by conjugate gradients among what they allow;
 * see cpu/held.c. */
#include "gl/shaders/cycle.glsl"

layout(local_size_x = GROUP_LINE) in;

layout(std430, binding = BIND_MOMENTS) restrict readonly buffer exact_buffer { float exact[]; };

uniform ivec4 call; /* x: the grid is also the finest */

/* A hundred texels, with a border: most where there are two rows. */
const int ROOM = 208, PARTS = 16;

shared float ways[3][ROOM];
shared double sums[GROUP_LINE], parts[PARTS];

/* Of the thread's texel; threads without one have zeros. */
bool own;
int k, place;
vec3 e, residual, image, normal;
float hold, inverse, diagonal;
couplings near;

vec3 way_at(int i) {
    return vec3(ways[0][i], ways[1][i], ways[2][i]);
}

void set_way(vec3 way) {
    for (int axis = 0; axis < 3 && own; axis++) {
        ways[axis][place] = way[axis];
    }
}

/* The sum over all threads, the same in each. */
double sum_all(double part) {
    int at = int(gl_LocalInvocationID.x);
    sums[at] = part;
    barrier();
    if (at < PARTS) {
        double sum = 0.0LF;
        for (int i = at; i < GROUP_LINE; i += PARTS) {
            sum += sums[i];
        }
        parts[at] = sum;
    }
    barrier();
    double all = 0.0LF;
    for (int i = 0; i < PARTS; i++) {
        all += parts[i];
    }
    return all;
}

void load_texel() {
    int texel = int(gl_LocalInvocationID.x), columns = level.grid.columns;
    int column = texel % columns, row = texel / columns;
    for (int i = texel; i < ROOM; i += GROUP_LINE) {
        ways[0][i] = ways[1][i] = ways[2][i] = 0.0;
    }
    own = row < level.grid.rows;
    k = index_of(level.grid, own ? column : 0, own ? row : 0);
    place = (row + 1) * (columns + 2) + column + 1;
    e = image = vec3(0.0);
    residual = own ? cycle_at(CYCLE_rx, k) : vec3(0.0);
    normal = cycle_at(CYCLE_nx, k);
    hold = cycle_plane_at(CYCLE_hold, k);
    inverse = matrix_at(MATRIX_inverse, k);
    diagonal = inverse > 0.0 ? 1.0 / inverse : 0.0;
    near = couplings_at(k);
    barrier();
}

/* On the finest grid held texels do not move along the normal at all. */
vec3 allowed(vec3 a) {
    return call.x != 0 ? grip_part(a, normal, hold) : a;
}

/* The residual divided by A's diagonal. */
vec3 scaled() {
    vec3 move = residual * inverse;
    return call.x != 0 ? move : grip_sweep(move, vec3(0.0), 0.0, normal, hold, inverse);
}

/* The image of the way; returns its product with the way. */
double image_of_way() {
    barrier();
    if (own) {
        int under = place - (level.grid.columns + 2), over = place + (level.grid.columns + 2);
        vec3 pulls = coupled(near, vec3[3](way_at(under - 1), way_at(under), way_at(under + 1)),
                             way_at(place - 1), way_at(place + 1),
                             vec3[3](way_at(over - 1), way_at(over), way_at(over + 1)));
        image = way_at(place) * diagonal - pulls;
        image = call.x != 0 ? allowed(image) : image + grip_pull(way_at(place), normal, hold);
    }
    return sum_all(own ? double(v3_dot(way_at(place), image)) : 0.0LF);
}

/* Goes that far; returns what is left. */
double go_held(float far) {
    if (own) {
        e = v3_madd(e, way_at(place), far);
        residual = v3_madd(residual, image, -far);
    }
    return sum_all(own ? double(v3_dot(residual, scaled())) : 0.0LF);
}

void turn_held(float keep) {
    set_way(v3_madd(scaled(), own ? way_at(place) : vec3(0.0), keep));
}

void solve_held() {
    residual = allowed(residual);
    if (call.x != 0) {
        set_way(land(k, vec3(0.0)));
    }
    image_of_way();
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

/* The inverse is symmetric; its columns are read, for threads beside each other then read numbers
 * beside each other. */
void solve_free() {
    set_way(residual);
    barrier();
    int columns = level.grid.columns, texels = columns * level.grid.rows;
    for (int j = 0; j < texels && own; j++) {
        vec3 there = way_at((j / columns + 1) * (columns + 2) + j % columns + 1);
        e += exact[j * texels + int(gl_LocalInvocationID.x)] * there;
    }
}

void main() {
    if (is_settled()) {
        return;
    }
    load_texel();
    if (marks[cloth.mark].gripped == stamp) {
        solve_held();
    } else {
        solve_free();
    }
    if (own) {
        set_cycle(CYCLE_ex, k, e);
    }
}
