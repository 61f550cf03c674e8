#!/bin/sh
# merge EXPERIMENT FOLDER: a clone goes on from the tables that it has. What is there is not made again, what is missing is,
# and the tables are those of one go; contradictions are named; what other sources made, or nobody knows which, is told.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
says() { grep -qF -- "$1" out.txt || { cat out.txt >&2; fail "it does not say '$1'"; }; }
# merges CODE WORDS...
merges() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" merge "$@" >out.txt 2>&1 || code=$?
    [ $code -eq "$expected" ] || { cat out.txt >&2; fail "merge $*: exit code $code, expected $expected"; }
}
# A folder of what git keeps of another.
clone() {
    rm -rf "$2"
    mkdir -p "$2"
    cp "$1"/*.tsv "$2"
    rm -f "$2/traces.tsv" "$2/timings.tsv"
}
run() { "$STILLPOINT" run odd.lua --no-plot -j 2 "$@" >run.txt 2>run.err || { cat run.err >&2; fail "run $*"; }; }

# Runs that two sweeps share, failures, methods without privacy, warm starts, seeds of more digits than a double has.
write() {
    cat >odd.lua <<LUA
return {
  seed = 8000000000000023, replicates = $1, checkpoints = 2, measures = { "grad_norm", "objective" },
  privacy = { epsilon = { 0.5, 1 }, delta = 1e-6 },
  problem = { data = { "signs", mean = 0.3 }, n = { 100, 200 }, d = 4 },
  sweeps = {
    plain = { problem = { loss = { "pseudo_huber", "huber_ramp" } },
              algorithms = { { "dp_gd", label = "dp\\\\gd &%", steps = 3 }, { "gd", steps = 20 }, { "start" } } },
    same  = { problem = { loss = "huber_ramp" }, measures = { "excess_risk", "grad_norm" }, replicates = 2,
              algorithms = { { "dp_gd", steps = 3 } } },
    warm  = { problem = { loss = "pseudo_huber", n = 100 },
              algorithms = { { "warm_start", first = { "dp_gd", steps = 3 }, second = { "dp_gd", steps = 3 } } } },
  },
}
LUA
}
write 2
run --root made
clone made/results/odd fresh/results/odd
rows=$(awk -F '\t' 'NR > 1 { print $1 }' made/results/odd/runs.tsv | sort -u | wc -l)

merges 0 odd.lua fresh/results/odd --root fresh
says "fresh/results/odd: $rows runs added, 0 there before"
says "have no trace"
! grep -q 'stale\|not known' out.txt || { cat out.txt >&2; fail "current runs are stale"; }
merges 0 odd.lua fresh/results/odd --root fresh
says "fresh/results/odd: 0 runs added, $rows there before"
merges 0 odd.lua made/results/odd --root made # into the store that made them: nothing is lost
says "0 runs added, $rows there before"
"$STILLPOINT" status odd.lua --root fresh >status.txt || { cat status.txt >&2; fail "not everything is there"; }
run --root fresh
grep -q ' 0 done now' run.err || { cat run.err >&2; fail "runs were made again"; }
for table in cells runs provenance keys claims; do
    cmp made/results/odd/$table.tsv fresh/results/odd/$table.tsv || fail "after merging: $table.tsv"
done
[ ! -e fresh/results/odd/traces.tsv ] || fail "traces from nowhere"

# What is missing is made, and nothing else.
write 3
run --root made
run --root fresh
more=$(awk -F '\t' 'NR > 1 { print $1 }' made/results/odd/runs.tsv | sort -u | wc -l)
tail -1 fresh/results/odd/provenance.tsv | grep -q "	$((more - rows))	[^	]*\$" || { cat fresh/results/odd/provenance.tsv >&2; fail "what was made"; }
head -2 fresh/results/odd/provenance.tsv | tail -1 | grep -q "	$rows	[^	]*\$" || fail "who made the others"
for table in cells runs; do cmp made/results/odd/$table.tsv fresh/results/odd/$table.tsv || fail "gone on: $table.tsv"; done
# Each run has its maker, in two rows of provenance.tsv; who that is is not in the keys, nor in the seal.
awk -F '\t' 'NR > 1 && $1 == 1 { print $2 }' fresh/results/odd/keys.tsv >keys.txt
printf '0-2\n' | cmp - keys.txt || { cat keys.txt >&2; fail "keys"; }
awk -F '\t' 'NR > 1 { print $NF }' fresh/results/odd/provenance.tsv | sed 's/[0-9-]*:\([0-9,-]*\)\( .*\)*/\1/' >makers.txt
printf '0-1\n2\n' | cmp - makers.txt || { cat fresh/results/odd/provenance.tsv >&2; fail "makers"; }
cmp made/results/odd/SEAL fresh/results/odd/SEAL || { diff made/results/odd/SEAL fresh/results/odd/SEAL >&2; fail "seals differ"; }
"$STILLPOINT" run odd.lua --root fresh --no-plot --quiet --again --all
cmp made/results/odd/traces.tsv fresh/results/odd/traces.tsv || fail "again: traces.tsv"

# Ledgers are not in tables: said, not made up.
clone made/results/odd told/results/odd
merges 0 odd.lua told/results/odd --root told
code=0
"$STILLPOINT" account runs odd.lua --root told >out.txt 2>&1 || code=$?
[ $code -ne 0 ] || fail "privacy without ledgers"
says "was merged from tables, which hold no ledger"

# Another byte of a run by the same sources is a contradiction that names both; nothing is merged.
clone made/results/odd other/results/odd
sh "$SOURCE/tests/unsealed.sh" other/results/odd
awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "grad_norm") k = i } NR == 7 { $k = 0.5 } { print }' \
    other/results/odd/runs.tsv >runs.tsv
mv runs.tsv other/results/odd/runs.tsv
name=$(awk -F '\t' 'NR == 7 { print $1 }' other/results/odd/runs.tsv)
"$STILLPOINT" export odd.lua --root made --quiet
cp made/results/odd/store.sqlite before.sqlite
merges 1 odd.lua other/results/odd --root made
says "run $name "
says "grad_norm = 0.5 in other/results/odd/runs.tsv:"
says "in made/results/odd/store.sqlite: the same sources made them, so that both cannot be right. Nothing was merged"
"$STILLPOINT" export odd.lua --root made --quiet
for table in cells runs; do cmp fresh/results/odd/$table.tsv made/results/odd/$table.tsv || fail "a contradiction changed $table.tsv"; done
# In an empty store it is taken, and contradicts what comes next.
merges 0 odd.lua other/results/odd --root taken
merges 1 odd.lua made/results/odd --root taken
says "grad_norm = "

# By other sources: told, with what changed, and made again; and they do not take the place of current ones.
clone made/results/odd old/results/odd
awk -F '\t' -v OFS='\t' 'NR > 1 { $4 = "0123456789abcdef" } { print }' made/results/odd/keys.tsv >old/results/odd/keys.tsv
cp other/results/odd/runs.tsv old/results/odd/
merges 0 odd.lua old/results/odd --root old
says "of them are stale: other sources or libraries made them"
"$STILLPOINT" status odd.lua --root old >status.txt && fail "stale ones are done"
grep -q '(algorithm dp_gd changed)' status.txt || { cat status.txt >&2; fail "status does not say what changed"; }
merges 0 odd.lua old/results/odd --root made
says "1 of old/results/odd were made by other sources and differ from those that are there, which stay"
merges 0 odd.lua made/results/odd --root old # a current one takes the place of a stale one that differs
says "1 runs added (1 in place of stale ones)"
run --root old
for table in cells runs; do cmp made/results/odd/$table.tsv old/results/odd/$table.tsv || fail "made again: $table.tsv"; done

# Without keys.tsv, as in results that were committed before there was one, nobody knows: --trust takes the user's word.
clone made/results/odd none/results/odd
rm none/results/odd/keys.tsv
merges 0 odd.lua none/results/odd --root none
says "it is not known by which sources they were made"
"$STILLPOINT" status odd.lua --root none >status.txt && fail "unknown ones are done"
grep -q '(by which sources it was made is not known)' status.txt || { cat status.txt >&2; fail "status of unknown ones"; }
merges 0 odd.lua none/results/odd --root trusted --trust
"$STILLPOINT" status odd.lua --root trusted >/dev/null || fail "--trust"
merges 1 odd.lua other/results/odd --root none
says "it is not known that other sources made them"

# Committed results, with their real data absent or not, go in; other experiments' runs do not.
merges 0 odd.lua "$SOURCE/results/quickstart" --root foreign
says "0 runs added"
says "rows were left out: the experiment does not ask for such runs"

# What is no such folder, and tables that are broken, are named by place; nothing is merged.
merges 2 odd.lua nowhere
says "nowhere: no runs.tsv there: merge takes a folder of tables"
merges 2 odd.lua
says "no shards there"
merges 2 missing.lua made/results/odd
for change in 's/	ok	/	okay	/' 's/	NaN	/	many	/' '3s/$/	/'; do
    clone made/results/odd broken/results/odd
    sh "$SOURCE/tests/unsealed.sh" broken/results/odd
    sed -i "$change" broken/results/odd/runs.tsv
    merges 1 odd.lua broken/results/odd --root broken
    grep -q 'broken/results/odd/runs.tsv:[0-9]*: ' out.txt || { cat out.txt >&2; fail "$change"; }
    "$STILLPOINT" status odd.lua --root broken --plain | awk -F '\t' 'NR > 1 { done += $4 } END { exit done > 0 }' || fail "$change: merged"
done
