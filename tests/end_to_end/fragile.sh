#!/bin/sh
# Methods, measures and losses of a built-in folder (tests/fragile) crash in `run`, in every phase in which they are called: a
# method in its runs, in those of its grid and in its audit, a measure, a loss on the way to F*. Each crash costs its own runs,
# which are rows that failed; all others succeed, with the bytes of a run in which nothing crashes. So does a method that
# loops for ever, takes all memory, or returns no number.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
program=$(dirname "$STILLPOINT")/stillpoint_cheats

cat >e.lua <<'LUA'
local small = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 }
return { seed = 1, replicates = 2, privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
  sweeps = {
    plain = { problem = small, algorithms = { { "dp_gd", steps = 3 } } },
    method = { problem = small, algorithms = { { "fragile" }, { "fragile", label = "tuned", tune = { eta = { 0.1, 0.5 } } } } },
    measure = { problem = small, algorithms = { { "dp_gd", steps = 4 } }, measures = { "fragile_measure" } },
    loss = { problem = { loss = "fragile_loss", data = "logistic", n = 100, d = 3 }, measures = { "excess_risk" },
             algorithms = { { "dp_gd", steps = 40, eta = 40 } } },
  } }
LUA
"$program" run e.lua --no-plot -q --no-audit --root sound || fail "nothing crashes"
rows() { # file: sweep of each run, its status and its values, without the number of the cell
    awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        FILENAME ~ /cells.tsv$/ { sweep[$1] = $at["sweep"]; next }
        { print sweep[$at["cell"]], $1, $at["status"], $at["grad_norm"] }' "$1/results/e/cells.tsv" "$1/results/e/runs.tsv" | sort
}
rows sound >sound.txt
[ "$(grep -c ' ok ' sound.txt)" -eq 10 ] || fail "ten runs: $(cat sound.txt)"
for phase in measure loss; do
    code=0
    FRAGILE=$phase "$program" run e.lua --no-plot -q --no-audit --root $phase >out.txt 2>&1 || code=$?
    [ $code -eq 1 ] || { cat out.txt >&2; fail "$phase: exit code $code"; }
    rows $phase >rows.txt
    grep "^$phase " rows.txt | grep -q ' SP_E' || fail "$phase: no run of it failed: $(cat rows.txt)"
    grep -v "^$phase " sound.txt >expected.txt
    grep -v "^$phase " rows.txt | cmp - expected.txt || fail "$phase: it cost other runs"
done
# said PHASE WORDS: the rows of the method say so
said() {
    code=0
    FRAGILE=$1 "$program" run e.lua --no-plot -q --no-audit --root "$1" --time-limit 4 --memory-limit 64 >out.txt 2>&1 || code=$?
    [ $code -eq 1 ] || { cat out.txt >&2; fail "$1: exit code $code"; }
    grep -q "$2" "$1/results/e/runs.tsv" || fail "$1: $(cat "$1/results/e/runs.tsv")"
    rows "$1" | grep -v '^method ' >rows.txt
    grep -v '^method ' sound.txt | cmp - rows.txt || fail "$1: it cost other runs"
}
said method 'SP_ECRASH	the worker died of SIGSEGV'
said loop 'SP_ELIMIT	time limit of 4 s'
said leak 'SP_ELIMIT	memory limit of 64 MiB'
said nan 'SP_ENUMERIC	the returned iterate is not finite'
code=0
FRAGILE=trial "$program" run e.lua --no-plot -q --no-audit --root trial >out.txt 2>&1 || code=$?
[ $code -eq 1 ] || fail "a point of a grid: exit code $code"
[ "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["label"] == "tuned" { print $at["algorithm.eta"] }' \
    trial/results/e/tuning.tsv)" = 0.1 ] || fail "the point that crashes wins"
code=0
FRAGILE=method "$program" run e.lua --no-plot -q --root audited >out.txt 2>&1 || code=$?
[ $code -eq 1 ] && grep -q '^audit: fragile: .*SIGSEGV' out.txt || { cat out.txt >&2; fail "an audit: exit code $code"; }
