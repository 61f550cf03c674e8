#!/bin/sh
# results/ on a network file system, a real one as far as one can be had without a second machine: the same folder mounted
# twice by sshfs (Debian: sshfs, openssh-sftp-server), whose server is started by the mount itself, without ssh. Each mount
# has a cache of its own and no memory or lock in common with the other, as two machines. The store keeps a rollback journal
# there and loses nothing when its writer is killed; tasks keep theirs on the node's own disk, go on at another node from
# what was saved, and are merged at either: the bytes of a local run. Skipped where nothing can be mounted.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
command -v sshfs >/dev/null || skip "sshfs is not there (Debian: sshfs)"
server=
for at in /usr/lib/openssh /usr/lib/ssh /usr/libexec/openssh /usr/libexec; do
    [ ! -x $at/sftp-server ] || server=$at/sftp-server
done
[ -n "$server" ] || skip "sftp-server is not there (Debian: openssh-sftp-server)"
mkdir real one two node
printf '#!/bin/sh\nexec %s\n' "$server" >door
chmod +x door
leave() { for at in one two; do fusermount3 -u $at 2>/dev/null || fusermount3 -uz $at 2>/dev/null || true; done; }
trap leave EXIT
for at in one two; do # a second of cache in place of 20, which the test would have to wait for
    sshfs -o "ssh_command=$PWD/door,dcache_timeout=1,attr_timeout=1,entry_timeout=1,negative_timeout=1" \
        "here:$PWD/real" $at >mount.txt 2>&1 || skip "nothing can be mounted: $(cat mount.txt)"
done
TMPDIR=$PWD/node
export TMPDIR

cat >far.lua <<'LUA'
return {
  seed = 17, replicates = 20, checkpoints = 3, measures = { "grad_norm", "excess_risk" },
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0.3 }, n = { 200, 300 }, d = 3 },
  privacy = { epsilon = { 0.7, 2.385 }, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 20000 }, { "gd", steps = 20 } },
}
LUA
"$STILLPOINT" run far.lua --quiet --no-plot --no-audit --root near -j 1
same() {
    for table in cells runs traces; do
        cmp near/results/far/$table.tsv "$1/results/far/$table.tsv" || fail "$table.tsv of $1 differs"
    done
}
run() { "$STILLPOINT" run far.lua --no-plot --no-audit -j 1 "$@"; }

# --- the store itself -------------------------------------------------------------------------------------------------

# until_more LINES FILE: so many lines of progress are there, of which there are at least ten until all is done, and the file; or
# the task, or the run, has ended.
lines() { grep -c . one.txt || true; }
until_more() {
    for _ in $(seq 1 6000); do
        [ "$(lines)" -gt "$1" ] && [ -s "$2" ] && return 0
        kill -0 $task 2>/dev/null || return 0
        sleep 0.01
    done
    fail "nothing is done: $(cat one.txt)"
}

# Killed, group and all, when it has stored some more runs; never a write-ahead log. The next one goes on.
for kill in 1 2 3 4 5; do
    setsid "$STILLPOINT" run far.lua --no-plot --no-audit -j 1 --root one >/dev/null 2>one.txt &
    task=$!
    until_more 3 one.txt
    [ ! -e real/results/far/store.sqlite-wal ] || fail "a write-ahead log on a network file system"
    if [ $kill -eq 1 ]; then
        kill -STOP $task # so that it is not done meanwhile
        run --root one >again.txt 2>&1 && fail "two writers at once"
        kill -CONT $task
    fi
    sleep 0.0$kill
    kill -KILL -$task 2>/dev/null || true
    wait $task 2>/dev/null || true
done
grep -q 'is being written by another run' again.txt || fail "the second writer: $(cat again.txt)"
grep -q 'keeps a rollback journal, no write-ahead log: it lies on a network file system' one.txt || fail "$(cat one.txt)"
run --root one >done.txt 2>&1 || fail "$(cat done.txt)"
grep -q ' 0 there before' done.txt && fail "nothing was kept: $(cat done.txt)"
same one
ls real/results/far | grep -e -wal -e -journal && fail "a journal is left"
sleep 2 # the other machine's cache
"$STILLPOINT" status far.lua --root two >status.txt || fail "read from the other machine: $(cat status.txt)"
"$STILLPOINT" export far.lua --root two --quiet
same two
rm -rf real/results

# --- tasks ------------------------------------------------------------------------------------------------------------

sleep 2
"$STILLPOINT" run far.lua --no-plot -j 1 --root one --shard 1/2 --save-every 0 >/dev/null 2>one.txt &
task=$!
until_more 0 real/results/far/shards/1-of-2.part.sqlite
kill -TERM $task || true
code=0
wait $task || code=$?
[ $code -eq 130 ] || fail "after SIGTERM: exit code $code: $(cat one.txt)"
[ "$(ls real/results/far/shards)" = 1-of-2.part.sqlite ] || fail "beside the part: $(ls real/results/far/shards)"
run --root two --shard 1/2 >two.txt 2>&1 || fail "the other machine: $(cat two.txt)"
grep -q ' 0 left' two.txt && ! grep -q ' 0 there before' two.txt || fail "began anew: $(cat two.txt)"
run --root two --shard 2/2 >two.txt 2>&1 || fail "$(cat two.txt)"
[ "$(ls real/results/far/shards | paste -s -d ' ')" = "1-of-2.sqlite 2-of-2.sqlite" ] || fail "$(ls real/results/far/shards)"
[ -z "$(ls node)" ] || fail "left on the node: $(ls node)"
sleep 2
[ -z "$("$STILLPOINT" status far.lua --root one --missing --plain)" ] || fail "missing from the first machine"
"$STILLPOINT" merge far.lua --root one --quiet
same one
