/* fragile_measure.c -- |w_1|; a crash in phase `measure`. */
#include "measures/measure.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void crash(const char *phase)
{
    const char *wanted = getenv("FRAGILE");
    if (wanted && strcmp(wanted, phase) == 0)
        raise(SIGSEGV);
}

static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}

static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)p, (void)workspace, (void)reference, (void)scratch;
    crash("measure");
    *out = fabs(w[0]);
    return SP_OK;
}

const sp_measure sp_measure_fragile_measure = { .name = "fragile_measure", .summary = "|w_1|", .unit = "1",
                                                .error = "rounding", .lower_is_better = true, .fits = fits,
                                                .compute = compute };
