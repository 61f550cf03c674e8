/* board.h -- a board: the values that many methods reached on many tasks. Scores (score.h) and profiles (profile.h) are
 * computed from it. Smaller values are better. A label is an entry of `algorithms` in a sweep.
 *
 * A problem is a sweep together with everything about its problem except the number of records. A task is a problem
 * with a number of records and a privacy budget (sp_is_problem_axis). y_str is the measure of label s at task t in
 * replicate r, m_st its mean over the replicates, and
 *
 *   r_st = m_st / min_u m_ut
 *
 * the ratio to the best label u; it is infinite if a run failed or diverged. If the best mean is zero or negative, the
 * labels that reach it have r = 1 and the others infinity. sp_runs_value (series.h) decides which runs failed and which
 * are missing. A mean is over the runs that are not missing; a label without any such run at a task "does not play" it.
 *
 * Resampling shows how the ratios vary with the methods' randomness: at every task each label draws as many of its runs
 * as it has, with replacement. Labels with equally many runs draw the same replicates, because runs of one replicate
 * had the same records. A label with a failed run keeps its infinity. */
#ifndef SP_CONTEST_BOARD_H
#define SP_CONTEST_BOARD_H

#include "core/stats/series.h"

/* What two cells have in common: all that makes a task, that but for its budget, or the problem alone. */
typedef enum { SP_SAME_TASK, SP_SAME_RECORDS, SP_SAME_PROBLEM } sp_alike;
bool sp_runs_alike(const sp_runs *, size_t a, size_t b, sp_alike); /* a, b: rows of runs.tsv */
/* Is there a run that is not missing in the cell whose first row this is? Of a sweep in which no run has a number all
 * are. */
bool sp_runs_play(const sp_runs *, size_t first, size_t y);

typedef struct sp_board {
    size_t labels, tasks, problems, replicates;
    const char **label;  /* in the order of the tables; the texts are the runs' */
    size_t *problem;     /* of each task */
    /* first row of runs.tsv of each cell, labels x tasks; rows of that table: the label does not play */
    size_t *row;
    size_t *runs;        /* that are not missing, labels x tasks */
    double *value;       /* y of these runs, in their order, labels x tasks x replicates; INFINITY: the run failed */
    double *mean;        /* m, labels x tasks; INFINITY: a run failed, NAN: the label does not play */
    double *ratio;       /* r, likewise */
    size_t *failed;      /* failed runs, labels x tasks */
} sp_board;

/* Of the labels that answer to a budget, with its noise; where none does, of all. The measure is a column of runs.tsv.
 * SP_EINVAL without one, without a run that has it, and where a label has several cells for one task (the message names
 * what differs). */
sp_status sp_board_make(const sp_runs *, const char *measure, sp_board *, sp_error *);
/* The same of the rows of a selection, whose y is the measure; x is not read. labels = 0: none of them has it. */
sp_status sp_board_select(const sp_runs *, const sp_selection *, sp_board *, sp_error *);
void sp_board_free(sp_board *);

static inline size_t sp_board_at(const sp_board *b, size_t label, size_t task)
{
    return label * b->tasks + task;
}
static inline bool sp_board_plays(const sp_board *b, size_t label, size_t task)
{
    return b->mean[sp_board_at(b, label, task)] == b->mean[sp_board_at(b, label, task)]; /* no NAN */
}

/* runs, value, mean, ratio and failed, once labels, tasks and row are known; y: the column of the measure. */
void sp_board_read(const sp_runs *, size_t y, sp_board *);

/* r of all labels at all tasks, of runs that are drawn again; drawn: room for replicates. */
void sp_board_draw(const sp_board *, gsl_rng *, size_t *drawn, double *ratio);

/* Of how many problems the label plays a task. */
size_t sp_board_problems(const sp_board *, size_t label);

#endif
