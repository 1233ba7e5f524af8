/* What earlier runs wrote to a folder, in earlier/1, earlier/2 ... of it. It is moved there before
 * a run begins and removed when one is complete: new results stand before old ones go. */
#ifndef TOILE_APP_EARLIER_H
#define TOILE_APP_EARLIER_H

#include "app/written.h"

#define EARLIER "earlier"

/* Moves all files that are ours, with their list, and begins a new one. Those that stay are copied,
 * and are on both lists. When something cannot be moved, nothing is. */
toile_result earlier_move(written *w, written_stays *stays, void *user);

/* Refuses a folder where what is ours could not be moved or replaced. */
toile_result earlier_check(written *w);
/* The same for one folder in it, which may be missing. */
toile_result earlier_check_folder(const char *folder, const char *name, bool writable);

/* Removes all that is still as runs wrote it. */
toile_result earlier_remove(const char *folder);

/* Whether there is something, for a message. */
bool earlier_is_there(const char *folder);

/* Removes what writers that were killed left of files on the list. */
toile_result earlier_remove_temporaries(written *w);

#endif
