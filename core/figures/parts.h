/* parts.h -- what the files of a figure share: what it shows is gathered (gather.c), put into words (words.c), given
 * its place (layout.c) and written (figure_data.c). */
#ifndef SP_FIGURES_PARTS_H
#define SP_FIGURES_PARTS_H

#include "core/figures/axis.h"
#include "core/figures/figure_data.h"
#include "core/figures/look.h"

typedef enum { SP_RATE, SP_RESIDUAL, SP_TRADE_OFF, SP_TRAJECTORY, SP_FIGURE_KINDS } sp_figure_kind;

/* What a guide shows: the level of a method without an x, or of a trajectory that never leaves its start; the power of a claim, beside its curve, for its slope alone
 * (of residuals it is 0); a bound, with its constant or above all points; what is left without noise; of residuals, the
 * rival's power; of trajectories, where a second method begins, upright. */
typedef enum { SP_NO_GUIDE, SP_LEVEL, SP_POWER, SP_BOUND, SP_FLOOR, SP_RIVAL, SP_HAND_OVER } sp_guide_kind;

/* A curve; or a guide, which has no points. */
typedef struct sp_item {
    const char *label;
    size_t row;                /* of runs.tsv */
    sp_look look;
    sp_series series[SP_PANELS_MAX];
    sp_slope slope;            /* rates and residuals only */
    double middle;             /* of residuals: mean of log x over the points that count */
    double begins;             /* of a hand-over: its x */
    const sp_verdict *verdict; /* of a curve: the one that it shows; of a guide: the first that it stands for */
    sp_guide_kind guide;
    double constant;           /* factor on the claimed law: a power is beside its curve, a bound above it */
    bool hidden[SP_PANELS_MAX]; /* without a place on the axis: a note tells */
    sp_text words;             /* beside its end, lines */
} sp_item;

/* In pixels. */
typedef struct sp_frame {
    double left, top, width, height;
} sp_frame;

typedef struct sp_canvas {
    const sp_evidence *evidence;
    const sp_plan *plan;
    const sp_runs *runs;
    const sp_figure *figure;
    sp_figure_kind kind;
    char *place;
    sp_item *item;        /* curves, then guides */
    size_t curves, guides;
    sp_axis x, y[SP_PANELS_MAX];
    sp_frame frame[SP_PANELS_MAX];
    size_t across;         /* panels in a row */
    double width, height;  /* of all, with what is below the panels */
    sp_text title, subtitle, notes;  /* the first two plain; notes: lines */
    sp_text texts, leaders;          /* rows of the table: see figure_data.h */
} sp_canvas;

/* Texts by their size and place: the last two are labels of axes, centred, one of them upright. */
typedef enum { SP_TITLE, SP_NAME, SP_SMALL, SP_ALONG, SP_UPRIGHT } sp_text_size;

sp_selection sp_canvas_selection(const sp_canvas *, const char *label, size_t panel);
const sp_measure *sp_canvas_measure(const sp_canvas *, size_t panel);
/* Is it drawn? The start of a run, at no cost at all, has no place on a logarithmic axis. */
bool sp_canvas_shows(const sp_canvas *, const sp_series *, size_t point);
/* Of runs that keep to a budget, and with noise. */
bool sp_is_private(const sp_canvas *, const sp_item *);
/* Does the first of its words name a curve? What is said of a claim is all small. */
bool sp_is_named(const sp_item *);
/* Do they lead to the same line? */
bool sp_same_guide(const sp_verdict *, const sp_verdict *);
/* Of a guide at a point of its verdict's curve. */
double sp_guide_value(const sp_item *, size_t point);
/* Are exponents fitted? */
bool sp_canvas_fits(const sp_canvas *);
/* Are the points no power law, by the test of the fit? Then no line is drawn, they are joined. */
bool sp_is_bent(const sp_item *);

/* Curves and guides, and how many points there are to draw. */
sp_status sp_figure_gather(sp_canvas *, size_t *points, sp_error *);
/* The axes, the constants of bounds, which guides are hidden. SP_ENOMEM. */
sp_status sp_figure_axes(sp_canvas *);
/* Words of all entries, title, subtitle, notes. */
void sp_figure_words(sp_canvas *);
/* Frames, constants of the powers, texts and leaders. SP_ENOMEM. */
sp_status sp_figure_layout(sp_canvas *);

#endif
