/* layout.h -- the layout of a dataset's numbers in one block, the same in memory and in the binary cache. Each array
 * begins at a multiple of 64 bytes: norm[n], mean[d], y[n] if there are labels, then
 *   dense X[n * stride]; sparse start[n + 1], entry[entries], column[entries]; one_hot column[numeric], X[n * stride];
 *   signs sign[n * words]; indexed nothing.
 * Included in core/data/ only. */
#ifndef SP_DATA_LAYOUT_H
#define SP_DATA_LAYOUT_H

#include "core/data/dataset.h"

enum { SP_ALIGNMENT = 64 };

/* Bytes of the block, or 0 when it is more than can be held (64 GiB; n and d < 2^32). */
size_t sp_layout_size(sp_storage, size_t n, size_t d, size_t entries, bool labels);
/* Points the arrays of *dataset (storage, n and d are set) into the block, and sets stride, words, numeric and
 * listed. */
void sp_layout_point(sp_dataset *dataset, size_t entries, bool labels, const void *block);
/* The entries that the block of a dataset was laid out for. */
size_t sp_layout_entries(const sp_dataset *);

/* The records index[0 .. count-1] in the storage of `from`, not sealed; of dense and sparse ones with a last feature 1
 * when `intercept`. Of an indexed dataset they refer to it. */
sp_status sp_records_take(const sp_dataset *from, const uint32_t *index, size_t count, bool intercept, bool mapped,
                          sp_dataset *out, sp_error *);
/* The stored numbers of record i of a dense, sparse or one-hot dataset (with the one that its list shares), to be
 * changed before it is sealed; returns how many. */
size_t sp_record_numbers(const sp_dataset *, size_t i, double **out);
/* sp_dataset.largest of a dataset whose storage and radius are set: what its maker claims, or the radius. */
double sp_largest_feature(const sp_dataset *);
/* Are the arrays next to the numbers valid: offsets that ascend within the block, columns and lists that ascend below
 * d, no bits beyond d? No kernel may follow it before. SP_EDATA naming the record. */
sp_status sp_records_check(const sp_dataset *, sp_error *);
/* The features of `raw` (dense or sparse) that lie as numbers in one-hot rows: numeric[d] is false where all are 0 or
 * 1. Returns the entries of such a dataset, with a last feature 1 when `intercept`, or 0 where it cannot be, takes no
 * less memory than sparse records, half of that of dense ones, or needs much for a Hessian. */
size_t sp_hot_form(const sp_dataset *raw, bool intercept, bool *numeric);
/* The records of *from (dense or sparse) as one-hot rows of this form, not sealed; of each all features that are not
 * numeric are 0 or one number. */
sp_status sp_hot_records(const sp_dataset *from, size_t entries, const bool *numeric, sp_dataset *out, sp_error *);
/* sp_dataset_seal without the hash: `content` stays empty. */
sp_status sp_records_seal(sp_dataset *, double radius, double label_bound, sp_error *);

#endif
