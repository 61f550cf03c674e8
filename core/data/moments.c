/* moments.c -- creates datasets stored as counts (moments.h), and draws batches from them. */
#include "core/data/moments.h"

#include "core/numeric/counts.h"
#include "core/base/memory.h"

#include <math.h>
#include <string.h>

/* In one block: the counts, the mean, the parts. */
static sp_moments *moments_new(size_t rows, size_t parts, size_t d, double **mean)
{
    const size_t doubles = parts * rows + d;
    sp_moments *m = sp_alloc(1, sizeof *m + doubles * sizeof(double) + d * sizeof(uint32_t));
    if (!m)
        return NULL;
    m->rows = rows;
    m->parts = parts;
    m->count = (double *)(void *)(m + 1);
    *mean = m->count + parts * rows;
    m->part = (uint32_t *)(void *)(*mean + d);
    return m;
}

static sp_status fill(sp_dataset *s, const sp_moments *like, size_t n, sp_error *error)
{
    double *mean;
    sp_moments *m = moments_new(like->rows, like->parts, s->d, &mean);
    if (!m)
        return sp_fail(error, SP_ENOMEM, "moments: out of memory for %zu parts of %zu values", like->parts, like->rows);
    memcpy(m->count, like->count, like->parts * like->rows * sizeof *m->count);
    memcpy(m->part, like->part, s->d * sizeof *m->part);
    m->marked = like->marked;
    s->moments = m;
    s->mean = mean;
    s->n = n;
    sp_moments_mean(s);
    return SP_OK;
}

sp_status sp_moments_make(sp_dataset *s, size_t n, size_t parts, const uint32_t *part, const double *count, bool marked,
                          sp_error *error)
{
    for (size_t p = 0; p < parts; p++) {
        double sum = 0.0;
        for (size_t k = 0; k < s->n; k++) {
            const double here = count[p * s->n + k];
            if (!(here >= 0.0 && here == floor(here)))
                return sp_fail(error, SP_EINVAL, "moments: value %zu of part %zu counts %g times", k, p, here);
            sum += here;
        }
        if (sum != (double)n)
            return sp_fail(error, SP_EINVAL, "moments: part %zu counts %.17g records, there are %zu", p, sum, n);
    }
    const sp_moments given = { .rows = s->n, .parts = parts, .part = (uint32_t *)part, .count = (double *)count,
                               .marked = marked };
    return fill(s, &given, n, error);
}

sp_status sp_moments_like(const sp_dataset *from, sp_dataset *out, sp_error *error)
{
    *out = *from;
    out->mapping = NULL;
    out->mapped = false;
    out->moments = NULL;
    return fill(out, from->moments, from->n, error);
}

void sp_moments_mean(sp_dataset *s)
{
    sp_moments *m = s->moments;
    double *mean = (double *)s->mean;
    m->total = (double)s->n;
    memset(mean, 0, s->d * sizeof *mean);
    for (size_t k = 0; k < m->rows; k++)
        if (s->storage == SP_STORE_SPARSE)
            for (uint64_t e = s->start[k]; e < s->start[k + 1]; e++)
                mean[s->column[e]] += m->count[k] * s->entry[e];
        else
            for (size_t j = 0; j < s->d; j++)
                mean[j] += m->count[m->part[j] * m->rows + k] * s->X[k * s->stride + j];
    for (size_t j = 0; j < s->d; j++)
        mean[j] /= m->total;
}

sp_status sp_moments_draw(sp_dataset *left, size_t m, gsl_rng *stream, sp_dataset *batch, sp_error *error)
{
    if (m > left->n)
        return sp_fail(error, SP_EINVAL, "moments: %zu records asked for, %zu are left", m, left->n);
    sp_moments *from = left->moments, *to = batch->moments;
    const size_t rows = from->rows, values = rows - from->marked;
    const bool there = from->marked && from->count[values] > 0.0;
    const bool taken = there && gsl_rng_uniform(stream) * (double)left->n < (double)m;
    for (size_t p = 0; p < from->parts; p++) {
        double *rest = from->count + p * rows, *out = to->count + p * rows;
        size_t others = left->n - there, wanted = m - taken;
        for (size_t k = 0; k < values; k++) {
            const size_t here = (size_t)rest[k], count = sp_hypergeometric(stream, here, others - here, wanted);
            out[k] = (double)count;
            rest[k] -= out[k];
            others -= here;
            wanted -= count;
        }
        if (from->marked) {
            out[values] = taken ? 1.0 : 0.0;
            rest[values] -= out[values];
        }
    }
    left->n -= m;
    batch->n = m;
    sp_moments_mean(batch);
    return SP_OK;
}
