/* The texels of a panel from its render mesh. */
#ifndef TOILE_APP_RECOVER_H
#define TOILE_APP_RECOVER_H

#include "cook/panel.h"

/* Texels, 3 floats each, whose render mesh has these vertices: as near as there are. */
toile_result recover_texels(const panel *p, const float *vertices, float *texels);

#endif
