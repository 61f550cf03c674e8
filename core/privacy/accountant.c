/* accountant.c -- from a ledger to (epsilon, delta), and from (epsilon, delta) to noise. */
#include "core/privacy/accountant.h"

#include "core/privacy/bill.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>
#include <math.h>

const char *sp_bound_name(sp_bound_kind bound)
{
    static const char *const names[] = { "gauss", "zcdp", "rdp", "basic" };
    return (size_t)bound < SP_BOUNDS ? names[bound] : "unknown";
}

const char *sp_neighbours_name(sp_neighbours neighbours)
{
    return neighbours == SP_REPLACE_ONE ? "replace_one" : "add_remove";
}

static const sp_ledger nothing;

sp_status sp_account(const sp_ledger *ledger, sp_neighbours neighbours, double delta, sp_bounds *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_books b = { 0 };
    if (!(delta > 0.0 && delta < 1.0))
        return sp_fail(error, SP_EINVAL, "delta = %g: must be in (0, 1)", delta);
    if (ledger->count == 0) {
        *out = (sp_bounds){ .epsilon = { [SP_BOUND_BASIC] = NAN } };
        return SP_OK;
    }
    SP_TRY(sp_books_open(ledger, &nothing, neighbours, &b, error));
    sp_books_bounds(&b, delta, 1.0, out);
cleanup:
    sp_books_close(&b);
    return status;
}

sp_status sp_account_delta(const sp_ledger *ledger, sp_neighbours neighbours, double epsilon, double *delta,
                           sp_error *error)
{
    sp_status status = SP_OK;
    sp_books b = { 0 };
    if (!(epsilon >= 0.0))
        return sp_fail(error, SP_EINVAL, "epsilon = %g: must be >= 0", epsilon);
    SP_TRY(sp_books_open(ledger, &nothing, neighbours, &b, error));
    *delta = 0.0;
    for (size_t pool = sp_bill_first(&b); ledger->count > 0 && pool < b.count; pool++) {
        const sp_bill one = sp_bill_of(&b, pool, 1.0);
        *delta = fmax(*delta, sp_bill_delta(&one, epsilon));
    }
cleanup:
    sp_books_close(&b);
    return status;
}

/* --- calibration ---------------------------------------------------------------------------------------------- */

typedef struct target {
    const sp_books *books;
    double epsilon, delta;
} target;

/* The smallest valid epsilon of the worst pool, over the target. */
static double spending(const target *t, double factor)
{
    sp_bounds bounds;
    sp_books_bounds(t->books, t->delta, factor, &bounds);
    return bounds.best / t->epsilon;
}

/* The root is sought a little below the target, so that every accepted factor is within it. */
static const double aim = 1.0 - 3e-8, aim_tolerance = 2.5e-8;

static double excess(double log_factor, void *context)
{
    return fmin(spending(context, exp(log_factor)), 1e6) - aim;
}

/* Ledgers of unsampled Gaussians have a closed form: mu^2 = fixed + scaled / c^2 for the worst payer. */
static bool closed_form(const target *t, double *factor)
{
    const double mu2 = gsl_pow_2(sp_gaussian_mu(t->epsilon, t->delta));
    const sp_books *books = t->books;
    *factor = 0.0;
    for (size_t pool = sp_bill_first(books); pool < books->count; pool++) {
        const sp_bill fixed = sp_bill_of(books, pool, INFINITY), unit = sp_bill_of(books, pool, 1.0);
        if (fixed.sampled || fixed.pure)
            return false;
        const double left = mu2 - sp_bill_mu2(&fixed), scaled = sp_bill_mu2(&unit) - sp_bill_mu2(&fixed);
        if (scaled > 0.0 || left < 0.0)
            *factor = fmax(*factor, left > 1e-9 * mu2 ? sqrt(scaled / left) * (1.0 + 1e-12) : INFINITY);
    }
    return true;
}

static sp_status solve(const target *t, double guess, double *factor, sp_error *error)
{
    sp_status status = SP_OK;
    gsl_root_fsolver *solver = NULL;
    gsl_function function = { .function = excess, .params = (void *)t };
    double x = log(guess), ends[2] = { -INFINITY, INFINITY }, value = 0.0;
    while (isinf(ends[0]) || isinf(ends[1])) { /* epsilon is close to proportional to 1 / factor */
        value = excess(x, (void *)t);
        const bool above = value > 0.0;
        ends[above ? 0 : 1] = x;
        x += above ? log1p(value) + 0.05 : fmax(log(aim + value), -2.0) - 0.05;
        if (!(fabs(x) < 100.0))
            return sp_fail(error, SP_ENUMERIC, "no noise factor below %g reaches epsilon = %g", exp(100.0), t->epsilon);
    }
    solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!solver)
        SP_TRY(sp_fail(error, SP_ENOMEM, "calibration: out of memory"));
    if (gsl_root_fsolver_set(solver, &function, ends[0], ends[1]) != GSL_SUCCESS)
        SP_TRY(sp_fail(error, SP_ENUMERIC, "calibration to epsilon = %g has no bracket", t->epsilon));
    for (size_t step = 0; step < 100; step++) {
        x = gsl_root_fsolver_root(solver);
        value = excess(x, (void *)t);
        if (fabs(value) <= aim_tolerance) {
            *factor = exp(x);
            goto cleanup;
        }
        if (gsl_root_fsolver_iterate(solver) != GSL_SUCCESS)
            break;
    }
    SP_TRY(sp_fail(error, SP_ENUMERIC, "calibration to epsilon = %g did not converge", t->epsilon));
cleanup:
    gsl_root_fsolver_free(solver);
    return status;
}

sp_status sp_calibrate_factor(const sp_ledger *spent, const sp_ledger *planned, double epsilon, double delta,
                              double *factor, sp_error *error)
{
    sp_status status = SP_OK;
    sp_books b = { 0 };
    const target t = { &b, epsilon, delta };
    double rho = 0.0, unscaled = 0.0;
    if (!(epsilon > 0.0 && isfinite(epsilon)))
        return sp_fail(error, SP_EINVAL, "epsilon = %g: must be > 0 and finite", epsilon);
    if (!(delta > 0.0 && delta < 1.0))
        return sp_fail(error, SP_EINVAL, "delta = %g: must be in (0, 1)", delta);
    SP_TRY(sp_books_open(spent ? spent : &nothing, planned, SP_REPLACE_ONE, &b, error));
    for (size_t i = 0; i < planned->count; i++) { /* roughly, subsampling multiplies the cost by rate^2 */
        const sp_entry *e = &planned->entry[i];
        if (sp_item_gaussian(&(sp_item){ .entry = *e }))
            rho += (double)e->count * gsl_pow_2(e->kind == SP_LEDGER_GAUSS ? 1.0 : e->rate) /
                   (2.0 * gsl_pow_2(e->noise_multiplier));
    }
    if (rho > 0.0 && closed_form(&t, factor)) {
        if (isinf(*factor))
            SP_TRY(sp_fail(error, SP_EBUDGET, "nothing remains of epsilon = %g, delta = %g", epsilon, delta));
        goto cleanup;
    }
    unscaled = spending(&t, INFINITY);
    if (rho > 0.0 ? unscaled >= aim - aim_tolerance : unscaled > 1.0 + 1e-9)
        SP_TRY(sp_fail(error, SP_EBUDGET, "epsilon = %g, delta = %g is spent without the planned noise: %.10g", epsilon,
                       delta, unscaled * epsilon));
    *factor = 1.0;
    if (rho > 0.0)
        SP_TRY(solve(&t, sqrt(rho / sp_zcdp_rho(epsilon, delta)), factor, error));
cleanup:
    sp_books_close(&b);
    return status;
}
