/* A scene file in memory: everything `toile run` needs, checked, with all defaults filled in. */
#ifndef TOILE_IO_SCENE_H
#define TOILE_IO_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "figure/mannequin.h"
#include "model/performance.h"
#include "toile/toile.h"

/* A file that a scene names; io/scene_files.h finds it and takes it along. */
typedef struct scene_file {
    const char *name; /* as the scene says it; NULL: none */
    const char *path; /* where it is; NULL: a scene in memory has no folder */
} scene_file;

typedef struct scene_pin {
    toile_pin_def def; /* keyframes are owned by the scene; def.body is filled in by scene_build */
    int body;          /* index into scene.bodies, or -1 */
    int piece;         /* of a mesh, from 1; 0: all of them */
} scene_pin;

/* A mesh whose texture coordinates are its flat pattern. */
typedef struct scene_cloth_mesh {
    scene_file file;
    float scale; /* m a unit of the coordinates; 0: that of equal areas */
    float isometry_limit;
} scene_cloth_mesh;

typedef struct scene_cloth {
    toile_cloth_def def;   /* name is owned by the scene; def.panel is filled in by scene_build */
    toile_outline outline; /* owned by the scene; without loops: a rectangle, a mesh or a panel */
    scene_file panel;      /* a cooked one */
    float grain, coarse_edge, render_edge; /* as in toile_panel_def */
    bool snap;
    int element; /* of the list in the file, for messages: a mesh is several cloths */
    scene_cloth_mesh mesh;
    const struct island *piece; /* of the mesh (io/islands.h); NULL: none, or not loaded */
    double pattern_scale;       /* m a unit of the mesh's coordinates: the one given or found */
    scene_pin *pins;
    int pin_count;
    float color[3]; /* linear RGB, 0 to 1 */
} scene_cloth;

/* A line of points on a cloth. */
typedef struct scene_run {
    const char *cloth; /* its name; a piece of a mesh has one of its own */
    const float *points;
    int point_count;
} scene_run;

typedef struct scene_tie {
    toile_tie_def def; /* its runs are filled in by scene_build */
    scene_run runs[2];
} scene_tie;

typedef enum scene_actor_kind { SCENE_CHARACTER, SCENE_MANNEQUIN, SCENE_SEQUENCE } scene_actor_kind;

/* What a body that deforms is made of, and what it does. */
typedef struct scene_actor {
    scene_actor_kind kind;
    float center[3], rotate[3]; /* as of a mesh */
    bool open;                  /* as in toile_body_def */
    double scale;
    /* Characters and mannequins. */
    scene_file file;
    double weld; /* m, as in io/character_read.h */
    mannequin_def mannequin;
    toile_skinning skinning;
    bool root_motion;
    performance_action *actions;
    int action_count;
    performance_action only; /* what "animation" and the keys beside it say */
    /* Sequences. */
    scene_file *files;
    int file_count;
    const char *pattern; /* of the names in files */
    int first, last;
    scene_file base, cache;
    double rate, speed, start;
    bool loop;

    struct actor *loaded; /* io/actor.h; NULL: of a scene in memory */
} scene_actor;

typedef struct scene_body {
    toile_body_def def; /* name, mesh, skin and keyframes are owned by the scene */
    float color[3];
    scene_file mesh_file; /* of a mesh; def.mesh is what it holds, welded and scaled */
    float mesh_scale;
    scene_actor *actor; /* NULL: it is rigid */
} scene_body;

typedef struct scene_camera {
    bool given; /* false: the renderer frames what there is */
    float eye[3];
    float target[3];
    float fov; /* degrees, vertical */
} scene_camera;

typedef enum scene_texture {
    SCENE_TEXTURE_WEAVE,
    SCENE_TEXTURE_CHECK,
    SCENE_TEXTURE_PLAIN
} scene_texture;

typedef struct scene_render {
    int size[2]; /* pixels */
    float background[3];
    scene_texture texture;
    bool wireframe;
    bool floor; /* a floor to catch the shadow where no body is a level plane */
} scene_render;

typedef struct scene_report {
    int interval; /* every so many frames are measured and judged, and the last one */
} scene_report;

typedef struct scene {
    const char *path;
    toile_world_def world; /* device is owned by the scene */
    float time_step;       /* s a frame */
    int frames;
    scene_cloth *cloths;
    int cloth_count;
    scene_body *bodies;
    int body_count;
    scene_tie *ties;
    int tie_count;
    scene_camera camera;
    scene_render render;
    scene_report report;
    struct document
        *source; /* owns the text, for messages with lines, and all that is pointed to */
} scene;

/* Reads and checks a file. On error the message names file, line, field and what was expected. A
 * file that cannot be opened or read gives TOILE_ERROR_INVALID, too. */
toile_result scene_load(const char *path, scene **out);

/* The same for text in memory; name stands for the path in messages. Files that it names are not
 * read, and a cloth or body that needs one cannot be built. */
toile_result scene_parse(const char *text, size_t length, const char *name, scene **out);
void scene_free(scene *s);

/* What scene_build made, in the order of the scene. */
typedef struct scene_ids {
    toile_cloth_id *cloths;
    toile_body_id *bodies;
} scene_ids;

/* Makes the world of a scene. log may be NULL. The ids are freed with scene_ids_free. Refuses
 * cloths that start inside a body or in the same place as another, naming both. */
toile_result scene_build(const scene *s, toile_log_handler *log, void *log_user,
                         toile_world **world, scene_ids *ids);
void scene_ids_free(scene_ids *ids);

/* Tells the bodies that deform where they shall be at the end of the next step, which is at a time.
 * What they do is a pure function of it, whatever was before: a run that is resumed is the same to
 * the bit. A scene has scratch memory for it: one thread at a time. */
toile_result scene_drive(const scene *s, toile_world *world, const scene_ids *ids, double time);
/* The same for one body, which may be rigid: nothing happens then. */
toile_result scene_drive_body(const scene *s, toile_world *world, const scene_ids *ids, int body,
                              double time);

/* Drives the bodies and makes a step of the scene's length. */
toile_result scene_step(const scene *s, toile_world *world, const scene_ids *ids);

#endif
