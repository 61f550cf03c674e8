/* evidence.c -- slopes, inversions, responses and Holm's procedure while the k-th allocation fails, GSL's own included:
 * SP_ENOMEM with the slope untouched, or the right answer. */
#include "core/numeric/stream.h"
#include "core/rates/response.h"
#include "core/rates/verdict.h"
#include "tests/check.h"
#include "tests/claims.h"

#include <gsl/gsl_errno.h>

#if defined __SANITIZE_ADDRESS__
int main(void)
{
    puts("skipped: the sanitizer has allocation for itself");
    return 0;
}
#else
#include "tests/faults.h"

enum { POINTS = 4, REPLICATES = 6, LEVELS = 3 };

static const double x[POINTS] = { 10, 30, 100, 300 }, level[LEVELS] = { 0.1, 0.3, 1.0 };
static double value[POINTS * LEVELS * REPLICATES];

typedef struct answer {
    sp_slope slope;
    sp_interval local[POINTS];
    double response[POINTS * REPLICATES], holm[3];
} answer;

static sp_status fit_apart(answer *a)
{
    return sp_slope_fit(&(sp_points){ POINTS, REPLICATES, x, value, false }, NULL, &a->slope, a->local);
}

static sp_status fit_together(answer *a)
{
    return sp_slope_fit(&(sp_points){ POINTS, REPLICATES, x, value, true }, NULL, &a->slope, a->local);
}

static sp_status invert(answer *a)
{
    const sp_samples s = { .points = POINTS, .levels = LEVELS, .members = 1, .replicates = REPLICATES, .x = x,
                           .level = level, .value = value, .reach = 2.0, .share = 0.5 };
    sp_interval y[POINTS];
    sp_stream place;
    return sp_slope_of_inversion(&s, NULL, sp_stream_place(&place, sp_stream_key_of(1, "x", 0, SP_STREAM_BOOTSTRAP)),
                                 &a->slope, a->local, y);
}

static sp_status respond(answer *a)
{
    const sp_claim claim = CLAIMS_OF("a_gd", -0.5, "sup");
    const sp_runs runs = { 0 };
    double there[POINTS], none[POINTS * REPLICATES];
    size_t row[POINTS] = { 0 };
    sp_response response;
    memcpy(there, x, sizeof x);
    for (size_t i = 0; i < POINTS * REPLICATES; i++)
        none[i] = NAN;
    const sp_curve curve = { .points = POINTS, .levels = 1, .members = 1, .replicates = REPLICATES, .x = there,
                             .row = row, .value = value, .noise_free = none };
    const sp_status status = sp_response_of(&runs, &claim, &curve, &response);
    if (status == SP_OK)
        memcpy(a->response, response.y, sizeof a->response);
    sp_response_free(&response);
    return status;
}

static sp_status adjust(answer *a)
{
    sp_verdict v[3] = { { .kind = SP_AGREES, .p = 0.03 }, { .kind = SP_SHALLOWER, .p = 0.02 },
                        { .kind = SP_AGREES, .p = 0.01 } };
    const sp_status status = sp_verdicts_adjust(v, 3);
    for (size_t i = 0; i < 3 && status == SP_OK; i++)
        a->holm[i] = v[i].p_holm;
    return status;
}

static void check(const char *name, sp_status (*call)(answer *))
{
    answer right, a, before;
    size_t count = 0, k = 0;
    bool done = false;
    memset(&right, 0x5a, sizeof right);
    memcpy(&before, &right, sizeof before);
    CHECK_EQUAL(call(&right), SP_OK);
    while (!done) {
        memcpy(&a, &before, sizeof a);
        failing = ++k;
        count = 0;
        counted = &count;
        const sp_status status = call(&a);
        counted = NULL;
        done = count < k; /* nothing failed any more */
        CHECK_EQUAL(status, done ? SP_OK : SP_ENOMEM);
        CHECK(memcmp(&a.slope, done ? &right.slope : &before.slope, sizeof a.slope) == 0);
        CHECK(memcmp(a.response, done ? right.response : before.response, sizeof a.response) == 0);
        CHECK(memcmp(a.holm, done ? right.holm : before.holm, sizeof a.holm) == 0);
    }
    printf("%s: %zu allocations\n", name, k - 1);
    CHECK(k > 1);
}

int main(void)
{
    gsl_set_error_handler_off(); /* as main.c does */
    for (size_t i = 0; i < POINTS * LEVELS * REPLICATES; i++)
        value[i] = 0.1 + 0.37 * (double)(i * 7 % 11) / 11.0;
    check("points apart", fit_apart);
    check("points together", fit_together);
    check("inversion", invert);
    check("response", respond);
    check("several claims", adjust);
    return sp_check_done();
}
#endif
