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

# --- figures of many methods over many problems
cat >scored.lua <<'LUA'
local function sweep(loss, data)
  return { problem = { loss = loss, data = data, n = 200, d = 3, domain = { "l2_ball", radius = 2 } },
           algorithms = { { "dp_gd", tune = { steps = { 2, 5 } } }, { "dp_ngd", tune = { steps = { 2, 5 } } }, { "start" } } }
end
local e = { question = "Which one?", seed = 7, replicates = 2, tuning_replicates = 1, measures = { "excess_risk" },
  privacy = { epsilon = { 0.5, 2 }, delta = 1e-5 },
  sweeps = { a = sweep("pseudo_huber", { "signs", mean = 0.3 }), b = sweep("sin_pl", { "signs", mean = 0.4 }),
             c = sweep("logistic", "logistic") } }
e.sweeps.a.figures = {
  { name = "square", kind = "dominance", across = true, y = "excess_risk" },
  { name = "grids", kind = "search", across = true, y = "excess_risk" },
  { name = "price", kind = "utility", across = true, y = "excess_risk" },
}
return e
LUA
"$STILLPOINT" run scored.lua --no-audit --quiet && "$STILLPOINT" report scored.lua -o scored.html --quiet || fail "a report of scores"
keeps scored.html results/scored/figures/square.tsv results/scored/figures/grids.tsv results/scored/figures/price.tsv ||
    fail "the page of scores"

# --- what cannot be made
code=0
sed 's/seed = 7/seed = 8/' mine.lua >other.lua
"$STILLPOINT" report other.lua -o other.html 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q 'none of these experiments was run yet' message.txt && [ ! -e other.html ] || fail "nothing was run"
"$STILLPOINT" report mine.lua other.lua -o other.html >said.txt 2>left.txt || fail "one of two was run"
grep -q 'left out: other.lua was not run (no ./results/other/runs.tsv)' left.txt || fail "which of two"
sed -i '$d' results/mine/fits.tsv
if "$STILLPOINT" report mine.lua -o torn.html 2>message.txt; then fail "tables that do not agree"; fi
grep -q 'results/mine/fits.tsv: changed since it was made' message.txt && [ ! -e torn.html ] || fail "which tables"

# --- without a claim
"$STILLPOINT" report --root "$SOURCE" "$SOURCE/experiments/losses.lua" -o none.html --quiet || fail "without a claim"
grep -q '<p>None of these experiments claims an exponent.</p>' none.html && keeps none.html &&
    ! grep -q 'data-table="claims"' none.html || fail "the page without a claim"
rm none.html

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

# What the sections say, against the tables: claims of each paper, what contradicts a theorem, the methods of each experiment
# with what they spent, and the standing of methods over many problems, which comes between verdicts and experiments.
"$STILLPOINT" compare --score matrix --root "$SOURCE" --plain >scores.tsv || fail "score"
python3 -I - all.html "$SOURCE" scores.tsv <<'PY' || fail "what the sections say"
import collections, csv, glob, gzip, html, math, os, re, sys
page = open(sys.argv[1], encoding="utf-8").read()


def read(path):
    file = gzip.open(path + ".gz", "rt", encoding="utf-8") if os.path.exists(path + ".gz") else open(path, encoding="utf-8")
    with file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def rows(caption, text):
    table = re.search(r"<caption>" + caption + r".*?<tbody>(.*?)</tbody>", text, re.S)[1]
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
            for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)]


fits = [r for path in sorted(glob.glob(sys.argv[2] + "/results/*/fits.tsv")) for r in read(path)]
theorems = [r for r in fits if r["origin"] == "theorem"]
papers = rows("The claims of theorems, a row a paper", page)
words = collections.Counter(r["verdict"] for r in theorems)
for column, word in enumerate(["AGREES", "NOT_RESOLVED", "VACUOUS", "STEEPER", "SHALLOWER"], 3):
    assert sum(int(row[column]) for row in papers) == words[word], word
assert sum(int(row[1]) for row in papers) == len(theorems)
lowy = [r for r in theorems if r["source"].startswith("Lowy, Ullman & Wright 2024")]
assert [row[1] for row in papers if row[0] == "Lowy, Ullman & Wright 2024"] == [str(len(lowy))]
against = re.search(r"What contradicts a theorem</h3>(.*?)<h3>", page, re.S)[1]
assert against.count("<li>") == words["SHALLOWER"], "contradictions"
for r in theorems:
    if r["verdict"] == "SHALLOWER":
        end = r["tail"] if r["mode"] == "bound" else r["exponent"]
        assert html.escape(r["source"]) in against and f"the power {float(end):.3f} [" in against, r["source"]
        assert r["reason"] == "-" or r["reason"] in html.unescape(against), r["reason"]

order = [page.index(f'id="{name}"') for name in ("verdicts", "which", "experiment-matrix", "experiments", "experiment-kl",
                                                 "methods", "method-dp_gd")]
assert order == sorted(order), "the order of the sections"
for name in ("kl", "warm_start", "matrix"):
    text = re.search(rf'<h3 id="experiment-{name}">.*?</section>', page, re.S)[0]
    cells = {r["cell"]: r for r in read(f"{sys.argv[2]}/results/{name}/cells.tsv")}
    runs = collections.defaultdict(list)
    for r in read(f"{sys.argv[2]}/results/{name}/runs.tsv"):
        cell = cells[r["cell"]]
        runs[cell["label"], cell["algorithm"]].append({**cell, **r})
    shown = {(row[0], row[1]): row for row in rows("Methods over all sweeps", text)}
    assert shown.keys() == runs.keys(), name
    for key, of in runs.items():
        spent = [float(r["epsilon_spent"]) / float(r["privacy.epsilon"]) for r in of
                 if r["privacy.epsilon"] != "-" and r["epsilon_spent"] not in ("-", "NaN", "inf")]
        row = shown[key]
        assert int(row[3]) == len(of) and int(row[4]) == sum(r["status"] != "ok" for r in of), (name, key)
        assert (row[5] == "") == (not spent) and (not spent or abs(float(row[5]) - max(spent)) < 1e-5), (name, key, row)
        assert set(row[6].split(", ")) - {""} == {r["bound"] for r in of} - {"-"}, (name, key, row[6])
        for column in of[0]:
            values = {r[column] for r in of} - {"-"}
            if column.startswith("algorithm.") and len(values) == 1:
                value = values.pop()
                try:
                    value = f"{float(value):.4g}"
                except ValueError:
                    pass
                assert f"{column[10:]} = {value}" in row[2], (name, key, column, row[2])

scores = {r["label"]: r for r in csv.DictReader(open(sys.argv[3]), delimiter="\t")}
matrix = re.search(r'<h3 id="experiment-matrix">.*?</section>', page, re.S)[0]
standing = {row[0]: row for row in rows("excess_risk: ", matrix)}
assert standing.keys() == scores.keys()
for label, r in scores.items():
    assert standing[label][3].split()[0] == f"{100 * float(r['near']):.3g}", label
    assert math.isclose(float(standing[label][6].split()[0]), float(r["rank"]), rel_tol=6e-3, abs_tol=1e-9), label
near = [100 * float(r["near"]) for r in scores.values()]
assert [float(row[3].split()[0]) for row in rows("excess_risk: ", matrix)] == [float(f"{v:.3g}") for v in sorted(near)[::-1]]
PY

# --- links to the manual, where it is said to be: pages and headings that are there
"$STILLPOINT" report mine.lua -o none.html --quiet 2>/dev/null || "$STILLPOINT" run mine.lua --no-audit --quiet
"$STILLPOINT" report mine.lua -o linked.html --manual "../a&b" --quiet || fail "--manual"
grep -o 'href="[^#][^"]*"' linked.html | sed 's/^href="\(.*\)"$/\1/' >links.txt
[ "$(grep -c . links.txt)" -eq 3 ] || { cat links.txt >&2; fail "links to the manual"; }
while read -r link; do
    case $link in '../a&amp;b/docs/'*) ;; *) fail "$link" ;; esac
    target=${link#'../a&amp;b/docs/'}
    file=$SOURCE/docs/${target%%#*}
    [ -e "$file" ] || fail "$target is no page"
    case $target in *'#'*) grep -qx "### ${target#*'#'}" "$file" || fail "$target is no heading" ;; esac
done <links.txt
