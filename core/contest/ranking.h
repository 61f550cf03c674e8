/* ranking.h -- the ranking of the labels of a board (board.h): their scores (score.h), and
 *
 *   slope    of the line of log m in log epsilon (slope.h), m the mean of the measure, for each number of records of a
 *            problem that has at least two budgets and means above 0; averaged over these numbers, then over the
 *            problems, with a 95 % t interval over the problems
 *   calls    geometric mean over its tasks of the oracle calls (sp_oracle_calls) per record and run, of runs that
 *            succeeded
 *   place    1 + the number of labels with a smaller mean rank; last if it has no rank because it plays its tasks
 *            alone */
#ifndef SP_CONTEST_RANKING_H
#define SP_CONTEST_RANKING_H

#include "core/contest/score.h"

typedef struct sp_rank {
    sp_label_score score;
    size_t place;
    sp_interval slope;             /* count: problems with a slope */
    double calls;                  /* NAN: it makes none */
    size_t runs;                   /* that are not missing */
    const char *audited, *finding; /* the worst of its sweeps (sp_label_audited) */
} sp_rank;

/* out[labels]. The bootstrap draws from the stream of `stillpoint compare --score`. SP_EINVAL as
 * sp_series_collect. */
sp_status sp_ranking(const sp_runs *, const sp_board *, const char *measure, sp_rank *out, sp_error *);

#endif
