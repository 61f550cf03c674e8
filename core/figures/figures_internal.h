/* figures_internal.h -- what the files of a figure share: what it shows is gathered (gather.c, scored.c), put into words
 * (captions.c), given its place (layout.c, square.c) and written (figure_data.c). */
#ifndef SP_FIGURES_FIGURES_INTERNAL_H
#define SP_FIGURES_FIGURES_INTERNAL_H

#include "core/figures/axis.h"
#include "core/figures/figure_data.h"
#include "core/figures/look.h"
#include "core/contest/profile.h"
#include "core/contest/score.h"

/* From SP_PROFILE on over problems, after it by the scores of score.h. */
typedef enum { SP_RATE, SP_RESIDUAL, SP_TRADE_OFF, SP_TRAJECTORY, SP_PROFILE, SP_DOMINANCE, SP_SEARCH, SP_UTILITY,
               SP_FIGURE_KINDS } sp_figure_kind;

/* What a guide shows: the level of a method without an x, or of a trajectory that never leaves its start,
 * or of naming the majority class; the power of a claim, beside its curve, for its slope alone (of residuals it is 0); a
 * bound, with its constant or above all points; what is left without noise; of residuals, the rival's power; of
 * trajectories, where a second method begins, upright. */
typedef enum { SP_NO_GUIDE, SP_LEVEL, SP_POWER, SP_BOUND, SP_FLOOR, SP_RIVAL, SP_HAND_OVER } sp_guide_kind;

/* An item as one panel shows it. */
typedef struct sp_shown {
    size_t row;                /* of runs.tsv, the first that belongs to it; rows of that table: it is not in the panel */
    sp_series series;          /* of a curve or a level */
    sp_slope slope;            /* rates and residuals only */
    double middle;             /* of residuals: mean of log x over the points that count */
    double begins;             /* of a hand-over: its x; NAN: none here */
    const sp_verdict *verdict; /* of a curve: the one that it shows; of a guide: the first that it stands for, in the one
                                * panel that has it */
    bool hidden;               /* without a place on the axis: a note tells */
    bool *edge;                /* by point: was the winner of its tuning at an end of the grid? NULL: at none */
    sp_text words;             /* beside its end, lines */
} sp_shown;

/* A curve, or a guide. */
typedef struct sp_item {
    const char *label;
    size_t row;      /* of runs.tsv, the first */
    sp_look look;
    sp_guide_kind guide;
    double constant; /* factor on the claimed law: a power is beside its curve, a bound above it */
    sp_shown in[SP_PANELS_MAX];
} sp_item;

/* What many methods leave on many tasks, all of the selection; the figure shows some of its labels. */
typedef struct sp_scores {
    sp_board board;
    size_t fewest, most;  /* replicates of a cell */
    size_t largest;       /* of search: points of the largest grid that is shown */
    /* of dominance: */
    sp_dominance *pair;   /* labels x labels of the board */
    size_t *order;        /* labels of the board that are shown, by their mean rank */
    size_t shown;
    double key_top;       /* where the colours are told, in pixels */
} sp_scores;

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
    const char **label;   /* of the sweep, in the order of the rows */
    size_t labels;
    sp_axis_value *where[SP_PANELS_MAX]; /* what the cells of a panel have */
    size_t wheres;
    sp_item *item;        /* curves, then guides */
    size_t curves, guides;
    sp_profile profile[SP_PANELS_MAX]; /* of kind profile; its labels are the curves */
    sp_scores scores;                  /* of the kinds after it */
    sp_axis x[SP_PANELS_MAX], y[SP_PANELS_MAX]; /* x: one for all panels but of kind utility */
    sp_frame frame[SP_PANELS_MAX];
    size_t across;         /* panels in a row */
    double width, height;  /* of all, with what is below the panels */
    double scale;          /* of what is drawn: what a pixel of the layout measures */
    bool keyed;            /* the words are below the panels */
    double (*key)[2];      /* by item, where its sample is in that key; 0, 0: it has none */
    sp_text title, subtitle, notes;  /* the first two plain; notes: lines */
    sp_text left_out, no_grid;       /* labels that a figure over problems does not show: not private where others are;
                                      * of search, without a grid */
    bool ringed;                     /* is some point drawn whose winner was at an end of its grid? */
    sp_text texts, leaders;          /* rows of the table: see figure_data.h */
} sp_canvas;

/* Texts by their size and place: two are labels of axes, centred, one of them upright; the last two small ones that end
 * at their place, and that rise from it. */
typedef enum { SP_TITLE, SP_NAME, SP_SMALL, SP_ALONG, SP_UPRIGHT, SP_ENDING, SP_RISING } sp_text_size;
/* Pixels: around all, of a small line, from a panel to its words, around a point. */
enum { SP_MARGIN = 10, SP_SMALL_HEIGHT = 19, SP_TO_WORDS = 14, SP_AROUND_POINT = 8 };
enum { SP_DARK = 0x222222, SP_PALE = 0x555555, SP_GREY = 0x7F7F7F };

/* What is along x. */
const char *sp_canvas_x(const sp_canvas *, size_t panel);
sp_selection sp_canvas_selection(const sp_canvas *, const char *label, size_t panel);
const sp_measure *sp_canvas_measure(const sp_canvas *, size_t panel);
/* Does the figure show the label? */
bool sp_canvas_asks(const sp_canvas *, const char *label);
/* Is it drawn? The start of a run, at no cost at all, has no place on a logarithmic axis. */
bool sp_canvas_shows(const sp_canvas *, const sp_series *, size_t point);
/* Is it in the frame of its panel? */
bool sp_canvas_holds(const sp_canvas *, size_t panel, const sp_series *, size_t point);
/* Of runs that keep to a budget, and with noise. */
bool sp_is_private(const sp_canvas *, const sp_item *);
/* Is it the level of naming the majority class, which no method and no row has? */
bool sp_is_chance(const sp_canvas *, const sp_item *);
/* Does the first of its words name a curve? What is said of a claim is all small. */
bool sp_is_named(const sp_item *);
/* Do they lead to the same line? */
bool sp_same_guide(const sp_verdict *, const sp_verdict *);
/* Of a guide at a point of its verdict's curve; there are as many as the second says, none in a panel without it. */
double sp_guide_value(const sp_item *, size_t panel, size_t point);
size_t sp_guide_points(const sp_item *, size_t panel);
/* Panels that show cells of their own: all of a facet's; of several measures the first stands for the others. */
size_t sp_canvas_parts(const sp_canvas *);
/* Do the curves of a panel meet at a few x of their own? */
bool sp_canvas_meets(const sp_canvas *, size_t panel);
/* Are exponents fitted? */
bool sp_canvas_fits(const sp_canvas *);
/* Are the points no power law, by the test of the fit? Then no line is drawn, they are joined. */
bool sp_is_bent(const sp_shown *);

/* "n = 1000" above a panel of a facet. */
void sp_append_facet(const sp_canvas *, size_t panel, sp_text *);
/* The measure of a panel. */
void sp_append_panel_unit(const sp_canvas *, size_t panel, sp_text *);
/* Is it drawn there, with words of its own or without? */
bool sp_is_drawn(const sp_canvas *, const sp_item *, size_t panel);

/* --- block.c: lines of text, in pixels from the left and the top ---------------------------------------------- */

double sp_font_size(sp_text_size);
/* Of a line of an item's words: the name of a curve is larger than what is said of it. */
double sp_line_height(const sp_item *, size_t line);
/* Of words of an item, lines; NULL is none. */
void sp_lines_size(const sp_item *, const char *lines, double *width, double *height);
/* y is the middle of the line, x its left end or, of the label of an axis, its middle. */
void sp_write_text(sp_canvas *, double x, double y, unsigned colour, sp_text_size, const char *text, size_t length);
/* Words of an item, in its colour. */
void sp_write_block(sp_canvas *, const sp_item *, double left, double top, const char *lines);
/* Plain lines across the figure from `top` on; where the next one would be. */
double sp_write_lines(sp_canvas *, const char *plain, unsigned colour, sp_text_size, double top);
/* The notes in the same way; without `draw` only how far they go. */
double sp_write_notes(sp_canvas *, unsigned colour, double top, bool draw);
/* The label of an axis in as many lines as `room` along it asks for, which it returns. */
size_t sp_write_centred(sp_canvas *, double x, double y, sp_text_size, const char *text, double room, bool draw);

/* A figure of a given size is laid out in pixels of which so many make one of print; lengths in them. */
static inline double sp_paper_scale(void)
{
    return 8.0 / (0.75 * 13.5); /* small words are 8 points high in print */
}
static inline double sp_pixels_of(double millimetres)
{
    return millimetres / 25.4 * 96.0 / sp_paper_scale();
}
static inline double sp_millimetres_of(double pixels)
{
    return pixels * sp_paper_scale() * 25.4 / 96.0;
}

/* --- places --------------------------------------------------------------------------------------------------- */

/* From the left and the top of the panel's frame. */
double sp_pixel_x(const sp_canvas *, size_t panel, double x);
double sp_pixel_y(const sp_canvas *, size_t panel, double y);
/* Curves that meet at the same few x stand side by side there, so that their intervals can be seen: how many pixels to
 * the right. */
double sp_pixels_aside(const sp_canvas *, const sp_item *, size_t panel);
/* The constants of the powers. */
void sp_place_powers(sp_canvas *, size_t panel);
/* Words beside a panel. SP_ENOMEM. */
sp_status sp_place_curve_labels(sp_canvas *, size_t panel);
/* Words below the panels, from `top` on; where the next line would be. Without `draw` only that. */
double sp_place_key(sp_canvas *, double top, bool draw);

/* --- the steps ------------------------------------------------------------------------------------------------ */

/* Curves and guides, and how many points there are to draw. */
sp_status sp_figure_gather(sp_canvas *, size_t *points, sp_error *);
/* The same of the kinds after SP_PROFILE. */
sp_status sp_gather_scores(sp_canvas *, size_t *points, sp_error *);
void sp_scores_free(sp_scores *);
/* Where some curves are private, the others are left out: they answer to no budget. */
void sp_keep_rivals(sp_canvas *);
/* The axes, the constants of bounds, which guides are hidden. SP_ENOMEM. */
sp_status sp_figure_axes(sp_canvas *);
/* Words of all entries, title, subtitle, notes. */
void sp_figure_captions(sp_canvas *);
/* Frames, constants of the powers, texts, leaders and the key. SP_ENOMEM; SP_EINVAL for a height that is too little. */
sp_status sp_figure_layout(sp_canvas *, sp_error *);
/* The same of a square of methods, below the title; SP_EINVAL for a size that is too little. */
sp_status sp_square_layout(sp_canvas *, sp_error *);
/* Its fields, and those that tell what the colours mean: see figure_data.h. */
void sp_square_write(const sp_canvas *, sp_text *out);

#endif
