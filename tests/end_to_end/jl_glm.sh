#!/bin/sh
# experiments/jl_glm.lua at its smoke scale: k, the ledger of the base, and a claim that is below another label.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/jl_glm.lua" --scale smoke -j 2 --quiet || fail "run"
table=runs.tsv
sh "$SOURCE/tests/joined.sh" results/jl_glm.smoke >$table
# The projected method makes as many releases at every d: its schedule knows k alone. The other one's depends on d.
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        label = $col["label"]; rows++
        if ($col["status"] != "ok") { print $col["message"]; bad++ }
        silent = label ~ /without noise/
        if (!silent && !($col["epsilon_spent"] <= 2)) { print "epsilon " $col["epsilon_spent"]; bad++ }
        if (label ~ /^jl_glm/ && $col["resolved"] !~ /k=8/) { print "resolved " $col["resolved"]; bad++ }
        if (label == "jl_glm") projected[$col["releases"]] = 1
        if (label == "dp_spider") plain[$col["releases"]] = 1
        sum[label] += $col["grad_norm"]
    }
    END {
        for (r in projected) p++
        for (r in plain) q++
        for (label in sum)
            if (label !~ /without/ && !(sum[label] > 3 * sum[label " without noise"])) {
                print label ": no noise"
                bad++
            }
        print rows " runs checked"
        exit bad > 0 || rows != 48 || p != 1 || q != 3
    }' $table || fail "values"

"$STILLPOINT" check jl_glm --scale smoke --plain >out.txt || true # four replicates are too few to resolve
[ "$(grep -c '^jl_glm.smoke' out.txt)" -eq 3 ] || { cat out.txt >&2; fail "not three verdicts"; }
! grep -q 'runs are there\|without noise (privacy' out.txt || { cat out.txt >&2; fail "runs are missing"; }
"$STILLPOINT" check jl_glm --scale smoke >out.txt || true
grep -q 'grad_norm ~ d^0 +-0.1 (bound; conjecture; below dp_spider)' out.txt || { cat out.txt >&2; fail "line"; }
[ -s plots/jl_glm.smoke/dimension.svg ] || fail "no figure"
