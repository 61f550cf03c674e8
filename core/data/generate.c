/* generate.c -- makes data sets by a generator (generate.h), in any storage. */
#include "core/data/generate.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/data/layout.h"
#include "core/data/moments.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const size_t dense_max = (size_t)1 << 27; /* doubles of a dense population: 1 GiB */

bool sp_generator_realisable(const sp_generator *generator, const sp_values *values, const sp_domain *domain)
{
    if (!generator->realisable || !generator->realisable(values))
        return false;
    return domain->kind == SP_DOMAIN_SPACE ||
           (domain->kind == SP_DOMAIN_L2_BALL && generator->truth_norm(values, domain->d) <= domain->radius);
}

double sp_generator_largest(const sp_generator *generator, const sp_values *values, size_t d)
{
    return generator->signs ? generator->radius(values, d) / sqrt((double)d) : 0.0;
}

static size_t parts_of(const sp_generator *generator, const sp_values *values, size_t d)
{
    return generator->parts->part(values, d, d - 1) + 1;
}

static sp_status check_moments(const sp_generator *generator, const sp_values *values, size_t n, size_t d,
                               sp_error *error)
{
    if (n == 0 || n > UINT32_MAX || d == 0)
        return sp_fail(error, SP_EINVAL, "n = %zu, d = %zu, moments: there must be a feature, and from 1 to 2^32 - 1 "
                       "records", n, d);
    const sp_storage storage = generator->parts->whole ? SP_STORE_SPARSE : SP_STORE_DENSE;
    return sp_dataset_check(storage, generator->parts->values(values, d), d, d, error);
}

sp_status sp_generate_check(const sp_generator *generator, const sp_values *values, sp_storage storage, size_t n,
                            size_t d, sp_error *error)
{
    const bool moments = storage == SP_STORE_MOMENTS;
    if (storage == SP_STORE_SPARSE || (storage == SP_STORE_SIGNS && !generator->signs))
        return sp_fail(error, SP_EUNSUPPORTED, "storage = %s: %s records cannot be stored so",
                       sp_storage_names[storage], generator->name);
    if (moments && !generator->parts)
        return sp_fail(error, SP_EUNSUPPORTED, "storage = moments: %s records are not made of parts that take a few "
                       "values each, as those of angles and one_hot are", generator->name);
    const sp_status status = moments ? check_moments(generator, values, n, d, error)
                                     : sp_dataset_check(storage, n, d, 0, error);
    if (status != SP_OK)
        return status;
    const char *reason = generator->fits ? generator->fits(values, d) : NULL;
    return reason ? sp_fail(error, SP_EINVAL, "%s, d = %zu: %s", generator->name, d, reason) : SP_OK;
}

/* What makes any record again. */
typedef struct recipe {
    const sp_generator *generator;
    sp_values values;      /* its parameters */
    sp_stream_key records; /* record i comes from substream i */
    double truth[];        /* what all records share */
} recipe;

static sp_status recipe_new(const sp_generator *generator, const sp_values *values, size_t d, sp_stream_key truth,
                            sp_stream_key records, recipe **out, sp_error *error)
{
    const size_t count = generator->truth ? generator->truth(values, d) : 0;
    if (!(*out = sp_alloc(1, sizeof **out + count * sizeof(double))))
        return sp_fail(error, SP_ENOMEM, "%s, d = %zu: out of memory", generator->name, d);
    (*out)->generator = generator;
    memcpy(&(*out)->values, values, offsetof(sp_values, value) + values->count * sizeof *values->value);
    (*out)->records = records;
    sp_stream place;
    if (count > 0)
        generator->draw_truth(values, d, sp_stream_place(&place, truth), (*out)->truth);
    return SP_OK;
}

static void make_record(const recipe *r, size_t i, size_t d, double *restrict x, double *y)
{
    sp_stream place;
    if (r->generator->nth) {
        r->generator->nth(&r->values, d, r->truth, i, x, y);
        return;
    }
    gsl_rng *stream = sp_stream_place(&place, r->records);
    const bool opposite = r->generator->opposites && i % 2 == 1;
    sp_stream_at(stream, opposite ? i - 1 : i);
    r->generator->record(&r->values, d, r->truth, stream, x, y);
    for (size_t j = 0; opposite && j < d; j++)
        x[j] = -x[j];
}

static void make_row(const void *context, size_t i, size_t d, double *restrict x)
{
    make_record(context, i, d, x, NULL);
}

static void pack(size_t d, const double *x, uint64_t *restrict sign)
{
    for (size_t first = 0; first < d; first += 64) {
        uint64_t word = 0;
        for (size_t j = first; j < d && j < first + 64; j++)
            word |= (uint64_t)(x[j] > 0.0) << j % 64;
        sign[first / 64] = word;
    }
}

/* The features where they are stored, the labels always. `row` is scratch for what is not stored densely. */
static void fill(const recipe *r, sp_dataset *out, double *row)
{
    double *X = sp_dataset_X(out), *y = sp_dataset_y(out);
    uint64_t *sign = sp_dataset_sign(out);
    if (out->storage == SP_STORE_INDEXED && !y)
        return;
    for (size_t i = 0; i < out->n; i++) {
        double *x = X ? X + i * out->stride : row;
        make_record(r, i, out->d, x, y ? y + i : NULL);
        if (sign)
            pack(out->d, x, sign + i * out->words);
    }
}

void sp_generated_content(const sp_generator *generator, const sp_values *values, sp_storage storage, size_t n,
                          size_t d, sp_stream_key truth, sp_stream_key records, char out[SP_HASH_HEX])
{
    const uint64_t shape[] = { storage, n, d };
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_text(&hash, "generated");
    sp_hash_text(&hash, generator->name);
    sp_hash_add(&hash, shape, sizeof shape);
    sp_hash_add(&hash, &truth, sizeof truth);
    sp_hash_add(&hash, &records, sizeof records);
    for (size_t i = 0; i < values->count; i++) {
        const double number = values->params[i].kind == SP_TEXT ? 0.0 : sp_real(values, i);
        sp_hash_add(&hash, &number, sizeof number);
        sp_hash_text(&hash, sp_word(values, i));
    }
    sp_hash_end_hex(&hash, out);
}

/* The values as rows: sparse where they are whole records, else dense. */
static sp_status value_rows(const recipe *r, size_t d, bool whole, sp_dataset *out, sp_error *error)
{
    const sp_generator *generator = r->generator;
    const size_t values = generator->parts->values(&r->values, d);
    sp_status status = SP_OK;
    size_t entries = 0;
    double *row = sp_alloc_doubles(d);
    if (!row)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s, d = %zu: out of memory", generator->name, d));
    for (size_t k = 0; k < values && whole; k++) {
        generator->parts->record(&r->values, d, r->truth, k, row, NULL);
        for (size_t j = 0; j < d; j++)
            entries += row[j] != 0.0;
    }
    SP_TRY(sp_dataset_new(whole ? SP_STORE_SPARSE : SP_STORE_DENSE, values, d, entries, generator->labels, false, out,
                          error));
    for (size_t k = 0, at = 0; k < values; k++) {
        double *x = whole ? row : sp_dataset_X(out) + k * out->stride, *y = sp_dataset_y(out);
        generator->parts->record(&r->values, d, r->truth, k, x, y ? y + k : NULL);
        for (size_t j = 0; j < d && whole; j++)
            if (x[j] != 0.0) {
                sp_dataset_column(out)[at] = (uint32_t)j;
                sp_dataset_entry(out)[at++] = x[j];
            }
        if (whole)
            sp_dataset_start(out)[k + 1] = at;
    }
    SP_TRY(sp_records_seal(out, generator->radius(&r->values, d), generator->label_bound(&r->values, d), error));
cleanup:
    free(row);
    return status;
}

static sp_status generate_moments(const sp_generator *generator, const sp_values *values, size_t n, size_t d,
                                  sp_stream_key truth, sp_stream_key records, sp_dataset *out, sp_error *error)
{
    const size_t parts = parts_of(generator, values, d), rows = generator->parts->values(values, d);
    sp_status status = SP_OK;
    recipe *r = NULL;
    sp_stream place;
    double *count = sp_alloc(parts, rows * sizeof *count);
    uint32_t *part = sp_alloc(d, sizeof *part);
    if (!count || !part)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s, d = %zu: out of memory", generator->name, d));
    SP_TRY(recipe_new(generator, values, d, truth, records, &r, error));
    SP_TRY(value_rows(r, d, generator->parts->whole, out, error));
    for (size_t j = 0; j < d; j++)
        part[j] = (uint32_t)generator->parts->part(values, d, j);
    generator->parts->draw(values, n, d, sp_stream_place(&place, records), count);
    SP_TRY(sp_moments_make(out, n, parts, part, count, false, error));
cleanup:
    free(part);
    free(count);
    free(r);
    return status;
}

sp_status sp_generate(const sp_generator *generator, const sp_values *values, sp_storage storage, size_t n, size_t d,
                      sp_stream_key truth, sp_stream_key records, sp_dataset *out, sp_error *error)
{
    *out = (sp_dataset){ 0 };
    recipe *r = NULL;
    double *row = NULL;
    sp_status status = SP_OK;
    SP_TRY(sp_generate_check(generator, values, storage, n, d, error));
    if (storage == SP_STORE_MOMENTS) {
        SP_TRY(generate_moments(generator, values, n, d, truth, records, out, error));
        sp_generated_content(generator, values, storage, n, d, truth, records, out->content);
        return SP_OK;
    }
    SP_TRY(recipe_new(generator, values, d, truth, records, &r, error));
    if (storage != SP_STORE_DENSE && !(row = sp_alloc_doubles(d))) {
        status = sp_fail(error, SP_ENOMEM, "%s, d = %zu: out of memory", generator->name, d);
        goto cleanup;
    }
    SP_TRY(sp_dataset_new(storage, n, d, 0, generator->labels, false, out, error));
    const double radius = generator->radius(values, d);
    out->largest = sp_generator_largest(generator, values, d);
    if (storage == SP_STORE_SIGNS)
        out->unit = out->largest;
    fill(r, out, row);
    if (storage == SP_STORE_INDEXED) {
        out->row_maker = make_row;
        out->row_context = r;
        out->row_free = free;
        r = NULL;
    }
    SP_TRY(sp_records_seal(out, radius, generator->label_bound(values, d), error));
    sp_generated_content(generator, values, storage, n, d, truth, records, out->content);

cleanup:
    if (status != SP_OK)
        sp_dataset_free(out);
    free(row);
    free(r);
    return status;
}

static sp_status generate_mean(const sp_generator *generator, const sp_values *values, size_t d, sp_stream_key truth,
                               sp_dataset *out, sp_error *error)
{
    *out = (sp_dataset){ 0 };
    recipe *r = NULL;
    sp_status status = SP_OK;
    if (!generator->mean && !generator->class_mean)
        return sp_fail(error, SP_EUNSUPPORTED, "%s: the mean of the records is not known", generator->name);
    SP_TRY(sp_generate_check(generator, values, SP_STORE_DENSE, 1, d, error));
    SP_TRY(recipe_new(generator, values, d, truth, truth, &r, error));
    SP_TRY(sp_dataset_new(SP_STORE_DENSE, 1, d, 0, generator->class_mean != NULL, false, out, error));
    if (generator->class_mean)
        sp_dataset_y(out)[0] = 1.0;
    (generator->class_mean ? generator->class_mean : generator->mean)(values, d, r->truth, sp_dataset_X(out));
    SP_TRY(sp_dataset_seal(out, generator->radius(values, d), generator->label_bound(values, d), error));

cleanup:
    if (status != SP_OK)
        sp_dataset_free(out);
    free(r);
    return status;
}

sp_status sp_generate_population(const sp_generator *generator, const sp_values *values, bool exact, size_t m, size_t d,
                                 sp_stream_key truth, sp_stream_key records, sp_dataset *out, sp_error *error)
{
    if (exact)
        return generate_mean(generator, values, d, truth, out, error);
    const sp_storage storage = generator->signs ? SP_STORE_SIGNS
        : d > 0 && m > dense_max / d            ? SP_STORE_INDEXED
                                                : SP_STORE_DENSE;
    return sp_generate(generator, values, storage, m, d, truth, records, out, error);
}
