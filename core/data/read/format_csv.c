/* format_csv.c -- reads a CSV: value,value,...,label. A column of words becomes one indicator feature for each distinct
 * word. */
#include "core/data/read/file_columns.h"

static char delimiter(const sp_reading *r)
{
    return r->options->delimiter ? r->options->delimiter : ',';
}

/* Fields of the current record, which stays current. */
static sp_status count_fields(sp_reading *r, size_t *fields)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_arena texts = { 0 };
    sp_word_view field;
    *fields = 0;
    for (bool more = true; more; ++*fields)
        SP_TRY(sp_csv_field(&line, delimiter(r), &texts, &more, &field));
cleanup:
    sp_arena_free(&texts);
    return status;
}

static sp_status read_names(sp_reading *r, const sp_word_view **out)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_word_view *name = sp_arena_alloc(&r->columns->texts, r->columns->names.count, sizeof *name);
    if (!name)
        return sp_fail(r->error, SP_ENOMEM, "%s: out of memory", r->scan.name);
    bool more = true;
    for (size_t i = 0; more; i++)
        SP_TRY(sp_csv_field(&line, delimiter(r), &r->columns->texts, &more, &name[i]));
    *out = name;
cleanup:
    return status;
}

/* From the first record of the first source. */
static sp_status set_up(sp_reading *r, size_t fields)
{
    sp_status status = SP_OK;
    const sp_word_view *name = NULL;
    SP_TRY(sp_file_columns_new(r, fields));
    if (r->options->header)
        SP_TRY(read_names(r, &name));
    else
        r->columns->hint = " (is the first line a header?)";
    SP_TRY(sp_file_columns_open(r, name));
cleanup:
    return status;
}

/* Does the current record, which stays current, lack a value? */
static sp_status lacks(sp_reading *r, bool *missing)
{
    sp_status status = SP_OK;
    sp_scan line = r->scan;
    sp_word_view field;
    bool more = true;
    *missing = false;
    for (size_t i = 0; more; i++) {
        SP_TRY(sp_csv_field(&line, delimiter(r), &r->columns->texts, &more, &field));
        *missing = *missing || sp_file_columns_lack(r, i, field);
    }
cleanup:
    return status;
}

static sp_status record(sp_reading *r)
{
    sp_status status = SP_OK;
    sp_word_view field, label = { "", 0 };
    size_t count = 0;
    bool without = false;
    if (r->options->missing == SP_MISSING_DROP)
        SP_TRY(lacks(r, &without));
    if (without)
        SP_TRY(count_fields(r, &count));
    for (bool more = !without; more; count++) {
        SP_TRY(sp_csv_field(&r->scan, delimiter(r), &r->columns->texts, &more, &field));
        if (count == r->columns->label)
            label = field;
        else if (count < r->columns->names.count)
            SP_TRY(sp_file_columns_value(r, count, field));
    }
    if (count != r->columns->names.count)
        return sp_scan_fail(&r->scan, "%zu fields, expected %zu", count, r->columns->names.count);
    if (!without)
        SP_TRY(sp_file_columns_end(r, label));
cleanup:
    return status;
}

static sp_status read(sp_reading *r, const sp_source *source)
{
    sp_status status = SP_OK;
    size_t fields;
    bool more, held = !r->options->header; /* the first line is a record too */
    sp_scan_start(&r->scan, source->name, source->bytes, source->size, r->error);
    r->scan.comment = r->options->comment;
    SP_TRY(sp_csv_record(&r->scan, delimiter(r), &more));
    if (!more)
        return SP_OK;
    SP_TRY(count_fields(r, &fields));
    if (!r->columns)
        SP_TRY(set_up(r, fields));
    else if (fields != r->columns->names.count)
        return sp_scan_fail(&r->scan, "%zu fields, expected %zu", fields, r->columns->names.count);
    for (;; held = false) {
        if (!held)
            SP_TRY(sp_csv_record(&r->scan, delimiter(r), &more));
        if (!more)
            break;
        SP_TRY(record(r));
    }
cleanup:
    return status;
}

const sp_format_reader sp_read_csv = { .width = 2, .files = 1, .read = read, .finish = sp_file_columns_finish };
