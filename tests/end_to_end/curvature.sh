#!/bin/sh
# experiments/curvature.lua at its smoke scale, where the data is present: grids of one size, every private run within its
# budget, Newton steps that are counted, and certified levels below their alpha.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

if ! "$STILLPOINT" data list | grep -q '^ijcnn1 .* here' || ! "$STILLPOINT" data list | grep -q '^mushroom .* here'; then
    echo "skipped: ijcnn1 or mushroom is not on this machine (stillpoint data fetch ijcnn1)"
    exit 77
fi
"$STILLPOINT" run "$SOURCE/experiments/curvature.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/curvature.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["sweep"], $col["label"], text; bad++ }
    function resolved(key,    text) {
        text = " " $col["resolved"]
        return match(text, " " key "=[^: ]*") ? substr(text, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "-"
    }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") complain($col["message"])
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        if ($col["algorithm"] == "dp_newton") {
            steps = $col["algorithm.steps"]
            if ($col["hessians"] != steps * $col["problem.n"]) complain($col["hessians"] " Hessians")
            if ($col["gradients"] != 2 * steps * $col["problem.n"]) complain($col["gradients"] " gradients")
            if ($col["releases"] != 3 * steps) complain($col["releases"] " releases")
            if (!(resolved("ridge") > 0)) complain("ridge " resolved("ridge"))
        }
        if ($col["sweep"] == "promise" && $col["label"] == "dp_2ns") {
            certified++
            if (!($col["sosp_level"] <= resolved("bound")) || resolved("bound") != resolved("alpha"))
                complain("level " $col["sosp_level"] ", bound " resolved("bound"))
        }
    }
    END { print rows " runs checked"; exit bad > 0 || certified == 0 }' runs.tsv || fail "values"
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    $col["points"] != 20 { print $col["label"], $col["points"]; bad++ }
    END { exit bad > 0 || NR == 1 }' $results/tuning.tsv || fail "grids"
