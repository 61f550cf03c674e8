#!/bin/sh
# run --only, --where and --again: what is selected runs, with the grids that it needs, and nothing else; the rest makes the
# tables what they are without a selection.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >part.lua <<'LUA'
return {
  seed = 23, replicates = 3, tuning_replicates = 2, checkpoints = 2,
  privacy = { epsilon = { 0.5, 1 }, delta = 1e-6 }, measures = { "grad_norm", "objective" },
  problem = { data = { "signs", mean = 0.3 }, n = { 100, 200 }, d = 4 },
  sweeps = {
    plain = { problem = { loss = { "pseudo_huber", "huber_ramp" } },
              algorithms = { { "dp_gd", steps = 3 }, { "gd", steps = 20 } } },
    same  = { problem = { loss = "huber_ramp" }, replicates = 2, algorithms = { { "dp_gd", steps = 3 } } },
    tuned = { problem = { loss = "pseudo_huber" },
              algorithms = { { "dp_gd", tune = { eta = { 0.1, 1 }, steps = { times = { 0.5, 1 } } } },
                             { "dp_gd", label = "lent", privacy = { noise = "off" }, tune = "dp_gd" },
                             { "dp_spider", tune = { eta = { 0.1, 1 }, steps = { 2, 4 } } } } },
  },
}
LUA
run() { "$STILLPOINT" run part.lua --no-plot -j 2 "$@" >run.txt 2>run.err || { cat run.err >&2; fail "run $*"; }; }
says() { grep -q -- "$1" run.err || { cat run.err >&2; fail "run does not say '$1'"; }; }
# status EXPECTED...: "sweep/label done missing" of every line.
status() {
    "$STILLPOINT" status part.lua --plain | awk -F '\t' 'NR > 1 { print $1 "/" $2, $4, $7 }' >status.txt || true
    printf '%s\n' "$@" | diff - status.txt || fail "status"
}
# Label, epsilon, n and loss of what runs.tsv holds, with the number of its runs.
held() { sh "$SOURCE/tests/joined.sh" results/part | awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { count[$at["sweep"] " " $at["label"] " " $at["privacy.epsilon"] " " $at["problem.n"] " " $at["problem.loss"]]++ }
    END { for (key in count) print key, count[key] }' | sort; }

"$STILLPOINT" run part.lua --no-plot --quiet --root whole || fail "whole"

# The cells that were asked for and no others: any of the labels, any value of a key, all keys.
run --only gd --only dp_gd --where n=2e2 --where epsilon=1 --where problem.loss=pseudo_huber --where sweep=plain
says '^selected: 3 of [0-9]* runs$'
says '3 done now, 0 there before'
held >held.txt
echo 'plain dp_gd 1 200 pseudo_huber 3' | diff - held.txt || fail "more or less than was selected"
run --where sweep=plain --where epsilon=1 --where n=200 --where loss=huber_ramp
run --where sweep=same --where epsilon=1 --where n=100 --where n=200
says '4 runs: 2 done now, 2 there before' # two of the three runs that another sweep has made
run --only gd
says '12 done now'

# Of the tuned ones: the grids that they need, of the entry that lends its winner too, and no further ones.
"$STILLPOINT" plan part.lua --only lent --where n=200 >plan.txt
grep -q '^18 tuning runs$' plan.txt && grep -q '^2 cells, 0 skipped; 24 runs: 0 done' plan.txt || { cat plan.txt >&2; fail "plan"; }
[ "$(grep -c '^tuning  tuned/dp_gd: 9 runs' plan.txt)" -eq 2 ] || fail "plan shows other grids"
run --only lent --where n=200
says '^selected: 6 of [0-9]* runs, and the 18 tuning runs that choose their parameters$'
status 'plain/dp_gd 8 16' 'plain/gd 12 0' 'same/dp_gd 4 4' 'tuned/dp_gd (tuning) 18 18' 'tuned/dp_gd 0 12' 'tuned/lent 6 6' \
    'tuned/dp_spider (tuning) 0 32' 'tuned/dp_spider 0 12'
"$STILLPOINT" status part.lua --only lent --where n=200 >status.txt || fail "status: what was selected is done"
[ "$(wc -l <status.txt)" -eq 3 ] || { cat status.txt >&2; fail "status shows others"; }
! "$STILLPOINT" status part.lua --only lent >/dev/null || fail "status: all is done"

# What a grid chooses names no cell, before and after it has chosen.
for value in eta=0.1 algorithm.eta=1; do
    ! "$STILLPOINT" run part.lua --where $value 2>run.err || fail "--where $value"
    says "a grid chooses"
done
run --where steps=3 --where n=100
says '^selected: 16 of'

# The rest: the same bytes as in one go.
run
for table in cells runs traces tuning claims; do
    cmp whole/results/part/$table.tsv results/part/$table.tsv || fail "$table.tsv differs from that of one go"
done

# Again: the selected ones are made anew, by another invocation, to the same bytes; tuning runs are not.
cp -r results/part made
sleep 1.1
run --again --only dp_gd --where n=100
says '22 done now, 18 there before'
for table in cells runs traces tuning provenance; do cmp made/$table.tsv results/part/$table.tsv || fail "again: $table.tsv"; done
"$STILLPOINT" export part.lua --quiet
tail -1 results/part/provenance.tsv | grep -q -- '--again --only dp_gd.*	18	' || fail "again: $(cat results/part/provenance.tsv)"
run --again --all
says '80 done now, 68 there before' # the tuning runs

# Killed in the middle of it, every run is there: the one before or the one after.
"$STILLPOINT" run part.lua --no-plot --quiet --again --all -j 1 &
parent=$!
sleep 0.05
kill -9 $parent 2>/dev/null || true
wait $parent 2>/dev/null || true
"$STILLPOINT" status part.lua >status.txt || { cat status.txt >&2; fail "a killed --again has lost runs"; }
"$STILLPOINT" export part.lua --quiet
for table in cells runs traces tuning; do cmp made/$table.tsv results/part/$table.tsv || fail "killed: $table.tsv"; done
