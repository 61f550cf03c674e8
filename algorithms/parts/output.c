/* output.c -- collects candidates during a run and returns one of them (output.h). */
#include "algorithms/parts/output.h"

#include "algorithms/parts/theory.h"

#include <gsl/gsl_cblas.h>

sp_status sp_output_open(sp_output *output, sp_oracle *o, sp_output_rule rule, size_t candidates)
{
    *output = (sp_output){ .rule = rule, .oracle = o, .d = (int)sp_dimension(o), .smallest = HUGE_VAL };
    if (sp_output_is_uniform(rule))
        output->drawn = gsl_rng_uniform_int(sp_coins(o), candidates);
    output->kept = sp_alloc_doubles(sp_dimension(o));
    return output->kept ? SP_OK : sp_refuse(o, SP_ENOMEM, "no memory for the returned iterate");
}

sp_status sp_output_offer(sp_output *output, const double *w, const double *release)
{
    const size_t index = output->seen++;
    bool keep = sp_output_is_uniform(output->rule) && index == output->drawn;
    if (output->rule == SP_OUTPUT_MIN_RELEASE) {
        const double norm = cblas_dnrm2(output->d, release, 1);
        keep = norm < output->smallest || index == 0;
        if (keep)
            output->smallest = norm;
    }
    if (keep)
        cblas_dcopy(output->d, w, 1, output->kept, 1);
    if (output->rule == SP_OUTPUT_AVERAGE)
        for (int i = 0; i < output->d; i++)
            output->kept[i] += (w[i] - output->kept[i]) / (double)output->seen;
    return output->rule == SP_OUTPUT_MEAN ? sp_candidate(output->oracle, w) : SP_OK;
}

void sp_output_take(const sp_output *output, double *w)
{
    if (output->rule != SP_OUTPUT_LAST)
        cblas_dcopy(output->d, output->kept, 1, w, 1);
}

void sp_predict(sp_oracle *o, sp_output_rule rule, double bound, double known)
{
    sp_promise(o, sp_output_is_uniform(rule), bound, known);
}
