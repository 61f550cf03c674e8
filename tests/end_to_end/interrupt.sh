#!/bin/sh
# Ctrl-C: workers are gone, the store is whole, what is in it is exported, the exit code is 130, and the experiment goes on from there.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >slow.lua <<'LUA'
return {
  seed = 5, replicates = 4,
  problem = { loss = "pseudo_huber", data = "signs", n = 1000, d = 5 },
  privacy = { epsilon = { 1, 2, 3 }, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 100000 } },
  measures = { "grad_norm" },
}
LUA

for signal in INT TERM; do
    rm -rf results
    # env resets the ignored SIGINT that a background job inherits from a shell without job control
    env --default-signal=INT "$STILLPOINT" run slow.lua --no-plot -j 2 2>log &
    parent=$!
    for _ in $(seq 1 500); do
        done_=$("$STILLPOINT" status slow.lua --plain 2>/dev/null | awk 'NR > 1 { s += $4 } END { print s + 0 }') || true
        [ "${done_:-0}" -ge 1 ] && break
        sleep 0.02
    done
    workers=$(cat /proc/$parent/task/$parent/children 2>/dev/null || true)
    kill -$signal $parent
    code=0
    wait $parent || code=$?
    [ $code -eq 130 ] || { cat log >&2; fail "exit code $code after SIG$signal, expected 130"; }
    for worker in $workers; do
        [ -d "/proc/$worker" ] && fail "worker $worker outlived SIG$signal"
    done
    grep -qi interrupted log || fail "no word about the interruption: $(cat log)"
    done_=$("$STILLPOINT" status slow.lua --plain | awk 'NR > 1 { s += $4 } END { print s + 0 }') || true
    [ "$done_" -ge 1 ] && [ "$(wc -l <results/slow/runs.tsv)" -eq $((done_ + 1)) ] || fail "what is there was not exported"
    [ ! -e results/slow/store.sqlite-wal ] || [ ! -s results/slow/store.sqlite-wal ] || fail "the store was not closed"
done
"$STILLPOINT" run slow.lua --no-plot --quiet || fail "could not go on after the interruption"
[ "$(wc -l <results/slow/runs.tsv)" -eq 13 ] || fail "expected 12 runs and a header"
