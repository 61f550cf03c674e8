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
grep -qi 'full\|ulimit -f\|no space' out.txt || { cat out.txt >&2; fail "the message does not say that the disk is full"; }
kept=$("$STILLPOINT" status sweep.lua --plain | awk 'NR > 1 { s += $4 } END { print s + 0 }') || true
echo "kept $kept runs: $(cat out.txt)"
[ "$kept" -gt 0 ] || fail "nothing was kept"
"$STILLPOINT" run sweep.lua --no-plot 2>err.txt || { cat err.txt >&2; fail "could not go on"; }
grep -q " $kept there before" err.txt || fail "runs were lost: $(cat err.txt)"
"$STILLPOINT" run sweep.lua --no-plot --quiet --root fresh
for table in cells.tsv runs.tsv traces.tsv; do
    cmp results/sweep/$table fresh/results/sweep/$table || fail "the results differ from an undisturbed run's"
done

# The disk of the results is full when a task has done its runs: they stay on the disk of the node, and the command that it says
# brings them in once there is room. (A file system of 64 kB in a namespace of its own, where the system lets anybody mount one.)
cat >inside.sh <<'SH'
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
mount -t tmpfs -o size=64k none small || exit 77
export TMPDIR="$PWD/node"
code=0
"$STILLPOINT" run sweep.lua --root small --quiet -j 2 --shard 1/1 >full.txt 2>&1 || code=$?
[ $code -eq 1 ] && grep -q 'its runs stay in .*No space left on device' full.txt || fail "a full disk: exit code $code: $(cat full.txt)"
mount -o remount,size=64m none small
[ -z "$(find small -name '*.sqlite')" ] || fail "half a file is called one: $(find small)"
sh -c "$(sed -n 's/^    //p' full.txt)" >merged.txt 2>&1 || fail "$(cat full.txt merged.txt)"
for table in cells.tsv runs.tsv traces.tsv; do
    cmp small/results/sweep/$table fresh/results/sweep/$table || fail "a task on a full disk: $table differs"
done
[ -z "$("$STILLPOINT" status sweep.lua --root small --missing --tasks 1 --plain)" ] || fail "missing, though its runs are in the store"
SH
mkdir small node
if unshare --user --map-root-user --mount true 2>/dev/null; then
    code=0
    unshare --user --map-root-user --mount sh inside.sh || code=$?
    [ $code -ne 77 ] || echo "not tried: a task whose results are on a full disk (no mount in a namespace)"
    [ $code -eq 0 ] || [ $code -eq 77 ] || exit 1
else
    echo "not tried: a task whose results are on a full disk (no namespace of one's own)"
fi
