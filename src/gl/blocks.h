/* What the device hands to its shaders. C and GLSL both read this file: all numbers have four bytes
 * and nested structs fill 16, so that std140 and std430 lay them out as C does. */
#ifndef TOILE_GL_BLOCKS_H
#define TOILE_GL_BLOCKS_H

/* Uniform blocks. */
#define BIND_CLOTH 0
#define BIND_LEVEL 1

/* Storage blocks; OpenGL 4.3 promises eight. */
#define BIND_STATE    0 /* planes of device/state.h */
#define BIND_PLANES   1 /* planes of the level that a pass works on */
#define BIND_OTHER    2 /* those of the finer or coarser one; what bodies do to the coarse mesh */
#define BIND_TABLE    3 /* texels of unusual weights; pinned texels; between mesh and texels */
#define BIND_MARKS    4 /* what a step has to tell */
#define BIND_SHAPES   5 /* bodies at the end of each substep */
#define BIND_CONTACTS 6 /* what the cloth has to do with each body */
#define BIND_MOMENTS  7 /* wind, or poses of pins, at each substep; meshes */

/* Storage blocks of self-collision, beside those of a cloth and its finest level. */
#define BIND_SEEN    2 /* texels as their partners see them */
#define BIND_CHANGE  2 /* instead of them in self_forget: planes of device/implicit_state.h */
#define BIND_ENTRIES 3 /* texels by slot of the hash */
#define BIND_STARTS  4 /* the slots */
#define BIND_LISTED  5 /* where texels were when they were sorted */
#define BIND_SELF    6 /* self_numbers and self_block */
#define BIND_MASK    7 /* which texels exist; numbers of texels before they are in order */

/* Storage blocks of Newton's method. Passes over texels of a cloth have OTHER so, and newton_start
 * MOMENTS, beside its own; those over tiles of all panels have the rest, too. */
#define BIND_COARSER   1 /* planes of the coarser or the finer level; factors; work groups */
#define BIND_EQUATIONS 2 /* planes of device/newton_state.h, and weights of bending */
#define BIND_TILES     3 /* tile_block, those of one level after the other */
#define BIND_PANELS    6 /* system_block, likewise */
#define BIND_PARTS     7 /* PART_FLOATS a part, then SUMS_FLOATS a tile of the finest level */
#define BIND_AIMS      0 /* coupling_aim of device/newton_state.h, substeps x couplings */
#define BIND_FACTORS   3 /* instead of tiles in newton_small: those of coarsest matrices */
#define BIND_TOLD      0 /* instead of them in newton_numbers: TOLD_ words */
#define BIND_COUPLINGS 5 /* the lists of cook/coupling.h: COUPLED_ROWS and so on */

/* In newton_forces, instead of aims bodies, as BIND_SHAPES has them, and instead of another level
 * what panels have to do with them: contact_block, panels x bodies. */
#define BIND_TILE_SHAPES   0
#define BIND_TILE_CONTACTS 1

/* Springs that repel texels: in passes that make them, in those of Newton's method, and in
 * newton_numbers. */
#define BIND_REPELS_MADE    1
#define BIND_REPELS         4
#define BIND_REPELS_ISLANDS 3

/* Texture units of collision maps: all images, and those that are being made into some of them. */
#define MAP_UNIT_IMAGES      0
#define MAP_UNIT_FRONT       0
#define MAP_UNIT_BACK        1
#define MAP_UNIT_FRONT_INNER 2
#define MAP_UNIT_BACK_INNER  3
#define MAP_UNIT_COUNT       4
#define MAP_UNIT_FRONT_WAY   5
#define MAP_UNIT_BACK_WAY    6
#define MAP_UNITS            7

/* Texture units of a drawn surface: what is sampled, indices of triangles, where vertices are, and
 * the planes that are projected. */
#define SURFACE_UNIT_VERTICES  0
#define SURFACE_UNIT_TRIANGLES 1
#define SURFACE_UNIT_PLACES    2
#define SURFACE_UNIT_PLANES    3
#define SURFACE_UNITS          4

/* Classes of cloths by the distance that texels keep: SELF_CLASSES of device/self_classes.h. */
#define SELF_RANKS 24

/* Bits of a texel's mask: it exists, and it lies at a tie. The latter is also in a word that
 * numbers its cloth. */
#define SELF_THERE 1u
#define SELF_TIED  0x80000000u

/* Slots of the hash that a work group counts, and its threads. */
#define SELF_BLOCK 1024
#define SELF_LINE  256

/* Words between lists that share a buffer: of a slot its count, its start, and how many are placed;
 * then of each SELF_BLOCK slots the texels before it. */
#define SELF_SLOT_LISTS 3

/* Words of these springs. The first one counts those that texels have taken; behind it are, of each
 * place in planes of the finest level, where the springs of its texel begin (0: it has none) and
 * how many there are; then islands of parts; then the springs. Of each, the other texel: its place
 * and its panel; its direction and rest length, its stiffness, and that which it has in this
 * iteration. There is room for REPELS_FIRST of them at first, which is little, so that growing is
 * nothing rare: where texels want more, the step is made again with room for twice as many. */
#define REPELS_HEADS    1
#define REPELS_START    0
#define REPELS_COUNT    1
#define REPELS_PLACE    2 /* words a place */
#define REPEL_PLACE     0
#define REPEL_PANEL     1
#define REPEL_DIRECTION 2
#define REPEL_REST      5
#define REPEL_STIFFNESS 6
#define REPEL_ACTING    7
#define REPEL_WORDS     8
#define REPELS_FIRST    256

/* Words of an odd texel: itself, four of the coarser level, and their weights. */
#define ODD_WORDS 9

/* Words of the lists between the coarse mesh and texels: of a vertex the index of its lower left
 * texel and two fractions, of a texel three vertices and two weights. Floats of a vertex that a
 * body moved: its way and its change of velocity. */
#define PROJECTED_WORDS 3
#define SAMPLED_WORDS   5
#define MOVED_FLOATS    6

/* Texels of a work group, and threads of one that has a list, a row, or all of a small level. */
#define GROUP_COLUMNS 32
#define GROUP_ROWS    4
#define GROUP_LINE    128
#define GROUP_ROW     64
#define GROUP_SMALL   640

/* Texels of one that relaxes a part of a level, even numbers, for sets of edges are; iterations
 * that it does at most; threads, one for each edge of a set in the tile and six texels around it
 * for each iteration. */
#define TILE_COLUMNS    16
#define TILE_ROWS       16
#define TILE_ITERATIONS 2
#define TILE_THREADS    800

/* The same for levels with more edges in a set than this. */
#define BROAD_EDGES      16384
#define BROAD_COLUMNS    24
#define BROAD_ROWS       24
#define BROAD_ITERATIONS 1
#define BROAD_THREADS    648

/* Texels of a work group of Newton's method: of the coarse level on the way down in a cycle, of the
 * finer one on the way up, and of a cloth. */
#define DOWN_COLUMNS 16
#define DOWN_ROWS    8
#define UP_COLUMNS   32
#define UP_ROWS      8

/* Rows of a tile whose matrix a work group of Newton's method makes, and its threads: at least one
 * for each texel of the finer rows, which are half as long. */
#define COARSEN_ROWS    2
#define COARSEN_THREADS 192

/* Threads of a work group that has a part of Newton's method; unknowns that it solves at most, and
 * those whose matrix it has in shared memory. */
#define PART_THREADS    128
#define PART_UNKNOWNS   2048
#define SHARED_UNKNOWNS 75

/* Texels along the sides of a level that one work group has with all coarser ones, threads of that
 * group, levels, and room for vectors: 21 x 21, 13 x 13, 9 x 9. */
#define SMALL_SIDE    17
#define SMALL_THREADS 320
#define SMALL_LEVELS  3
#define SMALL_ROOM    691
#define SMALL_FIRST   1
#define SMALL_LOWER   2

/* Threads of the one that moves texels that couplings touch together. */
#define TOGETHER_THREADS 256

/* What a part is at in conjugate gradients: newton_part of device/newton_state.h. */
#define PART_BEFORE 0
#define PART_NOW    1
#define PART_BETA   2
#define PART_ALPHA  3
#define PART_GAIN   4
#define PART_LEAD   5  /* the first part of its island */
#define PART_RESTS  6  /* not 0: needs no more iterations in the substep */
#define PART_SHIFT  7  /* three */
#define PART_MOTION 10 /* J, twice the kinetic energy of the substep, or of a slow one */
#define PART_SOLVED 11 /* after so many iterations of conjugate gradients; 0: not yet */
#define PART_LOOSE  12 /* not 0: nothing but bodies holds it */
#define PART_NEXT   13 /* the next part of its island; -1: none */
#define PART_FLOATS 14

/* What is summed over the texels of a tile. */
#define SUMS_DOT     0  /* of two vectors */
#define SUMS_MOVED   1  /* not a sum: the longest move, squared */
#define SUMS_INERTIA 2  /* N/m */
#define SUMS_FORCE   3  /* three: N, that are left */
#define SUMS_BLOCK   6  /* six: the block of a move that all texels make alike */
#define SUMS_MOTION  12 /* J, twice the kinetic energy of the substep */
#define SUMS_WAY     13 /* three: inertia times ways of texels in the substep */
#define SUMS_FLOATS  16

/* Work groups of dispatches, GROUPS_WORDS each; first those that rest with all parts, then those
 * of conjugate gradients, which also end when all that do not rest are solved. Behind them all is
 * what they begin with. Words before them: how many parts rest and how many are solved; the first
 * word of those of conjugate gradients, and of those of their passes NEWTON_ADVANCE. These have
 * their own for each iteration, for the one that solves a part is still to be made. Iterations
 * beyond GROUPS_ADVANCES share them. */
#define GROUPS_RESTING  0
#define GROUPS_SOLVED   1
#define GROUPS_DRAWN    2
#define GROUPS_ADVANCE  3
#define GROUPS_FIRST    4
#define GROUPS_WORDS    3
#define GROUPS_ADVANCES 32

/* Words that the host sees while it queues (gl/watch.h). Not 0: all parts that do not rest are
 * solved; all rest. */
#define TOLD_SOLVED 0
#define TOLD_REST   1
#define TOLD_WORDS  2

/* The plane that numbers texels which couplings touch, behind those of weights of bending. */
#define TOUCHED_PLANE 3

/* Words of the lists of couplings: of each level how many rows and touched texels it has, and where
 * its lists begin: rows, touched texels, their entries, rows of the finer level, where those of a
 * row begin, and what a substep fills in: stiffness, pulls, and ways of touched texels. */
#define COUPLED_ROWS        0
#define COUPLED_TOUCHED     1
#define COUPLED_ROW         2
#define COUPLED_TEXEL       3
#define COUPLED_ENTRY       4
#define COUPLED_FINER       5
#define COUPLED_FIRST_FINER 6
#define COUPLED_STIFFNESS   7
#define COUPLED_PULL        8
#define COUPLED_WAY         9
#define COUPLED_WORDS       10

/* Of a row: room for eight texels, as many weights, two panels, as many unknowns of the texels on
 * the coarsest level of the part, the part, how many texels there are, and how many of the first
 * end. */
#define ROW_TEXELS   0
#define ROW_WEIGHTS  8
#define ROW_PANELS   16
#define ROW_UNKNOWNS 18
#define ROW_PART     26
#define ROW_COUNT    27
#define ROW_FIRST    28
#define ROW_WORDS    29

/* Of a touched texel, behind whose last one is one more: its place in the planes, its panel, and
 * its first entry. */
#define TOUCHED_TEXEL 0
#define TOUCHED_PANEL 1
#define TOUCHED_ENTRY 2
#define TOUCHED_WORDS 3

/* Of an entry: the row, the weight, and the share. */
#define ENTRY_ROW    0
#define ENTRY_WEIGHT 1
#define ENTRY_SHARE  2
#define ENTRY_WORDS  3

/* Of a stiffness and a pull; of a touched texel: coupled_way of device/newton_state.h, and what it
 * was before the last sweep. Of an aim: its place, direction and stiffness. */
#define STIFFNESS_WORDS 6
#define PULL_WORDS      3
#define WAY_FORCE       0
#define WAY_STEP        3
#define WAY_GUESS       6
#define WAY_WORDS       9
#define AIM_ALONG       3
#define AIM_STIFFNESS   6
#define AIM_WORDS       7

/* What newton_pull sums up: places less aims, the guess with what coarser levels add, or the
 * direction. */
#define PULL_PLACES    0
#define PULL_GAINED    1
#define PULL_DIRECTION 2

/* What newton_numbers makes of them. */
#define NUMBERS_START     0
#define NUMBERS_DIRECTION 1
#define NUMBERS_ADVANCE   2
#define NUMBERS_SHIFT     3
#define NUMBERS_SETTLE    4

/* Planes of a level behind those of device/hierarchy.h: its tables, which are cooked. */
#define TABLE_inverse_mass 0
#define TABLE_coverage     1
#define TABLE_rest         2 /* four, one a kind of edge; coarse levels */
#define TABLE_regular      6 /* coarse levels */
#define TABLE_mean         7 /* coarse levels */
#define TABLE_even         8 /* all but the coarsest */
#define TABLE_COUNT        9

/* Planes of the implicit solver behind those of device/implicit_state.h: what is known about meshes
 * around a texel, as its mesh_clearance. */
#define CLEAR_place  0 /* three */
#define CLEAR_radius 3
#define CLEAR_motion 4
#define CLEAR_COUNT  5

/* What an iteration of Newton's method does if a part does not rest: there are more, or as many as
 * there may be are done, or as many as were queued. */
#define ITERATION_MORE  0
#define ITERATION_LAST  1
#define ITERATION_SHORT 2

/* The kinds of edges, as in cook/levels.h. */
#define KIND_U       0
#define KIND_V       1
#define KIND_RISING  2
#define KIND_FALLING 3
#define KIND_COUNT   4

/* GLSL names a struct without the word. */
#ifdef __STDC__
typedef struct grid_block grid_block;
typedef struct cloth_block cloth_block;
typedef struct level_block level_block;
typedef struct shape_block shape_block;
typedef struct contact_block contact_block;
typedef struct solid_block solid_block;
typedef struct map_block map_block;
typedef struct pinned_block pinned_block;
typedef struct self_numbers self_numbers;
typedef struct self_grid self_grid;
typedef struct self_block self_block;
typedef struct mark_block mark_block;
typedef struct tile_block tile_block;
typedef struct system_block system_block;
#endif

/* The layout of cook/grid.h. */
struct grid_block {
    int columns;
    int rows;
    int stride;
    int first; /* index of the texel in column 0, row 0 */
    int size;  /* of a plane */
    int spare_a, spare_b, spare_c;
};

/* The numbers of a cloth and of its world in a step: device/plan.h. */
struct cloth_block {
    grid_block grid;
    float spacing, diagonal;
    float stretch_u, stretch_v, shear, bend;
    float stretch_retardation, bend_retardation;
    float longest, nearly;
    float cell_mass;
    float compliance_u, compliance_v, compliance_shear;
    float bend_lag, bend_rate;
    float substep, moment;
    float gravity_x, gravity_y, gravity_z;
    float viscosity, persistence;
    float relaxation, jacobi_relaxation;
    float drag, lift;
    int windy;
    int limited;
    int body_count;
    int levels; /* 0 with springs */
    int mark;   /* its place among the marks */
    int pin_count;
    int pinned;      /* texels */
    int coarse_only; /* texels do not collide themselves */
    int meshes;      /* texels collide with some */
    float grip_follow;
    int vertices; /* of the coarse mesh */
    float pace;
    float curl_u, curl_v;
    float strike;
    float span;                         /* s, of the step */
    int looks;                          /* backup keeps where texels are, for the check */
    int equations_base, equations_size; /* where its planes begin in those of all panels, and the
                                           size of these */
    int spare_a, spare_b;
};

/* A level of a cloth. */
struct level_block {
    grid_block grid, finer, coarser;
    int depth;
    int parts_at; /* in the table: parts of means, behind the first one of each texel */
    int odds_at;  /* texels of the finer level that the usual weights do not fit */
    int odd_count;
    float bend_stiff, bend_taken;
    float no_edge; /* rest length of an edge that does not exist */
    float spare;
};

/* A body at the end of a substep: shape_args of device/plan.h. */
struct shape_block {
    int kind;
    float reflection;
    float center_x, center_y, center_z;
    float axis_xx, axis_xy, axis_xz;
    float axis_yx, axis_yy, axis_yz;
    float axis_zx, axis_zy, axis_zz;
    float size_x, size_y, size_z;
    float velocity_x, velocity_y, velocity_z;
    float spin_x, spin_y, spin_z;
    int solid;  /* of meshes, where its numbers begin among the solids; with collision maps its own
                   number if it has images; else -1 */
    float time; /* of the step, 0 to 1 */
};

/* A mesh among the solids, in words: these, then nodes, faces and the normals of their parts as
 * model/solid.h has them. */
struct solid_block {
    int nodes, faces, numbers, normals; /* where they begin; normals: 0 where the mesh deforms */
    float grain;
    int end_boxes, end_corners; /* and this as model/solid.h has it; 0: it does not deform */
    int triangles, starts, ends, twins; /* starts: its positions */
    int heights; /* how many there are; where the nodes of each begin, and the last end; the nodes
                  */
};

/* The same in words, and those of what a joint does: kernel/skin.h. */
#define SOLID_WORDS      12
#define SKIN_ROWS_WORDS  12
#define SKIN_JOINT_WORDS 20

/* The images of a body: body_map of device/maps.h. */
struct map_block {
    float low_x, low_y, low_z;
    float pixel;
    float high_x, high_y, high_z;
    int axis;
    float size_x, size_y, size_z; /* pixels */
    int views, layer;
    int images;        /* of a view: MAPS_IMAGES, or MAPS_MOVING_IMAGES of a body that deforms */
    float longest_way; /* m */
    int spare;
};

/* What a search in a mesh may put aside: one node a halving of the most triangles there are. */
#define SOLID_STACK 25

/* A cloth and a body. */
struct contact_block {
    float distance, coarse_distance, friction;
    float spare;
};

/* A pinned texel: its place in the planes, its pin, where it is in the pin's frame at the start of
 * the step, and how far it goes there up to its end. */
struct pinned_block {
    int at, pin;
    float x, y, z;
    float way_x, way_y, way_z;
};

/* What cloths have to do with each other. Two doubles a class come before it: 1 / m of a cell of
 * its grid, and how many metres away cells end. */
struct self_numbers {
    int slots, blocks; /* of the hash */
    int islands;       /* word at which those of parts begin among the springs that repel texels; */
    int repels;        /* that of the springs, and */
    int repels_most;   /* how many there is room for; 0: there are none */
    int spare;
};

/* A class of cloths: the grid of its cells, and the slots of its own texels and of its guests. */
struct self_grid {
    float reach, margin; /* m */
    int own_first, own_count, guest_first, guest_count;
};

/* A cloth as its texels are numbered: row by row, with a gap between rows, so that the difference
 * of two numbers tells whether they share a cell. */
struct self_block {
    int first, columns, stride;
    int plain; /* all its texels keep the same distance */
    float spacing, distance, friction;
    int rank;        /* of its class */
    int first_guest; /* key of its first texel in the guests of the first class */
    int numbers;     /* of its texels: so much farther are those in the guests of the next */
    int part;        /* of the equations, */
    int place, up;   /* and in their planes the first texel, and the way to the next row */
};

/* UP_COLUMNS x UP_ROWS texels of a panel on a level. */
struct tile_block {
    int panel;
    int column, row; /* the first */
    int number;      /* among those of the panel */
};

/* A panel on a level, and the numbers of its cloth: cook/system.h. */
struct system_block {
    int columns, rows, stride;
    int first;   /* index of the texel in column 0, row 0 in planes of the level */
    int size;    /* of such a plane */
    int last;    /* it is the panel's coarsest level */
    int small;   /* SMALL_FIRST: one work group has this and the coarser levels; SMALL_LOWER: it is
                    one of these; 0: work groups have tiles of it */
    int loose;   /* nothing but bodies holds its part */
    int coupled; /* this has couplings */
    int repels;  /* room for springs that repel texels; 0: there are none */
    int sums;    /* where those of its tiles on the finest level begin among the parts */
    int tiles;   /* as many, of all panels of its part, whose first one begins */
    int factor;  /* where that of the part's coarsest matrix begins */
    int part;
    int next;        /* panel of the part, or -1 */
    int asleep;      /* no pass concerns it */
    int lead;        /* the first panel of the part with this panel's number; not of all */
    int unknown;     /* on its coarsest level, its first in those of the part, */
    int unknowns;    /* as many */
    float bend;      /* N/m, of the level, its retardation in it */
    float bend_once; /* N/m, of the finest one, without it */
    float bend_lag;  /* retardation, in substeps */
    float spacing, diagonal, longest;
    float stretch_u, stretch_v, shear;
    float substep;
    float press;     /* touch_times of kernel/touch.h */
    float least;     /* m/s: grip_least */
    int bodies;      /* among the shapes */
    int touches;     /* texels collide with bodies, */
    int meshes;      /* with meshes, too */
    float tolerance; /* m; 0: energy ends iterations */
    float enough;    /* share of it */
    float slow;      /* m in a substep */
    float little;    /* share that ends conjugate gradients, */
    float share;     /* and that of what they have taken */
};

/* What a step has to tell about a cloth. */
struct mark_block {
    int stretched;   /* stamp of the last pass of forces that found a thread near its limit */
    int touched;     /* stamp of the last substep in which the coarse mesh touched a body */
    int iterations;  /* of the step */
    int restless;    /* 1: in a substep they ended before it was settled */
    float last_move; /* m, of the last iteration of a substep, the largest */
    int wanted;      /* the most iterations of a substep */
    int hurried;     /* 1: in a substep fewer were queued than it needed */
    int gradients;   /* iterations of conjugate gradients of the step, */
    int drawn;       /* the most of them in one of Newton's method, and */
    int cut;         /* 1: there fewer were queued than it needed */
    int struck;      /* 1: a body has, in the step */
    int bad;         /* first texel that has left all bounds, row by row */
    int hidden;      /* texels of the last substep that no camera of collision maps can tell of */
    int springs;     /* that repel texels, of the first substep with too little room for them */
    int gone;        /* bits of a float: m^2, of the texel farthest from where it came to rest, */
    int fastest;     /* and m^2/s^2 */
    int low_x, low_y, low_z, high_x, high_y, high_z; /* m, box around texels: MARK_ORDER */
};

#endif
