/* classes.c -- tests the claims about F as a whole (its classes), which must hold for all records, on a few small data
 * sets.
 *
 *   quasar-convex   (F(w) - F*) / <grad F(w), w - w*> <= 1/q
 *   KL              (F(w) - F*) / ||grad F(w)||^kappa <= gamma^kappa
 *   strict saddle   F = F* where grad F = 0 and lambda_min(hess F) >= 0. Stationary points are found from random points
 *                   by Levenberg-Marquardt steps on ||grad F||^2, which converge to saddles as well as to minima.
 *
 * w* is the planted minimiser if labels are realisable, otherwise that of reference.h. If its value is not the
 * smallest, the left sides are too small: an error there cannot make a correct claim fail.
 */
#include "losses/certify/parts.h"

#include "core/numeric/eigen.h"

#include <gsl/gsl_cblas.h>
#include <gsl/gsl_randist.h>
#include <string.h>

typedef struct landscape {
    sp_target target; /* for sp_target_place */
    sp_adversary *adversary;
    double least[SP_CERTIFY_MAX], value; /* w*, F* */
    double kappa;
} landscape;

/* F(w) - F*, 0 where rounding or an inexact w* could explain it, and grad F(w). */
static double excess(const landscape *l, const double *w, double *g)
{
    const double value = sp_problem_value(&l->adversary->problem, l->adversary->workspace, w);
    sp_problem_gradient(&l->adversary->problem, l->adversary->workspace, w, g);
    return value - l->value > 1e-9 * fmax(1.0, fabs(l->value)) ? value - l->value : 0.0;
}

static double quasar(void *context, const double *v)
{
    const landscape *l = context;
    double w[SP_CERTIFY_MAX], g[SP_CERTIFY_MAX];
    sp_target_place(&l->target, v, w);
    const double above = excess(l, w, g);
    double along = 0.0;
    for (size_t j = 0; j < l->target.d; j++)
        along += g[j] * (w[j] - l->least[j]);
    return above <= 0.0 ? -INFINITY : along <= 0.0 ? INFINITY : above / along;
}

static double kl(void *context, const double *v)
{
    const landscape *l = context;
    double w[SP_CERTIFY_MAX], g[SP_CERTIFY_MAX];
    sp_target_place(&l->target, v, w);
    const double above = excess(l, w, g), norm = cblas_dnrm2((int)l->target.d, g, 1);
    return above <= 0.0 ? -INFINITY : above / sp_pow(norm, l->kappa);
}

/* --- stationary points -------------------------------------------------------------------------------------- */

enum { LM_STEPS = 60 };

/* Moves w to where grad F = 0; returns its norm there, and the smallest eigenvalue of hess F. */
static sp_status find_stationary(const landscape *l, double *w, double *norm, double *smallest)
{
    const size_t d = l->target.d;
    const sp_problem *p = &l->adversary->problem;
    double g[SP_CERTIFY_MAX], H[SP_CERTIFY_MAX * SP_CERTIFY_MAX], eigenvalue[SP_CERTIFY_MAX], c[SP_CERTIFY_MAX];
    double trial[SP_CERTIFY_MAX], mu = 1e-2;
    for (int k = 0;; k++) {
        sp_problem_gradient(p, l->adversary->workspace, w, g);
        sp_problem_hessian(p, l->adversary->workspace, w, H);
        const sp_status status = sp_eigen_all(d, H, eigenvalue);
        if (status != SP_OK)
            return status;
        *norm = cblas_dnrm2((int)d, g, 1);
        *smallest = eigenvalue[0];
        if (k == LM_STEPS || *norm == 0.0)
            return SP_OK;
        for (double next = INFINITY; next >= *norm; mu *= 4.0) { /* (H^2 + mu ||g|| I) step = -H g */
            if (mu > 1e12)
                return SP_OK;
            memcpy(trial, w, d * sizeof *trial);
            for (size_t j = 0; j < d; j++) {
                const double e = eigenvalue[j];
                c[j] = -e * cblas_ddot((int)d, H + j * d, 1, g, 1) / (e * e + mu * *norm);
                cblas_daxpy((int)d, c[j], H + j * d, 1, trial, 1);
            }
            sp_problem_gradient(p, l->adversary->workspace, trial, c);
            next = cblas_dnrm2((int)d, c, 1);
        }
        mu /= 64.0;
        memcpy(w, trial, d * sizeof *w);
    }
}

/* The largest F - F* at a stationary point without a direction of descent; *points counts the stationary ones. */
static sp_status strict_saddle(const landscape *l, double *worst, size_t *points)
{
    const sp_search *h = l->target.search;
    const sp_constants *c = &l->adversary->problem.certified;
    double w[SP_CERTIFY_MAX], g[SP_CERTIFY_MAX], norm, smallest;
    for (size_t k = 0; k < h->samples; k++) {
        gsl_ran_dir_nd(h->stream, l->target.d, w);
        cblas_dscal((int)l->target.d, k == 0 ? 0.0 : 2.0 * SP_CERTIFY_BALL * gsl_rng_uniform(h->stream), w, 1);
        sp_domain_project(&l->adversary->problem.domain, w);
        const sp_status status = find_stationary(l, w, &norm, &smallest);
        if (status != SP_OK)
            return status;
        const double bend = isfinite(c->beta) ? c->beta : 1.0;
        if (norm > 1e-9 * bend || !sp_domain_contains(&l->adversary->problem.domain, w))
            continue;
        ++*points;
        if (smallest >= -1e-7 * bend)
            *worst = fmax(*worst, excess(l, w, g));
    }
    return SP_OK;
}

/* --- one region --------------------------------------------------------------------------------------------- */

typedef struct worst {
    double quasar, kl, saddle;
    size_t stationary;
} worst;

static sp_status look_at(const sp_search *h, const sp_certify_region *region, bool realisable, size_t n,
                         const sp_classes *claimed, worst *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_adversary s;
    landscape l = { .adversary = &s, .kappa = claimed->kl_kappa };
    SP_TRY(sp_adversary_open(h, n, h->features, region->norm, realisable, 0.0, &s, error));
    l.target = (sp_target){ .search = h, .d = h->d, .norm = region->norm };
    if (realisable) {
        gsl_ran_dir_nd(h->stream, h->d, l.least);
        cblas_dscal((int)h->d, fmin(h->label_bound / h->radius, region->norm), l.least, 1);
        sp_adversary_draw(&s, l.least);
        l.value = sp_problem_value(&s.problem, s.workspace, l.least);
    } else {
        sp_adversary_draw(&s, NULL);
        SP_TRY(sp_adversary_least(&s, l.least, &l.value, error));
    }
    if (claimed->quasar > 0.0)
        out->quasar = fmax(out->quasar, sp_certify_search(quasar, &l, h->d, h->stream, h->starts / 2, h->steps));
    if (claimed->kl_gamma > 0.0)
        out->kl = fmax(out->kl, sp_certify_search(kl, &l, h->d, h->stream, h->starts / 2, h->steps));
    if (claimed->strict_saddle)
        SP_TRY(strict_saddle(&l, &out->saddle, &out->stationary));
cleanup:
    sp_adversary_close(&s);
    return status;
}

enum { DATA_SETS = 6 };

sp_status sp_certify_classes(const sp_search *h, sp_error *error)
{
    sp_status status = SP_OK;
    if (!sp_search_wants(h, SP_CLAIM_CLASS) || !h->loss->classes || h->with->regulariser)
        return SP_OK;
    for (size_t i = 0; i < 2 * SP_CERTIFY_REGIONS; i++) {
        const sp_certify_region *region = &sp_certify_regions[i / 2];
        const bool realisable = i % 2 == 1;
        const char *name = realisable ? region->realisable : region->name;
        sp_classes claimed = { 0 };
        worst found = { 0 };
        if (realisable && (!h->loss->link || h->loss->labels_binary || h->loss->labels_unused))
            continue; /* no labels that <w*, x> could be */
        const sp_region where = { h->d, h->features, region->norm, h->radius, h->label_bound, realisable };
        h->loss->classes(h->number, &where, &claimed);
        if (claimed.quasar == 0.0 && claimed.kl_gamma == 0.0 && !claimed.strict_saddle)
            continue;
        for (size_t k = 0; k < DATA_SETS; k++)
            SP_TRY(look_at(h, region, realisable, k < DATA_SETS / 2 ? 1 : 5, &claimed, &found, error));
        if (claimed.quasar > 0.0)
            sp_judge(h, SP_CLAIM_CLASS, "class", "quasar-convex, 1/q", name, 1.0 / claimed.quasar, found.quasar, 0.0,
                     0.0);
        if (claimed.kl_gamma > 0.0)
            sp_judge(h, SP_CLAIM_CLASS, "class", "KL, gamma^kappa", name,
                     sp_pow(claimed.kl_gamma, claimed.kl_kappa), found.kl, 0.0, 0.0);
        if (claimed.strict_saddle) /* a search that met no stationary point shows nothing */
            sp_judge(h, SP_CLAIM_CLASS, "class", "strict saddle, F - F*", name, 1e-7,
                     found.stationary > 0 ? found.saddle : INFINITY, 0.0, 0.0);
    }
cleanup:
    return status;
}
