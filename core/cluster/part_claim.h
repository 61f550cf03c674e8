/* part_claim.h -- a file that one process creates in a shared folder, so that no other process does the same work.
 *
 * The file is created with O_CREAT and O_EXCL, holds "HOST PROCESS TIME", and its time of change is renewed while it
 * is held. A claim is abandoned when its process is gone (on the same host), or when it was not renewed for ten
 * minutes. Then the next process takes it over. Two processes that take over the same claim at the same moment may
 * both get it, so that the work has to be harmless when it is done twice. Times are those of the file system: the
 * clocks of the hosts may differ.
 *
 * STILLPOINT_CLAIM_SECONDS, for tests alone, replaces the ten minutes. */
#ifndef SP_CLUSTER_PART_CLAIM_H
#define SP_CLUSTER_PART_CLAIM_H

#include "core/base/status.h"

#include <pthread.h>
#include <stdbool.h>

enum { SP_CLAIM_TEXT = 320 };

typedef struct sp_part_claim {
    char *path;               /* NULL: nothing is held */
    char text[SP_CLAIM_TEXT]; /* what the file holds */
    char from[SP_CLAIM_TEXT]; /* "HOST PROCESS TIME" of the process from which it was taken over; "": from none */
    pthread_t renewer;        /* touches the file */
    bool renews;
} sp_part_claim; /* starts as { 0 } */

/* Seconds after which a claim that is not renewed is abandoned. */
double sp_part_claim_limit(void);
/* SP_OK: it is held, until sp_part_claim_release. SP_EABSENT without a message: another process holds it. SP_EIO,
 * SP_ENOMEM. */
sp_status sp_part_claim_take(sp_part_claim *, const char *path, sp_error *);
/* Removes the file, unless another process has taken it over. */
void sp_part_claim_release(sp_part_claim *);

#endif
