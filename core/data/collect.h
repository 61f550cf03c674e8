/* collect.h -- records as they come out of a file, compressed, until their number is known. For core/data/ alone.
 *
 * There is room for as many as the file could hold at most, in memory that is only taken as it is filled: nothing ever
 * grows, and nothing is read twice. */
#ifndef SP_DATA_COLLECT_H
#define SP_DATA_COLLECT_H

#include "core/data/dataset.h"

typedef struct sp_collected {
    size_t n;         /* finished records */
    size_t entries;   /* stored numbers of them and of the one under way */
    uint64_t *start;  /* n + 1: record i has the entries start[i] .. start[i + 1] - 1 */
    double *y;        /* n labels */
    uint32_t *column; /* entries: feature of each, from 0 */
    double *entry;    /* entries: its value */
    void *block;      /* the mapping that holds all four arrays */
    size_t size;      /* of it, in bytes */
} sp_collected;

/* Room for so many records and entries. */
sp_status sp_collect_start(sp_collected *, size_t records, size_t entries, sp_error *);
void sp_collect_free(sp_collected *); /* { 0 } is allowed */

/* One feature of the record under way; columns ascend. Zeros are left out. */
static inline void sp_collect(sp_collected *c, size_t column, double value)
{
    c->column[c->entries] = (uint32_t)column;
    c->entry[c->entries] = value;
    c->entries += value != 0.0;
}

/* The record under way is whole, or is to be left out. */
static inline void sp_collect_end(sp_collected *c, double label, bool keep)
{
    if (!keep) {
        c->entries = c->start[c->n];
        return;
    }
    c->y[c->n++] = label;
    c->start[c->n] = c->entries;
}

/* All of them as a dataset with d features, not yet sealed; then none are left here. */
sp_status sp_collected_dataset(sp_collected *, sp_storage, size_t d, sp_dataset *out, sp_error *);

#endif
