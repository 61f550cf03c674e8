#!/bin/sh
# Two methods of the quickstart held against each other, as a user does it: after a run, from the tables alone.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# codes EXPECTED WORDS...: runs compare, leaves its output in out.txt and err.txt.
codes() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" compare "$@" >out.txt 2>err.txt || code=$?
    [ $code -eq "$expected" ] || { cat out.txt err.txt >&2; fail "compare $*: exit code $code, expected $expected"; }
}
says() { grep -qF -- "$1" "$2" || { cat "$2" >&2; fail "$2 does not say '$1'"; }; }

codes 2 quickstart gd
says "no tables there yet" err.txt
"$STILLPOINT" run "$SOURCE/experiments/quickstart.lua" --scale smoke --no-plot --quiet -j 1 || fail "run"

sh "$SOURCE/tests/joined.sh" results/quickstart.smoke >joined.tsv

# What makes runs pairs: at the start, before their own noise, methods of one replicate measure the same; replicates do
# not, for their records differ.
awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
             FILENAME == ARGV[1] { n[$1] = $at[FILENAME, "problem.n"]; w0[$1] = $at[FILENAME, "start.grad_norm"]; next }
             $at[FILENAME, "sweep"] == "rates" && $at[FILENAME, "step"] == 0 {
                 key = n[$1] " " $at[FILENAME, "replicate"]; y = $at[FILENAME, "grad_norm"]
                 if (y != w0[$1]) bad++
                 if (key in start && start[key] != y) bad++
                 if (!(key in start)) starts++
                 start[key] = y; others[y]; same[key]++ }
             END { for (key in same) bad += same[key] != 5
                   for (y in others) values++
                   exit !(bad == 0 && starts == 12 && values == 12) }' \
    joined.tsv results/quickstart.smoke/traces.tsv || fail "pairs do not start alike"

# Three sizes, four replicates; a method without noise is better than its own noise.
codes 0 quickstart dp_gd "dp_gd noise-free" dp_spider --scale smoke --measure grad_norm
for n in 1000 3000 10000; do
    grep -q "^quickstart.smoke/rates better      dp_gd noise-free / dp_gd: grad_norm at n=$n: [0-9.e-]* \[.*\], p = .* (4 pairs)\$" out.txt ||
        { cat out.txt >&2; fail "n=$n"; }
done
says " over 4 replicates, better with probability 1; of 3 points 3 better, 0 worse" out.txt
grep -Eq '^quickstart.smoke dp_spider / dp_gd: grad_norm [0-9.]+ .*; of [36] points . better, . worse' out.txt ||
    fail "the summary of a label in two sweeps" # three where the mushrooms are not on this machine

# The same bytes again, also from the table alone, elsewhere, whatever else is asked for.
cp out.txt before.txt
codes 0 experiments/quickstart.lua dp_gd "dp_gd noise-free" dp_spider --scale smoke --measure grad_norm
cmp before.txt out.txt || fail "not the same bytes"
mkdir -p elsewhere/results/quickstart.smoke
cp results/quickstart.smoke/cells.tsv results/quickstart.smoke/runs.tsv elsewhere/results/quickstart.smoke/
codes 0 --root elsewhere results/quickstart.smoke/ dp_gd dp_spider --measure grad_norm
grep 'dp_spider / dp_gd' before.txt | cmp - out.txt || fail "not the same bytes elsewhere"
codes 0 quickstart dp_gd --scale smoke
while read -r line; do says "$line" out.txt; done <before.txt
codes 0 quickstart dp_gd --scale smoke --quiet
! grep -q '/rates' out.txt || fail "--quiet prints points"
says "dp_spider / dp_gd: grad_norm " out.txt

# The table holds what the means say: logarithms of rows of runs.tsv, averaged by hand.
codes 0 quickstart dp_gd dp_spider --scale smoke --measure grad_norm --plain
head -1 out.txt | grep -q '^experiment	sweep	label	base	measure	at	scale	test	estimate	' || fail "--plain has no head"
awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
             FILENAME == ARGV[1] { if ($at["sweep"] == "rates" && $at["problem.n"] == 3000)
                                       sum[$at["label"]] += log($at["grad_norm"]) / 4; next }
             $2 == "rates" && $6 == "n=3000" { found = 1; off = log($9) - (sum["dp_spider"] - sum["dp_gd"]) }
             END { exit !(found && off < 1e-12 && off > -1e-12) }' joined.tsv out.txt ||
    fail "the ratio of the means at n=3000"

# Methods without privacy have one cell: held against every epsilon (where the mushrooms are on this machine).
if grep -q '	mushroom	gd	' results/quickstart.smoke/cells.tsv; then
    codes 0 quickstart gd dp_gd --scale smoke --measure accuracy
    for epsilon in 0.5 2 8; do says "dp_gd / gd: accuracy at epsilon=$epsilon: " out.txt; done
    codes 2 quickstart gd "dp_gd noise-free" --scale smoke
    says "quickstart.smoke: dp_gd noise-free and gd share no point" err.txt
fi

# A run that is not there, and one that failed, are told.
sh "$SOURCE/tests/unsealed.sh" elsewhere/results/quickstart.smoke
awk -F '\t' -v OFS='\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i }
    FILENAME == ARGV[1] { n[$1] = $at[FILENAME, "problem.n"]; label[$1] = $at[FILENAME, "label"]; next }
    { cell = $at[FILENAME, "cell"]; replicate = $at[FILENAME, "replicate"] }
    label[cell] == "dp_spider" && n[cell] == 1000 && replicate == 1 { next }
    label[cell] == "dp_gd" && n[cell] == 1000 && replicate == 2 { $at[FILENAME, "status"] = "SP_ELIMIT" }
    { print }' elsewhere/results/quickstart.smoke/cells.tsv elsewhere/results/quickstart.smoke/runs.tsv >runs.tsv
mv runs.tsv elsewhere/results/quickstart.smoke/runs.tsv
codes 0 --root elsewhere --scale smoke quickstart dp_gd dp_spider --measure grad_norm
grep -q 'rates .* n=1000: .* (3 pairs, sign test; runs: 1 failed, 1 missing)$' out.txt || { cat out.txt >&2; fail "missing"; }

# A margin and a family.
codes 0 quickstart dp_gd dp_spider --scale smoke --measure grad_norm --plain
! grep -q "equivalent$" out.txt || fail "equivalent within 5 %"
codes 0 quickstart dp_gd dp_spider --scale smoke --measure grad_norm --plain --margin 0.9
grep -q "equivalent$" out.txt || fail "not even equivalent within 90 %"
codes 2 quickstart dp_gd --margin 1.5
codes 0 quickstart dp_gd dp_spider --scale smoke --measure grad_norm --worst n
says "dp_spider / dp_gd: grad_norm (worst of n)" out.txt
codes 2 quickstart dp_gd dp_spider --scale smoke --worst loss.slop
says "loss.slop is no axis of this experiment" err.txt

# What is mistyped is named, with the nearest name.
codes 2 quikstart dp_gd --scale smoke
says "did you mean quickstart?" err.txt
codes 2 quickstart dp_gb --scale smoke
says "quickstart.smoke has no label dp_gb; did you mean dp_gd?" err.txt
codes 2 quickstart dp_gd dp_spyder --scale smoke
says "did you mean dp_spider?" err.txt
codes 2 quickstart dp_gd nothing_like_it --scale smoke
says "it has: " err.txt
codes 2 quickstart dp_gd --measure grad_nrm --scale smoke
says "quickstart.smoke has no measure grad_nrm; did you mean grad_norm?" err.txt
codes 2 quickstart dp_gd dp_gd --scale smoke
says "dp_gd is what the others are compared with" err.txt
codes 2
says "which experiment?" err.txt
codes 2 quickstart
says "compare with which label?" err.txt
echo garbage >elsewhere/results/quickstart.smoke/runs.tsv
codes 1 --root elsewhere quickstart dp_gd --scale smoke
says "no column cell" err.txt
