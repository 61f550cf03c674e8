/* page.c -- the frame of the report: its style for light, dark and narrow screens, and its script, which sorts and
 * filters tables, and says the numbers of points. See html.h. */
#include "core/report/html.h"

static const char style[] =
    ":root { color-scheme: light dark; --ink: #1d2126; --soft: #4d5661; --paper: #ffffff; --raised: #f3f5f7;\n"
    "  --line: #c9d0d7; --link: #0b57a4; --good: #14633a; --bad: #a11d1d; --open: #6b4a00; --fill: #2a8a57; --gap: #d9a62e;\n"
    "  --fault: #c23b3b; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --soft: #b3bcc6; --paper: #14171a;\n"
    "  --raised: #1e2327; --line: #3c444c; --link: #8cc2ff; --good: #7fd6a2; --bad: #ff9c93; --open: #f0cd7a; --fill: #4fb37f;\n"
    "  --gap: #b8892a; --fault: #e0645c; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0; background: var(--paper); color: var(--ink);\n"
    "  font: 16px/1.5 system-ui, \"DejaVu Sans\", sans-serif; }\n"
    "header, main, footer { max-width: 90rem; margin: 0 auto; padding: 0 1rem; }\n"
    "h1 { font-size: 1.8rem; line-height: 1.2; margin: 2rem 0 .5rem; }\n"
    "h2 { font-size: 1.4rem; margin: 3rem 0 .75rem; padding-top: .75rem; border-top: 2px solid var(--line); }\n"
    "h3 { font-size: 1.1rem; margin: 2.25rem 0 .5rem; } p, ul { max-width: 46rem; margin: .5rem 0; }\n"
    "a { color: var(--link); } a:focus-visible, button:focus-visible, summary:focus-visible, input:focus-visible,\n"
    "  pre:focus-visible, figure:focus-visible, .wide:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }\n"
    "nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0; max-width: none; }\n"
    "nav .top { font-size: 1.05rem; font-weight: 600; gap: .25rem 1.5rem; }\n"
    ".skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--paper); }\n"
    ".tiles { display: flex; flex-wrap: wrap; gap: .75rem; list-style: none; padding: 0; margin: 1rem 0; max-width: none; }\n"
    ".tiles li { background: var(--raised); border-left: 4px solid var(--line); border-radius: .25rem;\n"
    "  padding: .5rem 1rem; min-width: 8rem; }\n"
    ".tiles b { display: block; font-size: 1.75rem; line-height: 1.2; font-variant-numeric: tabular-nums; }\n"
    ".tiles .AGREES { border-color: var(--fill); } .tiles .NOT_RESOLVED, .tiles .VACUOUS { border-color: var(--gap); }\n"
    ".tiles .STEEPER { border-color: var(--link); } .tiles .SHALLOWER { border-color: var(--fault); }\n"
    ".bar { display: flex; width: 16rem; height: 1rem; margin: .2rem 0; border-radius: .25rem; overflow: hidden; }\n"
    ".bar span { border-right: 1px solid var(--paper); } .of_AGREES { background: var(--fill); }\n"
    ".of_NOT_RESOLVED { background: var(--gap); } .of_VACUOUS { background: var(--line); }\n"
    ".of_STEEPER { background: var(--link); } .of_SHALLOWER { background: var(--fault); }\n"
    ".wide { overflow: auto; margin: .75rem 0; max-height: 75vh; }\n"
    "table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }\n"
    "caption { text-align: left; color: var(--soft); padding: .25rem 0; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }\n"
    "tbody tr:hover { background: var(--raised); }\n"
    "thead th { background: var(--raised); white-space: nowrap; position: sticky; top: 0; }\n"
    "th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0;\n"
    "  cursor: pointer; }\n"
    "th[aria-sort=ascending] button::after { content: \" \\2191\"; }\n"
    "th[aria-sort=descending] button::after { content: \" \\2193\"; }\n"
    ".best { font-weight: 700; } td.AGREES { color: var(--good); font-weight: 600; }\n"
    "td.SHALLOWER, .failed { color: var(--bad); font-weight: 600; }\n"
    "td.NOT_RESOLVED, td.VACUOUS, td.STEEPER { color: var(--open); font-weight: 600; white-space: nowrap; }\n"
    "label { display: block; margin: .5rem 0; } input { font: inherit; padding: .3rem .5rem; width: min(24rem, 100%);\n"
    "  color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: .25rem; }\n"
    ".figures { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1rem; margin: 1rem 0; }\n"
    "figure { margin: 0; max-width: 100%; overflow-x: auto; } figure svg { background: #ffffff; max-width: 100%; height: auto;\n"
    "  min-width: min(var(--w), 40rem); border-radius: .25rem; font-family: \"DejaVu Sans\", Verdana, sans-serif; }\n"
    "@media (min-width: 75rem) { figure:not(:has(.broad)) { max-width: calc(50% - .5rem); } }\n"
    "@media (prefers-color-scheme: dark) { figure svg { filter: invert(.91) hue-rotate(180deg); } }\n"
    ".hit { r: 7px; fill: #000000; fill-opacity: 0; }\n"
    ".hit:hover, .hit.on { fill-opacity: .2; }\n"
    "#tip { position: fixed; z-index: 2; max-width: min(24rem, 90vw); padding: .35rem .6rem; border-radius: .25rem;\n"
    "  background: var(--ink); color: var(--paper); font-size: .875rem; pointer-events: none; }\n"
    "details { margin: .75rem 0; } summary { cursor: pointer; } pre { background: var(--raised); padding: .75rem;\n"
    "  overflow-x: auto; font-size: .8125rem; } dl { display: grid;\n"
    "  grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; max-width: 64rem; }\n"
    ".long { min-width: 16rem; } .whole { white-space: nowrap; } dt { color: var(--soft); }\n"
    "dd { margin: 0; min-width: 0; overflow-wrap: anywhere;\n"
    "  grid-column: 2; }\n"
    "footer { color: var(--soft); padding-bottom: 2rem; }\n"
    "@media (max-width: 40rem) { body { font-size: 15px; } h1 { font-size: 1.5rem; } .tiles { gap: .5rem; }\n"
    "  .tiles li { flex: 1 1 40%; } .bar { width: 9rem; } dl { grid-template-columns: minmax(0, 1fr); } dd { grid-column: 1;\n"
    "  margin-bottom: .5rem; } }\n"
    "@media print { nav, label { display: none; } details > * { display: block; } .wide { max-height: none; } }\n";

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
    "for (const table of document.querySelectorAll(\"table\")) {\n"
    "  const rows = table.tBodies[0].rows;\n"
    "  let input = document.querySelector(`input[data-table=\"${table.id}\"]`);\n"
    "  if (!input && rows.length >= 10) {\n"
    "    const label = document.createElement(\"label\");\n"
    "    input = document.createElement(\"input\");\n"
    "    input.type = \"search\";\n"
    "    input.setAttribute(\"aria-label\", `Show rows with (${table.caption.textContent})`);\n"
    "    label.append(\"Show rows with \", input);\n"
    "    table.closest(\".wide\").before(label);\n"
    "  }\n"
    "  input?.addEventListener(\"input\", () => {\n"
    "    const words = input.value.toLowerCase().split(/\\s+/);\n"
    "    for (const row of rows)\n"
    "      row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));\n"
    "  });\n"
    "}\n"
    "const tip = document.getElementById(\"tip\");\n"
    "let shown = null;\n"
    "const hide = () => {\n"
    "  if (shown) shown.classList.remove(\"on\");\n"
    "  shown = null;\n"
    "  tip.hidden = true;\n"
    "};\n"
    "const show = hit => {\n"
    "  const title = hit.querySelector(\"title\");\n"
    "  hide();\n"
    "  if (title) {\n"
    "    hit.dataset.words = title.textContent;\n"
    "    title.remove();\n"
    "  }\n"
    "  shown = hit;\n"
    "  hit.classList.add(\"on\");\n"
    "  tip.textContent = hit.dataset.words;\n"
    "  tip.hidden = false;\n"
    "  const at = hit.getBoundingClientRect(), size = tip.getBoundingClientRect();\n"
    "  tip.style.left = Math.max(4, Math.min(at.left, document.documentElement.clientWidth - size.width - 4)) + \"px\";\n"
    "  tip.style.top = (at.top > size.height + 8 ? at.top - size.height - 4 : at.bottom + 4) + \"px\";\n"
    "};\n"
    "document.addEventListener(\"pointerover\", event => {\n"
    "  const hit = event.target.closest(\".hit\");\n"
    "  if (hit) show(hit);\n"
    "  else hide();\n"
    "});\n"
    "document.addEventListener(\"scroll\", hide, true);\n"
    "for (const figure of document.querySelectorAll(\"figure\")) {\n"
    "  figure.addEventListener(\"blur\", hide);\n"
    "  figure.addEventListener(\"keydown\", event => {\n"
    "    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];\n"
    "    if (event.key === \"Escape\") hide();\n"
    "    if (!step) return;\n"
    "    const hits = [...figure.querySelectorAll(\".hit\")], at = hits.indexOf(shown);\n"
    "    if (hits.length === 0) return;\n"
    "    event.preventDefault();\n"
    "    show(hits[at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length]);\n"
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
    sp_text_add_text(out, "<div id=\"tip\" role=\"status\" hidden=\"hidden\"></div>\n<script>\n//<![CDATA[\n");
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
