#!/bin/sh
# The quickstart at its smoke scale, as a user runs it: tables, figures, exit code; every verb on what it left.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
experiment=$SOURCE/experiments/quickstart.lua

"$STILLPOINT" plan "$experiment" --scale smoke >plan.txt || fail "plan"
grep -q 'runs:' plan.txt || fail "plan has no count of runs"
[ ! -e results ] || fail "plan left something behind"

"$STILLPOINT" run "$experiment" --scale smoke -j 2 >run.txt 2>run.err || { cat run.err >&2; fail "run"; }
results=results/quickstart.smoke
for table in cells runs traces timings summary fits; do
    [ -s $results/$table.tsv ] || fail "$table.tsv is missing"
done
awk -F '\t' 'NR > 1 && $0 !~ /\tok\t/ { bad++ } END { exit bad > 0 }' $results/runs.tsv || fail "a run did not succeed"
[ -s plots/quickstart.smoke/rates.svg ] || fail "no rates.svg"
gnuplot -d -c "$SOURCE/plots/figure.gp" $results/figures/rates.tsv rates.png && [ -s rates.png ] || fail "no PNG by hand"
if "$STILLPOINT" data list | grep -q '^mushroom .* here'; then
    [ -s plots/quickstart.smoke/mushroom.svg ] || fail "no mushroom.svg"
else
    grep -q 'mushroom' run.err || fail "the absent data set was passed over in silence"
fi
if command -v xmllint >/dev/null; then xmllint --noout plots/quickstart.smoke/*.svg || fail "not well-formed SVG"; fi

# Export and plot again from what is there: the same bytes.
cp -r $results before
cp -r plots/quickstart.smoke plots_before
"$STILLPOINT" export "$experiment" --scale smoke --quiet || fail "export"
"$STILLPOINT" plot "$experiment" --scale smoke --quiet || fail "plot"
for table in cells runs traces summary fits; do cmp before/$table.tsv $results/$table.tsv || fail "$table.tsv changed"; done
cmp plots_before/rates.svg plots/quickstart.smoke/rates.svg || fail "the figure changed"
# Without figures the tables are the same, also where there is no gnuplot.
PATH=$PWD/nothing "$STILLPOINT" run "$experiment" --scale smoke --no-plot --quiet --root bare -j 2 2>run.err ||
    { cat run.err >&2; fail "run --no-plot"; }
for table in cells runs traces summary fits claims; do
    cmp before/$table.tsv bare/$results/$table.tsv || fail "--no-plot: $table.tsv is missing or another one"
done
[ ! -e bare/plots ] && [ ! -e bare/$results/figures ] || fail "--no-plot left figures behind"
# Figures need the tables alone.
rm $results/store.sqlite* $results/traces.tsv
"$STILLPOINT" plot "$experiment" --scale smoke --quiet || fail "plot without a store"
cp -r before/store.sqlite* $results/

"$STILLPOINT" status "$experiment" --scale smoke >status.txt || fail "status: not everything is done"
run=$(awk -F '\t' 'NR == 2 { print $1 }' $results/runs.tsv)
"$STILLPOINT" run --rerun "$experiment" "$run" --scale smoke >rerun.txt || fail "rerun $run"
# The rerun arrives at the stored number.
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "grad_norm") k = i } NR == 2 { print "grad_norm = " $k }' \
    $results/runs.tsv >expected.txt
grep -qxF "$(cat expected.txt)" rerun.txt || fail "rerun says $(grep grad_norm rerun.txt), the table $(cat expected.txt)"
