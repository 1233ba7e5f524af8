/* From fabric to springs.
 *
 * Stretch. A structure spring stands for a strip one spacing wide, so Y newtons a metre of width
 * make a spring of constant Y, whatever the spacing. The diagonal springs, constant G, take part
 * when a strip is pulled: with strains e1, e2 the energy per area is (k1 e1^2 + k2 e2^2 + G (e1 +
 * e2)^2) / 2. Minimised over the free side strain e2, pulling along u feels k1 + G k2 / (G + k2).
 * So k1 and k2 are chosen to make that the fabric's stretch.
 *
 * Shear. Shearing by an angle g lengthens one diagonal of a cell by sqrt(2) h g/2 and shortens the
 * other as much: G g^2 h^2 / 2 a cell for springs of constant G.
 *
 * Bend. B/2 |second difference / h^2|^2 h^2 a texel is a quadratic form with constant B / h^2; see
 * kernel/bend.h.
 *
 * Stability. The largest eigenvalue of stiffness over mass is, by the symbol of the stencils, 4 k
 * per thread direction, 4 G for the diagonals and 64 B / h^2. Threads and diagonals of a crumpled
 * cloth may all point the same way, so their sum is used: lambda = (4 (k1 + k2) + 8 G + 64 B/h^2) /
 * m. Weights of border springs and masses of border texels shrink together, so the border is no
 * stiffer than the inside (test_stability measures both). With retardation time T a mode lambda is
 * stable under all three integrators, whose damping force lags half a step, while
 * lambda (dt^2 + 2 T dt) <= 4. */
#include "cook/springs.h"

#include <math.h>

/* Share of the stability limit that is used: large strains stiffen the grid a little. */
static const double SAFETY = 0.9;

/* Retardation time of stretch in substeps. The fabric's own would cost more substeps than it shows.
 */
static const double STRETCH_RETARDATION = 0.5;

/* Share of the limit that retardation of bending beyond that of stretch may take. */
static const double BEND_DAMPING_SHARE = 0.3;

typedef struct eigenvalues {
    double stretch, shear, bend; /* 1/s^2 */
} eigenvalues;

/* Structure constants that make a strip pulled along u or v as stiff as the fabric: both equations
 * at once, by steps of half the way, which settle for all fabrics that have a solution. A shear
 * stiffer than the threads cannot be undone by them; they keep a twentieth then, and the fabric is
 * stiffer than it says. */
static void structure_constants(const toile_fabric *f, double k[2]) {
    double g = (double)f->shear;
    k[0] = (double)f->stretch[0];
    k[1] = (double)f->stretch[1];
    for (int pass = 0; pass < 200; pass++) {
        double wanted[2];
        for (int a = 0; a < 2; a++) {
            double y = (double)f->stretch[a], other = k[1 - a];
            wanted[a] = fmax(y - g * other / (g + other), 0.05 * y);
        }
        k[0] = 0.5 * (k[0] + wanted[0]);
        k[1] = 0.5 * (k[1] + wanted[1]);
    }
}

static springs true_springs(const toile_fabric *f, double spacing) {
    springs s = {.shear = (double)f->shear,
                 .bend = (double)f->bend / (spacing * spacing),
                 .stretch_scale = 1.0,
                 .shear_scale = 1.0,
                 .bend_scale = 1.0};
    structure_constants(f, s.stretch);
    return s;
}

static eigenvalues largest(const springs *s, const toile_fabric *f, double spacing) {
    double mass = (double)f->density * spacing * spacing;
    return (eigenvalues){.stretch = 4.0 * (s->stretch[0] + s->stretch[1]) / mass,
                         .shear = 8.0 * s->shear / mass,
                         .bend = 64.0 * s->bend / mass};
}

/* With retardation STRETCH_RETARDATION * dt, dt^2 + 2 T dt is this many dt^2. */
static double substep_cost(void) {
    return 1.0 + 2.0 * STRETCH_RETARDATION;
}

static double longest_substep(eigenvalues e) {
    return sqrt(4.0 * SAFETY / (substep_cost() * (e.stretch + e.shear + e.bend)));
}

double springs_true_substep(const toile_fabric *fabric, double spacing) {
    springs s = true_springs(fabric, spacing);
    return longest_substep(largest(&s, fabric, spacing));
}

/* Bending keeps at most half of what is stable, shear half of the rest; stretch, which the
 * elongation limit stands in for, gets what is left. */
static void soften_to(springs *s, eigenvalues e, double substep) {
    double budget = 4.0 * SAFETY / (substep_cost() * substep * substep);
    s->bend_scale = e.bend > 0.0 ? fmin(1.0, 0.5 * budget / e.bend) : 1.0;
    budget -= e.bend * s->bend_scale;
    s->shear_scale = e.shear > 0.0 ? fmin(1.0, 0.5 * budget / e.shear) : 1.0;
    budget -= e.shear * s->shear_scale;
    s->stretch_scale = fmin(1.0, budget / e.stretch);
    s->bend *= s->bend_scale;
    s->shear *= s->shear_scale;
    s->stretch[0] *= s->stretch_scale;
    s->stretch[1] *= s->stretch_scale;
}

static void choose_retardation(springs *s, const toile_fabric *f, eigenvalues e, double substep) {
    double own = (double)f->damping;
    s->stretch_retardation = fmin(own, STRETCH_RETARDATION * substep);
    double room = e.bend > 0.0 ? BEND_DAMPING_SHARE * 4.0 / (2.0 * substep * e.bend) : own;
    s->bend_retardation = fmin(own, fmax(room, STRETCH_RETARDATION * substep));
}

springs springs_create(const toile_fabric *fabric, double spacing, double substep, bool soften) {
    springs s = true_springs(fabric, spacing);
    eigenvalues e = largest(&s, fabric, spacing);
    s.true_substep = longest_substep(e);
    if (soften && substep > s.true_substep) {
        soften_to(&s, e, substep);
        e = largest(&s, fabric, spacing);
    }
    s.stable_substep = longest_substep(e);
    choose_retardation(&s, fabric, e, substep);
    return s;
}
