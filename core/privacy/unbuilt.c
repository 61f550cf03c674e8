/* unbuilt.c -- primitives of the contract that this version refuses. */
#include "core/privacy/oracle_internal.h"

sp_status sp_choose(sp_oracle *o, sp_batch batch, const sp_space *space, const sp_score *score, sp_chooser chooser,
                    double epsilon, double *out, size_t *index)
{
    (void)batch, (void)space, (void)score, (void)chooser, (void)epsilon, (void)out, (void)index;
    return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose: private choices are not built in yet");
}

sp_status sp_stable_pass(sp_oracle *o, sp_batch batch, const double *start, double eta, double noise_multiplier,
                         double *out)
{
    (void)batch, (void)start, (void)eta, (void)noise_multiplier, (void)out;
    return sp_refuse(o, SP_EUNSUPPORTED, "sp_stable_pass: privacy by stability is not built in yet");
}

sp_status sp_child(sp_oracle *o, const sp_child_options *options, sp_oracle **out)
{
    (void)options, (void)out;
    return sp_refuse(o, SP_EUNSUPPORTED, "sp_child: nested oracles are not built in yet");
}

sp_status sp_run(sp_oracle *child, const struct sp_method *method, double *w)
{
    (void)method, (void)w;
    return sp_refuse(child, SP_EUNSUPPORTED, "sp_run: nested oracles are not built in yet");
}

sp_status sp_lift(const sp_oracle *child, const double *in, double *out)
{
    (void)child, (void)in, (void)out;
    return SP_EUNSUPPORTED;
}
