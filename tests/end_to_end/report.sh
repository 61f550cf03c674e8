#!/bin/sh
# `report`: one HTML file from tables and figures, the same bytes each time, well-formed, complete, readable by anyone
# (report.py); what is not there is said; all that is committed fits into 10 MB.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
keeps() { python3 -I "$SOURCE/tests/end_to_end/report.py" "$@"; }

cat >mine.lua <<'LUA'
-- mine.lua: a < b & "c"
return {
  question = "Is a < b & \"c\"?", source = "nobody's Theorem 1", seed = 7, replicates = 6,
  problem = { loss = "logistic", data = "logistic", n = { 200, 400, 800 }, d = 3 },
  privacy = { epsilon = 1, delta = 1e-5 },
  algorithms = { { "dp_gd", steps = 5 }, { "gd", steps = 5 }, { "start" } },
  measures = { "grad_norm", "excess_risk" },
  claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1, tolerance = 0.05, mode = "bound" } },
  figures = { { name = "rate", kind = "rate", x = "n", y = "grad_norm", title = "norms < 1" },
              { name = "both", kind = "trade_off", x = "n", y = { "grad_norm", "excess_risk" } } },
}
LUA
"$STILLPOINT" run mine.lua --no-audit --quiet
"$STILLPOINT" report mine.lua >said.txt || fail "report"
grep -q '^report.html: 1 experiments, [0-9.]* MB$' said.txt || fail "what was written"
keeps report.html results/mine/figures/rate.tsv results/mine/figures/both.tsv || fail "the page"
grep -q 'Is a &lt; b &amp; &quot;c&quot;?' report.html &&
    grep -q 'mine.lua: a &lt; b &amp; &quot;c&quot;$' report.html ||
    fail "the question, and the text"
grep -q 'class="[A-Z_]*">' report.html && grep -q 'aria-label="norms &lt; 1"' report.html || fail "verdict and figure"
grep -q '<h3 id="method-dp_gd">dp_gd</h3>' report.html || fail "the method"

"$STILLPOINT" report mine.lua --output again.html --quiet >said.txt
[ ! -s said.txt ] && cmp report.html again.html || fail "the same tables give other bytes"
rm plots/mine/both.svg
"$STILLPOINT" report mine.lua -o less.html >said.txt 2>left.txt || fail "without a figure"
grep -q 'left out: .*plots/mine/both.svg' left.txt || fail "what is left out"
keeps less.html results/mine/figures/rate.tsv || fail "the page without a figure"

# --- what cannot be made
code=0
sed 's/seed = 7/seed = 8/' mine.lua >other.lua
"$STILLPOINT" report other.lua -o other.html 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q 'none of these experiments was run yet' message.txt && [ ! -e other.html ] || fail "nothing was run"
"$STILLPOINT" report mine.lua other.lua -o other.html >said.txt 2>left.txt || fail "one of two was run"
grep -q 'left out: other.lua was not run (no ./results/other/runs.tsv)' left.txt || fail "which of two"
sed -i '$d' results/mine/fits.tsv
if "$STILLPOINT" report mine.lua -o torn.html 2>message.txt; then fail "tables that do not agree"; fi
grep -q 'results/mine: claims.tsv has 1 claims and fits.tsv 0' message.txt && [ ! -e torn.html ] || fail "which tables"

# --- all that is committed
"$STILLPOINT" report --root "$SOURCE" "$SOURCE"/experiments/*.lua -o all.html 2>left.txt >said.txt || fail "all experiments"
keeps all.html || fail "the page of all experiments"
[ "$(wc -c <all.html)" -le 10000000 ] || fail "more than 10 MB"

# Each method with the comment at the head of its source, to the letter; the claims about methods are all claims of theorems.
python3 -I - all.html "$SOURCE" <<'PY' || fail "the methods"
import glob, html, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
said = {}
for name, text in re.findall(r'<h3 id="method-[^"]*">([^<]*)</h3>(.*?)(?=<h3|</section>)', page, re.S):
    said[name] = text
assert len(said) > 40, f"only {len(said)} methods"
for name, text in said.items():
    source = open(f"{sys.argv[2]}/algorithms/{name}.c", encoding="utf-8").read()
    head = [re.sub(r"^ ?\*? ?", "", line, count=1) for line in source[2:source.index("*/")].split("\n")]
    shown = html.unescape(re.search(r"<pre[^>]*>(.*?)</pre>", text, re.S)[1])
    assert shown == "\n".join(head).strip(), f"{name}: {shown[:200]}"
claims = sum(int(n) for n in re.findall(r"of ([0-9]+) claims about it", page))
theorems = int(re.search(r"of the ([0-9]+) that are theorems'", page)[1])
assert claims == theorems > 50, f"{claims} claims about methods, {theorems} of theorems"
PY

# --- links to the manual, where it is said to be: pages and headings that are there
"$STILLPOINT" report mine.lua -o none.html --quiet 2>/dev/null || "$STILLPOINT" run mine.lua --no-audit --quiet
"$STILLPOINT" report mine.lua -o linked.html --manual "../a&b" --quiet || fail "--manual"
grep -o 'href="[^#][^"]*"' linked.html | sed 's/^href="\(.*\)"$/\1/' >links.txt
[ "$(grep -c . links.txt)" -eq 3 ] || { cat links.txt >&2; fail "links to the manual"; }
while read -r link; do
    case $link in '../a&amp;b/docs/'*) ;; *) fail "$link" ;; esac
    target=${link#'../a&amp;b/docs/'}
    file=$SOURCE/docs/${target%%.html*}.md
    [ -e "$file" ] || fail "$target is no page"
    case $target in *'#'*) grep -qx "### ${target#*'#'}" "$file" || fail "$target is no heading" ;; esac
done <links.txt
