#!/bin/sh
# The experiment of every private method, at its smoke scale: each method runs somewhere, within its budget; what is
# skipped has a reason; the committed pages docs/results/field.md and docs/reference/methods.md are up to date.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/field.lua" --scale smoke --allow-skipped -j 2 --no-plot >out.txt 2>err.txt || {
    cat err.txt >&2
    fail "run"
}
results=results/field.smoke
sh "$SOURCE/tests/joined.sh" $results >runs.tsv
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        if ($col["status"] != "ok") { print $col["label"], $col["message"]; bad++; next }
        for (name in col)
            if (name ~ /^(start[.])?(excess_risk|grad_norm|hessian_min_eigenvalue)$/ && $col[name] !~ /^-?[0-9.]+(e-?[0-9]+)?$/) {
                print $col["label"], name, $col[name]
                bad++
            }
        if ($col["privacy"] != "none" && !($col["epsilon_spent"] <= $col["privacy.epsilon"] * (1 + 1e-9))) {
            print $col["label"], "epsilon", $col["epsilon_spent"]
            bad++
        }
        if ($col["privacy"] != "none") print $col["algorithm"] >"private.txt"
    }
    END { print rows " runs checked"; exit bad > 0 || rows == 0 }' runs.tsv || fail "values"
for name in $("$STILLPOINT" list algorithms --plain); do
    if "$STILLPOINT" list "$name" | grep -qE '^  (A non-private reference|Uncertified|It ignores the data)'; then
        continue
    fi
    grep -qx "$name" private.txt || cut -f 3 $results/skipped.tsv | grep -qx "$name" ||
        fail "$name is not there: experiments/field.lua has every method that pays"
done
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next } $col["reason"] == "" { print; bad++ }
    END { exit bad > 0 }' $results/skipped.tsv || fail "skipped without a reason"

# From these tables: a row for each method of each problem, and a line of the list for each that is registered.
sh "$SOURCE/tests/field_tables.sh" page $results >page.md
for name in $(sort -u private.txt); do
    grep -q "^| $name |" page.md || fail "$name is not on the page"
done
"$(dirname "$STILLPOINT")/stillpoint_manual" methods | sh "$SOURCE/tests/field_tables.sh" list $results >list.md
[ "$(wc -l <list.md)" -eq $(($("$STILLPOINT" list algorithms --plain | wc -l) + 2)) ] || fail "the list's length"
grep -q "worse than its start" page.md || fail "no method is worse than its start: does the table see it?"

sh "$SOURCE/tests/field_tables.sh" page "$SOURCE/results/field" | diff -u "$SOURCE/docs/results/field.md" - ||
    fail "docs/results/field.md is out of date: tests/field_tables.sh page results/field >docs/results/field.md"
"$(dirname "$STILLPOINT")/stillpoint_manual" methods | sh "$SOURCE/tests/field_tables.sh" list "$SOURCE/results/field" >list.md
sh "$SOURCE/tests/into.sh" "$SOURCE/docs/reference/methods.md" methods print | diff -u - list.md ||
    fail "the list of docs/reference/methods.md is out of date: tests/field_tables.sh list"
