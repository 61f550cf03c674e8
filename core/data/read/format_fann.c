/* format_fann.c -- reads FANN's format: a line "rows inputs outputs", then for each row a line of inputs and a line of
 * outputs. */
#include "core/data/read/formats.h"

#include <math.h>
#include <stdio.h>

/* The first line. */
typedef struct sizes {
    size_t rows;    /* records */
    size_t inputs;  /* features of each */
    size_t outputs; /* numbers that tell its label */
} sizes;

static sp_status start(sp_reading *r, sizes *s)
{
    sp_status status = SP_OK;
    sp_word_view word;
    static const char *const names[] = { "number of rows", "number of inputs", "number of outputs" };
    size_t *const wanted[] = { &s->rows, &s->inputs, &s->outputs };
    for (size_t i = 0; i < 3; i++) {
        sp_scan_word(&r->scan, ' ', &word);
        SP_TRY(sp_scan_count(&r->scan, names[i], word, 1, SP_INDEX_MAX, wanted[i]));
    }
    if (sp_scan_word(&r->scan, ' ', &word))
        return sp_scan_fail(&r->scan, "'%.*s' after rows, inputs and outputs", sp_word_shown(word), word.start);
    if (s->outputs > 1 && !r->options->positive)
        return sp_scan_fail(&r->scan, "%zu outputs: `positive` must name the one that becomes +1", s->outputs);
    SP_TRY(sp_reading_width(r, s->inputs));
cleanup:
    return status;
}

static sp_status wrong_count(sp_reading *r, const char *what, size_t seen, size_t count)
{
    return seen == count ? SP_OK : sp_scan_fail(&r->scan, "%zu numbers, expected %zu (%ss)", seen, count, what);
}

static sp_status inputs(sp_reading *r, size_t count)
{
    sp_status status = SP_OK;
    sp_word_view word;
    double number;
    size_t seen = 0;
    for (; sp_scan_word(&r->scan, ' ', &word); seen++) {
        SP_TRY(sp_scan_number(&r->scan, "input", word, &number));
        SP_TRY(sp_collect(&r->records, seen, number));
    }
    SP_TRY(wrong_count(r, "input", seen, count));
cleanup:
    return status;
}

/* The label is the only output, or the number of the largest. */
static sp_status outputs(sp_reading *r, size_t count)
{
    sp_status status = SP_OK;
    sp_word_view word, only = { "", 0 };
    char index[32];
    double number, most = -INFINITY;
    size_t seen = 0, largest = 0;
    bool single = true;
    for (; sp_scan_word(&r->scan, ' ', &word); seen++) {
        SP_TRY(sp_scan_number(&r->scan, "output", word, &number));
        only = word;
        if (number >= most) {
            single = number > most;
            largest = seen;
            most = number;
        }
    }
    SP_TRY(wrong_count(r, "output", seen, count));
    if (count == 1)
        return sp_reading_end(r, only);
    if (!single)
        return sp_scan_fail(&r->scan, "no single output is the largest");
    const int length = snprintf(index, sizeof index, "%zu", largest);
    SP_TRY(sp_reading_end(r, (sp_word_view){ index, (size_t)length }));
cleanup:
    return status;
}

static sp_status read(sp_reading *r, const sp_source *source)
{
    sp_status status = SP_OK;
    sizes size = { 0 };
    bool more;
    sp_scan_start(&r->scan, source->name, source->bytes, source->size, r->error);
    SP_TRY(sp_scan_line(&r->scan, &more));
    if (!more)
        return SP_OK;
    SP_TRY(start(r, &size));
    for (size_t i = 0; i < size.rows; i++) {
        SP_TRY(sp_scan_line(&r->scan, &more));
        if (!more)
            return sp_scan_fail(&r->scan, "the text ends after %zu of %zu rows", i, size.rows);
        SP_TRY(inputs(r, size.inputs));
        SP_TRY(sp_scan_line(&r->scan, &more));
        if (!more)
            return sp_scan_fail(&r->scan, "the line of outputs is missing");
        SP_TRY(outputs(r, size.outputs));
    }
    SP_TRY(sp_scan_line(&r->scan, &more));
    if (more)
        return sp_scan_fail(&r->scan, "rubbish after the last of %zu rows", size.rows);
cleanup:
    return status;
}

const sp_format_reader sp_read_fann = { .width = 2, .files = 1, .read = read };
