/* pld.c -- compositions of dominating pairs against exact curves: Gaussians, binomials, one release in closed form, two
 * by quadrature. The composition may never be below, and not more than the grid's error above. */
#include "core/accountant/accountant.h"
#include "core/accountant/pld.h"
#include "tests/check.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>

static const double grid_error = 4e-4; /* of epsilon, relative to max(epsilon, 1/4) */

static void check_above(const char *what, double epsilon, double exact, double rounding)
{
    SP_CHECK_REPORT(epsilon >= exact * (1.0 - rounding) && epsilon - exact <= grid_error * fmax(exact, 0.25),
                    "%s: epsilon %.12g, exactly %.12g", what, epsilon, exact);
}

static double epsilon_of(sp_dominating_pair pair, double delta)
{
    double epsilon = NAN;
    CHECK_EQUAL(sp_pld_epsilon(&pair, 1, delta, &epsilon), SP_OK);
    return epsilon;
}

/* The composed curve and its inverse, both from above; `rounding` is that of the curve's inverse. */
static void check_curve(const char *what, sp_dominating_pair pair,
                        double (*curve)(const sp_dominating_pair *, double), double delta, double rounding)
{
    double low = 0.0, high = 1.0, back;
    while (curve(&pair, high) > delta)
        high *= 2.0;
    while (high - low > 0.1 * rounding * high) {
        const double middle = 0.5 * (low + high);
        *(curve(&pair, middle) > delta ? &low : &high) = middle;
    }
    if (curve(&pair, 0.0) <= delta)
        high = 0.0;
    check_above(what, epsilon_of(pair, delta), high, rounding);
    if (high > 0.0) {
        CHECK_EQUAL(sp_pld_delta(&pair, 1, high, &back), SP_OK);
        const double slack = pair.count * sp_pair_slack(&pair, -100.0); /* of epsilon; delta's slope is below 1 */
        SP_CHECK_REPORT(back >= curve(&pair, high) * (1.0 - 1e-9) &&
                            back <= delta * 1.2 + slack,
                        "%s mu %g q %g epsilon %g count %g: delta %g back %g", what, pair.mu, pair.q, pair.epsilon,
                        pair.count, delta, back);
    }
}

/* --- Gaussians: any count of them is one ---------------------------------------------------------------------- */

static double gaussian_curve(const sp_dominating_pair *p, double epsilon)
{
    return sp_gaussian_delta(p->mu * sqrt(p->count), epsilon);
}

static void gaussians(void)
{
    const double counts[] = { 1.0, 3.0, 100.0, 1e5 }, deltas[] = { 0.1, 1e-6, 1e-15, 1e-30, 1e-100 };
    const double mus[] = { 0.1, 1.037, 4.3 };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++)
            for (size_t k = 0; k < 3; k++)
                check_curve("gaussian",
                            (sp_dominating_pair){ .mu = mus[k] / sqrt(counts[i]), .q = 1.0, .count = counts[i] },
                            gaussian_curve, deltas[j], 3e-13);
    /* far beyond what is asked of it: still above */
    const double e = epsilon_of((sp_dominating_pair){ .mu = 1e-5, .q = 1.0, .count = 1e10 }, 1e-9);
    CHECK(e >= sp_gaussian_epsilon(1.0, 1e-9));
}

/* --- randomised response: a binomial -------------------------------------------------------------------------- */

static double response_curve(const sp_dominating_pair *p, double epsilon)
{
    const double k = p->count, log_true = -log1p(exp(-p->epsilon));
    double sum = 0.0;
    for (double i = 0.0; i <= k; i++) { /* i truthful answers: loss (2 i - k) epsilon */
        const double loss = (2.0 * i - k) * p->epsilon;
        if (loss > epsilon)
            sum += exp(gsl_sf_lnchoose((unsigned)k, (unsigned)i) + k * log_true - (k - i) * p->epsilon) *
                   -expm1(epsilon - loss);
    }
    return sum;
}

/* Among more answers: i truthful, j of those that neither input prefers; loss (2 i + j - k) epsilon. */
static double many_answers_curve(const sp_dominating_pair *p, double epsilon)
{
    const double k = p->count, log_low = -log(exp(p->epsilon) + 1.0 + p->others);
    double sum = 0.0;
    for (double i = 0.0; i <= k; i++)
        for (double j = 0.0; j <= k - i; j++) {
            const double loss = (2.0 * i + j - k) * p->epsilon;
            if (loss > epsilon)
                sum += exp(gsl_sf_lnchoose((unsigned)k, (unsigned)i) + gsl_sf_lnchoose((unsigned)(k - i), (unsigned)j) +
                           k * log_low + i * p->epsilon + j * log(p->others)) *
                       -expm1(epsilon - loss);
        }
    return sum;
}

static void many_answers(void)
{
    const double epsilons[] = { 0.1, 0.77, 2.3 }, others[] = { 1.0, 8.0, 998.0 }, counts[] = { 1.0, 7.0, 60.0 };
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 3; k++)
                for (double delta = 1e-3; delta > 1e-15; delta *= 1e-6)
                    check_curve("answers",
                                (sp_dominating_pair){ .form = SP_PAIR_RESPONSE, .epsilon = epsilons[i],
                                                      .others = others[j], .count = counts[k] },
                                many_answers_curve, delta, 3e-13);
}

static void responses(void)
{
    const double epsilons[] = { 0.013, 0.1, 0.77, 2.3 }, counts[] = { 1.0, 5.0, 60.0, 1000.0 };
    const double deltas[] = { 1e-3, 1e-9, 1e-15 };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (size_t k = 0; k < 3; k++)
                if (epsilons[i] * counts[j] < 700.0)
                    check_curve("response",
                                (sp_dominating_pair){
                                    .form = SP_PAIR_RESPONSE, .epsilon = epsilons[i], .count = counts[j] },
                                response_curve, deltas[k], 3e-13);
}

/* --- one release, in closed form, at every real epsilon -------------------------------------------------------- */

static double log_phi(double x)
{
    return gsl_sf_log_erfc(-x / M_SQRT2) - M_LN2;
}

/* sup over A of P(A) - e^epsilon Q(A); Phi of both, P minus e^epsilon Q beyond the threshold. */
static double normal_curve(const sp_dominating_pair *p, double epsilon)
{
    const double inside = 1.0 + expm1(epsilon) / p->q;
    if (inside <= 0.0)
        return -expm1(epsilon);
    const double x = log(inside) / p->mu + 0.5 * p->mu, far = exp(log_phi(-x)), near = exp(log_phi(p->mu - x));
    return (1.0 - p->q) * far + p->q * near - exp(epsilon + log_phi(-x));
}

/* N(0, 1) against the mixture: the complement's identity. */
static double swapped_curve(const sp_dominating_pair *p, double epsilon)
{
    return 1.0 - exp(epsilon) * (1.0 - normal_curve(p, -epsilon));
}

static double mirrored_curve(const sp_dominating_pair *p, double epsilon)
{
    return epsilon >= 0.0 ? normal_curve(p, epsilon) : 1.0 - exp(epsilon) * (1.0 - normal_curve(p, -epsilon));
}

static double laplace_curve(const sp_dominating_pair *p, double epsilon)
{
    return epsilon >= p->epsilon ? 0.0
                                 : epsilon <= -p->epsilon ? -expm1(epsilon) : -expm1(0.5 * (epsilon - p->epsilon));
}

static void single_releases(void)
{
    const double rates[] = { 1e-4, 0.013, 0.37, 0.96 }, mus[] = { 0.21, 1.0, 3.3 }, deltas[] = { 1e-3, 1e-6, 1e-11 };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 3; k++) {
                const sp_dominating_pair pair = { .mu = mus[j], .q = rates[i], .count = 1.0 };
                sp_dominating_pair mirrored = pair;
                mirrored.form = SP_PAIR_MIRRORED;
                check_curve("normal", pair, normal_curve, deltas[k], 1e-9);
                check_curve("mirrored", mirrored, mirrored_curve, deltas[k], 1e-9);
            }
    for (size_t k = 0; k < 3; k++)
        check_curve("laplace", (sp_dominating_pair){ .form = SP_PAIR_LAPLACE, .epsilon = 0.83, .count = 1.0 },
                    laplace_curve, deltas[k], 3e-13);
}

/* Tiny rates at tiny deltas, where the FFT's roundings are more than delta: epsilons in 60 digits (mpmath; the root of
 * q (Q(x - mu) - (1 + (e^eps - 1)/q) Q(x)) = delta, x = ln(1 + (e^eps - 1)/q)/mu + mu/2). */
static void rare_releases(void)
{
    const struct {
        double noise_multiplier, q, delta, exact;
    } cases[] = { { 1.0, 1e-4, 1e-20, 0.384117565282631 },   { 1.0, 1e-6, 1e-30, 0.0343713363427306 },
                  { 0.5, 1e-10, 1e-30, 0.0549365210916182 }, { 0.2, 1e-10, 1e-12, 0.848227714911553 },
                  { 2.0, 1e-4, 1e-30, 0.0196880381906623 },  { 0.1, 1e-8, 1e-30, 128.2995483136 } };
    const sp_pair_form forms[] = { SP_PAIR_NORMAL, SP_PAIR_MIRRORED }; /* one curve above epsilon = 0 */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < 2; k++) {
            const sp_dominating_pair pair = { .form = forms[k], .mu = 1.0 / cases[i].noise_multiplier,
                                              .q = cases[i].q, .count = 1.0 };
            const double found = epsilon_of(pair, cases[i].delta), exact = cases[i].exact;
            double delta = NAN;
            SP_CHECK_REPORT(found >= exact * (1.0 - 1e-14) && found <= exact * (1.0 + 3e-5),
                            "case %zu, form %zu: epsilon %.12g, exactly %.12g", i, k, found, exact);
            CHECK_EQUAL(sp_pld_delta(&pair, 1, exact, &delta), SP_OK);
            CHECK(delta >= cases[i].delta * (1.0 - 1e-12) && delta <= 1.002 * cases[i].delta);
        }
}

/* Losses beyond 709, where e^loss overflows. 420 digits (mpmath), and what the largest loss alone gives away. */
static void wide_losses(void)
{
    const struct {
        double noise_multiplier, q, exact; /* at delta = 2e-9 */
    } cases[] = { { 0.027, 0.999999996, 902.876220599932 }, { 0.02, 0.3, 1531.93584309941 } };
    for (size_t i = 0; i < 2; i++) {
        const double mu = 1.0 / cases[i].noise_multiplier, exact = cases[i].exact;
        const double found = epsilon_of((sp_dominating_pair){ .mu = mu, .q = cases[i].q, .count = 1.0 }, 2e-9);
        SP_CHECK_REPORT(found >= exact * (1.0 - 1e-14) && found <= exact * (1.0 + 1e-4), "epsilon %.12g, exactly %.12g",
                        found, exact);
    }
    const sp_dominating_pair pure[] = { { SP_PAIR_RESPONSE, .epsilon = 800.123, .count = 3.0 },
                                        { SP_PAIR_LAPLACE, .epsilon = 750.5, .count = 2.0 } };
    double epsilon = NAN; /* all five at their largest loss, of probability 1/4 */
    CHECK_EQUAL(sp_pld_epsilon(pure, 2, 1e-6, &epsilon), SP_OK);
    CHECK(epsilon >= 3.0 * 800.123 + 2.0 * 750.5 + log1p(-4e-6));
}

/* --- two releases: delta_2(epsilon) = E over the loss l of the first of delta_1(epsilon - l) -------------------- */

typedef struct first_release {
    sp_dominating_pair pair;
    double epsilon;
} first_release;

static double density(double x)
{
    return exp(-0.5 * x * x) / sqrt(2.0 * M_PI);
}

static double loss_of(const sp_dominating_pair *p, double x)
{
    return log1p(p->q * expm1(p->mu * x - 0.5 * p->mu * p->mu));
}

static double normal_term(double x, void *context)
{
    const first_release *f = context;
    const sp_dominating_pair *p = &f->pair;
    return ((1.0 - p->q) * density(x) + p->q * density(x - p->mu)) * normal_curve(p, f->epsilon - loss_of(p, x));
}

static double swapped_term(double x, void *context)
{
    const first_release *f = context;
    return density(x) * swapped_curve(&f->pair, f->epsilon + loss_of(&f->pair, x));
}

/* x > mu/2 and its mirror image */
static double mirrored_term(double x, void *context)
{
    const first_release *f = context;
    const sp_dominating_pair *p = &f->pair;
    const double l = loss_of(p, x);
    return ((1.0 - p->q) * density(x) + p->q * density(x - p->mu)) * mirrored_curve(p, f->epsilon - l) +
           density(x) * mirrored_curve(p, f->epsilon + l);
}

static double integral(double (*term)(double, void *), first_release *f, double from)
{
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(2000);
    gsl_function g = { term, f };
    double sum = 0.0, part, error;
    for (double a = from; a < 14.0; a += 2.0) { /* in pieces: the curve has kinks */
        gsl_integration_qag(&g, a, a + 2.0, 1e-14, 1e-8, 2000, GSL_INTEG_GAUSS21, w, &part, &error);
        sum += part;
    }
    gsl_integration_workspace_free(w);
    return sum;
}

static double two_normal(const sp_dominating_pair *p, double epsilon)
{
    return integral(normal_term, &(first_release){ *p, epsilon }, -10.0);
}

static double two_swapped(const sp_dominating_pair *p, double epsilon)
{
    return integral(swapped_term, &(first_release){ *p, epsilon }, -10.0);
}

static double two_mirrored(const sp_dominating_pair *p, double epsilon)
{
    return integral(mirrored_term, &(first_release){ *p, epsilon }, 0.5 * p->mu) +
           (1.0 - p->q) * erf(p->mu / sqrt(8.0)) * mirrored_curve(p, epsilon);
}

static void two_releases(void)
{
    const struct {
        double q, mu, delta;
    } cases[] = { { 0.013, 1.0, 1e-4 }, { 0.3, 0.7, 1e-5 }, { 0.2, 2.1, 1e-3 } };
    for (size_t i = 0; i < 3; i++) {
        sp_dominating_pair pair = { .mu = cases[i].mu, .q = cases[i].q, .count = 2.0 };
        check_curve("two normal", pair, two_normal, cases[i].delta, 1e-6);
        pair.form = SP_PAIR_MIRRORED;
        check_curve("two mirrored", pair, two_mirrored, cases[i].delta, 1e-6);
        pair.form = SP_PAIR_SWAPPED;
        check_curve("two swapped", pair, two_swapped, cases[i].delta, 1e-6);
    }
}

/* delta of N(0, 1) against a mixture that is nearly all N(mu, 1): the loss is at most -ln(1 - q) = 6.9, and most of it
 * is far from there. In Python: one release by the closed form, two by a trapezoid sum over the first one's loss. */
static void swapped_at_a_high_rate(void)
{
    const struct {
        double mu, epsilon, one, two;
    } cases[] = { { 0.5, 0.1, 0.15904656887676, 0.240758560581 }, { 0.5, 1.0, 0.0067541870894501, 0.0394149008806 },
                  { 0.5, 3.0, 2.6359514448012e-10, 6.74960109122e-06 },
                  { 2.0, 0.1, 0.66588569592836, 0.833793371949 }, { 2.0, 1.0, 0.50816393132662, 0.749040875315 },
                  { 2.0, 3.0, 0.17777290592714, 0.498899458517 }, { 2.0, 6.5, 0.00032849092633887, 0.107979698407 },
                  { 5.0, 1.0, 0.97717198000553, 0.998690615251 }, { 5.0, 6.5, 0.26075935519938, 0.97565150023 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int count = 1; count <= 2; count++) {
            const sp_dominating_pair pair = { SP_PAIR_SWAPPED, .mu = cases[i].mu, .q = 0.999, .count = count };
            const double exact = count == 1 ? cases[i].one : cases[i].two;
            double delta = NAN;
            CHECK_EQUAL(sp_pld_delta(&pair, 1, cases[i].epsilon, &delta), SP_OK);
            SP_CHECK_REPORT(delta >= exact * (1.0 - 1e-9) && delta <= exact * 1.005 + 1e-12,
                            "mu %g, epsilon %g, %d: delta %.14g, exactly %.14g", cases[i].mu, cases[i].epsilon, count,
                            delta, exact);
        }
}

/* --- laws ------------------------------------------------------------------------------------------------------- */

/* Equal pairs listed apart, and joined by their count, are one composition; order does not matter. */
static void lists(void)
{
    const sp_dominating_pair once = { SP_PAIR_MIRRORED, .mu = 0.6, .q = 0.03, .count = 90.0 };
    const sp_dominating_pair apart[] = { { SP_PAIR_MIRRORED, .mu = 0.6, .q = 0.03, .count = 50.0 },
                              { SP_PAIR_MIRRORED, .mu = 0.6, .q = 0.03, .count = 40.0 } };
    const sp_dominating_pair mixed[] = { once, { SP_PAIR_RESPONSE, .epsilon = 0.2, .count = 3.0 },
                              { .mu = 0.3, .q = 1.0, .count = 1.0 } };
    const sp_dominating_pair turned[] = { mixed[2], mixed[1], mixed[0] };
    double a, b;
    CHECK_EQUAL(sp_pld_epsilon(apart, 2, 1e-7, &a), SP_OK);
    CHECK_NEAR(a, epsilon_of(once, 1e-7), 1e-5);
    CHECK_EQUAL(sp_pld_epsilon(mixed, 3, 1e-7, &a), SP_OK);
    CHECK_EQUAL(sp_pld_epsilon(turned, 3, 1e-7, &b), SP_OK);
    CHECK_NEAR(a, b, 1e-8);
    CHECK(a > epsilon_of(once, 1e-7) && a < epsilon_of(once, 1e-7) + 0.6 + sp_gaussian_epsilon(0.3, 1e-7));
}

/* No pair, whatever its numbers, gives an answer that is not a bound. */
static void extremes(void)
{
    const sp_dominating_pair odd[] = { { SP_PAIR_NORMAL, .mu = 1e-9, .q = 1e-9, .count = 1.0 },
                            { SP_PAIR_NORMAL, .mu = 60.0, .q = 0.5, .count = 7.0 },
                            { SP_PAIR_SWAPPED, .mu = 30.0, .q = 0.999, .count = 100.0 },
                            { SP_PAIR_MIRRORED, .mu = 45.0, .q = 1e-7, .count = 1e9 },
                            { SP_PAIR_OPPOSED, .mu = 80.0, .q = 0.01, .count = 2.0 },
                            { SP_PAIR_OPPOSED, .mu = 1e-4, .q = 1.0, .count = 3.0 },
                            { SP_PAIR_RESPONSE, .epsilon = 300.0, .count = 4.0 },
                            { SP_PAIR_LAPLACE, .epsilon = 1e-8, .count = 1e6 } };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        for (double delta = 1e-2; delta > 1e-30; delta *= 1e-14) {
            double back;
            const double epsilon = epsilon_of(odd[i], delta);
            CHECK(epsilon >= 0.0);
            CHECK_EQUAL(sp_pld_delta(&odd[i], 1, isfinite(epsilon) ? epsilon : 1.0, &back), SP_OK);
            CHECK(back >= 0.0 && back <= 1.0);
        }
}

int main(void)
{
    gsl_set_error_handler_off();
    gaussians();
    responses();
    many_answers();
    single_releases();
    rare_releases();
    wide_losses();
    two_releases();
    swapped_at_a_high_rate();
    lists();
    extremes();
    return sp_check_done();
}
