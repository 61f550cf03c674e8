#!/bin/sh
# score: every table, and the table of every figure of it, against a computation from the tables of the runs (score.py): a
# method that fits one kind of problem alone, failed runs, ties, one problem; words that are not known.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
refused() {
    text=$1
    shift
    code=0
    "$STILLPOINT" compare --score "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "score $*: does not refuse with '$text'"; }
}
agrees() { # EXPERIMENT MEASURE
    for table in scores dominance search utility; do
        "$STILLPOINT" compare --score "$1" --measure "$2" --table $table --plain >$table.tsv || fail "score $1 --table $table"
        "$STILLPOINT" compare --score "$1" --measure "$2" --table $table >$table.txt || fail "score $1 --table $table"
        [ "$(wc -l <$table.txt)" -ge 3 ] || fail "score $1 --table $table: too short"
    done
    "$STILLPOINT" compare --score "$1" --measure "$2" --table dominance --base "$(sed -n 2p scores.tsv | cut -f 1)" --plain >base.tsv ||
        fail "score $1 --base"
    python3 -I "$SOURCE/tests/end_to_end/score.py" "results/$1" "$2" scores.tsv dominance.tsv search.tsv utility.tsv base.tsv \
        results/$1/figures/$2 || fail "score $*"
}

cat >many.lua <<'LUA'
local function entries(domain) -- grids of 9 points, on a ball of 12
  return {
    { "dp_gd", select = "last", tune = { eta = domain and { 0.1, 0.3, 1, 3 } or { 0.3, 1, 3 }, steps = { 2, 5, 12 } } },
    { "dp_ngd", select = "last",
      tune = { eta = domain and { 0.02, 0.05, 0.1, 0.3 } or { 0.05, 0.1, 0.3 }, steps = { 2, 5, 12 } } },
    { "dp_sgd", select = "last",
      tune = { eta = domain and { 0.03, 0.1, 0.3, 1 } or { 0.1, 0.3, 1 }, steps = { 5, 20, 60 } } },
    { "kl_gd" }, { "start" }, { "gd", steps = 20 },
  }
end
local function sweep(loss, data, d, domain)
  return { problem = { loss = loss, data = data, n = { 200, 400 }, d = d, domain = domain }, algorithms = entries(domain) }
end
local experiment = {
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
local function shown(kind, measure, methods)
  return { name = measure .. "_" .. kind .. (methods and "_some" or ""), kind = kind, across = true, y = measure, methods = methods }
end
local some, risk, norm = { "start", "dp_sgd", "dp_gd" }, "excess_risk", "grad_norm"
experiment.sweeps.sin.figures = {
  shown("dominance", risk), shown("search", risk), shown("utility", risk), shown("dominance", norm), shown("utility", norm),
  shown("dominance", risk, some), shown("search", risk, { "dp_sgd", "dp_gd" }), shown("utility", risk, some),
  { name = "alone", kind = "utility", y = "excess_risk" }, { name = "no_pair", kind = "dominance", y = "excess_risk" },
  { name = "where", kind = "dominance", across = true, y = "excess_risk", where = { epsilon = 0.5 } },
}
return experiment
LUA
"$STILLPOINT" run many.lua --quiet --no-plot -j 2 || fail "run"
"$STILLPOINT" plot many.lua >said.txt 2>&1 || { cat said.txt >&2; fail "plot"; }
grep -q 'figure no_pair is not drawn: no two of its methods share two problems' said.txt || { cat said.txt >&2; fail "a square without a field"; }
[ "$(ls plots/many | wc -l)" -eq 10 ] || fail "figures: $(ls plots/many)"
agrees many excess_risk
[ "$(awk -F '\t' '$1 == "kl_gd" { print $2, $3 }' scores.tsv)" = "4 1" ] || fail "kl_gd plays on one problem, of two n and two budgets"
! grep -q '^gd	' scores.tsv || fail "a method without a budget is compared with those that have one"
"$STILLPOINT" compare --score many --measure excess_risk --table dominance >dominance.txt
grep -qF 'p adjusted over the 6 pairs that share two problems or more' dominance.txt ||
    { cat dominance.txt >&2; fail "kl_gd shares one problem with each of four: 6 of 10 pairs are tested"; }
"$STILLPOINT" compare --score many --measure excess_risk --table dominance --base dp_gd >dominance.txt
grep -qF 'p adjusted over the 3 pairs' dominance.txt || { cat dominance.txt >&2; fail "the pairs of one method"; }
agrees many grad_norm

# Runs that failed: all of one cell, one of another; two methods that always tie.
cp -r results/many results/broken
sh "$SOURCE/tests/unsealed.sh" results/broken
awk -F '\t' 'BEGIN { OFS = "\t" }
    NR == FNR { if (FNR > 1) { label[$1] = $3; sweep[$1] = $2 } next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    sweep[$at["cell"]] == "huber" && label[$at["cell"]] == "dp_ngd" || sweep[$at["cell"]] == "sin" && label[$at["cell"]] == "dp_gd" && $at["replicate"] == 2 {
        $at["status"] = "SP_EMETHOD"; $at["excess_risk"] = $at["grad_norm"] = "NaN"
    }
    { print }' results/broken/cells.tsv results/broken/runs.tsv >runs.tsv
mv runs.tsv results/broken/runs.tsv
cp many.lua broken.lua
"$STILLPOINT" verify --seal broken.lua --plain --quiet >said.txt 2>&1 || : # its derived tables are of other runs
"$STILLPOINT" plot broken.lua >said.txt 2>&1 || { cat said.txt >&2; fail "plot of failed runs"; }
agrees broken excess_risk
[ "$(awk -F '\t' '$1 == "dp_ngd" { print $4 }' scores.tsv)" -eq 16 ] || fail "failed runs are not counted"
grep -q '^dp_ngd	.*	sign	' dominance.tsv || fail "failed runs and no sign test"

# Runs that are missing for want of F*: one of a cell, all of another, and of one method one more than of the others.
cp -r results/many results/unknown
sh "$SOURCE/tests/unsealed.sh" results/unknown
awk -F '\t' 'BEGIN { OFS = "\t" }
    NR == FNR { if (FNR > 1) { label[$1] = $3; sweep[$1] = $2 } next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
    sweep[$at["cell"]] == "sin" && label[$at["cell"]] == "dp_ngd" ||
    sweep[$at["cell"]] == "huber" && $at["replicate"] == 2 + (label[$at["cell"]] == "dp_gd") ||
    sweep[$at["cell"]] == "cauchy" && label[$at["cell"]] == "dp_sgd" && $at["replicate"] != 1 {
        $at["status"] = "SP_EREFERENCE"; $at["excess_risk"] = $at["start.excess_risk"] = "NaN"
    }
    { print }' results/unknown/cells.tsv results/unknown/runs.tsv >runs.tsv
mv runs.tsv results/unknown/runs.tsv
cp many.lua unknown.lua
"$STILLPOINT" verify --seal unknown.lua --plain --quiet >said.txt 2>&1 || : # its derived tables are of other runs
"$STILLPOINT" plot unknown.lua >said.txt 2>&1 || { cat said.txt >&2; fail "plot of missing runs"; }
agrees unknown excess_risk
[ "$(awk -F '\t' '{ n += $4 } END { print n }' scores.tsv)" -eq 0 ] || fail "a run without F* counts as failed"
[ "$(awk -F '\t' '$1 == "dp_ngd" { print $2 }' scores.tsv)" -eq 8 ] || fail "a method plays where all its runs are missing"

refused "has no measure of which less is better objectiv" many --measure objectiv
refused "has no table score" many --table score
refused "many has no label gd" many --base gd
refused "no tables there yet" nothing

# A figure of one sweep, or of one budget, has the numbers that its cells have alone.
keep() { # NAME CONDITION: an experiment with these cells
    mkdir -p results/$1
    awk -F '\t' "FNR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; print; next } $2" results/many/cells.tsv >results/$1/cells.tsv
    awk -F '\t' 'NR == FNR { cell[$1] = 1; next } FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
        $at["cell"] in cell' results/$1/cells.tsv results/many/runs.tsv >results/$1/runs.tsv
    cp results/many/keys.tsv results/many/provenance.tsv results/$1/
}
rows() { # FIGURE: its fields, from the labels on
    awk -F '\t' '$1 == "x" && $8 == "label" { inside = 1; next } NF < 16 { inside = 0 }
    inside { for (i = 8; i <= 16; i++) printf "%s%s", $i, i < 16 ? "\t" : "\n" }' results/many/figures/$1.tsv | tr -d '\\' | sort; }
keep budget '$at["privacy.epsilon"] == "0.5"'
"$STILLPOINT" compare --score budget --measure excess_risk --table dominance --plain |
    awk -F '\t' -v OFS='\t' 'NR > 1 && $11 != "-" { print $1, $2, $3, $6, $7, $8, $9, $10, $11 }' | sort >wanted.txt
rows where >drawn.txt
[ -s wanted.txt ] && diff wanted.txt drawn.txt || fail "a figure of one budget"
keep sweep '$at["sweep"] == "sin"'
"$STILLPOINT" compare --score sweep --measure excess_risk --table utility --plain |
    awk -F '\t' -v OFS='\t' 'NR > 1 && $4 != "NaN" { print $1, $2 + 0, $4 }' | sort >wanted.txt
awk -F '\t' -v OFS='\t' '$1 == "epsilon" { label = $2; next } NF < 6 { label = "" } label && $1 != "NaN" { print label, $1, $2 }' \
    results/many/figures/alone.tsv | tr -d '\\' | sort >drawn.txt
[ -s wanted.txt ] && diff wanted.txt drawn.txt || fail "a figure of one sweep"
