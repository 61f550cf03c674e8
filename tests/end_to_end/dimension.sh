#!/bin/sh
# experiments/dimension.lua at its smoke scale: on a GLM what descent leaves does not go with d, and where there is
# curvature in every direction it does, as d^(1/4) by the theorem's schedule and as d^(1/2) after a number of steps.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/dimension.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/dimension.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["sweep"], $col["label"], $col["problem.d"], text; bad++ }
    function slope(key) { return log(sum[key, 256] / sum[key, 16]) / log(16) }
    function between(key, low, high) {
        print key, slope(key)
        if (!(slope(key) > low && slope(key) < high)) { print key, "is not in", low, high; bad++ }
    }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") complain($col["message"])
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        sum[$col["sweep"] " " $col["label"], $col["problem.d"]] += $col["grad_norm"]
    }
    END {
        between("glm dp_gd", -0.05, 0.05)
        between("isotropic dp_gd by theory", 0.2, 0.3)
        between("isotropic 200 steps, last", 0.4, 0.6)
        exit bad > 0 || rows != 105
    }' runs.tsv || fail "values"
code=0
"$STILLPOINT" check dimension.smoke --plain >check.tsv || code=$?
[ $code -le 2 ] || fail "check: exit code $code"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
    { claims++ }
    $k["exponent"] == "NaN" || $k["reason"] ~ /runs are there|runs failed|^no / { print $k["algorithm"], $k["reason"]; bad++ }
    END { exit bad > 0 || claims != 2 }' check.tsv || fail "a claim that cannot be judged"
