/* formats.c -- libsvm, CSV and FANN.
 *
 *   libsvm  label index:value index:value ...     indices from 1, ascending; what is left out is 0
 *   CSV     value,value,...,label                 the label's column is chosen; no quoting
 *   FANN    rows inputs outputs                   then for each row a line of inputs and a line of outputs
 */
#include "core/data/formats.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const size_t index_max = 10000000, rows_max = UINT32_MAX;

/* The positive label may be written as another spelling of the same number. */
static bool is_positive(sp_word_view word, const char *positive)
{
    double a, b;
    return sp_word_is(word, positive) || (sp_word_number((sp_word_view){ positive, strlen(positive) }, &b) &&
                                          sp_word_number(word, &a) && a == b);
}

static sp_status read_label(sp_reading *r, sp_word_view word, double *label)
{
    const char *positive = r->options->positive;
    if (!positive)
        return sp_scan_number(&r->scan, "label", word, label);
    if (word.length == 0)
        return sp_scan_fail(&r->scan, "the label is empty");
    const bool hit = is_positive(word, positive);
    *label = hit ? 1.0 : -1.0;
    r->positive += hit;
    return SP_OK;
}

/* --- libsvm -------------------------------------------------------------------------------------------------- */

static sp_status libsvm_record(sp_reading *r, double *x, double *label)
{
    sp_status status = SP_OK;
    sp_word_view word;
    double number;
    size_t before = 0;
    sp_scan_word(&r->scan, ' ', &word);
    SP_TRY(sp_scan_number(&r->scan, "label", word, &number));
    SP_TRY(read_label(r, word, label));
    while (sp_scan_word(&r->scan, ':', &word)) {
        size_t index = 0;
        SP_TRY(sp_scan_count(&r->scan, "index", word, r->options->d ? r->options->d : index_max, &index));
        if (index <= before)
            return sp_scan_fail(&r->scan, "index %zu after %zu: indices must ascend", index, before);
        if (r->scan.at == r->scan.end || *r->scan.at != ':')
            return sp_scan_fail(&r->scan, "index %zu has no ':' and value", index);
        r->scan.at++;
        const char *value = r->scan.at;
        sp_scan_word(&r->scan, ' ', &word);
        if (word.start != value || word.length == 0)
            return sp_scan_fail(&r->scan, "index %zu has no value", index);
        SP_TRY(sp_scan_number(&r->scan, "value", word, &number));
        if (x)
            x[index - 1] = number;
        before = index;
    }
    if (before == 0)
        return sp_scan_fail(&r->scan, "a record without features");
    if (before > r->d)
        r->d = before;
cleanup:
    return status;
}

/* --- CSV ----------------------------------------------------------------------------------------------------- */

static char delimiter(const sp_reading *r)
{
    return r->options->delimiter ? r->options->delimiter : ',';
}

/* The next field, blanks around it left out; false after the last one. */
static bool next_field(sp_scan *scan, char by, bool *more, sp_word_view *field)
{
    if (!*more)
        return false;
    const char *end = memchr(scan->at, by, (size_t)(scan->end - scan->at));
    *more = end != NULL;
    const char *start = scan->at, *stop = end ? end : scan->end;
    scan->at = end ? end + 1 : scan->end;
    while (start < stop && (*start == ' ' || *start == '\t'))
        start++;
    while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t'))
        stop--;
    *field = (sp_word_view){ start, (size_t)(stop - start) };
    return true;
}

static sp_status csv_start(sp_reading *r)
{
    const sp_scan first = r->scan;
    sp_word_view field;
    bool more = true;
    if (!sp_scan_line(&r->scan))
        return SP_OK;
    for (r->fields = 0; next_field(&r->scan, delimiter(r), &more, &field); r->fields++)
        ;
    const long column = r->options->label_column, count = (long)r->fields;
    if (column >= count || column < -count)
        return sp_scan_fail(&r->scan, "no column %ld for the label: there are %zu", column, r->fields);
    r->label = (size_t)(column < 0 ? column + count : column);
    if (r->d != 0 && r->d != r->fields - 1)
        return sp_scan_fail(&r->scan, "%zu features, expected %zu", r->fields - 1, r->d);
    r->d = r->fields - 1;
    if (r->d == 0)
        return sp_scan_fail(&r->scan, "a record without features");
    if (!r->options->header)
        r->scan = first;
    return SP_OK;
}

static sp_status csv_record(sp_reading *r, double *x, double *label)
{
    sp_status status = SP_OK;
    sp_word_view field;
    bool more = true;
    size_t count = 0, feature = 0;
    if (memchr(r->scan.at, '"', (size_t)(r->scan.end - r->scan.at)))
        return sp_scan_fail(&r->scan, "quoted fields are not supported");
    for (; next_field(&r->scan, delimiter(r), &more, &field); count++) {
        double number = 0.0;
        if (count == r->label) {
            SP_TRY(read_label(r, field, label));
            continue;
        }
        if (sp_word_number(field, &number)) {
            if (x && feature < r->d)
                x[feature] = number;
            feature++;
            continue;
        }
        return sp_scan_fail(&r->scan, "field %zu '%.*s' is not a finite number%s", count + 1, sp_word_shown(field),
                            field.start, r->scan.line == 1 ? " (is the first line a header?)" : "");
    }
    if (count != r->fields)
        return sp_scan_fail(&r->scan, "%zu fields, expected %zu", count, r->fields);
cleanup:
    return status;
}

/* --- FANN ---------------------------------------------------------------------------------------------------- */

static sp_status fann_start(sp_reading *r)
{
    sp_status status = SP_OK;
    sp_word_view word;
    size_t *const wanted[] = { &r->rows, &r->d, &r->outputs };
    static const char *const names[] = { "number of rows", "number of inputs", "number of outputs" };
    static const size_t most[] = { rows_max, index_max, index_max };
    const size_t d = r->d;
    if (!sp_scan_line(&r->scan))
        return SP_OK;
    for (size_t i = 0; i < 3; i++) {
        sp_scan_word(&r->scan, ' ', &word);
        SP_TRY(sp_scan_count(&r->scan, names[i], word, most[i], wanted[i]));
    }
    if (sp_scan_word(&r->scan, ' ', &word))
        return sp_scan_fail(&r->scan, "'%.*s' after rows, inputs and outputs", sp_word_shown(word), word.start);
    if (d != 0 && r->d != d)
        return sp_scan_fail(&r->scan, "%zu features, expected %zu", r->d, d);
    if (r->outputs > 1 && !r->options->positive)
        return sp_scan_fail(&r->scan, "%zu outputs: `positive` must name the one that becomes +1", r->outputs);
cleanup:
    return status;
}

/* `count` numbers and nothing else on the current line; the position of the largest, if one is. */
static sp_status fann_numbers(sp_reading *r, const char *what, size_t count, double *x, size_t *largest, bool *single)
{
    sp_status status = SP_OK;
    sp_word_view word;
    double number, most = -INFINITY;
    size_t seen = 0;
    for (; sp_scan_word(&r->scan, ' ', &word); seen++) {
        SP_TRY(sp_scan_number(&r->scan, what, word, &number));
        if (x && seen < count)
            x[seen] = number;
        if (number >= most) {
            *single = number > most;
            *largest = seen;
            most = number;
        }
    }
    if (seen != count)
        return sp_scan_fail(&r->scan, "%zu numbers, expected %zu (%ss)", seen, count, what);
cleanup:
    return status;
}

static sp_status fann_label(sp_reading *r, double *label)
{
    sp_status status = SP_OK;
    sp_word_view word;
    char index[32];
    size_t largest = 0;
    bool single = true;
    if (r->outputs == 1) {
        sp_scan_word(&r->scan, ' ', &word);
        SP_TRY(sp_scan_number(&r->scan, "output", word, label));
        SP_TRY(read_label(r, word, label));
        if (sp_scan_word(&r->scan, ' ', &word))
            return sp_scan_fail(&r->scan, "more than 1 output");
        return SP_OK;
    }
    SP_TRY(fann_numbers(r, "output", r->outputs, NULL, &largest, &single));
    if (!single)
        return sp_scan_fail(&r->scan, "no single output is the largest");
    const int length = snprintf(index, sizeof index, "%zu", largest);
    SP_TRY(read_label(r, (sp_word_view){ index, (size_t)length }, label));
cleanup:
    return status;
}

static sp_status fann_record(sp_reading *r, double *x, double *label)
{
    sp_status status = SP_OK;
    size_t largest;
    bool single;
    if (r->read == r->rows)
        return sp_scan_fail(&r->scan, "rubbish after the last of %zu rows", r->rows);
    SP_TRY(fann_numbers(r, "input", r->d, x, &largest, &single));
    if (!sp_scan_line(&r->scan))
        return sp_scan_fail(&r->scan, "the line of outputs is missing");
    SP_TRY(fann_label(r, label));
cleanup:
    return status;
}

static sp_status fann_finish(const sp_reading *r)
{
    if (r->read < r->rows)
        return sp_scan_fail(&r->scan, "the text ends after %zu of %zu rows", r->read, r->rows);
    return SP_OK;
}

const sp_format_reader sp_format_readers[] = {
    [SP_FORMAT_LIBSVM] = { .record = libsvm_record },
    [SP_FORMAT_CSV] = { csv_start, csv_record, NULL },
    [SP_FORMAT_FANN] = { fann_start, fann_record, fann_finish },
};
