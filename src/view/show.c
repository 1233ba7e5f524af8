#include "view/show.h"

#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "render/matrix.h"
#include "view/palette.h"
#include "view/stretch.h"

/* Times the size of what was seen at first that lights and floor are fitted to, at most: cloth may
 * be thrown farther. */
static const float FARTHEST = 3.0f;
/* ms that drawing should take, and passes that it should not take more than. */
static const double LONGEST = 22.0, SHORTEST = 9.0;
enum { MOST_PASSES = 8 };
/* Elongation that has the full colour. */
static const float FULL_STRETCH = 0.02f;

toile_result show_open(show *s, int width, int height) {
    *s = (show){.passes = 1, .next_pattern = 1};
    return drawer_open_here(width, height, &s->drawer);
}

static void let_go(show *s) {
    if (!s->live) {
        return;
    }
    for (int c = 0; s->cloths && c < s->scene->cloth_count; c++) {
        free(s->cloths[c].normals);
        free(s->cloths[c].values);
        free(s->cloths[c].weights);
        free(s->cloths[c].colors);
    }
    free(s->cloths);
    free(s->draw_cloths);
    free(s->draw_bodies);
    live_free_moment(s->live, &s->moment);
}

void show_close(show *s) {
    let_go(s);
    drawer_close(s->drawer);
    *s = (show){0};
}

/* ---- a scene ------------------------------------------------------------------------------------
 */

static toile_result make_cloths(show *s) {
    const skins *all = live_skins(s->live);
    bool complete = true;
    for (int c = 0; c < s->scene->cloth_count && complete; c++) {
        size_t most = 0;
        for (int i = 0; i < all->count; i++) {
            size_t vertices = all->items[i].cloths[c].mesh.vertices;
            most = vertices > most ? vertices : most;
        }
        s->cloths[c].normals = memory_alloc(most, 3 * sizeof(float), "normals");
        s->cloths[c].values = memory_alloc(most, sizeof(float), "colours");
        s->cloths[c].weights = memory_alloc(most, sizeof(float), "colours");
        s->cloths[c].colors = memory_alloc(most, 3 * sizeof(float), "colours");
        complete = s->cloths[c].normals && s->cloths[c].values && s->cloths[c].weights &&
                   s->cloths[c].colors;
    }
    return complete ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result make_room(show *s) {
    size_t cloths = (size_t)s->scene->cloth_count, bodies = (size_t)s->scene->body_count;
    s->cloths = memory_alloc(cloths, sizeof *s->cloths, "cloths");
    s->draw_cloths = memory_alloc(cloths, sizeof *s->draw_cloths, "cloths");
    s->draw_bodies = memory_alloc(bodies, sizeof *s->draw_bodies, "bodies");
    toile_result result =
        s->cloths && s->draw_cloths && s->draw_bodies ? make_cloths(s) : TOILE_ERROR_MEMORY;
    return result == TOILE_OK ? live_make_moment(s->live, &s->moment) : result;
}

toile_result show_fetch(show *s) {
    const skin *shown = &live_skins(s->live)->items[s->moment.skin];
    const moment *m = &s->moment;
    toile_result result = TOILE_OK;
    for (int c = 0; m->on_device && !s->fetched && c < s->scene->cloth_count; c++) {
        toile_result fetched = texels_fetch_mesh(&m->before, &m->after, m->share, &shown->cloths[c],
                                                 c, m->positions[c]);
        result = result == TOILE_OK ? fetched : result;
        s->cloths[c].mesh.positions = m->positions[c];
    }
    s->fetched = m->on_device && result == TOILE_OK;
    return result;
}

/* A cloth whose texels are on the device, and stay there. */
static toile_result project_cloth(show *s, int c, bool wireframe) {
    const skin_cloth *from = &live_skins(s->live)->items[s->moment.skin].cloths[c];
    show_cloth *cloth = &s->cloths[c];
    cloth->texels = (draw_texels){.before = s->moment.before.buffers[c],
                                  .after = s->moment.after.buffers[c],
                                  .share = s->moment.share,
                                  .plane = from->layout.plane,
                                  .row = from->layout.row,
                                  .first = from->layout.first,
                                  .columns = from->columns,
                                  .squares = from->squares};
    s->draw_cloths[c].texels = &cloth->texels;
    s->draw_cloths[c].mesh.positions = s->draw_cloths[c].mesh.normals = NULL;
    return drawer_project(s->drawer, &s->draw_cloths[c], wireframe);
}

/* What is shown instead of fabric. */
typedef enum show_paint { PAINT_FABRIC, PAINT_STRETCH, PAINT_MARKS } show_paint;

static show_paint paint_of(const show *s, const show_options *options) {
    return options->marks && s->moment.marks ? PAINT_MARKS
           : options->stretch                ? PAINT_STRETCH
                                             : PAINT_FABRIC;
}

static void update_cloth(show *s, int c, show_paint paint) {
    show_cloth *cloth = &s->cloths[c];
    cloth->mesh.positions = s->moment.positions[c];
    cloth->mesh.normals = cloth->normals;
    mesh_normals(&cloth->mesh, cloth->mesh.positions, cloth->normals);
    if (paint == PAINT_STRETCH) {
        stretch_values(&cloth->mesh, FULL_STRETCH, cloth->values, cloth->weights);
        palette_values(cloth->values, cloth->mesh.vertices, cloth->colors);
    } else if (paint == PAINT_MARKS) {
        palette_marks(s->moment.marks[c], cloth->mesh.vertices, cloth->colors);
    }
    s->draw_cloths[c].mesh = cloth->mesh;
    s->draw_cloths[c].colors = paint == PAINT_FABRIC ? NULL : cloth->colors;
}

/* Colours come from what the host has. */
static toile_result update_cloths(show *s, show_paint paint, bool wireframe) {
    uint64_t skin_number = (uint64_t)s->moment.skin, cloths = (uint64_t)s->scene->cloth_count;
    const skins *all = live_skins(s->live);
    bool there = s->moment.on_device && paint == PAINT_FABRIC;
    toile_result result = paint == PAINT_FABRIC ? TOILE_OK : show_fetch(s);
    for (int c = 0; c < s->scene->cloth_count && result == TOILE_OK; c++) {
        s->cloths[c].mesh =
            mesh_get_view(&all->items[s->moment.skin].cloths[c].mesh, s->scene->cloths[c].def.name);
        s->draw_cloths[c] =
            (draw_cloth){.mesh = s->cloths[c].mesh,
                         .pattern = s->first_pattern + skin_number * cloths + (uint64_t)c};
        memcpy(s->draw_cloths[c].color, s->scene->cloths[c].color, sizeof s->draw_cloths[c].color);
        if (there) {
            result = project_cloth(s, c, wireframe);
        } else {
            update_cloth(s, c, paint);
        }
    }
    return result;
}

/* Planes stay when bodies are hidden: they are where one stands. Returns how many are left. */
static int update_bodies(show *s, bool shown) {
    int count = 0;
    for (int b = 0; b < s->scene->body_count; b++) {
        const scene_body *body = &s->scene->bodies[b];
        if (shown || body->def.shape == TOILE_SHAPE_PLANE) {
            s->draw_bodies[count] = (draw_body){.def = body->def, .pose = s->moment.poses[b]};
            if (s->moment.vertices[b]) {
                s->draw_bodies[count].def.mesh.positions = s->moment.vertices[b];
                s->draw_bodies[count].pose = (toile_pose){.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
            }
            memcpy(s->draw_bodies[count++].color, body->color, sizeof body->color);
        }
    }
    return count;
}

static float bounds_size(draw_bounds b) {
    return v3_length(v3_sub(v3_load(b.high), v3_load(b.low)));
}

/* Moved, no more than is needed, to where something that is not larger is inside. */
static draw_bounds moved_about(draw_bounds b, draw_bounds inside) {
    for (int k = 0; k < 3; k++) {
        float way = fmaxf(inside.high[k] - b.high[k], 0.0f) + fminf(inside.low[k] - b.low[k], 0.0f);
        b.low[k] += way;
        b.high[k] += way;
    }
    return b;
}

/* Light and floor are fitted to all that was seen since the scene began. They go along with what
 * walks away. */
static draw_bounds widened(show *s, const draw_frame *frame) {
    if (s->moment.time < s->time) {
        s->bounds = s->first; /* it began anew */
    }
    s->time = s->moment.time;
    const draw_bounds now = draw_frame_bounds(frame);
    const draw_bounds wider = draw_bounds_union(s->bounds, now);
    const float farthest = FARTHEST * bounds_size(s->first);
    return bounds_size(wider) < farthest ? wider
           : bounds_size(now) < farthest ? moved_about(s->bounds, now)
                                         : s->bounds;
}

/* The frame of the moment. */
static toile_result make_frame(show *s, const show_options *options, draw_quality quality,
                               draw_frame *out) {
    /* Grids and coarse meshes are there to be seen as such. */
    const bool wireframe = options->wireframe != (s->moment.skin != 0);
    toile_result result = update_cloths(s, paint_of(s, options), wireframe);
    *out = (draw_frame){.cloths = s->draw_cloths,
                        .cloth_count = s->scene->cloth_count,
                        .bodies = s->draw_bodies,
                        .body_count = update_bodies(s, options->bodies),
                        .camera = options->camera,
                        .options = s->scene->render,
                        .quality = quality};
    out->options.wireframe = wireframe;
    memcpy(out->options.size, options->size, sizeof out->options.size);
    memcpy(out->facing, s->facing, sizeof out->facing);
    if (result == TOILE_OK) {
        out->bounds = s->bounds = widened(s, out);
    }
    return result;
}

static toile_result choose_view(show *s) {
    show_options options = {.bodies = true};
    draw_frame frame;
    memcpy(options.size, s->scene->render.size, sizeof options.size);
    toile_result result = make_frame(s, &options, DRAW_QUALITY_LIVE, &frame);
    if (result != TOILE_OK) {
        return result;
    }
    frame.bounds = s->bounds = s->first = draw_frame_bounds(&frame);
    s->camera = s->scene->camera.given ? s->scene->camera : draw_frame_camera(&frame);
    v3_store(s->facing, v3_sub(v3_load(s->camera.target), v3_load(s->camera.eye)));
    return TOILE_OK;
}

float show_size(const show *s) {
    float size = bounds_size(s->first);
    return size > 0.0f ? size : 1.0f;
}

toile_result show_turn_to(show *s, live *l) {
    show next = {.drawer = s->drawer,
                 .passes = s->passes,
                 .live = l,
                 .scene = live_scene(l),
                 .first_pattern = s->next_pattern,
                 .next_pattern = s->next_pattern};
    next.next_pattern += (uint64_t)live_skins(l)->count * (uint64_t)next.scene->cloth_count;
    toile_result result = make_room(&next);
    if (result == TOILE_OK) {
        result = live_look(l, clock_ms(), &next.moment, &next.look);
    }
    if (result == TOILE_OK) {
        result = choose_view(&next);
    }
    let_go(result == TOILE_OK ? s : &next);
    if (result == TOILE_OK) {
        *s = next;
    }
    return result;
}

/* ---- pictures -----------------------------------------------------------------------------------
 */

static bool same_place(const float a[3], const float b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool same_options(const show_options *a, const show_options *b) {
    return same_place(a->camera.eye, b->camera.eye) &&
           same_place(a->camera.target, b->camera.target) && a->camera.fov == b->camera.fov &&
           a->wireframe == b->wireframe && a->bodies == b->bodies && a->stretch == b->stretch &&
           a->marks == b->marks && a->size[0] == b->size[0] && a->size[1] == b->size[1];
}

bool show_has(const show *s, const show_options *options) {
    return s->drawn && same_options(options, &s->shown);
}

static toile_result begin(show *s, const show_options *options) {
    toile_result result = TOILE_OK;
    if (options->size[0] != s->shown.size[0] || options->size[1] != s->shown.size[1]) {
        result = drawer_resize(s->drawer, options->size[0], options->size[1]);
    }
    if (result == TOILE_OK) {
        draw_frame frame;
        result = make_frame(s, options, DRAW_QUALITY_LIVE, &frame);
        result = result == TOILE_OK ? drawer_begin(s->drawer, &frame) : result;
    }
    s->shown = *options;
    s->drawn = result == TOILE_OK;
    return result;
}

static void adapt(show *s, double ms) {
    s->ms = ms;
    if (ms > LONGEST && s->passes > 1) {
        s->passes--;
    } else if (ms < SHORTEST && s->passes < MOST_PASSES) {
        s->passes++;
    }
}

toile_result show_draw(show *s, const show_options *options, double now, bool *rests) {
    double start = clock_ms();
    uint64_t look;
    toile_result result = live_look(s->live, now, &s->moment, &look);
    bool moved = look != s->look || !show_has(s, options);
    s->look = look;
    s->fetched = false;
    if (result == TOILE_OK && moved) {
        result = begin(s, options);
    }
    if (result != TOILE_OK) {
        return result;
    }
    *rests = drawer_is_complete(s->drawer);
    if (!*rests) {
        result = drawer_refine(s->drawer, s->passes);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    drawer_show(s->drawer);
    if (!*rests) {
        glFinish();
        adapt(s, clock_ms() - start);
    }
    return result;
}

toile_result show_shoot(show *s, const show_options *options, uint8_t *rgb) {
    draw_frame frame;
    toile_result result = make_frame(s, options, DRAW_QUALITY_STILL, &frame);
    s->drawn = false;
    if (result == TOILE_OK) {
        result = drawer_resize(s->drawer, options->size[0], options->size[1]);
    }
    return result == TOILE_OK ? drawer_draw(s->drawer, &frame, rgb) : result;
}
