/* method.c -- see method.h. */
#include "core/report/method.h"

#include "core/report/heads.h"
#include "core/report/html.h"

#include <stdio.h>
#include <stdlib.h>
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

/* A part of a head, "Differs  T balances ...", its lines joined; nothing where the head has none. */
static void part(sp_text *out, const char *name, const char *head, const char *word)
{
    const size_t length = strlen(word);
    const char *line = head;
    while (line && !(strncmp(line, word, length) == 0 && strncmp(line + length, "  ", 2) == 0))
        line = (line = strchr(line, '\n')) ? line + 1 : NULL;
    if (!line)
        return;
    sp_text_append(out, "<dt>%s</dt><dd>", name);
    for (const char *from = line + length; from;) {
        char text[512];
        from += strspn(from, " ");
        const size_t count = strcspn(from, "\n");
        snprintf(text, sizeof text, "%s%.*s", from == line + length + strspn(line + length, " ") ? "" : " ", (int)count, from);
        sp_html_text(out, text);
        from = from[count] == '\n' && from[count + 1] == ' ' ? from + count + 1 : NULL;
    }
    sp_text_add_text(out, "</dd>\n");
}

static void places_of(const char *algorithm, const sp_report_place *place, size_t places, sp_text *out)
{
    size_t claims = 0, agree = 0;
    sp_text_add_text(out, "<dt>Experiments</dt><dd>");
    for (size_t i = 0; i < places; i++) {
        sp_text_add_text(out, i > 0 ? ", " : "");
        sp_report_link_to(out, "experiment", place[i].of->of->plan->name);
        claims += place[i].claims;
        agree += place[i].agree;
    }
    sp_text_add_text(out, "</dd>\n");
    if (claims > 0)
        sp_text_append(out, "<dt>Theorems</dt><dd>of %zu claims about it %zu agree (<a href=\"#verdicts\">verdicts</a>)"
                            "</dd>\n", claims, agree);
    const size_t mark = out->length;
    sp_text_add_text(out, "<dt>Where it stands</dt>\n");
    const size_t begun = out->length;
    for (size_t i = 0; i < places; i++)
        sp_report_ranking(place[i].of, algorithm, out);
    if (out->length == begun && out->data) {
        out->length = mark;
        out->data[mark] = '\0';
    }
}

void sp_report_method(const sp_algorithm *a, const sp_report_place *place, size_t places, sp_text *out)
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
    part(out, "Privacy", head, "Privacy");
    part(out, "Differs from print", head, "Differs");
    places_of(a->name, place, places, out);
    sp_text_add_text(out, "</dl>\n");
    if (head) {
        sp_text_add_text(out, "<details><summary>Formula, theorem, privacy, and what differs from the paper</summary>\n"
                              "<pre tabindex=\"0\">");
        sp_html_text(out, head);
        sp_text_add_text(out, "</pre></details>\n");
    }
}
