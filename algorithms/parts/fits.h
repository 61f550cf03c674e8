/* fits.h -- common requirements of methods on a problem, to be used as sp_algorithm.fits. Each returns NULL if the
 * constants it needs are known, otherwise a static text that names the missing one. */
#ifndef SP_ALGORITHMS_PARTS_FITS_H
#define SP_ALGORITHMS_PARTS_FITS_H

#include "algorithms/algorithm.h"

const char *sp_lipschitz_fits(const sp_constants *); /* L_data */
const char *sp_smooth_fits(const sp_constants *);    /* and beta */
const char *sp_gap_fits(const sp_constants *);       /* and a bound on F(w0) - F* */
const char *sp_positive_gap_fits(const sp_constants *); /* and it is above 0: at 0 a default step has no length */
const char *sp_vertex_fits(const sp_constants *);    /* L_data, beta and two vertices at least */
const char *sp_bounded_fits(const sp_constants *);   /* L_data, beta and a bounded domain of more than one point */
/* L_data, beta, a positive gap and F - F* <= kl_gamma^kl_kappa ||grad F||^kl_kappa with kl_kappa in [1, 2]. */
const char *sp_kl_fits(const sp_constants *);

#endif
