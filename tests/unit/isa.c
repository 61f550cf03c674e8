/* isa.c -- every instruction set that this processor has gives the same bits: the elementary functions in loops, and
 * value, slope and curvature of every registered link, on margins of all kinds; powers. */
#include "core/numeric/isa.h"
#include "core/numeric/math.h"
#include "core/plan/registry.h"
#include "losses/loss.h"
#include "tests/check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POINTS = 1003, LINKS_MAX = 64, SETTINGS = 3, ORDERS = 3 }; /* no multiple of a vector */

static double margin[POINTS], label[POINTS];

static void fill_margins(void)
{
    static const double edges[] = {
        0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, DBL_MIN, -DBL_MIN, DBL_MAX, -DBL_MAX, 1.0, -1.0,
        0x1p-54, -0x1p-27, 0.55, -0.55, 709.9, -709.9, 745.2, -745.2, 1e16, -1e16, 1.1, 0.9, 36.8, -37.5, 2.0, 0.1
    };
    enum { EDGES = sizeof edges / sizeof *edges };
    uint64_t state = UINT64_C(0x2385238523852385);
    for (size_t i = 0; i < POINTS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const double near = ((double)(state >> 11) * 0x1p-53 - 0.5) * (i % 2 == 0 ? 8.0 : 1600.0);
        margin[i] = i < EDGES ? edges[i] : i % 5 == 0 ? sp_double(state) : near;
        label[i] = i % 3 == 0 ? 1.0 : -1.0;
    }
}

/* Equal bits, or both not a number: which NaN comes out of x + y is the compiler's choice. */
static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static size_t first_difference(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same(a[i], b[i]))
            return i;
    return count;
}

/* --- elementary functions ----------------------------------------------------------------------------------------- */

static double length(double x)
{
    return sp_hypot(x, 2.385);
}

#define FUNCTION(function)                                                                        \
    static inline void function##_loop(const double *restrict x, double *restrict out)            \
    {                                                                                             \
        for (size_t i = 0; i < POINTS; i++)                                                       \
            out[i] = function(x[i]);                                                              \
    }                                                                                             \
    SP_KERNEL(void, function##_on, (const double *restrict x, double *restrict out), function##_loop(x, out)) \
    static void function##_test(void)                                                             \
    {                                                                                             \
        static const function##_on_kernel on[SP_ISAS] = { function##_on_baseline, function##_on_avx2, \
                                                          function##_on_avx512 };                 \
        static double out[SP_ISAS][POINTS], one[POINTS];                                          \
        for (size_t i = 0; i < POINTS; i++)                                                       \
            one[i] = function(*(volatile double *)&margin[i]);                                    \
        for (sp_isa isa = SP_ISA_BASELINE; isa < SP_ISAS; isa++) {                                \
            if (!sp_isa_known(sp_isa_name(isa)))                                                  \
                continue;                                                                         \
            on[isa](margin, out[isa]);                                                            \
            const size_t i = first_difference(one, out[isa], POINTS);                             \
            SP_CHECK_REPORT(i == POINTS, "%s(%a) = %a, %a on %s", #function, margin[i], one[i], out[isa][i], \
                            sp_isa_name(isa));                                                    \
        }                                                                                         \
        CHECK(function##_on_pick() == on[sp_isa_in_use()]);                                       \
    }
FUNCTION(sp_exp)
FUNCTION(sp_expm1)
FUNCTION(sp_log)
FUNCTION(sp_log1p)
FUNCTION(sp_tanh)
FUNCTION(sp_sin)
FUNCTION(sp_cos)
FUNCTION(sp_erfc)
FUNCTION(sp_sigmoid)
FUNCTION(sp_atan)
FUNCTION(sp_cosh)
FUNCTION(sp_acosh)
FUNCTION(length)

static void functions(void)
{
    sp_exp_test();
    sp_expm1_test();
    sp_log_test();
    sp_log1p_test();
    sp_tanh_test();
    sp_sin_test();
    sp_cos_test();
    sp_erfc_test();
    sp_sigmoid_test();
    sp_atan_test();
    sp_cosh_test();
    sp_acosh_test();
    length_test();
}

/* --- links -------------------------------------------------------------------------------------------------------- */

/* What a process of its own leaves: the choice is made once a process. */
typedef struct answer {
    sp_isa isa;
    double out[LINKS_MAX][SETTINGS][ORDERS][POINTS];
    double tilt[ORDERS][POINTS], power[POINTS];
} answer;

static void numbers_of(const sp_param *params, int setting, double *number)
{
    for (size_t k = 0; params && params[k].key; k++) {
        const sp_range r = params[k].range;
        number[k] = params[k].initial;
        if (setting > 0 && params[k].kind == SP_CHOICE)
            number[k] = 1.0;
        else if (setting > 0)
            number[k] = fmin(r.high, fmax(r.low, setting == 1 ? 1.385 * number[k] + 0.1 : 0.7 * number[k]));
    }
}

static void evaluate(answer *a)
{
    a->isa = sp_isa_in_use();
    for (size_t l = 0; l < sp_loss_count && l < LINKS_MAX; l++) {
        const sp_link *link = sp_losses[l]->link;
        for (int setting = 0; link && setting < SETTINGS; setting++) {
            double number[SP_PARAM_MAX] = { 0.0 };
            numbers_of(sp_losses[l]->params, setting, number);
            link->value(number, POINTS, margin, label, a->out[l][setting][0]);
            link->slope(number, POINTS, margin, label, a->out[l][setting][1]);
            link->curvature(number, POINTS, margin, label, a->out[l][setting][2]);
        }
    }
    for (int order = 0; order < ORDERS; order++)
        sp_tanh_tilt(1.385, 0.2385, POINTS, margin, order, a->tilt[order]);
    for (size_t i = 0; i < POINTS; i++)
        a->power[i] = sp_pow(fabs(margin[i]), 1.385);
}

static void run_with(const char *word, answer *a)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        setenv("STILLPOINT_ISA", word, 1);
        evaluate(a);
        _exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void links(void)
{
    answer *all = mmap(NULL, (SP_ISAS + 1) * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED && sp_loss_count <= LINKS_MAX);
    if (all == MAP_FAILED)
        return;
    sp_isa widest = SP_ISA_BASELINE;
    for (sp_isa isa = SP_ISA_BASELINE; isa < SP_ISAS; isa++) {
        if (!sp_isa_known(sp_isa_name(isa)))
            continue;
        widest = isa;
        run_with(sp_isa_name(isa), &all[isa]);
        CHECK_EQUAL(all[isa].isa, isa);
        for (size_t l = 0; l < sp_loss_count; l++) {
            const double *expected = all[0].out[l][0][0], *got = all[isa].out[l][0][0];
            const size_t i = first_difference(expected, got, SETTINGS * ORDERS * POINTS);
            SP_CHECK_REPORT(i == SETTINGS * ORDERS * POINTS, "%s, setting %zu, order %zu, margin %a: %a, but %a on %s",
                            sp_losses[l]->name, i / POINTS / ORDERS, i / POINTS % ORDERS, margin[i % POINTS],
                            expected[i], got[i], sp_isa_name(isa));
        }
        CHECK_EQUAL(first_difference(all[0].tilt[0], all[isa].tilt[0], ORDERS * POINTS), ORDERS * POINTS);
        CHECK_EQUAL(first_difference(all[0].power, all[isa].power, POINTS), POINTS);
        printf("%s: %zu losses\n", sp_isa_name(isa), sp_loss_count);
    }
    run_with("sse9", &all[SP_ISAS]); /* as if it were not there */
    CHECK_EQUAL(all[SP_ISAS].isa, widest);
    munmap(all, (SP_ISAS + 1) * sizeof *all);
}

int main(void)
{
    CHECK(sp_isa_known("baseline") && !sp_isa_known("") && !sp_isa_known("AVX2") && !sp_isa_known("avx"));
#ifdef SP_ISA_X86
    CHECK(__builtin_cpu_supports("fma") || (!sp_isa_known("avx2") && !sp_isa_known("avx512")));
#endif
    CHECK_TEXT(sp_isa_name(SP_ISA_BASELINE), "baseline");
    CHECK_TEXT(sp_isa_name(SP_ISA_AVX2), "avx2");
    CHECK_TEXT(sp_isa_name(SP_ISA_AVX512), "avx512");
    fill_margins();
    links(); /* before this process chooses */
    functions();
    return sp_check_done();
}
