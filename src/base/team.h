/* Threads that wait for work.
 *
 * The thread that calls is member 0 of every run; the others are made when a run first needs them.
 * A team that cannot have as many as it wants goes on with fewer. Members take no signals, and
 * compute with the default floating-point settings. One thread at a time may use a team, and no
 * work may run the team that it is part of. */
#ifndef TOILE_BASE_TEAM_H
#define TOILE_BASE_TEAM_H

typedef struct team team;
typedef void team_work(void *argument, int member, int members);

/* Processors that the process may use. */
int team_processors(void);

/* Of at most `wanted` members, 0: one for each processor. NULL, with an error message, only for
 * lack of memory. */
team *team_create(int wanted);
void team_destroy(team *t); /* NULL is fine */

/* The most members that a run can have: as wanted, or as many as could be made. */
int team_size(const team *t);

/* Makes members until there are so many, and returns how many a run of `members` will have. */
int team_gather(team *t, int members);

/* Calls work once for each of at most `members` members, all at the same time, and returns when all
 * are done. What is written before a run, or in it, can be read in it, or after it. */
void team_run(team *t, int members, team_work *work, void *argument);

#endif
