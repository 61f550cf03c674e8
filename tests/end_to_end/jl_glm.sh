#!/bin/sh
# experiments/jl_glm.lua at its smoke scale: as many releases at every d, n and epsilon, the projection to k = 8, a start
# in a region of negative curvature that every run leaves, and a number for every claim.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/jl_glm.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/jl_glm.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["sweep"], $col["label"], text; bad++ }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        label = $col["label"]; rows++
        if ($col["status"] != "ok") complain($col["message"])
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        if (label ~ /^jl_glm/ && " " $col["resolved"] !~ / k=8:/) complain($col["resolved"])
        if (label ~ /^(dp_gd|jl_glm)( without noise)?$/ && $col["releases"] != 200) complain($col["releases"] " steps")
        if (label == "start" && !($col["hessian_min_eigenvalue"] < -0.12)) complain($col["hessian_min_eigenvalue"])
        if (label == "dp_gd" && !($col["hessian_min_eigenvalue"] > -0.01)) complain($col["hessian_min_eigenvalue"])
        sum[label] += $col["grad_norm"]
    }
    END {
        if (!(sum["dp_gd"] > 10 * sum["dp_gd without noise"])) { print "dp_gd: no noise"; bad++ }
        print rows " runs checked"
        exit bad > 0 || rows != 206
    }' runs.tsv || fail "values"

code=0
"$STILLPOINT" check jl_glm.smoke --plain >check.tsv || code=$? # four replicates are too few to resolve
[ $code -le 100 ] || fail "check: exit code $code"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
    { claims++ }
    $k["exponent"] == "NaN" || $k["reason"] ~ /runs are there|runs failed|^no / {
        print $k["algorithm"], $k["x"], $k["reason"]; bad++ }
    END { exit bad > 0 || claims != 7 }' check.tsv || fail "a claim that cannot be judged"
for figure in dimension records budget path; do
    [ -s plots/jl_glm.smoke/$figure.svg ] || fail "no figure $figure"
done
