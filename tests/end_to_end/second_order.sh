#!/bin/sh
# The experiment on second-order points at its smoke scale: what is promised is kept in every run, by the proved escape
# and by the published one; without noise nothing that draws none leaves an exact saddle, with noise everything does;
# the longer schedule promises less than the present one; the risk at hand-over is within psi.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/second_order.lua" --scale smoke -j 2 >out.txt 2>err.txt || {
    cat err.txt >&2
    fail "run"
}
results=results/second_order.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function resolved(key,   text) { # of a run; "" without it
        text = " " $col["resolved"]
        if (!match(text, " " key "=[^: ]*"))
            return ""
        return substr(text, RSTART + length(key) + 2, RLENGTH - length(key) - 2) + 0
    }
    function complain(text) { print $col["sweep"], $col["label"], $col["problem.n"], text; bad++ }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        sweep = $col["sweep"]; label = $col["label"]; level = $col["sosp_level"]; rows++
        if ($col["status"] != "ok") complain($col["message"])
        if (!($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)) && $col["private"] == "yes")
            complain("epsilon " $col["epsilon_spent"])
        g = resolved("accuracy") + resolved("second.accuracy")
        if (sweep != "path" && label ~ /kick|hessian|longer/) {
            promises++
            if (!(g > 0 && level <= 4 * g)) complain(level " above 4 g, g = " g)
        }
        if (sweep != "path" && label ~ /hessian|longer/ && resolved("passed") + resolved("second.passed") != 1)
            complain("not passed")
        if (sweep == "records" && (label == "hessian" || label == "longer")) promised[label, $col["problem.n"]] = 4 * g
        if (sweep == "records" && label == "longer") sizes[$col["problem.n"]] = 1
        if (sweep == "noise") {
            out = $col["hessian_min_eigenvalue"] > 0
            if (out != (label !~ /without noise/ || label ~ /kick|hessian/)) complain($col["hessian_min_eigenvalue"])
        }
        if (sweep == "warm" && label ~ /warm/ && !($col["handover_gap"] <= resolved("gap")))
            complain("handed over " $col["handover_gap"] ", psi " resolved("gap"))
    }
    END {
        for (n in sizes) {
            compared++
            if (!(promised["hessian", n] < 0.9 * promised["longer", n])) { print "longer", n; bad++ }
        }
        print rows " runs, " promises " promises checked"
        exit bad > 0 || promises != 186 || compared != 3
    }' runs.tsv || fail "values"

# Each claim is measured: a number, and no complaint about what the experiment should have had.
code=0
"$STILLPOINT" check second_order.smoke --plain >check.tsv || code=$?
[ $code -le 100 ] || fail "check: exit code $code"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
    { claims++ }
    $k["exponent"] == "NaN" || $k["reason"] ~ /runs are there|runs failed|^no |above the bound/ {
        print $k["algorithm"], $k["x"], $k["reason"]; bad++ }
    END { exit bad > 0 || claims != 13 }' check.tsv || fail "a claim that cannot be judged, or a bound that is broken"
for figure in records parts spider budget dimension noise warm warm_residual path; do
    [ -s plots/second_order.smoke/$figure.svg ] || fail "no figure $figure"
done
