/* Ending cleanly on Ctrl-C. */
#ifndef TOILE_APP_INTERRUPT_H
#define TOILE_APP_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP only ask for the end, however often they come: a second
 * one must not leave half of what the first made us write. Those that the process was started to
 * ignore, as by nohup, stay ignored. */
void interrupt_watch(void);
bool interrupt_asked(void);

#endif
