#!/bin/sh
# The saddle experiment at its smoke scale: every point of the chosen iterate is off the saddle, and what hessian
# certifies keeps its bound.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/saddle_selection.lua" --scale smoke -j 2 >out.txt 2>err.txt || {
    cat err.txt >&2
    fail "run"
}
sh "$SOURCE/tests/joined.sh" results/saddle_selection.smoke >runs.tsv
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        label = $col["label"]; level = $col["sosp_level"]; rows++
        if ($col["status"] != "ok") { print $col["message"]; bad++ }
        if (label == "kick" && !(level < 0.1 && $col["hessian_min_eigenvalue"] > 0)) { print label, level; bad++ }
        if (label == "hessian") {
            if (!match($col["resolved"], /bound=[^: ]*/)) { print "no bound"; bad++; next }
            bound = substr($col["resolved"], RSTART + 6, RLENGTH - 6)
            if (!(level <= bound + 0)) { print label, level, "above", bound; bad++ }
        }
        if (!($col["epsilon_spent"] <= 1 + 1e-9)) { print "epsilon", $col["epsilon_spent"]; bad++ }
    }
    END { print rows " runs checked"; exit bad > 0 || rows != 48 }' runs.tsv || fail "values"
for figure in level parts; do
    [ -s plots/saddle_selection.smoke/$figure.svg ] || fail "no figure $figure"
done
