/* figures.h -- figures from exported tables: statistics computed here, written as tables, drawn by gnuplot. */
#ifndef SP_FIGURES_FIGURES_H
#define SP_FIGURES_FIGURES_H

#include "core/plan/plan.h"

/* Folders and files of figures. */
typedef struct sp_plot_paths {
    const char *plots;   /* where they are put; NULL: their tables are made, and nothing is drawn */
    const char *scripts; /* where figure.gp is */
    const char *style;   /* a gnuplot script of the user's, loaded before it draws; NULL: none */
} sp_plot_paths;

/* Reads `results`/cells.tsv and runs.tsv (tuning.tsv; traces.tsv for a trajectory), writes `results`/summary.tsv (a row
 * a cell and measure) and fits.tsv (a row a claim), claims.tsv where the folder has no SEAL, DERIVED (core/base/derived.h), and for every figure of the plan
 * `results`/figures/FIGURE.tsv, from which gnuplot draws FIGURE.svg, or what formats the figure asks for. `results` is
 * the experiment's folder. A trajectory along seconds, which are measured on the machine, becomes FIGURE.timings.tsv and
 * FIGURE.timings.svg. `to` NULL: no figures and none of their tables. A figure without a single point, and a trajectory
 * without traces.tsv (timings.tsv), are not drawn, and the reason is reported. `report` (may be NULL) gets a line a file.
 * SP_EABSENT when there are no tables, no gnuplot or not the terminal of a format, SP_EINVAL when several cells stand at
 * one point of a figure or a claim (the message names what differs) or a size is too small, SP_EIO with gnuplot's own
 * words; then the figure that was there stays, and the others are drawn. */
sp_status sp_plot(const sp_plan *, const char *results, const sp_plot_paths *to, void (*report)(const char *line),
                  sp_error *);

/* Draws what the tables in `results`/figures/ hold: SVG, or the formats in which the figure is in `plots` already. Neither
 * the experiment nor its other tables are read. SP_EABSENT when there are none; else as above. */
sp_status sp_plot_tables(const char *results, const sp_plot_paths *to, void (*report)(const char *line), sp_error *);

/* The terminal of gnuplot that a format takes; NULL: every gnuplot has it. */
const char *sp_figure_terminal(sp_figure_format);

#endif
