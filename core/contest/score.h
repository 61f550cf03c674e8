/* score.h -- scores of many methods over many tasks (board.h): who is near the best, who beats whom, what a search
 * gains, and which error is reached at which cost. The functions take a board, and a search's medians, only.
 *
 * The scores of a label s, over the tasks that it plays unless all tasks are named:
 *
 *   best, near    share of all tasks with r <= 1 and r <= 2: its performance profile there (Dolan & More 2002). A task
 *                 that it does not play, or on which a run failed, is not near
 *   middle        interquartile mean of r: of m ratios the floor(m / 4) smallest and as many largest are left out
 *                 (Agarwal et al. 2021)
 *   rank          relative rank, (its place among the labels that play the task - 1) / (the number of these labels -
 *                 1), equal values sharing their places; mean over the tasks of a problem, then over the problems. 0 is
 *                 best
 *   improvement   probability that a run of it has a smaller value than a run of another label, ties counting half;
 *                 mean over the tasks and the other labels that play them
 *
 * The intervals of best, near and middle are 95 % bootstrap intervals: the 2.5 % and 97.5 % quantiles over SP_RESAMPLES
 * resampled boards (board.h). They show the effect of the methods' randomness. The interval of the rank is Student's t
 * over the problems: it shows the effect of other problems. */
#ifndef SP_CONTEST_SCORE_H
#define SP_CONTEST_SCORE_H

#include "core/contest/board.h"
#include "core/contest/compare.h"

typedef struct sp_label_score {
    size_t tasks, problems; /* that the label plays */
    size_t failed;          /* runs */
    sp_interval best, near, middle, rank;
    double improvement;     /* NAN: nobody plays with it */
} sp_label_score;

/* The stream of the bootstrap, the same for all who score by this measure. */
gsl_rng *sp_score_stream(const sp_runs *, const char *measure);
/* score[labels]. */
void sp_score_all(const sp_board *, gsl_rng *, sp_label_score *score);

/* Means over the tasks of each problem, then a t interval over the problems. value[tasks], NAN: none. */
sp_interval sp_over_problems(const sp_board *, const double *value);

/* The ranks alone, rank[labels]. */
void sp_score_ranks(const sp_board *, sp_interval *rank);

/* Does label a reach smaller values than label b? At a problem that both play stands the geometric mean of r over its
 * tasks that both play, infinite where a run failed; problems are what replicates are in pairs.h. The p-values are
 * adjusted over all pairs of labels that share two problems (Holm). */
typedef struct sp_dominance {
    sp_paired pair;  /* estimate: geometric mean of a / b over the problems; count: problems */
    sp_order order;  /* is a better than b? */
} sp_dominance;

/* out[labels x labels], a x b; of a label with itself nothing, all zero and order SP_TOO_FEW. */
void sp_dominance_all(const sp_board *, double margin, sp_dominance *out);
/* The row of label a, out[labels], with p-values adjusted over this row alone. */
void sp_dominance_row(const sp_board *, size_t a, double margin, sp_dominance *out);
/* How many pairs were tested, over which p is adjusted: of all labels, or with `a` below their number of that one
 * alone. */
size_t sp_dominance_tests(const sp_board *, size_t a, const sp_dominance *all);

/* Rank against tuning budget: were a label's grid only k of its points, drawn at random, its value would be the least
 * of their medians. Its expected relative rank among the labels that search at the task, all with k points, is exact:
 * the least of k among m sorted medians is the i-th (from 0) with chance C(m - 1 - i, k - 1) / C(m, k). What the search
 * saw is what counts here, and of many noisy medians the least is too low.
 *
 * rank[labels], estimates over tasks and problems as above; count 0: the label has no grid. */
void sp_search_ranks(const sp_runs *, const sp_board *, const char *measure, size_t k, sp_interval *rank);
/* The k that are shown: 1, 3, 9, and all points of the largest grid where it has more. How many they are. */
enum { SP_SEARCHES = 4 };
size_t sp_search_points(const sp_runs *, const sp_board *, const char *measure, size_t k[SP_SEARCHES]);

/* What is left at a budget: the geometric mean, over the tasks of a problem and then over the problems, of y over its
 * value at the start, with a t interval over the problems; at most 1e-9 of the start counts as that much. And the
 * price, the geometric mean of the oracle calls of a run (sp_oracle_calls), NAN: it makes none. Tasks where a run
 * failed or nobody knows the value at the start are in neither. */
typedef struct sp_utility {
    sp_interval left; /* count: problems */
    double calls;
} sp_utility;

/* The texts of the budgets' epsilons, as they come; how many they are. text: room for one a cell. */
size_t sp_utility_budgets(const sp_runs *, const sp_board *, const char **text);
/* Of all tasks whose budget's epsilon is this text. out[labels]. SP_EINVAL where the start has no value. */
sp_status sp_utility_at(const sp_runs *, const sp_board *, const char *measure, const char *epsilon, sp_utility *out,
                        sp_error *);

#endif
