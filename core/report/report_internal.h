/* report_internal.h -- what the files of the report share: an experiment's tables as they are read, and small cells of HTML. */
#ifndef SP_REPORT_REPORT_INTERNAL_H
#define SP_REPORT_REPORT_INTERNAL_H

#include "core/contest/ranking.h"
#include "core/report/report.h"

/* fits.tsv: a row a claim */
enum { SP_FIT_SWEEP, SP_FIT_LABEL, SP_FIT_Y, SP_FIT_X, SP_FIT_MODE, SP_FIT_SOURCE, SP_FIT_ORIGIN, SP_FIT_CLAIMED, SP_FIT_LOW,
       SP_FIT_MEASURED, SP_FIT_HIGH, SP_FIT_TAIL, SP_FIT_TAIL_LOW, SP_FIT_TAIL_HIGH, SP_FIT_RIVAL, SP_FIT_LOG_LR, SP_FIT_WORD,
       SP_FIT_REASON, SP_FIT_COLUMNS };

typedef struct sp_report_experiment {
    const sp_reported *of;
    sp_runs runs;
    sp_table fits, provenance;      /* empty where there is none */
    sp_claims claims;               /* in the order of fits */
    size_t column[SP_FIT_COLUMNS];  /* of fits */
    sp_board board;                 /* no labels: it draws no profile over its problems */
    sp_rank *standing;          /* of the board's labels; NULL without one */
    const char *measure;            /* of the board; NULL without one */
} sp_report_experiment;

/* --- cells.c ----------------------------------------------------------------------------------------------------- */

/* The begin of a cell that sorts by a number, to seven digits; NAN: by none. `begin`: "<td", with a class perhaps. */
void sp_report_sorted(sp_text *out, const char *begin, double value);
void sp_report_cell(sp_text *out, const char *text);
/* <a href="#KIND-NAME">name</a> */
void sp_report_link_to(sp_text *out, const char *kind, const char *name);
/* "-2/3", "1/2", "0.35": a power as papers print it, where the denominator is 14 at most. */
void sp_report_power(sp_text *out, double power);
/* A cell that holds one; NAN: nothing. */
void sp_report_cell_power(sp_text *out, double power);
/* "3.1", to four digits where it is a number, else the text. */
void sp_report_value(sp_text *out, const char *text);

/* --- verdicts.c -------------------------------------------------------------------------------------------------- */

const char *sp_report_fit(const sp_report_experiment *, size_t row, size_t column);
bool sp_report_agrees(const sp_report_experiment *, size_t row);
bool sp_report_theorem(const sp_report_experiment *, size_t row);
/* What came out, paper by paper; what contradicts a theorem, a sentence each; all claims. SP_ENOMEM. */
sp_status sp_report_verdicts(const sp_report_experiment *, size_t count, const char *manual, sp_text *out, sp_error *);
/* The claims of one experiment. */
void sp_report_claims(const sp_report_experiment *, sp_text *out);

/* --- scores.c ---------------------------------------------------------------------------------------------------- */

/* Fills board, measure and standing of an experiment that draws a performance profile over the problems of all its sweeps.
 * SP_ENOMEM; SP_EINVAL as sp_board_make. */
sp_status sp_report_stand(sp_report_experiment *, sp_error *);
/* Where its methods stand, who leaves less than whom, and what is left at each budget, by the profile's measure; and where
 * they stand by its other measures of which less is better. Nothing without a board. */
sp_status sp_report_scores(const sp_report_experiment *, sp_text *out, sp_error *);
/* "matrix: within a factor of two of the best at 27 of 51 tasks ...", of the best label of a method. Nothing where it is in no
 * profile. */
void sp_report_ranking(const sp_report_experiment *, const char *algorithm, sp_text *out);

/* --- experiment.c ------------------------------------------------------------------------------------------------ */

/* The section of an experiment. `say` as in sp_report. */
sp_status sp_report_show(const sp_report_experiment *, void (*say)(const char *line), sp_text *out, sp_error *);

/* --- settings.c -------------------------------------------------------------------------------------------------- */

/* Problems and budgets, a row a sweep; methods with their parameters, what they spent and asked, and their audits. SP_ENOMEM. */
sp_status sp_report_settings(const sp_report_experiment *, sp_text *out, sp_error *);

#endif
