#include "render/program.h"

#include <string.h>

#include "base/error.h"

enum { MAX_TEXTS = 8, LOG_SIZE = 512 };

/* Drivers end their logs with a newline, or several. */
static void trim(char *log) {
    size_t length = strlen(log);
    while (length > 0 && (log[length - 1] == '\n' || log[length - 1] == ' ')) {
        log[--length] = 0;
    }
}

static toile_result shader_make(const char *name, GLenum kind, const char *const texts[],
                                GLuint *out) {
    const char *all[MAX_TEXTS] = {"#version 330 core\n"};
    GLsizei count = 1;
    for (; *texts; texts++) {
        TOILE_ASSERT(count < MAX_TEXTS);
        all[count++] = *texts;
    }
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, count, all, NULL);
    glCompileShader(shader);
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        char log[LOG_SIZE] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glDeleteShader(shader);
        trim(log);
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "the OpenGL driver refuses the %s shader '%s': %s",
                         kind == GL_VERTEX_SHADER ? "vertex" : "fragment", name, log);
    }
    *out = shader;
    return TOILE_OK;
}

static void bind_block(GLuint program, const char *name, GLuint binding) {
    GLuint block = glGetUniformBlockIndex(program, name);
    if (block != GL_INVALID_INDEX) {
        glUniformBlockBinding(program, block, binding);
    }
}

static void bind_sampler(GLuint program, const char *name, GLint unit) {
    glUniform1i(glGetUniformLocation(program, name),
                unit); /* -1, where there is none, is ignored */
}

static toile_result program_link(const char *name, GLuint program) {
    glLinkProgram(program);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        char log[LOG_SIZE] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        trim(log);
        return error_set(TOILE_ERROR_UNAVAILABLE,
                         "the OpenGL driver cannot link the shaders '%s': %s", name, log);
    }
    bind_block(program, "picture", BLOCK_PICTURE);
    bind_block(program, "lighting", BLOCK_LIGHTS);
    glUseProgram(program);
    bind_sampler(program, "key_maps", UNIT_KEY_MAPS);
    bind_sampler(program, "dome_maps", UNIT_DOME_MAPS);
    bind_sampler(program, "floor_light", UNIT_FLOOR_LIGHT);
    bind_sampler(program, "pixels", UNIT_PICTURE);
    bind_sampler(program, "distances", UNIT_DISTANCES);
    bind_sampler(program, "normals", UNIT_NORMALS);
    bind_sampler(program, "colors", UNIT_COLORS);
    glUseProgram(0);
    return TOILE_OK;
}

toile_result program_make(const char *name, const char *const vertex[],
                          const char *const fragment[], GLuint *out) {
    GLuint shaders[2] = {0, 0};
    toile_result result = shader_make(name, GL_VERTEX_SHADER, vertex, &shaders[0]);
    if (result == TOILE_OK) {
        result = shader_make(name, GL_FRAGMENT_SHADER, fragment, &shaders[1]);
    }
    if (result == TOILE_OK) {
        GLuint program = glCreateProgram();
        glAttachShader(program, shaders[0]);
        glAttachShader(program, shaders[1]);
        result = program_link(name, program);
        if (result == TOILE_OK) {
            *out = program;
        } else {
            glDeleteProgram(program);
        }
    }
    glDeleteShader(shaders[0]);
    glDeleteShader(shaders[1]);
    return result;
}

toile_result program_capture(const char *name, const char *const vertex[],
                             const char *const outputs[2], GLuint *out) {
    GLuint shader = 0;
    toile_result result = shader_make(name, GL_VERTEX_SHADER, vertex, &shader);
    if (result != TOILE_OK) {
        return result;
    }
    GLuint program = glCreateProgram();
    glAttachShader(program, shader);
    glTransformFeedbackVaryings(program, 2, outputs, GL_SEPARATE_ATTRIBS);
    result = program_link(name, program);
    glDeleteShader(shader);
    if (result == TOILE_OK) {
        *out = program;
    } else {
        glDeleteProgram(program);
    }
    return result;
}
