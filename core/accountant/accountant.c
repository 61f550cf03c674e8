/* accountant.c -- computes (epsilon, delta) from a ledger, and calibrates the noise of planned releases to an (epsilon,
 * delta). The bounds themselves are in composition.c. */
#include "core/accountant/accountant.h"

#include "core/accountant/composition.h"

#include <gsl/gsl_math.h>
#include <math.h>

const char *sp_bound_name(sp_bound_kind bound)
{
    static const char *const names[] = { "gauss", "zcdp", "rdp", "basic", "pld" };
    return (size_t)bound < SP_BOUNDS ? names[bound] : "unknown";
}

const char *sp_neighbours_name(sp_neighbours neighbours)
{
    return neighbours == SP_REPLACE_ONE ? "replace_one" : "add_remove";
}

double sp_round_up(double x)
{
    const double unit = pow(10.0, floor(log10(x)) - 11.0), rounded = ceil(x / unit) * unit;
    return rounded >= x ? rounded : x;
}

static const sp_ledger nothing;

static sp_status check_delta(double delta, sp_error *error)
{
    return delta > 0.0 && delta < 1.0 ? SP_OK : sp_fail(error, SP_EINVAL, "delta = %g: must be in (0, 1)", delta);
}

static sp_status in_memory(sp_status status, sp_error *error)
{
    return status == SP_OK ? SP_OK : sp_fail(error, status, "accountant: out of memory");
}

sp_status sp_account(const sp_ledger *ledger, sp_neighbours neighbours, double delta, sp_bounds *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_grouped_ledger g = { 0 };
    SP_TRY(check_delta(delta, error));
    if (ledger->count == 0) {
        *out = (sp_bounds){ .epsilon = { [SP_BOUND_BASIC] = NAN, [SP_BOUND_PLD] = NAN } };
        return SP_OK;
    }
    SP_TRY(sp_grouped_open(ledger, &nothing, neighbours, &g, error));
    SP_TRY(in_memory(sp_grouped_bounds(&g, delta, 1.0, SP_WITH_PLD, out), error));
cleanup:
    sp_grouped_close(&g);
    return status;
}

sp_status sp_account_deltas(const sp_ledger *ledger, sp_neighbours neighbours, double epsilon, double delta[SP_BOUNDS],
                            sp_bound_kind *best, sp_error *error)
{
    sp_status status = SP_OK;
    sp_grouped_ledger g = { 0 };
    if (!(epsilon >= 0.0))
        return sp_fail(error, SP_EINVAL, "epsilon = %g: must be >= 0", epsilon);
    SP_TRY(sp_grouped_open(ledger, &nothing, neighbours, &g, error));
    *best = SP_BOUND_GAUSS;
    SP_TRY(in_memory(sp_grouped_deltas(&g, epsilon, delta, best), error));
cleanup:
    sp_grouped_close(&g);
    return status;
}

sp_status sp_account_delta(const sp_ledger *ledger, sp_neighbours neighbours, double epsilon, double *delta,
                           sp_error *error)
{
    double every[SP_BOUNDS];
    sp_bound_kind best;
    const sp_status status = sp_account_deltas(ledger, neighbours, epsilon, every, &best, error);
    if (status == SP_OK)
        *delta = every[best];
    return status;
}

/* --- calibration ---------------------------------------------------------------------------------------------- */

typedef struct target {
    const sp_grouped_ledger *ledger;
    double epsilon, delta;
    sp_effort effort;
    double tolerance; /* what is spent ends between (1 - 2 tolerance) and (1 - tolerance / 10) of epsilon */
} target;

enum { SECANTS = 40, BISECTIONS = 60 }; /* steps, at most: secants crawl where epsilon falls to 0 at once */
static const double smooth = 3e-8; /* a tolerance */
static const double far = 1e6;     /* an epsilon for which distributions are too wide to be worth their time */

static const double least_factor = 1e-6; /* where no noise is needed */

/* The tolerance where distributions decide: their grid moves with the noise, and they round by about 1e-13. */
static double gridded(double epsilon)
{
    return epsilon < 1e-6 ? fmin(0.1, 1e-11 / epsilon) : 1e-5;
}

/* The smallest valid epsilon of the worst pool, over the target. */
static sp_status spending(const target *t, double factor, double *spent, sp_error *error)
{
    sp_bounds bounds;
    const sp_status status = in_memory(sp_grouped_bounds(t->ledger, t->delta, factor, t->effort, &bounds), error);
    *spent = status == SP_OK ? bounds.best / t->epsilon : NAN;
    return status;
}

/* Ledgers of unsampled Gaussians have a closed form: mu^2 = fixed + scaled / c^2 for the worst record. */
static bool closed_form(const target *t, double *factor)
{
    const double mu2 = gsl_pow_2(sp_gaussian_mu(t->epsilon, t->delta));
    const sp_grouped_ledger *ledger = t->ledger;
    *factor = 0.0;
    if (ledger->filter != SP_FILTER_NONE)
        return false;
    for (size_t group = sp_grouped_first(ledger); group < ledger->count; group++) {
        const sp_composition fixed = sp_composition_of(ledger, group, INFINITY);
        const sp_composition unit = sp_composition_of(ledger, group, 1.0);
        if (fixed.has_curves || fixed.has_pure)
            return false;
        const double left = mu2 - sp_composition_mu2(&fixed);
        const double scaled = sp_composition_mu2(&unit) - sp_composition_mu2(&fixed);
        if (scaled > 0.0 || left < 0.0)
            *factor = fmax(*factor, left > 1e-9 * mu2 ? sqrt(scaled / left) * (1.0 + 1e-12) : INFINITY);
    }
    return true;
}

/* Secants on ln spending over ln factor, close to a straight line, kept inside what is known of the root. From *factor,
 * with *slope as it was found before. A jump of the grid over the target ends on its lower side. */
static sp_status solve(const target *t, double *factor, double *slope, sp_error *error)
{
    sp_status status = SP_OK;
    const double aim = 1.0 - t->tolerance;
    double x = log(*factor), last_x = NAN, last_y = NAN, below = -INFINITY, above = INFINITY, spent;
    for (size_t step = 0; step < SECANTS + BISECTIONS && fabs(x) < 100.0; step++) {
        SP_TRY(spending(t, exp(x), &spent, error));
        const double y = log(fmin(fmax(spent, 1e-9), 1e9) / aim);
        *(y > 0.0 ? &below : &above) = x;
        if (fabs(spent - aim) <= 0.9 * t->tolerance || above - below < 0.1 * t->tolerance) {
            *factor = exp(above < INFINITY && spent > 1.0 - 0.1 * t->tolerance ? above : x);
            goto cleanup;
        }
        if (y != last_y && x != last_x && step > 0)
            *slope = fmin((y - last_y) / (x - last_x), -0.05);
        last_x = x;
        last_y = y;
        if (step >= SECANTS)
            *slope = gsl_max(*slope, -1.0);
        x -= gsl_max(-3.0, gsl_min(3.0, y / *slope));
        if (!(x > below && x < above) || (step >= SECANTS && isfinite(above - below)))
            x = (below + above) / 2.0;
    }
    SP_TRY(sp_fail(error, SP_ENUMERIC, "calibration to epsilon = %g did not converge (noise factor %g)", t->epsilon,
                   exp(last_x)));
cleanup:
    return status;
}

sp_status sp_calibrate_under(const sp_ledger *spent, const sp_ledger *planned, sp_neighbours neighbours, double epsilon,
                             double delta, double *factor, sp_error *error)
{
    sp_status status = SP_OK;
    sp_grouped_ledger g = { 0 };
    target t = { &g, epsilon, delta, SP_WITHOUT_PLD, smooth };
    double rho = 0.0, unscaled = 0.0, slope = -1.0;
    if (!(epsilon > 0.0 && isfinite(epsilon)))
        return sp_fail(error, SP_EINVAL, "epsilon = %g: must be > 0 and finite", epsilon);
    SP_TRY(check_delta(delta, error));
    SP_TRY(sp_grouped_open(spent ? spent : &nothing, planned, neighbours, &g, error));
    for (size_t i = 0; i < planned->count; i++) { /* roughly, subsampling multiplies the cost by rate^2 */
        const sp_entry *e = &planned->entry[i];
        const bool sampled = e->kind == SP_LEDGER_GAUSS_WOR || e->kind == SP_LEDGER_POISSON;
        if (sp_entry_noisy(e))
            rho += (double)e->count * gsl_pow_2(sampled ? e->rate : 1.0) / (2.0 * gsl_pow_2(e->noise_multiplier));
    }
    if (rho > 0.0 && closed_form(&t, factor)) {
        if (isinf(*factor))
            SP_TRY(sp_fail(error, SP_EBUDGET, "nothing remains of epsilon = %g, delta = %g", epsilon, delta));
        *factor = sp_round_up(*factor);
        goto cleanup;
    }
    SP_TRY(spending(&t, INFINITY, &unscaled, error));
    if (!(unscaled < 1.0 - 2.0 * smooth)) { /* by distributions, there may be room */
        t.effort = SP_WITH_PLD;
        t.tolerance = gridded(epsilon);
        SP_TRY(spending(&t, INFINITY, &unscaled, error));
    }
    if (rho > 0.0 ? !(unscaled < 1.0 - 2.0 * t.tolerance) : !(unscaled <= 1.0 + 1e-9))
        SP_TRY(sp_fail(error, SP_EBUDGET, "epsilon = %g, delta = %g is spent without the planned noise: %.10g", epsilon,
                       delta, unscaled * epsilon));
    *factor = 1.0;
    if (rho > 0.0) { /* the cheap bounds first: what they ask for is close to what is needed */
        SP_TRY(spending(&t, least_factor, &unscaled, error));
        if (unscaled <= 1.0) { /* sampled so rarely that delta alone allows it */
            *factor = least_factor;
            goto cleanup;
        }
        *factor = sqrt(rho / sp_zcdp_rho(epsilon, delta));
        if (t.effort == SP_WITHOUT_PLD)
            SP_TRY(solve(&t, factor, &slope, error));
        if (epsilon < far)
            t.effort = SP_WITH_PLD;
        SP_TRY(spending(&t, *factor, &unscaled, error));
        if (!(unscaled >= 1.0 - 2.0 * gridded(epsilon) && unscaled <= 1.0)) { /* above: no cheap bound has room */
            t.tolerance = gridded(epsilon);
            *factor *= pow(gsl_max(1e-3, gsl_min(1e3, unscaled)), -1.0 / slope);
            SP_TRY(solve(&t, factor, &slope, error));
        }
        *factor = sp_round_up(*factor);
    }
cleanup:
    sp_grouped_close(&g);
    return status;
}

sp_status sp_calibrate_factor(const sp_ledger *spent, const sp_ledger *planned, double epsilon, double delta,
                              double *factor, sp_error *error)
{
    return sp_calibrate_under(spent, planned, SP_REPLACE_ONE, epsilon, delta, factor, error);
}
