/* replay.h -- the audits' side of the transcript: make one, run a method over it, read what it kept and what it found.
 *
 *   sp_transcript_record   keeps every access. May be used for one run after the other: it forgets the last one.
 *   sp_transcript_replay   the same method and streams on a neighbour of the recorded records. The first difference is
 *                          a finding: another primitive, argument, batch, size or declared parameter, a raw value that
 *                          moved beyond its sensitivity, more or fewer calls, another status.
 *   sp_transcript_follow   the same on any other records: the raw value may move as it likes. What would the value
 *                          have been, had the releases been the same? */
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
