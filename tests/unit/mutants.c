/* unit/mutants.c -- do the audits find what they are for? As it is, no audit may object. Linked with a source of
 * core/oracle that tests/mutants/NAME.sed has changed, and MUTANT = NAME, at least one has to; the line printed says
 * which, on the first method that shows it. Of some mutants one audit has to notice whatever the others say.
 *
 * The methods here use what the registered ones leave out; dp_sgd has subsets, dp_spider differences, phased_sgd passes
 * that stand on projections, dp_adam normalised records.
 *
 *   hessians      w <- w - eta g, H released beside it, every other time with mirrored noise
 *   accumulated   a <- keep a + gradient, released each step
 *   poisson       gradients on Poisson samples
 *   losses        means of differences of losses along the diagonal, in place of gradients */
#include "algorithms/algorithm.h"
#include "core/audit/audit.h"
#include "core/plan/registry.h"
#include "tests/check.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_errno.h>

#ifndef MUTANT
#define MUTANT "none"
#endif

enum { STEPS, ETA };
static const sp_param params[] = {
    [STEPS] = { "steps", SP_COUNT, 12, { 1, 50 }, "updates" },
    [ETA] = { "eta", SP_REAL, 0.05, SP_POSITIVE, "step size" },
    { 0 }
};

typedef enum { HESSIANS, ACCUMULATED, POISSON, LOSSES } kind;

static sp_status run(sp_oracle *o, const sp_values *v, double *w, kind what)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o), steps = sp_count(v, STEPS);
    double *g = sp_alloc_doubles(d), *H = sp_alloc(d, d * sizeof *H), multiplier[2] = { 0.0, 0.0 };
    sp_accumulator *a = NULL;
    sp_batch batch;
    const sp_sample sample = what == POISSON ? sp_poisson(0.25) : sp_full();
    const sp_release_plan plan[] = { { .kind = what == ACCUMULATED ? SP_ACCUMULATED : SP_GRADIENT, .sample = sample,
                                       .count = steps },
                                     { .kind = SP_HESSIAN, .sample = sample, .count = what == HESSIANS ? steps : 0 } };
    if (!g || !H)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory"));
    if (what == ACCUMULATED)
        SP_TRY(sp_accumulator_open(o, SP_NOISE_PLAIN, NULL, &a));
    SP_TRY(sp_calibrate(o, plan, 2, multiplier));
    double weight = 0.0;
    for (size_t t = 1; t <= steps; t++) {
        SP_TRY(sp_draw(o, sample, &batch));
        const sp_query query = SP_AT(batch, w);
        if (what == ACCUMULATED) {
            weight = 0.5 * weight + sp_sensitivity(o, &query);
            SP_TRY(sp_accumulator_add(a, 0.5, &query));
            SP_TRY(sp_accumulator_release(a, multiplier[0] * weight, g));
        } else if (what == LOSSES) {
            for (size_t j = 0; j < d; j++)
                H[j] = w[j] + 0.4 / sqrt((double)d);
            const sp_query change = { .batch = batch, .terms = 2, .term = { { 2.5, H }, { -2.5, w } } };
            SP_TRY(sp_mean_loss(o, &change, multiplier[0], &g[0]));
            for (size_t j = 1; j < d; j++)
                g[j] = g[0];
        } else {
            SP_TRY(sp_gradient(o, &query, multiplier[0], g));
        }
        if (what == HESSIANS)
            SP_TRY((t % 2 == 0 ? sp_hessian_mirrored : sp_hessian)(o, batch, w, multiplier[1], H));
        cblas_daxpy((int)d, -sp_real(v, ETA), g, 1, w, 1);
        if (what == HESSIANS) /* so that what is done with H shows */
            w[0] -= 1e-3 * H[0];
        SP_TRY(sp_checkpoint(o, t, w));
    }
cleanup:
    free(H);
    free(g);
    return status;
}

static sp_status hessians(sp_oracle *o, const sp_values *v, double *w)
{
    return run(o, v, w, HESSIANS);
}

static sp_status accumulated(sp_oracle *o, const sp_values *v, double *w)
{
    return run(o, v, w, ACCUMULATED);
}

static sp_status poisson(sp_oracle *o, const sp_values *v, double *w)
{
    return run(o, v, w, POISSON);
}

static sp_status losses(sp_oracle *o, const sp_values *v, double *w)
{
    return run(o, v, w, LOSSES);
}

static const char *bounded_hessians(const sp_constants *c)
{
    return isfinite(c->hessian_frobenius) ? NULL : "needs a bound on Hessians";
}

static const sp_algorithm methods[] = {
    [HESSIANS] = { .name = "hessians", .params = params, .fits = bounded_hessians, .run = hessians },
    [ACCUMULATED] = { .name = "accumulated", .params = params, .run = accumulated },
    [POISSON] = { .name = "poisson", .params = params, .run = poisson },
    [LOSSES] = { .name = "losses", .params = params, .run = losses },
};

/* What must be found by one-run audits: less than a sixth of the noise, and noise that is not there in many dimensions,
 * which no other audit looks at. */
static const struct { const char *mutant; sp_audit_kind by; } must[] = {
    { "tenth_noise", SP_AUDIT_ONE_RUN }, { "few_coordinates", SP_AUDIT_ONE_RUN },
    { "half_projection", SP_AUDIT_REPLAY },
};

static size_t caught[SP_AUDITS];
static char first[1024];

static void report(void *context, const sp_audit_verdict *verdict)
{
    const sp_algorithm *algorithm = context;
    if (verdict->passed || verdict->left_out)
        return;
    if (!*first)
        snprintf(first, sizeof first, "%s, %s: %s", algorithm->name, verdict->fixture, verdict->detail);
    caught[verdict->audit]++;
}

static void audit(const sp_algorithm *algorithm)
{
    sp_error error = { .text = "" };
    const sp_audit_options options = { .runs = 300, .seed = 2385, .report = report,
                                       .context = (void *)(size_t)algorithm };
    const sp_status status = sp_audit(algorithm, &options, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s: %s", algorithm->name, error.text);
}

int main(void)
{
    static const bool mutated = sizeof MUTANT != sizeof "none";
    char by[64] = "";
    gsl_set_error_handler_off();
    const sp_algorithm *const audited[] = { &methods[HESSIANS], &methods[ACCUMULATED], sp_algorithm_find("dp_spider"),
                                            sp_algorithm_find("dp_sgd"), &methods[POISSON],
                                            &methods[LOSSES], sp_algorithm_find("phased_sgd"),
                                            sp_algorithm_find("dp_adam") };
    for (size_t i = 0; i < sizeof audited / sizeof *audited && !*first; i++)
        audit(audited[i]);
    for (size_t k = 0; k < SP_AUDITS; k++)
        if (caught[k] > 0)
            snprintf(by + strlen(by), sizeof by - strlen(by), "%s%s", *by ? ", " : "", sp_audit_name((sp_audit_kind)k));
    printf("%s\t%s\t%s\n", MUTANT, *by ? by : "-", first);
    SP_CHECK_REPORT(mutated == (*by != '\0'), "%s: caught by %s", MUTANT, *by ? by : "none of the audits");
    for (size_t i = 0; i < sizeof must / sizeof *must; i++)
        SP_CHECK_REPORT(strcmp(must[i].mutant, MUTANT) != 0 || caught[must[i].by] > 0, "%s: not by %s", MUTANT,
                        sp_audit_name(must[i].by));
    return sp_check_failures != 0;
}
