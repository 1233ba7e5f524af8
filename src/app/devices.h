/* The devices that the command line and scenes know by name. */
#ifndef TOILE_APP_DEVICES_H
#define TOILE_APP_DEVICES_H

#include "toile/toile.h"

/* Is there such a device here? TOILE_ERROR_INVALID for a word that is none, and
 * TOILE_ERROR_UNAVAILABLE with the devices that there are. */
toile_result device_check(const char *name);

/* What a device that can be used says about itself; valid until the next call. */
const char *device_description(const char *name);

#endif
