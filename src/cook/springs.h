/* Spring constants from fabric, spacing and substep, and the longest substep they allow. */
#ifndef TOILE_COOK_SPRINGS_H
#define TOILE_COOK_SPRINGS_H

#include "toile/toile.h"

/* Constants of a full-width spring; its weight multiplies them. */
typedef struct springs {
    double stretch[2];                             /* N/m, structure springs along u and v */
    double shear;                                  /* N/m, diagonal springs */
    double bend;                                   /* N/m, B / spacing^2: on second differences */
    double stretch_retardation;                    /* s, of structure and shear springs */
    double bend_retardation;                       /* s */
    double stretch_scale, shear_scale, bend_scale; /* used / true */
    double stable_substep;                         /* s, at the constants used */
    double true_substep;                           /* s, at the fabric's own */
} springs;

/* The longest stable substep of a fabric as it is. */
double springs_true_substep(const toile_fabric *fabric, double spacing);

/* Constants for a substep. With soften, stiffness is reduced to what is stable; else it is kept. */
springs springs_create(const toile_fabric *fabric, double spacing, double substep, bool soften);

#endif
