#!/bin/sh
# Who made the tables: provenance.tsv changes with the bytes that stand beside it, so that the first command in a fresh clone
# leaves git nothing to say.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' # whoever the checkout belongs to

cat >small.lua <<'LUA'
return { seed = 23, replicates = 2, problem = { loss = "pseudo_huber", data = "signs", n = { 100, 200 }, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 3 } }, measures = { "grad_norm" } }
LUA
results=results/small
started() { awk -F '\t' 'NR > 1 { printf "%s%s", sep, $1; sep = " " }' $results/provenance.tsv; }
run() { "$STILLPOINT" run small.lua --no-plot -j 1 "$@" >run.txt 2>run.err || { cat run.err >&2; fail "run"; }; }

run
grep -q '^tables: ./results/small$' run.txt || fail "the first run says something else: $(cat run.txt)"
first=$(started)
cp -r $results made
sleep 1.1 # what is written anew has another time

# In a clone there is no store and no trace: the runs come from the tables. Made again, they have the same bytes, and their
# makers stay.
rm $results/store.sqlite* $results/traces.tsv $results/timings.tsv
run
grep -q ' 0 done now' run.err || fail "runs that are there were made again"
for table in cells runs provenance keys; do cmp made/$table.tsv $results/$table.tsv || fail "imported: $table.tsv changed"; done
[ ! -e $results/traces.tsv ] || fail "runs from tables have traces"
run --again --all
grep -q '4 done now' run.err || fail "nothing has run"
for table in cells runs traces provenance; do cmp made/$table.tsv $results/$table.tsv || fail "$table.tsv changed"; done
grep -q 'the same bytes as before: provenance.tsv says who made them first' run.txt || fail "run.txt: $(cat run.txt)"

# The store knows who made what it holds; export says so.
"$STILLPOINT" export small.lua --quiet
second=$(started)
[ "$second" \> "$first" ] || fail "exported: $second, not after $first"
run
[ "$(started)" = "$second" ] || fail "a run that makes nothing changed provenance.tsv"

# Other bytes have other makers: both, with their numbers of runs.
sed -i 's/replicates = 2/replicates = 3/' small.lua
sleep 1.1
run
awk -F '\t' -v second="$second" 'NR == 2 && $1 == second && $(NF - 1) == 4 && $NF == "1-2:0-1" { a = 1 } NR == 3 && $1 > second && $(NF - 1) == 2 && $NF == "1-2:2" { b = 1 }
                                 END { exit !(NR == 3 && a && b) }' $results/provenance.tsv || fail "$(cat $results/provenance.tsv)"

# The quickstart in a clone of this checkout's files, from the data to the figures.
"$STILLPOINT" data list | grep -q '^mushroom .* here' || { echo "the mushrooms are not on this machine: skipped the rest"; exit 0; }
git -C "$SOURCE" rev-parse >/dev/null 2>&1 || { echo "no git checkout: skipped the rest"; exit 0; }
mkdir -p clone/experiments
cp "$SOURCE/.gitignore" clone/
cp "$SOURCE/experiments/quickstart.lua" clone/experiments/
for folder in results plots; do
    mkdir clone/$folder
    git -C "$SOURCE" ls-files -z "$folder/quickstart" | (cd "$SOURCE" && tar cf - --null -T -) | tar xf - -C clone
done
cd clone
git init -q
git add -A
git -c user.name=test -c user.email=test commit -q -m committed
"$STILLPOINT" run experiments/quickstart.lua --again --all -j 2 >run.txt 2>run.err || { cat run.err >&2; fail "quickstart"; }
grep -q " 460 done now" run.err || { cat run.err >&2; fail "the quickstart has not run"; }
rm run.txt run.err
[ -z "$(git status --porcelain)" ] || fail "the quickstart leaves: $(git status --porcelain; git diff | head -20)"
