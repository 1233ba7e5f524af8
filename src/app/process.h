/* What the process inherits and must put right before it opens files or is signalled. */
#ifndef TOILE_APP_PROCESS_H
#define TOILE_APP_PROCESS_H

#include "toile/toile.h"

/* Call first of all. A reader that goes away and a file that grows too large become errors of
 * writing instead of the end of the process. */
void process_prepare(void);

/* Refuses what needs more files open at once than the process may have. what: "'scene.json' has 9
 * cloths". */
toile_result process_check_files(int files, const char *what);

#endif
