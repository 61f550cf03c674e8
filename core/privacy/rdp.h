/* rdp.h -- from a Renyi curve to (epsilon, delta). Included inside core/privacy/ only.
 *
 *   eps(a)      = R(a) + ln((a-1)/a) - (ln delta + ln a)/(a-1)          Canonne, Kamath & Steinke 2020, Prop. 12
 *   ln delta(a) = (a-1) (R(a) + ln((a-1)/a) - eps) - ln a
 *
 * Every order gives a valid bound; the search over orders only makes it small. */
#ifndef SP_PRIVACY_RDP_H
#define SP_PRIVACY_RDP_H

/* R(order), order > 1, not decreasing in it. */
typedef double (*sp_rdp_curve)(const void *context, double order);

/* The smallest epsilon (>= 0) at delta, with its order; the smallest delta (<= 1) at epsilon. */
double sp_rdp_epsilon(sp_rdp_curve, const void *context, double delta, double *order);
double sp_rdp_delta(sp_rdp_curve, const void *context, double epsilon);

#endif
