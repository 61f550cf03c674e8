#!/bin/sh
# A sweep in parts: -j 1, -j 2, 7 shards merged in any order, and 200 shards of which a fifth were stopped and run again,
# with a tuned point, an entry that borrows its winner, cells that two sweeps share and a certified minimum, give the same
# bytes, tables and figures. What is wrong with a shard is said, and costs nothing that is stored; what could not be copied is
# brought in by the command that the task says.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >parts.lua <<'LUA'
return {
  seed = 17, replicates = 6, checkpoints = 3, tuning_replicates = 3,
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0.3 }, n = { 200, 300 }, d = 3 },
  privacy = { epsilon = { 0.7, 2.385 }, delta = 1e-6 },
  measures = { "grad_norm", "excess_risk" },
  sweeps = {
    plain = { algorithms = { { "dp_gd", steps = 40 }, { "gd", steps = 20 } },
              figures = { { name = "epsilon", kind = "rate", x = "epsilon", y = "grad_norm",
                            where = { ["problem.n"] = 200 } } } },
    tuned = { algorithms = { { "dp_gd", label = "tuned", steps = 40, tune = { eta = { times = { 0.3, 1 } } } },
                             { "dp_gd", label = "borrows", steps = 40, tune = "tuned", privacy = { noise = "off" } },
                             { "gd", steps = 20 } }, replicates = 9 },
  },
}
LUA

TMPDIR=$PWD/node
export TMPDIR
mkdir node
part() { "$STILLPOINT" run parts.lua --quiet --root "$1" -j "${3:-1}" --shard "$2"; }
merge() { "$STILLPOINT" merge parts.lua --root "$1" >"$1.merge" 2>&1; }
same() {
    for table in cells.tsv runs.tsv traces.tsv tuning.tsv SEAL; do
        cmp "one/results/parts/$table" "$1/results/parts/$table" || fail "$table of $1 differs"
    done
}
refused() { # ROOT TEXT...
    root=$1; shift
    code=0; merge "$root" || code=$?
    [ $code -eq 1 ] || fail "merge of $root: exit code $code: $(cat "$root.merge")"
    for text; do grep -qF -e "$text" "$root.merge" || fail "no \"$text\" in: $(cat "$root.merge")"; done
}

"$STILLPOINT" run parts.lua --quiet --no-plot --root one -j 1
runs=$(($(wc -l <one/results/parts/runs.tsv) - 1))
"$STILLPOINT" run parts.lua --quiet --no-plot --root two -j 2
same two

# 7 shards; two are merged before the others, one twice.
mkdir -p seven/results/parts/shards
: >seven/results/parts/shards/5-of-7.part.sqlite.2147483646.part # of a task that was killed while it saved
for k in 5 2; do part seven $k/7; done
[ "$(ls seven/results/parts/shards | paste -s -d ' ')" = "2-of-7.sqlite 5-of-7.sqlite" ] || fail "$(ls seven/results/parts/shards)"
merge seven || fail "$(cat seven.merge)"
for k in 7 1 3 4 6; do part seven $k/7 2; done
merge seven || fail "$(cat seven.merge)"
same seven
merge seven || fail "$(cat seven.merge)"
grep -q '7 shards: 0 runs imported, 0 replaced' seven.merge || fail "merged again: $(cat seven.merge)"
same seven
[ -z "$(ls node)" ] || fail "tasks left $(ls node)"
# no run is in two shards, and none in none: what each brings by itself adds up
total=0
for k in 1 2 3 4 5 6 7; do
    mkdir -p "alone$k/results/parts/shards"
    cp "seven/results/parts/shards/$k-of-7.sqlite" "alone$k/results/parts/shards/"
    merge "alone$k" || fail "$(cat "alone$k.merge")"
    total=$((total + $(sed -n 's/^1 shard: \([0-9]*\) runs imported.*/\1/p' "alone$k.merge")))
done
[ "$total" -eq "$(sed -n 's/.*, \([0-9]*\) there before/\1/p' seven.merge)" ] || fail "$total runs in shards alone"

# 200 shards, some without a run; every fifth is killed, or told to stop, and run again: one when it has begun its store,
# the next when it has saved a part.
begun() { set -- node/stillpoint-"$1".*; [ -e "$1" ]; }
saved() { [ -s "many/results/parts/shards/$1.part.sqlite" ]; }
stop() { # WHEN SIGNAL K
    "$STILLPOINT" run parts.lua --quiet --root many -j 1 --shard "$3/200" --save-every 0 &
    task=$!
    name=$(printf %03d-of-200 "$3")
    for _ in $(seq 1 200); do
        "$1" "$name" && break
        [ ! -e "many/results/parts/shards/$name.sqlite" ] || break
        sleep 0.002
    done
    kill -s "$2" $task 2>/dev/null || true
    code=0
    wait $task || code=$?
    [ $code -eq 0 ] || echo "$3 $2 $code"
}
every_other() {
    k=$1
    while [ $k -le 200 ]; do
        case $((k % 20)) in
        0) stop begun KILL $k ;;
        5) stop begun TERM $k ;;
        10) stop saved KILL $k ;;
        15) stop saved TERM $k ;;
        esac
        part many $k/200 || return 1
        k=$((k + 2))
    done
}
every_other 1 >odd.stopped 2>odd.txt &
odd=$!
every_other 2 >even.stopped 2>even.txt || fail "$(cat even.txt)"
wait $odd || fail "$(cat odd.txt)"
cat odd.stopped even.stopped | grep -q 'KILL 137$' || fail "no task was killed"
cat odd.stopped even.stopped | grep -v 'KILL 137$\|TERM 1[34][03]$' && fail "tasks ended otherwise"
merge many || fail "$(cat many.merge)"
same many
for root in one two seven many; do "$STILLPOINT" plot parts.lua --quiet --root $root; done
for root in two seven many; do diff -r one/plots $root/plots || fail "figures of $root differ"; done
ls many/results/parts/shards | grep -q part && fail "parts are left: $(ls many/results/parts/shards)"
ls node | grep -v '^stillpoint-..0-of-200' && fail "tasks that were not killed left $(ls node)"
rm -rf node/*

# SIGTERM in the middle, before or in a run that waits for `hold` to go (also between two stages, where it was once lost): what
# is there is kept, and the next task of the number goes on from it.
mkdir long
cp "$SOURCE/tests/held.pl" long
held='{ "external", label = "held", command = { "perl", "held.pl" }, patience = 600 }'
sed "s/{ \"gd\", steps = 20 } },\$/{ \"gd\", steps = 20 }, $held },/" parts.lua >long/parts.lua
grep -q held.pl long/parts.lua || fail "nothing holds the task"
: >long/hold
"$STILLPOINT" run long/parts.lua --quiet --root long -j 1 --shard 1/1 --save-every 0 &
task=$!
until_saved() { # FILE: is there, or the task has ended; how long that takes depends on the machine
    for _ in $(seq 1 6000); do
        [ ! -s "$1" ] && kill -0 $task 2>/dev/null || return 0
        sleep 0.02
    done
    fail "no $1"
}
until_saved long/results/parts/shards/1-of-1.part.sqlite
kill -TERM $task || true
code=0
wait $task || code=$?
rm long/hold
[ $code -eq 130 ] || fail "after SIGTERM: exit code $code"
[ ! -e long/results/parts/shards/1-of-1.sqlite ] || fail "a shard that was stopped is called done"
"$STILLPOINT" run long/parts.lua --root long -j 2 --shard 1/1 2>long.txt || fail "$(cat long.txt)"
grep -q ' 0 left' long.txt && ! grep -q ' 0 there before' long.txt || fail "began anew: $(cat long.txt)"

# A task is done; then the sweep is cut otherwise (timings have come), and what its part is then was begun: the next task of the
# number goes on from both files, makes nothing twice, and ends with the runs of both.
timings() {
    { printf 'sweep\tlabel\truns\tseconds\tsize\nplain\tdp_gd\t1\t0.001\t1037\nplain\tgd\t1\t100\t1037\n'
      printf 'tuned\ttuned\t1\t0.001\t1037\n'; } >"$1/results/parts/shards/balance.tsv"
}
brought() { # ROOT FILE...: how many runs these files bring
    mkdir -p "$1/results/parts/shards"
    for file; do [ "$file" = "$1" ] || cp "$file" "$1/results/parts/shards/$(printf '%s' "$file" | tr / _)"; done
    merge "$1" || fail "$(cat "$1.merge")"
    sed -n 's/^[0-9]* shards*: \([0-9]*\) runs imported.*/\1/p' "$1.merge"
}
mkdir -p newer/results/parts/shards
timings newer
part both 2/3
part newer 2/3
shards=both/results/parts/shards
cp $shards/2-of-3.sqlite 2-of-3.sqlite
of_two=$(brought two_files 2-of-3.sqlite newer/results/parts/shards/2-of-3.sqlite)
[ "$of_two" -gt "$(brought old_file 2-of-3.sqlite)" ] &&
    [ "$of_two" -gt "$(brought new_file newer/results/parts/shards/2-of-3.sqlite)" ] || fail "the cuts do not differ"
cp newer/results/parts/shards/2-of-3.sqlite $shards/2-of-3.part.sqlite
timings both
"$STILLPOINT" run parts.lua --root both -j 1 --shard 2/3 2>both.txt || fail "$(cat both.txt)"
grep -q '^goes on from .*/2-of-3.sqlite, which is not what task 2/3 is now: the sweep was cut by sizes alone then' both.txt &&
    grep -q 'runs: 0 done now' both.txt || fail "does not go on from both: $(cat both.txt)"
[ "$(ls $shards | paste -s -d ' ')" = "2-of-3.sqlite balance.tsv" ] || fail "$(ls $shards)"
[ "$(brought both_files $shards/2-of-3.sqlite)" -eq "$of_two" ] || fail "runs were lost: $(cat both_files.merge), not $of_two"

# Bad input.
for bad in 0/0 0/7 8/7 -1/7 1 /7 1/ 1.5/7 a/7 1/7x 1/99999999; do
    code=0
    "$STILLPOINT" run parts.lua --quiet --root bad --shard $bad 2>bad.txt || code=$?
    [ $code -eq 2 ] && grep -q -e "--shard.*$bad.*K/N\|needs a value" bad.txt || fail "--shard $bad: $code: $(cat bad.txt)"
done
"$STILLPOINT" run parts.lua --shard 1/7 --only gd 2>bad.txt && fail "--shard with --only"
"$STILLPOINT" merge parts.lua --root empty 2>bad.txt && fail "merge of nothing"
grep -q "no shards there" bad.txt || fail "$(cat bad.txt)"
mkdir -p file/results/parts
: >file/results/parts/shards # where the folder should be
for verb in "merge parts.lua" "status parts.lua --missing --tasks 7" "run parts.lua --shard 1/7"; do
    code=0; "$STILLPOINT" $verb --root file >bad.txt 2>&1 || code=$?
    [ $code -ne 0 ] && grep -q 'parts/shards: \(Not a directory\|File exists\)$' bad.txt || fail "$verb: $code: $(cat bad.txt)"
done
code=0; TMPDIR=/nowhere "$STILLPOINT" run parts.lua --root bad --shard 1/7 2>bad.txt || code=$?
[ $code -eq 1 ] && grep -q '^stillpoint: /nowhere/.*(TMPDIR says where a task keeps its store)$' bad.txt || fail "TMPDIR: $code: $(cat bad.txt)"

# A shard cut in half, one with flipped bytes, one that is no store: named, and the store has what it had.
shard=shards/3-of-7.sqlite
for damage in half flipped none; do
    mkdir -p "$damage/results/parts/shards"
    cp one/results/parts/store.sqlite "$damage/results/parts/"
    at="$damage/results/parts/$shard"
    case $damage in
    half) head -c $(($(wc -c <seven/results/parts/$shard) / 2)) seven/results/parts/$shard >"$at" ;;
    flipped) sed 's/algorithm=dp_gd/algorithm=dp_gx/' seven/results/parts/$shard >"$at" ;;
    none) echo "no store" >"$at" ;;
    esac
    refused $damage 3-of-7.sqlite damaged
    "$STILLPOINT" export parts.lua --root $damage --quiet
    same $damage
done

# An empty one, as a node leaves it that lost what it had not written yet: named, and its task makes it anew.
mkdir -p hollow/results/parts/shards
cp one/results/parts/store.sqlite hollow/results/parts/
: >hollow/results/parts/$shard
refused hollow 3-of-7.sqlite "is empty: run its task again, or remove it"
"$STILLPOINT" run parts.lua --quiet -j 1 --root hollow --shard 3/7 || fail "a task whose file is empty"
merge hollow || fail "$(cat hollow.merge)"
same hollow

# Another script. (Another core, and a result that differs: unit/merge.)
mkdir -p other/results/parts/shards
sed 's/seed = 17/seed = 18/' parts.lua >other/parts.lua
(cd other && "$STILLPOINT" run parts.lua --quiet -j 2 --shard 1/1)
mkdir -p script/results/parts/shards
cp other/results/parts/shards/1-of-1.sqlite script/results/parts/shards/
refused script 1-of-1.sqlite "another script"

# A file whose time is wrong is merged as any other. (A node whose clock is wrong: unit/merge.)
touch -d 2001-01-01 seven/results/parts/shards/1-of-7.sqlite
touch -d 2099-01-01 seven/results/parts/shards/2-of-7.sqlite
merge seven || fail "$(cat seven.merge)"
same seven

# A full disk on the node: said, and what was saved before is there.
code=0
(ulimit -f 64; "$STILLPOINT" run parts.lua --quiet --root full -j 1 --shard 1/1) 2>full.txt || code=$?
[ $code -eq 1 ] || fail "a full disk: exit code $code: $(cat full.txt)"
grep -q 'disk is full\|ulimit -f' full.txt || fail "a full disk: $(cat full.txt)"
[ -z "$(ls node)" ] || fail "tasks left $(ls node)"
part full 1/1
merge full || fail "$(cat full.merge)"
same full

# Where the folder of shards takes no file, the runs stay on the node; the message says where, and by which command they come in.
mkdir -p "ke'pt/results/parts"
ln -s /proc "ke'pt/results/parts/shards"
code=0
"$STILLPOINT" run parts.lua --quiet --root "ke'pt" -j 1 --shard 1/1 2>kept.txt || code=$?
[ $code -eq 1 ] || fail "a copy that fails: exit code $code: $(cat kept.txt)"
stay=$(sed -n 's/.*its runs stay in \([^,]*\), for they could not be copied: .*/\1/p' kept.txt)
[ -s "$stay/store.sqlite" ] && grep -qx "runs that could not be copied come in, once there is room, by this command on $(uname -n):" kept.txt ||
    fail "a copy that fails: $(cat kept.txt)"
rm "ke'pt/results/parts/shards"
(cd / && sh -c "$(sed -n 's/^    //p' "$OLDPWD/kept.txt")") >kept.merge 2>&1 || fail "$(sed -n 's/^    //p' kept.txt): $(cat kept.merge)"
grep -q '^1 shard: [0-9]* runs imported, 0 replaced, 0 there before' kept.merge || fail "$(cat kept.merge)"
mv "ke'pt" kept
same kept
[ -z "$("$STILLPOINT" status parts.lua --root kept --missing --tasks 1 --plain)" ] || fail "missing, though its runs are in the store"
rm -r "$stay"

# Files and folders by their names, once or again, tables among them.
shards=seven/results/parts/shards
"$STILLPOINT" merge parts.lua --root named $shards/3-of-7.sqlite $shards/5-of-7.sqlite >named.txt || fail "files by their names"
grep -q '^2 shards: [1-9][0-9]* runs imported' named.txt || fail "$(cat named.txt)"
"$STILLPOINT" merge parts.lua --root named $shards >named.txt && grep -q '^7 shards: [1-9]' named.txt || fail "a folder of files: $(cat named.txt)"
"$STILLPOINT" merge parts.lua --root named two/results/parts $shards/3-of-7.sqlite >named.txt || fail "tables, and a file"
grep -q '^1 shard: 0 runs imported, 0 replaced, [1-9]' named.txt && grep -q '^two/results/parts: 0 runs added, ' named.txt ||
    fail "tables, and a file: $(cat named.txt)"
same named
# What came from tables, which hold no traces and no ledgers, is replaced.
"$STILLPOINT" merge parts.lua --root tables two/results/parts --quiet && "$STILLPOINT" merge parts.lua --root tables $shards >named.txt || fail "tables first"
grep -q '^7 shards: [1-9][0-9]* runs imported, [1-9][0-9]* replaced, ' named.txt || fail "tables first: $(cat named.txt)"
same tables
cp $shards/7-of-7.sqlite renamed
"$STILLPOINT" merge parts.lua --root other_name ./renamed >named.txt && grep -q '^1 shard: [1-9]' named.txt || fail "a file under another name: $(cat named.txt)"
"$STILLPOINT" merge parts.lua --root of_store one/results/parts/store.sqlite --quiet || fail "another store"
same of_store
refuses() { # CODE TEXT WORDS...: and the store has what it had
    want=$1 text=$2; shift 2
    code=0; "$STILLPOINT" merge parts.lua --root named "$@" >bad.txt 2>&1 || code=$?
    [ $code -eq "$want" ] && grep -qF -e "$text" bad.txt || fail "merge $*: $code: $(cat bad.txt)"
    same named
}
refuses 1 'named/results/parts/store.sqlite is the store of the experiment itself' named/results/parts/store.sqlite
refuses 2 'nowhere.sqlite: no runs.tsv there' nowhere.sqlite
refuses 2 'node: no runs.tsv there' node
refuses 1 'parts.lua: the file is damaged' parts.lua

# So does what a task has left that was killed; while it is alive it is told to be. This one has no end.
sed 's/steps = 40/steps = 4000000/g; s/{ "gd", steps = 20 }/{ "gd", steps = 2 }/g' parts.lua >long/endless.lua
"$STILLPOINT" run long/endless.lua --quiet --root endless -j 1 --shard 1/1 --save-every 0 &
task=$!
until_saved endless/results/endless/shards/1-of-1.part.sqlite
kill -STOP $task
left=$(ls -d node/stillpoint-1-of-1.*)
code=0; "$STILLPOINT" merge long/endless.lua --root from_left "$left" >left.txt 2>&1 || code=$?
[ $code -eq 1 ] && grep -q "$left/store.sqlite is being written by another run (process $task)" left.txt || fail "a task that is alive: $code: $(cat left.txt)"
kill -KILL $task
wait $task 2>/dev/null || true
"$STILLPOINT" merge long/endless.lua --root from_part endless/results/endless/shards/1-of-1.part.sqlite >part.txt || fail "a part by its name"
"$STILLPOINT" merge long/endless.lua --root from_left "$left" >left.txt 2>&1 || fail "what a killed task has left: $(cat left.txt)"
runs_of() { sed -n 's/^1 shard: \([0-9]*\) runs imported.*/\1/p' "$1"; }
[ "$(runs_of left.txt)" -ge "$(runs_of part.txt)" ] && [ "$(runs_of part.txt)" -gt 0 ] || fail "$(cat left.txt part.txt)"
mkdir -p begun
: >begun/store.sqlite # before it has stored anything
"$STILLPOINT" merge long/endless.lua --root from_left begun >left.txt 2>&1 && grep -q '^1 shard: 0 runs imported' left.txt || fail "$(cat left.txt)"
echo "$runs runs"
