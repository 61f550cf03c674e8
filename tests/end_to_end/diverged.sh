#!/bin/sh
# diverged: a run that goes where the gradient vanishes is flagged, and no table, ranking, tuning or claim takes its small
# gradient for a success; runs that do what they should, that stand still, or that are convex, are not.
set -eu
fail() { echo "FAILED: $*" >&2; cat out.txt >&2; exit 1; }

cat >leap.lua <<'LUA'
algorithm{ name = "leap", params = { steps = 3, reach = 3e5 }, run = function (o, p, w)
  local m = o:calibrate{ { kind = "gradient", count = p.steps } }
  local all = o:draw("full")
  for t = 1, p.steps do
    w:add(-p.reach, o:gradient(all, w, m[1]))
    o:checkpoint(t, w)
  end
end }
return { seed = 23, replicates = 9, measures = { "grad_norm", "objective" }, privacy = { epsilon = 2, delta = 1e-6 },
  sweeps = {
    leaps  = { problem = { loss = "sigmoid", data = "logistic", n = { 700, 1500, 3100 }, d = 4 },
               algorithms = { "leap", { "dp_gd", steps = 15 }, { "start" },
                              { "dp_gd", steps = 15, label = "tuned", tune = { eta = { 2, 2e6 } } } },
               claims = { { algorithm = "leap", y = "grad_norm", x = "n", mode = "bound", exponent = -1/2 } } },
    convex = { problem = { loss = "logistic", data = "logistic", n = 700, d = 4 },
               algorithms = { { "dp_gd", steps = 15 }, { "start" } } },
  } }
LUA
"$STILLPOINT" run leap.lua -j 2 --no-audit --quiet >out.txt 2>&1 || true

# codes: label and code of each run, sorted, with how many
python3 - <<'PY' >out.txt || fail "the column diverged"
import csv, collections
read = lambda name: list(csv.DictReader(open("results/leap/" + name), delimiter="\t", quoting=csv.QUOTE_NONE))
cells = {c["cell"]: c for c in read("cells.tsv")}
found = collections.Counter()
for run in read("runs.tsv"):
    both = {**cells[run["cell"]], **run}
    found[both["sweep"], both["label"], both["diverged"]] += 1
for key, count in sorted(found.items()):
    print(*key, count)
assert found["leaps", "leap", "far"] == 27, "leap"
assert all(code == "-" for (sweep, label, code) in found if label != "leap"), "others"
for row in read("tuning.tsv"):
    assert row["winner"] == "eta=2", row["winner"]
PY
"$STILLPOINT" table leap >out.txt 2>&1 || fail "summary"
sed -n '/^leap\/leaps: grad_norm /,/^$/p' out.txt >norms.txt
[ "$(grep -Ec '^(700|1500|3100) .*\(9 diverged\)' norms.txt)" -eq 3 ] || fail "summary does not say what diverged"
if grep -q '\[-' norms.txt; then fail "the interval of a norm goes below 0"; fi
"$STILLPOINT" compare leap leap dp_gd --measure grad_norm --plain >out.txt 2>&1 || fail "compare"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["order"] != "better" { bad = 1 } END { exit bad || NR < 4 }' \
    out.txt || fail "compare: dp_gd is not better"
"$STILLPOINT" compare --score leap --measure grad_norm --plain >out.txt 2>&1 || fail "score"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["label"] == "leap" && $at["best"] == 0 && $at["failed"] == 27 { good = 1 } END { exit !good }' out.txt ||
    fail "score: leap is ranked"
"$STILLPOINT" check leap --plain >out.txt || true
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { word = $at["verdict"] } END { exit word != "NOT_RESOLVED" }' \
    out.txt || fail "check judges runs that diverged"
"$STILLPOINT" status leap.lua >out.txt 2>&1 || true
grep -q 'advice: leaps/leap: 27 of 27 runs diverged' out.txt || fail "no advice"
