/* replay.h -- the audits' side of the transcript (transcript.h): make one, run a method over it, read what it recorded
 * and what it found.
 *
 *   sp_transcript_record   records every access to the data. A transcript may be used for several runs in a row; it
 *                          keeps the last one.
 *   sp_transcript_replay   runs the same method with the same streams on a neighbour of the recorded data. The first
 *                          difference is a finding: another primitive, argument, batch, size or declared parameter, a
 *                          raw value that moved by more than its sensitivity, more or fewer calls, another status.
 *   sp_transcript_follow   the same on any other data, where raw values may move by any amount: it gives the raw values
 *                          that these data would have had under the recorded releases. */
#ifndef SP_ORACLE_REPLAY_H
#define SP_ORACLE_REPLAY_H

#include "core/oracle/oracle_host.h"
#include "core/oracle/transcript.h"

typedef struct sp_transcript sp_transcript;

/* NULL when out of memory. A recorded transcript outlives those that play it. */
sp_transcript *sp_transcript_new(void);
void sp_transcript_free(sp_transcript *);

/* What the transcript does in the next run; what it held is gone. */
void sp_transcript_record(sp_transcript *);
void sp_transcript_replay(sp_transcript *, const sp_transcript *recorded);
void sp_transcript_follow(sp_transcript *, const sp_transcript *recorded);
/* The run has ended like this: kept, or compared with what was kept. */
void sp_transcript_end(sp_transcript *, sp_status);

/* Of the last run: its accesses, with the answers that the algorithm got. */
size_t sp_transcript_count(const sp_transcript *);
const sp_event *sp_transcript_at(const sp_transcript *, size_t);
/* NULL, or what was found: "call 3, gradient: argument 0 differs at coordinate 1". */
const char *sp_transcript_finding(const sp_transcript *);
/* The largest move of a raw value, as a part of its sensitivity. */
double sp_transcript_move(const sp_transcript *);

#endif
