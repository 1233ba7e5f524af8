/* Fabrics: the presets behind toile_fabric_named() and what a fabric must be to be used. */
#ifndef TOILE_MODEL_FABRIC_H
#define TOILE_MODEL_FABRIC_H

#include "toile/toile.h"

/* Refuses a fabric with a value outside the range that toile.h gives, or that is not a number, with
 * a sentence that names the field, the value and the range. */
toile_result fabric_check(const toile_fabric *fabric);

#endif
