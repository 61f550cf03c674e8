#!/bin/sh
# A full disk (a limit on the size of files stands for it): a clear message, a non-zero exit, nothing committed is lost, and
# the experiment goes on once there is room.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >sweep.lua <<'LUA'
return { seed = 3, replicates = 60, checkpoints = 20,
         problem = { loss = "pseudo_huber", data = "signs", n = 200, d = 4 },
         privacy = { epsilon = { 1, 2 }, delta = 1e-6 },
         algorithms = { { "dp_gd", steps = 3000 } }, measures = { "grad_norm", "objective", "excess_risk" } }
LUA
code=0
(trap '' XFSZ; ulimit -f 2000; exec "$STILLPOINT" run sweep.lua --no-plot --quiet -j 2) >out.txt 2>&1 || code=$?
[ $code -ne 0 ] || fail "a full disk went unnoticed"
grep -qi 'full\|too large\|no space' out.txt || { cat out.txt >&2; fail "the message does not say that the disk is full"; }
kept=$("$STILLPOINT" status sweep.lua --plain | awk 'NR > 1 { s += $4 } END { print s + 0 }') || true
echo "kept $kept runs: $(cat out.txt)"
[ "$kept" -gt 0 ] || fail "nothing was kept"
"$STILLPOINT" run sweep.lua --no-plot 2>err.txt || { cat err.txt >&2; fail "could not go on"; }
grep -q " $kept there before" err.txt || fail "runs were lost: $(cat err.txt)"
"$STILLPOINT" run sweep.lua --no-plot --quiet --root fresh
for table in cells.tsv runs.tsv traces.tsv; do
    cmp results/sweep/$table fresh/results/sweep/$table || fail "the results differ from an undisturbed run's"
done
