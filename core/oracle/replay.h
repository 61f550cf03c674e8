/* replay.h -- the audits' side of the tape: make one, run a method over it, read what it kept and what it found.
 *
 *   sp_tape_record    keeps every access. May be used for one run after the other: it forgets the last one.
 *   sp_tape_replay    the same method and streams on a neighbour of the recorded records. The first difference is a
 *                     finding: another primitive, argument, batch, size or declared parameter, a raw value that moved
 *                     beyond its sensitivity, more or fewer calls, another status.
 *   sp_tape_follow    the same on any other records: the raw value may move as it likes. What would the value have
 *                     been, had the releases been the same? */
#ifndef SP_ORACLE_REPLAY_H
#define SP_ORACLE_REPLAY_H

#include "core/oracle/oracle_host.h"
#include "core/oracle/transcript.h"

typedef struct sp_tape sp_tape;

/* NULL when out of memory. A recorded tape outlives those that play it. */
sp_tape *sp_tape_new(void);
void sp_tape_free(sp_tape *);

/* What the tape does in the next run; what it held is gone. */
void sp_tape_record(sp_tape *);
void sp_tape_replay(sp_tape *, const sp_tape *recorded);
void sp_tape_follow(sp_tape *, const sp_tape *recorded);
/* The run has ended like this: kept, or compared with what was kept. */
void sp_tape_end(sp_tape *, sp_status);

/* Of the last run: its accesses, with the answers that the algorithm got. */
size_t sp_tape_count(const sp_tape *);
const sp_event *sp_tape_at(const sp_tape *, size_t);
/* NULL, or what was found: "call 3, gradient: argument 0 differs at coordinate 1". */
const char *sp_tape_finding(const sp_tape *);
/* The largest move of a raw value, as a part of its sensitivity. */
double sp_tape_move(const sp_tape *);

#endif
