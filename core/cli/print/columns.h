/* columns.h -- tables for scripts, or for eyes: lines of fields between tabs, which stay as they are for scripts (`plain`), and
 * become columns padded with blanks for eyes. */
#ifndef SP_CLI_PRINT_COLUMNS_H
#define SP_CLI_PRINT_COLUMNS_H

#include "core/base/text.h"
#include "core/stats/statistics.h"

/* One field, without the tab before it. */
void sp_columns_name(sp_text *lines, bool plain, const char *name);
/* A tab and a field: all digits and NaN, or three digits and "-". */
void sp_columns_number(sp_text *lines, bool plain, double value);
/* "0.5 [0.4, 0.6]", or three fields. */
void sp_columns_interval(sp_text *lines, bool plain, const sp_interval *);
/* Adds the lines to a text, and frees them. No line has more than SP_COLUMNS fields. */
enum { SP_COLUMNS = 32 };
void sp_columns_finish(sp_text *lines, bool plain, sp_text *out);

#endif
