#!/bin/sh
# Grids over a family: the winners, their runs and the tables are the same bytes for one worker, two workers, another
# order, and an experiment killed with SIGKILL while it tunes and again while it evaluates. A changed grid runs only
# what is new.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cp "$SOURCE/tests/held.pl" .
experiment() { # the factors on steps
    cat >grids.lua <<LUA
return {
  seed = 17, replicates = 6, tuning_replicates = 3, checkpoints = 3,
  problem = { loss = { "huber_ramp", slope = { 0.5, 0.25, 0.125 }, tilt = 0.3 }, data = "sphere", n = { 400, 700 },
              d = 5, family = "loss.slope", declared = { L = 2, L_data = 1, gap = 2, distance = 20 } },
  privacy = { epsilon = 2.385, delta = 1e-6 },
  algorithms = {
    { "dp_gd", tune = { eta = { 0.3, function (c) return 1 / c.problem.declared.L end, 1 },
                        steps = { times = { $1 } } } },
    { "dp_gd", label = "floor", privacy = { noise = "off" }, tune = "dp_gd" },
    { "dp_spider", tune = { eta = { times = { 0.3, 1, 3 } }, steps = { times = { $1 } } } },
    { "gd", steps = 50 },
    { "external", label = "held", command = { "perl", "held.pl" }, patience = 600 },
  },
  measures = { "objective", "grad_norm" }, tuning_measure = "grad_norm",
}
LUA
}
one() { "$STILLPOINT" run grids.lua --quiet --no-plot --no-audit --root "$@"; }
# released FOLDER: waits until the lock on the store is free, which a worker holds that has only just been forked
released() {
    for _ in $(seq 1 3000); do
        if flock -n "$1/store.sqlite.lock" true; then return; fi
        sleep 0.02
    done
    fail "$1: the store is still locked"
}
column() {
    awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i; next } { print $k }' "$2"
}
same() {
    for table in cells.tsv runs.tsv traces.tsv tuning.tsv; do
        cmp "one/results/grids/$table" "$1/results/grids/$table" || fail "$table of $1 differs"
    done
}

experiment "0.1, 0.3, 1"
# 2 tuned algorithms x 2 sizes x 3 members: a base run and 9 grid points x 3 replicates. 5 labels x 6 cells x 6
# replicates.
"$STILLPOINT" plan grids.lua >plan
grep -q '^336 tuning runs$' plan || fail "the plan counts $(tail -4 plan)"
grep -q ' 516 runs: 0 done' plan || fail "the plan counts $(tail -4 plan)"
one one -j 1
[ "$(wc -l <one/results/grids/runs.tsv)" -eq 181 ] || fail "expected 180 runs and a header"
[ "$(wc -l <one/results/grids/tuning.tsv)" -eq 5 ] || fail "expected 4 points and a header"
sh "$SOURCE/tests/joined.sh" one/results/grids >joined.tsv
[ "$(column tuned joined.tsv | sort | uniq -c | tr -s ' ' | tr '\n' ,)" = " 72 no, 108 yes," ] ||
    fail "column tuned: $(column tuned joined.tsv | sort | uniq -c)"
[ "$(column runs one/results/grids/tuning.tsv | sort -u)" = 84 ] || fail "each point has 3 + 81 tuning runs"
"$STILLPOINT" status grids.lua --plain --root one | grep -q '^main	dp_gd (tuning)	168	168	0	0	0	0	no$' || fail "status"

# All members of a point, and its floor, run with the same winner.
winners() { awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
    $k["algorithm"] == "dp_gd" { print $k["problem.n"], $k["algorithm.eta"], $k["algorithm.steps"] }' \
    "$1" | sort -u; }
[ "$(winners joined.tsv)" = "$(winners one/results/grids/tuning.tsv)" ] || fail "runs with other parameters than the winners"
[ "$(winners joined.tsv | wc -l)" -eq 2 ] || fail "one winner a point: $(winners joined.tsv)"

one two -j 2
same two
one shuffled -j 2 --shuffle 4242
same shuffled

# SIGKILL twice: after some runs of a grid, and after some evaluations.
touch hold
finished() {
    "$STILLPOINT" status grids.lua --plain --root killed 2>/dev/null |
        awk -F '\t' -v tuning="$1" 'NR > 1 && ($2 ~ /tuning/) == tuning { s += $4 } END { print s + 0 }'
}
for tuning in 1 0; do
    "$STILLPOINT" run grids.lua --quiet --no-plot --no-audit --root killed -j 2 &
    parent=$!
    for _ in $(seq 1 6000); do
        done_=$(finished $tuning) || true
        [ "${done_:-0}" -ge 3 ] && break
        sleep 0.01
    done
    kill -9 $parent
    wait $parent 2>/dev/null || true
    released killed/results/grids
    echo "killed after $(finished 1) tuning runs and $(finished 0) evaluations"
    [ "$(finished 0)" -lt 180 ] || fail "it was over before it was killed"
done
rm hold
one killed -j 2
same killed

# A finished experiment runs nothing again; a run with a winner's parameters is found by its name.
"$STILLPOINT" run grids.lua --no-plot --no-audit --root one >again 2>&1
grep -q '0 done now, 516 there before' again || fail "work was repeated"
run=$(column run one/results/grids/runs.tsv | head -1)
"$STILLPOINT" run --rerun grids.lua "$run" --root one >rerun.log || fail "rerun $run"
grep -q "^grad_norm = $(column grad_norm one/results/grids/runs.tsv | head -1)$" rerun.log || fail "rerun differs"

# One factor less and another more: of 9 grid points 3 are new, on 2 sizes and 3 members, 3 replicates each.
experiment "0.3, 1, 3"
"$STILLPOINT" status grids.lua --plain --root one >changed || true
grep -q '^main	dp_gd (tuning)	168	114	0	0	54	0	no$' changed || fail "a changed grid: $(cat changed)"
one one -j 2
one fresh -j 2
for table in cells.tsv runs.tsv traces.tsv tuning.tsv; do
    cmp "one/results/grids/$table" "fresh/results/grids/$table" || fail "$table depends on what ran before"
done
