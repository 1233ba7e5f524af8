#include "gl/program.h"

#include <string.h>

#include "base/error.h"

enum { LOG_SIZE = 512 };

static const char *const names[PROGRAM_COUNT] = {
#define X(name, binds) [PROGRAM_##name] = #name,
    GL_PROGRAMS(X)
#undef X
};

static const char *const texts[PROGRAM_COUNT] = {
#define X(name, binds) [PROGRAM_##name] = shader_##name,
    GL_PROGRAMS(X)
#undef X
};

static const gl_binds all_binds[PROGRAM_COUNT] = {
#define X(name, binds) [PROGRAM_##name] = BINDS_##binds,
    GL_PROGRAMS(X)
#undef X
};

gl_binds program_binds(gl_program p) {
    return all_binds[p];
}

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
    return kind == GL_COMPUTE_SHADER    ? "compute"
           : kind == GL_VERTEX_SHADER   ? "vertex"
           : kind == GL_GEOMETRY_SHADER ? "geometry"
                                        : "fragment";
}

static toile_result shader_compile(const char *name, const shader_stage *stage, GLuint shader) {
    glShaderSource(shader, 1, &stage->text, NULL);
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
                     kind_name(stage->kind), name, log);
}

static toile_result program_link(const char *name, GLenum kind, GLuint program) {
    glLinkProgram(program);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked) {
        return TOILE_OK;
    }
    char log[LOG_SIZE] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    trim(log);
    return error_set(TOILE_ERROR_UNAVAILABLE,
                     "the OpenGL driver cannot link the %s shader '%s': %s", kind_name(kind), name,
                     log);
}

toile_result stages_link(const char *name, const shader_stage *stages, int count,
                         const char *const captured[2], GLuint *out) {
    GLuint program = glCreateProgram();
    toile_result result = TOILE_OK;
    for (int i = 0; i < count && result == TOILE_OK; i++) {
        GLuint shader = glCreateShader(stages[i].kind);
        result = shader_compile(name, &stages[i], shader);
        glAttachShader(program, shader);
        glDeleteShader(shader); /* the program keeps it */
    }
    if (captured) {
        glTransformFeedbackVaryings(program, 2, captured, GL_INTERLEAVED_ATTRIBS);
    }
    if (result == TOILE_OK) {
        result = program_link(name, stages[0].kind, program);
    }
    if (result == TOILE_OK) {
        *out = program;
    } else {
        glDeleteProgram(program);
    }
    return result;
}

toile_result compute_make(const char *name, const char *text, compute_program *out) {
    GLuint program = 0;
    toile_result result =
        stages_link(name, &(shader_stage){GL_COMPUTE_SHADER, text}, 1, NULL, &program);
    if (result == TOILE_OK) {
        *out = (compute_program){.handle = program,
                                 .substep = glGetUniformLocation(program, "substep"),
                                 .stamp = glGetUniformLocation(program, "stamp"),
                                 .call = glGetUniformLocation(program, "call"),
                                 .share = glGetUniformLocation(program, "share")};
    }
    return result;
}
