/*
 * fingerprint.c -- what answers a cell, and whether a stored run is current.
 *
 * Many runs share their answers, texts of a few hundred bytes: they have a table of their own, which is in memory too.
 */
#include "core/base/memory.h"
#include "core/plan/registry.h"
#include "core/plan/sources.h"
#include "core/run/platform.h"
#include "core/store/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- those of now ------------------------------------------------------------------------------------------ */

void sp_fingerprints_now(const sp_cell *cell, uint16_t untraced, sp_current *now)
{
    const sp_problem_spec *spec = cell->problem;
    const sp_method *method = cell->method;
    size_t length = 0, names = 0;
    sp_hash hash;
    memcpy(now->data, spec->fingerprint, sizeof now->data);
    sp_hash_start(&hash);
    sp_hash_method(&hash, method);
    sp_hash_end_hex(&hash, now->algorithm);
    now->measures[0] = now->untraced[0] = '\0';
    for (size_t i = 0; i < cell->measures; i++)
        length += (size_t)snprintf(now->measures + length, sizeof now->measures - length, "%.62s %s ",
                                   cell->measure[i]->name, sp_source_of("measures", cell->measure[i]->name));
    for (size_t i = 0; i < cell->measures; i++)
        if (untraced & 1u << i)
            names += (size_t)snprintf(now->untraced + names, sizeof now->untraced - names, "%.62s ",
                                      cell->measure[i]->name);
    now->text[DATA] = spec->data == SP_DATA_GENERATED ? sp_source_of("core/data/generators", spec->generator->name)
                                                     : now->data;
    now->text[ALGORITHM] = now->algorithm;
    now->text[LOSS] = sp_source_of("losses", spec->loss->name);
    now->text[REGULARISER] = spec->regulariser ? sp_source_of("losses/regularisers", spec->regulariser->name) : "";
    now->text[CORE] = sp_source_hash("core");
    now->text[PLATFORM] = sp_platform();
    now->text[MEASURE_SOURCES] = now->measures;
    now->text[UNTRACED] = now->untraced;
}

/* --- the list ---------------------------------------------------------------------------------------------- */

static void free_texts(sp_fingerprints *answers)
{
    for (size_t i = 0; i < ANSWER_TEXTS; i++)
        free(answers->text[i]);
}

void sp_fingerprints_free(sp_store *store)
{
    for (size_t i = 0; i < store->answered; i++)
        free_texts(&store->answers[i]);
    free(store->answers);
}

/* One more, copied. */
static sp_status keep(sp_store *store, uint64_t id, const char *const text[ANSWER_TEXTS], sp_error *error)
{
    sp_fingerprints added = { .id = id };
    bool complete = true;
    sp_fingerprints *grown = realloc(store->answers, (store->answered + 1) * sizeof *grown);
    if (grown)
        store->answers = grown;
    for (size_t i = 0; i < ANSWER_TEXTS; i++)
        complete = (added.text[i] = sp_copy_text(text[i])) && complete;
    if (!grown || !complete) {
        free_texts(&added);
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    }
    grown[store->answered++] = added;
    return SP_OK;
}

static const char damaged_sources[] = "a row of the table answers differs from its checksum";

sp_status sp_fingerprints_load(sp_store *store, sp_error *error)
{
    sp_row r = { 0 };
    sp_status status = sp_row_prepare(&store->database, ANSWERS, &r, error);
    while (status == SP_OK && (status = sp_row_next(&r, error)) == SP_OK) {
        const char *text[ANSWER_TEXTS];
        const uint64_t id = sp_take_count(&r);
        for (size_t i = 0; i < ANSWER_TEXTS; i++)
            text[i] = sp_take_text(&r);
        status = sp_take_checksum(&r) ? keep(store, id, text, error) : sp_store_note(store, "", damaged_sources, error);
        status = status == SP_EABSENT ? SP_OK : status;
    }
    sqlite3_reset(r.at);
    if (status == SP_EDATA)
        status = sp_store_note(store, "", damaged_sources, error);
    return status == SP_EABSENT ? SP_OK : status;
}

sp_status sp_fingerprints_keep(sp_store *store, const char *const text[ANSWER_TEXTS], size_t *position, sp_error *error)
{
    sp_row r;
    sp_status status = SP_OK;
    for (*position = 0; *position < store->answered; ++*position) {
        size_t same = 0;
        while (same < ANSWER_TEXTS && strcmp(store->answers[*position].text[same], text[same]) == 0)
            same++;
        if (same == ANSWER_TEXTS)
            return SP_OK;
    }
    const uint64_t id = store->answered > 0 ? store->answers[store->answered - 1].id + 1 : 1;
    SP_TRY(sp_row_prepare(&store->database, PUT_ANSWERS, &r, error));
    SP_TRY(keep(store, id, text, error));
    sp_put_count(&r, id);
    for (size_t i = 0; i < ANSWER_TEXTS; i++)
        sp_put_text(&r, text[i]);
    sp_put_checksum(&r);
    status = sp_row_run(&r, "storing what answers a run", error);
    if (status != SP_OK)
        free_texts(&store->answers[--store->answered]);
cleanup:
    return status;
}

sp_status sp_fingerprints_put(sp_store *store, const sp_cell *cell, uint16_t untraced, size_t *position,
                              sp_error *error)
{
    sp_current now;
    sp_fingerprints_now(cell, untraced, &now);
    return sp_fingerprints_keep(store, now.text, position, error);
}

/* "name hash name hash ": what follows the name, up to the next space; NULL when it is not there. */
static const char *source_in(const char *text, const char *name)
{
    const size_t length = strlen(name);
    while (*text) {
        const size_t word = strcspn(text, " "), hash = strcspn(text + word + 1, " ");
        if (word == length && strncmp(text, name, length) == 0)
            return text + word + 1;
        text += word + 1 + hash + 1;
    }
    return NULL;
}

/* Is it the measure's source of now, or one that gives equal values? Else *what says what has become of it. */
static bool same_measure(const sp_store *store, const char *stored, const char *name, const char **what)
{
    char hash[SP_HASH_HEX];
    const char *then = source_in(stored, name);
    *what = then ? "changed" : "is new";
    snprintf(hash, sizeof hash, "%.*s", then ? (int)strcspn(then, " ") : 0, then ? then : "");
    return then && sp_same_source(&store->stamps, hash, sp_source_of("measures", name));
}

/* --- those of rows that come from elsewhere -------------------------------------------------------------------- */

/* The hash of now that begins with those digits, or the digits themselves: then it is another. */
static const char *whole_hash(const char *digits, const char *now)
{
    return *digits && strlen(digits) >= SP_KEY_DIGITS && strncmp(digits, now, strlen(digits)) == 0 ? now : digits;
}

/* "name digits name digits" with whole hashes where they are those of now. */
static void whole_measures(const char *given, char out[SP_SOURCES_SIZE])
{
    size_t length = 0;
    out[0] = '\0';
    while (*given) {
        char name[64], digits[SP_HASH_HEX];
        int used = 0;
        if (sscanf(given, "%63s %64s%n", name, digits, &used) != 2)
            break;
        given += used;
        given += strspn(given, " ");
        length += (size_t)snprintf(out + length, SP_SOURCES_SIZE - length, "%.62s %s ", name,
                                   whole_hash(digits, sp_source_of("measures", name)));
        if (length >= SP_SOURCES_SIZE)
            break;
    }
}

/* What a row that is brought is said to be answered by. */
typedef struct brought {
    char measures[SP_SOURCES_SIZE];
    sp_current now;
    const char *text[ANSWER_TEXTS];
} brought;

static void find_brought(const sp_cell *cell, const char *const *key, uint16_t untraced, brought *out)
{
    static const sp_current nothing = { .text = { "", "", "", "", "", "", "", "" } };
    out->now = nothing;
    if (cell->problem) /* a cell of tables alone names no sources (table_cells.h) */
        sp_fingerprints_now(cell, untraced, &out->now);
    for (size_t i = 0; i < ANSWER_TEXTS; i++)
        out->text[i] = out->now.text[i];
    if (key == sp_key_trusted)
        return;
    for (size_t i = 0; i < CORE + 1; i++)
        out->text[i] = key ? whole_hash(key[i], out->now.text[i]) : sp_unknown_source;
    if (!key)
        return;
    out->text[PLATFORM] = key[PLATFORM];
    whole_measures(key[MEASURE_SOURCES], out->measures);
    out->text[MEASURE_SOURCES] = out->measures;
}

const char *const sp_key_trusted[SP_KEY_TEXTS] = { "" };
const char sp_unknown_source[] = "?";

bool sp_key_is_current(const sp_store *store, const sp_cell *cell, const char *const *key)
{
    brought b;
    size_t same = 0, measured = 0;
    const char *what;
    find_brought(cell, key, 0, &b);
    while (same < MEASURE_SOURCES && sp_same_source(&store->stamps, b.text[same], b.now.text[same]))
        same++;
    while (measured < cell->measures && same_measure(store, b.text[MEASURE_SOURCES], cell->measure[measured]->name, &what))
        measured++;
    return same == MEASURE_SOURCES && measured == cell->measures;
}

static const char *name_of_data(const sp_problem_spec *spec)
{
    if (spec->data == SP_DATA_GENERATED)
        return spec->generator->name;
    return spec->data == SP_DATA_FILE ? spec->path : spec->entry->name;
}

static void add_source(sp_key_source *out, size_t *count, const char *kind, const char *name, const char *then,
                       const char *now)
{
    if (*count == SP_KEY_SOURCES)
        return;
    sp_key_source *s = &out[(*count)++];
    *s = (sp_key_source){ .kind = kind };
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(s->then, sizeof s->then, "%.*s", (int)strcspn(then, " "), then);
    snprintf(s->now, sizeof s->now, "%s", now);
}

static void add_submethods(const sp_method *method, sp_key_source *out, size_t *count)
{
    for (size_t i = 0; i < method->values.count; i++) {
        const sp_method *inner = sp_submethod(&method->values, i);
        if (!inner)
            continue;
        add_source(out, count, "algorithm", inner->algorithm->name, "", "");
        add_submethods(inner, out, count);
    }
}

size_t sp_key_sources(const sp_cell *cell, const char *const *key, sp_key_source out[SP_KEY_SOURCES])
{
    const sp_problem_spec *spec = cell->problem;
    const sp_method *method = cell->method;
    size_t count = 0;
    brought b;
    find_brought(cell, key, 0, &b);
    const struct { const char *kind, *name; } of[] = {
        [DATA] = { "data", name_of_data(spec) }, [ALGORITHM] = { "algorithm", method->algorithm->name },
        [LOSS] = { "loss", spec->loss->name },
        [REGULARISER] = { "regulariser", spec->regulariser ? spec->regulariser->name : "" }, [CORE] = { "core", "" },
    };
    for (size_t i = 0; i <= CORE; i++)
        if (*b.now.text[i])
            add_source(out, &count, of[i].kind, of[i].name, key ? b.text[i] : "", b.now.text[i]);
    add_submethods(method, out, &count);
    for (size_t i = 0; i < cell->measures; i++) {
        const char *name = cell->measure[i]->name, *then = key ? source_in(b.text[MEASURE_SOURCES], name) : NULL;
        add_source(out, &count, "measure", name, then ? then : "", sp_source_of("measures", name));
    }
    return count;
}

bool sp_fingerprints_same(const sp_store *store, const sp_stored_run *run, const sp_cell *cell, const char *const *key)
{
    brought b;
    size_t same = 0;
    find_brought(cell, key, 0, &b);
    while (same < MEASURE_SOURCES && strcmp(b.text[same], store->answers[run->answers].text[same]) == 0)
        same++;
    return same == MEASURE_SOURCES;
}

sp_status sp_fingerprints_import(sp_store *store, const sp_cell *cell, const char *const *key, uint16_t untraced,
                           size_t *position, sp_error *error)
{
    brought b;
    find_brought(cell, key, untraced, &b);
    return sp_fingerprints_keep(store, b.text, position, error);
}

/* --- state of a run ---------------------------------------------------------------------------------------- */

/* One more reason; `text` may be NULL. */
static void because(sp_text *why, size_t *reasons, const char *kind, const char *name, const char *what)
{
    if (why)
        sp_text_append(why, "%s%s%s%s %s", *reasons > 0 ? ", " : "", kind, name[0] ? " " : "", name, what);
    (*reasons)++;
}

/* Why the stored iterate does not do for a measure of the cell; NULL: it does. */
static const char *hindrance(const sp_stored_run *run, const sp_cell *cell, size_t i)
{
    if (run->status != SP_OK)
        return "";
    if (cell->measure[i]->measured == SP_AT_HAND_OVER)
        return " (it is about the point handed over: the run is made again)";
    if (cell->measure[i]->measured != SP_AT_ANSWER)
        return " (it is about the path: the run is made again)";
    if (cell->shown & 1u << i)
        return " (a figure shows it along the way: the run is made again)";
    if (run->dimension == 0)
        return " (no iterate is stored: the run is made again)";
    return NULL;
}

/* Adds to *reasons; *measurable: the stored iterate does for all of them. */
static void compare_measures(const sp_store *store, const sp_stored_run *run, const sp_cell *cell, sp_text *why,
                             size_t *reasons, bool *measurable)
{
    const char *what;
    for (size_t i = 0; i < cell->measures; i++) {
        if (same_measure(store, store->answers[run->answers].text[MEASURE_SOURCES], cell->measure[i]->name, &what))
            continue;
        const char *against = hindrance(run, cell, i);
        because(why, reasons, "measure", cell->measure[i]->name, what);
        if (why)
            sp_text_append(why, "%s", against ? against : "");
        *measurable = *measurable && !against;
    }
}

/* "name name ": is it one of them? */
static bool is_among(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (; *names; names += strcspn(names, " ") + 1)
        if (strcspn(names, " ") == length && strncmp(names, name, length) == 0)
            return true;
    return false;
}

uint16_t sp_fingerprints_untraced(const sp_fingerprints *answers, const sp_cell *cell)
{
    uint16_t untraced = 0;
    for (size_t i = 0; i < cell->measures; i++)
        if (is_among(answers->text[UNTRACED], cell->measure[i]->name))
            untraced |= (uint16_t)(1u << i);
    return untraced;
}

static void compare(const sp_store *store, char *const *stored, const char *const *now, const sp_cell *cell,
                    sp_text *why, size_t *reasons)
{
    const sp_problem_spec *spec = cell->problem;
    const struct { const char *kind, *name; } changed[] = {
        [DATA] = { "data", name_of_data(spec) },
        [ALGORITHM] = { "algorithm", cell->method->algorithm->name },
        [LOSS] = { "loss", spec->loss->name },
        [REGULARISER] = { "regulariser", spec->regulariser ? spec->regulariser->name : "" },
        [CORE] = { "core", "" },
    };
    if (strcmp(stored[CORE], sp_unknown_source) == 0) {
        because(why, reasons, "by which sources it was made", "", "is not known");
        return;
    }
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        if (!sp_same_source(&store->stamps, stored[i], now[i]))
            because(why, reasons, changed[i].kind, changed[i].name, "changed");
    if (strcmp(stored[PLATFORM], now[PLATFORM]) != 0) {
        if (why) {
            sp_text_append(why, *reasons > 0 ? ", " : "");
            sp_platform_print_changes(stored[PLATFORM], now[PLATFORM], why);
        }
        (*reasons)++;
    }
}

sp_status sp_store_state(sp_store *store, const sp_cell *cell, size_t replicate, sp_run_state *state, sp_text *why,
                         sp_error *error)
{
    char identity[SP_HASH_HEX];
    size_t reasons = 0, unmeasured = 0;
    bool measurable = true;
    sp_current now;
    (void)error;
    *state = SP_RUN_MISSING;
    sp_run_identity(cell, replicate, identity);
    const sp_stored_run *run = sp_identities_find(&store->runs, identity);
    if (!run)
        return SP_OK;
    const sp_fingerprints *stored = &store->answers[run->answers];
    if (run->checkpoints < cell->checkpoints) /* a finer trace than asked for is good enough */
        because(why, &reasons, "checkpoints", "", "were fewer");
    sp_fingerprints_now(cell, 0, &now);
    compare(store, stored->text, now.text, cell, why, &reasons);
    if (run->status == SP_OK && (sp_fingerprints_untraced(stored, cell) & cell->shown))
        because(why, &reasons, "trace", "", "lacks a measure that a figure shows");
    unmeasured = reasons;
    compare_measures(store, run, cell, why, &unmeasured, &measurable);
    if (reasons > 0 || !measurable)
        *state = SP_RUN_STALE;
    else
        *state = unmeasured > 0 ? SP_RUN_UNMEASURED : run->status == SP_OK ? SP_RUN_DONE : SP_RUN_FAILED;
    return SP_OK;
}

void sp_store_lacks(const sp_store *store, const sp_cell *cell, size_t replicate, bool lacks[SP_MEASURES_MAX])
{
    char identity[SP_HASH_HEX];
    const char *what;
    sp_run_identity(cell, replicate, identity);
    const sp_stored_run *run = sp_identities_find(&store->runs, identity);
    for (size_t i = 0; i < cell->measures; i++)
        lacks[i] = !run || !same_measure(store, store->answers[run->answers].text[MEASURE_SOURCES],
                                         cell->measure[i]->name, &what);
}

bool sp_store_holds(const sp_store *store, const sp_cell *cell, size_t replicate)
{
    char identity[SP_HASH_HEX];
    sp_run_identity(cell, replicate, identity);
    return sp_identities_find(&store->runs, identity) != NULL;
}

bool sp_store_measured(const sp_store *store, const sp_cell *cell, size_t replicate, const sp_measure *measure)
{
    char identity[SP_HASH_HEX];
    sp_run_identity(cell, replicate, identity);
    const sp_stored_run *run = sp_identities_find(&store->runs, identity);
    return run && source_in(store->answers[run->answers].text[MEASURE_SOURCES], measure->name);
}
