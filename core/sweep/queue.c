/* queue.c -- what an invocation has to do; see queue.h. */
#include "core/sweep/queue.h"

#include "core/base/memory.h"
#include "core/run/records.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

/* --- cells that are the same run --------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b, void *context)
{
    const sp_plan *plan = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const sp_cell *one = &plan->cell[x], *two = &plan->cell[y];
    if (!one->skip != !two->skip)
        return one->skip ? 1 : -1;
    if (one->seed != two->seed)
        return one->seed < two->seed ? -1 : 1;
    const int order = sp_cell_compare(one, two);
    return order ? order : (x > y) - (x < y);
}

static bool same_run(const sp_cell *a, const sp_cell *b)
{
    return !a->skip && !b->skip && a->seed == b->seed && sp_cell_compare(a, b) == 0;
}

static sp_status add_measures(sp_cell *to, const sp_cell *from, sp_error *error)
{
    for (size_t i = 0; i < from->measures; i++) {
        size_t k = 0;
        while (k < to->measures && to->measure[k] != from->measure[i])
            k++;
        if (from->shown & 1u << i)
            to->shown |= (uint16_t)(1u << k);
        if (k < to->measures)
            continue;
        if (k == SP_MEASURES_MAX)
            return sp_fail(error, SP_EINVAL, "measures: the sweeps %s and %s share a run and ask for more than %d",
                           to->sweep, from->sweep, SP_MEASURES_MAX);
        to->measure[to->measures++] = from->measure[i];
    }
    to->checkpoints = from->checkpoints > to->checkpoints ? from->checkpoints : to->checkpoints;
    to->replicates = from->replicates > to->replicates ? from->replicates : to->replicates;
    to->keep_iterate = to->keep_iterate || from->keep_iterate;
    return SP_OK;
}

/* A cell that stands for several. */
typedef struct joined {
    sp_cell cell; /* the first member: who has its address has that of the whole */
    const sp_measure *measure[SP_MEASURES_MAX];
} joined;

/* `own` is the leader's cell in the plan. */
static sp_status join(const sp_cell **leader, const sp_cell *own, const sp_cell *member, sp_error *error)
{
    joined *copy = *leader == own ? sp_alloc(1, sizeof *copy) : (joined *)*leader;
    if (!copy)
        return sp_fail(error, SP_ENOMEM, "queue: out of memory");
    if (*leader == own) {
        copy->cell = *own;
        copy->cell.measure = copy->measure;
        memcpy(copy->measure, own->measure, own->measures * sizeof *own->measure);
    }
    *leader = &copy->cell;
    return add_measures(&copy->cell, member, error);
}

/* Every cell of the plan gets the first one that is the same run as its leader. */
static sp_status merge_cells(const sp_plan *plan, sp_queue *queue, sp_error *error)
{
    sp_status status = SP_OK;
    size_t *order = sp_alloc(plan->cells + 1, sizeof *order);
    queue->cell = sp_alloc(plan->cells + 1, sizeof *queue->cell);
    queue->leader = sp_alloc(plan->cells + 1, sizeof *queue->leader);
    queue->member = sp_alloc(plan->cells + 1, sizeof *queue->member);
    if (!order || !queue->cell || !queue->leader || !queue->member) {
        status = sp_fail(error, SP_ENOMEM, "queue: out of memory");
        goto cleanup;
    }
    for (size_t i = 0; i < plan->cells; i++) {
        queue->cell[i] = &plan->cell[i];
        order[i] = queue->leader[i] = i;
        queue->member[i] = plan->cells;
    }
    qsort_r(order, plan->cells, sizeof *order, by_text, (void *)plan);
    for (size_t i = 1; i < plan->cells; i++) {
        const size_t before = order[i - 1], leader = queue->leader[before];
        if (!same_run(&plan->cell[leader], &plan->cell[order[i]]))
            continue;
        queue->leader[order[i]] = leader;
        queue->member[before] = order[i];
        SP_TRY(join(&queue->cell[leader], &plan->cell[leader], &plan->cell[order[i]], error));
    }

cleanup:
    free(order);
    return status;
}

/* --- runs -------------------------------------------------------------------------------------------------- */

/* Of those selected */
static size_t shares_of(const sp_plan *plan, const sp_queue *queue, size_t leader, size_t replicate)
{
    size_t shares = 0;
    for (size_t i = leader; i < plan->cells; i = queue->member[i])
        shares += !plan->cell[i].left_out && replicate < plan->cell[i].first + plan->cell[i].replicates;
    return shares;
}

/* Its reference value could not be computed: the run has not been tried yet. */
static sp_status lacks_reference(sp_store *store, const sp_cell *cell, size_t replicate, bool *lacks, sp_error *error)
{
    sp_result result;
    const sp_status status = sp_store_get(store, cell, replicate, &result, error);
    if (status != SP_OK)
        return status;
    *lacks = result.status == SP_EREFERENCE;
    sp_result_free(&result);
    return SP_OK;
}

/* One more run for the reason, whose text is taken over. */
static sp_status add_reason(sp_queue *queue, sp_text *why, bool measure, size_t runs)
{
    for (size_t i = 0; i < queue->reasons && why->data; i++)
        if (queue->reason[i].measure == measure && strcmp(queue->reason[i].text, why->data) == 0) {
            queue->reason[i].runs += runs;
            sp_text_free(why);
            return SP_OK;
        }
    sp_reason *grown = realloc(queue->reason, (queue->reasons + 1) * sizeof *grown);
    if (grown)
        queue->reason = grown;
    if (!grown || why->failed || !why->data) {
        sp_text_free(why);
        return SP_ENOMEM;
    }
    grown[queue->reasons++] = (sp_reason){ why->data, measure, runs };
    return SP_OK;
}

/* A new job of the measures that the run lacks. */
static sp_status measure_job(sp_store *store, sp_job *job, sp_error *error)
{
    bool lacks[SP_MEASURES_MAX];
    sp_to_measure *m = sp_alloc(1, sizeof *m);
    if (!m)
        return sp_fail(error, SP_ENOMEM, "queue: out of memory");
    job->measure = m;
    m->part = *job->cell;
    m->part.measure = m->list;
    m->part.measures = 0;
    sp_store_lacks(store, job->cell, job->replicate, lacks);
    for (size_t i = 0; i < job->cell->measures; i++)
        if (lacks[i])
            m->part.measure[m->part.measures++] = job->cell->measure[i];
    return sp_store_get_iterate(store, job->cell, job->replicate, &m->iterate, &m->dimension, error);
}

const sp_cell *sp_job_cell(const sp_job *job)
{
    return job->measure ? &job->measure->part : job->cell;
}

/* Adds the job of a run that is missing, stale or to be measured. */
static sp_status add_job(sp_queue *queue, sp_store *store, const sp_job *job, sp_run_state state,
                         const sp_run_options *options, sp_run_summary *summary, sp_error *error)
{
    sp_status status = SP_OK;
    const bool measure = state == SP_RUN_UNMEASURED && !options->again;
    sp_text why = { 0 };
    sp_job *added = &queue->job[queue->jobs++];
    *added = *job;
    summary->stale += state == SP_RUN_STALE || state == SP_RUN_UNMEASURED ? job->shares : 0;
    summary->remaining += job->shares;
    if (measure)
        SP_TRY(measure_job(store, added, error));
    if ((state != SP_RUN_STALE && state != SP_RUN_UNMEASURED) || options->quiet || options->again)
        return SP_OK;
    SP_TRY(sp_store_state(store, job->cell, job->replicate, &state, &why, error));
    if (add_reason(queue, &why, measure, job->shares) != SP_OK)
        SP_TRY(sp_fail(error, SP_ENOMEM, "queue: out of memory"));
cleanup:
    return status;
}

static sp_status list_runs(const sp_plan *plan, sp_store *store, const sp_run_options *options, sp_queue *queue,
                           sp_run_summary *summary, sp_error *error)
{
    sp_status status = SP_OK;
    queue->job = sp_alloc(plan->runs + 1, sizeof *queue->job);
    if (!queue->job)
        return sp_fail(error, SP_ENOMEM, "queue: out of memory");
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_cell *cell = queue->cell[i];
        summary->skipped += cell->skip && !cell->left_out;
        if (cell->skip || queue->leader[i] != i)
            continue;
        for (size_t r = cell->first; r < cell->first + cell->replicates; r++) {
            sp_run_state state;
            bool again = options->retry_failed;
            const size_t shares = shares_of(plan, queue, i, r);
            summary->planned += shares;
            if (cell->pending || shares == 0) {
                summary->remaining += shares;
                continue;
            }
            SP_TRY(sp_store_state(store, cell, r, &state, NULL, error));
            if (state == SP_RUN_FAILED && !again)
                SP_TRY(lacks_reference(store, cell, r, &again, error));
            if (state == SP_RUN_DONE && !options->again) {
                summary->present += shares;
            } else if (state == SP_RUN_FAILED && !again && !options->again) {
                summary->failed += shares;
            } else {
                SP_TRY(add_job(queue, store, &(sp_job){ .cell = cell, .replicate = r, .shares = shares }, state,
                               options, summary, error));
            }
        }
    }
cleanup:
    return status;
}

/* The records that the runs meet, then the plan. */
static int by_records(const void *a, const void *b, void *context)
{
    const sp_job *job = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const sp_cell *one = job[x].cell, *two = job[y].cell;
    const size_t own = sp_records_replicate(one, job[x].replicate);
    const size_t other = sp_records_replicate(two, job[y].replicate);
    if (own != other)
        return own < other ? -1 : 1;
    if (one->seed != two->seed)
        return one->seed < two->seed ? -1 : 1;
    const int order = sp_cell_compare_records(one, two);
    return order ? order : (x > y) - (x < y);
}

static bool same_records(const sp_job *a, const sp_job *b)
{
    return a->cell->seed == b->cell->seed && sp_cell_compare_records(a->cell, b->cell) == 0 &&
           sp_records_replicate(a->cell, a->replicate) == sp_records_replicate(b->cell, b->replicate);
}

typedef struct place {
    size_t first, own; /* in the plan: the first of those that meet the same records, and the run itself */
} place;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first) : (x->own > y->own) - (x->own < y->own);
}

/* Runs that meet the same records follow one another, from where the plan has the first: who made them keeps them. */
static sp_status join_runs(sp_queue *queue, sp_error *error)
{
    sp_status status = SP_OK;
    size_t *order = sp_alloc(queue->jobs + 1, sizeof *order);
    place *to = sp_alloc(queue->jobs + 1, sizeof *to);
    sp_job *job = sp_alloc(queue->jobs + 1, sizeof *job);
    if (!order || !to || !job) {
        status = sp_fail(error, SP_ENOMEM, "queue: out of memory");
        goto cleanup;
    }
    for (size_t i = 0; i < queue->jobs; i++)
        order[i] = i;
    qsort_r(order, queue->jobs, sizeof *order, by_records, queue->job);
    for (size_t i = 0; i < queue->jobs; i++) {
        const size_t own = order[i];
        const bool follows = i > 0 && same_records(&queue->job[order[i - 1]], &queue->job[own]);
        to[own] = (place){ follows ? to[order[i - 1]].first : own, own };
    }
    qsort(to, queue->jobs, sizeof *to, by_place);
    for (size_t i = 0; i < queue->jobs; i++)
        job[i] = queue->job[to[i].own];
    memcpy(queue->job, job, queue->jobs * sizeof *job);

cleanup:
    free(job);
    free(to);
    free(order);
    return status;
}

/* --- references -------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const sp_needed_reference *)a)->key, ((const sp_needed_reference *)b)->key);
}

/* One entry a distinct key; the jobs point to it. */
static sp_status list_references(sp_queue *queue, sp_store *store, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t most = SP_REFERENCES * queue->jobs;
    size_t needed = 0, kept = 0;
    char **key = sp_alloc(most + 1, sizeof *key);
    queue->reference = sp_alloc(most + 1, sizeof *queue->reference);
    if (!key || !queue->reference) {
        status = sp_fail(error, SP_ENOMEM, "queue: out of memory");
        goto cleanup;
    }
    for (size_t i = 0; i < most; i++) {
        const sp_job *job = &queue->job[i / SP_REFERENCES];
        const sp_reference_of of = (sp_reference_of)(i % SP_REFERENCES);
        if (sp_reference_key(sp_job_cell(job), of, job->replicate, &key[i]) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "queue: out of memory"));
        if (key[i])
            queue->reference[needed++] =
                (sp_needed_reference){ .key = key[i], .cell = sp_job_cell(job), .of = of, .replicate = job->replicate };
    }
    qsort(queue->reference, needed, sizeof *queue->reference, by_key);
    for (size_t i = 0; i < needed; i++)
        if (kept == 0 || strcmp(queue->reference[kept - 1].key, queue->reference[i].key) != 0)
            queue->reference[kept++] = queue->reference[i];
    queue->references = kept; /* with their keys, from here on */
    for (size_t i = 0; i < most; i++)
        if (key[i])
            queue->job[i / SP_REFERENCES].reference[i % SP_REFERENCES] =
                bsearch(&(sp_needed_reference){ .key = key[i] }, queue->reference, queue->references,
                        sizeof *queue->reference, by_key);
    for (size_t i = 0; i < queue->references; i++) {
        sp_needed_reference *r = &queue->reference[i];
        const sp_status found = sp_store_get_reference(store, r->key, &r->value, error);
        if (found != SP_OK && found != SP_EABSENT)
            SP_TRY(found);
        r->known = found == SP_OK;
    }

cleanup:
    for (size_t i = 0; key && i < most; i++) {
        const sp_needed_reference *kept_one = queue->job[i / SP_REFERENCES].reference[i % SP_REFERENCES];
        if (!kept_one || kept_one->key != key[i])
            free(key[i]);
    }
    free(key);
    return status;
}

/* --- all --------------------------------------------------------------------------------------------------- */

static sp_status shuffle(sp_queue *queue, uint64_t seed, sp_error *error)
{
    gsl_rng *stream = sp_stream_open(sp_stream_key_of(seed, "order of runs", 0, SP_STREAM_COINS));
    if (!stream)
        return sp_fail(error, SP_ENOMEM, "queue: out of memory");
    gsl_ran_shuffle(stream, queue->job, queue->jobs, sizeof *queue->job);
    gsl_rng_free(stream);
    return SP_OK;
}

sp_status sp_queue_make(const sp_plan *plan, sp_store *store, const sp_run_options *options, sp_queue *queue,
                        sp_run_summary *summary, sp_error *error)
{
    sp_status status = SP_OK;
    *queue = (sp_queue){ .plan = plan->cell, .cells = plan->cells };
    SP_TRY(merge_cells(plan, queue, error));
    SP_TRY(list_runs(plan, store, options, queue, summary, error));
    SP_TRY(join_runs(queue, error));
    SP_TRY(list_references(queue, store, error));
    if (options->shuffle != 0)
        SP_TRY(shuffle(queue, options->shuffle, error));

cleanup:
    if (status != SP_OK)
        sp_queue_free(queue);
    return status;
}

void sp_queue_free(sp_queue *queue)
{
    for (size_t i = 0; i < queue->references; i++) {
        free(queue->reference[i].key);
        free(queue->reference[i].failure);
        sp_reference_free(&queue->reference[i].value);
    }
    free(queue->reference);
    for (size_t i = 0; i < queue->jobs; i++)
        if (queue->job[i].measure) {
            free(queue->job[i].measure->iterate);
            free(queue->job[i].measure);
        }
    for (size_t i = 0; i < queue->reasons; i++)
        free(queue->reason[i].text);
    free(queue->reason);
    free(queue->job);
    free(queue->member);
    free(queue->leader);
    for (size_t i = 0; queue->cell && i < queue->cells; i++)
        if (queue->cell[i] != &queue->plan[i])
            free((sp_cell *)queue->cell[i]);
    free(queue->cell);
    *queue = (sp_queue){ 0 };
}
