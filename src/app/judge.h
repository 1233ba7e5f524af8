/* The verdict over the cloths of a world. */
#ifndef TOILE_APP_JUDGE_H
#define TOILE_APP_JUDGE_H

#include "app/course.h"
#include "io/report.h"
#include "io/scene.h"

/* A world of a scene, at the end of a run or where a run left it. */
typedef struct judged {
    const scene *scene;
    const toile_world *world;
    const scene_ids *ids;
    const course *courses; /* noted at its start */
    history *history;      /* of its frames */
} judged;

/* Judges each cloth by its own fabric and spacing, in every frame that was measured, by strain only
 * if knows_strain, and by where it got to. failure: why the run stopped, which is the first reason
 * then, or NULL. */
toile_result judge_world(report *r, const judged *j, bool knows_strain, const char *failure);

#endif
