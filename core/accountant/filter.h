/* filter.h -- privacy filters: rules for composing releases whose kind, rate or noise may depend on earlier released
 * values. For such releases no theorem allows the smallest of several bounds to be chosen at the end. A filter is one
 * way of counting, chosen before the first release; its limit then holds whatever is released.
 *
 *   zcdp    the sum of rho (Feldman & Zrnic 2021; Whitehouse, Ramdas, Rogers & Wu 2023)
 *   gauss   the sum of mu^2 of Gaussian releases (Smith & Thakurta 2022; Koskela, Tobaben & Honkela 2023)
 *   basic   the sum of epsilon of pure releases (Rogers, Roth, Ullman & Vadhan 2016)
 *
 * A release on a subset or a Poisson sample counts as one on all records: no filter has amplification by sampling. */
#ifndef SP_ACCOUNTANT_FILTER_H
#define SP_ACCOUNTANT_FILTER_H

typedef enum { SP_FILTER_NONE, SP_FILTER_ZCDP, SP_FILTER_GAUSS, SP_FILTER_BASIC, SP_FILTERS } sp_filter;

#endif
