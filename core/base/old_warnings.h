/* old_warnings.h -- the typed columns of runs whose stores or tables have sentences alone (those of e19951b): this file
 * alone reads sentences, and for such old formats alone. */
#ifndef SP_BASE_OLD_WARNINGS_H
#define SP_BASE_OLD_WARNINGS_H

#include "core/base/warnings.h"

sp_warning_set sp_old_warning_codes(const char *warning);
/* The first bound that the sentences call vacuous, and what holds at the start, to three digits; NAN: there is none. */
void sp_old_promise(const char *warning, double *promise, double *at_start);

#endif
