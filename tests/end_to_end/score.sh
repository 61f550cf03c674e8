#!/bin/sh
# score: every table against a computation from the tables of the runs (score.py): a method that fits one kind of problem
# alone, failed runs, ties, one problem; words that are not known.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
refused() {
    text=$1
    shift
    code=0
    "$STILLPOINT" score "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "score $*: does not refuse with '$text'"; }
}
agrees() { # EXPERIMENT MEASURE
    for table in scores dominance search utility; do
        "$STILLPOINT" score "$1" --measure "$2" --table $table --plain >$table.tsv || fail "score $1 --table $table"
        "$STILLPOINT" score "$1" --measure "$2" --table $table >$table.txt || fail "score $1 --table $table"
        [ "$(wc -l <$table.txt)" -ge 3 ] || fail "score $1 --table $table: too short"
    done
    "$STILLPOINT" score "$1" --measure "$2" --table dominance --base "$(sed -n 2p scores.tsv | cut -f 1)" --plain >base.tsv ||
        fail "score $1 --base"
    python3 -I "$SOURCE/tests/end_to_end/score.py" "results/$1" "$2" scores.tsv dominance.tsv search.tsv utility.tsv base.tsv ||
        fail "score $*"
}

cat >many.lua <<'LUA'
local function entries()
  return {
    { "dp_gd", select = "last", tune = { eta = { 0.3, 1, 3 }, steps = { 2, 5, 12 } } },
    { "dp_ngd", select = "last", tune = { eta = { 0.05, 0.1, 0.3 }, steps = { 2, 5, 12 } } },
    { "dp_sgd", select = "last", tune = { eta = { 0.1, 0.3, 1 }, steps = { 5, 20, 60 } } },
    { "kl_gd" }, { "start" }, { "gd", steps = 20 },
  }
end
local function sweep(loss, data, d, domain)
  return { problem = { loss = loss, data = data, n = { 200, 400 }, d = d, domain = domain }, algorithms = entries() }
end
return {
  seed = 5, replicates = 4, tuning_replicates = 2, checkpoints = 1,
  privacy = { epsilon = { 0.5, 2.385 }, delta = function (c) return 1 / c.n ^ 2 end },
  measures = { "objective", "excess_risk", "grad_norm" }, tuning_measure = "excess_risk",
  sweeps = {
    huber = sweep("pseudo_huber", { "signs", mean = 0.3 }, 4),
    sin = sweep("sin_pl", { "signs", mean = 0.4 }, 3, { "l2_ball", radius = 2 }),
    cauchy = sweep("cauchy", { "linear", noise = 0.2 }, 5),
    hinge = sweep("hinge", "logistic", 3, { "l2_ball", radius = 2 }),
  },
}
LUA
"$STILLPOINT" run many.lua --quiet --no-plot -j 2 || fail "run"
agrees many excess_risk
[ "$(awk -F '\t' '$1 == "kl_gd" { print $2, $3 }' scores.tsv)" = "4 1" ] || fail "kl_gd plays on one problem, of two n and two budgets"
! grep -q '^gd	' scores.tsv || fail "a method without a budget is compared with those that have one"
"$STILLPOINT" score many --measure excess_risk --table dominance >dominance.txt
grep -qF 'p adjusted over the 6 pairs that share two problems or more' dominance.txt ||
    { cat dominance.txt >&2; fail "kl_gd shares one problem with each of four: 6 of 10 pairs are tested"; }
"$STILLPOINT" score many --measure excess_risk --table dominance --base dp_gd >dominance.txt
grep -qF 'p adjusted over the 3 pairs' dominance.txt || { cat dominance.txt >&2; fail "the pairs of one method"; }
agrees many grad_norm

# Runs that failed: all of one cell, one of another; two methods that always tie.
cp -r results/many results/broken
awk -F '\t' 'BEGIN { OFS = "\t" }
    NR == FNR { if (FNR > 1) { label[$1] = $3; sweep[$1] = $2 } next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    sweep[$at["cell"]] == "huber" && label[$at["cell"]] == "dp_ngd" || sweep[$at["cell"]] == "sin" && label[$at["cell"]] == "dp_gd" && $at["replicate"] == 2 {
        $at["status"] = "SP_EMETHOD"; $at["excess_risk"] = $at["grad_norm"] = "NaN"
    }
    { print }' results/many/cells.tsv results/many/runs.tsv >results/broken/runs.tsv
agrees broken excess_risk
[ "$(awk -F '\t' '$1 == "dp_ngd" { print $4 }' scores.tsv)" -eq 16 ] || fail "failed runs are not counted"
grep -q '^dp_ngd	.*	sign	' dominance.tsv || fail "failed runs and no sign test"

# Runs that are missing for want of F*: one of a cell, all of another, and of one method one more than of the others.
cp -r results/many results/unknown
awk -F '\t' 'BEGIN { OFS = "\t" }
    NR == FNR { if (FNR > 1) { label[$1] = $3; sweep[$1] = $2 } next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    sweep[$at["cell"]] == "sin" && label[$at["cell"]] == "dp_ngd" ||
    sweep[$at["cell"]] == "huber" && $at["replicate"] == 2 + (label[$at["cell"]] == "dp_gd") ||
    sweep[$at["cell"]] == "cauchy" && label[$at["cell"]] == "dp_sgd" && $at["replicate"] != 1 {
        $at["status"] = "SP_EREFERENCE"; $at["excess_risk"] = $at["start.excess_risk"] = "NaN"
    }
    { print }' results/many/cells.tsv results/many/runs.tsv >results/unknown/runs.tsv
agrees unknown excess_risk
[ "$(awk -F '\t' '{ n += $4 } END { print n }' scores.tsv)" -eq 0 ] || fail "a run without F* counts as failed"
[ "$(awk -F '\t' '$1 == "dp_ngd" { print $2 }' scores.tsv)" -eq 8 ] || fail "a method plays where all its runs are missing"

refused "has no measure of which less is better objectiv" many --measure objectiv
refused "score has no table score" many --table score
refused "many has no label gd" many --base gd
refused "no tables there yet" nothing
