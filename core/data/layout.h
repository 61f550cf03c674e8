/* layout.h -- how the numbers of a dataset lie in one block, in memory and in the binary cache alike:
 * norm[n], mean[d], y[n] if there are labels, X[n * d], each on a multiple of 64 bytes. For core/data/ alone. */
#ifndef SP_DATA_LAYOUT_H
#define SP_DATA_LAYOUT_H

#include "core/data/dataset.h"

enum { SP_ALIGNMENT = 64 };

/* Bytes of the block, or 0 when n x d is more than can be held (64 GiB, n < 2^32). */
size_t sp_layout_size(size_t n, size_t d, bool labels);
/* Points norm, mean, y and X of *dataset (n and d are set) into the block. */
void sp_layout_point(sp_dataset *dataset, bool labels, const void *block);

#endif
