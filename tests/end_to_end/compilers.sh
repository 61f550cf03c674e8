#!/bin/sh
# The program of another build, STILLPOINT_OTHER (by clang, or with other flags), writes the same bytes: the tables of
# every experiment at its smoke scale. One whose data are not on this machine is passed over.
set -eu
if [ -z "${STILLPOINT_OTHER:-}" ]; then
    echo "STILLPOINT_OTHER names no program of another build"
    exit 77
fi
failures=0
for experiment in "$SOURCE"/experiments/*.lua; do
    name=$(basename "$experiment" .lua)
    "$STILLPOINT" plan "$experiment" --scale smoke >plan.txt
    if grep -q '; 0 runs:' plan.txt && grep -q 'SKIPPED: data .* is not on this machine' plan.txt; then
        echo "$name: passed over, its data are not on this machine"
        continue
    fi
    for side in this other; do
        program=$STILLPOINT
        [ $side = this ] || program=$STILLPOINT_OTHER
        "$program" run "$experiment" --scale smoke --allow-skipped --quiet --no-plot --root $side -j 2 >$side.txt 2>&1 ||
            { cat $side.txt >&2; echo "$side: $name does not run" >&2; failures=1; }
    done
    for table in cells.tsv runs.tsv traces.tsv; do
        cmp "this/results/$name.smoke/$table" "other/results/$name.smoke/$table" || failures=1
    done
    echo "$name: $(($(wc -l <"this/results/$name.smoke/runs.tsv") - 1)) runs compared"
done
exit $failures
