#!/bin/sh
# experiments/bodies.lua at its smoke scale: grids of one size, every private run within its budget; the loss is convex, so
# that at every answer in its body 0 <= F - F* <= the Frank-Wolfe gap, and descent without privacy arrives.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/bodies.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/bodies.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["sweep"], $col["label"], text; bad++ }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") { complain($col["message"]); next }
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        if (!($col["excess_risk"] >= -1e-12 && $col["excess_risk"] <= $col["fw_gap"] + 1e-12))
            complain("risk " $col["excess_risk"] ", gap " $col["fw_gap"])
        if ($col["label"] == "gd" && !($col["fw_gap"] <= 1e-8)) complain("gap " $col["fw_gap"])
    }
    END { print rows " runs checked"; exit bad > 0 || rows == 0 }' runs.tsv || fail "values"
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    $col["points"] != 9 { print $col["label"], $col["points"]; bad++ }
    END { exit bad > 0 || NR == 1 }' $results/tuning.tsv || fail "grids"
[ "$(cut -f 1,2 $results/skipped.tsv | sed 1d | sort -u | tr '\t\n' '/ ')" = \
    "l2_ball/noisy_fw l2_ball/poly_sfw lp_ball/noisy_fw lp_ball/poly_sfw " ] || fail "skipped are those that need vertices"
