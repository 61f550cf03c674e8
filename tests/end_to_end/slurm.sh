#!/bin/sh
# A real Slurm on one node, started here (Debian's slurm-wlm and munge): submit, tasks preempted by another partition, one
# stopped before its time limit, one ended and requeued by hand, one cancelled; what is in the queue is not submitted again,
# what is missing is, and merged it is what one process makes, byte for byte. And two ranks by srun, in a job whose script itself
# is no rank. Skipped where Slurm is not there or does not
# start.
set -eu
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || { echo "skipped: $program is not there (Debian: slurm-wlm, munge)"; exit 77; }
done
here=$PWD
host=$(hostname -s)
mkdir state spool node
export TMPDIR="$here/node" SLURM_CONF="$here/slurm.conf"
stop() {
    scancel --user="$(id -un)" 2>/dev/null || true
    for _ in $(seq 50); do [ -n "$(squeue -h 2>/dev/null)" ] || break; sleep 0.2; done
    for daemon in slurmd slurmctld munged; do # each to its end, for it writes into this folder until then
        [ -s $daemon.pid ] || continue
        process=$(cat $daemon.pid)
        kill "$process" 2>/dev/null || true
        for _ in $(seq 150); do kill -0 "$process" 2>/dev/null || break; sleep 0.2; done
    done
}
tell() { echo "$*" >&2; squeue -a >&2 || true; tail -n 5 ./*.log results/*/shards/*.log >&2 2>/dev/null || true; }
fail() { tell "FAILED: $*"; exit 1; }
skip() { tail -n 5 ./*.log; echo "skipped: $*"; exit 77; }
# for up to two minutes, or longer on a machine that has much else to do: until COMMAND...
until_() { i=0; until "$@"; do i=$((i + 1)); [ $i -lt 600 ] || return 1; sleep 0.2; done; }
trap stop EXIT

port=$((20000 + $$ % 20000))
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$here/munge.socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=100000,bf_interval=1,batch_sched_delay=0
MaxArraySize=2
ReturnToService=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=low Nodes=$host Default=YES PriorityTier=1
PartitionName=high Nodes=$host PriorityTier=2 PreemptMode=OFF
CONF
head -c 128 /dev/urandom >munge.key
chmod 400 munge.key
munged --force --socket="$here/munge.socket" --key-file="$here/munge.key" --pid-file="$here/munged.pid" \
    --log-file="$here/munged.log" --seed-file="$here/munged.seed" >start.log 2>&1 || skip "munged does not start"
slurmctld -c >>start.log 2>&1 || skip "slurmctld does not start"
slurmd >>start.log 2>&1 || skip "slurmd does not start"
is_idle() { [ "$(sinfo -h -p low -o %T 2>/dev/null)" = idle ]; }
until_ is_idle || skip "no node becomes idle"

cat >jobs.lua <<'LUA'
return {
  seed = 23, replicates = 96, checkpoints = 0, privacy = "none", measures = { "grad_norm" },
  problem = { loss = "pseudo_huber", data = "signs", n = { 500, 600 }, d = 20 },
  algorithms = { { "gd", steps = 150000 } },
}
LUA
shards=results/jobs/shards
parts() { find $shards -name '*.part.sqlite' | wc -l; }
running() { squeue -h -r -t R -p low -o %A; }
restarts() { scontrol show job "$1" | sed -n 's/.* Restarts=\([0-9]*\).*/\1/p'; }
two_run() { [ "$(running | wc -l)" -eq 2 ]; }
none_left() { [ -z "$(squeue -h -p low)" ]; }
# what waits after its requeue does not wait any longer
hurry() { for job in $(squeue -h -r -p low -t PD -o %A); do scontrol update JobId="$job" StartTime=now 2>/dev/null || true; done; }
run_soon() { hurry; two_run; }
done_soon() { sleep 1; hurry; none_left; }
# stored K: how many runs the store of task K holds, which is alive
mkdir -p look/results
stored() {
    at=$(ls -d node/stillpoint-"$1"-of-2.sqlite-* 2>/dev/null | tail -n 1)
    rm -f look/results/jobs
    [ -z "$at" ] || ln -s "$here/$at" look/results/jobs
    "$STILLPOINT" status jobs.lua --root look --plain 2>/dev/null | awk 'NR > 1 { s += $4 } END { print s + 0 }'
}
both_store() { [ "$(stored 1)" -gt "$1" ] && [ "$(stored 2)" -gt "$2" ]; } # more than so many
# The workers of both tasks stand still, so that these do not end before they are preempted, however quick the machine is.
freeze() {
    for process in $(pgrep -f -- "$here/jobs.lua.* --shard [12]/2 "); do
        for worker in $(cat "/proc/$process/task/$process/children" 2>/dev/null); do kill -STOP "$worker"; done
    done
}

"$STILLPOINT" submit jobs.lua --tasks 2 >submitted.txt || fail "submit"
[ "$(grep -c '^Submitted batch job' submitted.txt)" -eq 2 ] || fail "2 tasks, arrays of 1: $(cat submitted.txt)"

until_ two_run || fail "no two tasks run"
"$STILLPOINT" submit jobs.lua --tasks 2 >again.txt || fail "submit once more"
grep -qx 'in the queue, and not submitted again: 1-2' again.txt && ! grep -q '^Submitted' again.txt ||
    fail "both tasks are in the queue: $(cat again.txt)"

# Both are preempted: they save on SIGTERM, and Slurm puts them into the queue again. (Where a partition has a GraceTime that
# comes at its end, up to half a minute later than it says: by hand. What has no steps hears nothing of its beginning.)
until_ both_store 0 0 || fail "no runs are stored"
freeze
one=$(stored 1) two=$(stored 2)
sbatch --partition=high --cpus-per-task=2 --output=high.txt --wrap 'echo there' >/dev/null
preempted() { [ -s high.txt ]; }
until_ preempted || fail "no preemption"
[ "$(parts)" -eq 2 ] || fail "$(parts) parts saved at the preemption"
for job in $(squeue -h -r -p low -o %A); do
    [ "$(restarts "$job")" -eq 1 ] || fail "job $job was not requeued after its preemption"
done

# One gets the signal that comes before its time limit: it saves, and goes back into the queue by itself. The other is ended
# and requeued by hand.
until_ run_soon || fail "the preempted tasks do not run again"
until_ both_store "$one" "$two" || fail "the preempted tasks do not go on"
freeze
late=$(running | head -n 1)
other=$(running | tail -n 1)
scancel --batch --signal=USR1 "$late"
scontrol requeue "$other"
none_run() { [ -z "$(running)" ]; }
until_ none_run || fail "the tasks were not ended"
[ "$(parts)" -eq 2 ] || fail "$(parts) parts saved"
for job in $late $other; do
    [ "$(restarts "$job")" -eq 2 ] || fail "job $job was not requeued"
done

# One is cancelled, and stays so.
sleep 2 # a job that begins again in the second that it ended in is refused
lost=$(squeue -h -r -p low -o %A | tail -n 1)
scancel "$lost"
until_ done_soon || until_ done_soon || fail "the tasks did not end"
missing=$("$STILLPOINT" status jobs.lua --missing --plain) && fail "nothing is missing"
[ "$(echo "$missing" | tr ',-' '\n\n' | wc -l)" -eq 1 ] || fail "missing: $missing, not one task"
"$STILLPOINT" submit jobs.lua >submitted.txt || fail "submit again"
[ "$(grep -c '^Submitted batch job' submitted.txt)" -eq 1 ] || fail "$(cat submitted.txt)"
until_ done_soon || fail "task $missing did not end"
[ -z "$("$STILLPOINT" status jobs.lua --missing --plain)" ] || fail "still missing"
[ "$(parts)" -eq 0 ] && [ -z "$(ls node)" ] || fail "left: $(ls $shards node)"
"$STILLPOINT" merge jobs.lua --quiet
"$STILLPOINT" run jobs.lua --quiet --no-plot --no-audit --root one -j 2
for table in runs cells; do
    cmp results/jobs/$table.tsv one/results/jobs/$table.tsv || fail "$table.tsv differs"
done

cat >ranks.sh <<'SH'
#!/bin/sh
"$STILLPOINT" run jobs.lua --shard auto --root srun --quiet || echo "the script: exit code $?"
srun "$STILLPOINT" run jobs.lua --shard auto --root srun --no-plot --no-audit --quiet -j 1 || echo "srun: exit code $?"
echo end
SH
sbatch --ntasks=2 --output=ranks.txt ranks.sh >/dev/null || fail "sbatch of ranks"
has_ended() { grep -qs '^end$' ranks.txt; }
until_ has_ended || fail "the ranks do not end: $(cat ranks.txt)"
grep -q 'the script: exit code 2' ranks.txt && ! grep -q 'srun: exit code' ranks.txt || fail "ranks by srun: $(cat ranks.txt)"
[ "$(find srun/results/jobs/shards -name '*-of-16.sqlite' | wc -l)" -eq 16 ] || fail "2 ranks: not 16 parts"
for table in runs cells; do
    cmp srun/results/jobs/$table.tsv one/results/jobs/$table.tsv || fail "$table.tsv of srun differs"
done
