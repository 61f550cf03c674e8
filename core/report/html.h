/* html.h -- pieces of an HTML page that needs nothing else: texts, tables, figures. What is written is well-formed
 * XML as well. */
#ifndef SP_REPORT_HTML_H
#define SP_REPORT_HTML_H

#include "core/base/text.h"

/* "a < b" as &lt;; also within the quotes of an attribute. Bytes that no XML may hold become U+FFFD. */
void sp_html_text(sp_text *out, const char *text);
/* A name as an id: letters, digits, '-' and '_'; others become '-'. */
void sp_html_id(sp_text *out, const char *name);

/* The head of the page up to <main>: style, script, title. And its end. */
void sp_html_begin(sp_text *out, const char *title);
void sp_html_end(sp_text *out);

/* A table whose columns sort: begin, then rows of cells, then end. `id` NULL: none. */
void sp_html_table_begin(sp_text *out, const char *id, const char *caption, const char *const *column, size_t columns);
void sp_html_table_end(sp_text *out);

/* A figure that gnuplot has drawn (core/figures/figure_data.h: `table` is what it was drawn from), inline, with its
 * title as the words for who does not see it; over every point stands a place that says its numbers. The shapes of
 * points, which all such figures share, are written once by sp_html_shapes. SP_EABSENT where one of the files is not
 * there, SP_EDATA where it is none of ours. */
sp_status sp_html_figure(const char *svg, const char *table, const char *title, sp_text *out, sp_error *);
sp_status sp_html_shapes(const char *svg, sp_text *out, sp_error *);

/* A file as text, a new string of *size bytes and a zero byte. SP_EABSENT, SP_EIO, SP_ENOMEM. */
sp_status sp_html_read(const char *path, char **bytes, size_t *size, sp_error *);

#endif
