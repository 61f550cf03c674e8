#!/bin/sh
# plan --tasks, status --missing and submit: against an sbatch, an scontrol and an squeue of this test, which run what they
# are given one index after the other, lose a task or keep it in the queue, cut an array, and take nothing, where they are
# told so.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >jobs.lua <<'LUA'
return {
  seed = 5, replicates = 8, checkpoints = 0, privacy = "none", measures = { "grad_norm" },
  problem = { loss = "pseudo_huber", data = "signs", n = { 50, 60 }, d = 2 },
  algorithms = { { "gd", steps = 3 }, { "gd", label = "tuned", steps = 4, tune = { eta = { 0.1, 0.3 } } } },
}
LUA
mkdir bin "a folder's" node
export TMPDIR="$PWD/node"
cat >bin/scontrol <<'SH'
#!/bin/sh
echo "Configuration data as of 2026-01-01T00:00:00"
echo "MaxArraySize            = 6"
SH
cat >bin/sbatch <<'SH'
#!/bin/sh
# Each index of --array in turn; what is asked goes into sbatch.log.
[ ! -e refuse ] || { echo "sbatch: error: refused" >&2; exit 1; }
printf '%s\n' "$*" >>sbatch.log
for word; do
    case $word in
    --array=*) list=${word#--array=} ;;
    --comment=*) comment=${word#--comment=} ;;
    -*) ;;
    *.sh) script=$word ;;
    *) offset=$word ;;
    esac
done
for range in $(echo "$list" | tr , ' '); do
    k=${range%-*}
    while [ "$k" -le "${range#*-}" ]; do
        [ "$k" -lt 6 ] || { echo "index $k is beyond MaxArraySize" >&2; exit 1; }
        if [ -e "skip.$((offset + k))" ]; then rm "skip.$((offset + k))"
        elif [ -e "keep.$((offset + k))" ]; then rm "keep.$((offset + k))"; echo "$k $comment" >>queue
        else SLURM_ARRAY_TASK_ID=$k sh "$script" "$offset"; fi
        k=$((k + 1))
    done
done
SH
cat >bin/squeue <<'SH'
#!/bin/sh
[ "$*" = "-h -r -u $(id -u) -o %K %k" ] || { echo "squeue: $*" >&2; exit 1; }
echo "N/A (null)"
echo "3 stillpoint elsewhere of 12 from 0"
[ ! -e queue ] || cat queue
SH
chmod +x bin/*
PATH=$PWD/bin:$PATH
root="a folder's"
results="$root/results/jobs"
missing() { "$STILLPOINT" status jobs.lua --root "$root" --missing --plain "$@" || true; }

"$STILLPOINT" plan jobs.lua --root "$root" --tasks 12 >plan.txt
grep -q '^12 tasks$' plan.txt && grep -q '^runs a task: ' plan.txt && grep -q 'not known before a run' plan.txt ||
    fail "plan: $(cat plan.txt)"
[ ! -e "$root/results" ] || fail "plan made a folder"
code=0; "$STILLPOINT" status jobs.lua --root "$root" --missing 2>err.txt || code=$?
[ $code -eq 2 ] && grep -q -e '--tasks N' err.txt || fail "--missing of nothing: $code: $(cat err.txt)"
for words in "status jobs.lua --tasks 12" "status jobs.lua --missing --tasks 12 --only gd" \
    "status jobs.lua --missing --tasks 12 --seeds 3" "plan jobs.lua --tasks 12 --where n=50" "plan jobs.lua --tasks 0" \
    "submit jobs.lua --tasks 0" "submit jobs.lua --tasks 1000001" "status jobs.lua --missing --tasks -1"; do
    code=0; "$STILLPOINT" $words 2>err.txt || code=$?
    [ $code -eq 2 ] && grep -q 'tasks' err.txt || fail "$words: $code: $(cat err.txt)"
done
all=$(missing --tasks 12) # pieces are whole, so that a task may have none
echo "$all" | grep -qx '[0-9,-]*' || fail "missing: $all"

"$STILLPOINT" submit jobs.lua --root "$root" --tasks 12 --dry-run --time 1:00:00 --mem 2G -- --account="o'neill" >dry.txt
[ ! -e "$root/results" ] && [ ! -e sbatch.log ] || fail "--dry-run did something"
grep -q "^sbatch --array=.*--time='1:00:00' --mem='2G' '--account=o'\\\\''neill' " dry.txt || fail "dry: $(cat dry.txt)"
[ "$(grep -c '^sbatch' dry.txt)" -eq 3 ] || fail "12 tasks, 5 an array: $(cat dry.txt)"

# Some tasks are lost; what is missing then is submitted by the same command, and only that.
first=$(echo "$all" | tr ',-' '\n\n' | sed -n 1p)
last=$(echo "$all" | tr ',-' '\n\n' | tail -1)
touch "skip.$first" "keep.$last"
"$STILLPOINT" submit jobs.lua --root "$root" --tasks 12 --partition short
grep -q -e '--partition=short' sbatch.log || fail "$(cat sbatch.log)"
[ "$(missing)" = "$first,$last" ] || fail "missing: $(missing), not $first,$last"
"$STILLPOINT" status jobs.lua --root "$root" --missing >status.txt && fail "status of a sweep that is not done"
grep -qx "of 12 tasks not done: $first,$last" status.txt || fail "$(cat status.txt)"
"$STILLPOINT" merge jobs.lua --root "$root" --quiet
[ "$(missing)" = "$first,$last" ] || fail "missing after merge: $(missing)"
: >sbatch.log
touch "skip.$first"
"$STILLPOINT" submit jobs.lua --root "$PWD/$root" >out.txt # the same folder by another name
[ "$(wc -l <sbatch.log)" -eq 1 ] && grep -qx "in the queue, and not submitted again: $last" out.txt ||
    fail "one is in the queue: $(cat out.txt sbatch.log)"
"$STILLPOINT" submit jobs.lua --root "$root" >out.txt # what is lost once more, and once more what is there
"$STILLPOINT" submit jobs.lua --root "$root" >out.txt
[ "$(wc -l <sbatch.log)" -eq 2 ] && grep -q 'nothing to submit: every other task is done' out.txt ||
    fail "the last is in the queue: $(cat out.txt sbatch.log)"
[ "$(missing)" = "$last" ] || fail "missing: $(missing), not $last"
rm queue
"$STILLPOINT" submit jobs.lua --root "$root"
[ "$(wc -l <sbatch.log)" -eq 3 ] || fail "$(cat sbatch.log)"
[ -z "$(missing)" ] || fail "missing: $(missing)"
"$STILLPOINT" submit jobs.lua --root "$root" | grep -q 'nothing to submit' || fail "submitted what is done"
"$STILLPOINT" merge jobs.lua --root "$root" --quiet
"$STILLPOINT" run jobs.lua --root here --quiet --no-plot -j 1
for table in runs cells tuning; do
    cmp "$results/$table.tsv" "here/results/jobs/$table.tsv" || fail "$table.tsv differs"
done
# The store alone answers, too, and what is planned is judged by it.
rm -r "$results/shards"
[ -z "$(missing --tasks 5)" ] || fail "missing: $(missing --tasks 5)"
"$STILLPOINT" plan jobs.lua --root "$root" --tasks 3 | grep -q '^minutes a task on one processor: ' || fail "no minutes"

# Parts have equal shares of the time that stored runs took, of the scale smoke where there are none of this one; what it was is
# written before the first task begins, and stays.
cat >long.lua <<'LUA'
return {
  seed = 5, replicates = 40, checkpoints = 0, privacy = "none", measures = { "grad_norm" },
  problem = { loss = "pseudo_huber", n = 500, d = 2 },
  sweeps = {
    one = { problem = { data = "signs" }, algorithms = { { "gd", label = "short", steps = 1 } } },
    two = { problem = { data = "sphere" }, algorithms = { { "gd", label = "long", steps = 200000 } } },
  },
  scales = { smoke = { replicates = 1 } },
}
LUA
"$STILLPOINT" plan long.lua --tasks 4 >plan.txt
grep -q 'n d of their problems' plan.txt || fail "no timings: $(cat plan.txt)"
"$STILLPOINT" run long.lua --scale smoke --quiet --no-plot --no-audit
# 40 short runs, then 40 long ones, each of which weighs what the one that is stored took, and 0.3 ms: cut here, too.
"$STILLPOINT" plan long.lua --tasks 4 >plan.txt
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 { weight[$at["label"]] = 1 + int(1e6 * (3e-4 + $at["elapsed"] / 1062 * 1062)) } # n d / 16 + 1000 of both
    END {
        for (r = 0; r < 80; r++) {
            run[int(begin / (40 * (weight["short"] + weight["long"])) * 4)]++
            begin += r < 40 ? weight["short"] : weight["long"]
        }
        for (i = 0; i < 4; i++) for (j = i + 1; j < 4; j++) if (run[j] + 0 < run[i] + 0) { x = run[i]; run[i] = run[j]; run[j] = x }
        printf "runs a task: %d to %d, median %d\n", run[0], run[3], run[2]
    }' results/long.smoke/timings.tsv >expected.txt
grep -qxF "$(cat expected.txt)" plan.txt || fail "by time: $(cat plan.txt), not $(cat expected.txt)"
"$STILLPOINT" submit long.lua --tasks 4 --dry-run >/dev/null
[ ! -e results/long/shards ] || fail "--dry-run wrote something"
"$STILLPOINT" submit long.lua --tasks 4 >/dev/null
[ "$(cut -f 2 results/long/shards/balance.tsv | tail -n +2 | sort | paste -sd,)" = long,short ] ||
    fail "$(cat results/long/shards/balance.tsv)"
cp results/long/shards/balance.tsv balance.keep
[ -z "$("$STILLPOINT" status long.lua --missing --plain)" ] || fail "missing"
"$STILLPOINT" merge long.lua --quiet
"$STILLPOINT" run long.lua --quiet --no-plot --no-audit >out.txt
"$STILLPOINT" submit long.lua | grep -q 'nothing to submit' || fail "submitted what is done"
cmp balance.keep results/long/shards/balance.tsv || fail "balance.tsv was written again"
sed '2s/[^\t]*$/0/' balance.keep >results/long/shards/balance.tsv
code=0; "$STILLPOINT" run long.lua --quiet --shard 1/4 2>err.txt || code=$?
[ $code -eq 1 ] && grep -q 'shards/balance.tsv:2: .*size = 0 is no timing' err.txt || fail "balance: $code: $(cat err.txt)"

# Where nothing was known when the first task was submitted, that holds for all.
"$STILLPOINT" submit long.lua --tasks 4 --root blank >/dev/null
[ "$(wc -l <blank/results/long/shards/balance.tsv)" -eq 1 ] || fail "$(cat blank/results/long/shards/balance.tsv)"
"$STILLPOINT" run long.lua --root blank --scale smoke --quiet --no-plot --no-audit
[ -z "$("$STILLPOINT" status long.lua --root blank --missing --plain)" ] || fail "cut anew"
"$STILLPOINT" submit long.lua --root blank | grep -q 'nothing to submit' || fail "cut anew"

# Who removes balance.tsv, or changes it, cuts the sweep otherwise: files of tasks that have other runs then are none, which is
# said; their runs are merged all the same, and with the old balance.tsv they count again.
cat >cut.lua <<'LUA'
return {
  seed = 5, replicates = 40, checkpoints = 0, privacy = "none", measures = { "grad_norm" },
  problem = { loss = "pseudo_huber", n = 500, d = 2 }, algorithms = { { "gd", steps = 2 } },
  sweeps = { one = { problem = { data = "signs" } }, two = { problem = { data = "sphere" } } },
}
LUA
shards=results/cut/shards
mkdir -p $shards
printf 'sweep\tlabel\truns\tseconds\tsize\none\tgd\t1\t0.001\t1062\ntwo\tgd\t1\t0.04\t1062\n' >$shards/balance.tsv
cp $shards/balance.tsv balance.cut
sum=$(sha256sum <balance.cut | cut -c 1-12)
lacking() { "$STILLPOINT" status cut.lua --missing --plain 2>err.txt || true; }
same() { # WHEN
    "$STILLPOINT" merge cut.lua --quiet || fail "merge $1"
    for table in runs cells; do cmp "results/cut/$table.tsv" "whole/results/cut/$table.tsv" || fail "$1: $table.tsv differs"; done
}
"$STILLPOINT" run cut.lua --quiet --no-plot --root whole
"$STILLPOINT" submit cut.lua --tasks 4 >/dev/null
[ -z "$(lacking)" ] || fail "cut as it was: $(cat err.txt)"
rm $shards/balance.tsv
lacks=$(lacking)
[ -n "$lacks" ] || fail "without balance.tsv every task is called done"
one=${lacks%%[,-]*}
grep -q "/$one-of-4.sqlite is not what task $one/4 is now: the sweep was cut by a balance.tsv of SHA-256 $sum then, and is by sizes \
alone now (once it is again, the file counts). Run the task again" err.txt || fail "cut by sizes: $(cat err.txt)"
cp balance.cut $shards/balance.tsv
[ -z "$(lacking)" ] || fail "cut as it was again: $(cat err.txt)"
rm $shards/balance.tsv
same "of tasks that were cut otherwise"
[ -z "$(lacking)" ] || fail "all runs are in the store: $(cat err.txt)"
rm results/cut/*.*
"$STILLPOINT" run cut.lua --shard "$one/4" 2>err.txt || fail "$(cat err.txt)"
grep -q "^goes on from .*/$one-of-4.sqlite, which is not what task $one/4 is now: the sweep was cut by a balance.tsv" err.txt &&
    ! grep -q ' 0 there before' err.txt || fail "goes on: $(cat err.txt)"
"$STILLPOINT" submit cut.lua >out.txt 2>err.txt || fail "submit of what was cut otherwise: $(cat err.txt)"
[ -z "$(lacking)" ] || fail "made anew: $(cat err.txt)"
cp balance.cut $shards/balance.tsv
[ -n "$(lacking)" ] && grep -q "was cut by sizes alone then, and is by a balance.tsv of SHA-256 $sum now" err.txt ||
    fail "cut by sizes, and balance.tsv there: $(cat err.txt)"
same "of tasks that were cut twice"

# So is one of a task with another name, of an older program, which did not write down which task it is (its table has another
# name here), and of other records.
cat >file.lua <<'LUA'
return { seed = 5, replicates = 4, checkpoints = 0, privacy = "none", measures = { "grad_norm" },
         problem = { loss = "logistic", data = { file = "own.csv", format = "csv" } }, algorithms = { { "gd", steps = 3 } } }
LUA
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%g,%g,%d\n", i / 7, i % 3, i % 2 }' >own.csv
for k in 1 2; do "$STILLPOINT" run file.lua --quiet --shard $k/2; done
shards=results/file/shards
none_of() { # TASK WHY
    code=0; "$STILLPOINT" status file.lua --missing --plain >out.txt 2>err.txt || code=$?
    [ $code -eq 1 ] && [ "$(cat out.txt)" = "$1" ] && grep -qF "is not what task ${1%-*}/2 is now: $2. Run" err.txt ||
        fail "$2: $code: $(cat out.txt err.txt)"
}
cp $shards/2-of-2.sqlite two
cp $shards/1-of-2.sqlite $shards/2-of-2.sqlite
none_of 2 "it is that of task 1/2 under another name"
LC_ALL=C sed 's/tabletasktask/tabletusktusk/; s/CREATE TABLE task /CREATE TABLE tusk /' two >$shards/2-of-2.sqlite
none_of 2 "an older program made it, which did not write down how the sweep was cut"
"$STILLPOINT" merge file.lua --quiet && rm results/file/*.* || fail "merge of an older program's"
"$STILLPOINT" run file.lua --shard 2/2 2>err.txt
grep -q 'runs: 0 done now, 2 there before' err.txt || fail "an older program's: $(cat err.txt)"
[ -z "$("$STILLPOINT" status file.lua --missing --plain)" ] || fail "2/2 is missing still"
echo 0.5,1,1 >>own.csv
none_of 1-2 "the script, or data sets, are others than then"

# A finished file that cannot be merged is none: of another script, cut short.
"$STILLPOINT" run jobs.lua --root old --quiet --shard 1/1
[ -z "$("$STILLPOINT" status jobs.lua --root old --missing --plain)" ] || fail "1/1 is missing"
cp jobs.lua jobs.keep
sed 's/replicates = 8/replicates = 9/' jobs.keep >jobs.lua
code=0; "$STILLPOINT" status jobs.lua --root old --missing --plain >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] && [ "$(cat out.txt)" = 1 ] && grep -q '1-of-1.sqlite was made by another script' err.txt ||
    fail "another script: $code: $(cat out.txt err.txt)"
"$STILLPOINT" run jobs.lua --root old --quiet --shard 1/1 # goes on from it
[ -z "$("$STILLPOINT" status jobs.lua --root old --missing --plain)" ] || fail "1/1 is missing still"
mv jobs.keep jobs.lua
shard=old/results/jobs/shards/1-of-1.sqlite
head -c 5000 $shard >half && mv half $shard
code=0; "$STILLPOINT" status jobs.lua --root old --missing --plain >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] && [ "$(cat out.txt)" = 1 ] && grep -q '1-of-1.sqlite.*damaged' err.txt ||
    fail "cut short: $code: $(cat out.txt err.txt)"

# Shards of two numbers of tasks, an sbatch that refuses, and none.
"$STILLPOINT" run jobs.lua --root both --quiet --shard 1/2
"$STILLPOINT" run jobs.lua --root both --quiet --shard 1/3
code=0; "$STILLPOINT" status jobs.lua --root both --missing 2>err.txt || code=$?
[ $code -eq 2 ] && grep -q 'parts of 2 and of 3 tasks: say --tasks N' err.txt || fail "$code: $(cat err.txt)"
touch refuse
code=0; "$STILLPOINT" submit jobs.lua --root no --tasks 2 2>err.txt || code=$?
[ $code -eq 1 ] && grep -q 'sbatch did not take it (exit code 1)' err.txt || fail "$code: $(cat err.txt)"
mkdir nothing
code=0; PATH=$PWD/nothing "$STILLPOINT" submit jobs.lua --root none --tasks 2 2>err.txt || code=$?
[ $code -eq 1 ] && grep -q 'there is no sbatch here' err.txt && [ ! -e none ] || fail "no sbatch: $code: $(cat err.txt)"
PATH=$PWD/nothing "$STILLPOINT" submit jobs.lua --root none --tasks 2 --dry-run >dry.txt || fail "--dry-run without Slurm"
