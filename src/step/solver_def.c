/* What fits together in the definition of a solver. */
#include <string.h>

#include "base/error.h"
#include "step/world.h"

#define KIND(kind)  (1u << TOILE_SOLVER_##kind)
#define FIELD(name) #name, offsetof(toile_solver_def, name), sizeof(((toile_solver_def *)0)->name)

/* The fields that only some solvers have. */
static const struct {
    const char *name;
    size_t offset, size;
    unsigned kinds;
} owned[] = {
    {FIELD(integrator), KIND(MASS_SPRING) | KIND(REFINE)},
    {FIELD(stiffness), KIND(MASS_SPRING) | KIND(REFINE)},
    {FIELD(limit_iterations), KIND(MASS_SPRING) | KIND(REFINE)},
    {FIELD(level_count), KIND(MULTILEVEL)},
    {FIELD(cycles), KIND(MULTILEVEL)},
    {FIELD(constraint_stiffness), KIND(MULTILEVEL)},
    {FIELD(strain_limit), KIND(MULTILEVEL) | KIND(IMPLICIT)},
    {FIELD(bounded), KIND(IMPLICIT)},
    {FIELD(order), KIND(IMPLICIT)},
    {FIELD(quality), KIND(IMPLICIT)},
    {FIELD(iterations), KIND(IMPLICIT)},
    {FIELD(tolerance), KIND(IMPLICIT)},
};
enum { OWNED = sizeof owned / sizeof owned[0] };

static const char *name_kinds(unsigned kinds) {
    switch (kinds) {
    case KIND(MASS_SPRING):
        return "mass-spring";
    case KIND(MULTILEVEL):
        return "multilevel";
    case KIND(IMPLICIT):
        return "implicit";
    case KIND(REFINE):
        return "refine";
    case KIND(MASS_SPRING) | KIND(REFINE):
        return "mass-spring or the refine";
    default:
        return "multilevel or the implicit";
    }
}

/* A field of another solver would do nothing. One that has its default was not set. */
static toile_result check_kind(const toile_solver_def *s) {
    const toile_solver_def usual = toile_default_world_def().solver;
    for (int i = 0; i < OWNED; i++) {
        const char *is = (const char *)s + owned[i].offset;
        const char *was = (const char *)&usual + owned[i].offset;
        if (!(owned[i].kinds & (1u << s->kind)) && memcmp(is, was, owned[i].size) != 0) {
            return error_set(TOILE_ERROR_INVALID,
                             "solver.%s is set: it is a field of the %s solver, and the %s solver "
                             "was chosen; expected that kind, or the field as "
                             "toile_default_world_def() has it",
                             owned[i].name, name_kinds(owned[i].kinds), name_kinds(1u << s->kind));
        }
    }
    return TOILE_OK;
}

toile_result solver_def_check(const toile_world_def *def) {
    const toile_solver_def *s = &def->solver;
    toile_result result = check_kind(s);
    if (result != TOILE_OK) {
        return result;
    }
    if (s->kind == TOILE_SOLVER_REFINE) {
        result = refine_check_options(&s->refine);
        if (result == TOILE_OK && def->collision != TOILE_COLLISION_AUTO &&
            def->collision != TOILE_COLLISION_CCD) {
            result = error_set(TOILE_ERROR_INVALID,
                               "the refine solver keeps its coarse cloth out of bodies by \"ccd\" "
                               "and peels them for the others: expected collision \"auto\" or "
                               "\"ccd\"");
        }
        if (result != TOILE_OK) {
            return result;
        }
    }
    for (int k = 0; s->levels && k < s->level_count; k++) {
        const toile_level_def *l = &s->levels[k];
        if ((unsigned)l->relaxation > TOILE_RELAXATION_JACOBI || l->iterations < 1 ||
            l->iterations > 10000) {
            return error_set(TOILE_ERROR_INVALID,
                             "solver.levels[%d]: expected a toile_relaxation and 1 to 10000 "
                             "iterations, found %d and %d",
                             k, (int)l->relaxation, l->iterations);
        }
    }
    if (s->kind == TOILE_SOLVER_MASS_SPRING && def->collision == TOILE_COLLISION_COARSE) {
        return error_set(
            TOILE_ERROR_INVALID,
            "collision of the coarse mesh needs the multilevel or the implicit solver: expected "
            "\"auto\", \"shapes\", \"maps\" or \"ccd\" for mass-spring");
    }
    if (def->collision == TOILE_COLLISION_CCD && s->order == 2) {
        return error_set(
            TOILE_ERROR_INVALID,
            "solver.order is 2: expected 1 with collision \"ccd\", because the ways of "
            "second order do not begin where texels are");
    }
    if (s->bounded &&
        (!s->self_collision || s->order != 1 || def->collision == TOILE_COLLISION_CCD)) {
        return error_set(TOILE_ERROR_INVALID,
                         "solver.bounded is set: expected self_collision with it, order 1, and "
                         "another collision than \"ccd\"");
    }
    if ((unsigned)def->start > TOILE_START_UNTANGLE ||
        (def->start == TOILE_START_UNTANGLE && !s->bounded)) {
        return error_set(TOILE_ERROR_INVALID,
                         "start is %d: expected TOILE_START_APART, or TOILE_START_UNTANGLE with "
                         "solver.bounded, which keeps what was untangled apart",
                         (int)def->start);
    }
    if (def->map_cameras != 2 && def->map_cameras != 6) {
        return error_set(TOILE_ERROR_INVALID,
                         "map_cameras is %d: expected 2, at the front and the back, or 6, at all "
                         "sides of a body",
                         def->map_cameras);
    }
    return TOILE_OK;
}
