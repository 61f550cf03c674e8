#!/bin/sh
# Exponential mechanisms in an experiment, at its smoke scale: what reaches the tables; a yardstick refused a budget.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/em_warm_start.lua" --scale smoke -j 2 --quiet || fail "run"
table=runs.tsv
sh "$SOURCE/tests/joined.sh" results/em_warm_start.smoke >$table
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        if ($col["status"] != "ok") { print $col["message"]; bad++ }
        if ($col["private"] == "yes" && !($col["epsilon_spent"] > 0.8 && $col["epsilon_spent"] <= 1)) {
            print "spent " $col["epsilon_spent"]; bad++
        }
        if ($col["algorithm"] == "warm_start" && $col["losses"] != $col["problem.n"]) {
            print "a search told its evaluations: " $col["losses"]; bad++ # the reference point alone counts
        }
        if ($col["algorithm"] == "warm_start" && $col["resolved"] !~ /gap=.* first\.points=.* second\.steps=/) {
            print "the stages are not told: " $col["resolved"]; bad++
        }
        rows++
    }
    END { print rows " runs checked"; exit bad > 0 || rows != 81 }' $table || fail "values"
[ "$(sed 1d results/em_warm_start.smoke/claims.tsv | wc -l)" -eq 3 ] || fail "three claims"
for figure in d1 d2 d3; do [ -s plots/em_warm_start.smoke/$figure.svg ] || fail "no figure $figure"; done

cat >walk.lua <<'LUA'
return { seed = 1, replicates = 1, problem = { loss = "pseudo_huber", data = "signs", n = 50, d = 2 },
  privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "em_mcmc" }, { "em_mcmc", label = "vouched for", tv = 1e-8 }, { "em_mcmc", label = "without",
    privacy = "none" }, { "em_reject", running_time = "depends_on_records" }, { "em_zoom" }, { "langevin" } },
  measures = { "grad_norm" } }
LUA
"$STILLPOINT" run walk.lua --quiet --no-plot >out.txt 2>&1 || true
sh "$SOURCE/tests/joined.sh" results/walk >walk.tsv
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    ($col["status"] == "ok") == ($col["label"] == "em_mcmc") { print $col["label"], $col["message"]; bad++ }
    $col["label"] == "em_mcmc" && $col["message"] !~ /uncertified/ { print $col["message"]; bad++ }
    END { exit bad > 0 || NR != 7 }' walk.tsv || { cat out.txt >&2; fail "walk"; }
sed 's/, running_time = "depends_on_records"//' walk.lua >silent.lua
if "$STILLPOINT" plan silent.lua >out.txt 2>&1; then fail "em_reject without consent"; fi
grep -q 'running_time' out.txt || { cat out.txt >&2; fail "consent: message"; }
