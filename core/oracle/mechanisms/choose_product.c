/* choose_product.c -- the exponential mechanism for a sum of cosines, one per coordinate: an exact draw from a product
 * of von Mises distributions.
 *
 * With u_j = sqrt(d) w_j, F = c (1 - (1/d) sum_j A_j cos(u_j - phi_j)), 0 <= A_j <= 1. One record's f has the same form
 * and lies in [0, 2 c]. For two records, (f - f')(w) - (f - f')(w') is at most 4 c, which opposite angles attain, so
 * Dr = 4 c / n. At tau = epsilon / Dr
 *
 *   exp(-tau F) = const prod_j exp((tau c A_j / d) cos(u_j - phi_j)):
 *
 * each u_j is phi_j plus an independent von Mises angle of concentration tau c A_j / d. It is reduced to (-pi, pi], the
 * support of the base measure; unreduced, the interval phi_j + (-pi, pi] would reveal phi_j.
 *
 * An audit sees F at witnesses, AROUND points on each axis of the torus and on its diagonal, and which is nearest. */
#include "core/oracle/oracle_internal.h"

#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/oracle/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 16 };

static sp_status check(sp_oracle *o, double epsilon, double range)
{
    if (!(o->problem->certified.cosines > 0.0))
        return sp_refuse(o, SP_EUNSUPPORTED, "sp_choose_product: F (%s, domain %s) is not known to be a sum of "
                         "cosines, one a coordinate, over the whole space", o->problem->loss->name,
                         sp_domain_names[o->problem->domain.kind]);
    if (o->charged && !(epsilon > 0.0 && epsilon / range <= SP_MAGNITUDE_MAX))
        return sp_refuse(o, SP_EPRIVACY, "sp_choose_product: epsilon = %g: a private choice needs it > 0, and at most "
                         "%g", epsilon, SP_MAGNITUDE_MAX * range);
    return SP_OK;
}

/* Of an angle within 2 pi of 0 */
static double reduced(double u)
{
    return u > M_PI ? u - 2.0 * M_PI : u <= -M_PI ? u + 2.0 * M_PI : u;
}

static void witness(size_t d, size_t i, double *point)
{
    const double u = 2.0 * M_PI * (double)(i % AROUND + 1) / AROUND - M_PI;
    for (size_t j = 0; j < d; j++)
        point[j] = i / AROUND == j || i / AROUND == d ? u / sqrt((double)d) : 0.0;
}

static sp_status show(sp_oracle *o, double range, double unit, double *out)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o), count = AROUND * (d + 1);
    double *raw = sp_alloc_doubles(count + 2 * d + 1), best = INFINITY;
    if (!raw)
        return sp_refuse(o, SP_ENOMEM, "transcript: out of memory at d = %zu", d);
    double *point = raw + count, *answer = point + d;
    for (size_t i = 0; i < count; i++) {
        double apart = 0.0;
        witness(d, i, point);
        raw[i] = sp_problem_value(o->problem, o->scratch.workspace, point);
        for (size_t j = 0; j < d; j++)
            apart -= sp_cos(sqrt((double)d) * (point[j] - out[j]));
        if (apart < best) {
            best = apart;
            answer[0] = (double)i;
        }
    }
    memcpy(answer + 1, out, d * sizeof *out);
    SP_TRY(sp_transcript_event(o, &(sp_event){ .primitive = "choose_product", .dimension = d,
                                               .m = (double)sp_records(o), .raw = raw, .size = count,
                                               .move = SP_MOVE_RANGE, .sensitivity = range, .noise_std = unit,
                                               .answer = answer, .answers = d + 1 }));
    memcpy(out, answer + 1, d * sizeof *out);
cleanup:
    free(raw);
    return status;
}

sp_status sp_choose_product(sp_oracle *o, double epsilon, double *out)
{
    sp_status status = SP_OK;
    const size_t d = sp_dimension(o);
    const double root = sqrt((double)d), n = (double)sp_records(o), c = o->problem->certified.cosines;
    const double range = 4.0 * c / n, unit = o->charged ? range / epsilon : 0.0;
    double *A = NULL;
    SP_TRY(sp_not_reentered(o));
    SP_TRY(check(o, epsilon, range));
    SP_TRY(sp_not_rehearsed(o));
    A = sp_alloc_doubles(2 * d);
    if (!A)
        SP_TRY(sp_refuse(o, SP_ENOMEM, "sp_choose_product: out of memory at d = %zu", d));
    double *w = A + d;
    if (!sp_problem_cosines(o->problem, A, w))
        SP_TRY(sp_refuse(o, SP_EUNSUPPORTED, "sp_choose_product: these records have not been through the map of %s",
                         o->problem->loss->name));
    SP_TRY(sp_charge(o, &(sp_entry){ .kind = SP_LEDGER_EM, .epsilon = epsilon, .count = 1, .sensitivity_low = range,
                                     .sensitivity_high = range }, 1));
    o->cost.releases++;
    o->cost.losses += n;
    for (size_t j = 0; j < d; j++) {
        const double turn = unit > 0.0 ? sp_noise_von_mises(o->selection, c * A[j] / ((double)d * unit)) : 0.0;
        w[j] = reduced(root * w[j] + turn) / root;
    }
    if (o->transcript)
        SP_TRY(show(o, range, unit, w));
    memcpy(out, w, d * sizeof *out);
cleanup:
    free(A);
    return status;
}
