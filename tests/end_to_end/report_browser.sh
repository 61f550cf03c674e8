#!/bin/sh
# `report` in a browser: nothing to say on its console, no sideways scrolling at a phone's width, columns that sort, rows that
# filter (of the claims, and of every table of ten rows and more), and numbers of points under the pointer and by keyboard, in
# the light and in the dark. Passed over where Debian's chromium is not there.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
command -v chromium >/dev/null || { echo "skipped: chromium is not there (Debian: chromium)"; exit 77; }

cat >mine.lua <<'LUA'
return {
  question = "Does the rate show, in a browser?", source = "nobody's Theorem 1", seed = 7, replicates = 6,
  problem = { loss = "logistic", data = "logistic", n = { 200, 400, 800 }, d = 3 },
  privacy = { epsilon = 1, delta = 1e-5 },
  algorithms = { { "dp_gd", steps = 5 }, { "gd", steps = 5 }, { "start" } },
  measures = { "grad_norm", "excess_risk" },
  claims = {
    { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1, tolerance = 0.05, mode = "bound" },
    { algorithm = "dp_gd", y = "excess_risk", x = "n", exponent = -2/3, tolerance = 0.05, mode = "bound" },
  },
  figures = { { name = "rate", kind = "rate", x = "n", y = "grad_norm", title = "norms < 1" } },
}
LUA
cat >long.lua <<'LUA'
local epsilons = {}
for i = 1, 12 do epsilons[i] = i / 4 end
return { question = "Does a long table filter?", seed = 7, replicates = 2,
         problem = { loss = "logistic", data = "logistic", n = 100, d = 2 }, privacy = { epsilon = epsilons, delta = 1e-5 },
         algorithms = { { "dp_gd", steps = 2 } }, measures = { "grad_norm" } }
LUA
for file in mine.lua long.lua; do "$STILLPOINT" run $file --no-audit --quiet; done
"$STILLPOINT" report mine.lua long.lua --quiet

# What a reader would do, written where --dump-dom shows it.
cat >acts.txt <<'JS'
<script>
addEventListener("load", () => {
  const wrong = [], need = (truth, text) => { if (!truth) wrong.push(text); };
  const page = document.documentElement, claims = document.getElementById("claims"), tip = document.getElementById("tip");
  need(page.scrollWidth <= innerWidth, "scrolls sideways: " + page.scrollWidth + " of " + innerWidth);
  const heads = [...claims.tHead.rows[0].cells], at = heads.findIndex(h => h.textContent === "claimed");
  const claimed = () => [...claims.tBodies[0].rows].map(row => row.cells[at].textContent).join(" ");
  heads[at].querySelector("button").click();
  need(claimed() === "-1 -2/3" && heads[at].getAttribute("aria-sort") === "ascending", "sorted: " + claimed());
  heads[at].querySelector("button").click();
  need(claimed() === "-2/3 -1" && heads[at].getAttribute("aria-sort") === "descending", "sorted back: " + claimed());
  const input = document.querySelector("input[data-table=claims]");
  const left = words => {
    input.value = words;
    input.dispatchEvent(new Event("input"));
    return [...claims.tBodies[0].rows].filter(row => row.offsetHeight > 0).length;
  };
  need(left("EXCESS_risk dp_gd") === 1 && left("nobody at all") === 0 && left("") === 2, "filtered");
  const made = document.querySelectorAll("label input:not([data-table])");
  need(made.length === 1, "tables of an experiment that filter: " + made.length);
  const rows = made[0]?.closest("label").nextElementSibling.querySelector("tbody").rows ?? [];
  const shown = words => {
    made[0].value = words;
    made[0].dispatchEvent(new Event("input"));
    return [...rows].filter(row => row.offsetHeight > 0).length;
  };
  need(rows.length === 12 && shown("2.25") === 1 && shown("") === 12, "an experiment's table filtered");
  const figure = document.querySelector("figure"), hits = figure.querySelectorAll(".hit");
  const first = hits[0].querySelector("title").textContent;
  need(tip.offsetHeight === 0, "a hint before it is asked for");
  hits[0].dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  need(tip.offsetHeight > 0 && tip.textContent === first && / = \d/.test(first), "under the pointer: " + tip.textContent);
  document.body.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  need(tip.offsetHeight === 0, "a hint that stays");
  figure.focus();
  need(document.activeElement === figure, "a figure without focus");
  const press = key => figure.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  press("ArrowRight");
  need(tip.textContent === first && tip.offsetHeight > 0, "by keyboard: " + tip.textContent);
  press("ArrowLeft");
  need(tip.textContent === hits[hits.length - 1].dataset.words, "by keyboard, back: " + tip.textContent);
  press("Escape");
  need(tip.offsetHeight === 0, "a hint after Escape");
  for (const e of document.querySelectorAll("a, button, input, summary, [tabindex]"))
    need(e.tabIndex === 0, e.outerHTML.slice(0, 80) + " is not reached by keyboard");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.title = (dark ? "dark " : "light ") + (wrong.length ? "WRONG: " + wrong.join("; ") : "all well");
});
</script>
</body>
JS
awk '$0 == "</body>" { while ((getline line <"acts.txt") > 0) print line; next } { print }' report.html >acted.html

# shown SCHEME: the page 390 pixels wide, light (1) or dark (0); what the console says is in SCHEME.log
shown() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$PWD/profile.$1" --enable-logging=stderr --window-size=390,800 \
        --blink-settings="preferredColorScheme=$2" --dump-dom "file://$PWD/acted.html" >"$1.html" 2>"$1.log" </dev/null ||
        { tail -n 5 "$1.log"; echo "skipped: chromium does not start"; exit 77; }
    grep -o '<title>[^<]*</title>' "$1.html" | head -n 1 >title.txt
    grep -qx "<title>$1 all well</title>" title.txt || { cat title.txt >&2; fail "$1"; }
    ! grep 'CONSOLE' "$1.log" >&2 || fail "the console, $1"
}
shown light 1
shown dark 0
