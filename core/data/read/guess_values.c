/* guess_values.c -- counts the distinct values of a column, and describes what they look like. */
#include "core/data/read/guess_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static sp_guess_tallied *slot_of(const sp_guess_tally *t, sp_word_view word)
{
    size_t at = sp_word_hash(word) & (t->slots - 1);
    while (t->slot[at].count > 0 && !sp_word_same(t->slot[at].word, word))
        at = (at + 1) & (t->slots - 1);
    return &t->slot[at];
}

const sp_guess_tallied *sp_guess_tally_find(const sp_guess_tally *t, sp_word_view word)
{
    const sp_guess_tallied *found = t->slots > 0 ? slot_of(t, word) : NULL;
    return found && found->count > 0 ? found : NULL;
}

void sp_guess_tally_free(sp_guess_tally *t)
{
    free(t->slot);
    *t = (sp_guess_tally){ 0 };
}

static sp_status count_value(const sp_guessing *g, sp_guess_tally *t, size_t most, sp_word_view word, size_t line)
{
    if (t->over)
        return SP_OK;
    if (4 * (t->count + 1) > 3 * t->slots) {
        sp_guess_tally grown = { .slots = t->slots ? 2 * t->slots : 4, .count = t->count };
        SP_GUESS_NEED(g, grown.slot = calloc(grown.slots, sizeof *grown.slot));
        for (size_t i = 0; i < t->slots; i++)
            if (t->slot[i].count > 0)
                *slot_of(&grown, t->slot[i].word) = t->slot[i];
        free(t->slot);
        *t = grown;
    }
    sp_guess_tallied *slot = slot_of(t, word);
    if (slot->count == 0 && t->count == most) {
        t->over = true;
        return SP_OK;
    }
    t->count += slot->count == 0;
    *slot = (sp_guess_tallied){ word, slot->count + 1, slot->count == 0 ? line : slot->line };
    return SP_OK;
}

static void count_number(sp_guess_column *c, double number, size_t line)
{
    const bool first = c->numbers == 0;
    c->counts = first || (c->counts && number == c->before + 1.0);
    c->ascends = number == trunc(number) && (first || (c->ascends && number > c->before));
    c->before = number;
    c->low = first || number < c->low ? number : c->low;
    c->high = first || number > c->high ? number : c->high;
    c->number_line = first ? line : c->number_line;
    c->numbers++;
}

sp_status sp_guess_count(const sp_guessing *g, sp_guess_column *c, sp_word_view field, size_t line)
{
    double number;
    if (sp_csv_missing(field, &g->missing)) {
        c->missing_word = c->missing ? c->missing_word : field;
        c->missing_line = c->missing++ ? c->missing_line : line;
        return SP_OK;
    }
    if (sp_word_number(field, &number) || (g->options->decimal_comma && sp_word_comma(field, &number))) {
        count_number(c, number, line);
    } else {
        c->word = c->words ? c->word : field;
        c->word_line = c->words++ ? c->word_line : line;
    }
    return count_value(g, &c->values, c->words > 0 ? SP_WORDS_COUNTED : SP_NUMBERS_COUNTED, field, line);
}

size_t sp_guess_numbers(const sp_guess_column *c, double value[SP_NUMBERS_COUNTED], bool *whole)
{
    size_t count = 0;
    *whole = true;
    for (size_t i = 0; i < c->values.slots; i++) {
        double number = NAN;
        size_t k = 0;
        const sp_word_view word = c->values.slot[i].word;
        if (c->values.slot[i].count == 0 || !(sp_word_number(word, &number) || sp_word_comma(word, &number)))
            continue;
        while (k < count && value[k] != number)
            k++;
        if (k == count && count < SP_NUMBERS_COUNTED)
            value[count++] = number;
        *whole = *whole && number == trunc(number);
    }
    return count;
}

bool sp_guess_two_values(const sp_guess_column *c)
{
    double value[SP_NUMBERS_COUNTED];
    bool whole;
    if (c->values.over || (c->words > 0 && c->numbers > 0))
        return false;
    return (c->words > 0 ? c->values.count : sp_guess_numbers(c, value, &whole)) == 2;
}

/* --- dates ----------------------------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_month(const char *at, size_t letters)
{
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (size_t i = 0; letters >= 3 && letters <= 9 && i < sizeof months - 1; i += 3)
        if (strncasecmp(at, months + i, 3) == 0)
            return true;
    return false;
}

/* Three groups, of digits or one of them the name of a month, with the same sign from - / . between them or a blank; a
 * time may follow. */
static bool is_date(sp_word_view word)
{
    const char *at = word.start, *const end = at + word.length;
    size_t months = 0;
    char by = 0;
    for (size_t group = 0; group < 3; group++) {
        const char *start = at;
        while (at < end && *at >= '0' && *at <= '9')
            at++;
        if (at == start) {
            while (at < end && is_letter(*at))
                at++;
            if (months++ > 0 || !is_month(start, (size_t)(at - start)))
                return false;
        } else if (at - start > 4) {
            return false;
        }
        if (group == 2)
            break;
        if (at == end || !memchr("-/. ", *at, 4) || (by && *at != by))
            return false;
        by = *at++;
    }
    if (at == end)
        return true;
    if (*at != ' ' && *at != 'T')
        return false;
    for (at++; at < end; at++)
        if (!((*at >= '0' && *at <= '9') || memchr(":.+-Z ", *at, 6)))
            return false;
    return true;
}

bool sp_guess_dates(const sp_guess_column *c)
{
    for (size_t i = 0; i < c->values.slots; i++)
        if (c->values.slot[i].count > 0 && !is_date(c->values.slot[i].word))
            return false;
    return c->words > 0 && c->numbers == 0;
}

/* --- what is told ---------------------------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
    const sp_guess_tallied *x = a, *y = b;
    const size_t least = x->word.length < y->word.length ? x->word.length : y->word.length;
    const int order = memcmp(x->word.start, y->word.start, least);
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : order ? order : (x->word.length > y->word.length) - (x->word.length < y->word.length);
}

sp_status sp_guess_describe(const sp_guessing *g, const sp_guess_column *c, const char *name, sp_seen_column *out)
{
    enum { LISTED = 32 };
    size_t count = 0;
    const bool whole = c->words == 0 && c->missing == 0 && c->numbers >= SP_FEW_RECORDS;
    *out = (sp_seen_column){ .name = name, .kind = c->kind, .missing = c->missing, .low = c->low, .high = c->high,
                             .counts = c->counts && whole && (c->low == 0.0 || c->low == 1.0) };
    if (c->kind == SP_COLUMN_NUMBERS)
        return SP_OK;
    sp_guess_tallied *list = sp_arena_alloc(g->scratch, c->values.count + 1, sizeof *list);
    SP_GUESS_NEED(g, list);
    for (size_t i = 0; i < c->values.slots; i++)
        if (c->values.slot[i].count > 0)
            list[count++] = c->values.slot[i];
    qsort(list, count, sizeof *list, by_count);
    out->values = count < LISTED ? count : LISTED;
    out->more = c->values.over || count > LISTED;
    SP_GUESS_NEED(g, out->value = sp_arena_alloc(g->arena, out->values + 1, sizeof *out->value));
    for (size_t i = 0; i < out->values; i++) {
        out->value[i].count = list[i].count;
        SP_GUESS_NEED(g, out->value[i].text = sp_arena_format(g->arena, "%.*s", (int)list[i].word.length,
                                                             list[i].word.start));
    }
    return SP_OK;
}
