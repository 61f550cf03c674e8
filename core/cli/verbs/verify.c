/*
 * verify.c -- `verify`: some of the runs that tables hold, made again and compared field by field.
 *
 * Which ones, a seed says: those whose hash of seed and name is smallest. So a sample is the same on every machine, and
 * that of a larger N holds that of a smaller.
 */
#include "core/cli/verbs/again.h"
#include "core/cli/verbs/session.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/store/bring.h"
#include "core/store/table_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sp_common common;
    uint64_t sample, seed;
} arguments;

static const sp_option options[] = {
    { "sample", 'n', SP_OPTION_COUNT, offsetof(arguments, sample), "N", "How many runs (default: 5)", 1, 1e9 },
    { "seed", '\0', SP_OPTION_COUNT, offsetof(arguments, seed), "S", "Of the choice (default: 1)", 0, 9e15 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua [FOLDER]",
    .about = "Makes some of the runs again that the tables in FOLDER hold (default: those of the experiment), and "
             "compares every field of runs.tsv, to the last digit: can this program make what is committed?",
    .notes = "Runs of points whose parameters a grid has chosen are left out, unless the store here knows the grid's "
             "winners. Nothing is stored. Exit code 0 when all chosen runs are the same, 1 when one is not.",
    .option = options, .common = true, .fewest = 1, .most = 2, .missing = "needs an experiment",
    .excess = "one experiment and one folder at a time",
};

/* --- which runs ------------------------------------------------------------------------------------------------ */

typedef struct chosen {
    char rank[SP_HASH_HEX];
    size_t place; /* in the tables */
} chosen;

static int by_rank(const void *a, const void *b)
{
    return strcmp(((const chosen *)a)->rank, ((const chosen *)b)->rank);
}

/* All runs of the tables, in the order in which they are chosen. NULL: out of memory. */
static chosen *choose(const sp_table_runs *tables, uint64_t seed)
{
    chosen *all = sp_alloc(tables->places + 1, sizeof *all);
    for (size_t i = 0; all && i < tables->places; i++) {
        const sp_cell *cell;
        size_t replicate;
        char identity[SP_HASH_HEX], text[SP_HASH_HEX + 32];
        sp_table_runs_at(tables, i, &cell, &replicate);
        sp_run_identity(cell, replicate, identity);
        snprintf(text, sizeof text, "%" PRIu64 " %s", seed, identity);
        sp_hash hash;
        sp_hash_start(&hash);
        sp_hash_text(&hash, text);
        sp_hash_end_hex(&hash, all[i].rank);
        all[i].place = i;
    }
    if (all && tables->places > 0)
        qsort(all, tables->places, sizeof *all, by_rank);
    return all;
}

/* --- a run ----------------------------------------------------------------------------------------------------- */

typedef struct verifying {
    sp_data_pool *pool;
    bool quiet;
    size_t differ;
} verifying;

/* F* and P* stand in the tables of a run that another sweep asks for with more measures: those are not compared that
 * this cell does not need. */
static sp_status drop_unneeded(const sp_table_run *stored, sp_result *known, sp_error *error)
{
    sp_reference *const reference[SP_REFERENCES] = { &known->reference, &known->population };
    for (sp_reference_of of = SP_OF_TRAINING; of < SP_REFERENCES; of++) {
        char *key;
        if (sp_reference_key(stored->cell, of, stored->replicate, &key) != SP_OK)
            return sp_fail(error, SP_ENOMEM, "out of memory");
        if (!key)
            *reference[of] = (sp_reference){ .value = NAN };
        free(key);
    }
    return SP_OK;
}

static sp_status verify_run(void *context, const sp_table_run *stored, sp_error *error)
{
    sp_status status = SP_OK;
    verifying *v = context;
    sp_result result = { 0 }, known = stored->result;
    sp_text theirs = { 0 }, ours = { 0 };
    char name[SP_RUN_NAME];
    SP_TRY(sp_run_again(v->pool, stored->cell, stored->replicate, NULL, &result, error));
    SP_TRY(drop_unneeded(stored, &known, error));
    SP_TRY(sp_result_difference(stored->cell, &known, &result, &theirs, &ours, error));
    sp_run_name(stored->cell, stored->replicate, name);
    if (theirs.length > 0) {
        v->differ++;
        const int length = (int)strcspn(theirs.data, "\t");
        printf("DIFFERS  run %s (%s/%s, replicate %zu): %.*s = %s in %s, %s here\n", name, stored->cell->sweep,
               stored->cell->label, stored->replicate, length, theirs.data, theirs.data + length + 1, stored->from,
               ours.data + strcspn(ours.data, "\t") + 1);
    } else if (!v->quiet) {
        printf("same     run %s (%s/%s, replicate %zu)\n", name, stored->cell->sweep, stored->cell->label,
               stored->replicate);
    }
    fflush(stdout);
cleanup:
    sp_text_free(&theirs);
    sp_text_free(&ours);
    sp_result_free(&result);
    return status;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    sp_table_runs tables = { 0 };
    chosen *order = NULL;
    verifying v = { 0 };
    char **word;
    size_t words;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS, .sample = 5, .seed = 1 };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    SP_TRY(sp_session_open(word[0], &a.common, NULL, false, &session, &error));
    SP_TRY(sp_session_store_if_any(&session, &error)); /* knows the winners of grids */
    SP_TRY(sp_table_runs_open(&session.plan, words > 1 ? word[1] : session.tables, "verify", &tables, &error));
    if (tables.places == 0)
        SP_TRY(sp_fail(&error, SP_EABSENT, "%s: none of its %zu rows can be made again: the experiment does not ask "
                       "for such runs, its data are not here (`stillpoint plan`), or a grid has to be searched first that "
                       "chooses their parameters", tables.folder, tables.runs.rows));
    code = SP_EXIT_FAILED;
    v.quiet = a.common.quiet;
    if (!(order = choose(&tables, a.seed)))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "out of memory"));
    SP_TRY(sp_data_pool_new(&v.pool));
    const size_t count = a.sample < tables.places ? (size_t)a.sample : tables.places;
    for (size_t i = 0; i < count; i++)
        SP_TRY(sp_table_runs_read(&tables, order[i].place, verify_run, &v, &error));
    printf("%s: %zu of %zu runs are the same in every field; chosen from %zu%s\n", tables.folder, count - v.differ,
           count, tables.places, tables.foreign > 0 ? ", without those whose parameters a grid has chosen, whose data "
                                                      "are not here or that the experiment does not ask for" : "");
    code = v.differ > 0 ? SP_EXIT_FAILED : SP_EXIT_OK;
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    free(order);
    sp_table_runs_free(&tables);
    sp_data_pool_free(v.pool);
    sp_session_close(&session);
    return code;
}

const sp_verb sp_verb_verify = { "verify", "makes some committed runs again: the same?", &usage, run };
