#include "app/judge.h"

#include <math.h>

/* Why nothing keeps cloth off itself; NULL where something does. */
static const char *unhindered(const toile_solver_def *solver) {
    return solver->self_collision ? NULL
           : solver->kind == TOILE_SOLVER_MASS_SPRING
               ? "the mass-spring solver has no self-collision"
               : "self-collision is off";
}

toile_result judge_world(report *r, const judged *j, bool knows_strain, const char *failure) {
    const scene *s = j->scene;
    r->scene = s;
    r->bodies = j->ids->bodies;
    r->history = j->history;
    r->has_strain = s->cloth_count > 0 && knows_strain;
    r->has_penetration = s->cloth_count > 0 && s->body_count > 0;
    r->strain_limit = r->depth_limit = INFINITY;
    r->self_collision = s->world.solver.self_collision;
    r->unhindered = unhindered(&s->world.solver);
    toile_result result = history_measure_energy(j->history, j->world, r->frames);
    if (result == TOILE_OK) {
        r->metrics = j->history->total.last;
        r->crossings = j->history->total.crossings;
        r->caught = j->history->total.caught;
        report_judge(r);
    }
    if (result == TOILE_OK && failure) {
        report_add_reason(r, "%s", failure);
    }
    for (int c = 0; c < s->cloth_count && result == TOILE_OK; c++) {
        toile_cloth_info info = toile_cloth_get_info(j->world, j->ids->cloths[c]);
        report_judge_cloth(r, &info, &j->history->cloths[c]);
        result = course_judge(&j->courses[c], r, s, c, j->world, j->ids->cloths[c],
                              &j->history->cloths[c].last, toile_world_time(j->world));
    }
    return result;
}
