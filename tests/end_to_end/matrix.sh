#!/bin/sh
# experiments/matrix.lua at its smoke scale, where the data are present: every method that is registered is in it, each is
# measured somewhere or skipped everywhere with its reason, grids have one size, every private run is within its budget.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

for set in mushrooms a9a spambase ijcnn1 covtype; do
    "$STILLPOINT" data list | grep -q "^$set .* here" || {
        echo "skipped: $set is not on this machine (stillpoint data fetch $set)"
        exit 77
    }
done
"$STILLPOINT" run "$SOURCE/experiments/matrix.lua" --scale smoke --allow-skipped -j 2 --quiet --no-plot || fail "run"
results=results/matrix.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["sweep"], $col["label"], text; bad++ }
    function number(x) { return x ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") { complain($col["message"]); next }
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        if (!number($col["excess_risk"]) || !number($col["start.excess_risk"])) complain("risk " $col["excess_risk"])
        if ($col["sweep"] ~ /^(logistic|sigmoid|hinge)_/ && !($col["accuracy"] >= 0 && $col["accuracy"] <= 1))
            complain("accuracy " $col["accuracy"])
        if ($col["sweep"] !~ /^(hinge|absolute)_/ && !number($col["hessian_min_eigenvalue"]))
            complain("eigenvalue " $col["hessian_min_eigenvalue"])
        print $col["label"] >"measured.txt"
    }
    END { print rows " runs checked"; exit bad > 0 || rows == 0 }' runs.tsv || fail "values"

cut -f 2 $results/skipped.tsv | sed 1d >skipped.txt
for name in $("$STILLPOINT" list algorithms --plain); do
    cat measured.txt skipped.txt | grep -qx "$name" || fail "$name is not in experiments/matrix.lua"
done
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next } $col["reason"] == "" || $col["reason"] == "-" { print; bad++ }
    END { exit bad > 0 }' $results/skipped.tsv || fail "skipped without a reason"

# The experiment itself: grids of one size, whatever the method.
"$STILLPOINT" plan "$SOURCE/experiments/matrix.lua" >plan.txt || fail "plan"
awk '$1 == "tuning" && $4 == "runs" && !($3 in sizes) { sizes[$3]; kinds++ } END { exit kinds != 1 }' plan.txt ||
    fail "grids of more than one size"
