/* What a run writes must be nothing that it reads, and no two of its outputs the same file. */
#ifndef TOILE_APP_OUTPUTS_H
#define TOILE_APP_OUTPUTS_H

#include "app/folder.h"

typedef struct outputs {
    const scene *scene;
    const char *folder;
    const run_folder *open;          /* the same */
    const char *report, *checkpoint; /* files beside those of the folder; NULL: none */
    const char *resume;              /* the checkpoint that is read; may be NULL */
} outputs;

/* Before anything is written. Links and roundabout paths are followed, also of files that are not
 * there yet. What is in the folder is checked by folder_check. */
toile_result outputs_check(const outputs *o);

#endif
