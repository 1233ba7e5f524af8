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

static const char *kind_name(GLenum kind) {
    return kind == GL_COMPUTE_SHADER ? "compute" : kind == GL_VERTEX_SHADER ? "vertex" : "fragment";
}

GLuint shader_make(GLenum kind, const char *name, const char *text) {
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) {
        return shader;
    }
    char log[LOG_SIZE] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    trim(log);
    error_set(TOILE_ERROR_UNAVAILABLE, "the OpenGL driver refuses the %s shader '%s': %s",
              kind_name(kind), name, log);
    glDeleteShader(shader);
    return 0;
}

toile_result program_link(GLuint program, const char *name) {
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
    GLuint shader = shader_make(GL_COMPUTE_SHADER, name, text);
    if (!shader) {
        return TOILE_ERROR_UNAVAILABLE;
    }
    GLuint program = glCreateProgram();
    glAttachShader(program, shader);
    glDeleteShader(shader);
    toile_result result = program_link(program, name);
    if (result == TOILE_OK) {
        *out = (compute_program){.handle = program,
                                 .substep = glGetUniformLocation(program, "substep"),
                                 .stamp = glGetUniformLocation(program, "stamp"),
                                 .call = glGetUniformLocation(program, "call"),
                                 .share = glGetUniformLocation(program, "share")};
    } else {
        glDeleteProgram(program);
    }
    return result;
}
