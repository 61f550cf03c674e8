/* view.h -- a sweep as its claims and figures see it: what they may name. A function that refuses says at which place
 * of the experiment, and lists what is known there. */
#ifndef SP_PLAN_VIEW_H
#define SP_PLAN_VIEW_H

#include "core/plan/plan_internal.h"

typedef struct sp_view {
    sp_build *build;
    const sp_sweep *sweep;
    const sp_cell *cell; /* of the sweep */
    size_t cells;
} sp_view;

/* Of the sweep whose cells are [first, plan->cells). */
sp_view sp_view_of(sp_build *, const sp_sweep *, size_t first);

/* What the table gives under the key params[index], as text in the plan's arena; NULL: nothing. */
sp_status sp_view_word(const sp_view *, const sp_node *table, const sp_values *, size_t index, char **out);
/* The conditions under `where`, each of which some cell meets. */
sp_status sp_view_where(const sp_view *, const sp_node *table, const char *label, sp_axis_value **, size_t *count);
sp_status sp_view_measure(const sp_view *, const sp_node *); /* a measure of the sweep */
sp_status sp_view_measures(const sp_view *, const char *place, const char *name); /* the same of a key */
sp_status sp_view_label(const sp_view *, const sp_node *);   /* a label of the sweep */
/* Has the cell this label (NULL: any) and these values? */
bool sp_view_selects(const sp_cell *, const char *label, const sp_axis_value *where, size_t wheres);
/* The different values of an axis among the cells that are selected, of which *first is one (NULL: none); without
 * `texts` only numbers count. */
sp_status sp_view_values(const sp_view *, const char *axis, const char *label, const sp_axis_value *where,
                         size_t wheres, bool texts, size_t *count, const char **first);
/* The same, and refuses fewer than two. */
sp_status sp_view_axis(const sp_view *, const sp_node *, const char *label, const sp_axis_value *where, size_t wheres,
                       bool texts, size_t *count);

/* The values of an axis among the cells that are selected, each once: numbers ascending, then texts as they come. How
 * many there are; `most` and more are `most`. */
size_t sp_view_list(const sp_view *, const char *axis, const sp_axis_value *where, size_t wheres, const char **value,
                    size_t most);

/* What makes a point of a curve: x, or the whole problem and its budget, and beside it alpha and the member of a family,
 * each NULL where there is none. */
typedef struct sp_points_of {
    const char *place, *label, *x, *alpha, *family;
    const sp_axis_value *where;
    size_t wheres;
    bool levels; /* cells without an x make a point too, a level */
    bool problems; /* x is NULL, and every problem with its epsilon and delta a point */
} sp_points_of;
/* Refuses two cells at one point, and says in what they differ. Cells that are skipped are none. */
sp_status sp_view_single(const sp_view *, const sp_points_of *);

/* Refuses what is not a list of tables; NULL is one. */
sp_status sp_view_check_list(sp_build *, const sp_node *list);
/* A copy of `count` entries with room for `more`. NULL when out of memory. */
void *sp_view_extend(sp_arena *, const void *array, size_t count, size_t more, size_t size);

/* Reads how a figure looks (figure_look.c): the words, scales and ranges of its axes, its size and its files. Its kind,
 * x, y, facet and conditions have been read before. */
sp_status sp_figure_read_look(const sp_view *, const sp_node *table, sp_figure *);

#endif
