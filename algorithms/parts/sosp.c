/* sosp.c -- keeps the list of candidates and makes the private choice of sosp.h. */
#include "algorithms/parts/sosp.h"

#include "algorithms/parts/theory.h"

enum { DENSE_MAX = 200 };

const char *sp_sosp_fits(const sp_constants *c)
{
    if (!(c->rho_hessian > 0.0 && isfinite(c->rho_hessian)))
        return "no Lipschitz constant of the Hessian is known (rho_hessian)";
    return c->d > DENSE_MAX ? "d > 200: Hessians are dense" : NULL;
}

double sp_hessian_spread(const sp_constants *c)
{
    return fmin(2.0 * c->hessian_norm, c->hessian_frobenius);
}

double sp_level_at_start(const sp_constants *c)
{
    return fmax(sp_gradient_at_start(c), c->beta * c->beta / c->rho_hessian);
}

void sp_sosp_divide(sp_sosp *s, const sp_oracle *o, bool apart, double share)
{
    const sp_budget *b = sp_budget_of(o);
    const double n = (double)sp_records(o), cost = s->rule == SP_SOSP_EM ? 8.0 : 2.0; /* epsilon^2 = cost rho */
    if (s->rule == SP_SOSP_NONE)
        return;
    s->apart = apart;
    s->records = apart ? ceil(n / 2.0) : n;
    if (apart) /* a share of zCDP knows no pure epsilon */
        s->epsilon = b->rho > b->rho_z ? b->epsilon : sqrt(cost * b->rho_z);
    else
        s->epsilon = sqrt(cost * share * b->rho_z);
}

double sp_sosp_candidates(const sp_sosp *s)
{
    return floor(s->steps / s->stride) + 1.0;
}

/* Du */
static double sensitivity(const sp_sosp *s, const sp_constants *c)
{
    return fmax(2.0 * c->L_data / s->alpha, sp_hessian_spread(c) / sqrt(c->rho_hessian * s->alpha)) / s->records;
}

static double slack(const sp_sosp *s, const sp_constants *c)
{
    return 8.0 * sensitivity(s, c) * (sp_log(sp_sosp_candidates(s)) + sp_log(2.0 / s->zeta)) / s->epsilon;
}

double sp_sosp_bound(const sp_sosp *s, const sp_constants *c)
{
    double u = 1.0;
    if (s->rule == SP_SOSP_EM)
        u += 2.0 * sensitivity(s, c) * sp_log(sp_sosp_candidates(s) / s->zeta) / s->epsilon;
    if (s->rule == SP_SOSP_SVT)
        u += 2.0 * slack(s, c);
    return s->alpha * u * u;
}

sp_release_plan sp_sosp_release(const sp_sosp *s)
{
    return (sp_release_plan){ .kind = SP_SELECTION, .sample = sp_full(), .count = 1, .epsilon = s->epsilon,
                              .chooser = s->rule == SP_SOSP_EM ? SP_CHOOSE_EXPONENTIAL : SP_CHOOSE_ABOVE_THRESHOLD };
}

sp_status sp_sosp_open(sp_sosp *s, sp_oracle *o)
{
    sp_status status = SP_OK;
    const sp_release_plan release = sp_sosp_release(s);
    double none;
    s->o = s->judge = o;
    s->d = sp_dimension(o);
    if (s->rule == SP_SOSP_NONE)
        return SP_OK;
    if (!(s->list = sp_alloc((size_t)sp_sosp_candidates(s), s->d * sizeof *s->list)))
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for %g candidates", sp_sosp_candidates(s)));
    if (s->apart) {
        SP_TRY(sp_child(o, &(sp_child_options){ .mode = SP_SHARE_DISJOINT, .share = 1.0, .pool = (size_t)s->records },
                        &s->judge));
        SP_TRY(sp_calibrate(s->judge, &release, 1, &none));
    }
cleanup:
    return status;
}

void sp_sosp_keep(sp_sosp *s, const double *w)
{
    if (s->list)
        memcpy(s->list + s->listed++ * s->d, w, s->d * sizeof *w);
}

bool sp_sosp_offer(sp_sosp *s, size_t step, const double *w)
{
    const bool turn = step % (size_t)s->stride == 0;
    if (turn)
        sp_sosp_keep(s, w);
    return turn;
}

sp_status sp_sosp_choose(sp_sosp *s, double *w)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(s->judge);
    const sp_space space = { .kind = SP_SPACE_LIST, .count = s->listed, .points = s->list };
    const sp_score score = { .kind = SP_SCORE_SOSP, .gradient_scale = s->alpha,
                             .curvature_scale = sqrt(c->rho_hessian * s->alpha), .threshold = 1.0 + slack(s, c) };
    const sp_release_plan release = sp_sosp_release(s);
    size_t index = 0;
    sp_batch all;
    if (s->rule == SP_SOSP_NONE)
        return SP_OK;
    SP_TRY(sp_draw(s->judge, sp_full(), &all));
    SP_TRY(sp_choose(s->judge, all, &space, &score, release.chooser, release.epsilon, w, &index));
    if (s->rule == SP_SOSP_SVT) {
        sp_resolved(s->o, "passed", index < s->listed, SP_FROM_THEORY);
        if (index == s->listed)
            sp_warn_of(s->o, SP_WARNED_UNCERTIFIED,
                       "uncertified: the last iterate is returned; no candidate passed the threshold");
    }
cleanup:
    return status;
}
