#!/bin/sh
# experiments/signs.lua at its smoke scale: at one step and one number of steps descent leaves what goes as 1 / mu^2, signs
# what goes as 1 / mu, and both leave what their stationary laws say: with s the deviation of the noise in a coordinate,
# eta d s^2 / (2 (2 - eta)) and eta d s sqrt(2 pi) / 8, here held against each other, so that s drops out.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/signs.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/signs.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["label"], $col["privacy.epsilon"], text; bad++ }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") complain($col["message"])
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        sum[$col["label"], $col["privacy.epsilon"]] += $col["excess_risk"]
        count[$col["label"], $col["privacy.epsilon"]]++
        budgets[$col["privacy.epsilon"]] = 1
    }
    END {
        eta = 0.003
        d = 10
        for (e in budgets) {
            gd = sum["dp_gd", e] / count["dp_gd", e]
            signs = sum["dp_sign", e] / count["dp_sign", e]
            s = sqrt(gd * 2 * (2 - eta) / (eta * d))
            law = eta * d * s * sqrt(2 * 3.14159265358979) / 8
            print e, gd, signs, law
            if (!(signs > 0.5 * law && signs < 2 * law)) { print e, "signs leave", signs, "and not", law; bad++ }
            if (!(gd > 1000 * sum["dp_gd noise-free", e])) { print e, "without noise is much left"; bad++ }
            held++
        }
        exit bad > 0 || held != 3 || rows != 75
    }' runs.tsv || fail "values"
code=0
"$STILLPOINT" check signs.smoke --plain >check.tsv || code=$?
[ $code -le 2 ] || fail "check: exit code $code"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
    { claims++; off = $k["exponent"] - $k["claimed"] }
    !(off < 0.3 && off > -0.3) { print $k["algorithm"], $k["exponent"], $k["reason"]; bad++ }
    END { exit bad > 0 || claims != 2 }' check.tsv || fail "an exponent that is far off"
