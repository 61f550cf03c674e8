#!/bin/sh
# The second real sweep, end to end on IJCNN1 where the data is present, at its smoke scale.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
experiment=$SOURCE/experiments/ijcnn1.lua

if ! "$STILLPOINT" data list | grep -q '^ijcnn1 .* here'; then
    # Without the data: a message and no run, which is no success.
    "$STILLPOINT" run "$experiment" --scale smoke --no-fetch >out.txt 2>&1 && fail "nothing has run: no success"
    grep -q 'ijcnn1 is not on this machine' out.txt || fail "no message: $(cat out.txt)"
    echo "ijcnn1 is not on this machine: skipped (stillpoint data fetch ijcnn1)"
    exit 77
fi
"$STILLPOINT" data fetch ijcnn1 | grep -q '35000 records, 22 features' || fail "data fetch"
"$STILLPOINT" run "$experiment" --scale smoke -j 2 >out.txt 2>err.txt || { cat err.txt >&2; fail "run"; }
table=runs.tsv
sh "$SOURCE/tests/joined.sh" results/ijcnn1.smoke >$table
# The Hessian's smallest eigenvalue of these losses lies within the certified curvature: |phi''| <= 1/4, ||x|| = 1, and the
# regulariser adds 2 lambda at most and -lambda/2 at least.
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        e = $col["hessian_min_eigenvalue"]; a = $col["accuracy"]
        if (!(e >= -0.25 - 1e-3 && e <= 0.25 + 2e-3)) { print "eigenvalue " e; bad++ }
        if (!(a >= 0 && a <= 1)) { print "accuracy " a; bad++ }
        if ($col["status"] != "ok") { print $col["message"]; bad++ }
        rows++
    }
    END { print rows " runs checked"; exit bad > 0 || rows == 0 }' $table || fail "values"
# F* of the logistic loss is certified: of 2,000 records, and of the problem that has a name.
certified() {
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
        $col["problem.loss"] == "logistic" {
            gap = $col["reference_method"]; sub(/.*, gap /, "", gap)
            if (!(gap + 0 > 0 && gap + 0 <= 1e-6)) { print $col["reference_method"]; bad++ }
            print $col["reference"]
            rows++
        }
        END { exit bad > 0 || rows == 0 }' "$1"
}
certified $table >values.txt || fail "F* of 2,000 records: $(cat values.txt)"
cat >named.lua <<'END'
return { seed = 20240602, problem = "wang_xu_ijcnn1", privacy = "none", algorithms = { { "gd", steps = 1 } },
         measures = { "excess_risk" } }
END
"$STILLPOINT" run named.lua --quiet >out.txt 2>&1 || fail "run named.lua: $(cat out.txt)"
sh "$SOURCE/tests/joined.sh" results/named >named.tsv
certified named.tsv >values.txt || fail "F*: $(cat values.txt)"
least=$("$STILLPOINT" list wang_xu_ijcnn1 | sed -n 's/^  F\*: \([0-9.]*\),.*/\1/p')
awk -v least="$least" '{ exit !(least > 0.1 && $1 - least < 1e-9 && least - $1 < 1e-9) }' values.txt ||
    fail "F* = $(cat values.txt), described as $least"
[ -s plots/ijcnn1.smoke/logistic.svg ] || fail "no figure"
