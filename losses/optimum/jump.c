/* jump.c -- computes F along one coordinate from the margins <x_i, w> + x_ij (place - w_j) of the records with x_ij !=
 * 0. */
#include "losses/optimum/jump.h"

#include "losses/optimum/certificate.h"
#include "losses/engine/engine.h"

#include <string.h>

bool sp_jump_fits(const sp_problem *p)
{
    return p->regulariser && p->lambda > 0.0 && p->regulariser->tangent && p->loss->link && !p->loss->public_part &&
           p->certified.smooth && sp_problem_d(p) <= SP_DENSE_MAX;
}

double sp_jump_place(size_t k)
{
    return k == 0 ? 0.0 : (k % 2 == 1 ? 1.0 : -1.0) * ldexp(0.5, (int)((k - 1) / 2));
}

static int basin(const sp_problem *p, double w)
{
    return (w > p->regulariser->bend) - (w < -p->regulariser->bend);
}

bool sp_jump_leaves(const sp_problem *p, double from, double to)
{
    return basin(p, from) != basin(p, to);
}

/* The block's records with x_ij != 0: the margins without w_j in `rest`, x_ij in `x`, y_i in `y`, and the sum of their
 * values as they are. Returns how many. */
static size_t touched(const sp_problem *p, const sp_workspace *s, const double *w, size_t j, size_t count, double *rest,
                      double *x, double *y, double *here)
{
    const size_t d = p->train->d;
    size_t k = 0;
    *here = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double feature = s->packed[i * d + j];
        if (feature == 0.0)
            continue;
        rest[k] = s->margin[0][i] - feature * w[j];
        x[k] = feature;
        y[k++] = s->label[i];
        *here += s->slope[i];
    }
    return k;
}

void sp_jump_changes(const sp_problem *p, sp_workspace *s, const double *w, double *change)
{
    const size_t n = p->train->n, d = p->train->d;
    double *rest = s->norm, *x = s->scale, *y = s->margin[1], *there = s->margin[2], *value = s->margin[3], here;
    memset(change, 0, d * SP_PLACES * sizeof *change);
    for (size_t first = 0, count; first < n; first += count) {
        count = sp_block_gather(p, s, (sp_rows){ NULL, n }, first, s->pack);
        sp_rows_dot(&s->block, w, s->margin[0]);
        p->loss->link->value(p->number, count, s->margin[0], s->label, s->slope);
        for (size_t i = 0; i < count; i++)
            sp_rows_copy(&s->block, i, 1.0, s->packed + i * d);
        for (size_t j = 0; j < d; j++) {
            const size_t many = touched(p, s, w, j, count, rest, x, y, &here);
            for (size_t k = 0; k < SP_PLACES && many > 0; k++) {
                double sum = 0.0;
                for (size_t i = 0; i < many; i++)
                    there[i] = rest[i] + x[i] * sp_jump_place(k);
                p->loss->link->value(p->number, many, there, y, value);
                for (size_t i = 0; i < many; i++)
                    sum += value[i];
                change[j * SP_PLACES + k] += sum - here;
            }
        }
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < SP_PLACES; k++)
            change[j * SP_PLACES + k] = change[j * SP_PLACES + k] / (double)n +
                                        p->lambda * (p->regulariser->value(sp_jump_place(k)) -
                                                     p->regulariser->value(w[j]));
}
