#!/bin/sh
# experiments/kl_prox.lua at its smoke scale: a penalty that grows leaves less than the printed one at every n and falls
# faster, nothing of that is left without noise, and each claim is measured.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/kl_prox.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/kl_prox.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["label"], $col["problem.n"], text; bad++ }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") complain($col["message"])
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        if (!($col["excess_risk"] >= 0)) complain("risk " $col["excess_risk"])
        sum[$col["label"], $col["problem.n"]] += $col["excess_risk"]
        sizes[$col["problem.n"]] = 1
    }
    END {
        for (n in sizes) {
            print n, sum["kl_prox", n], sum["printed", n], sum["kl_prox noise-free", n], sum["steps 1/t", n]
            if (!(10 * sum["kl_prox", n] < sum["printed", n])) { print n, "the printed penalty is as good"; bad++ }
            if (!(1e6 * sum["kl_prox noise-free", n] < sum["kl_prox", n])) { print n, "no noise in it"; bad++ }
        }
        exit bad > 0 || rows != 105
    }' runs.tsv || fail "values"
code=0
"$STILLPOINT" check kl_prox.smoke --plain >check.tsv || code=$?
[ $code -le 2 ] || fail "check: exit code $code"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
    { claims++; exponent[$k["algorithm"]] = $k["exponent"] }
    END { exit claims != 2 || !(exponent["kl_prox"] < -2.6 && exponent["printed"] > -2.8) }' check.tsv ||
    { cat check.tsv >&2; fail "exponents"; }
