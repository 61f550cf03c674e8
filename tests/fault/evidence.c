/* evidence.c -- slopes, inversions, responses and Holm's procedure while the k-th allocation fails, GSL's own included.
 * Each ends the process with exit code 1 and one message, or gives the right answer. */
#include "core/numeric/stream.h"
#include "core/rates/response.h"
#include "core/rates/verdict.h"
#include "tests/check.h"
#include "tests/claims.h"

#include <gsl/gsl_errno.h>
#include <sys/wait.h>
#include <unistd.h>

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
    sp_response_of(&runs, &claim, &curve, &response);
    memcpy(a->response, response.y, sizeof a->response);
    sp_response_free(&response);
    return SP_OK;
}

static sp_status adjust(answer *a)
{
    sp_verdict v[3] = { { .kind = SP_AGREES, .p = 0.03 }, { .kind = SP_SHALLOWER, .p = 0.02 },
                        { .kind = SP_AGREES, .p = 0.01 } };
    sp_verdicts_adjust(v, 3);
    for (size_t i = 0; i < 3; i++)
        a->holm[i] = v[i].p_holm;
    return SP_OK;
}

/* Calls in a child while the k-th allocation fails. Returns the exit code of the child, 2 for a wrong answer;
 * message: what it wrote. */
static int call_failing(sp_status (*call)(answer *), const answer *right, size_t k, char message[64])
{
    answer a;
    int ends[2], status = 0;
    memset(&a, 0x5a, sizeof a);
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        size_t count = 0;
        dup2(ends[1], STDERR_FILENO);
        failing = k;
        counted = &count;
        const sp_status done = call(&a);
        _exit(done == SP_OK && memcmp(&a, right, sizeof a) == 0 ? 0 : 2);
    }
    close(ends[1]);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    const ssize_t got = read(ends[0], message, 63);
    message[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    return WEXITSTATUS(status);
}

static void check(const char *name, sp_status (*call)(answer *))
{
    answer right;
    char message[64];
    size_t k = 1;
    memset(&right, 0x5a, sizeof right);
    CHECK_EQUAL(call(&right), SP_OK);
    for (; k < 1000 && call_failing(call, &right, k, message) != 0; k++) {
        CHECK_EQUAL(call_failing(call, &right, k, message), 1);
        CHECK_TEXT(message, "stillpoint: out of memory\n");
    }
    printf("%s: %zu allocations\n", name, k - 1);
    CHECK(k > 1 && k < 1000);
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
