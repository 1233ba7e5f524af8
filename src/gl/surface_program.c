#include "gl/surface_program.h"

static toile_result make_sample(surface_programs *p) {
    const shader_stage stages[] = {{GL_VERTEX_SHADER, shader_surface_sample_vert},
                                   {GL_GEOMETRY_SHADER, shader_surface_sample_geom},
                                   {GL_FRAGMENT_SHADER, shader_surface_sample_frag}};
    toile_result result = stages_link("surface_sample", stages, 3, NULL, &p->sample);
    if (result == TOILE_OK) {
        p->sample_raster = glGetUniformLocation(p->sample, "raster");
    }
    return result;
}

static toile_result make_stray(surface_programs *p) {
    const shader_stage stages[] = {{GL_VERTEX_SHADER, shader_surface_stray_vert},
                                   {GL_FRAGMENT_SHADER, shader_surface_stray_frag}};
    toile_result result = stages_link("surface_stray", stages, 2, NULL, &p->stray);
    if (result == TOILE_OK) {
        p->stray_raster = glGetUniformLocation(p->stray, "raster");
    }
    return result;
}

static toile_result make_project(surface_programs *p) {
    const char *const captured[2] = {"first", "second"};
    const shader_stage stage = {GL_VERTEX_SHADER, shader_surface_project_vert};
    toile_result result = stages_link("surface_project", &stage, 1, captured, &p->project);
    if (result == TOILE_OK) {
        p->layout_of_planes = glGetUniformLocation(p->project, "layout_of_planes");
        p->fields = glGetUniformLocation(p->project, "fields");
    }
    return result;
}

toile_result surface_programs_make(surface_programs *p) {
    toile_result result = p->sample ? TOILE_OK : make_sample(p);
    if (result == TOILE_OK && !p->stray) {
        result = make_stray(p);
    }
    if (result == TOILE_OK && !p->project) {
        result = make_project(p);
    }
    return result;
}

void surface_programs_free(surface_programs *p) {
    glDeleteProgram(p->sample);
    glDeleteProgram(p->stray);
    glDeleteProgram(p->project);
    *p = (surface_programs){0};
}
