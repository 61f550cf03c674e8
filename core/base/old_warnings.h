/* old_warnings.h -- computes the typed columns of old runs from their warning sentences. Stores and tables as of
 * e19951b have only the sentences. No other file parses sentences, and this one does so only for these old formats. */
#ifndef SP_BASE_OLD_WARNINGS_H
#define SP_BASE_OLD_WARNINGS_H

#include "core/base/warnings.h"

sp_warning_set sp_old_warning_codes(const char *warning);
/* The first bound that the sentences call vacuous, and what holds at the start, to three digits; NAN: there is none. */
void sp_old_promise(const char *warning, double *promise, double *at_start);

#endif
