#include "gl/program.h"

#include <string.h>

#include "base/error.h"

enum { LOG_SIZE = 512 };

static const char *const names[PROGRAM_COUNT] = {
#define X(name) [PROGRAM_##name] = #name,
    GL_PROGRAMS(X)
#undef X
};

static const char *const texts[PROGRAM_COUNT] = {
#define X(name) [PROGRAM_##name] = shader_##name,
    GL_PROGRAMS(X)
#undef X
};

const char *program_name(gl_program p) {
    return names[p];
}

const char *program_text(gl_program p) {
    return texts[p];
}

/* Drivers end their logs with a newline, or several. */
static void trim(char *log) {
    size_t length = strlen(log);
    while (length > 0 && (log[length - 1] == '\n' || log[length - 1] == ' ')) {
        log[--length] = 0;
    }
}

static toile_result shader_compile(const char *kind, const char *name, const char *text,
                                   GLuint shader) {
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) {
        return TOILE_OK;
    }
    char log[LOG_SIZE] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    trim(log);
    return error_set(TOILE_ERROR_UNAVAILABLE, "the OpenGL driver refuses the %s shader '%s': %s",
                     kind, name, log);
}

static toile_result program_link(const char *name, GLuint program) {
    glLinkProgram(program);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked) {
        return TOILE_OK;
    }
    char log[LOG_SIZE] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    trim(log);
    return error_set(TOILE_ERROR_UNAVAILABLE, "the OpenGL driver cannot link the shader '%s': %s",
                     name, log);
}

toile_result compute_make(const char *name, const char *text, compute_program *out) {
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER);
    toile_result result = shader_compile("compute", name, text, shader);
    if (result == TOILE_OK) {
        GLuint program = glCreateProgram();
        glAttachShader(program, shader);
        result = program_link(name, program);
        if (result == TOILE_OK) {
            *out = (compute_program){.handle = program,
                                     .substep = glGetUniformLocation(program, "substep"),
                                     .stamp = glGetUniformLocation(program, "stamp"),
                                     .call = glGetUniformLocation(program, "call"),
                                     .share = glGetUniformLocation(program, "share")};
        } else {
            glDeleteProgram(program);
        }
    }
    glDeleteShader(shader);
    return result;
}

toile_result drawing_make(const char *name, const char *vertex, const char *fragment, GLuint *out) {
    GLuint shaders[2] = {glCreateShader(GL_VERTEX_SHADER), glCreateShader(GL_FRAGMENT_SHADER)};
    toile_result result = shader_compile("vertex", name, vertex, shaders[0]);
    if (result == TOILE_OK) {
        result = shader_compile("fragment", name, fragment, shaders[1]);
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
