#!/bin/sh
# The counterexample to the escape lemma at its smoke scale: no error, and kick and hessian leave the saddle; an error
# below g along its direction, and only the jump along an eigenvector does.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/escape_lemma.lua" --scale smoke -j 2 >out.txt 2>err.txt || {
    cat err.txt >&2
    fail "run"
}
sh "$SOURCE/tests/joined.sh" results/escape_lemma.smoke >runs.tsv
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        label = $col["label"]; error = $col["algorithm.adversary"]; curvature = $col["hessian_min_eigenvalue"]; rows++
        if ($col["status"] != "ok") { print $col["message"]; bad++ }
        if ((label == "hessian" || (label != "psgd" && error == 0)) && !(curvature > 0)) { print label, error, "stays:", curvature; bad++ }
        if (label == "kick" && error >= 0.4 && !(curvature < -0.4)) { print label, error, "escapes:", curvature; bad++ }
    }
    END { print rows " runs checked"; exit bad > 0 || rows != 96 }' runs.tsv || fail "values"
[ -s plots/escape_lemma.smoke/escape.svg ] || fail "no figure"
