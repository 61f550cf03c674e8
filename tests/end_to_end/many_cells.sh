#!/bin/sh
# 10^4 cells of one step, two sweeps of which share all runs: run, plot, status and a second run in seconds of the processor,
# which do not depend on what else a machine has to do. What is quadratic in cells takes minutes.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >many.lua <<'LUA'
local etas = {}
for i = 1, 5000 do etas[i] = i * 2e-4 end
return {
  seed = 17, replicates = 1, checkpoints = 0, privacy = "none",
  problem = { loss = "pseudo_huber", data = "signs", n = 5, d = 2 }, measures = { "grad_norm" },
  algorithms = { { "gd", steps = 1, eta = etas } },
  sweeps = { one = { figures = { { name = "eta", kind = "rate", x = "eta", y = "grad_norm" } } }, two = { question = "" } },
}
LUA

timed() {
    code=0
    (ulimit -t 60; exec "$STILLPOINT" "$@") >out.txt 2>&1 || code=$?
    [ $code -eq 0 ] || { cat out.txt >&2; fail "$*: exit code $code"; }
}

timed run many.lua --no-plot -j 2
grep -q '10000 runs: 10000 done now' out.txt || fail "$(cat out.txt)"
[ "$(wc -l <results/many/runs.tsv)" -eq 10001 ] || fail "expected 10000 rows and a header"
timed plot many.lua
[ "$(wc -l <results/many/summary.tsv)" -eq 10001 ] || fail "expected a line a cell in summary.tsv"
timed status many.lua
timed run many.lua --no-plot
grep -q '0 done now, 10000 there before' out.txt || fail "$(cat out.txt)"
