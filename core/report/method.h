/* method.h -- a method in the report: what it does, its mathematics, where it was run and how its claims came out. */
#ifndef SP_REPORT_METHOD_H
#define SP_REPORT_METHOD_H

#include "algorithms/algorithm.h"
#include "core/report/report_internal.h"

/* How a method did in one experiment. */
typedef struct sp_report_place {
    const sp_report_experiment *of;
    size_t claims, agree; /* of theorems, about this method */
} sp_report_place;


void sp_report_method(const sp_algorithm *, const sp_report_place *place, size_t places, sp_text *out);

/* "<a href="MANUAL/docs/PAGE">words</a>", or the words alone without a manual. */
void sp_report_link(const char *manual, const char *page, const char *words, sp_text *out);

#endif
