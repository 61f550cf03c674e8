#!/bin/sh
# run --mpi by Open MPI (Debian's openmpi-bin and libopenmpi-dev): 3 ranks, 3 of which one is killed at work (with and
# without --enable-recovery) or idle just before the end, 3 of which one is stopped for a while and then does the rest,
# and 3 of which only rank 0 is left, give the bytes of -j 1. Skipped where mpirun does not start.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_plm_rsh_agent=false OMPI_MCA_btl_vader_single_copy_mechanism=none
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

# --- what needs no mpirun ---
bad() { # TEXT WORDS...
    text=$1; shift
    code=0
    "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -e "$text" out.txt || fail "$*: exit code $code: $(cat out.txt)"
}
bad "say one of them" "$STILLPOINT" run ranks.lua --mpi --shard 1/2
bad "does not go with --only" "$STILLPOINT" run ranks.lua --mpi --only gd
mkdir without
cp "$STILLPOINT" without/stillpoint
bad "built without MPI: there is no $PWD/without/stillpoint-mpi" without/stillpoint run ranks.lua --mpi
[ -x "$(dirname "$STILLPOINT")/stillpoint-mpi" ] || { echo "skipped: this build has no MPI"; exit 77; }
command -v mpirun >/dev/null || { echo "skipped: mpirun is not there (Debian: openmpi-bin)"; exit 77; }
timeout 120 mpirun -n 3 true </dev/null >start.txt 2>&1 || { cat start.txt; echo "skipped: mpirun does not start"; exit 77; }
bad "one rank alone" mpirun -n 1 "$STILLPOINT" run ranks.lua --mpi

# --- the same bytes ---
# So many steps that a quick machine, too, is not done before a rank can be killed.
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
}
drawn() { "$STILLPOINT" plot ranks.lua --quiet --root "$1" || fail "figures of $1"; }
# ranks ROOT [--enable-recovery]: in the background; $job is mpirun. With it, who is silent for 5 s is lost (mpi/messenger.c).
ranks() {
    root=$1; shift
    ${1:+env STILLPOINT_MPI_SILENCE=5} mpirun "$@" -n "${number:-3}" "$STILLPOINT" run ranks.lua --no-plot --no-audit \
        --root "$root" -j 1 --mpi --save-every 0 </dev/null >"$root.txt" 2>&1 &
    job=$!
}
ended() {
    code=0
    for _ in $(seq 3000); do
        kill -0 "$job" 2>/dev/null || break
        sleep 0.1
    done
    if kill "$job" 2>/dev/null; then
        sleep 3 # in which it ends its ranks
        kill -9 "$job" 2>/dev/null || true
        fail "$root has no end: $(cat "$root.txt")"
    fi
    wait "$job" || code=$?
}
ranks three
ended
[ $code -eq 0 ] || fail "3 ranks: exit code $code: $(cat three.txt)"
same three
! grep -qi 'mpirun\|abnormal' three.txt || fail "mpirun is not content: $(cat three.txt)"
[ -z "$(ls node)" ] || fail "ranks left $(ls node)"

# process RANK: of it, not of its messenger
process() {
    for child in $(cat "/proc/$job/task/$job/children"); do
        tr '\0' '\n' <"/proc/$child/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$child"
    done
}
messenger() { cat "/proc/$(process "$1")/task/$(process "$1")/children" | cut -d' ' -f1; }
# until_it WHAT COMMAND...
until_it() {
    what=$1; shift
    for _ in $(seq 6000); do
        "$@" && return 0
        sleep 0.01
    done
    fail "$what: $(cat "$root.txt")"
}
some() { [ -n "$(find "$1" -name "$2" 2>/dev/null)" ]; }
works() { some node 'stillpoint-*' && some "$root/results/ranks/shards" '*-of-16.sqlite'; }
under_way() { until_it "no task is under way" works; } # one is done, and another has begun
says() { grep -q "$1" "$root.txt"; }

ranks recovers --enable-recovery
under_way
kill -9 "$(process 2)"
ended
grep -q 'rank 2 is lost' recovers.txt || fail "rank 2 was not missed: $(cat recovers.txt)"
same recovers
for root in one recovers; do drawn $root; done
diff -r one/plots recovers/plots || fail "figures differ"
[ -n "$(find one/plots -name '*.pdf' -o -name '*.svg' -o -name '*.png')" ] || fail "no figure"
rm -rf node/*

ranks stops
under_way
kill -9 "$(process 1)"
ended
[ $code -ne 0 ] || fail "a rank was killed, and mpirun saw nothing: $(cat stops.txt)"
rm -rf node/*
done_before=$(find stops/results/ranks/shards -name '*-of-16.sqlite' | wc -l)
[ "$done_before" -gt 0 ] || fail "nothing is kept"
ranks stops
ended
[ $code -eq 0 ] || fail "the same command again: exit code $code: $(cat stops.txt)"
same stops

# Stopped for longer than the silence, and continued: it works again. The other one has a task that it does not go on with
# (only its messenger does), so that all the rest is done by this one, and, when the other one dies, that task too.
ranks returns --enable-recovery
under_way
kill -STOP "$(process 1)" "$(process 2)" "$(messenger 2)"
until_it "rank 2 was not missed" says 'rank 2 is lost, with task'
kill -CONT "$(process 2)" "$(messenger 2)"
until_it "rank 2 is not heard again" says 'rank 2 is heard again'
all=$(find three/results/ranks/shards -name '*-of-16.sqlite' | wc -l) # of the 16 some have no runs
all_but_one() { [ "$(find returns/results/ranks/shards -name '*-of-16.sqlite' | wc -l)" -eq $((all - 1)) ]; }
until_it "rank 2 does not work again" all_but_one
kill -9 "$(process 1)"
ended
says 'rank 1 is lost, with task' || fail "rank 1 was not missed: $(cat returns.txt)"
same returns
rm -rf node/*

# The only one that works is stopped for longer than the silence, and continued: the job does not end with it.
number=2
ranks slow --enable-recovery
number=3
until_it "no task is under way" some node 'stillpoint-*'
kill -STOP "$(process 1)" "$(messenger 1)"
sleep 10
kill -CONT "$(process 1)" "$(messenger 1)"
ended
[ $code -eq 0 ] && ! says 'rank 1 is lost' || fail "the only rank was slow: exit code $code: $(cat slow.txt)"
same slow
rm -rf node/*

# An idle rank that is killed just before the end is missed by nobody; the others end all the same.
"$STILLPOINT" run ranks.lua --root idle -j 1 --shard 1/2 --quiet
ranks idle --enable-recovery
until_it "no task is under way" some node 'stillpoint-*'
busy() { [ "$(wc -w <"/proc/$(process "$1")/task/$(process "$1")/children")" -gt 1 ]; }
until_it "no rank works" eval 'busy 1 || busy 2'
idle=1
! busy 1 || idle=2
kill -9 "$(process $idle)"
ended
! says "rank $idle is lost" || echo "not tried: the task was so long that the idle rank was missed"
same idle
rm -rf node/*

# Rank 0 alone is left: it stores what there is, says that something is missing, and the same command goes on.
ranks alone --enable-recovery
under_way
kill -9 "$(process 1)" "$(process 2)"
ended
grep -q 'no other rank is left; [0-9]* of 16 tasks are not done: the same command goes on' alone.txt ||
    fail "rank 0 alone: $(cat alone.txt)"
[ "$(wc -l <alone/results/ranks/runs.tsv)" -gt 1 ] || fail "rank 0 alone stored nothing"
rm -rf node/*
ranks alone
ended
[ $code -eq 0 ] || fail "after rank 0 alone: exit code $code: $(cat alone.txt)"
same alone
