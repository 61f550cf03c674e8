#!/bin/sh
# Few open files allowed: fewer workers. Standard streams that are closed, or that nobody reads any more: the sweep ends,
# its runs are stored and exported, the exit code says so, and the experiment goes on from there.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >sweep.lua <<'LUA'
return { seed = 3, replicates = 60, problem = { loss = "pseudo_huber", data = "signs", n = 200, d = 4 },
         privacy = { epsilon = { 1, 2 }, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 3000 } },
         measures = { "grad_norm" }, figures = { { name = "all", kind = "trade_off", x = "epsilon", y = "grad_norm" } } }
LUA
"$STILLPOINT" run sweep.lua --quiet --root whole -j 2 || fail "run"

# same ROOT: the tables and figures of an undisturbed run
same() {
    for file in results/sweep/cells.tsv results/sweep/runs.tsv results/sweep/traces.tsv plots/sweep/all.svg; do
        cmp whole/$file $1/$file || fail "$1/$file differs"
    done
}

(ulimit -n 20; exec timeout 300 "$STILLPOINT" run sweep.lua -j 30 --root few) >out.txt 2>&1 || { cat out.txt >&2; fail "ulimit -n 20"; }
grep -q 'workers instead of 30: .*ulimit -n' out.txt || { cat out.txt >&2; fail "no word about fewer workers"; }
same few

"$STILLPOINT" run sweep.lua --root closed -j 2 <&- >&- 2>&- || fail "closed streams: code $?"
same closed
[ "$(head -c 15 closed/results/sweep/store.sqlite)" = "SQLite format 3" ] || fail "something was written into the store"

# A reader that goes away at once, of either stream.
code=0
{ timeout 300 "$STILLPOINT" run sweep.lua --root out -j 2 2>err.txt || echo $? >code.txt; } | true
[ "$(cat code.txt)" = 1 ] || fail "no reader of the standard output: code $(cat code.txt): $(cat err.txt)"
grep -q 'nobody reads it any more' err.txt || fail "$(cat err.txt)"
same out

rm code.txt
{ timeout 300 "$STILLPOINT" run sweep.lua --root err -j 2 2>&1 >out.txt || echo $? >code.txt; } | true
[ "$(cat code.txt)" = 130 ] || fail "no reader of the standard error: code $(cat code.txt)"
kept=$("$STILLPOINT" status sweep.lua --plain --root err | awk 'NR > 1 { s += $4 } END { print s + 0 }') || true
[ "$kept" -gt 0 ] && [ "$(wc -l <err/results/sweep/runs.tsv)" -ge $((kept + 1)) ] || fail "kept $kept"
"$STILLPOINT" run sweep.lua --root err -j 2 2>err.txt || fail "could not go on: $(cat err.txt)"
grep -q " $kept there before" err.txt || fail "runs were lost: $(cat err.txt)"
same err
