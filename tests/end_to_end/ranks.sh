#!/bin/sh
# run --shard auto: three processes with the variables of an MPI job, three of which one is killed, stopped or told to end, and
# claims of another host, give the bytes of -j 1. By Open MPI's mpirun as well, where it starts (Debian: openmpi-bin); by srun:
# end_to_end/slurm.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
TMPDIR=$PWD/node
export TMPDIR
mkdir node

# write STEPS
write() { cat >ranks.lua <<LUA
return {
  seed = 17, replicates = 6, checkpoints = 3, tuning_replicates = 3,
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0.3 }, n = { 200, 300 }, d = 3 },
  privacy = { epsilon = { 0.7, 2.385 }, delta = 1e-6 },
  measures = { "grad_norm", "excess_risk" },
  sweeps = {
    plain = { algorithms = { { "dp_gd", steps = $1 }, { "gd", steps = 20 } },
              figures = { { name = "epsilon", kind = "rate", x = "epsilon", y = "grad_norm",
                            where = { ["problem.n"] = 200 } } } },
    tuned = { algorithms = { { "dp_gd", label = "tuned", steps = $1, tune = { eta = { times = { 0.3, 1 } } } },
                             { "dp_gd", label = "borrows", steps = 40, tune = "tuned", privacy = { noise = "off" } } } },
  },
}
LUA
}
write 6000

# --- what is refused ---
bad() { # TEXT WORDS...
    text=$1; shift
    code=0
    "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -e "$text" out.txt || fail "$*: exit code $code: $(cat out.txt)"
}
auto="run ranks.lua --shard auto"
bad "--shard auto" "$STILLPOINT" run ranks.lua --mpi
bad "mpirun" "$STILLPOINT" $auto
bad "--only" env PMI_RANK=0 PMI_SIZE=2 "$STILLPOINT" $auto --only gd
bad "mpirun" env PMI_RANK=2 PMI_SIZE=2 "$STILLPOINT" $auto
bad "mpirun" env SLURM_PROCID=0 SLURM_NTASKS=4 "$STILLPOINT" $auto # a batch script
bad "mpirun" env SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_STEP_ID=4294967291 "$STILLPOINT" $auto

# --- the same bytes ---
# So many steps that on a quick machine, too, a rank is still at work when it is killed.
steps=6000
while :; do
    rm -rf one
    began=$(date +%s)
    "$STILLPOINT" run ranks.lua --quiet --no-plot --no-audit --root one -j 1
    [ $(($(date +%s) - began)) -lt 2 ] && [ $steps -lt 10000000 ] || break
    steps=$((3 * steps))
    write $steps
done
same() {
    for table in cells runs traces tuning; do
        cmp one/results/ranks/$table.tsv "$1/results/ranks/$table.tsv" || fail "$table.tsv of $1 differs"
    done
    [ -z "$(find "$1" -name '*.claim*')" ] || fail "left of $1: $(find "$1" -name '*.claim*')"
}
# start RANK SIZE ROOT: in the background; its process is $rank_RANK
start() {
    env PMI_RANK="$1" PMI_SIZE="$2" "$STILLPOINT" $auto --no-plot --no-audit --root "$3" -j 1 --save-every 0 \
        </dev/null >"$3.$1.txt" 2>&1 &
    eval "rank_$1=$!"
}
# ended RANK: its exit code is $code
ended() {
    eval "process=\$rank_$1"
    code=0
    wait "$process" || code=$?
}
# until_it WHAT COMMAND...
until_it() {
    what=$1; shift
    for _ in $(seq 6000); do
        "$@" && return 0
        sleep 0.01
    done
    fail "$what: $(cat ./*.txt)"
}
shards() { echo "$1/results/ranks/shards"; }
done_parts() { find "$(shards "$1")" -name '*-of-24.sqlite' 2>/dev/null | wc -l; }
# claimed ROOT PROCESS: it has claimed a part, whose store is there
claimed() { grep -qs " $2 " "$(shards "$1")"/*.claim && [ -n "$(find node -name 'stillpoint-*')" ]; }
some_done() { [ "$(done_parts "$1")" -gt 0 ]; }

for rank in 0 1 2; do start $rank 3 three; done
for rank in 0 1 2; do ended $rank; [ $code -eq 0 ] || fail "rank $rank of three: exit code $code: $(cat three.*.txt)"; done
same three
[ -z "$(ls node)" ] || fail "ranks left $(ls node)"
for root in one three; do "$STILLPOINT" plot ranks.lua --quiet --root $root || fail "figures of $root"; done
diff -r one/plots three/plots || fail "figures differ"
[ -n "$(find one/plots -name '*.pdf' -o -name '*.svg' -o -name '*.png')" ] || fail "no figure"

# One is killed at work: its process is gone, so that another one takes its part over at once.
for rank in 0 1 2; do start $rank 3 killed; done
until_it "no part is done" some_done killed
until_it "rank 2 claims nothing" claimed killed "$rank_2"
kill -9 "$rank_2"
ended 2
[ $code -eq 137 ] || fail "rank 2 was not killed: $code"
for rank in 0 1; do ended $rank; [ $code -eq 0 ] || fail "rank $rank: exit code $code: $(cat killed.*.txt)"; done
same killed
grep -q "taken over from a process that is gone (.* $rank_2 " killed.[01].txt || fail "nothing was taken over: $(cat killed.*.txt)"
rm -rf node/*

# One is stopped: it renews its claim no more, and another one takes its part over. When it continues, it does no harm.
export STILLPOINT_CLAIM_SECONDS=2
for rank in 0 1 2; do start $rank 3 stopped; done
until_it "rank 1 claims nothing" claimed stopped "$rank_1"
kill -STOP "$rank_1"
for rank in 0 2; do ended $rank; [ $code -eq 0 ] || fail "rank $rank: exit code $code: $(cat stopped.*.txt)"; done
grep -q "taken over from a process that is gone (.* $rank_1 " stopped.[02].txt || fail "nothing was taken over: $(cat stopped.*.txt)"
same stopped
kill -CONT "$rank_1"
ended 1
[ $code -eq 0 ] || fail "the rank that was stopped: exit code $code: $(cat stopped.1.txt)"
rm -rf node/*

# A claim that is renewed is not taken over, however long the part takes: two seconds are less than a part here.
slow=$(find "$(shards three)" -name '*-of-24.sqlite' | head -n 1)
slow=$(basename "$slow")
mkdir -p "$(shards foreign)"
echo "elsewhere 1 2026-01-01T00:00:00Z" >"$(shards foreign)/$slow.claim"
( while [ ! -e foreign.end ]; do touch "$(shards foreign)/$slow.claim"; sleep 0.2; done; ) &
renewer=$!
for rank in 0 1 2; do start $rank 3 foreign; done
all=$(done_parts three)
all_but_one() { [ "$(done_parts foreign)" -eq $((all - 1)) ]; }
until_it "not all other parts are done" all_but_one
sleep 3
all_but_one || fail "a part that another host renews was taken over"
touch foreign.end
wait $renewer
for rank in 0 1 2; do ended $rank; [ $code -eq 0 ] || fail "rank $rank: exit code $code: $(cat foreign.*.txt)"; done
grep -q "taken over from a process that is gone (elsewhere 1 " foreign.[012].txt || fail "nothing was taken over: $(cat foreign.*.txt)"
same foreign
unset STILLPOINT_CLAIM_SECONDS

# All are told to end, at work or waiting for others: they save what they have, leave no claim, and one process does the rest.
for rank in 0 1 2; do start $rank 3 told; done
until_it "no part is done" some_done told
for rank in 0 1 2; do eval "until_it 'rank $rank claims nothing' claimed told \$rank_$rank"; done # none is still starting
kill -TERM "$rank_0" "$rank_1" "$rank_2"
for rank in 0 1 2; do ended $rank; [ $code -eq 130 ] || fail "rank $rank: exit code $code: $(cat told.*.txt)"; done
[ -z "$(find told -name '*.claim')" ] || fail "left: $(find told -name '*.claim')"
before=$(done_parts told)
[ "$before" -gt 0 ] && [ "$before" -lt "$all" ] || fail "$before of $all parts were done when all were told to end"
start 0 1 told
ended 0
[ $code -eq 0 ] && [ "$(done_parts told)" -eq "$all" ] || fail "the same command again: exit code $code: $(cat told.0.txt)"
same told

# --- by mpirun ---
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_plm_rsh_agent=false OMPI_MCA_btl_vader_single_copy_mechanism=none
command -v mpirun >/dev/null || { echo "not tried: mpirun is not there (Debian: openmpi-bin)"; exit 0; }
timeout 120 mpirun -n 3 true </dev/null >start.txt 2>&1 || { cat start.txt; echo "not tried: mpirun does not start"; exit 0; }
# ranks ROOT [--enable-recovery]: in the background; $job is mpirun
ranks() {
    root=$1; shift
    timeout 300 mpirun "$@" -n 3 "$STILLPOINT" $auto --no-plot --no-audit --root "$root" -j 1 --save-every 0 </dev/null \
        >"$root.txt" 2>&1 &
    job=$!
}
finished() { code=0; wait "$job" || code=$?; }
ranks launched
finished
[ $code -eq 0 ] || fail "mpirun: exit code $code: $(cat launched.txt)"
! grep -qi 'mpirun\|abnormal' launched.txt || fail "mpirun complains: $(cat launched.txt)"
same launched

# process RANK, of those that mpirun below $job has started
process() {
    for parent in $(cat "/proc/$job/task/$job/children"); do
        for child in $(cat "/proc/$parent/task/$parent/children"); do
            tr '\0' '\n' <"/proc/$child/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$child"
        done
    done
}
ranks recovers --enable-recovery
until_it "no part is done" some_done recovers
two=$(process 2)
until_it "rank 2 claims nothing" claimed recovers "$two"
kill -9 "$two"
finished
grep -q "taken over from a process that is gone (.* $two " recovers.txt || fail "nothing was taken over: $(cat recovers.txt)"
same recovers
rm -rf node/*

# Without recovery the job ends with a rank; the same command continues.
ranks ends
until_it "no part is done" some_done ends
kill -9 "$(process 1)"
finished
[ $code -ne 0 ] || fail "a rank was killed, and mpirun saw nothing: $(cat ends.txt)"
rm -rf node/*
some_done ends || fail "nothing is kept"
ranks ends
finished
[ $code -eq 0 ] || fail "the same command again: exit code $code: $(cat ends.txt)"
same ends
