#include "gl/fragment/program.h"

#include "gl/blocks.h"
#include "gl/program.h"

typedef struct fragment_source {
    const char *name, *vertex_name, *fragment_name;
    const char *vertex, *fragment;
} fragment_source;

static const fragment_source sources[FRAGMENT_COUNT] = {
#define X(name, vertex, fragment)                                                                  \
    [FRAGMENT_##                                                                                   \
        name] = {#name, #vertex, #fragment, fragment_##vertex##_vert, fragment_##fragment##_frag},
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

/* Both shaders, linked; 0 with an error message. */
static GLuint link_source(const fragment_source *source, const char *fragment_text) {
    GLuint vertex = shader_make(GL_VERTEX_SHADER, source->vertex_name, source->vertex);
    GLuint fragment =
        vertex ? shader_make(GL_FRAGMENT_SHADER, source->fragment_name, fragment_text) : 0;
    GLuint program = 0;
    if (fragment) {
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        if (program_link(program, source->name) != TOILE_OK) {
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return program;
}

toile_result fragment_prepare(fragment_program *programs, fragment_name name) {
    fragment_program *out = &programs[name];
    if (out->handle) {
        return TOILE_OK;
    }
    const char *text =
        name == broken ? "#version 330 core\nbroken for a test" : sources[name].fragment;
    GLuint program = link_source(&sources[name], text);
    if (!program) {
        return TOILE_ERROR_UNAVAILABLE;
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
