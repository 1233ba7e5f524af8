/* Worlds in a context of the caller's. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gl/maps.h"
#include "gl/surface.h"
#include "model/shape_surface.h"
#include "solids.h"

/* ---- contexts of the test's own -----------------------------------------------------------------
 */

static EGLDisplay display;

/* The display that the library would take. */
static int find_display(void **state) {
    (void)state;
    context c;
    if (context_open(&c, &(context_need){4, 3, "to test with"}) != TOILE_OK) {
        return -1;
    }
    display = c.display;
    context_close(&c);
    return 0;
}

static EGLContext make_context(EGLenum api, EGLint kind, int major, int minor) {
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, kind, EGL_SURFACE_TYPE, 0, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION_KHR, major, EGL_CONTEXT_MINOR_VERSION_KHR,
                              minor, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    assert_true(eglBindAPI(api));
    assert_true(eglChooseConfig(display, wanted, &config, 1, &count) && count == 1);
    return eglCreateContext(display, config, EGL_NO_CONTEXT, version);
}

static EGLContext make_modern(void) {
    EGLContext c = make_context(EGL_OPENGL_API, EGL_OPENGL_BIT, 4, 3);
    assert_ptr_not_equal(c, EGL_NO_CONTEXT);
    return c;
}

static void make_current(EGLContext c) {
    assert_true(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, c));
}

static void destroy_context(EGLContext c) {
    make_current(EGL_NO_CONTEXT);
    eglDestroyContext(display, c);
    eglBindAPI(EGL_OPENGL_API);
}

/* ---- worlds -------------------------------------------------------------------------------------
 */

static toile_world_def def_of(toile_solver_kind kind, toile_gl_context where) {
    toile_world_def def = test_world_def();
    def.device = "gl";
    def.gl_context = where;
    def.solver.kind = kind;
    def.solver.max_substeps = 8;
    if (kind == TOILE_SOLVER_MULTILEVEL) {
        def.collision = TOILE_COLLISION_COARSE;
    }
    return def;
}

static toile_world *make_fall(const toile_world_def *def) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = lying_def(13, 0.005f);
    pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_LEFT);
    add_ball(world, -0.2f, 0.2f);
    return world;
}

static uint64_t hash_after_steps(const toile_world_def *def) {
    toile_world *world = make_fall(def);
    run_steps(world, 4, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

/* The same with a body that deforms, up and down and up again. */
static uint64_t hash_of_moving(const toile_world_def *def) {
    toile_world *world = make_fall(def);
    test_mesh ball = test_ball(0.2f, 12, 8, NULL);
    for (size_t v = 0; v < ball.vertices; v++) {
        ball.positions[3 * v + 1] -= 0.21f;
    }
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_DEFORMING;
    body.mesh = test_mesh_def(&ball);
    toile_body_id id = add_body(world, &body);
    for (int frame = 0; frame < 4; frame++) {
        for (size_t v = 0; v < ball.vertices; v++) {
            ball.positions[3 * v + 1] += frame % 2 ? -0.01f : 0.01f;
        }
        assert_ok(toile_world_move_vertices(world, id, ball.positions, ball.vertices));
        run_steps(world, 1, 1.0f / 60.0f);
    }
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    test_mesh_free(&ball);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    EGLContext mine = make_modern();
    for (int kind = 0; kind <= TOILE_SOLVER_IMPLICIT; kind++) {
        toile_world_def def = def_of((toile_solver_kind)kind, TOILE_GL_CONTEXT_OWN);
        uint64_t own = hash_after_steps(&def);
        make_current(mine);
        def.gl_context = TOILE_GL_CONTEXT_CURRENT;
        def.device = "auto";
        assert_same_hash(hash_after_steps(&def), own, "in the caller's context");
        assert_ptr_equal(eglGetCurrentContext(), mine);
        make_current(EGL_NO_CONTEXT);
    }
    destroy_context(mine);
}

/* Several worlds of one context, turn about, of which one ends first. */
static void test_worlds_beside(void **state) {
    (void)state;
    toile_world_def def = def_of(TOILE_SOLVER_IMPLICIT, TOILE_GL_CONTEXT_OWN);
    uint64_t wanted = hash_after_steps(&def);
    EGLContext mine = make_modern();
    make_current(mine);
    def.gl_context = TOILE_GL_CONTEXT_CURRENT;
    toile_world *worlds[2] = {make_fall(&def), make_fall(&def)};
    for (int i = 0; i < 3; i++) {
        run_steps(worlds[0], 1, 1.0f / 60.0f);
        run_steps(worlds[1], 1, 1.0f / 60.0f);
    }
    toile_world_destroy(worlds[0]);
    run_steps(worlds[1], 1, 1.0f / 60.0f);
    assert_same_hash(toile_world_hash(worlds[1]), wanted, "beside another world");
    toile_world_destroy(worlds[1]);
    assert_same_hash(hash_after_steps(&def), wanted, "after both");
    destroy_context(mine);
    mine = make_modern();
    make_current(mine);
    assert_same_hash(hash_after_steps(&def), wanted, "in the next context");
    destroy_context(mine);
}

/* ---- what is left behind ------------------------------------------------------------------------
 */

/* What a caller may have set, as far as OpenGL answers in numbers. */
static const GLenum settings[] = {GL_CURRENT_PROGRAM,
                                  GL_VERTEX_ARRAY_BINDING,
                                  GL_ARRAY_BUFFER_BINDING,
                                  GL_COPY_READ_BUFFER_BINDING,
                                  GL_COPY_WRITE_BUFFER_BINDING,
                                  GL_DISPATCH_INDIRECT_BUFFER_BINDING,
                                  GL_SHADER_STORAGE_BUFFER_BINDING,
                                  GL_UNIFORM_BUFFER_BINDING,
                                  GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
                                  GL_DRAW_FRAMEBUFFER_BINDING,
                                  GL_READ_FRAMEBUFFER_BINDING,
                                  GL_RENDERBUFFER_BINDING,
                                  GL_ACTIVE_TEXTURE,
                                  GL_TEXTURE_BINDING_2D,
                                  GL_BLEND,
                                  GL_CULL_FACE,
                                  GL_SCISSOR_TEST,
                                  GL_DEPTH_TEST,
                                  GL_DEPTH_FUNC,
                                  GL_DEPTH_WRITEMASK,
                                  GL_POLYGON_OFFSET_FILL,
                                  GL_POLYGON_SMOOTH,
                                  GL_RASTERIZER_DISCARD,
                                  GL_PROGRAM_POINT_SIZE};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Those of numbered draw buffers and image units. */
static const GLenum listed[] = {
    GL_BLEND_SRC_RGB,         GL_BLEND_DST_RGB,        GL_BLEND_SRC_ALPHA,
    GL_BLEND_DST_ALPHA,       GL_BLEND_EQUATION_RGB,   GL_BLEND_EQUATION_ALPHA,
    GL_IMAGE_BINDING_NAME,    GL_IMAGE_BINDING_LEVEL,  GL_IMAGE_BINDING_LAYER,
    GL_IMAGE_BINDING_LAYERED, GL_IMAGE_BINDING_ACCESS, GL_IMAGE_BINDING_FORMAT};
enum { LISTED = sizeof listed / sizeof *listed, UNITS = 8 };

typedef struct left {
    GLint numbers[SETTINGS], lists[2][LISTED], viewports[4][4], masks[4][4], blends[4], scissors[4],
        clips[8], storage[8], uniform[2], polygon[2], flat_textures[UNITS], layered[UNITS];
    GLdouble ranges[4][2];
    GLint origin;
    GLint64 start;
} left;

static void look_at_lists(left *l) {
    for (GLuint i = 0; i < 2; i++) {
        for (int k = 0; k < LISTED; k++) {
            glGetIntegeri_v(listed[k], i, &l->lists[i][k]);
        }
    }
    for (GLenum i = 0; i < UNITS; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &l->flat_textures[i]);
        glGetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &l->layered[i]);
    }
    glActiveTexture(GL_TEXTURE1);
}

static void look(left *l) {
    *l = (left){0};
    for (int i = 0; i < SETTINGS; i++) {
        glGetIntegerv(settings[i], &l->numbers[i]);
    }
    for (GLuint i = 0; i < 4; i++) {
        glGetIntegeri_v(GL_VIEWPORT, i, l->viewports[i]);
        glGetIntegeri_v(GL_COLOR_WRITEMASK, i, l->masks[i]);
        glGetDoublei_v(GL_DEPTH_RANGE, i, l->ranges[i]);
        l->blends[i] = glIsEnabledi(GL_BLEND, i);
        l->scissors[i] = glIsEnabledi(GL_SCISSOR_TEST, i);
    }
    for (GLenum i = 0; i < 8; i++) {
        l->clips[i] = glIsEnabled(GL_CLIP_DISTANCE0 + i);
    }
    if (epoxy_gl_version() >= 45) {
        glGetIntegerv(GL_CLIP_ORIGIN, &l->origin);
    }
    glGetIntegerv(GL_POLYGON_MODE, l->polygon);
    for (GLuint i = 0; i < 8; i++) {
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, i, &l->storage[i]);
    }
    for (GLuint i = 0; i < 2; i++) {
        glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, i, &l->uniform[i]);
    }
    glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, 3, &l->start);
    look_at_lists(l);
}

static void bind_textures(void) {
    GLuint flat[UNITS], layers[UNITS], image;
    glGenTextures(UNITS, flat);
    glGenTextures(UNITS, layers);
    for (GLenum i = 0; i < UNITS; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, flat[i]);
        glBindTexture(GL_TEXTURE_2D_ARRAY, layers[i]);
    }
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D_ARRAY, image);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 2, GL_R32F, 4, 4, 2);
    glBindImageTexture(0, image, 1, GL_FALSE, 1, GL_READ_ONLY, GL_R32F);
    glActiveTexture(GL_TEXTURE1);
}

/* Turns depth round, and makes all of it the same. */
static void spoil_depth(void) {
    glDepthFunc(GL_NEVER);
    glDepthMask(GL_FALSE);
    glDepthRangeIndexed(0, 0.5, 0.5);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1e6f, -1e6f);
    if (epoxy_gl_version() >= 45) {
        glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
    }
}

static void spoil_colors(void) {
    glEnablei(GL_BLEND, 1);
    glBlendFunci(0, GL_ZERO, GL_ONE_MINUS_SRC_ALPHA);
    glBlendFunci(1, GL_DST_COLOR, GL_ZERO);
    glBlendEquationi(0, GL_FUNC_REVERSE_SUBTRACT);
    glColorMaski(1, GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    glEnable(GL_POLYGON_SMOOTH);
}

/* Everything that could spoil a drawing, and something bound everywhere. */
static void set_all(void) {
    GLuint buffers[8], array, frame, render;
    glGenBuffers(8, buffers);
    for (int i = 0; i < 8; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
        glBufferData(GL_ARRAY_BUFFER, 4096, NULL, GL_STATIC_DRAW);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, (GLuint)i, buffers[i]);
        glBindBufferBase(GL_UNIFORM_BUFFER, (GLuint)i, buffers[7 - i]);
    }
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 3, buffers[2], 1024, 512);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffers[4]);
    glBindBuffer(GL_COPY_READ_BUFFER, buffers[5]);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffers[6]);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffers[7]);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenRenderbuffers(1, &render);
    glBindRenderbuffer(GL_RENDERBUFFER, render);
    bind_textures();
    spoil_depth();
    spoil_colors();
    glEnable(GL_CLIP_DISTANCE0 + 2);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT_AND_BACK);
    glEnablei(GL_SCISSOR_TEST, 0);
    glEnablei(GL_SCISSOR_TEST, 2);
    glScissor(0, 0, 1, 1);
    glEnable(GL_RASTERIZER_DISCARD);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glViewport(3, 4, 5, 6);
    glViewportIndexedf(2, 7, 8, 9, 10);
}

/* Compute shaders, drawn surfaces, indirect dispatches and images of bodies, whatever the caller,
 * or one of them before another, has set. */
static void test_all_is_set_back(void **state) {
    (void)state;
    enum { COMPUTED, DRAWN, IMPLICIT, MAPPED, MOVING, WAYS };
    for (int way = 0; way < WAYS; way++) {
        surface_prefer(way == DRAWN);
        toile_solver_kind kind = way >= IMPLICIT ? TOILE_SOLVER_IMPLICIT : TOILE_SOLVER_MULTILEVEL;
        uint64_t (*hash_of)(const toile_world_def *) =
            way == MOVING ? hash_of_moving : hash_after_steps;
        toile_world_def def = def_of(kind, TOILE_GL_CONTEXT_OWN);
        def.collision = way >= MAPPED ? TOILE_COLLISION_MAPS : def.collision;
        def.map_size = 64;
        def.map_memory = 10;
        uint64_t own = hash_of(&def);
        EGLContext mine = make_modern();
        make_current(mine);
        set_all();
        left before, after;
        look(&before);
        def.gl_context = TOILE_GL_CONTEXT_CURRENT;
        assert_same_hash(hash_of(&def), own, "in a context that is set up otherwise");
        look(&after);
        assert_memory_equal(&before, &after, sizeof before);
        assert_int_equal(glGetError(), GL_NO_ERROR);
        destroy_context(mine);
    }
    surface_prefer(false);
}

/* Images of bodies are those of the library's own context, whose order of depths a drawn surface
 * has changed. */
static void test_same_images(void **state) {
    (void)state;
    solid ball;
    map_set own = {0};
    device_context guest = {0};
    surface_prefer(true);
    toile_world_def def = def_of(TOILE_SOLVER_MULTILEVEL, TOILE_GL_CONTEXT_OWN);
    hash_after_steps(&def);
    surface_prefer(false);
    assert_ok(shape_surface(&ball, TOILE_SHAPE_SPHERE, (v3){0.3f, 0.3f, 0.3f}));
    const map_surface surface = {&ball, true};
    const map_request request = {.surfaces = &surface, .count = 1, .side = 64, .cameras = 6};
    assert_ok(map_drawer_here->draw(&own, &request));
    EGLContext mine = make_modern();
    make_current(mine);
    set_all();
    guest.machine = machine_borrow();
    assert_non_null(guest.machine);
    assert_ok(gl_set_maps(&guest, &request));
    size_t bytes = (size_t)own.layers * 64 * 64 * 4 * sizeof(float);
    float *images = malloc(bytes);
    glBindTexture(GL_TEXTURE_2D_ARRAY, guest.maps.images);
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_FLOAT, images);
    assert_memory_equal(images, own.images, bytes);
    free(images);
    map_set_free(&own);
    gl_maps_free(&guest.maps);
    machine_give(guest.machine, false);
    destroy_context(mine);
    solid_free(&ball);
}

/* ---- what is refused ----------------------------------------------------------------------------
 */

static void assert_no_world(const toile_world_def *def, toile_result wanted, const char *part) {
    toile_world *world = NULL;
    assert_int_equal(toile_world_create(def, &world), wanted);
    assert_null(world);
    assert_message(part);
}

static void test_missing(void **state) {
    (void)state;
    toile_world_def def = def_of(TOILE_SOLVER_IMPLICIT, TOILE_GL_CONTEXT_CURRENT);
    assert_no_world(&def, TOILE_ERROR_UNAVAILABLE, "no OpenGL context is current in this thread");
    def.device = "cpu";
    assert_no_world(&def, TOILE_ERROR_INVALID, "expected device \"gl\" or \"auto\", found \"cpu\"");
    def.device = "gl";
    def.gl_context = (toile_gl_context)2;
    assert_no_world(&def, TOILE_ERROR_INVALID, "gl_context");
}

static void test_other_language(void **state) {
    (void)state;
    EGLContext mine = make_context(EGL_OPENGL_ES_API, EGL_OPENGL_ES2_BIT, 3, 0);
    if (mine == EGL_NO_CONTEXT) {
        print_message("skipped: there is no OpenGL ES here\n");
        eglBindAPI(EGL_OPENGL_API);
        return;
    }
    make_current(mine);
    toile_world_def def = def_of(TOILE_SOLVER_IMPLICIT, TOILE_GL_CONTEXT_CURRENT);
    assert_no_world(&def, TOILE_ERROR_UNAVAILABLE, "has OpenGL ES 3.");
    assert_message("expected 4.3 or later to simulate with");
    assert_ptr_equal(eglGetCurrentContext(), mine);
    destroy_context(mine);
}

/* In a process of its own whose driver pretends to be old, as Mesa can. */
static int be_too_old(void) {
    context c;
    context_before before;
    if (context_open(&c, &(context_need){3, 3, "to test with"}) != TOILE_OK ||
        context_enter(&c, &before) != TOILE_OK) {
        return 1;
    }
    toile_world_def def = def_of(TOILE_SOLVER_IMPLICIT, TOILE_GL_CONTEXT_CURRENT);
    toile_world *world = NULL;
    if (epoxy_gl_version() >= 43) {
        return 77;
    }
    toile_result result = toile_world_create(&def, &world);
    const char *wanted = "has OpenGL 3.3: expected 4.3 or later";
    return result == TOILE_ERROR_UNAVAILABLE && strstr(toile_error_message(), wanted) ? 0 : 1;
}

static void test_too_old(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        setenv("MESA_GL_VERSION_OVERRIDE", "3.3", 1);
        execl("/proc/self/exe", "test_gl_context", "old", NULL);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skipped: this driver cannot pretend to be old\n");
    } else {
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* Away from its context a world does nothing, says so, and goes on when it is back. */
static void test_not_current(void **state) {
    (void)state;
    EGLContext mine = make_modern(), other = make_modern();
    make_current(mine);
    toile_world_def def = def_of(TOILE_SOLVER_IMPLICIT, TOILE_GL_CONTEXT_CURRENT);
    toile_world *world = make_fall(&def);
    run_steps(world, 2, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    for (int i = 0; i < 2; i++) {
        make_current(i == 0 ? other : EGL_NO_CONTEXT);
        assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_UNAVAILABLE);
        assert_message("is not current");
    }
    assert_true(toile_world_hash(world) != hash); /* of zeros */
    make_current(mine);
    assert_same_hash(toile_world_hash(world), hash, "kept");
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_UNAVAILABLE);
    assert_message("is not current"); /* when it was read */
    assert_same_hash(toile_world_hash(world), hash, "kept");
    run_steps(world, 1, 1.0f / 60.0f);
    toile_world_destroy(world);
    destroy_context(other);
    destroy_context(mine);
}

/* ---- threads ------------------------------------------------------------------------------------
 */

typedef struct handed {
    toile_world *world;
    EGLContext context;
    uint64_t hash;
} handed;

static void *go_on(void *user) {
    handed *h = user;
    eglBindAPI(EGL_OPENGL_API);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, h->context);
    toile_result result = toile_world_step(h->world, 1.0f / 60.0f);
    h->hash = result == TOILE_OK ? toile_world_hash(h->world) : 0;
    toile_world_destroy(h->world);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    return NULL;
}

static void test_handed_over(void **state) {
    (void)state;
    toile_world_def def = def_of(TOILE_SOLVER_MULTILEVEL, TOILE_GL_CONTEXT_OWN);
    uint64_t wanted = hash_after_steps(&def);
    handed h = {.context = make_modern()};
    make_current(h.context);
    def.gl_context = TOILE_GL_CONTEXT_CURRENT;
    h.world = make_fall(&def);
    run_steps(h.world, 3, 1.0f / 60.0f);
    make_current(EGL_NO_CONTEXT);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, go_on, &h), 0);
    pthread_join(thread, NULL);
    assert_same_hash(h.hash, wanted, "in another thread");
    destroy_context(h.context);
}

int main(int argc, char *argv[]) {
    (void)argv;
    if (argc > 1) {
        return be_too_old();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_worlds_beside),
        cmocka_unit_test(test_all_is_set_back), cmocka_unit_test(test_same_images),
        cmocka_unit_test(test_missing),         cmocka_unit_test(test_other_language),
        cmocka_unit_test(test_too_old),         cmocka_unit_test(test_not_current),
        cmocka_unit_test(test_handed_over),
    };
    return cmocka_run_group_tests(tests, find_display, NULL);
}
