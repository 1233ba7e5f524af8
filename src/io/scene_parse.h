/* From parsed JSON to a scene: the keys of a scene file, as tables. */
#ifndef TOILE_IO_SCENE_PARSE_H
#define TOILE_IO_SCENE_PARSE_H

#include "io/field.h"
#include "io/scene.h"

/* Fills in defaults, then what the document says. Leaves s->source and s->path alone. */
toile_result scene_read(document *d, scene *s);

/* The table of every object of the format, ends in NULL. The first is the scene itself. */
extern const field_table *const scene_tables[];

/* ---- readers for the tables in scene_keys.c ----------------------------------------------------
 */

/* scene_parse.c */
/* A device that is chosen by more than its name: indices of the words that stand for them. */
typedef struct scene_device {
    int kind, pass;
} scene_device;
enum { SCENE_PASS_COMPUTE, SCENE_PASS_FRAGMENT };

field_reader read_version, read_seed, read_device, read_collision, read_solver, read_levels;
field_reader read_cloths, read_bodies, read_pins, read_camera; /* into a scene, scene_cloth ... */
field_reader read_name, read_pin_body, read_pin_keyframes, read_body_keyframes, read_attach;

/* scene_actor.c */
enum { MOST_SEQUENCE_FILES = 100000 };
field_reader read_character, read_mannequin, read_sequence; /* into a scene_body */
field_reader read_actions, read_sequence_files;             /* into a scene_actor */
field_reader read_label, read_looping; /* a string of the document's; a performance_loop */

/* scene_outline.c */
field_reader read_outline, read_curves, read_points, read_controls; /* into a scene_cloth ... */

/* scene_tie.c */
field_reader read_ties, read_tie_runs, read_tie_points; /* into a scene, scene_tie, scene_run */

/* scene_fabric.c */
field_reader read_fabrics, read_fabric, read_base, read_stretch;

/* Reads a list of elements of size bytes, each by read into zeroed memory of the document. */
typedef toile_result element_reader(const node *at, const field *list, void *element);
toile_result read_list(const node *at, const field *f, element_reader *read, size_t size,
                       void **out, int *out_count);

/* Exactly one of the keys must be there; stores the value that stands for it, an enum. */
toile_result read_kind(const node *at, const choice *kinds, void *kind);

/* Of a fabric object wherever one stands. */
extern const field_table fabric_table;

#endif
