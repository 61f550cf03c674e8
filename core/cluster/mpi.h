/* mpi.h -- the tasks of a sweep (shards.h) handed out to the ranks of an MPI job. Rank 0 hands them out and runs none, the
 * others run one after the other; the task of a rank that is lost goes to another one, which goes on from what was saved.
 * A rank that was only slow and is heard again is given tasks again.
 *
 * MPI is spoken by another program, stillpoint-mpi, which stands beside this one where it was built: this one is not
 * linked with it, and may fork. */
#ifndef SP_CLUSTER_MPI_H
#define SP_CLUSTER_MPI_H

#include "core/base/status.h"
#include "core/cluster/shards.h"

#include <sys/types.h>

typedef struct sp_mpi {
    const char *path; /* of the messenger; the caller's */
    int socket;       /* to it; -1: none */
    pid_t messenger;
    size_t rank, ranks;
} sp_mpi;

/* `messenger`: its path, which has to outlive this. SP_EABSENT: there is none, it ended before it said who it is, or it was
 * not started by mpirun with two ranks or more. */
sp_status sp_mpi_start(sp_mpi *, const char *messenger, sp_error *);

/* Of rank 0: hands out the tasks that are wanted, of `of` (wanted[k], k from 1). *left: how many were not done: their ranks
 * failed, or were lost, three times; SP_EINTERRUPTED when no rank is left, SP_EIO when the messenger is gone. say (may be
 * NULL): lines about what happens. */
sp_status sp_mpi_hand_out(sp_mpi *, const bool *wanted, size_t of, void (*say)(const char *line), size_t *left, sp_error *);

/* Of the others: runs tasks until there are none. work: SP_OK when the task is done; SP_EINTERRUPTED ends this rank, whose
 * error it is then. Whatever else is said by `work` itself, and the next task comes. */
sp_status sp_mpi_serve(sp_mpi *, sp_status (*work)(void *context, sp_shard, sp_error *), void *context, sp_error *);

/* Waits until the messenger has taken leave of the others; nothing depends on how it ends. */
void sp_mpi_end(sp_mpi *);

#endif
