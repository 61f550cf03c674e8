/* engine.c -- compares the engines on many records with the definition of their results: sums over the records, each
 * clipped by itself, and the public part separately. The numbers of rows and columns are not multiples of a block. */
#include "losses/certify/parts.h"

#include "core/base/memory.h"
#include "losses/engine/engine.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 613, FEATURES = 11, CHOSEN = 317, TERMS = 3 };

static const double tolerance = 1e-11;

typedef struct bench {
    sp_adversary adversary;
    size_t d;
    uint32_t index[CHOSEN];
    double *w[TERMS], *expected, *got, *one, *sum, *matrix;
} bench;

static size_t record_of(sp_rows rows, size_t i)
{
    return rows.index ? rows.index[i] : i;
}

static size_t count_of(sp_rows rows)
{
    return rows.index ? rows.count : RECORDS;
}

static void clip(size_t d, double *v, double bound)
{
    const double norm = cblas_dnrm2((int)d, v, 1);
    if (norm > bound)
        cblas_dscal((int)d, bound / norm, v, 1);
}

/* ||got - expected|| over `scale`; INFINITY when it is not a number */
static double apart(size_t count, const double *got, const double *expected, double scale)
{
    double square = 0.0;
    for (size_t j = 0; j < count; j++)
        square += (got[j] - expected[j]) * (got[j] - expected[j]);
    return isnan(square) ? INFINITY : sqrt(square) / fmax(scale, 1e-3);
}

/* sp_data_query by its definition; returns the size of what was summed, to which rounding is relative. */
static double query(bench *b, sp_rows rows, size_t terms, const sp_term *term, double record_clip, double bound,
                    double divisor)
{
    double size = 0.0;
    memset(b->expected, 0, b->d * sizeof *b->expected);
    for (size_t i = 0; i < count_of(rows); i++) {
        memset(b->sum, 0, b->d * sizeof *b->sum);
        for (size_t k = 0; k < terms; k++) {
            sp_record_gradient(&b->adversary.problem, b->adversary.workspace, record_of(rows, i), term[k].point,
                               b->one);
            clip(b->d, b->one, record_clip);
            cblas_daxpy((int)b->d, term[k].coefficient, b->one, 1, b->sum, 1);
        }
        clip(b->d, b->sum, bound);
        if (!sp_all_finite(b->d, b->sum))
            continue;
        cblas_daxpy((int)b->d, 1.0 / divisor, b->sum, 1, b->expected, 1);
        size += cblas_dnrm2((int)b->d, b->sum, 1) / divisor;
    }
    return size;
}

static double check_query(bench *b, sp_rows rows, size_t terms, double record_clip, double bound)
{
    const sp_term term[TERMS] = { { 1.0, b->w[0] }, { -0.917, b->w[1] }, { 0.385, b->w[2] } };
    const double divisor = 0.731 * (double)count_of(rows);
    const double size = query(b, rows, terms, term, record_clip, bound, divisor);
    sp_data_query(&b->adversary.problem, b->adversary.workspace, rows, terms, term, record_clip, bound, divisor,
                  b->got);
    return apart(b->d, b->got, b->expected, size);
}

static double check_hessian(bench *b, sp_rows rows)
{
    const size_t square = b->d * b->d;
    double *expected = b->matrix, *one = b->matrix + square, *got = one + square, size = 0.0;
    memset(expected, 0, square * sizeof *expected);
    for (size_t i = 0; i < count_of(rows); i++) {
        sp_record_hessian(&b->adversary.problem, b->adversary.workspace, record_of(rows, i), b->w[0], one);
        cblas_daxpy((int)square, 1.0 / (double)count_of(rows), one, 1, expected, 1);
        size += cblas_dnrm2((int)square, one, 1) / (double)count_of(rows);
    }
    sp_data_hessian(&b->adversary.problem, b->adversary.workspace, rows, b->w[0], (double)count_of(rows), got);
    double worst = apart(square, got, expected, size);
    for (size_t j = 0; j < b->d; j++)
        for (size_t k = 0; k < j; k++)
            worst = fmax(worst, fabs(got[j * b->d + k] - got[k * b->d + j]) / fmax(size, 1e-3));
    return worst;
}

/* F = the mean of the records + the public part, and its derivatives likewise */
static double check_objective(bench *b)
{
    const sp_problem *p = &b->adversary.problem;
    sp_workspace *s = b->adversary.workspace;
    const sp_rows all = { NULL, 0 };
    const double *w = b->w[0];
    const size_t square = b->d * b->d;
    double mean = 0.0, values[RECORDS], worst = 0.0, size = 0.0;
    sp_data_values(p, s, all, w, values);
    for (size_t i = 0; i < RECORDS; i++) {
        const double value = sp_record_value(p, s, i, w);
        worst = fmax(worst, fabs(values[i] - value) / (1.0 + fabs(value)));
        mean += value / RECORDS;
        size += fabs(value) / RECORDS;
    }
    const double public_value = sp_public_value(p, w);
    worst = fmax(worst, apart(1, &(double){ sp_problem_value(p, s, w) }, &(double){ mean + public_value },
                              size + fabs(public_value)));

    size = query(b, all, 1, &(sp_term){ 1.0, w }, INFINITY, INFINITY, RECORDS);
    sp_public_query(p, s, 1, &(sp_term){ 1.0, w }, b->one);
    cblas_daxpy((int)b->d, 1.0, b->one, 1, b->expected, 1);
    sp_problem_gradient(p, s, w, b->got);
    worst = fmax(worst, apart(b->d, b->got, b->expected, size + cblas_dnrm2((int)b->d, b->one, 1)));

    double *H = b->matrix, *parts = H + square, *other = parts + square;
    sp_problem_hessian(p, s, w, H);
    sp_data_hessian(p, s, all, w, RECORDS, parts);
    sp_public_hessian(p, s, w, other);
    cblas_daxpy((int)square, 1.0, other, 1, parts, 1);
    size = cblas_dnrm2((int)square, H, 1);
    worst = fmax(worst, apart(square, H, parts, size));

    sp_problem_product(p, s, w, b->w[1], b->got);
    cblas_dsymv(CblasRowMajor, CblasUpper, (int)b->d, 1.0, H, (int)b->d, b->w[1], 1, 0.0, b->expected, 1);
    return fmax(worst, apart(b->d, b->got, b->expected, size * cblas_dnrm2((int)b->d, b->w[1], 1)));
}

/* A point that is not a number: a record whose gradient is none is dropped, and full access says so. */
static double check_nowhere(bench *b)
{
    const sp_problem *p = &b->adversary.problem;
    sp_workspace *s = b->adversary.workspace;
    const sp_rows all = { NULL, 0 };
    double *w = b->w[2];
    w[b->d / 2] = NAN;
    const sp_term term = { 1.0, w };
    const double size = query(b, all, 1, &term, 1.0, 1.0, RECORDS);
    sp_data_query(p, s, all, 1, &term, 1.0, 1.0, RECORDS, b->got);
    sp_data_hessian(p, s, all, w, RECORDS, b->matrix);
    if (!sp_all_finite(b->d * b->d, b->matrix) || isfinite(sp_problem_value(p, s, w)))
        return INFINITY;
    return apart(b->d, b->got, b->expected, size);
}

sp_status sp_certify_engine(const sp_search *h, sp_error *error)
{
    sp_status status = SP_OK;
    bench b = { 0 };
    double *memory = NULL;
    if (!sp_search_wants(h, SP_CLAIM_ENGINE))
        return SP_OK;
    const size_t features = sp_certify_features(h->loss, h->number, FEATURES, SP_CERTIFY_MAX);
    SP_TRY(sp_adversary_open(h, RECORDS, features > 0 ? features : h->features, INFINITY, false, 0.0, &b.adversary,
                             error));
    const size_t d = b.d = b.adversary.problem.domain.d;
    memory = sp_alloc(d, (TERMS + 4 + 3 * d) * sizeof *memory);
    if (!memory)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", h->loss->name));
    for (size_t k = 0; k < TERMS; k++)
        b.w[k] = memory + k * d;
    b.expected = memory + TERMS * d;
    b.got = b.expected + d;
    b.one = b.got + d;
    b.sum = b.one + d;
    b.matrix = b.sum + d;
    sp_adversary_draw(&b.adversary, NULL);
    for (size_t i = 0; i < CHOSEN; i++)
        b.index[i] = (uint32_t)gsl_rng_uniform_int(h->stream, RECORDS);
    for (size_t j = 0; j < TERMS * d; j++)
        memory[j] = gsl_ran_gaussian(h->stream, 0.8);

    const sp_rows rows[] = { { NULL, 0 }, { b.index, CHOSEN }, { b.index, 1 } };
    double gradients = 0.0, hessians = 0.0;
    const double L = isfinite(b.adversary.problem.certified.L_data) ? b.adversary.problem.certified.L_data : 2.385;
    for (size_t r = 0; r < 3; r++) {
        gradients = fmax(gradients, check_query(&b, rows[r], 1, INFINITY, INFINITY));
        gradients = fmax(gradients, check_query(&b, rows[r], 1, INFINITY, 0.31 * L));
        gradients = fmax(gradients, check_query(&b, rows[r], 2, L, 0.87 * L));
        gradients = fmax(gradients, check_query(&b, rows[r], 3, 0.23 * L, 0.29 * L));
    }
    for (size_t r = 1; r < 3; r++)
        hessians = fmax(hessians, check_hessian(&b, rows[r]));
    const char *region = sp_certify_regions[0].name;
    sp_judge(h, SP_CLAIM_ENGINE, "engine", "sum of clipped gradients", region, tolerance, gradients, 0.0, 0.0);
    sp_judge(h, SP_CLAIM_ENGINE, "engine", "sum of Hessians", region, tolerance, hessians, 0.0, 0.0);
    sp_judge(h, SP_CLAIM_ENGINE, "engine", "objective", region, tolerance, check_objective(&b), 0.0, 0.0);
    sp_judge(h, SP_CLAIM_ENGINE, "engine", "records that are not numbers", region, tolerance, check_nowhere(&b), 0.0,
             0.0);
cleanup:
    free(memory);
    sp_adversary_close(&b.adversary);
    return status;
}
