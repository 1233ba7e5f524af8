#include "gl/maps.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- what it takes ------------------------------------------------------------------------------
 */

static toile_result check_limits(const map_set *set) {
    GLint side = 0, layers = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
    glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &layers);
    if (set->side > side) {
        return error_set(TOILE_ERROR_INVALID,
                         "map_size is %d: expected at most %d, which is what the OpenGL driver can "
                         "do",
                         set->side, (int)side);
    }
    if (set->layers > layers) {
        return error_set(TOILE_ERROR_INVALID,
                         "collision maps of all bodies are %d images: expected at most %d, which "
                         "is what the OpenGL driver can do; fewer bodies, or 2 cameras instead of "
                         "6, take less",
                         set->layers, (int)layers);
    }
    return TOILE_OK;
}

static toile_result make_images(gl_maps *maps) {
    const map_set *set = &maps->set;
    glGenTextures(1, &maps->images);
    glBindTexture(GL_TEXTURE_2D_ARRAY, maps->images);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32F, set->side, set->side,
                   set->layers > 0 ? set->layers : 1);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
    return context_check("making room for collision maps");
}

static map_block map_numbers(const body_map *b) {
    return (map_block){.low_x = b->low.x,
                       .low_y = b->low.y,
                       .low_z = b->low.z,
                       .pixel = b->pixel,
                       .high_x = b->high.x,
                       .high_y = b->high.y,
                       .high_z = b->high.z,
                       .axis = b->axis,
                       .size_x = (float)b->size[0],
                       .size_y = (float)b->size[1],
                       .size_z = (float)b->size[2],
                       .views = b->views,
                       .layer = b->layer,
                       .images = b->images,
                       .longest_way = b->longest_way};
}

static toile_result upload_numbers(const machine *m, gl_maps *maps) {
    size_t count = (size_t)maps->set.count;
    for (size_t b = 0; b < count; b++) {
        maps->blocks[b] = map_numbers(&maps->set.bodies[b]);
    }
    return gl_fill(m, &maps->numbers, count * sizeof *maps->blocks, maps->blocks);
}

/* ---- bodies that deform -------------------------------------------------------------------------
 */

/* Images of what user is. */
typedef struct moving_maps {
    machine *machine;
    gl_maps *maps;
} moving_maps;

static toile_result draw_moving(void *user, int body) {
    const moving_maps *moving = user;
    gl_maps *maps = moving->maps;
    const map_surface surface = {.solid = maps->set.motions[body].solid};
    return studio_draw(&maps->studio, moving->machine, &maps->set, body, &surface, maps->images);
}

/* Images of a view of the past from the set, or back there. */
static void copy_view(const gl_maps *maps, const map_past *past, int view, bool back) {
    const body_map *b = &past->map;
    const GLint first = b->layer + b->images * view;
    const GLuint from = back ? past->textures[view] : maps->images;
    const GLuint to = back ? maps->images : past->textures[view];
    glCopyImageSubData(from, GL_TEXTURE_2D_ARRAY, 0, 0, 0, back ? 0 : first, to,
                       GL_TEXTURE_2D_ARRAY, 0, 0, 0, back ? first : 0, map_columns(b, view),
                       map_rows(b, view), b->images);
}

static void drop_textures(map_past *past) {
    glDeleteTextures(3, past->textures);
}

static toile_result keep_textures(void *user, map_past *past) {
    const moving_maps *moving = user;
    const body_map *b = &past->map;
    glGenTextures(b->views, past->textures);
    glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT);
    for (int view = 0; view < b->views; view++) {
        glBindTexture(GL_TEXTURE_2D_ARRAY, past->textures[view]);
        glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32F, map_columns(b, view), map_rows(b, view),
                       b->images);
        glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        copy_view(moving->maps, past, view, false);
    }
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
    toile_result result = context_check("keeping collision maps");
    if (result != TOILE_OK) {
        drop_textures(past);
    }
    return result;
}

static void restore_textures(void *user, const map_past *past) {
    const moving_maps *moving = user;
    for (int view = 0; view < past->map.views; view++) {
        copy_view(moving->maps, past, view, true);
    }
}

static const map_mover texture_mover = {draw_moving, keep_textures, restore_textures,
                                        drop_textures};

toile_result gl_move_maps(device_context *gl, map_counts *counts) {
    moving_maps moving = {gl->machine, &gl->maps};
    context_before before;
    if (!gl->maps.set.deforms) {
        return TOILE_OK;
    }
    toile_result result = context_enter(&gl->machine->context, &before);
    if (result != TOILE_OK) {
        return result;
    }
    result = map_set_move(&gl->maps.set, &texture_mover, &moving, counts);
    if (result == TOILE_OK) {
        result = upload_numbers(gl->machine, &gl->maps);
    }
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    context_leave(&gl->machine->context, &before);
    return result;
}

/* ---- sets ---------------------------------------------------------------------------------------
 */

void gl_maps_free(gl_maps *maps) {
    map_set_forget(&maps->set, drop_textures);
    map_set_free(&maps->set);
    studio_close(&maps->studio);
    glDeleteTextures(1, &maps->images);
    glDeleteBuffers(1, &maps->numbers.handle);
    free(maps->blocks);
    *maps = (gl_maps){0};
}

static size_t most_triangles(const map_request *request) {
    size_t most = 1;
    for (int b = 0; b < request->count; b++) {
        const solid *s = request->surfaces[b].solid;
        most = s && s->triangle_count > most ? s->triangle_count : most;
    }
    return most;
}

static toile_result draw_still(machine *m, gl_maps *maps, const map_request *request) {
    toile_result result = TOILE_OK;
    for (int b = 0; b < request->count && result == TOILE_OK; b++) {
        const map_surface *surface = &request->surfaces[b];
        if (surface->solid && !solid_deforms(surface->solid)) {
            result = studio_draw(&maps->studio, m, &maps->set, b, surface, maps->images);
        }
    }
    return result;
}

/* In the machine's context. */
static toile_result make_maps(machine *m, const map_request *request, gl_maps *maps) {
    gl_maps_free(maps);
    toile_result result = map_set_plan(&maps->set, request);
    if (result == TOILE_OK && request->count > 0) {
        result = check_limits(&maps->set);
    }
    if (result != TOILE_OK || request->count == 0) {
        return result;
    }
    maps->blocks = memory_alloc((size_t)request->count, sizeof *maps->blocks, "images of bodies");
    result = maps->blocks ? make_images(maps) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = upload_numbers(m, maps);
    }
    if (result == TOILE_OK) {
        result = studio_open(&maps->studio, m, &maps->set, most_triangles(request));
    }
    if (result == TOILE_OK) {
        result = draw_still(m, maps, request);
    }
    if (!maps->set.deforms) {
        studio_close(&maps->studio);
    }
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
    if (result != TOILE_OK) {
        gl_maps_free(maps);
    }
    return result;
}

toile_result gl_set_maps(device_context *gl, const map_request *request) {
    context_before before;
    toile_result result = context_enter(&gl->machine->context, &before);
    if (result == TOILE_OK) {
        result = make_maps(gl->machine, request, &gl->maps);
        context_leave(&gl->machine->context, &before);
    }
    return result;
}

/* ---- copies -------------------------------------------------------------------------------------
 */

/* Draws for a set that has copies. */
struct map_studio {
    machine *machine;
    gl_maps maps;
    GLuint frame; /* to read layers through */
};

static toile_result read_images(const gl_maps *maps, map_set *copy) {
    const map_set *set = &maps->set;
    size_t pixels = (size_t)set->layers * (size_t)set->side * (size_t)set->side;
    copy->images = memory_alloc(pixels, 4 * sizeof(float), "images of bodies");
    if (!copy->images) {
        return TOILE_ERROR_MEMORY;
    }
    glBindTexture(GL_TEXTURE_2D_ARRAY, maps->images);
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_FLOAT, copy->images);
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
    return context_check("reading collision maps");
}

/* The images of one body, as far as its box goes. */
static toile_result read_body(const map_studio *studio, map_set *copy, int body) {
    const body_map *b = &copy->bodies[body];
    const size_t layer_floats = 4 * (size_t)copy->side * (size_t)copy->side;
    glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, studio->frame);
    glPixelStorei(GL_PACK_ROW_LENGTH, copy->side);
    for (int i = 0; i < b->views * b->images; i++) {
        glFramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, studio->maps.images, 0,
                                  b->layer + i);
        glReadBuffer(GL_COLOR_ATTACHMENT0);
        glReadPixels(0, 0, map_columns(b, i / b->images), map_rows(b, i / b->images), GL_RGBA,
                     GL_FLOAT, copy->images + (size_t)(b->layer + i) * layer_floats);
    }
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    return context_check("reading collision maps");
}

static toile_result draw_copies(map_studio *s, map_set *copy, const map_request *request) {
    toile_result result = make_maps(s->machine, request, &s->maps);
    if (result == TOILE_OK) {
        result = map_set_plan(copy, request);
    }
    if (result == TOILE_OK && copy->layers > 0) {
        result = read_images(&s->maps, copy);
    }
    if (result == TOILE_OK && copy->deforms) {
        glGenFramebuffers(1, &s->frame);
    } else {
        gl_maps_free(&s->maps);
    }
    return result;
}

/* The machine's next user may need what has failed. */
static void close_studio(map_studio *studio, bool failed) {
    context_before before;
    if (context_enter(&studio->machine->context, &before) == TOILE_OK) {
        gl_maps_free(&studio->maps);
        glDeleteFramebuffers(1, &studio->frame);
        context_leave(&studio->machine->context, &before);
    }
    machine_give(studio->machine, failed);
    free(studio);
}

static void close_copies(map_studio *studio) {
    close_studio(studio, false);
}

static toile_result draw_all_copies(map_set *set, const map_request *request) {
    context_before before;
    map_studio *studio = memory_alloc(1, sizeof *studio, "images of bodies");
    if (!studio) {
        return TOILE_ERROR_MEMORY;
    }
    studio->machine = machine_take(MACHINE_COMPUTE);
    if (!studio->machine) {
        free(studio);
        return TOILE_ERROR_UNAVAILABLE;
    }
    toile_result result = context_enter(&studio->machine->context, &before);
    if (result == TOILE_OK) {
        result = draw_copies(studio, set, request);
        context_leave(&studio->machine->context, &before);
    }
    if (result == TOILE_OK && set->deforms) {
        set->studio = studio;
    } else {
        close_studio(studio, result != TOILE_OK);
    }
    return result;
}

/* The cameras are where the copy has them. */
static toile_result draw_again(map_set *set, int body) {
    map_studio *studio = set->studio;
    moving_maps moving = {studio->machine, &studio->maps};
    context_before before;
    toile_result result = context_enter(&studio->machine->context, &before);
    if (result != TOILE_OK) {
        return result;
    }
    studio->maps.set.bodies[body] = set->bodies[body];
    result = draw_moving(&moving, body);
    if (result == TOILE_OK) {
        result = read_body(studio, set, body);
    }
    context_leave(&studio->machine->context, &before);
    return result;
}

const map_drawer gl_map_drawer = {draw_all_copies, draw_again, close_copies};
