/* formats.h -- a table as other programs read it: CSV, LaTeX, JSON. */
#ifndef SP_CLI_PRINT_FORMATS_H
#define SP_CLI_PRINT_FORMATS_H

#include "core/base/table.h"

typedef enum { SP_PRINT_CSV, SP_PRINT_LATEX, SP_PRINT_JSON, SP_PRINTS } sp_print_format;
extern const char *const sp_print_formats[SP_PRINTS];

/* csv    RFC 4180: a line ends with CR LF, what holds a comma, a quote or a line end stands in quotes, which are doubled;
 *        nothing is an empty field. A text that is no number and begins with = + - @, a tab, a line end or a backslash
 *        has a backslash before it and is no formula to a spreadsheet: drop one, and it is as it was.
 * json   an array with an object a row. A column is one of numbers where every field of it is a number or nothing, else
 *        of texts; runs, labels and messages are texts. The digits are the table's. Nothing is null; what JSON has no
 *        number for is "NaN", "inf", "-inf". A byte that is no UTF-8 is U+FFFD.
 * latex  a tabular for the package booktabs; numbers on the right.
 *
 * out->failed when out of memory. */
void sp_table_print(const sp_table *, sp_print_format, sp_text *out);

/* A text between which and LaTeX nothing stands. */
void sp_latex_text(const char *, sp_text *);

#endif
