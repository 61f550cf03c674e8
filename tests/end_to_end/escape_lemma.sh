#!/bin/sh
# The counterexample to the escape lemma at its smoke scale: no error, and kick and hessian leave the saddle; an error
# below g along its direction, and only the jump along an eigenvector does. Rounds of noisy steps pass the saddle under
# such an error, repaired ones under no smaller one than the old ones; rounds without their logarithm always do.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/escape_lemma.lua" --scale smoke -j 2 >out.txt 2>err.txt || {
    cat err.txt >&2
    fail "run"
}
sh "$SOURCE/tests/joined.sh" results/escape_lemma.smoke >runs.tsv
awk -F '\t' '
    function resolved(key,   text) { # of a run; "" without it
        text = " " $col["resolved"]
        if (!match(text, " " key "=[^: ]*")) return ""
        return substr(text, RSTART + length(key) + 2, RLENGTH - length(key) - 2) + 0
    }
    function complain(text) { print $col["sweep"], label, error, text; bad++ }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        label = $col["label"]; error = $col["algorithm.adversary"]; curvature = $col["hessian_min_eigenvalue"]; rows++
        if ($col["status"] != "ok") complain($col["message"])
        if (label == "hessian" && !(curvature > 0 && resolved("passed") == 1)) complain("stays: " curvature)
        if (label ~ /kick|chosen|dp_gd/ && error + 0 == 0 && !(curvature > 0)) complain("stays: " curvature)
        if (label == "kick" && error >= 0.4 && !(curvature < -0.4)) complain("escapes: " curvature)
        # the constant of the Hessian is 1.1: a curvature of 1 and a tilt of 0.1
        if (resolved("passed") == 1 && curvature < -sqrt(1.1 * 4 * resolved("accuracy"))) wrong[$col["sweep"], label, error]++
        if ($col["sweep"] == "repaired") errors[error] = 1
    }
    END {
        for (e in errors) {
            before = wrong["repaired", "psgd", e] + 0; after = wrong["repaired", "psgd fresh", e] + 0
            print e ": of 3 wrong passes of psgd " before ", fresh " after
            fewer += after < before
            if (after > before || (e == 0 && before > 0) || (e >= 0.1 && after < 3)) { print "rounds at", e; bad++ }
            if (e != "-" && wrong["repaired", "iota = 1", e] != 3) { print "iota = 1 at", e; bad++ }
        }
        print rows " runs checked"
        exit bad > 0 || fewer == 0 || rows != 195
    }' runs.tsv || fail "values"
for figure in escape repaired; do
    [ -s plots/escape_lemma.smoke/$figure.svg ] || fail "no figure $figure"
done
