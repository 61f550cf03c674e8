/* reader.c -- the code that all formats share: options, labels, and finishing the dataset. */
#include "core/data/read/reader.h"

#include "core/base/memory.h"
#include "core/data/read/formats.h"
#include "core/data/layout.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sp_format_reader *const readers[] = {
    [SP_FORMAT_LIBSVM] = &sp_read_libsvm,
    [SP_FORMAT_CSV] = &sp_read_csv,
    [SP_FORMAT_FANN] = &sp_read_fann,
    [SP_FORMAT_IDX] = &sp_read_idx,
    [SP_FORMAT_ARFF] = &sp_read_arff,
};

char *sp_read_options_text(const sp_read_options *o)
{
    const char *const words[] = { o->label, o->categorical, o->omit, o->bounds, o->labels, o->positive, o->negative };
    const char *word[7];
    char *more = NULL;
    for (size_t i = 0; i < 7; i++)
        word[i] = words[i] ? words[i] : "";
    /* said only where it is not the default: the texts of data that were read before these options stay as they were */
    if (o->choose_storage || o->zero_based || o->comment || o->decimal_comma || o->index || o->missing_words)
        if (!(more = sp_format("\nchoose %d zero_based %d comment %d comma %d\n%s\n%s", o->choose_storage,
                               o->zero_based, o->comment, o->decimal_comma, o->index ? o->index : "",
                               o->missing_words ? o->missing_words : "")))
            return NULL;
    char *text = sp_format("format %d storage %d d %zu delimiter %d header %d missing %d regression %d"
                           "\n%s\n%s\n%s\n%s\n%s\n%s\n%s%s",
                           (int)o->format, (int)o->storage, o->d, o->delimiter, o->header, (int)o->missing,
                           o->regression, word[0], word[1], word[2], word[3], word[4], word[5], word[6],
                           more ? more : "");
    free(more);
    return text;
}

static sp_status check_options(const char *name, const sp_read_options *o, sp_error *error)
{
    const char *wrong = NULL;
    const bool columns = o->format == SP_FORMAT_CSV || o->format == SP_FORMAT_ARFF;
    if (o->storage != SP_STORE_DENSE && o->storage != SP_STORE_SPARSE)
        wrong = "storage must be dense or sparse";
    else if (o->negative && !o->positive)
        wrong = "`negative` needs `positive`";
    else if (o->negative && strcmp(o->negative, o->positive) == 0)
        wrong = "`negative` is the same label as `positive`";
    else if (o->regression && o->positive)
        wrong = "`regression` keeps the labels, `positive` does not";
    else if (!columns &&
             (o->label || o->categorical || o->omit || o->index || o->missing || o->missing_words || o->bounds))
        wrong =
            "`label`, `categorical`, `omit`, `index`, `missing`, `missing_words` and bounds of columns are for csv and "
            "arff";
    else if (o->format != SP_FORMAT_CSV && (o->comment || o->decimal_comma))
        wrong = "`comment` and `decimal` are for csv";
    else if (o->format != SP_FORMAT_LIBSVM && o->zero_based)
        wrong = "`zero_based` is for libsvm";
    else if (o->labels && o->format != SP_FORMAT_IDX)
        wrong = "`labels` is the path of the labels of idx images; `label` names the column of a csv";
    return wrong ? sp_fail(error, SP_EINVAL, "%s: %s", name, wrong) : SP_OK;
}

/* --- labels -------------------------------------------------------------------------------------------------- */

static sp_wanted want(const char *text)
{
    sp_wanted wanted = { .text = text };
    if (text)
        wanted.numeric = sp_word_number((sp_word_view){ text, strlen(text) }, &wanted.number);
    return wanted;
}

/* A label may be written as another spelling of the same number. */
static bool meets(sp_wanted *wanted, sp_word_view word)
{
    double number;
    const bool met = wanted->text && (sp_word_is(word, wanted->text) ||
                                      (wanted->numeric && sp_word_number(word, &number) && number == wanted->number));
    wanted->met += met;
    return met;
}

sp_status sp_reading_fits(const sp_reading *r, size_t block)
{
    const size_t size = sp_reading_size(r) + block;
    if (size <= r->limit)
        return SP_OK;
    return sp_fail(r->error, SP_ELIMIT, "%s:%zu: reading takes more than %.6g MiB (%zu records; `limit` is the limit)",
                   r->scan.name, r->scan.line, (double)r->limit / 1048576.0, r->records.n);
}

sp_status sp_reading_end(sp_reading *r, sp_word_view word)
{
    double label = 0.0;
    bool keep = true;
    if (!r->positive.text) {
        if (word.length == 0 || !sp_word_number(word, &label))
            return sp_scan_fail(&r->scan, "label '%.*s' is not a finite number%s", sp_word_shown(word), word.start,
                                r->options->regression ? sp_word_remedy(word)
                                                       : " (of words, `positive` names the one that becomes +1)");
    } else if (word.length == 0) {
        return sp_scan_fail(&r->scan, "the label is empty");
    } else if (meets(&r->positive, word)) {
        label = 1.0;
    } else {
        label = -1.0;
        keep = meets(&r->negative, word) || !r->negative.text;
    }
    const sp_status status = sp_collect_end(&r->records, label, keep);
    return status == SP_OK ? sp_reading_fits(r, 0) : status;
}

sp_status sp_reading_width(sp_reading *r, size_t d)
{
    const size_t expected = r->d ? r->d : r->options->d;
    if (expected != 0 && d != expected)
        return sp_scan_fail(&r->scan, "%zu features, expected %zu", d, expected);
    r->d = d;
    return SP_OK;
}

/* Exactly two values become -1 and +1. */
static void make_binary(size_t n, double *y)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = y[i] < low ? y[i] : low;
        high = y[i] > high ? y[i] : high;
    }
    if (low == high)
        return;
    for (size_t i = 0; i < n; i++)
        if (y[i] != low && y[i] != high)
            return;
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] == high ? 1.0 : -1.0;
}

/* --- storage ------------------------------------------------------------------------------------------------- */

bool sp_dense_is_wasteful(size_t n, size_t d, size_t entries)
{
    const size_t most = (size_t)64 << 20, factor = 8;
    const double dense = (double)n * (double)sp_dense_stride(d) * sizeof(double);
    const double sparse = (double)entries * (sizeof(double) + sizeof(uint32_t)) + (double)n * sizeof(uint64_t);
    return dense > (double)most && dense > (double)factor * sparse;
}

/* --- the whole ----------------------------------------------------------------------------------------------- */

static double largest(size_t n, const double *y)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fabs(y[i]) > most ? fabs(y[i]) : most;
    return most;
}

static sp_status read_all(sp_reading *r, const sp_source *source, size_t count)
{
    sp_status status = SP_OK;
    const sp_format_reader *reader = readers[r->options->format];
    if (count % reader->files != 0)
        return sp_fail(r->error, SP_EINVAL, "%s: images and their labels are two files: `labels` names the second",
                       source->name);
    for (size_t i = 0; i < count; i++)
        r->text += source[i].size;
    SP_TRY(sp_collect_start(&r->records, r->text / 2 + count, r->text / reader->width + count, r->error));
    for (size_t i = 0; i < count; i += reader->files)
        SP_TRY(reader->read(r, source + i));
    if (reader->finish)
        SP_TRY(reader->finish(r));
cleanup:
    return status;
}

static sp_status check_records(const sp_reading *r, const char *name)
{
    const sp_wanted *const wanted[] = { &r->positive, &r->negative };
    static const char *const what[] = { "positive", "negative" };
    if (r->records.n == 0 && r->positive.met + r->negative.met == 0 && !r->negative.text)
        return sp_fail(r->error, SP_EDATA, "%s: there are no records", name);
    for (size_t i = 0; i < 2; i++)
        if (wanted[i]->text && wanted[i]->met == 0)
            return sp_fail(r->error, SP_EDATA, "%s: no record has the %s label '%s'", name, what[i], wanted[i]->text);
    return r->d > 0 ? SP_OK : sp_fail(r->error, SP_EDATA, "%s: no record has a feature", name);
}

sp_status sp_read_dataset(const sp_source *source, size_t count, const sp_read_options *options, sp_dataset *out,
                          sp_error *error)
{
    sp_status status = SP_OK;
    const char *name = source->name;
    sp_reading r = { .options = options, .error = error, .limit = sp_content_limit(options->limit),
                     .positive = want(options->positive), .negative = want(options->negative) };
    *out = (sp_dataset){ 0 };
    SP_TRY(check_options(name, options, error));
    SP_TRY(read_all(&r, source, count));
    SP_TRY(check_records(&r, name));
    if (!options->positive && !options->regression)
        make_binary(r.records.n, r.records.y);
    const double bound = largest(r.records.n, r.records.y);
    const size_t d = options->d ? options->d : r.d;
    const bool wasteful = options->choose_storage && sp_dense_is_wasteful(r.records.n, d, r.records.entries);
    const sp_storage storage = wasteful ? SP_STORE_SPARSE : options->storage;
    SP_TRY(sp_reading_fits(&r, sp_layout_size(storage, r.records.n, d, r.records.entries, true)));
    if ((status = sp_collected_dataset(&r.records, storage, d, out, error)) != SP_OK ||
        (status = sp_records_seal(out, DBL_MAX, bound, error)) != SP_OK) {
        sp_fail_prefix(error, "%s", name);
        goto cleanup;
    }
    out->radius = largest(out->n, out->norm);

cleanup:
    if (status != SP_OK)
        sp_dataset_free(out);
    sp_collect_free(&r.records);
    sp_columns_free(r.columns);
    return status;
}
