/* The files that a scene names: meshes of cloths and of bodies, and cooked panels.
 *
 * A run copies those that are named by relative paths to SCENE_FILES in its folder, under the same
 * names, and the scene.json there finds them again: the folder can be moved and needs nothing else.
 */
#ifndef TOILE_IO_SCENE_FILES_H
#define TOILE_IO_SCENE_FILES_H

#include "io/field.h"
#include "io/scene.h"

#define SCENE_FILES "scene_files"

/* Read the name of a file: absolute, or within the scene's folder, so that it has a place in
 * SCENE_FILES, too. */
field_reader read_file_name, read_panel_name;

/* Whether a name may stand there. */
toile_result check_file_name(const node *at, const char *path);

/* Fills in the paths: in SCENE_FILES beside the scene if it has the file, else beside the scene. A
 * file that is not there is for its reader to refuse. Before meshes become pieces. */
toile_result scene_files_find(scene *s);

/* A file that a scene reads beside itself. */
typedef struct scene_file_read {
    const char *path;
    const char *copy; /* its name in SCENE_FILES; NULL: it is named by an absolute path */
    size_t limit;     /* bytes that its reader takes at most */
} scene_file_read;

/* Visits all of them, the buffers of glTF files included, each name once. Whatever is not TOILE_OK
 * ends the visit and is returned. */
typedef toile_result scene_file_visitor(void *context, const scene_file_read *file);
toile_result scene_files_visit(const scene *s, scene_file_visitor *visit, void *context);

/* Copies one to a path and makes the folders above it. */
toile_result scene_files_copy(const scene_file_read *file, const char *to);

#endif
