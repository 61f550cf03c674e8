#!/bin/sh
# `verify`: runs of committed tables, and of fresh ones, also with parameters that a grid has chosen, made again are the same
# in every field; a changed digit is found, and what cannot be rerun is named.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# --- committed tables, by the program as it is now
for name in quickstart escape_lemma kl jl_glm frank_wolfe bodies; do
    "$STILLPOINT" verify "$SOURCE/experiments/$name.lua" "$SOURCE/results/$name" --sample=2 >out.txt ||
        { cat out.txt >&2; fail "the committed runs of $name are not what this program makes"; }
    grep -q "results/$name: 2 of 2 runs are the same in every field" out.txt || { cat out.txt >&2; fail "$name"; }
done

# --- tables of one's own
cat >mine.lua <<'LUA'
return {
  question = "the same again?", seed = 7, replicates = 3,
  problem = { loss = "logistic", data = "logistic", n = { 200, 400 }, d = 3 },
  privacy = { epsilon = 1, delta = 1e-5 },
  algorithms = { { "dp_gd", steps = 5 }, { "gd", steps = 5 } },
  measures = { "grad_norm", "excess_risk" },
}
LUA
"$STILLPOINT" run mine.lua --no-plot --no-audit --quiet
cp -R results/mine kept
rm -r results
"$STILLPOINT" verify mine.lua kept --sample=100 >all.txt || { cat all.txt >&2; fail "verify"; }
[ "$(grep -c '^same ' all.txt)" -eq 12 ] && grep -q '^kept: 12 of 12 runs are the same in every field; chosen from 12; .*all 12 ' all.txt ||
    { cat all.txt >&2; fail "all runs"; }
[ ! -e results ] || fail "verify left something"
"$STILLPOINT" verify mine.lua kept --sample=4 >few.txt
head -n 4 all.txt | cmp - "$(head -n 4 few.txt >four.txt; echo four.txt)" || fail "a larger sample holds the smaller one"
"$STILLPOINT" verify mine.lua kept --sample=4 --seed=2 | head -n 4 >other.txt
if cmp -s four.txt other.txt; then fail "another seed chooses the same runs"; fi

# --- what a grid has chosen: by tuning.tsv, of a family, of a tuning that another entry takes over, and without the table not
cat >tuned.lua <<'LUA'
return {
  question = "the winners again?", seed = 7, replicates = 3, tuning_replicates = 2,
  problem = { loss = { "pseudo_huber", scale = { 0.5, 1 } }, family = "loss.scale", declared = { L = 3, L_data = 3, beta = 4, beta_data = 4, rho_hessian = 6, gap = 4, distance = 4 },
              data = { "signs", mean = 0.3 }, n = { 200, 400 }, d = 3 },
  privacy = { epsilon = 1, delta = 1e-5 },
  algorithms = { { "dp_gd", tune = { eta = { 0.1, 0.3, 0.9 }, steps = { 3, 6 } } },
                 { "dp_gd", label = "free", tune = "dp_gd", privacy = { noise = "off" } },
                 { "dp_ngd", tune = { steps = { times = { 0.01, 0.02, 0.04, 0.08, 0.16, 0.32 } } } } },
  measures = { "grad_norm" },
}
LUA
"$STILLPOINT" run tuned.lua --no-plot --no-audit --quiet || fail "tuned.lua"
rm results/tuned/store.sqlite*
run=$(awk -F '\t' 'NR == FNR { if ($0 ~ /\tdp_gd\tdp_gd\t/) cell[$1]; next } $2 in cell { print $1; exit }' results/tuned/cells.tsv results/tuned/runs.tsv)
"$STILLPOINT" run --rerun tuned.lua "$run" >out.txt 2>&1 || { cat out.txt >&2; fail "rerun of a tuned run"; }
mv results/tuned chosen
rm -r results
"$STILLPOINT" verify tuned.lua chosen --sample=100 >out.txt || { cat out.txt >&2; fail "tuned runs"; }
[ "$(grep -c '^same .*/dp_gd,' out.txt)" -eq 12 ] && [ "$(grep -c '^same .*/free,' out.txt)" -eq 12 ] &&
    grep -q '^chosen: 24 of 24 runs are the same in every field; chosen from 24, without those whose grid has to' out.txt ||
    { cat out.txt >&2; fail "which tuned runs"; }
rm chosen/tuning.tsv
code=0
"$STILLPOINT" verify tuned.lua chosen 2>message.txt || code=$?
[ $code -eq 1 ] && grep -q 'chosen/tuning.tsv: missing' message.txt || { cat message.txt >&2; fail "a missing table: code $code"; }
sh "$SOURCE/tests/unsealed.sh" chosen
code=0
"$STILLPOINT" verify tuned.lua chosen 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q 'none of its 36 rows can be rerun: .* a grid has to be searched first' message.txt ||
    { cat message.txt >&2; fail "without tuning.tsv: code $code"; }

# --- one digit
sh "$SOURCE/tests/unsealed.sh" kept
# --- one digit
sh "$SOURCE/tests/unsealed.sh" kept
run=$(sed -n '3s/^same     run \([0-9a-f]*\) .*/\1/p' all.txt)
awk -v run="$run" 'BEGIN { FS = OFS = "\t" }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $1 == run { value = $at["grad_norm"]; digit = substr(value, length(value))
                $at["grad_norm"] = substr(value, 1, length(value) - 1) (digit + 1) % 10 }
    { print }' kept/runs.tsv >changed.tsv
cp changed.tsv kept/runs.tsv
if "$STILLPOINT" verify mine.lua kept --sample=3 >out.txt; then fail "a changed digit is not found"; fi
grep -q "^DIFFERS  run $run (main/.*): grad_norm = .* in kept/runs.tsv:[0-9]*, .* here$" out.txt &&
    grep -q '^kept: 2 of 3 runs are the same' out.txt || { cat out.txt >&2; fail "what differs"; }
"$STILLPOINT" verify mine.lua kept --sample=2 --quiet >out.txt || fail "the changed run was not chosen"
[ "$(wc -l <out.txt)" -eq 1 ] || fail "--quiet"

# --- an error behind a difference: a field of the next run is no number
next=$(sed -n '4s/^same     run \([0-9a-f]*\) .*/\1/p' all.txt)
awk -v run="$next" 'BEGIN { FS = OFS = "\t" } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == run { $at["grad_norm"] = "many" } { print }' \
    changed.tsv >kept/runs.tsv
code=0
"$STILLPOINT" verify mine.lua kept --sample=5 >out.txt 2>message.txt || code=$?
[ $code -eq 1 ] && grep -q "^DIFFERS  run $run " out.txt && grep -q '^kept: 2 of 3 runs are the same in every field' out.txt &&
    grep -q 'kept/runs.tsv:.*many' message.txt || { cat out.txt message.txt >&2; fail "an error behind a difference: code $code"; }
cp changed.tsv kept/runs.tsv

# --- nothing to compare
code=0
"$STILLPOINT" verify mine.lua nowhere 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q 'nowhere: no runs.tsv there: verify takes a folder of tables' message.txt ||
    { cat message.txt >&2; fail "no tables"; }
sed 's/seed = 7/seed = 8/' mine.lua >other.lua
code=0
"$STILLPOINT" verify other.lua kept 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q 'kept: none of its 12 rows can be rerun' message.txt || { cat message.txt >&2; fail "another seed"; }

cat >real.lua <<'LUA'
return {
  question = "data that are not here?", seed = 7, replicates = 2,
  problem = { loss = "logistic", data = "ijcnn1", n = 200 },
  privacy = { epsilon = 1, delta = 1e-5 }, algorithms = { { "dp_gd", steps = 5 } }, measures = { "grad_norm" },
}
LUA
code=0
env -u STILLPOINT_DATA STILLPOINT_CACHE="$PWD/empty" "$STILLPOINT" verify real.lua kept 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q 'kept: none of its 12 rows can be rerun: data ijcnn1 is not on this machine (stillpoint data fetch' \
    message.txt || { cat message.txt >&2; fail "data that are not here"; }

# --- all that there are: two experiments, one whose file is gone, one whose seed has changed
mkdir -p all/experiments
sed 's/replicates = 3/replicates = 2/' mine.lua >all/experiments/one.lua
cp mine.lua all/experiments/two.lua
cp mine.lua all/experiments/gone.lua
cp mine.lua all/experiments/other.lua
for name in one two gone other; do "$STILLPOINT" run all/experiments/$name.lua --root all --no-plot --no-audit --quiet; done
rm all/experiments/gone.lua
cp other.lua all/experiments/other.lua
"$STILLPOINT" verify --root all --sample 2 >out.txt || { cat out.txt >&2; fail "all experiments"; }
[ "$(grep -c '^same ' out.txt)" -eq 4 ] && grep -q '^not checked: gone: no such experiment' out.txt &&
    grep -q '^not checked: all/results/other: none of its 12 rows can be rerun' out.txt &&
    grep -qxF '2 of 4 experiments checked: 4 of 4 runs are the same in every field' out.txt || { cat out.txt >&2; fail "all"; }
"$STILLPOINT" verify --root all --quiet | grep -qxF '2 of 4 experiments checked: 2 of 2 runs are the same in every field' ||
    fail "one run of each"
code=0
"$STILLPOINT" verify onee --root all 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q '^stillpoint: onee: no such experiment: .*; did you mean one?$' message.txt ||
    { cat message.txt >&2; fail "a name that is nearly one"; }
"$STILLPOINT" verify one --root all --quiet | grep -q '^all/results/one: 5 of 5 runs' || fail "by its name"
sh "$SOURCE/tests/unsealed.sh" all/results/two
cp changed.tsv all/results/two/runs.tsv
code=0
"$STILLPOINT" verify --root all --sample 12 >out.txt || code=$?
[ $code -eq 1 ] && grep -qxF '2 of 4 experiments checked: 19 of 20 runs are the same in every field' out.txt ||
    { cat out.txt >&2; fail "a changed digit among all: code $code"; }
awk -v run="$next" 'BEGIN { FS = OFS = "\t" } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == run { $at["grad_norm"] = "many" } { print }' \
    changed.tsv >all/results/two/runs.tsv
code=0
"$STILLPOINT" verify --root all --sample 12 >out.txt 2>message.txt || code=$?
[ $code -eq 1 ] && grep -qxF '1 of 4 experiments checked: 10 of 11 runs are the same in every field' out.txt ||
    { cat out.txt message.txt >&2; fail "an error behind a difference among all: code $code"; }
cp changed.tsv all/results/two/runs.tsv
echo broken >all/results/one/runs.tsv
code=0
"$STILLPOINT" verify --root all >out.txt 2>message.txt || code=$?
[ $code -eq 1 ] && grep -q 'all/results/one' message.txt && grep -q '^all/results/two: ' out.txt ||
    { cat out.txt message.txt >&2; fail "broken tables among all: code $code"; }
code=0
"$STILLPOINT" verify --root nowhere 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q 'nowhere/results: no results there yet' message.txt || { cat message.txt >&2; fail "no root"; }
code=0
"$STILLPOINT" verify --quick one two 2>message.txt || code=$?
[ $code -eq 2 ] && grep -q ' two ' message.txt || { cat message.txt >&2; fail "--quick with two words: code $code"; }
