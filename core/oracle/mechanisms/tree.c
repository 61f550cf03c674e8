/* tree.c -- the tree mechanism for prefix sums, online and discounted (Dwork et al. 2010; Chan, Shi & Song 2011). It
 * post-processes noisy sums over dyadic blocks of steps; accumulator.c draws the noise.
 *
 * The prefix up to step t is the disjoint union of the blocks of t's binary digits. Blocks are on a stack:
 *
 *   step t, 2^l | t:  pop l blocks;  prefix(t) = kept prefix(top) + value(block of t);  push
 *
 * where kept is the product of the discounts `keep` since the end of the block on top. Each step adds one noisy value;
 * d log T numbers are stored.
 *
 * Honaker 2015 ("The efficient use of differentially private binary trees"), estimation from below: every node has its
 * own noise. The sum over a node is estimated by the mean, weighted by inverse variance, of its own noisy value and of
 * kept left + right, the sum of its children's estimates. Its variance is
 *
 *   v = 1 / (1 / noise_std^2 + 1 / (kept^2 v_left + v_right)),  v = noise_std^2 at a leaf.
 */
#include "core/oracle/mechanisms/tree.h"

#include "core/numeric/math.h"
#include "core/base/memory.h"
#include "core/oracle/mechanisms/banded.h"
#include "core/oracle/oracle.h"

#include <gsl/gsl_math.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    double *prefix, *estimate;
    double variance, prefix_variance, kept;
} block;

struct sp_tree {
    size_t d, steps, depth, capacity;
    bool honaker;
    double *vectors;
    block *stack;
};

sp_tree *sp_tree_new(size_t d, size_t steps, bool honaker)
{
    sp_tree *tree = sp_alloc(1, sizeof *tree);
    size_t capacity = 1;
    while (capacity < 64 && steps >> capacity > 0)
        capacity++;
    if (!tree)
        return NULL;
    *tree = (sp_tree){ .d = d, .capacity = capacity, .honaker = honaker };
    tree->vectors = sp_alloc(d, 2 * capacity * sizeof *tree->vectors);
    tree->stack = sp_alloc(capacity, sizeof *tree->stack);
    if (!tree->vectors || !tree->stack) {
        sp_tree_free(tree);
        return NULL;
    }
    for (size_t k = 0; k < capacity; k++) {
        tree->stack[k].prefix = tree->vectors + 2 * k * d;
        tree->stack[k].estimate = tree->vectors + (2 * k + 1) * d;
    }
    return tree;
}

void sp_tree_free(sp_tree *tree)
{
    if (!tree)
        return;
    free(tree->vectors);
    free(tree->stack);
    free(tree);
}

void sp_tree_clear(sp_tree *tree)
{
    tree->steps = tree->depth = 0;
}

size_t sp_tree_steps(const sp_tree *tree)
{
    return tree->steps;
}

/* l, of 2^l | t */
static size_t level(size_t t)
{
    size_t l = 0;
    while (!(t >> l & 1))
        l++;
    return l;
}

size_t sp_tree_merges(const sp_tree *tree)
{
    return level(tree->steps + 1);
}

void sp_tree_keep(sp_tree *tree, double keep)
{
    for (size_t k = 0; k < tree->depth; k++)
        tree->stack[k].kept *= keep;
}

/* The best estimate of the sum over `node`, from its right part (in place), its left part and its own value. */
static void refine(block *node, size_t d, const block *left, const double *value, double own)
{
    const double children = gsl_pow_2(left->kept) * left->variance + node->variance;
    const double share = own + children > 0.0 ? own / (own + children) : 0.0; /* of the children */
    for (size_t j = 0; j < d; j++) {
        const double sum = left->kept * left->estimate[j] + node->estimate[j];
        node->estimate[j] = value[j] + share * (sum - value[j]);
    }
    node->variance = share * children;
}

void sp_tree_step(sp_tree *tree, const double *value, double noise_std, double *out)
{
    const size_t d = tree->d, merges = sp_tree_merges(tree);
    const double own = gsl_pow_2(noise_std);
    block node = { .estimate = out, .variance = own, .kept = 1.0 };
    memcpy(out, value, d * sizeof *out);
    for (size_t l = 1; l <= merges && tree->honaker; l++)
        refine(&node, d, &tree->stack[tree->depth - l], value + l * d, own);
    tree->depth -= merges;
    block *top = &tree->stack[tree->depth];
    memcpy(top->estimate, out, d * sizeof *out);
    top->variance = top->prefix_variance = node.variance;
    top->kept = 1.0;
    if (tree->depth > 0) {
        const block *before = top - 1;
        top->prefix_variance += gsl_pow_2(before->kept) * before->prefix_variance;
        for (size_t j = 0; j < d; j++)
            out[j] += before->kept * before->prefix[j];
    }
    memcpy(top->prefix, out, d * sizeof *out);
    tree->depth++;
    tree->steps++;
}

double sp_tree_variance(const sp_tree *tree)
{
    return tree->stack[tree->depth - 1].prefix_variance;
}

/* --- what a schedule costs -------------------------------------------------------------------------------------- */

/* Weight in the block of `length` steps that ends at `end`, of the record of step s, s + period, s + 2 period, ... */
static double weight(size_t s, size_t period, size_t end, size_t length, double keep)
{
    double sum = 0.0;
    size_t t = end - length < s ? s : period > 0 ? s + (end - length - s) / period * period + period : end + 1;
    for (; t <= end; t = period > 0 ? t + period : end + 1)
        sum += sp_pow(fabs(keep), (double)(end - t));
    return sum;
}

static sp_banded_figures banded(size_t adds, size_t period, double keep)
{
    sp_banded_figures figures = { NAN, NAN, NAN };
    sp_banded_band(adds, period, keep, &figures);
    return figures;
}

double sp_node_cost(sp_accumulator_noise noise, size_t adds, size_t period, double keep)
{
    const size_t records = period > 0 && period < adds ? period : adds;
    double worst = 0.0, plain = 0.0;
    if (noise == SP_NOISE_SQRT)
        return banded(adds, period, keep).cost;
    for (size_t t = 0; noise == SP_NOISE_PLAIN && t < adds; t++) { /* the first record is in the most releases */
        plain = fabs(keep) * plain + (t == 0 || (period > 0 && t % period == 0) ? 1.0 : 0.0);
        worst += gsl_pow_2(plain);
    }
    if (noise == SP_NOISE_PLAIN)
        return worst;
    for (size_t s = 1; s <= records; s++) {
        double cost = 0.0;
        for (size_t l = 0; l < 64 && adds >> l > 0; l++) {
            const size_t length = (size_t)1 << l;
            for (size_t t = s; t <= adds;) { /* blocks of this length that the record is in */
                const size_t index = (t - 1) / length, end = (index + 1) * length;
                if (end <= adds && (noise == SP_NOISE_HONAKER || index % 2 == 0))
                    cost += gsl_pow_2(weight(s, period, end, length, keep));
                if (period == 0 || end >= adds)
                    break;
                t = s + (end - s) / period * period + period;
            }
        }
        worst = fmax(worst, cost);
    }
    return worst;
}

/* Of the answers: their mean variance, and the largest one. */
typedef struct variances {
    double mean, largest;
} variances;

static variances answers(sp_accumulator_noise noise, size_t adds, size_t period, double keep)
{
    const double values[64] = { 0.0 }; /* a node of each level */
    variances all = { 0.0, 0.0 };
    double out;
    if (noise == SP_NOISE_PLAIN)
        return (variances){ 1.0, 1.0 };
    if (noise == SP_NOISE_SQRT) {
        const sp_banded_figures figures = banded(adds, period, keep);
        return (variances){ figures.variance, figures.largest };
    }
    sp_tree *tree = sp_tree_new(1, adds, noise == SP_NOISE_HONAKER);
    if (!tree)
        return (variances){ NAN, NAN };
    for (size_t t = 0; t < adds; t++) {
        sp_tree_keep(tree, keep);
        sp_tree_step(tree, values, 1.0, &out);
        all.mean += sp_tree_variance(tree) / (double)adds;
        all.largest = fmax(all.largest, sp_tree_variance(tree));
    }
    sp_tree_free(tree);
    return all;
}

double sp_answer_variance(sp_accumulator_noise noise, size_t adds, size_t period, double keep)
{
    return answers(noise, adds, period, keep).mean;
}

double sp_answer_variance_max(sp_accumulator_noise noise, size_t adds, size_t period, double keep)
{
    return answers(noise, adds, period, keep).largest;
}
