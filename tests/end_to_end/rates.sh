#!/bin/sh
# The experiments about rates at their smoke scale: every run succeeds, every claim is measured from its tables, every
# figure is there. The numbers are for the default scale; here each claim only has to get as far as a verdict's line.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

for name in ripple_ramps spider_theory quasar_convex warm_start kl population second_order_rates phased_sgd \
    tran_cutkosky dp_nsgd frank_wolfe liu_talwar prox_md; do
    experiment=$SOURCE/experiments/$name.lua
    "$STILLPOINT" run "$experiment" --scale smoke -j 2 --quiet 2>err.txt || { cat err.txt >&2; fail "run $name"; }
    results=results/$name.smoke
    [ "$(awk -F '\t' 'NR > 1' $results/runs.tsv | grep -vc '	ok	')" -eq 0 ] || fail "$name: a run did not succeed"

    code=0
    "$STILLPOINT" check $name.smoke --plain >check.tsv || code=$?
    [ $code -le 100 ] || fail "check $name: exit code $code"
    claims=$(($(wc -l <$results/claims.tsv) - 1))
    [ $claims -gt 0 ] && [ "$(($(wc -l <check.tsv) - 1))" -eq $claims ] || fail "$name: not a verdict a claim"
    # A number, and no complaint about what the experiment should have had: runs, starts, runs without noise.
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
        $k["exponent"] == "NaN" || $k["reason"] ~ /runs are there|runs failed|^no / {
            print $k["algorithm"], $k["y"], $k["reason"]; bad++ }
        END { exit bad > 0 }' check.tsv || fail "$name: a claim that cannot be judged"
    for figure in $results/figures/*.tsv; do
        figure=$(basename "$figure" .tsv)
        [ -s plots/$name.smoke/$figure.svg ] || fail "$name: no figure $figure"
        [ "${figure#path}" != "$figure" ] || [ $figure = phase ] || # trajectories, and an example without a claim
            grep -Eq 'theory|bound' $results/figures/$figure.tsv || fail "$name: figure $figure has no line of a claim"
    done
done

sh "$SOURCE/tests/joined.sh" results/phased_sgd.smoke >joined.tsv
# One pass: phased_sgd takes less than n gradients, and nothing else.
awk -F '\t' 'FNR == 1 { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["algorithm"] != "phased_sgd" { next }
    !($at["gradients"] < $at["problem.n"]) || $at["differences"] + $at["hessians"] + $at["losses"] > 0 { bad++ }
    END { exit NR < 2 || bad > 0 }' joined.tsv || fail "phased_sgd: more than one pass"
