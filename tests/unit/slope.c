/* Slopes, their intervals, fit and tail against NumPy and SciPy, closed forms and simulated rates.
 *
 * The numbers come from a program of its own: numpy.polyfit and matrices, covariances by numpy.cov, quantiles by
 * scipy.stats. Johansen's test was written there with the matrix M = I - X (X' W X)^-1 X' W, X the powers of z: the
 * correction is A = sum_p M_pp^2 / (R_p - 1), T / (q + 2A - 6A/(q + 2)) against F(q, q(q + 2)/(3A)); with X = 1 it
 * gave the p of Welch's analysis of variance. Hotelling's T^2 was taken of a basis of what is orthogonal to the powers
 * of z, not of divided differences. */
#include "core/stats/slope.h"

#include "core/numeric/stream.h"
#include "tests/check.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>

enum { POINTS = 5, REPLICATES = 6, MOST = 30 };

static gsl_rng *stream(const char *name)
{
    return sp_stream_open(sp_stream_key_of(20240601, name, 0, SP_STREAM_BOOTSTRAP));
}

/* --- against numbers ----------------------------------------------------------------------------------------- */

static const double at[POINTS] = { 137, 411, 1290, 4021, 11873 };
static const double table[POINTS * REPLICATES] = {
    0.8123, 0.7719, 0.9034, 0.8611, 0.7402, 0.8377, /**/ 0.4411, 0.5023, 0.3987, 0.4702, 0.5216, 0.4488, /**/
    0.2612, 0.2388, 0.2871, 0.2190, 0.2533, 0.2719, /**/ 0.1402, 0.1279, 0.1511, 0.1196, 0.1633, 0.1344, /**/
    0.0841, 0.0902, 0.0777, 0.0955, 0.0699, 0.0812
};

typedef struct expected {
    double estimate, intercept, se, df, low, high, fit_p, tail, tail_se, tail_df, tail_low, tail_high;
    double local[POINTS - 1][3]; /* estimate, low, high */
} expected;

/* Quantiles of Student's t are right to some 1e-10. */
static void check_slope(const sp_points *s, const expected *e)
{
    sp_slope b;
    sp_interval local[POINTS];
    CHECK_EQUAL(sp_slope_fit(s, NULL, &b, local), SP_OK);
    CHECK_EQUAL(b.points, s->points);
    CHECK_NEAR(b.estimate, e->estimate, 1e-12);
    CHECK_NEAR(b.intercept, e->intercept, 1e-11);
    CHECK_NEAR(b.se, e->se, 1e-12);
    CHECK_NEAR(b.df, e->df, 1e-9);
    CHECK_NEAR(b.low, e->low, 1e-9);
    CHECK_NEAR(b.high, e->high, 1e-9);
    CHECK_NEAR(b.fit_p, e->fit_p, 1e-8);
    CHECK_NEAR(b.tail, e->tail, 1e-10);
    CHECK_NEAR(b.tail_se, e->tail_se, 1e-10);
    CHECK_NEAR(b.tail_df, e->tail_df, 1e-8);
    CHECK_NEAR(b.tail_low, e->tail_low, 1e-8);
    CHECK_NEAR(b.tail_high, e->tail_high, 1e-8);
    CHECK(isnan(local[0].estimate) && isnan(local[0].low) && isnan(local[0].high));
    for (size_t p = 1; p < s->points; p++) {
        CHECK_NEAR(local[p].estimate, e->local[p - 1][0], 1e-12);
        CHECK_NEAR(local[p].low, e->local[p - 1][1], 1e-9);
        CHECK_NEAR(local[p].high, e->local[p - 1][2], 1e-9);
        CHECK_EQUAL(local[p].count, 2);
    }
}

static void test_numbers(void)
{
    static const expected apart = {
        -0.5161990043925367, 2.336337557076004, 0.010984715140314627, 14.124212657272867, -0.5355344789728615,
        -0.496863529812212, 0.9335197200566172, -0.4956946271090935, 0.04118321900971098, 12.85056436151616,
        -0.5686922765222385, -0.4226969776959485,
        { { -0.5199536009750797, -0.6013819694567508, -0.4385252324934085 },
          { -0.5222087733925347, -0.6092512138935448, -0.4351663328915246 },
          { -0.5318427044551399, -0.6284773364909171, -0.43520807241936277 },
          { -0.47788400154362054, -0.5857009606281505, -0.3700670424590906 } } };
    static const expected with_holes = {
        -0.5200656398089455, 2.354406779029815, 0.011395670664107849, 14.437015119058852, -0.5400941067397154,
        -0.5000371728781756, 0.6583217735061639, -0.48760681311906073, 0.04238829195400305, 13.63258971623922,
        -0.5624081770218212, -0.41280544921630025,
        { { -0.522475812152205, -0.6198140512384411, -0.4251375730659687 },
          { -0.5197862154118296, -0.6195241912677687, -0.42004823955589043 },
          { -0.5716355176927315, -0.6788761147657043, -0.4643949206197586 },
          { -0.4361009850272991, -0.5534792089587346, -0.3187227610958636 } } };
    static const expected joint = {
        -0.5161990043925367, 2.336337557076004, 0.003617082953822106, 5.0, -0.5234876015124453,
        -0.5089104072726282, 0.9743340108710336, -0.4956946271090934, 0.05602831988280845, 5.0,
        -0.6085944019123335, -0.38279485230585325,
        { { -0.5199536009750798, -0.642334929177909, -0.39757227277225055 },
          { -0.5222087733925347, -0.6461897698574709, -0.3982277769275985 },
          { -0.5318427044551399, -0.6001763806036349, -0.4635090283066449 },
          { -0.47788400154362054, -0.6458895769448743, -0.3098784261423668 } } };
    static const expected three = {
        -0.5211114824596369, 2.367177859526343, 0.02173164927608886, 9.307079024712401, -0.5607989256611201,
        -0.4814240392581537, 0.9786641927634909, -0.5233590841342631, 0.08744339614758159, 9.619038913064685,
        -0.682486168199444, -0.3642320000690823,
        { { -0.5199536009750797, -0.6013819694567508, -0.4385252324934085 },
          { -0.5222087733925347, -0.6092512138935448, -0.4351663328915246 } } };
    double holes[POINTS * REPLICATES];
    memcpy(holes, table, sizeof table);
    holes[1 * REPLICATES + 3] = NAN;
    holes[3 * REPLICATES + 0] = INFINITY; /* no value either */
    holes[3 * REPLICATES + 4] = NAN;
    check_slope(&(sp_points){ POINTS, REPLICATES, at, table, false }, &apart);
    check_slope(&(sp_points){ POINTS, REPLICATES, at, holes, false }, &with_holes);
    check_slope(&(sp_points){ POINTS, REPLICATES, at, table, true }, &joint);
    check_slope(&(sp_points){ 3, REPLICATES, at, table, false }, &three);
}

/* The table with its points moved off the line: a bend, which the quadratic follows, and a wobble, which it does not.
 * The error becomes that of the residuals, with P - 2 degrees of freedom, P - 3 for the quadratic. */
static void test_rejected(void)
{
    static const double bend[POINTS] = { 1, 1.2, 1.32, 1.2, 1 }, wobble[POINTS] = { 1, 1.2, 1, 1.2, 1 };
    static const expected bent = {
        -0.5159954971200448, 2.463336136282626, 0.03711971482156666, 3.0, -0.6033516766913911,
        -0.4286393175486984, 0.0008251172025389215, -0.7329011651380505, 0.04118321900971098,
        12.850564361516161, -0.8058988145511955, -0.6599035157249055,
        { { -0.35399736812154947, -0.43542573660322065, -0.2725689996398783 },
          { -0.43888142339691155, -0.5259238638979217, -0.35183898289590143 },
          { -0.6156769479960326, -0.7123115800318097, -0.5190423159602554 },
          { -0.6462736260736182, -0.7540905851581481, -0.5384566669890882 } } };
    static const expected bent_joint = {
        -0.5159954971200448, 2.463336136282626, 0.03711971482156666, 3.0, -0.6033516766913911,
        -0.4286393175486984, 0.01745380802710655, -0.7329011651380501, 0.05602831988280846, 5.0,
        -0.8458009399412904, -0.6200013903348099,
        { { -0.35399736812154947, -0.47637869632437874, -0.2316160399187202 },
          { -0.4388814233969115, -0.5628624198618477, -0.3149004269319753 },
          { -0.6156769479960325, -0.6840106241445274, -0.5473432718475375 },
          { -0.6462736260736182, -0.8142792014748719, -0.47826805067236444 } } };
    static const expected wobbling = {
        -0.5161268757420239, 2.4087499942836272, 0.029766110218595637, 3.0, -0.5861773511267478,
        -0.4460764003572999, 0.007151646245332669, -0.5876741460512526, 0.11864704869147492, 2.0,
        -0.9341218173820982, -0.24122647472040698,
        { { -0.35399736812154947, -0.43542573660322065, -0.2725689996398783 },
          { -0.6816080338483138, -0.7686504743493239, -0.5945655933473037 },
          { -0.3714737929034117, -0.46810842493918886, -0.27483916086763455 },
          { -0.6462736260736182, -0.7540905851581481, -0.5384566669890882 } } };
    double value[2][POINTS * REPLICATES];
    for (size_t i = 0; i < POINTS * REPLICATES; i++) {
        value[0][i] = table[i] * bend[i / REPLICATES];
        value[1][i] = table[i] * wobble[i / REPLICATES];
    }
    check_slope(&(sp_points){ POINTS, REPLICATES, at, value[0], false }, &bent);
    check_slope(&(sp_points){ POINTS, REPLICATES, at, value[0], true }, &bent_joint);
    check_slope(&(sp_points){ POINTS, REPLICATES, at, value[1], false }, &wobbling);
    for (size_t i = 0; i < 2; i++) { /* what the replicates alone say: as of the table */
        sp_slope b;
        CHECK_EQUAL(sp_slope_fit(&(sp_points){ POINTS, REPLICATES, at, value[i], false }, NULL, &b, NULL), SP_OK);
        CHECK_NEAR(b.noise_se, 0.010984715140314627, 1e-12);
        CHECK_NEAR(b.noise_df, 14.124212657272867, 1e-9);
    }
}

static void test_interval(void)
{
    static const struct {
        double df, half; /* scipy.stats.t.ppf(0.95, df) */
    } of[] = { { 1.0, 6.313751514800932 }, { 2.5, 2.5582186141360017 }, { 4.0, 2.13184678133629 },
               { 29.0, 1.6991270265334972 }, { 1e6, 1.64485515072204 } };
    double low, high;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        sp_slope_interval(-0.5, 0.02385, of[i].df, &low, &high);
        CHECK_NEAR(low, -0.5 - 0.02385 * of[i].half, 1e-9);
        CHECK_NEAR(high, -0.5 + 0.02385 * of[i].half, 1e-9);
    }
    const double none[] = { 0.0, -1.0, NAN };
    for (size_t i = 0; i < 3; i++) {
        sp_slope_interval(-0.5, 0.02385, none[i], &low, &high);
        CHECK(isnan(low) && isnan(high));
    }
}

/* --- closed forms -------------------------------------------------------------------------------------------- */

static void test_known_slopes(void)
{
    static const double exponents[] = { -2.0 / 3.0, -0.5, 1.73, 0.0 };
    for (size_t e = 0; e < 4; e++) {
        double value[POINTS * 3];
        sp_slope b;
        for (size_t p = 0; p < POINTS; p++)
            for (size_t k = 0; k < 3; k++)
                value[3 * p + k] = 2.385 * (0.5 + 0.5 * (double)k) * pow(at[p], exponents[e]);
        for (int joint = 0; joint < 2; joint++) {
            CHECK_EQUAL(sp_slope_fit(&(sp_points){ POINTS, 3, at, value, joint }, NULL, &b, NULL), SP_OK);
            CHECK_NEAR(b.estimate, exponents[e], 1e-12);
            CHECK_NEAR(b.intercept, log(2.385), 1e-11);
            CHECK_NEAR(b.tail, exponents[e], 1e-9);
            /* a replicate's factor moves the intercept, not the slope: an error where replicates do not go together */
            CHECK(joint ? b.se < 1e-8 : b.se > 0.05);
        }
    }
}

/* Replicates that are all the same: no error but that of rounding, and a test of the line that knows it. */
static void test_zero_variance(void)
{
    double line[POINTS * 4], bent[POINTS * 4];
    sp_slope b;
    for (size_t i = 0; i < POINTS * 4; i++) {
        line[i] = 2.385 * pow(at[i / 4], -0.5);
        bent[i] = i / 4 == 2 ? 1.01 * line[i] : line[i];
    }
    for (int joint = 0; joint < 2; joint++) {
        CHECK_EQUAL(sp_slope_fit(&(sp_points){ POINTS, 4, at, line, joint }, NULL, &b, NULL), SP_OK);
        CHECK_NEAR(b.estimate, -0.5, 1e-12);
        CHECK(b.se > 0.0 && b.se < 1e-8 && b.fit_p > 0.05);
        CHECK(b.low <= -0.5 && -0.5 <= b.high && b.high - b.low < 1e-7);
        CHECK(b.tail_low <= -0.5 && -0.5 <= b.tail_high && b.tail_high - b.tail_low < 1e-6);
    }
    CHECK_EQUAL(sp_slope_fit(&(sp_points){ POINTS, 4, at, bent, false }, NULL, &b, NULL), SP_OK);
    CHECK(b.fit_p < 1e-9);
    CHECK_NEAR(b.df, POINTS - 2, 0);
    CHECK(b.se > 1e-4 && b.se < 1e-2); /* log 1.01 is 0.01 */
}

/* Two points have a line and nothing to test it by; m = 4.5 and 0.45, s^2/m^2 = 0.5/20.25 at both. */
static void test_two_points(void)
{
    const double x[] = { 10, 1000 }, value[] = { 4, 5, 0.4, 0.5 };
    const double se = sqrt(2.0 * 0.5 / 20.25 / 2.0) / log(100.0);
    sp_slope b;
    sp_interval local[2];
    for (int joint = 0; joint < 2; joint++) {
        CHECK_EQUAL(sp_slope_fit(&(sp_points){ 2, 2, x, value, joint }, NULL, &b, local), SP_OK);
        CHECK_NEAR(b.estimate, -0.5, 1e-14);
        CHECK_NEAR(b.intercept, log(4.5 * sqrt(10.0)), 1e-14);
        CHECK_NEAR(b.se, joint ? 0.0 : se, 1e-8);
        CHECK_NEAR(b.df, joint ? 1.0 : 2.0, 1e-9);
        CHECK(isnan(b.fit_p) && isnan(b.tail) && isnan(b.tail_low) && isnan(b.tail_high) && isnan(b.tail_se));
        CHECK_NEAR(local[1].estimate, b.estimate, 1e-14);
        CHECK_NEAR(local[1].low, b.low, 1e-14);
        CHECK_NEAR(local[1].high, b.high, 1e-14);
    }
}

static void test_single_replicate(void)
{
    const double x[] = { 10, 100, 1000, 10000 }, value[] = { 6.0, 0.6, 0.06, 0.006 };
    sp_slope b;
    sp_interval local[4];
    for (int joint = 0; joint < 2; joint++) {
        CHECK_EQUAL(sp_slope_fit(&(sp_points){ 4, 1, x, value, joint }, NULL, &b, local), SP_OK);
        CHECK_NEAR(b.estimate, -1.0, 1e-14);
        CHECK_NEAR(b.intercept, log(60.0), 1e-14);
        CHECK(isnan(b.low) && isnan(b.high) && isnan(b.fit_p) && isnan(b.tail_low) && isnan(b.tail_high));
        CHECK_NEAR(local[2].estimate, -1.0, 1e-14);
        CHECK(isnan(local[2].low) && isnan(local[2].high));
    }
}

/* Points that are not used, and one at which every replicate failed. */
static void test_left_out(void)
{
    const double x[] = { 1.0, 10.0, 100.0, 1000.0, 1e4 }, value[] = { 8, 8, 4, 4, 1, 1, NAN, NAN, 0.01, 0.01 };
    const bool use[] = { false, true, true, true, true };
    sp_slope b;
    sp_interval local[5];
    CHECK_EQUAL(sp_slope_fit(&(sp_points){ 5, 2, x, value, false }, use, &b, local), SP_OK);
    CHECK_EQUAL(b.points, 3);
    CHECK(isnan(local[0].estimate) && isnan(local[1].estimate) && isnan(local[3].estimate));
    CHECK_NEAR(local[2].estimate, -log10(4.0), 1e-13);
    CHECK_NEAR(local[2].low, -log10(4.0), 1e-7);
    CHECK_NEAR(local[4].estimate, -1.0, 1e-13);
    CHECK_NEAR(local[4].high, -1.0, 1e-7);
}

/* A replicate that failed at one point leaves covariances over those that are there at both, and fewer degrees of
 * freedom: numpy.cov of rows 0 and 1 over the first five, of rows 0 and 2 over all six, two-point slopes of each. */
static void test_joint_holes(void)
{
    double value[3 * REPLICATES], m[3] = { 0 };
    memcpy(value, table, sizeof value);
    value[1 * REPLICATES + 5] = NAN;
    sp_slope b;
    const bool first[] = { true, true, false }, second[] = { true, false, true };
    for (size_t p = 0; p < 3; p++)
        for (size_t r = 0; r < REPLICATES; r++)
            m[p] += isnan(value[p * REPLICATES + r]) ? 0.0 : value[p * REPLICATES + r] / (p == 1 ? 5.0 : 6.0);
    for (size_t q = 1; q < 3; q++) {
        const size_t both = q == 1 ? 5 : 6;
        double v[3] = { 0 }; /* of log m_0, log m_q, and between */
        for (size_t r = 0; r < 6; r++) {
            const double u = value[r] / m[0] - 1.0, w = value[q * REPLICATES + r] / m[q] - 1.0;
            v[0] += u * u / 30.0;
            v[1] += isnan(w) ? 0.0 : w * w / (double)(both * (both - 1));
            v[2] += isnan(w) ? 0.0 : u * w / (double)(both * (both - 1));
        }
        CHECK_EQUAL(sp_slope_fit(&(sp_points){ 3, REPLICATES, at, value, true }, q == 1 ? first : second, &b, NULL),
                    SP_OK);
        CHECK_NEAR(b.se, sqrt(v[0] + v[1] - 2.0 * v[2]) / log(at[q] / at[0]), 1e-12);
        CHECK_NEAR(b.df, (double)both - 1.0, 0);
    }
}

/* Without a replicate that both have nothing is known of what goes together: no interval, not one without width. */
static void test_joint_apart(void)
{
    double value[2 * REPLICATES];
    sp_slope b;
    memcpy(value, table, sizeof value);
    for (size_t r = 0; r < REPLICATES; r++)
        value[(r < 3 ? REPLICATES : 0) + r] = NAN;
    CHECK_EQUAL(sp_slope_fit(&(sp_points){ 2, REPLICATES, at, value, true }, NULL, &b, NULL), SP_OK);
    CHECK(isfinite(b.estimate) && isnan(b.se) && isnan(b.low) && isnan(b.high));
}

static void test_refused(void)
{
    const double x[] = { 10, 100, 1000 }, negative[] = { -10, 100, 1000 }, zero[] = { 0, 100, 1000 };
    const double equal[] = { 10, 10, 10 }, twice[] = { 10, 10, 100 };
    const double good[] = { 4, 5, 0.7, 0.8, 0.4, 0.5 }, below[] = { 4, 5, 0.7, 0.8, -0.7, 0.5 };
    const double none[] = { 4, 5, NAN, NAN, NAN, NAN }, huge[] = { 1e308, 1e308, 4, 5, 4, 5 };
    const bool one[] = { true, false, false }, not_last[] = { true, true, false };
    const struct {
        sp_points points;
        const bool *use;
    } bad[] = {
        { { 3, 2, negative, good, false }, NULL }, { { 3, 2, zero, good, false }, NULL },
        { { 3, 2, equal, good, false }, NULL },    { { 3, 2, twice, good, true }, NULL },
        { { 3, 2, x, below, false }, NULL },       { { 3, 2, x, none, true }, NULL },
        { { 3, 2, x, huge, false }, NULL },        { { 3, 2, x, good, false }, one },
        { { 0, 2, x, good, false }, NULL },        { { 3, 0, x, good, false }, NULL },
        { { 1, 2, x, good, false }, NULL },
    };
    sp_slope b, before;
    sp_interval local[3], locals_before[3];
    memset(&b, 0x5a, sizeof b);
    memset(local, 0x5a, sizeof local);
    memcpy(&before, &b, sizeof b);
    memcpy(locals_before, local, sizeof local);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQUAL(sp_slope_fit(&bad[i].points, bad[i].use, &b, local), SP_EINVAL);
        CHECK(memcmp(&b, &before, sizeof b) == 0 && memcmp(local, locals_before, sizeof local) == 0);
    }
    /* what is not used is not asked */
    CHECK_EQUAL(sp_slope_fit(&(sp_points){ 3, 2, x, below, false }, not_last, &b, local), SP_OK);
    CHECK(isfinite(b.low) && isfinite(b.high));
}

/* --- rates --------------------------------------------------------------------------------------------------- */

/* Powers of x with normal errors of these relative deviations; joint: half of the variance is shared by all points. */
static void draw(gsl_rng *r, size_t replicates, bool joint, double *value)
{
    static const double deviation[POINTS] = { 0.1, 0.3, 0.2, 0.05, 0.25 };
    for (size_t k = 0; k < replicates; k++) {
        const double shared = gsl_ran_ugaussian(r);
        for (size_t p = 0; p < POINTS; p++) {
            const double own = gsl_ran_ugaussian(r), e = joint ? sqrt(0.5) * (shared + own) : own;
            value[p * replicates + k] = 3.1 * pow(at[p], -0.65) * (1.0 + deviation[p] * e);
        }
    }
}

/* A straight line with unequal variances is rejected in 3 % to 7 % of 4000 tables (its standard error is 0.35 %), and
 * the 90 % interval covers in 88 % to 94 % (0.5 %; the errors that were widened for nothing let it cover more). A
 * chi^2 test, which takes variances of 5 replicates for known, rejects four times too often. */
static void test_rates(void)
{
    enum { TRIALS = 4000 };
    static const size_t replicates[] = { 5, 10, 30 };
    gsl_rng *r = stream("rates");
    for (size_t i = 0; i < 3; i++)
        for (int joint = 0; joint < 2; joint++) {
            size_t rejected = 0, covered = 0;
            for (size_t t = 0; t < TRIALS; t++) {
                double value[POINTS * MOST];
                sp_slope b;
                draw(r, replicates[i], joint, value);
                CHECK_EQUAL(sp_slope_fit(&(sp_points){ POINTS, replicates[i], at, value, joint }, NULL, &b, NULL),
                            SP_OK);
                rejected += b.fit_p < 0.05;
                covered += b.low <= -0.65 && -0.65 <= b.high;
            }
            printf("%zu replicates%s: line rejected %.4f, covered %.4f\n", replicates[i], joint ? ", joint" : "",
                   (double)rejected / TRIALS, (double)covered / TRIALS);
            CHECK_LESS_EQUAL(0.03 * TRIALS, (double)rejected);
            CHECK_LESS_EQUAL((double)rejected, 0.07 * TRIALS);
            CHECK_LESS_EQUAL(0.88 * TRIALS, (double)covered);
            CHECK_LESS_EQUAL((double)covered, 0.94 * TRIALS);
        }
    gsl_rng_free(r);
}

/* Lines that meet ten times beyond the last point: an interval, or none where the slopes may be the same, which
 * excludes nothing, covers that x in 88 % to 94 % of 4000 pairs (its standard error is 0.5 %). */
static void test_crossing_rates(void)
{
    enum { TRIALS = 4000 };
    static const size_t replicates[] = { 5, 30 };
    const double meet = 10.0 * at[POINTS - 1];
    gsl_rng *r = stream("crossings");
    for (size_t i = 0; i < 2; i++)
        for (int joint = 0; joint < 2; joint++) {
            size_t covered = 0, bounded = 0;
            for (size_t t = 0; t < TRIALS; t++) {
                double value[2][POINTS * MOST];
                sp_slope b[2];
                for (size_t k = 0; k < 2; k++) {
                    draw(r, replicates[i], joint, value[k]);
                    for (size_t p = 0; p < POINTS * replicates[i] && k == 1; p++)
                        value[k][p] *= pow(at[p / replicates[i]] / meet, 0.3);
                    CHECK_EQUAL(sp_slope_fit(&(sp_points){ POINTS, replicates[i], at, value[k], joint }, NULL, &b[k],
                                             NULL), SP_OK);
                }
                const sp_interval c = sp_slope_crossing(&b[0], &b[1]);
                bounded += isfinite(c.low) ? 1 : 0;
                covered += !(c.low > meet || c.high < meet);
            }
            printf("%zu replicates%s: crossing covered %.4f, bounded %.4f\n", replicates[i], joint ? ", joint" : "",
                   (double)covered / TRIALS, (double)bounded / TRIALS);
            CHECK_LESS_EQUAL(0.88 * TRIALS, (double)covered);
            CHECK_LESS_EQUAL((double)covered, 0.94 * TRIALS);
        }
    gsl_rng_free(r);
}

/* --- two lines ----------------------------------------------------------------------------------------------- */

/* As in `table`, by numpy and brentq: the roots of D(z)^2 - t^2 V(z), D and V from the covariance matrix of intercept
 * and slope at z = 0. */
static const double shallower[POINTS * REPLICATES] = {
    0.4412794945848375, 0.45703947653429594, 0.49018978339350183, 0.42225882671480147, 0.5189925090252707,
    0.3798699097472924, /**/ 0.2771988351464435, 0.2891612848774656, 0.26379264148236703, 0.31164244040645545,
    0.24667396341900777, 0.33680483466826056, /**/ 0.179454, 0.172392, 0.157608, 0.18948600000000002, 0.14454,
    0.16717800000000002, /**/ 0.10118442519854819, 0.09944841790347506, 0.11324629406691342, 0.0898891050059295,
    0.10600917274589429, 0.11759758507923959, /**/ 0.07291081256850568, 0.07070007526488857, 0.06718378443551334,
    0.07862913701132629, 0.07494747606868836, 0.06442471465107782
};

static sp_slope line_of(const double *value, bool joint, const bool *use)
{
    sp_slope b = sp_no_slope;
    CHECK_EQUAL(sp_slope_fit(&(sp_points){ POINTS, REPLICATES, at, value, joint }, use, &b, NULL), SP_OK);
    return b;
}

static void check_crossing(const sp_slope *a, const sp_slope *b, double x, double low, double high)
{
    for (int i = 0; i < 2; i++) { /* in either order */
        const sp_interval c = i == 0 ? sp_slope_crossing(a, b) : sp_slope_crossing(b, a);
        CHECK_NEAR(log(c.estimate), log(x), 1e-10);
        CHECK_NEAR(log(c.low), log(low), 1e-8);
        CHECK_NEAR(log(c.high), log(high), 1e-8);
        CHECK_EQUAL(c.count, 2);
    }
}

static void test_crossing(void)
{
    static const double bend[POINTS] = { 1, 1.2, 1.32, 1.2, 1 };
    const bool last[] = { false, false, true, true, true };
    double bent[POINTS * REPLICATES];
    for (size_t i = 0; i < POINTS * REPLICATES; i++)
        bent[i] = table[i] * bend[i / REPLICATES];
    const sp_slope a = line_of(table, false, NULL), b = line_of(shallower, false, NULL);
    const sp_slope c = line_of(shallower, false, last);
    const sp_slope joint[] = { line_of(table, true, NULL), line_of(shallower, true, NULL) };
    const sp_slope d = line_of(bent, false, NULL); /* by its residuals */
    check_crossing(&a, &b, 69437.12427662504, 26988.532652050864, 340535.108774346);
    check_crossing(&joint[0], &joint[1], 69437.12427662504, 47746.3138994161, 108878.45338386207);
    check_crossing(&a, &c, 36256.991186144696, 17922.417527140373, 132985.87866584794); /* points of their own */
    check_crossing(&d, &b, 265098.1860471725, 17782.727852628315, 5.6279984136193776e+23);
    CHECK_NEAR(b.level, b.intercept + b.estimate * b.middle, 1e-12);
    CHECK(d.level_se > a.level_se && d.covariance == 0.0);
}

/* Slopes that may be the same bear any crossing, or none; without an error or with one slope there is none. */
static void test_no_crossing(void)
{
    sp_slope a = line_of(table, false, NULL), b = a;
    sp_interval c = sp_slope_crossing(&a, &b);
    CHECK(isnan(c.estimate) && isnan(c.low) && isnan(c.high));
    b.estimate += 1.7 * M_SQRT2 * a.se; /* t.ppf(0.95, 28.2) is 1.7009 */
    c = sp_slope_crossing(&a, &b);
    CHECK_NEAR(log(c.estimate), a.middle, 1e-12); /* they have one level there */
    CHECK(isnan(c.low) && isnan(c.high));
    b.estimate = a.estimate + 1.702 * M_SQRT2 * a.se;
    c = sp_slope_crossing(&a, &b);
    CHECK(c.low < c.estimate && c.estimate < c.high);
    b.df = NAN;
    c = sp_slope_crossing(&a, &b);
    CHECK(isnan(c.estimate) && isnan(c.low) && isnan(c.high));
    c = sp_slope_crossing(&sp_no_slope, &a);
    CHECK(isnan(c.estimate) && isnan(c.low));
}

/* --- inversions ---------------------------------------------------------------------------------------------- */

/* Runs that are all alike: there is only the grid, whose steps count as uniform laws. */
static void test_grid(void)
{
    enum { LEVELS = 4, RUNS = 6 };
    const double x[] = { 10, 100, 1000 }, level[LEVELS] = { 0.1, 0.2, 0.5, 1.0 }, reached[] = { 1.0, 0.2, 0.1 };
    const double v[] = { pow(log(2.0), 2) / 12, pow(log(2.0), 2) / 12, pow(log(2.0), 2) / 12 }; /* to the level below */
    double value[3 * LEVELS * RUNS];
    sp_slope b;
    sp_interval local[3], y[3] = { { .estimate = 7.25, .count = 9 }, { 0 }, { 0 } };
    gsl_rng *r = stream("grid");
    for (size_t i = 0; i < 3 * LEVELS * RUNS; i++)
        value[i] = 1.9 * reached[i / (LEVELS * RUNS)];
    const sp_samples s = { .points = 3, .levels = LEVELS, .members = 1, .replicates = RUNS, .x = x, .level = level,
                           .value = value, .reach = 2.0, .share = 0.9 };
    CHECK_EQUAL(sp_slope_of_inversion(&s, NULL, r, &b, local, y), SP_OK);
    CHECK_NEAR(b.estimate, -0.5, 1e-13); /* log10: 0, -0.7, -1 */
    CHECK_NEAR(b.se, sqrt(v[0] + v[2]) / log(100.0), 1e-9);
    CHECK_NEAR(b.df, RUNS - 1, 0);
    CHECK_NEAR(y[1].low, 0.2 * exp(-2.5705818366147395 * sqrt(v[1])), 1e-9); /* t.ppf(0.975, 5) */
    CHECK_NEAR(y[1].high, 0.2 * exp(2.5705818366147395 * sqrt(v[1])), 1e-9);
    CHECK(y[0].estimate == 7.25 && y[0].count == 9); /* its estimate is the caller's */
    CHECK_NEAR(local[1].estimate, log10(0.2), 1e-13);
    CHECK_NEAR(local[1].high - local[1].low, 2 * 2.015048372669157 * sqrt(v[0] + v[1]) / log(10.0), 1e-9);

    const sp_samples one = { .points = 3, .levels = 1, .members = 1, .replicates = LEVELS * RUNS, .x = x,
                             .level = level, .value = value, .reach = 1000.0, .share = 0.9 };
    CHECK_EQUAL(sp_slope_of_inversion(&one, NULL, r, &b, NULL, y), SP_OK);
    CHECK_NEAR(b.estimate, 0.0, 1e-13); /* a grid of one level has no step */
    CHECK(b.se < 1e-8);

    memset(y, 0x5a, sizeof y);
    sp_interval before[3];
    memcpy(before, y, sizeof y);
    for (size_t i = 2 * LEVELS * RUNS; i < 3 * LEVELS * RUNS; i++)
        value[i] = NAN;
    const bool first[] = { true, false, false };
    CHECK_EQUAL(sp_slope_of_inversion(&s, first, r, &b, local, y), SP_EINVAL);
    CHECK(memcmp(y, before, sizeof y) == 0);
    CHECK_EQUAL(sp_slope_of_inversion(&s, NULL, r, &b, local, y), SP_OK); /* the last point reaches no level */
    CHECK_EQUAL(b.points, 2);
    CHECK(isnan(b.tail) && isnan(local[2].estimate) && memcmp(&y[2], &before[2], sizeof *y) == 0);
    gsl_rng_free(r);
}

/* Two points, two levels a factor e apart. At each, one of ten runs misses the lower level, and nine are needed: a
 * resample takes the higher one where it holds that run twice or more, with probability 1 - P(Bin(10, 0.1) <= 1) =
 * 0.26390. The variance of log y is 0.26390 x 0.73610 = 0.19426 and 1/12 from the grid. Where it is the same run at
 * both points, they move together. 2000 resamples know a variance to 4 % (three standard errors 8 %). */
static void test_bootstrap(void)
{
    enum { RUNS = 10 };
    const double x[] = { 1.0, exp(2.0) }, level[] = { 1.0, exp(1.0) };
    gsl_rng *r = stream("bootstrap");
    for (size_t other = 0; other < 2; other++) {
        double value[2 * 2 * RUNS];
        sp_slope b;
        sp_interval y[2];
        for (size_t i = 0; i < 2 * 2 * RUNS; i++)
            value[i] = 0.5;
        value[3] = value[2 * RUNS + 3 + other] = 2.0;
        const sp_samples s = { .points = 2, .levels = 2, .members = 1, .replicates = RUNS, .x = x, .level = level,
                               .value = value, .reach = 1.0, .share = 0.9 };
        CHECK_EQUAL(sp_slope_of_inversion(&s, NULL, r, &b, NULL, y), SP_OK);
        CHECK_NEAR(b.estimate, 0.0, 1e-15);
        /* apart: the covariance of "run 3 twice" and "run 4 twice" among ten draws, 0.05461 - 0.26390^2 */
        const double drawn = other ? 2.0 * (0.19426 + 0.01504) : 0.0;
        CHECK_NEAR(4.0 * b.se * b.se, 2.0 / 12.0 + drawn, 0.08 * drawn + 1e-9);
        CHECK_NEAR(pow(log(y[0].high) / 2.2621571627409915, 2), 1.0 / 12.0 + 0.19426, 0.08 * 0.19426);
    }
    const double single[] = { 0.5, 2.0, 0.5, 2.0 }; /* a single replicate says nothing about its error */
    const sp_samples s = { .points = 2, .levels = 2, .members = 1, .replicates = 1, .x = x, .level = level,
                           .value = single, .reach = 1.0, .share = 0.9 };
    sp_slope b;
    sp_interval y[2];
    CHECK_EQUAL(sp_slope_of_inversion(&s, NULL, r, &b, NULL, y), SP_OK);
    CHECK(b.estimate == 0.0 && isnan(b.low) && isnan(b.high) && isnan(y[0].low) && isnan(y[0].high));
    gsl_rng_free(r);
}

/* y = C x^-1/2 where nine of ten runs, lognormal with deviation 0.25, succeed, on a grid of steps of 0.22 that lies
 * anywhere. The grid's uniform law is generous, so that the 90 % interval covers more: between 90 % and 99 % of 400
 * tables (standard error 1.5 %; 0.943 to 0.975 are usual). */
static void test_inversion_coverage(void)
{
    enum { TRIALS = 400, LEVELS = 24 };
    static const size_t replicates[] = { 10, 30 };
    const double x[] = { 1e3, 1e4, 1e5 };
    gsl_rng *noise = stream("inversion noise"), *resampling = stream("inversion resampling");
    for (size_t i = 0; i < 2; i++) {
        size_t covered = 0;
        for (size_t t = 0; t < TRIALS; t++) {
            double value[3 * LEVELS * MOST], level[LEVELS];
            const double offset = gsl_rng_uniform(noise), deviation = 0.25;
            const size_t runs = replicates[i];
            sp_slope b;
            sp_interval y[3];
            for (size_t l = 0; l < LEVELS; l++)
                level[l] = 1.8e-3 * exp(0.22 * ((double)l + offset));
            for (size_t k = 0; k < 3 * runs; k++) { /* the same records for every level */
                const double v = pow(x[k / runs], -0.5) * gsl_ran_lognormal(noise, 0.0, deviation);
                for (size_t l = 0; l < LEVELS; l++)
                    value[(k / runs * LEVELS + l) * runs + k % runs] = v;
            }
            const sp_samples s = { .points = 3, .levels = LEVELS, .members = 1, .replicates = runs, .x = x,
                                   .level = level, .value = value, .reach = 1.0, .share = 0.9 };
            CHECK_EQUAL(sp_slope_of_inversion(&s, NULL, resampling, &b, NULL, y), SP_OK);
            covered += b.low <= -0.5 && -0.5 <= b.high;
        }
        printf("inversion, %zu replicates: covered %.4f\n", replicates[i], (double)covered / TRIALS);
        CHECK_LESS_EQUAL(0.90 * TRIALS, (double)covered);
        CHECK_LESS_EQUAL((double)covered, 0.99 * TRIALS);
    }
    gsl_rng_free(noise);
    gsl_rng_free(resampling);
}

int main(void)
{
    gsl_set_error_handler_off(); /* as main.c does */
    test_numbers();
    test_rejected();
    test_interval();
    test_known_slopes();
    test_zero_variance();
    test_two_points();
    test_single_replicate();
    test_left_out();
    test_joint_holes();
    test_joint_apart();
    test_refused();
    test_rates();
    test_crossing();
    test_no_crossing();
    test_crossing_rates();
    test_grid();
    test_bootstrap();
    test_inversion_coverage();
    return sp_check_done();
}
