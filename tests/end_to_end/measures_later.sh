#!/bin/sh
# A measure that an experiment asks for later is taken on the iterates that its runs have returned, to the bits that a run
# with it from the start has; what cannot be had so is made again, and why is said.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
run() { "$STILLPOINT" run "$@" --no-plot -j 2 >run.txt 2>run.err || { cat run.err >&2; fail "run $*"; }; }
says() { grep -q -- "$1" run.err || { cat run.err >&2; fail "run does not say '$1'"; }; }
# same WHEN: the tables of both folders are the same bytes.
same() {
    for table in cells runs summary tuning; do
        [ ! -e "one/results/later/$table.tsv" ] && [ ! -e "two/results/later/$table.tsv" ] && continue
        cmp "one/results/later/$table.tsv" "two/results/later/$table.tsv" || fail "$1: $table.tsv"
    done
}
# write MEASURES [MORE]: of all kinds of runs: a tuned one, a mean over candidates, a warm start, real data, a failure.
write() {
    cat >later.lua <<LUA
return {
  seed = 11, replicates = 2, tuning_replicates = 2, checkpoints = 3, $2
  measures = { $1 },
  problem = { data = { "logistic" }, n = { 60, 90 }, d = 3, domain = { "l2_ball", radius = 3 }, population = 300 },
  privacy = { epsilon = 1, delta = 1e-5 },
  sweeps = {
    plain = { problem = { loss = { "logistic", "welsch" } },
              algorithms = { { "dp_gd", steps = 4 }, { "gd", steps = 30 }, { "start" } } },
    tuned = { problem = { loss = "logistic", n = 80 },
              algorithms = { { "dp_gd", label = "t", tune = { steps = { times = { 0.5, 1 } }, eta = { 0.1, 1 } } } } },
    mean  = { problem = { loss = "logistic", n = 80 }, algorithms = { { "dp_gd", steps = 4, select = "mean" } } },
    warm  = { problem = { loss = "logistic", n = 80 },
              algorithms = { { "warm_start", label = "w", first = { "dp_gd", steps = 3 }, second = { "dp_gd", steps = 3 } } } },
  },
}
LUA
}
all='"grad_norm", "objective", "accuracy", "excess_risk", "hessian_min_eigenvalue", "population_grad_norm",
     "population_excess_risk", "distance_to_minimiser", "fw_gap", "sosp_level"'

write '"grad_norm"' ''
run later.lua --root one
write "$all" ''
"$STILLPOINT" status later.lua --root one >status.txt && fail "status: nothing is stale"
grep -q 'plain/dp_gd .*(measure objective is new, measure accuracy is new' status.txt || { cat status.txt >&2; fail "status"; }
grep -q 'mean/dp_gd .*no iterate is stored: the run is made again' status.txt || { cat status.txt >&2; fail "status of a mean"; }
sed 's/gd/&/' one/results/later/timings.tsv >timings.tsv
run later.lua --root one
says '[0-9]* runs measured on stored iterates, without values along the way (--again has them): measure objective is new'
says '2 runs made again: measure objective is new (no iterate is stored: the run is made again)'
# Nothing was run but the mean: the seconds of all others are those of the first time.
awk -F '\t' 'FNR == NR { if ($5 == "-") t[$1 $2] = $6; next } $5 == "-" && FNR > 1 { if (t[$1 $2] != $6) n[$2]++; else same++ }
    END { for (s in n) if (s != "mean") exit 1; exit !(n["mean"] == 2 && same > 20) }' timings.tsv one/results/later/timings.tsv ||
    fail "other runs than those of the mean were made"
run later.lua --root two
same "further measures"
"$STILLPOINT" status later.lua --root one >status.txt || { cat status.txt >&2; fail "something is left to do"; }
# Along the way they have a value at the start alone; with --again everywhere.
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["sweep"] == "tuned" && ($at["accuracy"] == "-") != ($at["step"] > 0) { bad++ } $at["grad_norm"] == "-" { bad++ }
    END { exit bad > 0 }' one/results/later/traces.tsv || fail "values along the way"
run later.lua --root one --again --all
cmp one/results/later/traces.tsv two/results/later/traces.tsv || fail "again: traces.tsv"
same "again"

# What is about the path or the point handed over is not in the iterate.
write "$all, \"path_radius\", \"negative_curvature_share\"" ''
"$STILLPOINT" plan later.lua --root one >/dev/null
run later.lua --root one
says 'measure path_radius is new (it is about the path: the run is made again)'
run later.lua --root two
same "measures of the path"

# A trajectory shows it along the way.
sed 's/tuned = {/shown = { problem = { loss = "logistic", n = 60 }, algorithms = { { "dp_gd", steps = 9 } },\n              figures = { { name = "way", kind = "trajectory", y = "MEASURE" } } },\n    tuned = {/' later.lua >way.lua
sed 's/MEASURE/grad_norm/; s/"objective", //' way.lua >later.lua
run later.lua --root one
sed 's/MEASURE/objective/' way.lua >later.lua
run later.lua --root one --where sweep=shown
says '2 runs made again: measure objective is new (a figure shows it along the way: the run is made again)'

# Beyond 128 dimensions iterates are kept where the experiment says so.
for keep in false true; do
    cat >wide.lua <<LUA
return { seed = 3, replicates = 2, problem = { loss = "logistic", data = "logistic", n = 50, d = 129 }, keep_iterates = $keep,
         privacy = { epsilon = 1, delta = 1e-5 }, algorithms = { { "dp_gd", steps = 3 } }, measures = { "grad_norm" } }
LUA
    run wide.lua --root $keep
    sed -i 's/"grad_norm"/"grad_norm", "accuracy"/' wide.lua
    run wide.lua --root $keep
    if [ $keep = true ]; then says '2 runs measured on stored iterates'; else says 'no iterate is stored'; fi
done
for table in cells runs summary; do cmp false/results/wide/$table.tsv true/results/wide/$table.tsv || fail "wide: $table.tsv"; done

# Another tuning measure: the grid is measured, not run, and may have another winner; the same as from the start.
write "$all" 'tuning_measure = "grad_norm",'
rm -rf one two
run later.lua --root one --where sweep=tuned
write "$all" 'tuning_measure = "accuracy",'
run later.lua --root one --where sweep=tuned
says '[0-9]* runs measured on stored iterates.*: measure accuracy is new'
run later.lua --root two --where sweep=tuned
same "another tuning measure"
