/* submit.c -- the tasks of a sweep that are not done, as an array job of Slurm. */
#include "core/cli/verbs/verbs.h"
#include "core/cluster/slurm.h"
#include "core/cluster/tasks.h"

#include <stdio.h>

typedef struct {
    sp_common common;
    uint64_t tasks;
    bool dry;
    const char *time, *memory, *partition, *processors;
} arguments;

static const sp_option options[] = {
    { "tasks", '\0', SP_OPTION_COUNT, offsetof(arguments, tasks), "N",
      "How many parts the sweep has (default: as many as there are files of)", 1, SP_SHARDS_MAX },
    { "dry-run", '\0', SP_OPTION_SET, offsetof(arguments, dry), NULL, "Print the script and the commands; submit nothing",
      0, 0 },
    { "time", '\0', SP_OPTION_TEXT, offsetof(arguments, time), "LIMIT", "Handed on to sbatch", 0, 0 },
    { "mem", '\0', SP_OPTION_TEXT, offsetof(arguments, memory), "SIZE", "Handed on to sbatch", 0, 0 },
    { "partition", '\0', SP_OPTION_TEXT, offsetof(arguments, partition), "NAME", "Handed on to sbatch", 0, 0 },
    { "cpus-per-task", '\0', SP_OPTION_TEXT, offsetof(arguments, processors), "N",
      "Handed on to sbatch; as many workers a task", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua --tasks N [-- SBATCH_OPTIONS...]",
    .about = "Submits the tasks of a sweep that are not done as an array job of Slurm: those whose runs are neither in the "
             "store nor in a finished file of results/EXPERIMENT/shards/. Said again, it submits what is missing then.",
    .notes = "Arrays that are larger than the site allows (MaxArraySize) become several. A task that is preempted, cancelled "
             "or a minute before its time limit saves what it has. Slurm puts it into the queue again after a preemption, "
             "its script does at the time limit, up to 20 times; what is lost otherwise, this command. A task that is in "
             "the queue, or runs, is not submitted once more. What is to be handed on to sbatch besides stands behind --.",
    .option = options, .common = true, .fewest = 1, .most = 64, .missing = "which experiment?",
    .excess = "too many words for sbatch",
};

static void say(const char *text)
{
    puts(text);
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    char **word;
    size_t words, of = 0;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    SP_TRY(sp_session_open(word[0], &a.common, NULL, false, &session, &error));
    SP_TRY(sp_session_store_if_any(&session, &error));
    of = (size_t)a.tasks;
    if (of == 0)
        SP_TRY(sp_tasks_there(&session, &of, &error));
    if (of == 0)
        SP_TRY(sp_fail(&error, SP_EINVAL, "into how many tasks? Say --tasks N"));
    code = SP_EXIT_FAILED;
    SP_TRY(sp_slurm_submit(&session,
                           &(sp_submission){ &a.common, a.dry, a.time, a.memory, a.partition, a.processors, word + 1, words - 1, say },
                           of, &error));
    code = SP_EXIT_OK;
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_submit = { "submit", "the tasks of a sweep that are not done, as an array job of Slurm", &usage, run };
