/* cells.c -- small pieces of the report's tables; see report_internal.h. */
#include "core/report/html.h"
#include "core/report/report_internal.h"

#include <math.h>

void sp_report_sorted(sp_text *out, const char *begin, double value)
{
    sp_text_add_text(out, begin);
    if (isnan(value))
        sp_text_add_text(out, " data-value=\"\">");
    else
        sp_text_append(out, " data-value=\"%.7g\">", value);
}

void sp_report_cell(sp_text *out, const char *text)
{
    sp_text_add_text(out, "<td>");
    sp_html_text(out, text);
    sp_text_add_text(out, "</td>");
}

void sp_report_link_to(sp_text *out, const char *kind, const char *name)
{
    sp_text_append(out, "<a href=\"#%s-", kind);
    sp_html_id(out, name);
    sp_text_add_text(out, "\">");
    sp_html_text(out, name);
    sp_text_add_text(out, "</a>");
}

void sp_report_power(sp_text *out, double power)
{
    enum { DENOMINATOR_MAX = 14 };
    for (int below = 1; below <= DENOMINATOR_MAX; below++) {
        const double above = round(power * below);
        if (!(fabs(power * below - above) <= 1e-9 * below))
            continue;
        sp_text_append(out, below > 1 ? "%.0f/%d" : "%.0f", above + 0.0, below); /* + 0: no "-0" */
        return;
    }
    sp_text_append(out, "%.3g", power);
}

void sp_report_cell_power(sp_text *out, double power)
{
    sp_report_sorted(out, "<td", power);
    if (!isnan(power))
        sp_report_power(out, power);
    sp_text_add_text(out, "</td>");
}

void sp_report_value(sp_text *out, const char *text)
{
    double value;
    if (sp_read_number(text, &value) && isfinite(value))
        sp_text_append(out, "%.4g", value);
    else
        sp_html_text(out, text);
}
