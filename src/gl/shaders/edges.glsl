/* The distance constraints of a level. */
#ifndef TOILE_GL_EDGES
#define TOILE_GL_EDGES

#include "kernel/distance.h"
#include "kernel/spring.h"

float edge_weight(int k, int kind) {
    float own = table_at(TABLE_coverage, k);
    return kind == KIND_U   ? thread_weight(own, table_at(TABLE_coverage, k - level.grid.stride))
           : kind == KIND_V ? thread_weight(own, table_at(TABLE_coverage, k - 1))
                            : own;
}

float edge_rest(int k, int kind) {
    bool thread = kind == KIND_U || kind == KIND_V;
    return level.depth == 0 ? (thread ? cloth.spacing : cloth.diagonal)
                            : table_at(TABLE_rest + kind, k);
}

float edge_compliance(int kind) {
    return kind == KIND_U   ? cloth.compliance_u
           : kind == KIND_V ? cloth.compliance_v
                            : cloth.compliance_shear;
}

/* The most that the multiplier of the edge at k may become; coarse levels. */
float edge_most(int k, int kind) {
    return level.depth == 0 ? 0.0 : level_plane_at(LEVEL_bu + kind, k);
}

/* Change of the multiplier of an edge whose ends are `length` apart. */
float edge_change(int kind, float length, float weight, float rest, float multiplier, float masses,
                  float relaxation, float most) {
    float compliance = edge_compliance(kind);
    if (level.depth == 0) {
        return relaxation *
               distance_change(length, rest, weight, multiplier, compliance, masses);
    }
    return distance_change_pull(length, rest, weight, multiplier, compliance, masses, relaxation,
                                most);
}

#endif
