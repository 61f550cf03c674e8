/* algorithm.h -- what an algorithm exports. One algorithm a file; the file's name is its name in Lua.
 *
 * A file here includes this header, core/base, GSL, CBLAS (<gsl/gsl_cblas.h>) and LAPACKE, and nothing of the data or
 * the losses: it reaches records only through the oracle. No statics that change, no locks, no printing. */
#ifndef SP_ALGORITHMS_ALGORITHM_H
#define SP_ALGORITHMS_ALGORITHM_H

#include "core/base/math.h"
#include "core/base/memory.h"
#include "core/base/param.h"
#include "core/oracle/oracle.h"

#include <gsl/gsl_cblas.h>
#include <stdlib.h>
#include <string.h>

typedef struct sp_algorithm {
    const char *name;
    const char *summary;   /* one line */
    const char *when;      /* to use it, and what else to use */
    const char *source;    /* citation */
    const char *releases;  /* what leaves the oracle, and how often */
    const char *uses;      /* other files here that its numbers come from: "dp_spider parts/escape"; NULL: none */
    const sp_param *params;
    bool non_private_only; /* a reference method: run with privacy = "none" */
    bool uncertified;      /* no theorem says that it is private: refuses a budget unless the caller vouches for it */
    /* NULL when the algorithm fits a problem with these constants, else why not (static text). */
    const char *(*fits)(const sp_constants *);
    /* w[d] holds the start and takes the returned iterate. */
    sp_status (*run)(sp_oracle *, const sp_values *, double *w);
    /* Public bound on E[F(w) - F*] at the resolved parameters, for a warm start; NULL where theory gives none. INFINITY
     * where it does not apply, or as long as the run that it depends on (by its calibration) has not been. */
    double (*risk_bound)(const sp_oracle *, const sp_values *);
} sp_algorithm;

typedef struct sp_method {
    const sp_algorithm *algorithm;
    sp_values values;
} sp_method;

/* A method within a method, on the oracle's budget (a child's share). w[d of the child] takes the iterate; the run
 * begins at sp_start(child). SP_EMISFIT when the method does not fit. */
static inline sp_status sp_run(sp_oracle *child, const sp_method *method, double *w)
{
    const sp_algorithm *algorithm = method ? method->algorithm : NULL;
    const char *misfit = NULL;
    if (!algorithm)
        return sp_refuse(child, SP_EINVAL, "sp_run: no method");
    if (algorithm->non_private_only && isfinite(sp_budget_of(child)->epsilon))
        return sp_refuse(child, SP_EPRIVACY, "sp_run: %s is not private", algorithm->name);
    if (algorithm->fits && (misfit = algorithm->fits(sp_public(child))))
        return sp_refuse(child, SP_EMISFIT, "%s: %s", algorithm->name, misfit);
    memcpy(w, sp_start(child), sp_dimension(child) * sizeof *w);
    return algorithm->run(child, &method->values, w);
}

/* --- what methods ask of a loss: `fits` --------------------------------------------------------------------- */

static inline const char *sp_lipschitz_fits(const sp_constants *c)
{
    return c->L_data > 0.0 && isfinite(c->L_data) ? NULL : "the records' gradients are not bounded (L_data)";
}

static inline const char *sp_smooth_fits(const sp_constants *c)
{
    return c->beta > 0.0 && isfinite(c->beta) ? sp_lipschitz_fits(c) : "the loss is not smooth (beta)";
}

static inline const char *sp_gap_fits(const sp_constants *c)
{
    const char *misfit = sp_smooth_fits(c);
    return misfit || isfinite(c->gap) ? misfit : "no bound on F(w0) - F* is known (gap)";
}

static inline const char *sp_kl_fits(const sp_constants *c)
{
    if (!(c->kl_gamma > 0.0 && c->kl_kappa >= 1.0 && c->kl_kappa <= 2.0))
        return "the loss is not known to be KL with kappa in [1, 2] (declare kl_gamma and kl_kappa)";
    const char *misfit = sp_smooth_fits(c);
    return misfit || (c->gap > 0.0 && isfinite(fmin(c->gap, c->L))) ? misfit : "no bound on F(w0) - F* is known (gap)";
}

/* --- what the descent methods share ---------------------------------------------------------------------- */

#define SP_STEPS_MAX 1e9

/* A derived number of updates: rounded up, within [1, SP_STEPS_MAX]. Refused when it is not finite: without a privacy
 * budget, or without a gap, no formula says when to stop. */
static inline sp_status sp_derive_steps(sp_oracle *o, double exact, size_t *steps)
{
    if (!isfinite(exact))
        return sp_refuse(o, SP_EINVAL, "steps must be given: its default needs a privacy budget and a finite gap");
    *steps = (size_t)fmin(fmax(ceil(exact), 1.0), SP_STEPS_MAX);
    return SP_OK;
}

/* What already holds at the start of a smooth problem: ||grad F(w0)|| <= min(L, sqrt(2 beta gap)). */
static inline double sp_gradient_at_start(const sp_constants *c)
{
    return fmin(c->L, sqrt(2.0 * c->beta * c->gap));
}

/* Which iterate a run returns: a choice by public coins or among released vectors, hence post-processing. Candidates
 * are the points at which a gradient estimate was released; `last` is the point after the final update. */
#define SP_OUTPUTS "uniform|min_release|average|last"
typedef enum { SP_OUTPUT_UNIFORM, SP_OUTPUT_MIN_RELEASE, SP_OUTPUT_AVERAGE, SP_OUTPUT_LAST } sp_output_rule;

typedef struct sp_output {
    sp_output_rule rule;
    int d;
    size_t seen, drawn; /* candidates so far; uniform: the index to keep */
    double smallest;    /* min_release: the norm of the kept candidate's release */
    double *kept;       /* d; free() it */
} sp_output;

/* Draws the index before the first release, so that the coins do not depend on how a run goes on. */
static inline sp_status sp_output_open(sp_output *output, sp_oracle *o, sp_output_rule rule, size_t candidates)
{
    *output = (sp_output){ .rule = rule, .d = (int)sp_dimension(o), .smallest = HUGE_VAL };
    if (rule == SP_OUTPUT_UNIFORM)
        output->drawn = gsl_rng_uniform_int(sp_coins(o), candidates);
    output->kept = sp_alloc_doubles(sp_dimension(o));
    return output->kept ? SP_OK : sp_refuse(o, SP_ENOMEM, "no memory for the returned iterate");
}

/* The next candidate and the gradient estimate released there. */
static inline void sp_output_offer(sp_output *output, const double *w, const double *release)
{
    const size_t index = output->seen++;
    bool keep = output->rule == SP_OUTPUT_UNIFORM && index == output->drawn;
    if (output->rule == SP_OUTPUT_MIN_RELEASE) {
        const double norm = cblas_dnrm2(output->d, release, 1);
        keep = norm < output->smallest || index == 0;
        if (keep)
            output->smallest = norm;
    }
    if (keep)
        cblas_dcopy(output->d, w, 1, output->kept, 1);
    if (output->rule == SP_OUTPUT_AVERAGE)
        for (int i = 0; i < output->d; i++)
            output->kept[i] += (w[i] - output->kept[i]) / (double)output->seen;
}

/* w holds the last iterate and takes the returned one. */
static inline void sp_output_take(const sp_output *output, double *w)
{
    if (output->rule != SP_OUTPUT_LAST)
        cblas_dcopy(output->d, output->kept, 1, w, 1);
}

/* Stores a bound on what is measured (E||grad F|| or E[F - F*]) as "bound" where it covers the returned iterate, and
 * warns when it promises no more than `known`, which holds at the start. An infinite one (no theorem covers these
 * parameters) is passed over. */
static inline void sp_promise(sp_oracle *o, bool covered, double bound, double known)
{
    if (!isfinite(bound))
        return;
    if (covered)
        sp_resolved(o, "bound", bound, SP_FROM_THEORY);
    if (bound >= known)
        sp_warn(o, "vacuous parameters: the bound %.3g is not below %.3g, which holds at the start", bound, known);
}

/* The same for a theorem that speaks of a uniform iterate. */
static inline void sp_predict(sp_oracle *o, sp_output_rule rule, double bound, double known)
{
    sp_promise(o, rule == SP_OUTPUT_UNIFORM, bound, known);
}

/* --- the exponential mechanism on a compact set W: the domain, on the whole space the ball of radius `distance` about
 * w0, which holds a minimiser. A record moves two losses apart by at most Dr = 4 L_data R / n, R the radius of a ball
 * that covers W: tau = epsilon / Dr. --------------------------------------------------------------------------- */

static inline const char *sp_compact_fits(const sp_constants *c)
{
    if (!(c->L_data > 0.0 && isfinite(c->L)))
        return "the records' gradients are not bounded (L_data, L)";
    if (!(isfinite(c->diameter) ? c->diameter > 0.0 : c->distance > 0.0 && isfinite(c->distance)))
        return "no bounded set is known to hold a minimiser: give a domain, or declare distance";
    return NULL;
}

/* R; centre[d] (NULL: not wanted) that of the ball. */
static inline double sp_compact(const sp_oracle *o, double *centre)
{
    if (sp_domain_of(o)->kind != SP_DOMAIN_SPACE)
        return sp_domain_centre(sp_domain_of(o), centre);
    if (centre)
        memcpy(centre, sp_start(o), sp_dimension(o) * sizeof *centre);
    return sp_public(o)->distance;
}

/* w into W. */
static inline void sp_compact_project(const sp_oracle *o, double *w)
{
    const size_t d = sp_dimension(o);
    const double *start = sp_start(o), radius = sp_public(o)->distance;
    double norm = 0.0;
    sp_domain_project(sp_domain_of(o), w);
    if (sp_domain_of(o)->kind != SP_DOMAIN_SPACE)
        return;
    for (size_t j = 0; j < d; j++)
        norm = sp_hypot(norm, w[j] - start[j]);
    for (size_t j = 0; norm > radius && j < d; j++)
        w[j] = start[j] + (w[j] - start[j]) * (radius / norm);
}

/* The epsilon such that exponential mechanisms of share_j epsilon each, sum share_j = 1, use up the budget: as pure
 * ones, or in zCDP, where they cost sum (share_j epsilon)^2 / 8, whichever is larger. `squares` = sum share_j^2. */
static inline double sp_choice_epsilon(const sp_oracle *o, double squares)
{
    const sp_budget *b = sp_budget_of(o);
    return fmax(b->pure, sqrt(8.0 * b->rho_z / squares));
}

/* What Theorem 3.2 of Lowy, Ullman & Wright 2024 lets a first stage fail with, sqrt(d) / (n epsilon). */
static inline double sp_choice_zeta(const sp_constants *c, double epsilon)
{
    return fmin(fmax(sqrt((double)c->d) / ((double)c->n * epsilon), 1e-12), 0.5);
}

/* With probability 1 - zeta one of N independent uniform points of a ball of radius R that covers W, projected into W,
 * is within this of a point of W fixed before: (r / 2R)^d of the ball's volume is. */
static inline double sp_covering_radius(double R, double d, double N, double zeta)
{
    return 2.0 * R * fmin(1.0, sp_pow(sp_log(1.0 / zeta) / N, 1.0 / d));
}

/* --- stochastic descent on a quasar-convex loss, w <- Proj(w - eta g): formulas in dp_sgd.c ---------------- */

/* D >= ||w0 - w*||; INFINITY when nothing is known. */
static inline double sp_distance(const sp_constants *c)
{
    return fmin(c->distance, c->diameter);
}

/* NAN when nothing that is known about the loss gives one. */
static inline double sp_descent_step(const sp_constants *c, double steps, double batch, double noise_std)
{
    const double noise = (double)c->d * noise_std * noise_std, sampling = c->L_data * c->L_data / batch;
    double eta = NAN;
    if (c->convex || c->quasar > 0.0)
        eta = sp_distance(c) / sqrt(steps * (c->L * c->L + noise));
    if (!(isfinite(eta) && eta > 0.0))
        eta = fmin(1.0 / c->beta, sqrt(2.0 * c->gap / (c->beta * steps * (sampling + noise))));
    return isfinite(eta) && eta > 0.0 ? eta : NAN;
}

/* On E[F(w_J) - F*], J uniform; INFINITY where the theorem does not apply. */
static inline double sp_descent_bound(const sp_constants *c, double steps, double eta, double noise_std)
{
    const double q = c->convex ? 1.0 : c->quasar, G = c->L * c->L + (double)c->d * noise_std * noise_std;
    if (!(q > 0.0 && eta > 0.0))
        return INFINITY;
    return (sp_pow(sp_distance(c), 2.0) / (eta * steps) + eta * G) / (2.0 * q);
}

#endif
