#!/bin/sh
# Ctrl-C: workers are gone, the store is whole, what is in it is exported, the exit code is 130, and the experiment goes on from
# there. Some runs would take hours, so that there is something to interrupt on every machine; a limit ends them if this test is
# killed.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
parent=
trap '[ -z "$parent" ] || kill -KILL $parent 2>/dev/null || true' EXIT

cat >slow.lua <<'LUA'
return {
  seed = 5, replicates = 4,
  problem = { loss = "pseudo_huber", data = "signs", n = 1000, d = 5 }, privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "dp_gd", label = "short", steps = { 200, 300 } }, { "dp_gd", label = "endless", steps = 1e9 } },
  measures = { "grad_norm" },
}
LUA

done_runs() { "$STILLPOINT" status slow.lua --plain 2>/dev/null | awk 'NR > 1 { s += $4 } END { print s + 0 }'; }
is_alive() { grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"; }
# In a moment, or later on a machine that has much else to do.
wait_for_a_run() {
    for _ in $(seq 1 1200); do
        [ "$(done_runs)" -eq 0 ] || return 0
        is_alive $parent || fail "it has ended by itself: $(cat log)"
        sleep 0.1
    done
    fail "no run is done: $(cat log)"
}

for signal in INT TERM; do
    rm -rf results
    # env resets the ignored SIGINT that a background job inherits from a shell without job control
    env --default-signal=INT "$STILLPOINT" run slow.lua --no-plot --no-audit -j 2 --time-limit 600 2>log &
    parent=$!
    wait_for_a_run
    workers=$(cat /proc/$parent/task/$parent/children)
    [ -n "$workers" ] || fail "there are no workers"
    kill -$signal $parent
    code=0
    wait $parent || code=$?
    parent=
    [ $code -eq 130 ] || { cat log >&2; fail "exit code $code after SIG$signal, expected 130"; }
    for worker in $workers; do
        ! is_alive "$worker" || fail "worker $worker outlived SIG$signal"
    done
    grep -qi interrupted log || fail "no word about the interruption: $(cat log)"
    done_=$(done_runs)
    [ "$done_" -ge 1 ] && [ "$(wc -l <results/slow/runs.tsv)" -eq $((done_ + 1)) ] ||
        fail "$done_ runs are there, and exported are $(cat results/slow/runs.tsv)"
    [ ! -s results/slow/store.sqlite-wal ] || fail "the store was not closed"
done
"$STILLPOINT" run slow.lua --no-plot --no-audit --only short 2>log || fail "could not go on after the interruption: $(cat log)"
grep -q "8 runs: $((8 - done_)) done now, $done_ there before, 0 failed, 0 left" log || fail "did not go on from there: $(cat log)"
[ "$(wc -l <results/slow/runs.tsv)" -eq 9 ] || fail "expected 8 runs and a header"
