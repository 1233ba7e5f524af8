#include "gl/refine_program.h"

static const struct {
    const char *name, *vertex, *geometry, *fragment;
} stages_of[REFINE_PROGRAM_COUNT] = {
#define X(name, vertex, geometry, fragment)                                                        \
    {"refine_" #name, shader_##vertex, geometry, shader_##fragment},
    REFINE_PROGRAMS(X)
#undef X
};

static toile_result make_one(int which, refine_program *p) {
    shader_stage stages[3] = {{GL_VERTEX_SHADER, stages_of[which].vertex},
                              {GL_FRAGMENT_SHADER, stages_of[which].fragment},
                              {GL_GEOMETRY_SHADER, stages_of[which].geometry}};
    const int count = stages_of[which].geometry ? 3 : 2;
    toile_result result = stages_link(stages_of[which].name, stages, count, NULL, &p->handle);
    if (result == TOILE_OK) {
        p->peeled = glGetUniformLocation(p->handle, "peeled");
        p->followed = glGetUniformLocation(p->handle, "followed");
        p->above = glGetUniformLocation(p->handle, "above");
        p->size = glGetUniformLocation(p->handle, "size");
        p->layer = glGetUniformLocation(p->handle, "layer");
        p->near = glGetUniformLocation(p->handle, "near");
        p->advances = glGetUniformLocation(p->handle, "advances");
    }
    return result;
}

toile_result refine_programs_make(refine_programs *p) {
    toile_result result = TOILE_OK;
    for (int i = 0; i < REFINE_PROGRAM_COUNT && result == TOILE_OK; i++) {
        result = p->all[i].handle ? TOILE_OK : make_one(i, &p->all[i]);
    }
    return result;
}

void refine_programs_free(refine_programs *p) {
    for (int i = 0; i < REFINE_PROGRAM_COUNT; i++) {
        glDeleteProgram(p->all[i].handle);
    }
    *p = (refine_programs){0};
}
