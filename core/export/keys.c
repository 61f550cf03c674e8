/* keys.c -- see keys.h. */
#include "core/export/keys.h"

#include "core/base/memory.h"
#include "core/base/table.h"

#include <stdlib.h>
#include <string.h>

void sp_keys_head(sp_text *out)
{
    sp_text_add_text(out, "cell\treplicates\tdata\talgorithm\tloss\tregulariser\tcore\tplatform\tmeasures\n");
}

static void add(sp_text *out, const char *text, size_t length)
{
    sp_text_add(out, "\t", 1);
    if (length > 0)
        sp_text_add(out, text, length);
    else
        sp_table_write(out, NULL);
}

/* "name digits name digits" of "name hash name hash " */
static void add_measures(sp_text *out, const char *text)
{
    sp_text_add(out, "\t", 1);
    if (!*text)
        sp_table_write(out, NULL);
    for (const char *between = ""; *text; between = " ") {
        const size_t name = strcspn(text, " "), hash = strcspn(text + name + 1, " ");
        sp_text_add_text(out, between);
        sp_text_add(out, text, name + 1);
        sp_text_add(out, text + name + 1, hash < SP_KEY_DIGITS ? hash : SP_KEY_DIGITS);
        text += name + 1 + hash + (text[name + 1 + hash] == ' ');
    }
}

void sp_keys_ranges(sp_text *out, const bool *same, size_t replicates)
{
    const char *between = "";
    for (size_t r = 0; r < replicates; r++) {
        size_t last = r;
        if (!same[r])
            continue;
        while (last + 1 < replicates && same[last + 1])
            last++;
        sp_text_add_text(out, between);
        sp_text_add_count(out, r);
        if (last > r) {
            sp_text_add(out, "-", 1);
            sp_text_add_count(out, last);
        }
        between = ",";
        r = last;
    }
}

static void add_texts(const char *const text[ANSWER_TEXTS], sp_text *out)
{
    for (size_t i = 0; i <= CORE; i++)
        add(out, text[i], strnlen(text[i], SP_KEY_DIGITS));
    add(out, text[PLATFORM], strlen(text[PLATFORM]));
    add_measures(out, text[MEASURE_SOURCES]);
    sp_text_add(out, "\n", 1);
}

static void add_key(const sp_store *store, size_t answers, sp_text *out)
{
    add_texts((const char *const *)store->answers[answers].text, out);
}

void sp_keys_now(const sp_cell *cell, sp_text *out)
{
    sp_current now;
    sp_fingerprints_now(cell, 0, &now);
    add_texts(now.text, out);
}

/* --- who made them ----------------------------------------------------------------------------------------------- */

sp_maker *sp_makers_add(sp_makers *makers, uint64_t id)
{
    sp_maker *grown = realloc(makers->maker, (makers->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    makers->maker = grown;
    grown[makers->count] = (sp_maker){ .id = id };
    return &grown[makers->count++];
}

/* The last cells are complete. */
static void end_cells(sp_maker *m)
{
    if (m->first == 0)
        return;
    sp_text_append(&m->made, m->last > m->first ? "%s%zu-%zu:" : "%s%zu:", m->made.length > 0 ? " " : "", m->first, m->last);
    sp_text_add(&m->made, m->replicates.data, m->replicates.length);
}

static void add_cell(sp_maker *m, size_t number, const bool *made, size_t replicates)
{
    sp_text ranges = { 0 };
    sp_keys_ranges(&ranges, made, replicates);
    m->made.failed = m->made.failed || ranges.failed;
    if (ranges.length == 0 || ranges.failed) {
        sp_text_free(&ranges);
    } else if (m->first > 0 && m->last + 1 == number && strcmp(m->replicates.data, ranges.data) == 0) {
        m->last = number;
        sp_text_free(&ranges);
    } else {
        end_cells(m);
        m->first = m->last = number;
        sp_text_free(&m->replicates);
        m->replicates = ranges;
    }
}

void sp_makers_rows(sp_makers *makers, sp_text *out)
{
    for (size_t i = 0; i < makers->count; i++) {
        sp_maker *m = &makers->maker[i];
        end_cells(m);
        sp_text_add(out, m->line.data, m->line.length);
        add(out, m->made.data, m->made.length);
        sp_text_add(out, "\n", 1);
        out->failed = out->failed || m->line.failed || m->made.failed;
    }
}

void sp_makers_free(sp_makers *makers)
{
    for (size_t i = 0; i < makers->count; i++) {
        sp_text_free(&makers->maker[i].line);
        sp_text_free(&makers->maker[i].made);
        sp_text_free(&makers->maker[i].replicates);
    }
    free(makers->maker);
    *makers = (sp_makers){ 0 };
}

/* --- a cell -------------------------------------------------------------------------------------------------------- */

/* Are two keys written in the same way? Imported ones have the first digits of each hash alone. */
static bool same_key(const sp_store *store, size_t a, size_t b)
{
    sp_text one = { 0 }, two = { 0 };
    if (a == b)
        return true;
    add_key(store, a, &one);
    add_key(store, b, &two);
    const bool same = !one.failed && !two.failed && strcmp(one.data, two.data) == 0;
    sp_text_free(&one);
    sp_text_free(&two);
    return same;
}

static void key_rows(const sp_store *store, size_t number, const sp_made *made, size_t replicates, bool *same, sp_text *out)
{
    for (size_t r = 0; r < replicates; r++) {
        bool first = made[r].there;
        for (size_t k = 0; k < r && first; k++)
            first = !made[k].there || !same_key(store, made[k].answers, made[r].answers);
        if (!first)
            continue;
        for (size_t k = 0; k < replicates; k++)
            same[k] = made[k].there && same_key(store, made[k].answers, made[r].answers);
        sp_text_add_count(out, number);
        sp_text_add(out, "\t", 1);
        sp_keys_ranges(out, same, replicates);
        add_key(store, made[r].answers, out);
    }
}

sp_status sp_keys_cell(const sp_store *store, size_t number, const sp_made *made, size_t replicates, sp_makers *makers,
                       sp_text *out)
{
    bool *same = sp_alloc(replicates, sizeof *same);
    if (!same)
        return SP_ENOMEM;
    key_rows(store, number, made, replicates, same, out);
    for (size_t i = 0; i < makers->count; i++) {
        for (size_t r = 0; r < replicates; r++)
            same[r] = made[r].there && made[r].invocation == makers->maker[i].id;
        add_cell(&makers->maker[i], number, same, replicates);
    }
    free(same);
    return SP_OK;
}
