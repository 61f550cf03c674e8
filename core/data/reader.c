/* reader.c -- a text into a dataset: one pass that counts and checks, one that keeps. */
#include "core/data/reader.h"

#include "core/data/formats.h"

#include <float.h>
#include <math.h>

static sp_status no_blank(const sp_reading *r)
{
    for (const char *at = r->scan.at; at < r->scan.end; at++)
        if (*at != ' ' && *at != '\t')
            return SP_OK;
    return sp_scan_fail(&r->scan, "an empty line");
}

/* With X == NULL only counts and checks. */
static sp_status pass(sp_reading *r, double *X, size_t stride, double *y)
{
    sp_status status = SP_OK;
    const sp_format_reader *format = &sp_format_readers[r->options->format];
    if (format->start)
        SP_TRY(format->start(r));
    for (; sp_scan_line(&r->scan); r->read++) {
        double label = 0.0;
        SP_TRY(no_blank(r));
        SP_TRY(format->record(r, X ? X + r->read * stride : NULL, &label));
        if (y)
            y[r->read] = label;
    }
    if (format->finish)
        SP_TRY(format->finish(r));
cleanup:
    return status;
}

/* Exactly two values become -1 and +1. */
static void make_binary(size_t n, double *y)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    if (low == high)
        return;
    for (size_t i = 0; i < n; i++)
        if (y[i] != low && y[i] != high)
            return;
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] == high ? 1.0 : -1.0;
}

static double largest(size_t n, const double *y)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(y[i]));
    return most;
}

sp_status sp_read_dataset(const char *name, const char *bytes, size_t size, const sp_read_options *options,
                          sp_dataset *out, sp_error *error)
{
    sp_status status = SP_OK;
    double *X = NULL, *y = NULL;
    sp_reading counted = { .options = options, .d = options->d }, kept = counted;
    *out = (sp_dataset){ 0 };

    sp_scan_start(&counted.scan, name, bytes, size, error);
    SP_TRY(pass(&counted, NULL, 0, NULL));
    if (counted.read == 0) {
        status = sp_fail(error, SP_EDATA, "%s: there are no records", name);
        goto cleanup;
    }
    if (options->positive && counted.positive == 0) {
        status = sp_fail(error, SP_EDATA, "%s: no record has the positive label '%s'", name, options->positive);
        goto cleanup;
    }
    if ((status = sp_dataset_new(counted.read, counted.d, true, true, out, &X, &y, error)) != SP_OK) {
        sp_fail_prefix(error, "%s", name);
        goto cleanup;
    }
    sp_scan_start(&kept.scan, name, bytes, size, error);
    SP_TRY(pass(&kept, X, out->stride, y));
    if (!options->positive && !options->regression)
        make_binary(out->n, y);
    if ((status = sp_dataset_seal(out, DBL_MAX, largest(out->n, y), error)) != SP_OK) {
        sp_fail_prefix(error, "%s", name);
        goto cleanup;
    }
    out->radius = largest(out->n, out->norm);

cleanup:
    if (status != SP_OK)
        sp_dataset_free(out);
    return status;
}
