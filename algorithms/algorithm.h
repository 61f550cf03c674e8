/* algorithm.h -- the interface of a method (algorithm). There is one method per file; the file's name is its name in
 * Lua.
 *
 * A method's file includes this header, what it needs of algorithms/parts/ (what methods share: step sizes, bounds, the
 * choice of the returned iterate, ...; `uses` names them), core/base, core/numeric, GSL, CBLAS (<gsl/gsl_cblas.h>) and
 * LAPACKE, but nothing of the data or the losses: it reaches records only through the oracle (core/oracle/oracle.h). No
 * statics that change, no locks, no printing.
 *
 * Letters of the methods' heads
 *   F, f, w, w0        mean loss F(w) = (1/n) sum_i f(w, z_i) over the n records z_i; iterate of dimension d, its start
 *   F*, w*, gap        the minimum of F, a minimiser, and a public bound on F(w0) - F*
 *   L, beta, rho_H     Lipschitz constants of f, its gradient and its Hessian. L_data, beta_data: of the part that
 *                      depends on the record; gradients of a record are clipped to L_data
 *   W, Proj_W          domain, and projection onto it (the identity on the whole space)
 *   (epsilon, delta)   the privacy budget; mu: the same as a parameter of Gaussian DP, rho = mu^2 / 2; rho_z: as zCDP.
 *                      A release with noise multiplier m (noise_std / sensitivity) costs 1 / (2 m^2) of rho
 *   T, eta, S, b       number of steps, step size, batch of a step and its size. J: a step drawn by public coins
 *   zeta               probability with which a guarantee may fail. [b < n] is 1 if b < n, else 0
 *   alpha-SOSP         a point of second-order level alpha: ||grad F|| <= alpha and
 *                      lambda_min(hess F) >= -sqrt(rho_H alpha)
 * "printed" refers to the paper named under Source; "Differs" lists where the method departs from it. calibration =
 * "paper" uses the paper's formula for the noise instead of the accountant's. Neighbours replace one record. */
#ifndef SP_ALGORITHMS_ALGORITHM_H
#define SP_ALGORITHMS_ALGORITHM_H

#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/base/param.h"
#include "core/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

/* What runs a method that is no C of this program: one in an experiment's Lua, another program. */
typedef struct sp_foreign {
    sp_status (*run)(const struct sp_foreign *, sp_oracle *, const sp_values *, double *w);
    /* NULL: it fits every problem. The text that it returns lasts until the next call. */
    const char *(*fits)(const struct sp_foreign *, const sp_constants *);
    void *context;       /* theirs */
    const char *content; /* SHA-256 (hex) of all that it is made of: says whether a stored run is current */
    bool apart;          /* in a process that is handed the oracle's answers and nothing else; it is not rehearsed */
} sp_foreign;

/* Most updates that a run may be asked for. */
#define SP_STEPS_MAX 1e9

typedef struct sp_algorithm {
    const char *name;
    const char *summary;   /* one line */
    const char *when;      /* to use it, and what else to use */
    const char *source;    /* citation */
    const char *releases;  /* what leaves the oracle, and how often */
    const char *uses;      /* other files here that its numbers come from: "dp_spider parts/escape"; NULL: none */
    const char *hands_over; /* the parameter whose method's answer another method goes on from; NULL: there is none */
    const char *repeats;    /* the parameter whose method runs several times, of which one answer is kept; NULL: none */
    const sp_param *params;
    /* What ranges cannot say of the parameters, before anything runs; NULL: nothing. `path` is their place in messages.
     * */
    sp_status (*check)(const sp_values *, const char *path, sp_error *);
    bool non_private_only; /* a reference method: run with privacy = "none" */
    bool add_remove;       /* all its releases are on Poisson samples: it runs under add-remove neighbours, too */
    bool passes;           /* takes records by themselves or in passes: none that are moments (core/data/moments.h) */
    /* How many of n records a batch of its own holds at these parameters: fewer than n are drawn as a subset or a
     * Poisson sample, which moments have none of. NULL: it takes none such, or the run alone finds out. */
    size_t (*sampled)(size_t n, const sp_values *);
    bool ignores_data;     /* releases nothing: epsilon = 0, which is within every budget */
    bool follows_answers;  /* how many records it asks for, and when it ends, depends on what was released */
    bool uncertified;      /* no theorem says that it is private: refuses a budget unless the caller vouches for it */
    /* NULL when the algorithm fits a problem with these constants, else why not (static text). */
    const char *(*fits)(const sp_constants *);
    /* w[d] holds the start and takes the returned iterate. */
    sp_status (*run)(sp_oracle *, const sp_values *, double *w);
    /* Public bound on E[F(w) - F*] at the resolved parameters, for a warm start; NULL where theory gives none. INFINITY
     * where it does not apply, or as long as the run that it depends on (by its calibration) has not been. */
    double (*risk_bound)(const sp_oracle *, const sp_values *);
    const sp_foreign *foreign; /* in place of `fits` and `run`; NULL: those */
} sp_algorithm;

/* NULL when the algorithm fits a problem with these constants, else why not. */
static inline const char *sp_misfit(const sp_algorithm *a, const sp_constants *c)
{
    if (a->foreign)
        return a->foreign->fits ? a->foreign->fits(a->foreign, c) : NULL;
    return a->fits ? a->fits(c) : NULL;
}

/* w[d] holds the start and takes the returned iterate. */
static inline sp_status sp_algorithm_run(const sp_algorithm *a, sp_oracle *o, const sp_values *v, double *w)
{
    return a->foreign ? a->foreign->run(a->foreign, o, v, w) : a->run(o, v, w);
}

typedef struct sp_method {
    const sp_algorithm *algorithm;
    sp_values values;
} sp_method;

/* Is one point all that is taken from the method in this parameter? */
static inline bool sp_keeps_one(const sp_algorithm *algorithm, const char *key)
{
    return (algorithm->hands_over && strcmp(key, algorithm->hands_over) == 0) ||
           (algorithm->repeats && strcmp(key, algorithm->repeats) == 0);
}

/* Are this method's measures means over many points (select = "mean", its own or that of the method within it)? */
static inline bool sp_measures_mean(const sp_method *method)
{
    bool mean = false;
    for (size_t i = 0; i < method->values.count && !mean; i++) {
        const char *key = method->values.params[i].key;
        const sp_method *inner = sp_keeps_one(method->algorithm, key) ? NULL : sp_submethod(&method->values, i);
        mean = inner ? sp_measures_mean(inner) : strcmp(key, "select") == 0 && sp_chosen(&method->values, i, "mean");
    }
    return mean;
}

/* Does a method go on from another's answer, in this one or within it? */
static inline bool sp_hands_over(const sp_method *method)
{
    bool over = method->algorithm->hands_over != NULL;
    for (size_t i = 0; i < method->values.count && !over; i++)
        over = sp_submethod(&method->values, i) && sp_hands_over(sp_submethod(&method->values, i));
    return over;
}

/* Does a method take passes over records, itself or in one within it? */
static inline bool sp_takes_passes(const sp_method *method)
{
    bool passes = method->algorithm->passes;
    for (size_t i = 0; i < method->values.count && !passes; i++)
        passes = sp_submethod(&method->values, i) && sp_takes_passes(sp_submethod(&method->values, i));
    return passes;
}

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
    if ((misfit = sp_misfit(algorithm, sp_public(child))))
        return sp_refuse(child, SP_EMISFIT, "%s: %s", algorithm->name, misfit);
    memcpy(w, sp_start(child), sp_dimension(child) * sizeof *w);
    return sp_algorithm_run(algorithm, child, &method->values, w);
}

#endif
