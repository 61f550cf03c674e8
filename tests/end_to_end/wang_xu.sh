#!/bin/sh
# Wang & Xu's figures, where the data are present, at their smoke scale: every run succeeds, every figure is there by
# its number, what converged has converged; and what experiments/wang_xu_covtype.lua repeats of its search is what that
# found.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

checked=0
for data in ijcnn1 covtype; do
    if ! "$STILLPOINT" data list | grep -q "^$data .* here"; then
        echo "$data is not on this machine: skipped (stillpoint data fetch $data)"
        continue
    fi
    name=wang_xu_$data
    "$STILLPOINT" run "$SOURCE/experiments/$name.lua" --scale smoke -j 2 --quiet 2>err.txt ||
        { cat err.txt >&2; fail "run $name"; }
    sh "$SOURCE/tests/joined.sh" results/$name.smoke >$name.tsv
    # delta is 1/n, but of the search. The smallest eigenvalue is within what |phi''| <= 1/4, ||x|| = 1 and the
    # regularisers allow.
    awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
        {
            e = $col["hessian_min_eigenvalue"]; a = $col["accuracy"]; delta = $col["privacy.delta"]
            if ($col["status"] != "ok") { print $col["message"]; bad++ }
            if (!(e >= -0.25 - 1e-3 && e <= 0.25 + 2e-3)) { print "eigenvalue " e; bad++ }
            if (!(a >= 0 && a <= 1)) { print "accuracy " a; bad++ }
            if ($col["label"] == "optimum" && $col["sweep"] ~ /sigmoid/ && !($col["grad_norm"] <= 1e-6)) {
                print "gradient at the optimum " $col["grad_norm"]; bad++ }
            if ($col["sweep"] ~ /^(paper|tuned)/ && delta != "-" && !(delta * $col["problem.n"] <= 1 + 1e-12)) {
                print "delta " delta; bad++ }
            seen[$col["sweep"] " " $col["label"]]++
        }
        END { for (s in seen) print s, seen[s]; exit bad > 0 || NR == 1 }' $name.tsv >values.txt ||
        fail "$name: $(cat values.txt)"
    for sweep in paper_logistic paper_sigmoid tuned_logistic tuned_sigmoid; do
        for label in dp_gd_sosp dp_tr dp_str; do
            grep -q "^$sweep $label " values.txt || fail "$name: no $label in $sweep"
        done
    done
    [ $data = ijcnn1 ] && numbers="6 10" || numbers="4 8"
    for figure in 2_paper 2_tuned; do
        [ -s plots/$name.smoke/figure_$figure.svg ] || fail "$name: no figure $figure"
    done
    for number in $numbers; do
        for part in paper tuned gradients hessians; do
            [ -s plots/$name.smoke/figure_${number}_$part.svg ] || fail "$name: no figure ${number}_$part"
        done
    done
    checked=$((checked + 1))
done

# The parameters of tuned_* are the winners of tuning_*, epsilon by epsilon.
sh "$SOURCE/tests/unpacked.sh" "$SOURCE" committed
found="committed/results/wang_xu_covtype"
if [ -f "$found/tuning.tsv" ]; then
    winners() { # TABLE PREFIX
        awk -F '\t' -v prefix="$2" '
            NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
            index($col["sweep"], prefix "_") == 1 && $col["label"] ~ /^dp_(gd_sosp|tr)$/ {
                loss = substr($col["sweep"], length(prefix) + 2)
                print loss, $col["label"], $col["privacy.epsilon"], $col["algorithm.eta"], $col["algorithm.steps"],
                      $col["algorithm.alpha"], $col["algorithm.steps_max"] }' "$1" |
            sort -k 1,2 -k 3,3g | cut -d ' ' -f 1,2,4-
    }
    winners "$found/tuning.tsv" tuning >winners.txt
    winners "$found/cells.tsv" tuned >used.txt
    [ "$(wc -l <winners.txt)" -eq 12 ] || fail "$(wc -l <winners.txt) winners in $found/tuning.tsv"
    cmp winners.txt used.txt || fail "the search found other parameters than the experiment has"
fi
[ $checked -gt 0 ] || exit 77
