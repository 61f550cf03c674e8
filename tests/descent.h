/* descent.h -- dp_gd once more, written elsewhere: the iterates of the one in C, to the bit, and its account. */
#ifndef SP_TESTS_DESCENT_H
#define SP_TESTS_DESCENT_H

#include "tests/trial.h"

enum { DESCENT_STEPS = 20, DESCENT_D = 7 };

typedef struct descent_path {
    double w[DESCENT_STEPS + 1][DESCENT_D]; /* by step */
} descent_path;

static void descent_follow(trial_run *run, size_t step, const double *w)
{
    memcpy(((descent_path *)run->context)->w[step], w, DESCENT_D * sizeof *w);
}

/* `mine` with eta and steps beside dp_gd with select = "last", on the ball of that radius (INFINITY: no domain), from
 * the same streams. */
static void descent_is_dp_gd(const sp_algorithm *mine, const char *what, sp_privacy request, double radius)
{
    static descent_path own, theirs;
    trial_problem t;
    trial_run a = { .seed = 2385, .watch = descent_follow, .context = &own };
    trial_run b = { .seed = 2385, .watch = descent_follow, .context = &theirs };
    memset(&own, 0, sizeof own);
    memset(&theirs, 1, sizeof theirs); /* a step that neither reports makes them differ */
    memset(&theirs.w[0], 0, sizeof theirs.w[0]);
    if (!trial_make("pseudo_huber", 60, DESCENT_D, radius, false, &t))
        return;
    const sp_algorithm *gd = sp_algorithm_find("dp_gd");
    const sp_values v = trial_values(mine, "eta=0.385 steps=20");
    const sp_values u = trial_values(gd, "eta=0.385 steps=20 select=last");
    trial_go(mine, &v, &t, request, &a);
    trial_go(gd, &u, &t, request, &b);
    SP_CHECK_REPORT(a.status == SP_OK && b.status == SP_OK, "%s: %s%s", what, a.message, b.message);
    CHECK_TEXT(a.message, "");
    CHECK(memcmp(&own, &theirs, sizeof own) == 0);
    CHECK(memcmp(a.w, b.w, DESCENT_D * sizeof *a.w) == 0);
    CHECK_EQUAL(a.checkpoints, DESCENT_STEPS);
    CHECK_EQUAL(a.settled, b.settled);
    CHECK(a.spent.best == b.spent.best || !request.private || !request.noise);
    CHECK(a.cost.gradients == b.cost.gradients && a.cost.releases == b.cost.releases);
    trial_end(&a);
    trial_end(&b);
    trial_drop(&t);
}

#endif
