/* board.h -- what many methods leave on many tasks: the values that scores (score.h) are made of.
 *
 * A problem is a sweep and all that is said of its problem but how many records there are; a task is one with so many
 * records and a budget that it has to be solved with (sp_is_problem_axis). y_str is the measure of label s at task t in
 * replicate r, m_st its mean over the replicates, and
 *
 *   r_st = m_st / min_u m_ut,
 *
 * the ratio to the best one, infinite where a run failed. Where the best mean is zero or less, the labels that reach it
 * have r = 1 and the others infinity. Less is better. Labels are compared that answer to a budget, with its noise; where
 * no label does, all are. A label without a cell at a task does not play it. */
#ifndef SP_EVIDENCE_BOARD_H
#define SP_EVIDENCE_BOARD_H

#include "core/evidence/series.h"

typedef struct sp_board {
    size_t labels, tasks, problems, replicates;
    const char **label;  /* in the order of the tables; the texts are the runs' */
    size_t *problem;     /* of each task */
    size_t *row;         /* first row of runs.tsv of each cell, labels x tasks; rows of that table: the label does not play */
    double *value;       /* y, labels x tasks x replicates; INFINITY: the run failed, NAN: it is not there */
    double *mean;        /* m, labels x tasks; INFINITY: a run failed, NAN: the label does not play */
    double *ratio;       /* r, likewise */
    size_t *failed;      /* failed runs, labels x tasks */
} sp_board;

/* The measure is a column of runs.tsv. SP_EINVAL without one, without a run that has it, and where a label has several
 * cells for one task (the message names what differs). */
sp_status sp_board_make(const sp_runs *, const char *measure, sp_board *, sp_error *);
void sp_board_free(sp_board *);

static inline size_t sp_board_at(const sp_board *b, size_t label, size_t task)
{
    return label * b->tasks + task;
}
static inline bool sp_board_plays(const sp_board *b, size_t label, size_t task)
{
    return b->mean[sp_board_at(b, label, task)] == b->mean[sp_board_at(b, label, task)]; /* no NAN */
}

/* r of all labels at a task from their means; NAN stays. */
void sp_board_ratios(const double *mean, size_t labels, double *ratio);

#endif
