#!/bin/sh
# summary: means, intervals, the best and the columns against a computation from the tables (summary.py); names that LaTeX
# would trip over; failed runs; a committed experiment in a folder without store and data.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
refused() {
    text=$1
    shift
    code=0
    "$STILLPOINT" table "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "summary $*: does not refuse with '$text'"; }
}
# agrees EXPERIMENT SWEEP MEASURE HIGHER POINTS COLUMNS
agrees() {
    "$STILLPOINT" table "$1" --sweep "$2" --measure "$3" >plain.txt || fail "summary $1"
    "$STILLPOINT" table "$1" --sweep "$2" --measure "$3" --format latex >latex.txt || fail "summary $1 --format latex"
    python3 -I "$SOURCE/tests/end_to_end/summary.py" "results/$1" plain.txt latex.txt "$2" "$3" "$4" "$5" "$6" ||
        { cat plain.txt latex.txt; fail "summary $*"; }
}

mkdir results
cp -r "$SOURCE/results/quickstart" "$SOURCE/results/kl" results/
find results -name '*.gz' -exec gzip -d {} +
agrees quickstart rates grad_norm no problem.n ""
agrees quickstart mushroom accuracy yes privacy.epsilon ""
agrees quickstart mushroom excess_risk no privacy.epsilon ""
"$STILLPOINT" table kl >/dev/null || fail "summary kl"
[ "$("$STILLPOINT" table quickstart | grep -c '^quickstart/')" -eq 4 ] || fail "not every sweep and measure"

# A delta that follows from n is no axis; a swept parameter has columns; without privacy a method stands at every epsilon.
cat >odd.lua <<'LUA'
return {
  seed = 5, replicates = 3, problem = { loss = "pseudo_huber", data = { "signs", mean = 0.3 }, n = { 100, 300 }, d = 4 },
  privacy = { epsilon = { 0.5, 1 }, delta = function (c) return 1 / c.n ^ 2 end },
  algorithms = { { "gd", label = "50% of_{x} & more", steps = 20 }, { "dp_gd", steps = { 2, 4 } },
                 { "dp_spider", parameters = "theory", privacy = { epsilon = 1 } } },
  measures = { "objective", "grad_norm" },
}
LUA
"$STILLPOINT" run odd.lua --quiet --no-plot -j 2 || fail "run"
agrees odd main grad_norm no problem.n,privacy.epsilon dp_gd=algorithm.steps
agrees odd main objective no problem.n,privacy.epsilon dp_gd=algorithm.steps
grep -qF '$n$ & $\varepsilon$ & 50\% of\_\{x\} \& more & dp\_gd steps=2 & dp\_gd steps=4 & dp\_spider \\' latex.txt ||
    { cat latex.txt >&2; fail "names"; }

sh "$SOURCE/tests/unsealed.sh" results/odd
# A failed run goes before any mean; a cell of which all failed says so; one of which one is left has no interval.
awk -F '\t' -v OFS='\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i }
    FILENAME == ARGV[1] { steps[$1] = $at[FILENAME, "algorithm.steps"]; n[$1] = $at[FILENAME, "problem.n"]; next }
    { c = $at[FILENAME, "cell"]; r = $at[FILENAME, "replicate"] }
    (steps[c] == 4 && n[c] == 300) || (steps[c] == 4 && r == 1) || (steps[c] == 2 && n[c] == 100 && r > 0) {
        $at[FILENAME, "status"] = "SP_ELIMIT"; $at[FILENAME, "grad_norm"] = $at[FILENAME, "objective"] = "NaN" }
    { print }' results/odd/cells.tsv results/odd/runs.tsv >runs.tsv
mv runs.tsv results/odd/
agrees odd main grad_norm no problem.n,privacy.epsilon dp_gd=algorithm.steps
grep -q 'failed' plain.txt || fail "nothing has failed"

# Failed is what compare, score and versus count as failed: not a run that lacks its reference value, nor a cell of which
# nobody has a number; but one that is infinite, or is none where another of its cell is one.
awk -F '\t' -v OFS='\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i }
    FILENAME == ARGV[1] { label[$1] = $at[FILENAME, "label"]; n[$1] = $at[FILENAME, "problem.n"]; next }
    { c = $at[FILENAME, "cell"]; r = $at[FILENAME, "replicate"]; y = at[FILENAME, "objective"] }
    label[c] ~ /^50/ && n[c] == 100 && r == 1 { $at[FILENAME, "status"] = "SP_EREFERENCE"; $y = "NaN" }
    label[c] ~ /^50/ && n[c] == 300 { $y = "NaN" }
    label[c] == "dp_spider" && n[c] == 100 && r == 0 { $y = "inf" }
    label[c] == "dp_spider" && n[c] == 300 && r == 2 { $y = "NaN" }
    { print }' results/odd/cells.tsv results/odd/runs.tsv >runs.tsv
mv runs.tsv results/odd/
agrees odd main objective no problem.n,privacy.epsilon dp_gd=algorithm.steps
grep -q 'not measured' plain.txt || fail "what nobody has a number of"
"$STILLPOINT" plot odd.lua >/dev/null || fail "plot"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["measure"] == "objective" && $at["label"] !~ /^dp_gd/ {
        print substr($at["label"], 1, 9), $at["problem.n"], $at["count"], $at["failed"] }' results/odd/summary.tsv | sort -u >counted.txt
printf '50%% of_{x 100 2 0\n50%% of_{x 300 0 0\ndp_spider 100 2 1\ndp_spider 300 2 1\n' | sort | cmp - counted.txt ||
    { cat counted.txt >&2; fail "summary.tsv counts other runs as failed"; }

refused "did you mean quickstart?" quikstart
refused "quickstart has no measure grad_nrm; did you mean grad_norm?" quickstart --measure grad_nrm
refused "quickstart has no sweep rate; did you mean rates?" quickstart --sweep rate
refused "quickstart: no run that measured this" quickstart --sweep rates --measure accuracy
refused "which experiment?"
refused "one experiment at a time" quickstart kl
