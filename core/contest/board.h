/* board.h -- what many methods leave on many tasks: the values that scores (score.h) and profiles (profile.h) are made of.
 *
 * A problem is a sweep and all that is said of its problem but how many records there are; a task is one with so many
 * records and a budget that it has to be solved with (sp_is_problem_axis). y_str is the measure of label s at task t in
 * replicate r, m_st its mean over the replicates, and
 *
 *   r_st = m_st / min_u m_ut,
 *
 * the ratio to the best one, infinite where a run failed or diverged. Where the best mean is zero or less, the labels that reach it
 * have r = 1 and the others infinity. Less is better. Which runs fail and which are missing sp_runs_value says (series.h): a
 * mean is of those that are not missing, and a label without one at a task does not play it.
 *
 * The ratios vary as the methods' randomness does when runs are drawn again with replacement: at every task each label draws
 * as many of its runs as it has, and labels that have as many draw the same ones (runs of one replicate met the same
 * records). A label of which a run failed keeps its infinity. */
#ifndef SP_CONTEST_BOARD_H
#define SP_CONTEST_BOARD_H

#include "core/stats/series.h"

/* What two cells have in common: all that makes a task, that but for its budget, or the problem alone. */
typedef enum { SP_SAME_TASK, SP_SAME_RECORDS, SP_SAME_PROBLEM } sp_alike;
bool sp_runs_alike(const sp_runs *, size_t a, size_t b, sp_alike); /* a, b: rows of runs.tsv */
/* Is there a run that is not missing in the cell whose first row this is? Of a sweep in which no run has a number all are. */
bool sp_runs_play(const sp_runs *, size_t first, size_t y);

typedef struct sp_board {
    size_t labels, tasks, problems, replicates;
    const char **label;  /* in the order of the tables; the texts are the runs' */
    size_t *problem;     /* of each task */
    size_t *row;         /* first row of runs.tsv of each cell, labels x tasks; rows of that table: the label does not play */
    size_t *runs;        /* that are not missing, labels x tasks */
    double *value;       /* y of these runs, in their order, labels x tasks x replicates; INFINITY: the run failed */
    double *mean;        /* m, labels x tasks; INFINITY: a run failed, NAN: the label does not play */
    double *ratio;       /* r, likewise */
    size_t *failed;      /* failed runs, labels x tasks */
} sp_board;

/* Of the labels that answer to a budget, with its noise; where none does, of all. The measure is a column of runs.tsv.
 * SP_EINVAL without one, without a run that has it, and where a label has several cells for one task (the message names what
 * differs). */
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

/* runs, value, mean, ratio and failed, once labels, tasks and row are known; y: the column of the measure. SP_ENOMEM. */
sp_status sp_board_read(const sp_runs *, size_t y, sp_board *);

/* r of all labels at all tasks, of runs that are drawn again; drawn: room for replicates. */
void sp_board_draw(const sp_board *, gsl_rng *, size_t *drawn, double *ratio);

/* Of how many problems the label plays a task. */
size_t sp_board_problems(const sp_board *, size_t label);

#endif
