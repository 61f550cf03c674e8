#!/bin/sh
# experiments/losses.lua at its smoke scale, where MNIST is present: every loss runs, within its budget; what is measured is
# there; and of flipped labels the start's accuracy is the share of one label, whatever the loss.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" data list | grep -q '^mnist .* here' || {
    echo "skipped: mnist is not on this machine (stillpoint data fetch mnist)"
    exit 77
}
"$STILLPOINT" run "$SOURCE/experiments/losses.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/losses.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["sweep"], $col["label"], $col["problem.loss"], text; bad++ }
    function number(x) { return x ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
    BEGIN {
        measure["flips"] = measure["mnist"] = "accuracy"
        measure["noise"] = "distance_to_minimiser"
        measure["proximal"] = "prox_gap"
        measure["neuron"] = measure["network"] = "objective"
    }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") { complain($col["message"]); next }
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        y = $col["sweep"] in measure ? measure[$col["sweep"]] : "excess_risk"
        if (!number($col[y]) || !($col[y] >= -1e-9)) complain(y " " $col[y])
        if (y == "accuracy" && !($col[y] <= 1)) complain(y " " $col[y])
        if (y == "accuracy" && $col["label"] == "start") {
            at = $col["sweep"] " " $col["problem.data.noise"] " " $col["replicate"]
            if (at in start && start[at] != $col[y]) complain("start " $col[y] " and " start[at])
            start[at] = $col[y]
        }
        losses[$col["problem.loss"]]
    }
    END { for (l in losses) kinds++; print rows " runs of " kinds " losses checked"; exit bad > 0 || kinds != 22 }' \
    runs.tsv || fail "values"
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    $col["points"] != 9 { print $col["label"], $col["points"]; bad++ }
    END { exit bad > 0 || NR == 1 }' $results/tuning.tsv || fail "grids"
