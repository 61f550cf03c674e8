/* figure_text.h -- words and numbers as a figure shows them: gnuplot's enhanced text. */
#ifndef SP_FIGURES_FIGURE_TEXT_H
#define SP_FIGURES_FIGURE_TEXT_H

#include "core/base/text.h"

/* Plain text, on one line and in one column: "dp_gd" stays "dp_gd". */
void sp_append_plain(sp_text *, const char *plain);
/* A claimed exponent: a real minus, and "2/3" when that is what the number is. */
void sp_append_exponent(sp_text *, double value);
/* A measured one: two decimals. */
void sp_append_rounded(sp_text *, double value);
/* Lines of at most `width` bytes, broken at spaces, each a row "key TAB line" of its own. */
void sp_append_lines(sp_text *, const char *key, const char *plain, size_t width);
/* Of an axis or a counter: a symbol ("n") and a label with its unit ("n (records)"). */
void sp_name_x(const char *name, const char **symbol, const char **label);

#endif
