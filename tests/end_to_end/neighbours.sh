#!/bin/sh
# DP-SGD under both relations of neighbours, at smoke scale: every run succeeds within its budget, the ledger's noise is
# what `calibrate` says of the relation, and no run of the one relation is held against a run of the other.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
experiment=$SOURCE/experiments/neighbours.lua

for data in ijcnn1 mushroom; do
    "$STILLPOINT" data list | grep -q "^$data .* here" || {
        echo "$data is not on this machine: skipped (stillpoint data fetch $data)"
        exit 77
    }
done
"$STILLPOINT" run "$experiment" --scale smoke -j 2 --quiet 2>err.txt || { cat err.txt >&2; fail "run"; }
sh "$SOURCE/tests/joined.sh" results/neighbours.smoke >runs.tsv
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        if ($col["status"] != "ok") { print $col["message"]; bad++ }
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9))) {
            print $col["label"], "spent", $col["epsilon_spent"]; bad++ }
        if (($col["privacy.neighbours"] == "add_remove") != ($col["label"] ~ /add-remove$/)) {
            print $col["label"], $col["privacy.neighbours"]; bad++ }
        seen[$col["sweep"] " " $col["label"]]++
    }
    END { for (s in seen) print s, seen[s]; exit bad > 0 || NR == 1 }' runs.tsv >values.txt || fail "$(cat values.txt)"
[ "$(wc -l <values.txt)" -eq 28 ] || fail "seven methods in four sweeps: $(cat values.txt)"
for name in mushroom ijcnn1 mushroom_path ijcnn1_path; do
    [ -s plots/neighbours.smoke/$name.svg ] || fail "no figure $name"
done

# multiplier LABEL: of the first run with that label in the sweep ijcnn1_path, from its ledger
multiplier() {
    run=$(awk -F '\t' -v label="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
        $col["sweep"] == "ijcnn1_path" && $col["label"] == label { print $col["run"]; exit }' runs.tsv)
    "$STILLPOINT" account runs "$experiment" "$run" --scale smoke | awk '$1 ~ /^(poisson|gauss_wor)$/ { print $2 }'
}
# calibrated RELATION KIND: the multiplier of 800 such releases at epsilon = 1, delta = 1 / 2000^2
calibrated() {
    "$STILLPOINT" account calibrate --epsilon 1 --delta 2.5e-7 --neighbours "$1" "$2:noise_multiplier=1,rate=0.05,count=800" \
        --plain | tail -1 | cut -f 2
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a / b - 1)^2 <= 1e-8) }'; }
replaced=$(multiplier dp_sgd_poisson) added=$(multiplier "dp_sgd_poisson add-remove")
near "$replaced" "$(calibrated replace_one poisson)" || fail "$replaced under replace-one"
near "$added" "$(calibrated add_remove poisson)" || fail "$added under add-remove"
subsets=$(multiplier dp_sgd)
near "$subsets" "$(calibrated replace_one gauss_wor)" || fail "$subsets of subsets"
# Less noise by a factor between 1 and 2 where one record is added than where one replaces another; noise of subsets is
# in units of twice a record's part.
awk -v a="$added" -v r="$replaced" -v s="$subsets" '
    BEGIN { exit !(a < r && r < 2 * a && r < 2 * s && 2 * s < 1.1 * r) }' ||
    fail "noise: $added (add-remove), $replaced (replace-one), $subsets (subsets)"

"$STILLPOINT" compare neighbours.smoke dp_sgd dp_sgd_poisson >out.txt || fail "compare"
if "$STILLPOINT" compare neighbours.smoke dp_sgd "dp_sgd_poisson add-remove" >out.txt 2>&1; then
    fail "relations are compared: $(cat out.txt)"
fi
grep -q "share no point" out.txt || fail "refused otherwise: $(cat out.txt)"
