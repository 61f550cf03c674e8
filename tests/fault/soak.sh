#!/bin/sh
# Random kills (SIGKILL) of the program, of its whole process group or of one worker, at random moments of run, export,
# plot, merge, the building of a cache and a download. After each kill nobody is left, no stored run is lost, what a task has made
# is merged as a whole or not at all, and the program goes on; whenever it is through, its tables and figures are those of
# an undisturbed run, byte by byte.
#
# By hand: KILLS=1000 SEED=1 in the environment (15 kills without; the seed decides what is killed and when; WHAT="merge"
# kills nothing else), as
#     KILLS=1000 STILLPOINT=$PWD/build/release/stillpoint sh tests/in_folder.sh /tmp/soak $PWD/tests/fault/soak.sh
set -eu
fail() { echo "FAILED: kill $kill ($what of $whom after $delay s): $*" >&2; exit 1; }
KILLS=${KILLS:-15} SEED=${SEED:-2385} WHAT=${WHAT:-run run run run export plot cache fetch merge}
kill=0 what=nothing whom=nobody delay=0

# The user's file, in which a reader has something to do, and what stands for Debian's mirror: an apt-get that takes a
# while and brings the wrong bytes.
awk 'BEGIN { srand(17); for (i = 0; i < 4000; i++) { for (j = 1; j <= 12; j++) printf "%.6f,", rand(); print rand() < .5 } }' >own.csv
cat >soak.lua <<'LUA'
return {
  seed = 11, replicates = 12, privacy = { epsilon = { 1, 2 }, delta = 1e-6 }, measures = { "grad_norm", "excess_risk" },
  sweeps = {
    own  = { problem = { loss = "logistic", data = { file = "own.csv", format = "csv" }, domain = { "l2_ball", radius = 2 } },
             figures = { { name = "soak", kind = "trade_off", x = "epsilon", y = "grad_norm" } },
             algorithms = { { "dp_gd", steps = 30 } } },
    made = { problem = { loss = "pseudo_huber", data = "signs", n = 2000, d = { 5, 20 } },
             algorithms = { { "dp_gd", steps = 400 }, { "dp_sgd" } } },
  },
}
LUA
# What two tasks have made, each more than SQLite keeps in memory until it writes.
half=3000
cat >many.lua <<LUA
local eta = {}
for i = 1, $((2 * half)) do eta[i] = i * 1e-4 end
return { seed = 17, checkpoints = 0, measures = { "grad_norm" }, privacy = { epsilon = 1, delta = 1e-6 },
         problem = { loss = "pseudo_huber", data = "signs", n = 5, d = 2 }, algorithms = { { "dp_gd", steps = 1, eta = eta } } }
LUA
mkdir -p bin
cat >bin/apt-get <<'SH'
#!/bin/sh
for i in 1 2 3 4; do head -c 100000 /dev/urandom >part$i.deb; sleep 0.05; done
SH
chmod +x bin/apt-get
unset STILLPOINT_DATA
PATH=$PWD/bin:$PATH STILLPOINT_CACHE=$PWD/cache
export PATH STILLPOINT_CACHE
sp() { "$STILLPOINT" "$@"; }
now() { date +%s%N; }

# seconds WORDS...: how long the command takes
seconds() {
    start=$(now)
    sp "$@" >/dev/null 2>&1 || true
    echo "$start $(now)" | awk '{ printf "%.3f", ($2 - $1) / 1e9 }'
}
run="run soak.lua -j 2 --quiet"
run_s=$(seconds $run --root whole)
export_s=$(seconds export soak.lua --root whole) plot_s=$(seconds plot soak.lua --root whole)
fetch_s=$(seconds data fetch mushroom)
rm -r cache
cache_s=$(seconds plan soak.lua)
[ -s whole/plots/soak/soak.svg ] || fail "the undisturbed run has no figure"
for task in 1 2; do sp run many.lua --shard $task/2 -j 2 --quiet --root apart || fail "task $task"; done
mkdir -p joined/results/many
cp -r apart/results/many/shards joined/results/many
merge_s=$(seconds merge many.lua --quiet --root joined)

# What is killed, who of it, and when in its time: decided before.
awk -v seed="$SEED" -v kills="$KILLS" -v of="$WHAT" 'BEGIN {
    srand(seed)
    many = split(of, what); split("main group worker", whom)
    for (i = 0; i < kills; i++) print what[1 + int(many * rand())], whom[1 + int(3 * rand())], rand()
}' >kills.txt

# done_runs SCRIPT ROOT
done_runs() { sp status "$1" --plain --root "$2" | awk 'NR > 1 { s += $4 } END { print s + 0 }'; }

# Those of the group of $1 that are alive.
alive() { ps -o pid=,stat=,pgid= -A | awk -v group="$1" '$3 == group && $2 !~ /^Z/ { print $1 }'; }

# Kills what the background process $main is doing, and waits until nobody of its group is left.
strike() {
    sleep "$delay"
    case $whom in
    main) kill -9 "$main" 2>/dev/null || true ;;
    group) kill -9 -- "-$main" 2>/dev/null || true ;;
    worker)
        worker=$(cut -d ' ' -f 1 "/proc/$main/task/$main/children" 2>/dev/null) || true
        [ -z "$worker" ] || kill -9 "$worker" 2>/dev/null || true ;;
    esac
    code=0
    wait "$main" 2>/dev/null || code=$?
    [ $what != run ] || [ $whom != worker ] || [ $code -eq 0 ] || fail "exit code $code: $(cat log)" # it is made again
    for _ in $(seq 300); do
        left=$(alive "$main")
        [ -n "$left" ] || return 0
        sleep 0.1
    done
    [ $what = fetch ] || fail "left alive: $left" # apt-get is not ours: it ends by itself
}

same() {
    for file in results/soak/cells.tsv results/soak/runs.tsv results/soak/traces.tsv results/soak/summary.tsv plots/soak/soak.svg; do
        cmp whole/$file work/$file || fail "$file differs"
    done
    ! find work -name '*.part' | grep . || fail "left behind"
}

stored=0 merged=0 torn=0 rounds=0
while read -r what whom share; do
    kill=$((kill + 1))
    case $what in
    run)
        before=$(done_runs soak.lua work)
        [ "$before" -ge "$stored" ] || fail "$before of $stored runs are left"
        delay=$(echo "$share $run_s" | awk '{ print $1 * $2 }')
        setsid "$STILLPOINT" $run --root work >log 2>&1 & main=$!
        strike
        stored=$(done_runs soak.lua work)
        [ "$stored" -ge "$before" ] || fail "$stored of $before runs are left" ;;
    merge)
        before=$(done_runs many.lua apart)
        [ "$before" -ge "$merged" ] || fail "$before of $merged merged runs are left"
        delay=$(echo "$share $merge_s" | awk '{ print $1 * $2 }')
        setsid "$STILLPOINT" merge many.lua --quiet --root apart >log 2>&1 & main=$!
        strike
        [ ! -e apart/results/many/store.sqlite-journal ] || torn=$((torn + 1))
        merged=$(done_runs many.lua apart)
        [ "$merged" -ge "$before" ] || fail "$merged of $before merged runs are left"
        [ $((merged % half)) -eq 0 ] || fail "a part of what a task has made is merged: $merged runs in all"
        [ "$merged" -eq $((2 * half)) ] || continue
        sp merge many.lua --quiet --root apart || fail "merge"
        for file in cells.tsv runs.tsv; do
            cmp joined/results/many/$file apart/results/many/$file || fail "$file differs"
        done
        ! find apart -name '*.part' | grep . || fail "left behind"
        find apart/results/many -maxdepth 1 -type f -exec rm {} +
        merged=0 rounds=$((rounds + 1)) ;;
    export | plot)
        sp $run --root work || fail "could not go on"
        seconds=$export_s
        [ $what = export ] || seconds=$plot_s
        delay=$(echo "$share $seconds" | awk '{ print $1 * $2 }')
        setsid "$STILLPOINT" $what soak.lua --root work >log 2>&1 & main=$!
        strike
        sp export soak.lua --root work --quiet && sp plot soak.lua --root work --quiet || fail "export and plot"
        same
        rm -r work
        stored=0 rounds=$((rounds + 1)) ;;
    cache)
        rm -rf cache/binary
        delay=$(echo "$share $cache_s" | awk '{ print $1 * $2 }')
        setsid "$STILLPOINT" plan soak.lua >log 2>&1 & main=$!
        strike
        sp plan soak.lua >log 2>&1 || fail "plan: $(cat log)"
        ! find cache/binary -name '*.part' | grep . || fail "left behind" ;;
    fetch)
        delay=$(echo "$share $fetch_s" | awk '{ print $1 * $2 }')
        setsid "$STILLPOINT" data fetch mushroom >log 2>&1 & main=$!
        strike
        code=0
        sp data fetch mushroom >log 2>&1 || code=$?
        [ $code -le 1 ] || fail "fetch: exit code $code: $(cat log)"
        ! find cache -name 'fetch*' | grep . || fail "left behind"
        [ $code -eq 0 ] || ! find cache/downloads -type f 2>/dev/null | grep . || fail "kept what is not verified" ;;
    esac
done <kills.txt
sp $run --root work || fail "could not go on"
same
echo "$kill kills ($torn left a merge half written), seed $SEED, $((rounds + 1)) sweeps: no run lost, nobody left alive, every byte equal"
