/* normalised.c -- the noise, the bound (1), one step and the complete run of the full-batch methods of normalised.h. */
#include "algorithms/parts/normalised.h"

#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

/* c: a record's part of a release after the first. */
static double record_bound(const sp_constants *c, const sp_normalised *p)
{
    return (1.0 - p->gamma) * fmin(c->beta_data * p->eta, 2.0 * c->L_data) + p->gamma * c->L_data;
}

double sp_normalised_noise(const sp_oracle *o)
{
    return 2.0 * sqrt((double)sp_dimension(o)) / ((double)sp_records(o) * sp_budget_of(o)->mu);
}

double sp_normalised_bound(const sp_oracle *o, const sp_normalised *p)
{
    const sp_constants *c = sp_public(o);
    const double A = sp_normalised_noise(o), T = (double)p->steps, keep = (1.0 - p->gamma) * (1.0 - p->gamma);
    const double first = p->gamma == 1.0 || p->steps == 1 ? 1.0 / T : p->split; /* share of the first release */
    const double later = p->steps == 1 ? 0.0 : sp_pow(A * record_bound(c, p), 2.0) * (T - 1.0) / (1.0 - first);
    double square = sp_pow(A * c->L_data, 2.0) / first, sum = sqrt(square);
    for (size_t t = 1; t < p->steps; t++) {
        square = keep * square + later;
        sum += sqrt(square);
    }
    return c->gap / (p->eta * T) + c->beta * p->eta / 2.0 + 2.0 * sum / T;
}

void sp_normalised_step(const sp_oracle *o, double eta, const double *v, double *w)
{
    const int d = (int)sp_dimension(o);
    const double longest = 1.0 / sp_public(o)->beta, norm = cblas_dnrm2(d, v, 1);
    cblas_daxpy(d, norm * longest > eta ? -eta / norm : -longest, v, 1, w, 1);
    sp_domain_project(sp_domain_of(o), w);
}

sp_status sp_normalised_run(sp_oracle *o, const sp_normalised *p, sp_output_rule rule, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(o);
    const int d = (int)c->d;
    const bool anew = p->gamma == 1.0; /* every step releases the gradient itself */
    const double keep = 1.0 - p->gamma;
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = anew ? p->steps : 1, .share = p->split },
        { .kind = SP_GRADIENT, .sample = sp_full(), .count = anew ? 0 : p->steps - 1, .share = 1.0 - p->split },
    };
    double *estimate = sp_alloc_doubles(c->d), *change = sp_alloc_doubles(c->d), *previous = sp_alloc_doubles(c->d);
    double multiplier[2] = { 0.0, 0.0 };
    sp_output output = { 0 };
    sp_batch all;

    if (!estimate || !change || !previous)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the gradient estimate"));
    sp_predict(o, rule, sp_normalised_bound(o, p), sp_gradient_at_start(c));
    SP_TRY(sp_output_open(&output, o, rule, p->steps));
    SP_TRY(sp_calibrate(o, plan, 2, multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    for (size_t t = 0; t < p->steps; t++) {
        if (t == 0 || anew) {
            SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier[0], estimate));
        } else {
            SP_TRY(sp_gradient(o, &(sp_query){ .batch = all, .terms = 2, .bound = record_bound(c, p),
                                               .term = { { 1.0, w }, { -keep, previous } } }, multiplier[1], change));
            for (int j = 0; j < d; j++)
                estimate[j] = keep * estimate[j] + change[j];
        }
        SP_TRY(sp_output_offer(&output, w, estimate));
        cblas_dcopy(d, w, 1, previous, 1);
        sp_normalised_step(o, p->eta, estimate, w);
        SP_TRY(sp_checkpoint(o, t + 1, w));
    }
    sp_output_take(&output, w);
cleanup:
    free(output.kept);
    free(previous);
    free(change);
    free(estimate);
    return status;
}
