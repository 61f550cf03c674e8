/* rows_body.h -- the kernels for the instruction set SET with registers of WIDTH doubles; rows_SET.c defines both and
 * includes it. The order of arithmetic is the same for every set, so that every set gives the same bits.
 *
 * A product that is added to a sum is rounded with it, once: fma(a, b, c) is a b + c rounded, and so written; nothing
 * is contracted by the compiler.
 *
 *   <x, w>             Lane l is fma(x_j, w_j, lane l) over j = l, l + 8, ..., in that order, from +0; then the lanes
 *                      are added: ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7)). What is stored behind the features
 *                      is multiplied by w = 0: a sum that began at +0 is not changed by +-0.
 *                      Sparse rows: the same lanes over the stored entries, eight after eight; the rest of a row is
 *                      added to the sum of the lanes one after the other, total = fma(x_j, w_j, total).
 *                      One-hot rows: fma(number, listed, lanes), where `lanes` is the sum of the lanes over the numeric
 *                      features, `number` the number that the listed features share, and `listed` the sum of w over the
 *                      list, which begins at +0 and follows the list.
 *   sum a_i x_i        Each coordinate in row order, sum_j = fma(a_i, x_ij, sum_j).
 *   sum b_i x_i x_i'   fma(x_ij, b_i x_ik, sum) in row order from +0, b_i x_ik being rounded; then added to H. For two
 *                      listed features of one-hot rows H = fma(b_i x_ij, x_ik, H), row after row; for sparse rows,
 *                      which have no kernel, H + (b_i x_ij) x_ik, each rounded.
 *
 * Rows of signs have no products: +-w_j and +-a_i are added in the same order. */
#include "core/data/rows_pass.h"
#include "core/data/rows_square.h"
#include "core/data/rows_stored.h"

extern const sp_rows_kernels JOIN(sp_rows_kernels, SET); /* rows_kernels.c */
const sp_rows_kernels JOIN(sp_rows_kernels, SET) = {
    pass, dot, add, dot_signs, add_signs, dot_sparse, add_sparse, dot_hot, add_hot, square, square_hot
};
