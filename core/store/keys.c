/* keys.c -- see keys.h. */
#include "core/store/keys.h"

#include "core/base/memory.h"
#include "core/base/table.h"

#include <stdlib.h>
#include <string.h>

void sp_keys_head(sp_text *out)
{
    sp_text_add_text(out, "cell\treplicates\tmade\tdata\talgorithm\tloss\tregulariser\tcore\tplatform\tmeasures\n");
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

/* Of the replicates that `same` marks. */
static void add_ranges(sp_text *out, const bool *same, size_t replicates)
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

static void add_key(const sp_store *store, size_t answers, uint64_t made, const sp_key_makers *makers, sp_text *out)
{
    char *const *text = store->answers[answers].text;
    size_t row = 0;
    while (row < makers->count && makers->id[row] != made)
        row++;
    sp_text_add(out, "\t", 1);
    if (row < makers->count)
        sp_text_add_count(out, row + 1);
    else
        sp_table_write(out, NULL);
    for (size_t i = 0; i <= CORE; i++)
        add(out, text[i], strnlen(text[i], SP_KEY_DIGITS));
    add(out, text[PLATFORM], strlen(text[PLATFORM]));
    add_measures(out, text[MEASURE_SOURCES]);
    sp_text_add(out, "\n", 1);
}

sp_status sp_keys_cell(const sp_store *store, size_t number, sp_made *made, size_t replicates,
                       const sp_key_makers *makers, sp_text *out)
{
    bool *same = sp_alloc(replicates, sizeof *same);
    if (!same)
        return SP_ENOMEM;
    for (size_t r = 0; r < replicates; r++) {
        const sp_made first = made[r];
        if (!first.there)
            continue;
        for (size_t k = 0; k < replicates; k++) {
            same[k] = made[k].there && made[k].answers == first.answers && made[k].invocation == first.invocation;
            made[k].there = made[k].there && !same[k];
        }
        sp_text_add_count(out, number);
        sp_text_add(out, "\t", 1);
        add_ranges(out, same, replicates);
        add_key(store, first.answers, first.invocation, makers, out);
    }
    free(same);
    return SP_OK;
}
