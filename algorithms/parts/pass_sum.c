/* pass_sum.c -- opens the accumulator of pass_sum.h with the calibrated noise, and adds one block per step. */
#include "algorithms/parts/pass_sum.h"

size_t sp_pass_epoch(const sp_oracle *o, size_t batch)
{
    const size_t n = sp_records(o);
    return n / batch + (n % batch > 0);
}

static sp_sample sample_of(const sp_pass_plan *plan)
{
    return sp_pass(plan->batch, plan->reshuffle);
}

sp_status sp_pass_sum_open(sp_oracle *o, const sp_pass_plan *plan, sp_pass_sum *s)
{
    sp_status status = SP_OK;
    const size_t blocks = sp_pass_epoch(o, plan->batch);
    double multiplier = 0.0;
    *s = (sp_pass_sum){ .oracle = o, .plan = *plan };
    if (plan->reshuffle)
        SP_TRY(sp_pass_cost(o, plan->noise, plan->batch, plan->steps, plan->keep, &s->cost));
    else
        s->cost = sp_node_cost(plan->noise, plan->steps, blocks, plan->keep);
    s->variance = sp_answer_variance(plan->noise, plan->steps, blocks, plan->keep);
    if (isnan(s->cost) || isnan(s->variance))
        SP_TRY(sp_refuse(o, SP_ENOMEM, "no memory for the schedule of %zu sums", plan->steps));
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ .kind = SP_ACCUMULATED, .sample = sample_of(plan), .count = plan->steps,
                                               .paper = plan->paper / sqrt(s->cost) }, 1, &multiplier));
    s->noise_std = multiplier * sqrt(s->cost) * 2.0 * sp_public(o)->L_data / (double)plan->batch;
    SP_TRY(sp_accumulator_open(o, plan->noise, &(sp_accumulator_plan){ .adds = plan->steps, .keep = plan->keep,
                                                                        .period = blocks }, &s->sum));
cleanup:
    return status;
}

sp_status sp_pass_sum_next(sp_pass_sum *s, const double *w, double *g)
{
    sp_status status = SP_OK;
    sp_query query = SP_AT((sp_batch){ 0 }, w);
    SP_TRY(sp_draw(s->oracle, sample_of(&s->plan), &query.batch));
    query.term[0].coefficient = (double)sp_batch_size(s->oracle, query.batch) / (double)s->plan.batch;
    SP_TRY(sp_accumulator_add(s->sum, s->plan.keep, &query));
    SP_TRY(sp_accumulator_release(s->sum, s->noise_std, g));
cleanup:
    return status;
}
