#!/bin/sh
# `run --seeds`: the first seed is the experiment's own, another one is what a script with that seed gives; the tables
# are the same bytes for one worker, two workers in another order, a kill in the second seed, and three seeds of which
# five are made later. What was made anew by itself since is stale. No other verb minds the seeds.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

experiment() { # the seed, steps of gd
    cat <<LUA
return {
  seed = $1, replicates = 6, tuning_replicates = 3, checkpoints = 3,
  problem = { loss = { "huber_ramp", slope = { 0.5, 0.25, 0.125 }, tilt = 0.3 }, data = "sphere",
              n = { 400, 700, 1300 }, d = 5, family = "loss.slope", declared = { L = 2, L_data = 1, gap = 2, distance = 20 } },
  privacy = { epsilon = 2.385, delta = 1e-6 },
  algorithms = { { "dp_gd", tune = { eta = { 0.3, 1, 3 }, steps = { times = { 0.1, 0.3, 1 } } } },
                 { "gd", steps = $2 } },
  measures = { "grad_norm" },
  claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1/2, tolerance = 0.1, mode = "sup",
               closed = "both" } },
  figures = { { name = "rate", kind = "rate", x = "n", y = "grad_norm", where = { ["loss.slope"] = 0.5 } } },
}
LUA
}
experiment 17 50 >e.lua
run() { "$STILLPOINT" run e.lua --root "$@" 2>err.txt >out.txt || { cat err.txt >&2; fail "run $*"; }; }
# same ROOT FOLDER [ROOT FOLDER]: the tables in two folders of results, one/ and the same folder unless it is given.
same() {
    for table in cells runs traces tuning summary; do
        cmp "${3:-one}/results/${4:-$2}/$table.tsv" "$1/results/$2/$table.tsv" || fail "$table.tsv of $1, $2 differs"
    done
}
check() { # EXPECTED CODE, a root
    code=0
    "$STILLPOINT" check e --root "$2" >out.txt 2>err.txt || code=$?
    [ $code -eq "$1" ] || { cat out.txt err.txt >&2; fail "check of $2: exit code $code, expected $1"; }
}

# Which seeds there are, and that each is run.
run one -j 1 --seeds 3
for line in "e, seed 1 of 3: 17" "e, seed 3 of 3: 360 runs: 360 done now, 0 there before, 0 failed, 0 left;"; do
    grep -qF "$line" err.txt || { cat err.txt >&2; fail "the run does not say '$line'"; }
done
[ "$(cut -f 1 one/results/e/seeds.tsv | tr '\n' ' ')" = "number 1 2 3 " ] || fail "seeds.tsv"
[ -s one/plots/e/rate.svg ] && [ "$(find one/plots -type f | wc -l)" -eq 1 ] || fail "figures of the first seed alone"
for seed in 2 3; do
    for table in cells runs traces timings tuning claims summary fits provenance; do
        [ -s one/results/e/seeds/$seed/$table.tsv ] || fail "seed $seed has no $table.tsv"
    done
done

# The first seed is the experiment as it is run without the option; the second is an experiment with that seed.
run plain -j 2
same plain e
mkdir other
experiment "$(awk 'NR == 3 { print $2 }' one/results/e/seeds.tsv)" 50 >other/e.lua
"$STILLPOINT" run other/e.lua --root other -j 2 --quiet || fail "run with the second seed"
same other e one e/seeds/2
! cmp -s one/results/e/seeds/2/runs.tsv one/results/e/seeds/3/runs.tsv || fail "the second and the third seed are one"

# However the work is split.
run two -j 2 --shuffle 4242 --seeds 3 --quiet
[ ! -s err.txt ] && [ ! -s out.txt ] || fail "--quiet speaks"
for folder in e e/seeds/2 e/seeds/3; do same two $folder; done
"$STILLPOINT" run e.lua --root killed --seeds 3 --no-plot --quiet -j 1 &
parent=$!
for _ in $(seq 1 2000); do # its tables are written when the second seed begins
    [ -s killed/results/e/runs.tsv ] && break
    sleep 0.005
done
sleep 0.1
kill -9 $parent 2>/dev/null || true
wait $parent 2>/dev/null || true
[ ! -e killed/results/e/seeds.tsv ] || echo "killed too late to tell"
for _ in $(seq 1 3000); do # a worker that has only just been forked holds the lock until it has gone
    ! flock -n killed/results/e/store.sqlite.lock true || break
    sleep 0.02
done
run killed --seeds 3 -j 2
echo "after the kill: $(grep 'seed 2 of 3: 360' err.txt)"
for folder in e e/seeds/2 e/seeds/3; do same killed $folder; done
cmp one/results/e/seeds.tsv killed/results/e/seeds.tsv || fail "seeds.tsv after a kill"

# Three, then five.
run five --seeds 5 -j 2
run two --seeds 5 -j 2
[ "$(grep -c ': 360 runs: 0 done now, 360 there before' err.txt)" -eq 3 ] || { cat err.txt >&2; fail "not two more"; }
for folder in e e/seeds/2 e/seeds/3 e/seeds/4 e/seeds/5; do same two $folder five; done
cmp five/results/e/seeds.tsv two/results/e/seeds.tsv || fail "seeds.tsv of five"

# The status of all seeds together, also of two that were not run yet.
counts() { "$STILLPOINT" status e.lua --plain --root "$@" | awk -F '\t' 'NR > 1 { for (i = 3; i < 8; i++) s[i] += $i }
    END { print s[3], s[4], s[5], s[6], s[7] }'; }
[ "$(counts five --seeds 5)" = "1800 1800 0 0 0" ] || fail "status of five: $(counts five --seeds 5)"
[ "$(counts five --seeds 7)" = "2520 1800 0 0 720" ] || fail "status of seven: $(counts five --seeds 7)"
"$STILLPOINT" status e.lua --root five --seeds 5 >out.txt || fail "status of five: exit code"
! "$STILLPOINT" status e.lua --root five --seeds 7 >out.txt || fail "status of seven: exit code"

# Other verbs: the experiment's own runs, but that a run of another seed is found by its name.
for command in "plan e.lua" "status e.lua" "compare e gd" "account runs e.lua" "export e.lua"; do
    "$STILLPOINT" $command --root plain >plain.txt 2>&1 || fail "$command"
    "$STILLPOINT" $command --root one >one.txt 2>&1 || fail "$command after --seeds"
    sed 's|plain/results|one/results|; /^estimate/d' plain.txt >expected.txt
    sed -i '/^estimate/d' one.txt
    cmp expected.txt one.txt || fail "$command minds the seeds"
done
same one e plain e
run=$(awk 'NR == 3 { print $1 }' one/results/e/seeds/3/runs.tsv)
value=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "grad_norm") k = i } NR == 3 { print $k }' \
    one/results/e/seeds/3/runs.tsv)
"$STILLPOINT" run --rerun e.lua "$run" --root one >out.txt || fail "rerun of a run of the third seed"
grep -qxF "grad_norm = $value" out.txt || { cat out.txt >&2; fail "rerun: not $value"; }
"$STILLPOINT" account runs e.lua "$run" --root one >out.txt || fail "privacy of a run of the third seed"
code=0
"$STILLPOINT" run --rerun e.lua zzz --root one >out.txt 2>&1 || code=$?
[ $code -eq 2 ] && grep -q 'has no run zzz' out.txt || { cat out.txt >&2; fail "a run that no seed has"; }

# Stale: a run that is another one, a table that is gone, and an experiment that was run without its seeds since.
mended() {
    run two --seeds 5 -j 2 --quiet --discard
    cmp five/results/e/seeds.tsv two/results/e/seeds.tsv || fail "seed $1 was not mended"
    ! "$STILLPOINT" check e --root two | grep -q stale || fail "still stale"
}
stale() {
    check 1 two
    grep -q "e NOT_RESOLVED .*: stale: the tables of seed $1 .*: \`run --seeds 5\` again$" out.txt ||
        { cat out.txt >&2; fail "seed $1 is not stale"; }
    mended "$1"
}
sh "$SOURCE/tests/unsealed.sh" two/results/e/seeds/4
sed -i '3s/\tok\t/\tSP_ENUMERIC\t/' two/results/e/seeds/4/runs.tsv
stale 4
rm two/results/e/seeds/2/tuning.tsv
stale 2
rm -r two/results/e/seeds/5
stale 5
experiment 17 51 >e.lua
run two -j 2 --quiet --discard
grep -q 'stale: the tables of seed 1 ' two/results/e/fits.tsv || fail "fits.tsv does not say stale"
experiment 17 50 >e.lua
check 101 two # tables of another text of the script
grep -q 'two/results/e: .*e.lua' err.txt || { cat err.txt >&2; fail "tables of another text"; }
mended 1
printf 'number\tseed\ttables\n1\t17\tx\n' >two/results/e/seeds.tsv
check 101 two
grep -q 'two/results/e/seeds.tsv: not a table of seeds' err.txt || { cat err.txt >&2; fail "a damaged seeds.tsv"; }

# Verdicts over the seeds, the same in fits.tsv and by check; those of one seed are in its own fits.tsv.
cat >right.lua <<'LUA'
return { seed = 11, replicates = 12,
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0 }, n = { 1e3, 3e3, 1e4, 3e4 }, d = 5 },
  privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 40, eta = 0.5, select = "last" },
                 { "dp_gd", label = "silent", steps = 40, eta = 0.5, select = "last", privacy = { noise = "off" } } },
  measures = { "grad_norm" },
  claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1, tolerance = 0.1, mode = "theory" } } }
LUA
"$STILLPOINT" run right.lua --seeds 4 -j 2 --quiet || fail "run right"
"$STILLPOINT" check right >out.txt || { cat out.txt >&2; fail "check right"; }
grep -q '^right AGREES .* over 4 seeds of deviation 0.0[0-9]* (the first alone -[01].[0-9]* \[' out.txt ||
    { cat out.txt >&2; fail "check does not speak of the seeds"; }
"$STILLPOINT" check right --plain | cut -f 2- | sed 's/\t[^\t]*$//' | cmp - results/right/fits.tsv || fail "fits.tsv is not over the seeds"
awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) k[$i] = i; next }
             { alone += $k["seeds"] == 1 && $k["spread"] == "NaN" }
             FILENAME == ARGV[1] { over = $k["seeds"] == 4 && $k["df"] == 3 && $k["spread"] > 0 }
             END { exit !(over && alone == 3) }' \
    results/right/fits.tsv results/right/seeds/[234]/fits.tsv || fail "the seeds of fits.tsv"

# The first failed run stops all of it; otherwise a failed run of one seed does not keep the others.
cat >slow.lua <<'LUA'
return { seed = 17, replicates = 2, problem = { loss = "pseudo_huber", data = "signs", n = 1000, d = 5 },
         privacy = "none", algorithms = { { "gd", steps = 1e7 } }, measures = { "grad_norm" } }
LUA
code=0
"$STILLPOINT" run slow.lua --seeds 3 --time-limit 0.2 --fail-fast -j 2 >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] && [ ! -e results/slow/seeds ] && ! grep -q 'seed 2' err.txt ||
    { cat err.txt >&2; fail "--fail-fast goes on"; }

# A script that changes while its first seed runs is not mixed with what it was.
sed 's/1e7/200000/; s/replicates = 2/replicates = 9/' slow.lua >changes.lua
"$STILLPOINT" run changes.lua --seeds 3 --no-plot --quiet -j 2 2>err.txt &
parent=$!
for _ in $(seq 1 500); do
    "$STILLPOINT" status changes.lua --plain 2>/dev/null | awk 'NR > 1 { s += $4 } END { exit s == 0 }' && break
    sleep 0.02
done
echo "-- a remark" >>changes.lua
code=0
wait $parent || code=$?
[ $code -eq 1 ] && grep -q 'changes.lua: it has changed, .* since its first seed: run it again' err.txt ||
    { cat err.txt >&2; fail "a changed script: exit code $code"; }
