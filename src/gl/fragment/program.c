#include "gl/fragment/program.h"

#include "gl/blocks.h"
#include "gl/program.h"

typedef struct fragment_source {
    const char *name;
    const char *vertex, *fragment; /* texts */
} fragment_source;

static const fragment_source sources[FRAGMENT_COUNT] = {
#define X(name, vertex, fragment)                                                                  \
    [FRAGMENT_##name] = {#name, fragment_##vertex##_vert, fragment_##fragment##_frag},
    FRAGMENT_PROGRAMS(X)
#undef X
};

static const char *const samplers[UNIT_COUNT] = {
#define X(name) [UNIT_##name] = #name,
    FRAGMENT_SAMPLERS(X)
#undef X
};

static fragment_name broken = FRAGMENT_NONE;

void fragment_break(fragment_name name) {
    broken = name;
}

toile_result fragment_prepare(fragment_program *programs, fragment_name name) {
    fragment_program *out = &programs[name];
    if (out->handle) {
        return TOILE_OK;
    }
    const char *text =
        name == broken ? "#version 330 core\nbroken for a test" : sources[name].fragment;
    const shader_stage stages[2] = {{GL_VERTEX_SHADER, sources[name].vertex},
                                    {GL_FRAGMENT_SHADER, text}};
    GLuint program = 0;
    toile_result result = stages_link(sources[name].name, stages, 2, NULL, &program);
    if (result != TOILE_OK) {
        return result;
    }
    *out = (fragment_program){.handle = program,
                              .moment = glGetUniformLocation(program, "moment"),
                              .call = glGetUniformLocation(program, "call"),
                              .share = glGetUniformLocation(program, "share")};
    glUseProgram(program);
    for (int unit = 0; unit < UNIT_COUNT; unit++) {
        glUniform1i(glGetUniformLocation(program, samplers[unit]), unit);
    }
    GLuint block = glGetUniformBlockIndex(program, "cloth_uniform");
    if (block != GL_INVALID_INDEX) {
        glUniformBlockBinding(program, block, BIND_CLOTH);
    }
    return TOILE_OK;
}
