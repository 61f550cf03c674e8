#!/bin/sh
# One worker, two workers, another order, and a run killed with SIGKILL and resumed: the exported tables are equal byte for
# byte. After the kill no worker is left and the store holds every run that had been committed.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cp "$SOURCE/tests/held.pl" .
cat >sweep.lua <<'LUA'
return {
  seed = 17, replicates = 3, checkpoints = 3,
  problem = { loss = { "pseudo_huber", "huber_ramp" }, data = { "signs", mean = 0.3 }, n = { 500, 900 }, d = 7 },
  privacy = { epsilon = { 0.7, 2.385 }, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 20000 }, { "dp_spider", parameters = "theory" }, { "gd", steps = 50 },
                 { "external", label = "held", command = { "perl", "held.pl" }, patience = 600 } },
  measures = { "grad_norm", "objective", "hessian_min_eigenvalue", "excess_risk" },
}
LUA

one() { "$STILLPOINT" run sweep.lua --quiet --no-plot --no-audit --root "$@"; }
same() {
    for table in cells.tsv runs.tsv traces.tsv keys.tsv SEAL; do
        cmp "one/results/sweep/$table" "$1/results/sweep/$table" || fail "$table of $1 differs"
    done
}

one one -j 1
[ "$(wc -l <one/results/sweep/runs.tsv)" -eq 85 ] || fail "expected 84 runs and a header"
one two -j 2
same two
one shuffled -j 2 --shuffle 4242
same shuffled

# Kill the parent with SIGKILL while runs are in flight; wait until some are committed first.
touch hold
"$STILLPOINT" run sweep.lua --quiet --no-plot --no-audit --root killed -j 2 &
parent=$!
for _ in $(seq 1 3000); do
    done_=$("$STILLPOINT" status sweep.lua --plain --root killed 2>/dev/null | awk 'NR > 1 { s += $4 } END { print s + 0 }') || true
    [ "${done_:-0}" -ge 3 ] && break
    sleep 0.02
done
workers=$(cat /proc/$parent/task/$parent/children 2>/dev/null || true)
kill -9 $parent
wait $parent 2>/dev/null || true
rm hold
for worker in $workers; do
    for _ in $(seq 1 3000); do # until it is gone, or dead and not yet taken note of by the system's first process
        state=$(sed 's/.*) //; s/ .*//' "/proc/$worker/stat" 2>/dev/null || echo gone)
        case $state in '' | gone | Z) continue 2 ;; esac
        sleep 0.02
    done
    fail "worker $worker outlived its parent"
done
before=$("$STILLPOINT" status sweep.lua --plain --root killed | awk 'NR > 1 { s += $4 } END { print s + 0 }') || true
[ "$before" -ge 3 ] || fail "the store lost committed runs: $before left"
[ "$before" -lt 84 ] || fail "the sweep was over before it was killed"
echo "killed after $before of 84 runs"
one killed -j 2
same killed

# A finished experiment runs nothing again.
"$STILLPOINT" run sweep.lua --no-plot --no-audit --root one 2>&1 | grep -q '0 done now, 84 there before' || fail "a rerun repeated work"
