/* method.c -- see method.h. */
#include "core/figures/report/method.h"

#include "core/figures/report/heads.h"
#include "core/figures/report/html.h"

#include <string.h>

void sp_report_link(const char *manual, const char *page, const char *words, sp_text *out)
{
    if (manual) {
        const size_t length = strlen(manual);
        sp_text_add_text(out, "<a href=\"");
        sp_html_text(out, manual);
        sp_text_append(out, "%sdocs/%s\">", length > 0 && manual[length - 1] == '/' ? "" : "/", page);
    }
    sp_html_text(out, words);
    if (manual)
        sp_text_add_text(out, "</a>");
}

static void item(sp_text *out, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    sp_text_append(out, "<dt>%s</dt><dd>", name);
    sp_html_text(out, text);
    sp_text_add_text(out, "</dd>\n");
}

static void places_of(const sp_report_place *place, size_t places, sp_text *out)
{
    size_t claims = 0, agree = 0;
    sp_text_add_text(out, "<dt>Experiments</dt><dd>");
    for (size_t i = 0; i < places; i++) {
        sp_text_append(out, "%s<a href=\"#experiment-", i > 0 ? ", " : "");
        sp_html_id(out, place[i].experiment);
        sp_text_add_text(out, "\">");
        sp_html_text(out, place[i].experiment);
        sp_text_add_text(out, "</a>");
        claims += place[i].claims;
        agree += place[i].agree;
    }
    sp_text_add_text(out, "</dd>\n");
    if (claims > 0)
        sp_text_append(out, "<dt>Theorems</dt><dd>of %zu claims about it %zu agree (<a href=\"#verdicts\">verdicts</a>)"
                            "</dd>\n", claims, agree);
}

void sp_report_method(const sp_algorithm *a, const sp_report_place *place, size_t places, const char *manual, sp_text *out)
{
    const char *head = a->foreign ? NULL : sp_head_of(a->name);
    sp_text_add_text(out, "<h3 id=\"method-");
    sp_html_id(out, a->name);
    sp_text_add_text(out, "\">");
    sp_html_text(out, a->name);
    sp_text_add_text(out, "</h3>\n");
    if (a->summary && *a->summary) {
        sp_text_add_text(out, "<p>");
        sp_html_text(out, a->summary);
        sp_text_add_text(out, "</p>\n");
    }
    sp_text_add_text(out, "<dl>\n");
    item(out, "When", a->when);
    item(out, "Source", a->source);
    item(out, "Releases", a->releases);
    places_of(place, places, out);
    if (manual && head && !a->non_private_only && !a->ignores_data) {
        char *page = sp_format("which_method.html#%s", a->name);
        sp_text_add_text(out, "<dt>Fits</dt><dd>");
        sp_report_link(manual, page ? page : "which_method.html", "the losses that it is for", out);
        sp_text_add_text(out, "</dd>\n");
        free(page);
    }
    sp_text_add_text(out, "</dl>\n");
    if (head) {
        sp_text_add_text(out, "<details><summary>Formula, theorem, privacy, and what differs from the paper</summary>\n"
                              "<pre tabindex=\"0\">");
        sp_html_text(out, head);
        sp_text_add_text(out, "</pre></details>\n");
    }
}
