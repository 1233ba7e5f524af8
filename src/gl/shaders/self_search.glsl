/* What surrounds a texel in the hash. A pass says what it does with each partner in visit(). */
#ifndef TOILE_GL_SELF_SEARCH
#define TOILE_GL_SELF_SEARCH

#include "gl/shaders/level.glsl"
#include "gl/shaders/self.glsl"

/* Two a texel: the bits of where it will be and its inverse mass, of where it was, and its cloth,
 * with SELF_TIED. */
layout(std430, binding = BIND_SEEN) restrict readonly buffer seen_buffer { uvec4 seen[]; };
layout(std430, binding = BIND_ENTRIES) restrict readonly buffer entry_buffer { uvec4 entries[]; };

int own; /* number of the texel */

int cloth_of(int number) {
    return int(seen[2 * number + 1].w & ~SELF_TIED);
}

/* The distance that two texels keep; 0: they do not see each other. */
float pair_distance(int a, int b, int cloth_a, int cloth_b) {
    self_block s = cloths[cloth_a];
    if ((seen[2 * a + 1].w & seen[2 * b + 1].w & SELF_TIED) != 0u) {
        return 0.0;
    }
    if (cloth_a != cloth_b) {
        return k_max(s.distance, cloths[cloth_b].distance);
    }
    if (s.plain != 0) {
        return s.distance;
    }
    ivec2 at_a = ivec2((a - s.first) % s.stride, (a - s.first) / s.stride);
    ivec2 at_b = ivec2((b - s.first) % s.stride, (b - s.first) / s.stride);
    vec2 apart = vec2(at_a - at_b);
    return self_distance_within(s.distance, s.spacing, apart.x, apart.y);
}

/* Is it the texel itself, or one of the eight around it? */
bool share_cell(int other, int stride) {
    int apart = abs(other - own);
    return (apart <= 1 || abs(apart - stride) <= 1) && cloth_of(other) == cloth.mark;
}

/* A texel of another cloth or another part of this one, and the distance that it keeps. */
void visit(int partner, float keep, int cloth_b);

/* Slots may hold other cells too, and one slot may be looked at for more than one cell, so that the
 * entry's cell is asked for. */
void visit_entries(uint begin, uint end, vec3 at, ivec3 middle, int stride, int rank) {
    float reach = grids[rank].reach, margin = grids[rank].margin;
    for (uint e = begin; e < end; e++) {
        vec3 place = uintBitsToFloat(entries[e].xyz), way = at - place;
        int other = int(entries[e].w);
        float apart = v3_dot(way, way);
        if (!(apart < reach * reach) || share_cell(other, stride)) {
            continue;
        }
        ivec3 there = cell_at(rank, place) - middle;
        if (there.yz != ivec2(0) || abs(there.x) > 1) {
            continue;
        }
        int cloth_b = cloth_of(other);
        float keep = pair_distance(own, other, cloth.mark, cloth_b), near = keep + margin;
        if (apart < near * near) {
            visit(other, keep, cloth_b);
        }
    }
}

/* Where the entries of a slot begin; those of one past the last end. */
uint entries_from(int slot) {
    return slot < self.slots
               ? slots[start_at(slot)]
               : slots[start_at(self.slots - 1)] + slots[self.slots - 1];
}

void visit_slots(vec3 at, int rank, int first, int count) {
    ivec3 cell = cell_at(rank, at);
    int stride = cloths[cloth.mark].stride, last = first + count;
    for (int line = 0; line < 9; line++) {
        ivec3 middle = cell + ivec3(0, line % 3 - 1, line / 3 - 1);
        int begin = slot_at(first, count, cell.x - 1, middle.y, middle.z), end = begin + 3;
        if (end > last) {
            visit_entries(entries_from(first), entries_from(end - count), at, middle, stride, rank);
            end = last;
        }
        visit_entries(entries_from(begin), entries_from(end), at, middle, stride, rank);
    }
}

/* In the grid of its class, guests included, and in those of coarser ones, without. */
void visit_partners(vec3 at) {
    int own_rank = cloths[cloth.mark].rank;
    visit_slots(at, own_rank, grids[own_rank].own_first, grids[own_rank].own_count);
    if (grids[own_rank].guest_count > 0) {
        visit_slots(at, own_rank, grids[own_rank].guest_first, grids[own_rank].guest_count);
    }
    for (int rank = own_rank - 1; rank >= 0; rank--) {
        visit_slots(at, rank, grids[rank].own_first, grids[rank].own_count);
    }
}

#endif
