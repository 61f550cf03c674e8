/* format_arff.c -- reads the records of an ARFF (arff.h), by the columns that its head declares. */
#include "core/data/read/arff.h"
#include "core/data/read/file_columns.h"

/* Declared words keep the order of their declaration. */
static sp_status declare(sp_reading *r, const sp_arff *arff)
{
    sp_status status = SP_OK;
    for (size_t i = 0; i < arff->count; i++) {
        sp_column *c = &r->columns->column[i];
        const sp_arff_attribute *a = &arff->attribute[i];
        size_t number;
        if (a->kind == SP_ARFF_NUMBER)
            continue;
        c->holds = SP_HOLDS_NAMED;
        c->declared = a->kind == SP_ARFF_NOMINAL;
        for (size_t k = 0; k < a->values; k++)
            SP_TRY(sp_column_number(r, c, a->value[k], &number));
        if (c->words != a->values)
            return sp_scan_fail(&r->scan, "attribute '%.*s' declares a value twice", sp_word_shown(arff->name[i]),
                                arff->name[i].start);
    }
cleanup:
    return status;
}

/* `texts` outlives the columns that are made of the head. */
static sp_status set_up(sp_reading *r, const sp_arff *arff)
{
    sp_status status = SP_OK;
    SP_TRY(declare(r, arff));
    SP_TRY(sp_file_columns_open(r, arff->name));
    for (size_t i = 0; i < arff->count; i++)
        if (arff->attribute[i].kind == SP_ARFF_DATE && r->columns->column[i].holds != SP_HOLDS_OMITTED)
            return sp_scan_fail(&r->scan,
                                "attribute '%.*s' holds dates, which are not read: set omit = { \"%.*s\" }, or "
                                "write a number, days since some day",
                                sp_word_shown(arff->name[i]), arff->name[i].start, sp_word_shown(arff->name[i]),
                                arff->name[i].start);
cleanup:
    return status;
}

/* Another text of the same data declares the same columns. */
static sp_status check_head(sp_reading *r, const sp_arff *arff)
{
    const sp_csv_names *names = &r->columns->names;
    if (arff->count != names->count)
        return sp_scan_fail(&r->scan, "%zu attributes, expected %zu", arff->count, names->count);
    for (size_t i = 0; i < arff->count; i++)
        if (!sp_word_same(arff->name[i], names->name[i]))
            return sp_scan_fail(&r->scan, "attribute %zu is '%.*s', in the first file '%.*s'", i + 1,
                                sp_word_shown(arff->name[i]), arff->name[i].start, sp_word_shown(names->name[i]),
                                names->name[i].start);
    return SP_OK;
}

/* Does the current record, which stays current, lack a value? */
static sp_status lacks(sp_reading *r, const sp_arff *arff, bool *missing)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_arff_record record;
    sp_word_view word;
    size_t place;
    bool more = true;
    *missing = false;
    sp_arff_start(&line, &record);
    for (;;) {
        SP_TRY(sp_arff_value(&line, arff, &record, &r->columns->texts, &more, &place, &word));
        if (!more)
            break;
        *missing = *missing || sp_file_columns_lack(r, place, word);
    }
cleanup:
    return status;
}

static sp_status record(sp_reading *r, const sp_arff *arff)
{
    sp_status status = SP_OK;
    sp_word_view word, label = { "0", 1 };
    sp_arff_record record;
    size_t place;
    bool more = true, without = false;
    if (r->options->missing == SP_MISSING_DROP)
        SP_TRY(lacks(r, arff, &without));
    if (without)
        return SP_OK;
    sp_arff_start(&r->scan, &record);
    for (;;) {
        SP_TRY(sp_arff_value(&r->scan, arff, &record, &r->columns->texts, &more, &place, &word));
        if (!more)
            break;
        if (place == r->columns->label)
            label = word;
        else
            SP_TRY(sp_file_columns_value(r, place, word));
    }
    SP_TRY(sp_file_columns_end(r, label));
cleanup:
    return status;
}

static sp_status read(sp_reading *r, const sp_source *source)
{
    sp_status status = SP_OK;
    sp_arff arff;
    sp_arena head = { 0 };
    const bool first = !r->columns;
    bool more;
    sp_scan_start(&r->scan, source->name, source->bytes, source->size, r->error);
    SP_TRY(sp_arff_head(&r->scan, &head, &arff));
    if (first) {
        SP_TRY(sp_file_columns_new(r, arff.count));
        r->columns->texts = head; /* which is kept as long as the columns are */
        SP_TRY(set_up(r, &arff));
    } else {
        SP_TRY(check_head(r, &arff));
    }
    for (;;) {
        SP_TRY(sp_scan_line(&r->scan, &more));
        if (!more)
            break;
        SP_TRY(record(r, &arff));
    }
cleanup:
    if (!first || !r->columns)
        sp_arena_free(&head);
    return status;
}

const sp_format_reader sp_read_arff = { .width = 2, .files = 1, .read = read, .finish = sp_file_columns_finish };
