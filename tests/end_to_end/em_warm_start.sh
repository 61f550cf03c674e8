#!/bin/sh
# Exponential mechanisms in an experiment, at its smoke scale: what reaches the tables; a yardstick refused a budget.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" run "$SOURCE/experiments/em_warm_start.lua" --scale smoke -j 2 --quiet || fail "run"
results=results/em_warm_start.smoke
table=runs.tsv
sh "$SOURCE/tests/joined.sh" $results >$table
awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    {
        rows++
        first = $col["algorithm.first"]
        if ($col["status"] != "ok") { print $col["message"]; bad++ }
        spent = $col["epsilon_spent"] / $col["privacy.epsilon"]
        if ($col["private"] == "yes" && $col["algorithm"] != "start" && !(spent > 0.6 && spent <= 1)) {
            print $col["label"] " spent " spent " of the budget"; bad++
        }
        if ((first ~ /^em_(product|net|reject)$/ || $col["algorithm"] == "em_product") &&
            $col["losses"] != $col["problem.n"]) {
            print "a search told its evaluations: " $col["losses"]; bad++ # one a record counts
        }
        if (first ~ /^em_/ && $col["resolved"] !~ /gap=.* first\.bound=.* second\.steps=/) {
            print "the stages are not told: " $col["resolved"]; bad++
        }
        if ($col["sweep"] != "first" && $col["sweep"] != "path" &&
            ($col["algorithm"] == "warm_start") != ($col["handover_gap"] ~ /^[0-9]/)) {
            print "handover_gap of " $col["label"] ": " $col["handover_gap"]; bad++
        }
        if (first == "em_product" && $col["privacy.noise"] == "off" && !($col["grad_norm"] < 1e-12)) {
            print "without noise: " $col["grad_norm"]; bad++
        }
    }
    END { print rows " runs checked"; exit bad > 0 || rows != 394 }' $table || fail "values"
code=0
"$STILLPOINT" check em_warm_start.smoke --plain >check.tsv || code=$?
[ $code -le 100 ] || fail "check: exit code $code"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
    $k["exponent"] == "NaN" || $k["reason"] ~ /runs are there|runs failed|^no / {
        print $k["sweep"], $k["algorithm"], $k["reason"]; bad++ }
    END { exit bad > 0 || NR != 8 }' check.tsv || fail "a claim that cannot be judged, or not seven"
for figure in n1 n3 n10 n1_residuals n3_residuals n10_residuals d mu first stages path; do
    [ -s plots/em_warm_start.smoke/$figure.svg ] || fail "no figure $figure"
done

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
