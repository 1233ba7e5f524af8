/* The memory of a cloth on the gl device: storage buffers of planes in the layout of cook/grid.h,
 * so that the tables of the cook are copied as they are. */
#ifndef TOILE_GL_CLOTH_H
#define TOILE_GL_CLOTH_H

#include "cook/system.h"
#include "device/device.h"
#include "device/hierarchy.h"
#include "device/self_classes.h"
#include "gl/cloth_block.h"
#include "gl/machine.h"
#include "gl/studio.h"
#include "gl/surface.h"
#include "gl/timer.h"
#include "gl/watch.h"

/* Substeps whose bodies, pins and winds are uploaded at a time. */
enum { GL_CHUNK = 64 };

/* A storage buffer that grows when it must. */
typedef struct gl_store {
    GLuint handle;
    size_t room; /* bytes */
} gl_store;

/* What the cloths of a world do to each other; see gl/shaders/self.glsl. */
typedef struct gl_self {
    int cloth_count;             /* 0: nothing */
    int slot_count, block_count; /* of the hash */
    self_classes classes;
    gl_store numbers; /* self_numbers, and a self_block a cloth */
    GLuint slots;     /* words: SELF_SLOT_LISTS of them a slot, one a block of slots */
    GLuint listed;    /* 4 words a texel */
    GLuint entries;   /* 4 words a texel, by slot */
    GLuint unsorted;  /* texels by slot, in any order */
    GLuint seen;      /* 8 words a texel */
    GLuint repels;    /* springs of Newton's method; REPELS_HEADS and so on of blocks.h. 0: none */
    int repels_at;    /* word at which they begin */
    int repels_most;
} gl_self;

/* The images of bodies; see gl/maps.h. */
typedef struct gl_maps {
    map_set set;
    GLuint images;    /* array of textures, one a layer */
    gl_store numbers; /* map_block, one a body */
    map_block *blocks;
    gl_studio studio; /* empty unless bodies deform */
} gl_maps;

/* The equations of all panels of a world, of Newton's method; see gl/newton.h. */
typedef struct gl_newton {
    equations equations;
    GLuint planes[SYSTEM_LEVELS];      /* EQUATION_PLANES, and weights of bending */
    GLuint tiles;                      /* tile_block, those of one level after the other */
    int first_tile[SYSTEM_LEVELS + 1]; /* a level */
    gl_store panels;                   /* system_block, a panel and a level */
    gl_store contacts;                 /* contact_block, a panel and a body */
    GLuint parts;                      /* PART_FLOATS a part, SUMS_FLOATS a tile of the finest */
    GLuint groups;                     /* work groups of dispatches, and as they begin: blocks.h */
    int group_words;                   /* of each */
    gl_watch watch;                    /* for the end of iterations */
    GLuint factors;                    /* of coarsest matrices, one part after the other */
    int *factor_at;                    /* a part: where its own begins */
    int *sums_at;                      /* a panel: where its sums begin among the parts */
    bool ends[SYSTEM_LEVELS];          /* it is the coarsest one of some part, */
    bool ends_alone[SYSTEM_LEVELS];    /* of one that newton_exact solves */
    bool begins_small[SYSTEM_LEVELS];  /* the first one that newton_small has of some panel */
    bool has_tiles[SYSTEM_LEVELS];     /* cycles of some panel have tiles of it */
    int *small_from;  /* a panel: the first one that newton_small has; SYSTEM_LEVELS: none */
    bool loose;       /* some part is, in the step: nothing but bodies holds it */
    GLuint couplings; /* their lists, and what a substep fills in: blocks.h */
    gl_store aims;    /* coupling_aim, substeps x couplings */
    size_t bytes;     /* of the buffers that equations made */
} gl_newton;

/* How many iterations substeps have needed lately. */
typedef struct gl_guess {
    int iterations; /* 0: nobody knows yet */
    int calm, most; /* steps that needed fewer, and the most that they did */
} gl_guess;

/* Where the mesh of a body is among all of them, and which of its steps the device has. */
typedef struct gl_solid_place {
    int first;         /* word; -1: it is no mesh */
    uint32_t arrivals; /* as model/solid.h has them */
    int skin;          /* word of the skins where its own begins; -1: it has none */
} gl_solid_place;

struct device_context {
    machine *machine;
    int stamp;                   /* number of the last pass that leaves marks */
    gl_store marks;              /* mark_block, one a cloth */
    gl_store shapes;             /* shape_block, substeps x bodies */
    gl_store winds;              /* 4 floats a substep */
    gl_store poses;              /* 26 doubles, substeps x pins */
    gl_store solids;             /* words of all meshes, each a solid_block and its arrays */
    gl_store skins;              /* words of all skins, as solid_skin.comp has them */
    bool solids_known;           /* they are those of the bodies there are */
    float mesh_way;              /* m, that meshes have moved in the step so far */
    float mesh_motion[GL_CHUNK]; /* m, that meshes have moved in the step, after each substep */
    gl_solid_place *solid_at;    /* a body */
    int solid_room;              /* bodies */
    void *staging;               /* what the buffers are filled from */
    size_t staged;               /* bytes of it */
    gl_timer timer;
    gl_self self;
    gl_maps maps;
    gl_newton newton;          /* empty unless the solver is implicit */
    gl_guess guess, gradients; /* iterations in a substep; conjugate gradients in each of these */
    bool failed;               /* an error between steps, which the next one reports */
    bool away;         /* likewise, that the caller's context was not current: no harm was done */
    char failure[256]; /* that one */
};

/* A level of the multilevel solver. */
typedef struct gl_level {
    const level *table;
    GLuint planes; /* LEVEL_PLANES, and the tables of gl/blocks.h */
    GLuint lists;  /* words: parts of means and odd texels, as level_block says; coarse levels */
    int parts_at, odds_at;
} gl_level;

/* What the implicit solver keeps of a cloth. */
typedef struct gl_implicit {
    GLuint planes; /* IMPLICIT_PLANES, and CLEAR_COUNT more; 0: the solver is another one */
    bool meshes;   /* texels collide with some */
    size_t bytes;
} gl_implicit;

struct device_cloth {
    device_context *gl;
    const panel *panel;
    grid grid;
    GLuint state;        /* STATE_PLANES */
    gl_store numbers;    /* cloth_block, then a level_block a level, each at a uniform_step */
    gl_store contacts;   /* contact_block, one a body */
    gl_store pins;       /* pinned_block */
    int pinned;          /* of them */
    uint32_t *pin_place; /* a texel: its number among those + 1; 0: not pinned */
    float *planes;       /* three planes, for upload and read-back */
    GLuint mask;         /* words of texels: SELF_THERE, SELF_TIED. Self-collision only */
    int self_first;      /* number of its first texel among those of all cloths */
    self_member member;  /* its class in self-collision */
    GLuint mapping;      /* words: projection to the coarse mesh, and sampling from it */
    GLuint moved;        /* MOVED_FLOATS a vertex of it */
    gl_surface surface;  /* projection and sampling by drawing, where that is preferred */
    gl_level levels[MAX_LEVELS];
    int level_count;
    gl_implicit implicit;
    size_t bytes;
};

/* Between these two, GL calls go to the context of the world. An error that nobody can be told
 * about is kept for the next step. */
bool gl_enter(device_context *gl, context_before *before);
void gl_leave(device_context *gl, const context_before *before, const char *doing);

device_cloth *gl_cloth_create(device_context *gl, const panel *p, const grid *g);
void gl_cloth_destroy(device_cloth *cloth);
size_t gl_cloth_bytes(const device_cloth *cloth);
toile_result gl_set_levels(device_cloth *cloth, const levels *tables, const bool *jacobi);
void gl_write_inverse_mass(device_cloth *cloth, const float *inverse_mass);
void gl_write(device_cloth *cloth, device_field field, const float *values);
void gl_read(const device_cloth *cloth, device_field field, float *values);
toile_gl_texels gl_locate(const device_cloth *cloth);

/* A storage buffer of so many bytes; refused where the driver has no room for it. */
toile_result gl_make_buffer(const machine *m, GLuint *buffer, size_t bytes, const void *data);

/* Zeroed planes of a grid, and one of them written. */
toile_result gl_make_planes(const machine *m, const grid *g, size_t planes, GLuint *buffer);
void gl_write_plane(GLuint buffer, const grid *g, int number, const float *values);

/* Zeroed room of so many bytes, until the next call; NULL with an error message. */
void *gl_stage(device_context *gl, size_t bytes);

/* Fills a store, which is made larger first if it must be. NULL: only that. */
toile_result gl_fill(const machine *m, gl_store *store, size_t bytes, const void *data);

#endif
