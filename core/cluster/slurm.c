/* slurm.c -- see slurm.h. */
#include "core/cluster/slurm.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/cluster/shard.h"
#include "core/cluster/tasks.h"
#include "core/session/home.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the first line of a command's output that begins with `key` says after its "="; NULL: nothing. */
static char *ask(const char *command, const char *key)
{
    char line[256], *found = NULL;
    FILE *out = popen(command, "r");
    while (out && fgets(line, sizeof line, out)) {
        const char *equals = strchr(line, '=');
        if (found || !equals || strncmp(line, key, strlen(key)) != 0)
            continue;
        equals += 1 + strspn(equals + 1, " ");
        found = sp_format("%.*s", (int)strcspn(equals, " \n"), equals);
    }
    if (out)
        pclose(out);
    return found;
}

/* Indices of an array are below it. 1001 where Slurm does not say, which is its default. */
static size_t largest_array(void)
{
    char *text = ask("scontrol show config 2>/dev/null", "MaxArraySize");
    const size_t size = text ? strtoul(text, NULL, 10) : 0;
    free(text);
    return size > 1 ? size : 1001;
}

static bool is_there(const char *program)
{
    char *command = sp_format("command -v %s >/dev/null 2>&1", program);
    const bool there = command && system(command) == 0;
    free(command);
    return there;
}

/* What follows the command in the script. All signals come to the script alone, and go on to the task, which saves
 * what it has; after the one that Slurm sends a minute before the time limit, and no other, the job goes back into
 * the queue. */
#define SP_TASK_TAIL \
    " &\n" \
    "task=$!\n" \
    "late=\n" \
    "trap 'kill -TERM $task' TERM INT\n" \
    "trap 'late=1; kill -TERM $task' USR1\n" \
    "code=0\n" \
    "wait $task || code=$?\n" \
    "while kill -0 $task 2>/dev/null; do code=0; wait $task || code=$?; done\n" \
    "if [ -n \"$late\" ] && [ $code -eq 130 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt 20 ]; then\n" \
    "    scontrol requeue \"$SLURM_JOB_ID\"\n" \
    "fi\n" \
    "exit $code\n"

static void say(const sp_submission *a, const char *begin, const char *end)
{
    char *line = sp_format("%s%s", begin, end);
    if (line)
        a->say(line);
    free(line);
}

/* Absolute names: a job begins in the folder of the submission, which may be another one later. */
static sp_status write_script(const sp_session *s, const sp_submission *a, size_t of, sp_text *out, sp_error *error)
{
    sp_status status = SP_OK;
    char *program = NULL, *experiment = sp_absolute_path(s->plan.path), *root = sp_absolute_path(a->common->root);
    SP_TRY(sp_this_program(&program, error));
    if (experiment && root) {
        sp_text_append(out, "#!/bin/sh\n# Task $1 + SLURM_ARRAY_TASK_ID of %zu, by stillpoint submit. Saves what it has and goes "
                            "back into the queue\n# before its time limit (USR1), at most 20 times; saves and ends when "
                            "preempted or cancelled (TERM).\n"
                            "number=$(($1 + SLURM_ARRAY_TASK_ID))\n", of);
        sp_quote(out, program);
        sp_text_append(out, " run ");
        sp_quote(out, experiment);
        sp_text_append(out, " --root ");
        sp_quote(out, root);
        sp_text_append(out, " --scale ");
        sp_quote(out, s->plan.scale);
        sp_text_append(out, " --shard $number/%zu -j \"${SLURM_CPUS_PER_TASK:-1}\" --no-fetch --quiet" SP_TASK_TAIL, of);
    }
    if (!experiment || !root || out->failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->plan.path));
cleanup:
    free(program);
    free(experiment);
    free(root);
    return status;
}

static void hand_on(sp_text *out, const char *option, const char *value)
{
    if (!value)
        return;
    sp_text_append(out, " --%s=", option);
    sp_quote(out, value);
}

/* The tasks of `missing` within (offset, offset + size], counted from there: "3,17,90-95". */
static void cut_list(const char *missing, size_t offset, size_t size, sp_text *out)
{
    for (const char *at = missing; *at; at += *at == ',') {
        char *end;
        size_t first = strtoul(at, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        at = end;
        first = first > offset ? first - offset : 1;
        if (last <= offset || first > size)
            continue;
        last = last - offset < size ? last - offset : size;
        sp_text_append(out, last > first ? "%s%zu-%zu" : "%s%zu", out->length > 0 ? "," : "", first, last);
    }
}

/* The folder of the shards under its one name; one that is not there yet is found nowhere else. NULL: out of memory. */
static char *real_folder(const char *results)
{
    char *folder = sp_shards_folder(results), *real = folder ? realpath(folder, NULL) : NULL;
    if (folder && !real)
        real = sp_absolute_path(folder);
    free(folder);
    return real;
}

/* What Slurm keeps of an array for the next submission, before its offset: whose tasks it has. It takes 1024 bytes. */
static char *mark_of(const char *folder, size_t of)
{
    const size_t length = strlen(folder);
    return sp_format("stillpoint %s of %zu from ", length > 900 ? folder + length - 900 : folder, of);
}

/* Tasks that an earlier submission has in the queue do not lack any more. Slurm may have lost what marks them, or not
 * answer: then they are submitted again, and what both make is the same. */
static void leave_out_queued(const char *mark, size_t of, bool *lacks, bool *queued)
{
    char line[4096 + 256], command[80];
    snprintf(command, sizeof command, "squeue -h -r -u %lu -o '%%K %%k' 2>/dev/null", (unsigned long)getuid());
    FILE *out = popen(command, "r"); /* index in its array, comment */
    while (out && fgets(line, sizeof line, out)) {
        char *end;
        const size_t index = strtoul(line, &end, 10);
        if (end == line || *end != ' ' || strncmp(end + 1, mark, strlen(mark)) != 0)
            continue;
        const size_t task = strtoul(end + 1 + strlen(mark), NULL, 10) + index;
        if (task < 1 || task > of || !lacks[task])
            continue;
        lacks[task] = false;
        queued[task] = true;
    }
    if (out)
        pclose(out);
}

/* One array: the command line of sbatch. */
static void write_command(const sp_session *s, const sp_submission *a, const char *script,
                          const char *folder, size_t of, const char *list, size_t offset, sp_text *out)
{
    char *log = sp_format("%s/%%A_%%a.log", folder), *mark = mark_of(folder, of);
    sp_text_append(out, "sbatch --array=%s --requeue --open-mode=append --signal=B:USR1@60", list);
    sp_text_append(out, " --comment=");
    sp_quote(out, mark ? mark : "");
    sp_text_append(out, "%zu", offset); /* sh puts both together */
    hand_on(out, "job-name", s->plan.name);
    hand_on(out, "output", log ? log : "/dev/null");
    hand_on(out, "time", a->time);
    hand_on(out, "mem", a->memory);
    hand_on(out, "partition", a->partition);
    hand_on(out, "cpus-per-task", a->processors);
    for (size_t i = 0; i < a->words; i++) {
        sp_text_append(out, " ");
        sp_quote(out, a->word[i]);
    }
    sp_text_append(out, " ");
    sp_quote(out, script);
    sp_text_append(out, " %zu", offset);
    free(log);
    free(mark);
}

static sp_status submit(const char *command, sp_error *error)
{
    fflush(stdout);
    const int code = system(command);
    return code == 0 ? SP_OK
                     : sp_fail(error, SP_EIO, "sbatch did not take it (exit code %d): %s\n(what it has taken before stays in "
                               "the queue, and the same command submits the rest)",
                               WIFEXITED(code) ? WEXITSTATUS(code) : -1, command);
}

/* The tasks to be submitted as a list; those that are in the queue are told. */
static sp_status list_tasks(const sp_session *s, const sp_submission *a, const char *folder, size_t of, sp_text *out,
                            sp_error *error)
{
    sp_status status = SP_OK;
    sp_text waiting = { 0 };
    sp_balance balance = { 0 };
    char *mark = mark_of(folder, of);
    bool *lacks = sp_alloc(of + 2, sizeof *lacks), *queued = sp_alloc(of + 2, sizeof *queued);
    if (!mark || !lacks || !queued)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
    SP_TRY(sp_tasks_balance(s, a->common, !a->dry, &balance, error));
    SP_TRY(sp_tasks_lack(s, of, &balance, lacks, error));
    leave_out_queued(mark, of, lacks, queued);
    sp_tasks_list(lacks, of, out);
    sp_tasks_list(queued, of, &waiting);
    if (out->failed || waiting.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
    if (waiting.length > 0)
        say(a, "in the queue, and not submitted again: ", waiting.data);
    if (out->length == 0)
        say(a, "nothing to submit: every ", waiting.length > 0 ? "other task is done" : "task is done");
cleanup:
    sp_balance_free(&balance);
    sp_text_free(&waiting);
    free(mark);
    free(lacks);
    free(queued);
    return status;
}

/* One array after the other. */
static sp_status submit_list(const sp_session *s, const sp_submission *a, size_t of, const char *missing,
                             const char *script, const char *folder, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t size = largest_array() - 1;
    for (size_t offset = 0; offset < of && status == SP_OK; offset += size) {
        sp_text list = { 0 }, command = { 0 };
        cut_list(missing, offset, size, &list);
        if (list.length > 0)
            write_command(s, a, script, folder, of, list.data, offset, &command);
        if (list.failed || command.failed)
            status = sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results);
        else if (list.length > 0 && a->dry)
            a->say(command.data);
        else if (list.length > 0)
            status = submit(command.data, error);
        sp_text_free(&list);
        sp_text_free(&command);
    }
    return status;
}

sp_status sp_slurm_submit(const sp_session *s, const sp_submission *a, size_t of, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text missing = { 0 }, script = { 0 };
    char *folder = real_folder(s->results), *path = sp_format("%s/shards/task.sh", s->results);
    if (!folder || !path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
    SP_TRY(sp_session_own(s, error));
    if (!a->dry && !is_there("sbatch"))
        SP_TRY(sp_fail(error, SP_EABSENT, "there is no sbatch here, which Slurm has where it takes jobs. --dry-run prints "
                       "what would be submitted; without Slurm `run --shard K/N` computes one part, `mpirun ... run --shard auto` all"));
    SP_TRY(list_tasks(s, a, folder, of, &missing, error));
    SP_TRY(write_script(s, a, of, &script, error));
    if (a->dry)
        a->say(script.data);
    if (missing.length == 0)
        goto cleanup;
    if (!a->dry) {
        SP_TRY(sp_make_directory(folder, error));
        SP_TRY(sp_write_file(path, script.data, script.length, error));
        free(folder);
        if (!(folder = real_folder(s->results)))
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->results));
    }
    SP_TRY(submit_list(s, a, of, missing.data, path, folder, error));
cleanup:
    sp_text_free(&missing);
    sp_text_free(&script);
    free(folder);
    free(path);
    return status;
}
