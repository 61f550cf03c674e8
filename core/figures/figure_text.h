/* figure_text.h -- words and numbers as a figure shows them: gnuplot's enhanced text. */
#ifndef SP_FIGURES_FIGURE_TEXT_H
#define SP_FIGURES_FIGURE_TEXT_H

#include "core/base/text.h"

/* A space beside letters in italics or an exponent: some renderers of SVG drop others where the font changes. */
#define SP_SPACE "\u200b\u00a0\u200b"

/* Plain text, on one line and in one column: "dp_gd" stays "dp_gd". */
void sp_append_plain(sp_text *, const char *plain);
/* A claimed exponent: a real minus, and "2/3" when that is what the number is. */
void sp_append_exponent(sp_text *, double value);
/* A measured one: two decimals. */
void sp_append_rounded(sp_text *, double value);
/* "2.5", "3\u00b710^{\u22129}", "10^{6}", of so many digits. */
void sp_append_magnitude(sp_text *, double value, int digits);
/* "p = 0.03", "p < 10^{-9}" below that. */
void sp_append_probability(sp_text *, double p);
/* A measure's unit, as mathematics where it is known: "||grad F||" is the norm of nabla F(w), letters in italics. */
void sp_append_unit(sp_text *, const char *unit);
/* Of an axis or a counter: a symbol ("n", in italics) and the label of the axis ("number of records n"). */
void sp_name_x(const char *name, const char **symbol, const char **label);

/* Width of an enhanced text, up to the end of its line, in ems of its font, DejaVu Sans. */
double sp_text_ems(const char *enhanced);
/* Bytes of the longest piece of a plain text that is at most so wide, up to a space; all of it when no space is left
 * of there. */
size_t sp_text_line(const char *plain, double ems);
/* The same of an enhanced text, whose spaces in braces are none, and up to the end of its line. */
size_t sp_text_piece(const char *enhanced, double ems);

#endif
