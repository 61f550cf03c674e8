/* geometry.h -- the pair of norms for a method that chooses among vertices of a domain W: records' gradients in ||.||_2
 * and W in ||.||_2, or gradients in ||.||_inf and W in ||.||_1. If one record moves a gradient estimate G by s, the
 * difference of two vertices' scores <v, G> changes by at most s D, D the diameter of W.
 *
 *   auto   the pair with the smaller L_data D: l_inf if features are small compared with ||x||, as for signs over
 *          sqrt(d), and W is an l1 ball or a simplex */
#ifndef SP_ALGORITHMS_PARTS_GEOMETRY_H
#define SP_ALGORITHMS_PARTS_GEOMETRY_H

#include "algorithms/algorithm.h"

#define SP_GEOMETRIES "auto|l2|linf"
enum { SP_GEOMETRY_AUTO, SP_GEOMETRY_L2, SP_GEOMETRY_LINF };

typedef struct sp_geometry {
    sp_norm norm;             /* of records' gradients */
    double L_data, beta_data; /* of the data part, in it; beta_data relative to the norm of W */
    double D, norm_max;       /* diameter of W, and the largest norm of a point of W */
    double rise, curvature;   /* F - F* <= rise over W, F(w + h (v - w)) <= linear part + h^2 curvature / 2, v in W: the
                                 smaller of L D and of beta D^2 that the two pairs of norms give */
} sp_geometry;

/* choice: one of SP_GEOMETRIES, by its number */
sp_geometry sp_geometry_of(const sp_oracle *, size_t choice);

#endif
