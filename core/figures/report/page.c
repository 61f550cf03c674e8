/* page.c -- the frame of the report: its style for light, dark and narrow screens, and its script, which sorts and
 * filters tables. See html.h. */
#include "core/figures/report/html.h"

static const char style[] =
    ":root { color-scheme: light dark; --ink: #1d2126; --soft: #4d5661; --paper: #ffffff; --raised: #f3f5f7;\n"
    "  --line: #c9d0d7; --link: #0b57a4; --good: #14633a; --bad: #a11d1d; --open: #6b4a00; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --soft: #b3bcc6; --paper: #14171a;\n"
    "  --raised: #1e2327; --line: #3c444c; --link: #8cc2ff; --good: #7fd6a2; --bad: #ff9c93; --open: #f0cd7a; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0; background: var(--paper); color: var(--ink);\n"
    "  font: 16px/1.5 system-ui, \"DejaVu Sans\", sans-serif; }\n"
    "header, main, footer { max-width: 84rem; margin: 0 auto; padding: 0 1rem; }\n"
    "h1 { font-size: 1.6rem; margin: 1.5rem 0 .25rem; } h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; }\n"
    "h3 { font-size: 1.1rem; margin: 2rem 0 .5rem; } p { max-width: 46rem; margin: .5rem 0; }\n"
    "a { color: var(--link); } a:focus-visible, button:focus-visible, summary:focus-visible, input:focus-visible,\n"
    "  .wide:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }\n"
    "nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0; }\n"
    ".skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--paper); }\n"
    ".wide { overflow-x: auto; margin: .75rem 0; }\n"
    "table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }\n"
    "caption { text-align: left; color: var(--soft); padding: .25rem 0; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }\n"
    "thead th { background: var(--raised); white-space: nowrap; }\n"
    "th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0;\n"
    "  cursor: pointer; }\n"
    "th[aria-sort=ascending] button::after { content: \" \\2191\"; } th[aria-sort=descending] button::after "
    "{ content: \" \\2193\"; }\n"
    ".best { font-weight: 700; } .AGREES { color: var(--good); font-weight: 600; }\n"
    ".SHALLOWER, .failed { color: var(--bad); font-weight: 600; }\n"
    ".NOT_RESOLVED, .VACUOUS, .STEEPER { color: var(--open); font-weight: 600; }\n"
    "label { display: block; margin: .5rem 0; } input { font: inherit; padding: .3rem .5rem; width: min(24rem, 100%);\n"
    "  color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: .25rem; }\n"
    "figure { margin: 1rem 0; } figure svg { background: #ffffff; max-width: 100%; height: auto;\n"
    "  border-radius: .25rem; font-family: \"DejaVu Sans\", Verdana, sans-serif; }\n"
    ".hit { fill: #000000; fill-opacity: 0; }\n"
    ".hit:hover { fill-opacity: .15; }\n"
    "details { margin: .75rem 0; } summary { cursor: pointer; } pre { background: var(--raised); padding: .75rem;\n"
    "  overflow-x: auto; font-size: .8125rem; } dl { display: grid;\n"
    "  grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; }\n"
    ".long { min-width: 18rem; } dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }\n"
    "footer { color: var(--soft); padding-bottom: 2rem; }\n"
    "@media (max-width: 40rem) { body { font-size: 15px; } dl { grid-template-columns: minmax(0, 1fr); }\n"
    "  dd { margin-bottom: .5rem; } }\n"
    "@media print { nav, label { display: none; } details > * { display: block; } }\n";

static const char script[] =
    "\"use strict\";\n"
    "for (const table of document.querySelectorAll(\"table\")) {\n"
    "  const body = table.tBodies[0], heads = table.tHead.rows[0].cells;\n"
    "  for (let i = 0; i != heads.length; i++) {\n"
    "    const button = heads[i].querySelector(\"button\");\n"
    "    button.addEventListener(\"click\", () => {\n"
    "      const down = heads[i].getAttribute(\"aria-sort\") === \"ascending\";\n"
    "      for (const head of heads) head.removeAttribute(\"aria-sort\");\n"
    "      heads[i].setAttribute(\"aria-sort\", down ? \"descending\" : \"ascending\");\n"
    "      const key = row => row.cells[i].dataset.value ?? row.cells[i].textContent;\n"
    "      const order = (a, b) => {\n"
    "        const x = key(a), y = key(b), u = parseFloat(x), v = parseFloat(y);\n"
    "        return isNaN(u) || isNaN(v) ? x.localeCompare(y) : u - v;\n"
    "      };\n"
    "      body.append(...[...body.rows].sort((a, b) => down ? order(b, a) : order(a, b)));\n"
    "    });\n"
    "  }\n"
    "}\n"
    "for (const input of document.querySelectorAll(\"input[data-table]\")) {\n"
    "  const rows = document.getElementById(input.dataset.table).querySelector(\"tbody\").rows;\n"
    "  input.addEventListener(\"input\", () => {\n"
    "    const words = input.value.toLowerCase().split(/\\s+/);\n"
    "    for (const row of rows)\n"
    "      row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));\n"
    "  });\n"
    "}\n";

void sp_html_begin(sp_text *out, const char *title)
{
    sp_text_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
    sp_html_text(out, title);
    sp_text_add_text(out, "</title>\n<style>\n");
    sp_text_add(out, style, sizeof style - 1);
    sp_text_add_text(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">To the content</a>\n");
}

void sp_html_end(sp_text *out)
{
    sp_text_add_text(out, "<script>\n//<![CDATA[\n");
    sp_text_add(out, script, sizeof script - 1);
    sp_text_add_text(out, "//]]>\n</script>\n</body>\n</html>\n");
}

void sp_html_table_begin(sp_text *out, const char *id, const char *caption, const char *const *column, size_t columns)
{
    sp_text_add_text(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    sp_html_text(out, caption);
    sp_text_append(out, id ? "\"><table id=\"%s\">\n<caption>" : "\"><table>\n<caption>", id);
    sp_html_text(out, caption);
    sp_text_add_text(out, "</caption>\n<thead><tr>");
    for (size_t c = 0; c < columns; c++) {
        sp_text_add_text(out, "<th scope=\"col\"><button type=\"button\">");
        sp_html_text(out, column[c]);
        sp_text_add_text(out, "</button></th>");
    }
    sp_text_add_text(out, "</tr></thead>\n<tbody>\n");
}

void sp_html_table_end(sp_text *out)
{
    sp_text_add_text(out, "</tbody>\n</table></div>\n");
}
