/* unit/repetitions.c -- the law of the number of runs by summing it term by term; the theorem on the best of so many
 * runs, and what a cap adds, against the exact distribution of the best for thousands of small mechanisms. */
#include "core/accountant/accountant.h"
#include "core/accountant/entry_text.h"
#include "core/accountant/rdp.h"
#include "core/accountant/repetitions.h"
#include "core/numeric/stream.h"
#include "tests/check.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>

static const double shapes[] = { -0.5, 0.0, 0.7, 1.0, 3.5 };
enum { SHAPES = sizeof shapes / sizeof *shapes, TERMS = 200000 };

/* P(K = k) for k < TERMS, by the definition; p[0] = 0. */
static void law(double shape, double mean, double *p)
{
    const double q = -expm1(-sp_repetitions_log_gamma(shape, mean));
    double sum = 0.0;
    p[0] = 0.0;
    p[1] = q;
    for (size_t k = 1; k + 1 < TERMS; k++)
        p[k + 1] = p[k] * q * ((double)k + shape) / ((double)k + 1.0);
    for (size_t k = TERMS; k-- > 0;)
        sum += p[k];
    for (size_t k = 0; k < TERMS; k++)
        p[k] /= sum;
}

static double p[TERMS];

static void laws(void)
{
    const double means[] = { 1.3, 10.0, 30.0 };
    CHECK_NEAR(exp(-sp_repetitions_log_gamma(0.0, 10.0)), 0.02691826, 1e-8);
    CHECK_NEAR(exp(-sp_repetitions_log_gamma(0.0, 100.0)), 0.001542115, 1e-9);
    CHECK_NEAR(exp(-sp_repetitions_log_gamma(1.0, 10.0)), 0.1, 1e-15);
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t i = 0; i < 3; i++) {
            double mean = 0.0, tail = 0.0;
            law(shapes[s], means[i], p);
            for (size_t k = TERMS; k-- > 0;)
                mean += (double)k * p[k];
            CHECK_NEAR(mean / means[i], 1.0, 1e-9);
            for (size_t k = TERMS - 1; k > 0; k--) { /* tail = P(K > k) */
                if (tail > 1e-12 && tail < 1e-3 && (k % 37 == 0 || k < 50)) {
                    const double beyond = sp_repetitions_beyond(shapes[s], means[i], k);
                    CHECK_LESS_EQUAL(tail * (1.0 - 1e-9), beyond);
                    CHECK_LESS_EQUAL(beyond, 3.0 * tail);
                }
                tail += p[k];
            }
            const size_t cap = sp_repetitions_cap(shapes[s], means[i], 1e-9);
            CHECK(sp_repetitions_beyond(shapes[s], means[i], cap) <= 1e-9 &&
                  sp_repetitions_beyond(shapes[s], means[i], cap - 1) > 1e-9);
            double sum = 0.0; /* the inverse of the distribution function, at both sides of its steps */
            for (size_t k = 1; k < 30; k++) {
                if (p[k] > 1e-9 && sum > 0.0) {
                    CHECK_EQUAL(sp_repetitions_draw(shapes[s], means[i], cap, sum - 1e-12), k - 1);
                    CHECK_EQUAL(sp_repetitions_draw(shapes[s], means[i], cap, sum + 1e-12), k);
                }
                sum += p[k];
            }
            CHECK_EQUAL(sp_repetitions_draw(shapes[s], means[i], 7, 1.0 - 1e-16), 7);
            CHECK_EQUAL(sp_repetitions_draw(shapes[s], means[i], 7, 0.0), 1);
        }
    CHECK_NEAR(sp_repetitions_beyond(0.0, 10.0, 0), 0.0, 0.0);
    CHECK_NEAR(sp_repetitions_beyond(INFINITY, 10.0, 20) / gsl_cdf_poisson_Q(20, 10.0), 1.0, 1e-8);
}

/* --- the theorem -------------------------------------------------------------------------------------------------- */

enum { OUTPUTS = 5 };

/* P(the best is i), outputs in the order of their scores, the best first: all runs score no better than i less all
 * worse. f(x) = E x^K, K cut to `cap` (0: not). */
static double generating(double shape, double mean, size_t cap, double x)
{
    double sum = 0.0, power = 1.0, left = 1.0;
    if (cap == 0 && shape == 0.0)
        return log1p(expm1(-sp_repetitions_log_gamma(shape, mean)) * x) / -sp_repetitions_log_gamma(shape, mean);
    if (cap == 0) {
        const double l = sp_repetitions_log_gamma(shape, mean);
        return expm1(-shape * log1p(expm1(-l) * x)) / expm1(shape * l);
    }
    for (size_t k = 1; k < cap; k++) {
        power *= x;
        sum += p[k] * power;
        left -= p[k];
    }
    return sum + left * power * x;
}

static void best_of(double shape, double mean, size_t cap, const double *q, double *out)
{
    double worse = 0.0;
    for (size_t i = OUTPUTS; i-- > 0;) {
        out[i] = generating(shape, mean, cap, worse + q[i]) - generating(shape, mean, cap, worse);
        worse += q[i];
    }
}

static double renyi(const double *a, const double *b, double order)
{
    double sum = 0.0, most = -INFINITY;
    for (size_t i = 0; i < OUTPUTS; i++)
        most = fmax(most, log(a[i]) + (order - 1.0) * log(a[i] / b[i]));
    for (size_t i = 0; i < OUTPUTS; i++)
        sum += exp(log(a[i]) + (order - 1.0) * log(a[i] / b[i]) - most);
    return (most + log(sum)) / (order - 1.0);
}

static double either(const double *a, const double *b, double order)
{
    return fmax(renyi(a, b, order), renyi(b, a, order));
}

static double hockey_stick(const double *a, const double *b, double epsilon)
{
    double sum = 0.0;
    for (size_t i = 0; i < OUTPUTS; i++)
        sum += fmax(0.0, a[i] - exp(epsilon) * b[i]);
    return sum;
}

static void draw_pair(gsl_rng *r, double *a, double *b)
{
    double sum[2] = { 0.0, 0.0 };
    const double spread = pow(10.0, gsl_ran_flat(r, -2.0, 0.3)), skew = gsl_ran_flat(r, 0.0, 3.0);
    for (size_t i = 0; i < OUTPUTS; i++) {
        a[i] = exp(gsl_ran_gaussian(r, skew));
        b[i] = a[i] * exp(gsl_ran_gaussian(r, spread));
        sum[0] += a[i];
        sum[1] += b[i];
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        a[i] /= sum[0];
        b[i] /= sum[1];
    }
}

static void theorem(void)
{
    gsl_rng *r = sp_stream_open(sp_stream_key_of(5, "repetitions", 0, SP_STREAM_DATA));
    double closest = 0.0;
    for (size_t i = 0; i < 3000; i++) {
        double a[OUTPUTS], b[OUTPUTS], best_a[OUTPUTS], best_b[OUTPUTS], rho = 0.0;
        const double shape = shapes[i % SHAPES], mean = 1.0 + pow(10.0, gsl_ran_flat(r, -1.0, 2.0));
        draw_pair(r, a, b);
        for (double excess = 1e-4; excess < 1e4; excess *= 1.05) /* the least rho with R(order) <= rho order */
            rho = fmax(rho, either(a, b, 1.0 + excess) / (1.0 + excess));
        best_of(shape, mean, 0, a, best_a);
        best_of(shape, mean, 0, b, best_b);
        const sp_entry e = { .kind = SP_LEDGER_SELECT, .noise_multiplier = 1.0 / sqrt(2.0 * rho), .mean = mean,
                             .shape = shape, .count = 1 };
        for (double excess = 0.02; excess < 300.0; excess *= 2.3) {
            const double exact = either(best_a, best_b, 1.0 + excess);
            const double bound = sp_rdp_release(&e, 1.0, SP_REPLACE_ONE, 1.0 + excess);
            CHECK_LESS_EQUAL(exact, bound * (1.0 + 1e-3) + 1e-9); /* rho is from below, of a grid */
            closest = fmax(closest, exact / bound);
        }
    }
    CHECK(closest > 0.5);
    gsl_rng_free(r);
}

/* Capped: the exact hockey-stick divergence of the best, both ways, against the accountant's delta at epsilon; and
 * epsilon at that delta. */
static void caps(void)
{
    gsl_rng *r = sp_stream_open(sp_stream_key_of(6, "repetitions", 0, SP_STREAM_DATA));
    for (size_t i = 0; i < 600; i++) {
        double a[OUTPUTS], b[OUTPUTS], best_a[OUTPUTS], best_b[OUTPUTS], rho = 0.0, delta = NAN;
        const double shape = shapes[i % SHAPES], mean = 1.0 + pow(10.0, gsl_ran_flat(r, -1.0, 1.5));
        const size_t cap = 1 + gsl_rng_uniform_int(r, 60);
        sp_ledger ledger = { 0 };
        sp_bounds bounds;
        draw_pair(r, a, b);
        for (double excess = 1e-4; excess < 1e4; excess *= 1.05)
            rho = fmax(rho, either(a, b, 1.0 + excess) / (1.0 + excess));
        law(shape, mean, p);
        best_of(shape, mean, cap, a, best_a);
        best_of(shape, mean, cap, b, best_b);
        const sp_entry e = { .kind = SP_LEDGER_SELECT, .noise_multiplier = 1.0 / sqrt(2.002 * rho), .mean = mean,
                             .shape = shape, .cap = cap, .count = 1 };
        const double beyond = sp_repetitions_beyond(shape, mean, cap);
        CHECK_EQUAL(sp_ledger_append(&ledger, &e), SP_OK);
        for (double epsilon = 0.0; epsilon < 4.0; epsilon += 0.5) {
            CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, epsilon, &delta, NULL), SP_OK);
            CHECK_LESS_EQUAL(fmax(hockey_stick(best_a, best_b, epsilon), hockey_stick(best_b, best_a, epsilon)), delta);
            if (delta < 1.0 && epsilon > 0.0 && (1.0 + exp(epsilon)) * beyond < 0.3 * delta) { /* and back */
                CHECK_EQUAL(sp_account(&ledger, SP_REPLACE_ONE, delta, &bounds, NULL), SP_OK);
                /* less where the cap's part grows with epsilon */
                CHECK_LESS_EQUAL(bounds.best, epsilon * (1.0 + 1e-6));
                double again = NAN;
                CHECK_EQUAL(sp_account_delta(&ledger, SP_REPLACE_ONE, bounds.best, &again, NULL), SP_OK);
                CHECK_LESS_EQUAL(again, delta * (1.0 + 1e-9));
            }
        }
        sp_ledger_free(&ledger);
    }
    gsl_rng_free(r);
    /* a cap below which a tenth of all draws lies leaves nothing of delta = 1e-6 */
    const sp_entry e = { .kind = SP_LEDGER_SELECT, .noise_multiplier = 50.0, .mean = 10.0, .shape = 1.0, .cap = 22,
                         .count = 1 };
    sp_ledger ledger = { 0 };
    sp_bounds bounds;
    CHECK_EQUAL(sp_ledger_append(&ledger, &e), SP_OK);
    CHECK_EQUAL(sp_account(&ledger, SP_REPLACE_ONE, 1e-6, &bounds, NULL), SP_OK);
    CHECK(isinf(bounds.best));
    sp_ledger_free(&ledger);
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* rho of one run at (1, 1e-8), and the same of a program that searches orders and the theorem's second order on
 * grids. */
static void numbers(void)
{
    const struct {
        double shape, mean, printed, rho;
    } rows[] = {
        { 0.0, 10.0, 0.00722, 0.007224334131361 }, { 0.0, 100.0, 0.00544, 0.005435974997195 },
        { 1.0, 10.0, 0.00516, 0.005160980521760 }, { 1.0, 100.0, 0.00348, 0.003481457743492 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int capped = 0; capped < 2; capped++) {
            sp_ledger planned = { 0 };
            double factor = NAN;
            const size_t cap = capped ? sp_repetitions_cap(rows[i].shape, rows[i].mean, 1e-11 / (1.0 + M_E)) : 0;
            const sp_entry e = { .kind = SP_LEDGER_SELECT, .noise_multiplier = 1.0, .mean = rows[i].mean,
                                 .shape = rows[i].shape, .cap = cap, .count = 1 };
            CHECK_EQUAL(sp_ledger_append(&planned, &e), SP_OK);
            CHECK_EQUAL(sp_calibrate_factor(NULL, &planned, 1.0, 1e-8, &factor, NULL), SP_OK);
            const double rho = 1.0 / (2.0 * factor * factor);
            CHECK_NEAR(rho, rows[i].printed, 5.1e-6);
            CHECK_NEAR(rho / rows[i].rho, 1.0, capped ? 1e-3 : 1e-5);
            CHECK(!capped || rho < rows[i].rho);
            sp_ledger_free(&planned);
        }
}

static void texts(void)
{
    sp_entry e;
    sp_error error = { .text = "" };
    sp_text out = { 0 };
    CHECK_EQUAL(sp_entry_read("select:noise_multiplier=2,mean=10,shape=0,cap=950", &e, &error), SP_OK);
    CHECK(e.kind == SP_LEDGER_SELECT && e.cap == 950 && e.shape == 0.0 && e.mean == 10.0);
    sp_entry_print(&e, &out);
    CHECK_TEXT(out.data, "select:noise_multiplier=2,mean=10,shape=0,cap=950,count=1");
    sp_text_free(&out);
    CHECK_EQUAL(sp_entry_read("gauss:noise_multiplier=2,cap=3", &e, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "unknown key \"cap\"");
    /* entries of different caps are different entries */
    sp_ledger ledger = { 0 };
    const sp_entry one = { .kind = SP_LEDGER_SELECT, .noise_multiplier = 9.0, .mean = 3.0, .cap = 50, .count = 1 };
    sp_entry other = one;
    other.cap = 60;
    CHECK(sp_ledger_append(&ledger, &one) == SP_OK && sp_ledger_append(&ledger, &other) == SP_OK &&
          sp_ledger_append(&ledger, &one) == SP_OK);
    CHECK_EQUAL(ledger.count, 2);
    sp_bounds together, apart;
    CHECK_EQUAL(sp_account(&ledger, SP_REPLACE_ONE, 1e-3, &together, NULL), SP_OK);
    ledger.entry[0].cap = ledger.entry[1].cap = 0;
    CHECK_EQUAL(sp_account(&ledger, SP_REPLACE_ONE, 1e-3, &apart, NULL), SP_OK);
    CHECK(together.best > apart.best && together.best < 1.01 * apart.best);
    sp_ledger_free(&ledger);
}

int main(void)
{
    gsl_set_error_handler_off();
    laws();
    theorem();
    caps();
    numbers();
    texts();
    return sp_check_done();
}
