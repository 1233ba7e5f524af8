/* The mannequin: a human figure of given measurements, as a character with motions. */
#ifndef TOILE_FIGURE_MANNEQUIN_H
#define TOILE_FIGURE_MANNEQUIN_H

#include "model/character.h"
#include "toile/toile.h"

typedef enum mannequin_pose { MANNEQUIN_A, MANNEQUIN_T } mannequin_pose;

/* m. A girth of 0 is chosen for the height. */
typedef struct mannequin_def {
    double height;            /* 1.4 to 2.1 */
    double chest, waist, hip; /* girths, by figure/measure.h; the mannequin has them to 5 mm */
    mannequin_pose pose;      /* at rest: arms 40 degrees from the sides, or stretched out */
} mannequin_def;

mannequin_def mannequin_default(void);

/* A closed surface of 10 000 to 30 000 triangles, the joints of figure/figure.h and all motions of
 * figure/motions.h. Same definition, same bits, on every machine. Free with character_free. */
toile_result mannequin_create(const mannequin_def *def, character *out);

#endif
