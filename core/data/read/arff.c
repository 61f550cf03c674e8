/* arff.c -- parses ARFF files: their head and the fields of their records (arff.h). */
#include "core/data/read/arff.h"

#include "core/data/read/formats.h"

#include <string.h>
#include <strings.h>

static void skip_blanks(sp_scan *scan)
{
    while (scan->at < scan->end && sp_is_blank(*scan->at))
        scan->at++;
}

/* The scan stands on the quote that opens it. */
static sp_status quoted(sp_scan *scan, sp_arena *texts, sp_word_view *word)
{
    const char quote = *scan->at++;
    const char *start = scan->at, *stop = start;
    while (stop < scan->end && *stop != quote)
        stop += *stop == '\\' && stop + 1 < scan->end ? 2 : 1;
    if (stop >= scan->end)
        return sp_scan_fail(scan, "a quote (%c) that is not closed", quote);
    scan->at = stop + 1;
    *word = (sp_word_view){ start, (size_t)(stop - start) };
    if (!memchr(start, '\\', word->length))
        return SP_OK;
    char *text = sp_arena_text(texts, word->length + 1);
    size_t length = 0;
    if (!text)
        return sp_fail(scan->error, SP_ENOMEM, "%s: out of memory", scan->name);
    for (const char *c = start; c < stop; c++) {
        c += *c == '\\' && c + 1 < stop;
        text[length++] = *c;
    }
    *word = (sp_word_view){ text, length };
    return SP_OK;
}

/* A word, perhaps in quotes, up to a blank or one of , { } */
static sp_status take_word(sp_scan *scan, sp_arena *texts, sp_word_view *word)
{
    skip_blanks(scan);
    if (scan->at < scan->end && (*scan->at == '\'' || *scan->at == '"'))
        return quoted(scan, texts, word);
    const char *start = scan->at;
    while (scan->at < scan->end && !sp_is_blank(*scan->at) && !strchr(",{}", *scan->at))
        scan->at++;
    *word = (sp_word_view){ start, (size_t)(scan->at - start) };
    return SP_OK;
}

static bool is_keyword(sp_word_view word, const char *text)
{
    return word.length == strlen(text) && strncasecmp(word.start, text, word.length) == 0;
}

/* --- the head -------------------------------------------------------------------------------------------------- */

/* The scan stands behind the brace that opens the list. */
static sp_status nominal(sp_scan *scan, sp_arena *texts, sp_arff_attribute *out)
{
    sp_status status = SP_OK;
    size_t room = 1;
    double number = 0.0;
    bool numbers = true;
    for (const char *c = scan->at; c < scan->end; c++)
        room += *c == ',';
    sp_word_view *value = sp_arena_alloc(texts, room, sizeof *value);
    if (!value)
        return sp_fail(scan->error, SP_ENOMEM, "%s: out of memory", scan->name);
    for (bool more = true; more; out->values++) {
        if (out->values == room)
            return sp_scan_fail(scan, "a comma is missing between the values of a nominal attribute");
        SP_TRY(take_word(scan, texts, &value[out->values]));
        skip_blanks(scan);
        if (value[out->values].length == 0)
            return sp_scan_fail(scan, "value %zu of a nominal attribute is empty", out->values + 1);
        numbers = numbers && sp_word_number(value[out->values], &number);
        more = scan->at < scan->end && *scan->at == ',';
        if (scan->at == scan->end || (!more && *scan->at != '}'))
            return sp_scan_fail(scan, "the values of a nominal attribute do not end in }");
        scan->at++;
    }
    out->kind = numbers ? SP_ARFF_NUMBER : SP_ARFF_NOMINAL;
    out->value = value;
    out->filled = !numbers || !sp_word_number(value[0], &number) || number != 0.0;
cleanup:
    return status;
}

static sp_status type_of(sp_scan *scan, sp_arena *texts, sp_arff_attribute *out)
{
    static const struct { const char *word; sp_arff_kind kind; } known[] = {
        { "numeric", SP_ARFF_NUMBER }, { "real", SP_ARFF_NUMBER }, { "integer", SP_ARFF_NUMBER },
        { "string", SP_ARFF_TEXT }, { "date", SP_ARFF_DATE } };
    sp_word_view word;
    skip_blanks(scan);
    if (scan->at < scan->end && *scan->at == '{') {
        scan->at++;
        return nominal(scan, texts, out);
    }
    const sp_status status = take_word(scan, texts, &word);
    for (size_t i = 0; status == SP_OK && i < sizeof known / sizeof *known; i++)
        if (is_keyword(word, known[i].word)) {
            out->kind = known[i].kind;
            return SP_OK;
        }
    return status != SP_OK
               ? status
               : sp_scan_fail(
                     scan,
                     "'%.*s' is no type of an attribute that can be read: numeric, real, integer, string, date or "
                     "{ values }",
                     sp_word_shown(word), word.start);
}

/* Room for one attribute more. */
static sp_status grow(sp_scan *scan, sp_arena *arena, sp_arff *out)
{
    if (out->count < out->room)
        return SP_OK;
    const size_t room = out->room ? 2 * out->room : 64;
    sp_arff_attribute *attribute = sp_arena_alloc(arena, room, sizeof *attribute);
    sp_word_view *name = sp_arena_alloc(arena, room, sizeof *name);
    if (!attribute || !name)
        return sp_fail(scan->error, SP_ENOMEM, "%s: out of memory", scan->name);
    if (out->count > 0) {
        memcpy(attribute, out->attribute, out->count * sizeof *attribute);
        memcpy(name, out->name, out->count * sizeof *name);
    }
    out->attribute = attribute;
    out->name = name;
    out->room = room;
    return SP_OK;
}

static sp_status attribute(sp_scan *scan, sp_arena *arena, sp_arff *out)
{
    sp_status status = SP_OK;
    SP_TRY(grow(scan, arena, out));
    SP_TRY(take_word(scan, arena, &out->name[out->count]));
    if (out->name[out->count].length == 0)
        return sp_scan_fail(scan, "an attribute without a name");
    SP_TRY(type_of(scan, arena, &out->attribute[out->count]));
    out->count++;
cleanup:
    return status;
}

sp_status sp_arff_head(sp_scan *scan, sp_arena *arena, sp_arff *out)
{
    sp_status status = SP_OK;
    bool more;
    *out = (sp_arff){ 0 };
    scan->comment = '%';
    scan->empty_lines = true;
    for (;;) {
        sp_word_view word;
        SP_TRY(sp_scan_line(scan, &more));
        if (!more)
            return sp_scan_fail(scan, "the text ends before @data");
        SP_TRY(take_word(scan, arena, &word));
        if (is_keyword(word, "@data"))
            break;
        if (is_keyword(word, "@attribute"))
            SP_TRY(attribute(scan, arena, out));
        else if (!is_keyword(word, "@relation"))
            return sp_scan_fail(scan, "'%.*s': wanted @relation, @attribute or @data", sp_word_shown(word), word.start);
    }
    if (out->count == 0)
        return sp_scan_fail(scan, "@data before the first @attribute");
cleanup:
    return status;
}

/* --- records --------------------------------------------------------------------------------------------------- */

void sp_arff_start(sp_scan *scan, sp_arff_record *record)
{
    skip_blanks(scan);
    *record = (sp_arff_record){ .sparse = scan->at < scan->end && *scan->at == '{' };
    scan->at += record->sparse;
}

static sp_status dense_value(sp_scan *scan, const sp_arff *arff, sp_arff_record *record, sp_arena *texts, bool *more,
                             size_t *place, sp_word_view *word)
{
    sp_status status = SP_OK;
    skip_blanks(scan);
    *more = !record->ended;
    if (record->ended && record->next != arff->count)
        return sp_scan_fail(scan, "%zu values, expected %zu", record->next, arff->count);
    if (record->ended)
        return SP_OK;
    if (record->next == arff->count)
        return sp_scan_fail(scan, "more than %zu values, from '%.*s' on", arff->count,
                            sp_word_shown((sp_word_view){ scan->at, (size_t)(scan->end - scan->at) }), scan->at);
    SP_TRY(take_word(scan, texts, word));
    skip_blanks(scan);
    if (scan->at < scan->end && (*scan->at == '{' || *scan->at == '}'))
        return sp_scan_fail(scan, "'%c' after value %zu of a dense record", *scan->at, record->next + 1);
    record->ended = scan->at == scan->end;
    scan->at += !record->ended && *scan->at == ','; /* blanks divide values, too */
    *place = record->next++;
cleanup:
    return status;
}

/* The next pair of a sparse record, to wait until it is its turn. */
static sp_status take_pair(sp_scan *scan, const sp_arff *arff, sp_arff_record *record, sp_arena *texts)
{
    sp_status status = SP_OK;
    sp_word_view index;
    skip_blanks(scan);
    if (scan->at < scan->end && *scan->at == '}') {
        scan->at++;
        skip_blanks(scan);
        record->ended = true;
        return scan->at == scan->end ? SP_OK : sp_scan_fail(scan, "'%c' after the } of a sparse record", *scan->at);
    }
    SP_TRY(take_word(scan, texts, &index));
    SP_TRY(sp_scan_count(scan, "attribute", index, 0, arff->count - 1, &record->place));
    if (record->place < record->next)
        return sp_scan_fail(scan,
                            "attribute %zu twice, or after a later one: sparse records count attributes from 0 and "
                            "ascend",
                            record->place);
    SP_TRY(take_word(scan, texts, &record->word));
    if (record->word.length == 0)
        return sp_scan_fail(scan, "attribute %zu has no value", record->place);
    skip_blanks(scan);
    if (scan->at == scan->end || (*scan->at != ',' && *scan->at != '}'))
        return sp_scan_fail(scan, "a sparse record does not end in }");
    scan->at += *scan->at == ',';
    record->waiting = true;
cleanup:
    return status;
}

static sp_status sparse_value(sp_scan *scan, const sp_arff *arff, sp_arff_record *record, sp_arena *texts, bool *more,
                              size_t *place, sp_word_view *word)
{
    sp_status status = SP_OK;
    if (!record->waiting && !record->ended)
        SP_TRY(take_pair(scan, arff, record, texts));
    const size_t stop = record->waiting ? record->place : arff->count;
    while (record->next < stop && !arff->attribute[record->next].filled)
        record->next++;
    *more = record->next < stop || record->waiting;
    if (record->next < stop) {
        *word = arff->attribute[record->next].value[0];
    } else if (record->waiting) {
        *word = record->word;
        record->waiting = false;
    }
    *place = record->next;
    record->next += *more;
cleanup:
    return status;
}

sp_status sp_arff_value(sp_scan *scan, const sp_arff *arff, sp_arff_record *record, sp_arena *texts, bool *more,
                        size_t *place, sp_word_view *word)
{
    return record->sparse ? sparse_value(scan, arff, record, texts, more, place, word)
                          : dense_value(scan, arff, record, texts, more, place, word);
}
