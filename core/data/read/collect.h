/* collect.h -- collects records while a file is read, in compressed form, until their number is known. Included in
 * core/data/ only.
 *
 * Address space is reserved for as many records as a file of this size usually contains; memory is taken only as it
 * fills. Every append checks the room and grows it if needed: no reader writes to the arrays itself. */
#ifndef SP_DATA_READ_COLLECT_H
#define SP_DATA_READ_COLLECT_H

#include "core/data/dataset.h"

typedef struct sp_collected {
    size_t n;           /* finished records */
    size_t entries;     /* stored numbers of them and of the one under way */
    uint64_t *start;    /* n + 1: record i has the entries start[i] .. start[i + 1] - 1 */
    double *y;          /* n labels */
    uint32_t *column;   /* entries: feature of each, from 0 */
    double *entry;      /* entries: its value */
    size_t record_room; /* records that y has room for, and start for one more */
    size_t entry_room;  /* entries that column and entry have room for */
    sp_error *error;    /* for messages; may be NULL */
} sp_collected;

/* Room for so many records and entries, to begin with. */
sp_status sp_collect_start(sp_collected *, size_t records, size_t entries, sp_error *);
void sp_collect_free(sp_collected *); /* { 0 } is allowed */
/* Twice the room for entries, or for records. SP_ENOMEM, and then all is as it was. */
sp_status sp_collect_more_entries(sp_collected *);
sp_status sp_collect_more_records(sp_collected *);

/* One feature of the record under way; columns ascend. Zeros are left out. */
__attribute__((warn_unused_result))
static inline sp_status sp_collect(sp_collected *c, size_t column, double value)
{
    if (__builtin_expect(c->entries == c->entry_room, false)) {
        const sp_status status = sp_collect_more_entries(c);
        if (status != SP_OK)
            return status;
    }
    c->column[c->entries] = (uint32_t)column;
    c->entry[c->entries] = value;
    c->entries += value != 0.0;
    return SP_OK;
}

/* The record under way is whole, or is to be left out. */
__attribute__((warn_unused_result))
static inline sp_status sp_collect_end(sp_collected *c, double label, bool keep)
{
    if (!keep) {
        c->entries = c->start[c->n];
        return SP_OK;
    }
    if (__builtin_expect(c->n == c->record_room, false)) {
        const sp_status status = sp_collect_more_records(c);
        if (status != SP_OK)
            return status;
    }
    c->y[c->n++] = label;
    c->start[c->n] = c->entries;
    return SP_OK;
}

/* All of them as a dataset with d features, not yet sealed; then none are left here. */
sp_status sp_collected_dataset(sp_collected *, sp_storage, size_t d, sp_dataset *out, sp_error *);

#endif
