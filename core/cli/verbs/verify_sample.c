/* verify_sample.c -- see verify_sample.h. */
#include "core/cli/verbs/verify_sample.h"

#include "core/session/folders.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/export/table_grids.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sources --------------------------------------------------------------------------------------------------- */

static sp_status intern(sp_stale_sample *s, const sp_key_source *of, size_t *out, sp_error *error)
{
    for (*out = 0; *out < s->sources; ++*out) {
        const sp_key_source *known = &s->source[*out].of;
        if (strcmp(known->then, of->then) == 0 && strcmp(known->now, of->now) == 0 &&
            strcmp(known->kind, of->kind) == 0 && strcmp(known->name, of->name) == 0)
            return SP_OK;
    }
    sp_stale_source *grown = realloc(s->source, (s->sources + 1) * sizeof *grown);
    if (!grown)
        return sp_fail(error, SP_ENOMEM, "verify: out of memory");
    s->source = grown;
    s->source[s->sources++] = (sp_stale_source){ .of = *of, .stale = of->then[0] && !sp_same_source(&s->stamps, of->then, of->now) };
    return SP_OK;
}

/* Of the runs of a cell whose key is in that row. */
static sp_status list_of(sp_stale_sample *s, sp_stale_tables *e, const sp_cell *cell, size_t key, const sp_source_list **out,
                         sp_error *error)
{
    sp_status status = SP_OK;
    const char *text[SP_KEY_TEXTS];
    sp_key_source sources[SP_KEY_SOURCES];
    sp_source_list *list = e->list[cell->index];
    while (list && list->key != key)
        list = list->next;
    if (list) {
        *out = list;
        return SP_OK;
    }
    if (!(list = sp_alloc(1, sizeof *list)))
        return sp_fail(error, SP_ENOMEM, "verify: out of memory");
    const bool known = key < e->keys.table.rows;
    if (known)
        sp_table_keys_take(&e->keys, key, text);
    *list = (sp_source_list){ .next = e->list[cell->index], .key = key, .stale = !known };
    e->list[cell->index] = list;
    list->count = sp_key_sources(cell, known ? text : NULL, sources);
    for (size_t i = 0; i < list->count; i++) {
        SP_TRY(intern(s, &sources[i], &list->source[i], error));
        list->stale = list->stale || s->source[list->source[i]].stale;
    }
    *out = list;
cleanup:
    return status;
}

/* --- candidates ------------------------------------------------------------------------------------------------ */

static sp_status add_candidate(sp_stale_sample *s, const sp_stale_run *c, sp_error *error)
{
    if (s->candidates == s->room) {
        const size_t room = s->room > 0 ? 2 * s->room : 1024;
        sp_stale_run *grown = realloc(s->candidate, room * sizeof *grown);
        if (!grown)
            return sp_fail(error, SP_ENOMEM, "verify: out of memory");
        s->candidate = grown;
        s->room = room;
    }
    s->candidate[s->candidates++] = *c;
    return SP_OK;
}

static uint64_t rank_of(uint64_t seed, const sp_cell *cell, size_t replicate)
{
    char identity[SP_HASH_HEX], text[SP_HASH_HEX + 32];
    unsigned char digest[SP_HASH_SIZE];
    uint64_t rank;
    sp_hash hash;
    sp_run_identity(cell, replicate, identity);
    snprintf(text, sizeof text, "%" PRIu64 " %s", seed, identity);
    sp_hash_start(&hash);
    sp_hash_text(&hash, text);
    sp_hash_end(&hash, digest);
    memcpy(&rank, digest, sizeof rank);
    return rank;
}

static double number_in(const sp_table *t, size_t row, const char *name)
{
    const size_t column = sp_table_column(t, name);
    const double value = column < t->columns ? sp_table_number(t, row, column) : 0.0;
    return isfinite(value) ? value : 0.0;
}

/* Record-level products of length d, of the run and, roughly, of finding F*. */
static double cost_of(const sp_table *t, size_t row, const sp_cell *cell)
{
    const sp_problem_spec *spec = cell->problem;
    const double d = (double)spec->domain.d;
    const double calls = number_in(t, row, "gradients") + 2.0 * number_in(t, row, "differences") +
                         number_in(t, row, "losses") + d * number_in(t, row, "hessians");
    return d * (calls + 100.0 * (double)spec->n);
}

/* A run that the machine ended, by a limit or a signal, need not end so again. */
static bool can_be_rerun(const sp_table *t, size_t row)
{
    static const sp_status machine[] = { SP_ELIMIT, SP_ECRASH, SP_EREFERENCE, SP_EINTERRUPTED, SP_ENOMEM, SP_EIO };
    const char *status = sp_table_text(t, row, sp_table_column(t, "status"));
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        if (strcmp(status, sp_status_name(machine[i])) == 0)
            return false;
    return true;
}

static sp_status find_candidates(sp_stale_sample *s, sp_stale_tables *e, sp_error *error)
{
    sp_status status = SP_OK;
    const size_t cell_column = sp_table_column(&e->tables.runs, "cell");
    for (size_t i = 0; i < e->tables.places; i++) {
        const size_t *row;
        size_t replicate;
        sp_stale_run c = { .of = e, .place = i };
        const sp_cell *cell;
        sp_table_runs_rows(&e->tables, i, &row);
        sp_table_runs_at(&e->tables, i, &cell, &replicate);
        const char *number = sp_table_text(&e->tables.runs, *row, cell_column);
        SP_TRY(list_of(s, e, cell, sp_table_keys_find(&e->keys, number, replicate), &c.sources, error));
        if (!c.sources->stale || !can_be_rerun(&e->tables.runs, *row))
            continue;
        c.rank = rank_of(s->asked->seed, cell, replicate);
        c.cost = cost_of(&e->tables.runs, *row, cell);
        SP_TRY(add_candidate(s, &c, error));
    }
cleanup:
    return status;
}

/* --- opening --------------------------------------------------------------------------------------------------- */

/* SP_EABSENT where no run of it can be made here. */
static sp_status open_experiment(sp_stale_sample *s, sp_stale_tables *e, sp_error *error)
{
    sp_status status = SP_OK;
    SP_TRY(sp_experiment_path(s->asked->common, e->name, &e->script, error));
    SP_TRY(sp_session_open(e->script, s->asked->common, NULL, false, &e->session, error));
    SP_TRY(sp_session_store_if_any(&e->session, error)); /* it knows the winners of grids, */
    SP_TRY(sp_table_grids_choose(&e->session.plan, e->session.tables, error)); /* and so do tables */
    SP_TRY(sp_table_runs_open(&e->session.plan, e->session.tables, "verify", SP_RUNNABLE_RUNS, &e->tables, error));
    e->unknown = e->keys.table.rows == 0;
    if (e->tables.places == 0 && e->tables.runs.rows > 0)
        SP_TRY(sp_fail(error, SP_EABSENT, "%s: none of its %zu rows can be rerun here (`stillpoint verify %s` says why)",
                       e->session.tables, e->tables.runs.rows, e->name));
    if (!(e->list = sp_alloc(e->session.plan.cells + 1, sizeof *e->list)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "verify: out of memory"));
    SP_TRY(find_candidates(s, e, error));
cleanup:
    return status;
}

sp_status sp_sample_open(sp_stale_sample *s, sp_error *error)
{
    sp_status status = SP_OK;
    char **name = NULL;
    size_t count = 0;
    SP_TRY(sp_folders_with(s->asked->common, "runs.tsv", &name, &count, error));
    if (!(s->experiment = sp_alloc(count + 1, sizeof *s->experiment)))
        SP_TRY(sp_fail(error, SP_ENOMEM, "verify: out of memory"));
    for (size_t i = 0; i < count; i++) {
        sp_stale_tables *e = &s->experiment[s->experiments++];
        sp_error why = { 0 };
        char *folder = sp_format("%s/results/%s", s->asked->common->root, name[i]);
        status = folder ? sp_table_keys_open(folder, &e->keys, &why) : SP_ENOMEM;
        free(folder);
        e->name = name[i];
        name[i] = NULL;
        e->name[strcspn(e->name, ".")] = '\0'; /* without the scale */
        const size_t before = s->candidates;
        if (status == SP_OK)
            status = open_experiment(s, e, &why);
        if (status == SP_ENOMEM)
            SP_TRY(sp_fail(error, SP_ENOMEM, "verify: out of memory"));
        if (status != SP_OK) {
            printf("not checked: %s\n", why.text);
            s->unchecked++;
            s->candidates = before;
            sp_table_runs_free(&e->tables);
        }
        status = SP_OK;
    }
cleanup:
    for (size_t i = 0; i < count && name; i++)
        free(name[i]);
    free(name);
    return status;
}

/* --- the sample ------------------------------------------------------------------------------------------------ */

static int by_rank(const void *a, const void *b)
{
    const sp_stale_run *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_cost(const void *a, const void *b)
{
    const sp_stale_run *x = a, *y = b;
    const int order = (x->cost < y->cost) - (x->cost > y->cost); /* the longest first, so that no worker waits for it */
    return order ? order : by_rank(a, b);
}

static bool has_source(const sp_source_list *list, size_t number)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->source[i] == number)
            return true;
    return false;
}

static bool is_covered(const sp_stale_sample *s, const sp_stale_tables *e, size_t number)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->chosen[i].of == e && has_source(s->chosen[i].sources, number))
            return true;
    return false;
}

/* The cheapest run of an experiment that has a source and is not chosen; NULL: none has it. */
static const sp_stale_run *cheapest_with(const sp_stale_sample *s, const sp_stale_tables *e, size_t number)
{
    const sp_stale_run *best = NULL;
    for (size_t i = s->drawn; i < s->candidates; i++) {
        const sp_stale_run *c = &s->candidate[i];
        if (c->of == e && (!best || c->cost < best->cost) && has_source(c->sources, number))
            best = c;
    }
    return best;
}

sp_status sp_sample_choose(sp_stale_sample *s, sp_error *error)
{
    const uint64_t least = s->asked->sample > SP_STAMP_SAMPLE ? s->asked->sample : SP_STAMP_SAMPLE;
    s->chosen = sp_alloc(s->candidates + 1, sizeof *s->chosen);
    if (!s->chosen)
        return sp_fail(error, SP_ENOMEM, "verify: out of memory");
    if (s->candidates > 0)
        qsort(s->candidate, s->candidates, sizeof *s->candidate, by_rank);
    s->drawn = s->count = least < s->candidates ? (size_t)least : s->candidates;
    memcpy(s->chosen, s->candidate, s->count * sizeof *s->chosen);
    for (size_t e = 0; e < s->experiments; e++)
        for (size_t i = 0; i < s->sources; i++) {
            if (is_covered(s, &s->experiment[e], i))
                continue;
            const sp_stale_run *c = cheapest_with(s, &s->experiment[e], i);
            if (c)
                s->chosen[s->count++] = *c;
        }
    if (s->count > 0)
        qsort(s->chosen, s->count, sizeof *s->chosen, by_cost);
    return SP_OK;
}

void sp_sample_free(sp_stale_sample *s)
{
    for (size_t i = 0; i < s->experiments; i++) {
        sp_stale_tables *e = &s->experiment[i];
        for (size_t c = 0; e->list && c < e->session.plan.cells; c++)
            while (e->list[c]) {
                sp_source_list *next = e->list[c]->next;
                free(e->list[c]);
                e->list[c] = next;
            }
        free(e->list);
        sp_table_runs_free(&e->tables);
        sp_table_keys_free(&e->keys);
        sp_session_close(&e->session);
        free(e->script);
        free(e->name);
    }
    free(s->experiment);
    free(s->source);
    free(s->candidate);
    free(s->chosen);
    sp_stamps_free(&s->stamps);
}
