#include "app/judge.h"

#include <math.h>

/* A single cloth has been measured with the whole. */
static toile_result judge_cloth(report *r, const judged *j, int index) {
    const toile_cloth_id cloth = j->ids->cloths[index];
    toile_metrics metrics = r->metrics;
    bool single = j->scene->cloth_count == 1;
    toile_result result = single ? TOILE_OK : toile_world_measure(j->world, cloth, &metrics);
    if (result == TOILE_OK) {
        toile_cloth_info info = toile_cloth_get_info(j->world, cloth);
        report_judge_cloth(r, &info, &metrics);
        result = course_judge(&j->courses[index], r, j->scene, index, j->world, cloth, &metrics,
                              toile_world_time(j->world));
    }
    return result;
}

toile_result judge_world(report *r, const judged *j, bool knows_strain, const char *failure) {
    const scene *s = j->scene;
    r->scene = s;
    r->has_strain = s->cloth_count > 0 && knows_strain;
    r->has_penetration = s->cloth_count > 0 && s->body_count > 0;
    r->strain_limit = r->depth_limit = INFINITY;
    r->self_collision = s->world.solver.self_collision;
    toile_result result = s->cloth_count > 0
                              ? toile_world_measure(j->world, (toile_cloth_id){0}, &r->metrics)
                              : TOILE_OK;
    if (result == TOILE_OK) {
        report_judge(r);
    }
    if (result == TOILE_OK && failure) {
        report_add_reason(r, "%s", failure);
    }
    for (int c = 0; c < s->cloth_count && result == TOILE_OK; c++) {
        result = judge_cloth(r, j, c);
    }
    return result;
}
