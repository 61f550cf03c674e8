/* labels.h -- a list of the labels (entries of `algorithms`) of a sweep, with counts taken while table rows are
 * read. */
#ifndef SP_STATS_LABELS_H
#define SP_STATS_LABELS_H

#include <stddef.h>

typedef struct sp_label {
    char *sweep, *label;
    size_t rows, known, marked; /* how many; of how many something is known; how many are concerned */
    char *first;                /* what the first of these says; NULL: nothing */
} sp_label;

/* Start from { 0 }. In the order in which they were met. */
typedef struct sp_labels {
    sp_label *list;
    size_t count, last; /* last: the one that was asked for last */
} sp_labels;

/* The entry of a label, lent until the next call, with zeros where it is a new one. */
sp_label *sp_labels_at(sp_labels *, const char *sweep, const char *label);
/* The entry, or NULL where there is none. */
const sp_label *sp_labels_find(const sp_labels *, const char *sweep, const char *label);
void sp_labels_free(sp_labels *);

#endif
