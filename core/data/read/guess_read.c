/* guess_read.c -- reads a CSV or an ARFF once to count what its columns hold, and the labels of other formats. */
#include "core/data/read/guess_parts.h"

#include "core/data/read/arff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sp_status make_columns(sp_guessing *g, size_t count)
{
    SP_GUESS_NEED(g, g->column = sp_arena_alloc(g->scratch, count, sizeof *g->column));
    g->names.count = count; /* from now on the columns are freed */
    return SP_OK;
}

/* --- csv ------------------------------------------------------------------------------------------------------- */

static sp_status read_first(sp_guessing *g)
{
    sp_status status = SP_OK;
    sp_word_view field;
    bool further = true, more;
    size_t count = 0;
    SP_TRY(sp_csv_record(&g->scan, g->options->delimiter, &more));
    if (!more)
        return sp_fail(g->error, SP_EDATA, "%s: there are no records", g->source->name);
    sp_scan line = g->scan;
    for (; further; count++)
        SP_TRY(sp_csv_field(&line, g->options->delimiter, g->scratch, &further, &field));
    if (count == 1)
        return sp_scan_fail(&g->scan, "'%.*s' is the only column, without features (delimiter \"%c\"): set delimiter",
                            sp_word_shown(field), field.start, g->options->delimiter);
    sp_word_view *first = sp_arena_alloc(g->scratch, count, sizeof *first);
    SP_GUESS_NEED(g, first);
    for (size_t i = 0; i < count; i++)
        SP_TRY(sp_csv_field(&g->scan, g->options->delimiter, g->scratch, &further, &first[i]));
    g->first = first;
    g->first_line = g->scan.line;
    SP_TRY(make_columns(g, count));
cleanup:
    return status;
}

static sp_status read_record(sp_guessing *g)
{
    sp_status status = SP_OK;
    sp_word_view field;
    size_t count = 0;
    for (bool further = true; further; count++) {
        SP_TRY(sp_csv_field(&g->scan, g->options->delimiter, g->scratch, &further, &field));
        if (count < g->names.count)
            SP_TRY(sp_guess_count(g, &g->column[count], field, g->scan.line));
    }
    if (count != g->names.count)
        return sp_scan_fail(&g->scan, "%zu field%s, the first line has %zu (delimiter \"%c\")", count,
                            count == 1 ? "" : "s", g->names.count, g->options->delimiter);
    g->seen->records++;
cleanup:
    return status;
}

sp_status sp_guess_read_csv(sp_guessing *g)
{
    sp_status status = SP_OK;
    sp_guess_rewind(g);
    g->scan.error = g->error;
    SP_TRY(read_first(g));
    for (bool more = true;;) {
        SP_TRY(sp_csv_record(&g->scan, g->options->delimiter, &more));
        if (!more)
            break;
        SP_TRY(read_record(g));
    }
cleanup:
    return status;
}

/* --- arff ------------------------------------------------------------------------------------------------------ */

static sp_status read_arff_record(sp_guessing *g, const sp_arff *arff)
{
    sp_status status = SP_OK;
    sp_arff_record record;
    sp_word_view word;
    size_t place;
    bool more, labelled = false;
    sp_arff_start(&g->scan, &record);
    for (;;) {
        SP_TRY(sp_arff_value(&g->scan, arff, &record, g->scratch, &more, &place, &word));
        if (!more)
            break;
        SP_TRY(sp_guess_count(g, &g->column[place], word, g->scan.line));
        labelled = labelled || place == g->label;
    }
    if (!labelled)
        SP_TRY(sp_guess_count(g, &g->column[g->label], (sp_word_view){ "0", 1 }, g->scan.line));
    g->seen->records++;
cleanup:
    return status;
}

/* What sparse records left out is 0. */
static void count_zeros(const sp_guessing *g)
{
    for (size_t i = 0; i < g->names.count; i++) {
        sp_guess_column *c = &g->column[i];
        if (c->numbers + c->words + c->missing == g->seen->records || c->words > 0)
            continue;
        c->low = c->numbers > 0 ? fmin(c->low, 0.0) : 0.0;
        c->high = c->numbers > 0 ? fmax(c->high, 0.0) : 0.0;
        c->numbers = g->seen->records - c->missing;
        c->counts = c->ascends = false;
    }
}

sp_status sp_guess_read_arff(sp_guessing *g)
{
    sp_status status = SP_OK;
    const char *label = g->options->label ? g->options->label : "-1";
    sp_arff arff;
    bool more;
    sp_guess_rewind(g);
    g->scan.error = g->error;
    SP_TRY(sp_arff_head(&g->scan, g->scratch, &arff));
    if (arff.count == 1)
        return sp_scan_fail(&g->scan, "'%.*s' is the only attribute, without features", sp_word_shown(arff.name[0]),
                            arff.name[0].start);
    SP_TRY(make_columns(g, arff.count));
    SP_TRY(sp_csv_index(&g->names, g->scratch, arff.name, arff.count, g->error));
    SP_TRY(sp_csv_find(&g->scan, &g->names, "label", (sp_word_view){ label, strlen(label) }, &g->label));
    g->first = arff.name;
    for (size_t i = 0; i < arff.count; i++)
        if (arff.attribute[i].kind != SP_ARFF_NUMBER) {
            g->column[i].kind = SP_COLUMN_WORDS;
            g->column[i].declared = arff.attribute[i].kind == SP_ARFF_NOMINAL;
        }
    for (;;) {
        SP_TRY(sp_scan_line(&g->scan, &more));
        if (!more)
            break;
        SP_TRY(read_arff_record(g, &arff));
    }
    count_zeros(g);
cleanup:
    return status;
}

/* --- other formats --------------------------------------------------------------------------------------------- */

static sp_status count_libsvm(sp_guessing *g, sp_guess_column *labels)
{
    sp_status status = SP_OK;
    sp_word_view word;
    g->scan.comment = '#';
    for (bool more = true; more;) {
        SP_TRY(sp_scan_line(&g->scan, &more));
        /* the reader says so */
        if (more && sp_scan_word(&g->scan, ' ', &word) && !memchr(word.start, ':', word.length))
            SP_TRY(sp_guess_count(g, labels, word, g->scan.line));
        g->seen->records += more;
    }
cleanup:
    return status;
}

/* Of a single output. */
static sp_status count_fann(sp_guessing *g, sp_guess_column *labels)
{
    sp_status status = SP_OK;
    sp_word_view word;
    double outputs = 0.0;
    for (bool more = true; more;) {
        SP_TRY(sp_scan_line(&g->scan, &more));
        const size_t line = g->scan.line;
        for (size_t i = 0; more && line == 1 && i < 3 && sp_scan_word(&g->scan, ' ', &word); i++)
            sp_word_number(word, &outputs);
        if (more && line % 2 == 1 && line > 1 && outputs == 1.0 && sp_scan_word(&g->scan, ' ', &word))
            SP_TRY(sp_guess_count(g, labels, word, line));
        g->seen->records += more && line % 2 == 1 && line > 1;
    }
cleanup:
    return status;
}

static sp_status count_idx(sp_guessing *g, const sp_source *source, sp_guess_column *labels)
{
    enum { HEAD = 8 };
    sp_status status = SP_OK;
    for (size_t i = HEAD; i < source->size; i++) {
        char text[4], *kept = NULL;
        const int length = snprintf(text, sizeof text, "%d", (unsigned char)source->bytes[i]);
        const sp_guess_tallied *found = sp_guess_tally_find(&labels->values, (sp_word_view){ text, (size_t)length });
        if (!found)
            SP_GUESS_NEED(g, kept = sp_arena_copy(g->scratch, text));
        SP_TRY(sp_guess_count(g, labels, (sp_word_view){ found ? found->word.start : kept, (size_t)length }, 0));
        g->seen->records++;
    }
cleanup:
    return status;
}

sp_status sp_guess_read_labels(sp_guessing *g, size_t sources, sp_guess_column *labels)
{
    sp_guess_rewind(g);
    g->scan.error = g->error;
    if (g->options->format == SP_FORMAT_LIBSVM)
        return count_libsvm(g, labels);
    if (g->options->format == SP_FORMAT_FANN)
        return count_fann(g, labels);
    return sources > 1 ? count_idx(g, &g->source[1], labels) : SP_OK;
}
