#!/bin/sh
# experiments/private_tuning.lua at its smoke scale, where the data is present: every run within its budget by one entry of
# the ledger, a point of the grid that its best run resolved, and no number of runs among what may be told.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

for set in ijcnn1 mushroom a9a; do
    "$STILLPOINT" data list | grep -q "^$set .* here" || {
        echo "skipped: $set is not on this machine (stillpoint data fetch $set)"
        exit 77
    }
done
"$STILLPOINT" run "$SOURCE/experiments/private_tuning.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/private_tuning.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    function complain(text) { print $col["sweep"], $col["label"], text; bad++ }
    function resolved(key,    text) {
        text = " " $col["resolved"]
        return match(text, " " key "=[^: ]*") ? substr(text, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "-"
    }
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") complain($col["message"])
        if ($col["private"] == "yes" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9)))
            complain("epsilon " $col["epsilon_spent"])
        if ($col["algorithm"] != "private_tuning") next
        tuned++
        split("1 4 16 64 256", eta, " ")
        split("10 30 100 300", steps, " ")
        if (resolved("grid") == "-") complain("no point of the grid")
        point = resolved("grid") + 0
        alike = $col["label"] == "10 alike"
        if (alike ? point != 0 : !(point >= 0 && point < 20)) complain("point " point)
        if (resolved("method.eta") != (alike ? 16 : eta[int(point / 4) + 1]) ||
            resolved("method.steps") != (alike ? 100 : steps[point % 4 + 1]))
            complain($col["resolved"])
    }
    END { print rows " runs checked"; exit bad > 0 || tuned == 0 }' runs.tsv || fail "values"
run=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    $col["label"] == "100" { print $col["run"]; exit }' runs.tsv)
"$STILLPOINT" account runs "$SOURCE/experiments/private_tuning.lua" "$run" --scale smoke --plain >ledger.txt ||
    fail "privacy of a run"
grep -q '^select	' ledger.txt || { cat ledger.txt; fail "the ledger of a run"; }
grep -q '^rdp	' ledger.txt || { cat ledger.txt; fail "its accountant"; }
