/* shard.h -- one part of a sweep, as a task of a cluster runs it.
 *
 * Its store lies in a folder of its own below $TMPDIR (/tmp), on a disk of the node: results/ may be a network file
 * system, which SQLite is never asked to lock or to write there. What is there is copied to
 * results/EXPERIMENT/shards/017-of-200.part.sqlite from time to time and when the task is interrupted, and to
 * 017-of-200.sqlite once nothing is left to do: beside the target, synced, renamed. Whichever task is started as 17 of
 * 200, on any node, goes on from the file that is there; on the node where one was killed, in the folder that it has left
 * (leftover.h), too. */
#ifndef SP_CLUSTER_SHARD_H
#define SP_CLUSTER_SHARD_H

#include "core/session/session.h"
#include "core/cluster/merge.h"
#include "core/cluster/shards.h"
#include "core/sweep/workers.h"

#include <signal.h>

/* The folder of the shards below that of the results: a new string. */
char *sp_shards_folder(const char *results);

/* Runs what the shard lacks; the summary is of its runs. SP_EINTERRUPTED after what was there is saved. */
sp_status sp_run_shard(const char *experiment, const sp_common *, bool fetch, sp_shard, const sp_run_options *, int argc,
                       char *const *argv, sp_run_summary *, sp_error *);

/* Blocks the signals that end a process, until workers are running, which stop then, or until all is saved. */
void sp_shard_hold_signals(sigset_t *held, sigset_t *before);

/* Is it a file, or a folder without tables that has the stores of tasks, or one that a task has left? */
bool sp_holds_shards(const char *path);
typedef struct sp_merged_files {
    size_t files;
    sp_merged runs;
} sp_merged_files;

/* Imports what tasks have made into the session's store, and exports: these files and folders (as above), or, where none are
 * named, every file of the folder of the shards. SP_EABSENT: there is none. What is damaged in a file is printed on the standard
 * error, and sets s->lost. `quiet`: that runs of tables are imported first is not printed. */
sp_status sp_merge_shards(sp_session *, char *const *path, size_t paths, bool quiet, sp_merged_files *, sp_error *);

#endif
