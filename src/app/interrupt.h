/* Ending cleanly on Ctrl-C. */
#ifndef TOILE_APP_INTERRUPT_H
#define TOILE_APP_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM only ask for the end. The second one of a kind ends the process as
 * if nobody watched. */
void interrupt_watch(void);
bool interrupt_asked(void);

#endif
