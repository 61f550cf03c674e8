/* task_load.c -- see task_load.h. */
#include "core/cluster/task_load.h"

#include "core/base/memory.h"
#include "core/cluster/shards.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct loads {
    const sp_balance *balance;
    const double *cell_seconds; /* by cell: what a stored run of it took; NAN: none is stored */
    double *runs, *seconds;     /* by task, from 0 */
    bool guessed;               /* a cell has no stored run */
} loads;

static void add(void *context, const sp_piece_of_plan *piece)
{
    loads *l = context;
    const double known = l->cell_seconds[piece->cell->index];
    const double guess = 1e-6 * (double)sp_balance_weight(l->balance, piece->cell);
    l->runs[piece->task - 1] += (double)piece->runs;
    l->seconds[piece->task - 1] += (double)piece->runs * (isnan(known) ? guess : known);
    l->guessed = l->guessed || isnan(known);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One stored run of each cell; the largest memory of them. */
static double read_seconds(const sp_session *s, double *seconds)
{
    double memory = 0.0;
    for (size_t i = 0; i < s->plan.cells; i++) {
        const sp_cell *cell = &s->plan.cell[i];
        sp_result result = { 0 };
        seconds[i] = NAN;
        if (s->store && !cell->skip && !cell->pending && sp_store_get(s->store, cell, cell->first, &result, NULL) == SP_OK) {
            seconds[i] = result.elapsed;
            memory = fmax(memory, (double)result.peak_memory);
        }
        sp_result_free(&result);
    }
    return memory;
}

/* Bytes a run in the store that there is; NAN without one. */
static double disk_a_run(const sp_session *s)
{
    struct stat about;
    char *path = sp_format("%s/" SP_STORE_FILE, s->results);
    const size_t runs = s->store ? sp_store_runs(s->store) : 0;
    const bool there = path && runs > 0 && stat(path, &about) == 0;
    free(path);
    return there ? (double)about.st_size / (double)runs : (double)NAN;
}

/* Sorts the values of the tasks. */
static sp_spread spread_of(double *value, size_t of)
{
    qsort(value, of, sizeof *value, by_size);
    return (sp_spread){ value[0], value[of / 2], value[of - 1] };
}

sp_status sp_task_load_find(const sp_session *s, size_t of, const sp_balance *balance, sp_task_load *out,
                            sp_error *error)
{
    enum { PROGRAM = 16000000, CELL = 200 }; /* bytes: docs/reference/sweep_costs.md */
    sp_status status = SP_OK;
    double *seconds = sp_alloc_doubles(s->plan.cells + 1);
    loads l = { balance, seconds, sp_alloc_doubles(of), sp_alloc_doubles(of), false };
    if (!seconds || !l.runs || !l.seconds)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", s->plan.path));
    *out = (sp_task_load){ .worker_memory = read_seconds(s, seconds), .disk = disk_a_run(s) };
    for (size_t k = 0; k < of; k++)
        l.runs[k] = l.seconds[k] = 0.0;
    SP_TRY(sp_shards_walk(&s->plan, of, balance, add, &l, error));
    out->runs = spread_of(l.runs, of);
    out->seconds = spread_of(l.seconds, of);
    out->timed = balance->timings > 0;
    out->guessed = l.guessed;
    out->plan_memory = PROGRAM + (double)(s->plan.cells + s->plan.trials) * CELL;
    out->disk *= out->runs.most;
cleanup:
    free(seconds);
    free(l.runs);
    free(l.seconds);
    return status;
}
