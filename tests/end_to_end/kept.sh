#!/bin/sh
# No verb leaves fewer runs in the tables than it found: they are imported where the store lacks them, as in a fresh clone, and
# only --discard drops runs that an edited experiment no longer asks for.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
says() { grep -q -- "$1" out.txt || { cat out.txt >&2; fail "it does not say '$1'"; }; }
# expect CODE VERB WORDS...
expect() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq "$expected" ] || { cat out.txt >&2; fail "$*: exit code $code, expected $expected"; }
}
# clone FROM TO: what git keeps of a folder of results.
clone() {
    rm -rf "$2"
    mkdir -p "$2"
    cp "$1"/*.tsv "$2"
    rm -f "$2/traces.tsv" "$2/timings.tsv"
}
same() { for table in cells runs ${3:-}; do cmp "$1/$table.tsv" "$2/$table.tsv" || fail "$2: $table.tsv has changed"; done; }
rows() { awk 'END { print NR - 1 }' "$1/runs.tsv"; }

# write STEPS N REPLICATES
write() {
    cat >e.lua <<LUA
return {
  seed = 4711, replicates = $3, checkpoints = 2, measures = { "grad_norm", "excess_risk" },
  privacy = { epsilon = { 0.5, 1 }, delta = 1e-6 },
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0.3 }, n = { 100, $2 }, d = 4 },
  sweeps = {
    plain = { algorithms = { { "dp_gd", steps = $1 }, { "gd", steps = 20 } } },
    tuned = { algorithms = { { "dp_gd", tune = { eta = { 0.1, 0.5 } }, steps = 3 },
                             { "dp_gd", label = "factor", tune = { eta = { times = { 0.5, 2 } } }, steps = 3 } } },
  },
}
LUA
}
write 3 200 2
expect 0 run e.lua --root made --no-plot --no-audit
made=made/results/e all=$(rows made/results/e)

# A clone: parts of the sweep are run, or nothing, or tables of one label are merged.
expect 0 run e.lua --root few --only gd --no-plot --no-audit
i=0
for words in 'run --only gd' 'run --where n=100' 'run --only factor' 'run --only gd --again' 'export' run 'merge few/results/e'; do
    i=$((i + 1))
    clone $made c$i/results/e
    # shellcheck disable=SC2086
    set -- $words
    verb=$1
    shift
    [ "$verb" != run ] || set -- "$@" --no-plot --no-audit
    expect 0 $verb e.lua --root c$i "$@"
    [ "$verb" = merge ] || says "imported into the store"
    same $made c$i/results/e "tuning provenance"
done
expect 0 run e.lua --root c1 --no-plot --no-audit # grids are searched where the tables alone know the winner, and nothing else runs
same $made c1/results/e tuning
expect 0 status e.lua --root c1

# A clone of a part: what is missing is made.
clone $made part/results/e
awk 'NR < 8 || NR > 11' $made/runs.tsv >part/results/e/runs.tsv
rm -f part/results/e/SEAL
[ "$(rows part/results/e)" -eq $((all - 4)) ] || fail "no part: $(rows part/results/e) rows"
expect 0 run e.lua --root part --no-plot --no-audit
same $made part/results/e tuning

# Ctrl-C, in a clone in which every run has to be made again.
write 30000 200 40
expect 0 run e.lua --root long --no-plot --no-audit -j 2
clone long/results/e stopped/results/e
sed -i 's/^\([^	]*	[^	]*	[^	]*	\)[0-9a-f]\{16\}/\10123456789abcdef/; s/^\([^	]*	[^	]*	[^	]*	[^	]*	\)[0-9a-f]\{16\}/\10123456789abcdef/' stopped/results/e/keys.tsv
rm -f stopped/results/e/SEAL
timeout -s INT 0.5 "$STILLPOINT" run e.lua --root stopped --no-plot --no-audit -j 1 >out.txt 2>&1 && echo "too fast to be stopped" || true
same long/results/e stopped/results/e tuning
timeout -s KILL 0.4 "$STILLPOINT" run e.lua --root stopped --no-plot --no-audit -j 1 >out.txt 2>&1 || true
same long/results/e stopped/results/e tuning
expect 0 run e.lua --root stopped --no-plot --no-audit -j 2
same long/results/e stopped/results/e tuning

# An edited script: nothing runs, nothing is written; --discard drops rows and says how many; the store keeps the runs.
write 3 300 2
cp -r made edited
for verb in run export merge; do
    [ $verb != merge ] || mkdir -p edited/results/e/shards
    expect $([ $verb = run ] && echo 2 || echo 1) $verb e.lua --root edited
    says "hold [0-9]* rows of runs that e.lua does not ask for"
    says '--discard'
    same $made edited/results/e tuning
done
lost=$(sed -n 's/.*hold \([0-9]*\) rows.*/\1/p' out.txt)
expect 0 run e.lua --root edited --no-plot --no-audit --discard
says "$lost rows discarded"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "problem.n") n = i } NR > 1 && $n == 200 { bad = 1 } END { exit bad }' \
    edited/results/e/cells.tsv || fail "runs that nobody asks for are in the tables"
write 3 200 2
expect 0 run e.lua --root edited --no-plot --no-audit --discard
says ' 0 done now'
same $made edited/results/e tuning
# The same in a clone, whose store gets all the runs of the tables.
clone $made bare/results/e
write 3 300 2
expect 0 export e.lua --root bare --discard
says "$lost rows discarded"
write 3 200 2
expect 0 run e.lua --root bare --no-plot --no-audit # grids are searched; the runs themselves are in the store
same $made bare/results/e tuning

# More is asked for, or a label has another name: nothing to be said.
write 3 200 3
cp -r made more
sed -i 's/"gd", steps = 20/"gd", label = "descent", steps = 20/' e.lua
expect 0 run e.lua --root more --no-plot --no-audit
[ "$(rows more/results/e)" -gt "$all" ] || fail "more runs"

# Another experiment of the same name.
mkdir -p other
write 7 200 2
sed 's/4711/4712/' e.lua >other/e.lua
cp -r made taken
expect 2 run other/e.lua --root taken --no-plot --no-audit
same $made taken/results/e tuning

# The tables of a script are not those of another one that asks for the same runs; a copy, or a script that has moved, is no
# other.
write 3 200 2
mkdir -p first second moved
cp e.lua first/e.lua
sed 's/"gd", steps = 20/"gd", label = "descent", steps = 20/' e.lua >second/e.lua
expect 0 run first/e.lua --no-plot --no-audit
clone results/e before
for words in run export plot "run --shard=1/2" "run --shard=auto" "submit --tasks=2 --dry-run"; do
    code=0
    env PMI_RANK=0 PMI_SIZE=1 "$STILLPOINT" $words second/e.lua >out.txt 2>&1 || code=$?
    [ $code -ne 0 ] || fail "$words of another script"
    says first/e.lua
    says second/e.lua
    same before results/e
done
mkdir copied
cp first/e.lua copied/e.lua
expect 0 export copied/e.lua
rm -r copied
mv first/e.lua moved/e.lua
sed -i 's/"gd", steps = 20/"gd", label = "descent", steps = 20/' moved/e.lua
expect 0 run moved/e.lua --no-plot --no-audit

# Damaged tables are refused with what to do, and stay.
write 3 200 2
for change in 's/	ok	/	okay	/' '3s/	[^	]*$//' '4s/^./z/'; do
    clone $made broken/results/e
    sed "$change" $made/runs.tsv >broken/results/e/runs.tsv
    cp broken/results/e/runs.tsv before.tsv
    expect 2 run e.lua --root broken --no-plot --no-audit
    says 'broken/results/e'
    says '--discard'
    cmp before.tsv broken/results/e/runs.tsv || fail "damaged tables were replaced"
    rm -rf broken
done
clone $made broken/results/e
sed '3s/	[^	]*$//' $made/runs.tsv >broken/results/e/runs.tsv
expect 0 run e.lua --root broken --no-plot --no-audit --discard
same $made broken/results/e tuning

# Data that are not on this machine: committed tables stay.
mkdir -p away/results
cp -r "$SOURCE/results/wang_xu_ijcnn1" away/results/
rm -f away/results/wang_xu_ijcnn1/store*
(
    unset STILLPOINT_DATA
    export STILLPOINT_CACHE="$PWD/none"
    expect 1 run "$SOURCE/experiments/wang_xu_ijcnn1.lua" --no-fetch --no-audit --no-plot --root away
) || exit 1
"$STILLPOINT" compare "$SOURCE/results/wang_xu_ijcnn1" away/results/wang_xu_ijcnn1 >out.txt || true # new programs have more columns
grep -q '^\([0-9]*\) runs in both: \1 the same in every field' out.txt || { cat out.txt >&2; fail "without data: runs"; }
for table in tuning claims; do
    cmp "$SOURCE/results/wang_xu_ijcnn1/$table.tsv" away/results/wang_xu_ijcnn1/$table.tsv || fail "without data: $table.tsv"
done
