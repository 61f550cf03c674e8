#!/bin/sh
# A store that heals. A flipped bit costs the runs that it hits: readers count them as missing and name them, no table ever holds
# another number, `run` makes them again, `merge` takes the others, `store salvage` saves them. A store that is removed, moved or
# replaced while it is written is put back, or kept. A file system without locks is named, and --store keeps the store elsewhere.
# A task that was killed is gone on from in its own folder.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
parent=
trap '[ -z "$parent" ] || kill -KILL $parent 2>/dev/null || true' EXIT

cat >e.lua <<'LUA'
return {
  seed = 11, replicates = 3, problem = { loss = "pseudo_huber", n = { 50, 80 }, d = 2 }, privacy = { epsilon = 1, delta = 1e-5 },
  algorithms = { { "dp_gd", steps = 4 }, { "dp_sgd", steps = 6, batch = 8 } }, measures = { "grad_norm", "excess_risk" },
}
LUA
sp() { "$STILLPOINT" "$@" 2>err.txt; }
run() { sp run e.lua --quiet --no-audit --no-plot "$@"; }
results=results/e

# --- one bit, at many places
run || fail "run: $(cat err.txt)"
cp $results/store.sqlite whole.sqlite
cp -r $results whole
size=$(wc -c <whole.sqlite)
flip() { # of file $1, bit 4 of byte $2
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    printf "$(printf '\\%03o' $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
hits=0
for page in $(seq 2 $((size / 4096))); do
    at=$((4096 * page - 24 - 3 * page)) # rows fill a page from its end
    rm -rf $results
    cp -r whole $results
    cp whole.sqlite $results/store.sqlite
    flip $results/store.sqlite $at
    cp $results/store.sqlite bad.sqlite
    code=0
    sp store check bad.sqlite >check.txt || code=$?
    if [ $code -ne 0 ]; then
        hits=$((hits + 1))
        code=0
        sp status e.lua >status.txt || code=$?
        [ $code -eq 1 ] && grep -q 'damaged' err.txt || fail "byte $at: status $code: $(cat err.txt)"
        for name in $(sed -n 's/^run \([0-9a-f]\{12\}\): .*/\1/p' check.txt); do
            grep -q "run $name (main/dp_.*, replicate [012]): " err.txt || fail "byte $at: status does not name $name: $(cat err.txt)"
        done
    fi
    code=0
    sp store salvage bad.sqlite -o saved.sqlite >saved.txt || code=$?
    cmp -s bad.sqlite $results/store.sqlite || fail "salvage changed its file"
    saved=$(sed -n 's/^saved.sqlite: \([0-9]*\) runs saved.*/\1/p' saved.txt)
    [ "$saved" -eq 12 ] || [ $code -eq 1 ] || fail "byte $at: $saved runs saved, code $code"
    sp store check saved.sqlite --quiet || fail "byte $at: what was salvaged is damaged: $(cat err.txt)"
    rm -rf other
    code=0
    sp merge e.lua bad.sqlite --root other --quiet || code=$?
    [ -e other/results/e/runs.tsv ] && [ "$(($(wc -l <other/results/e/runs.tsv) - 1))" -ge "$saved" ] || [ "$saved" -eq 0 ] ||
        fail "byte $at: merge took fewer than $saved runs, code $code: $(cat err.txt)"
    rm saved.sqlite
    run || fail "byte $at: run of a damaged store: $(cat err.txt)"
    cmp -s whole/runs.tsv $results/runs.tsv && cmp -s whole/traces.tsv $results/traces.tsv ||
        fail "byte $at: the tables are others: $(diff whole/runs.tsv $results/runs.tsv | head -4)"
    sp status e.lua >/dev/null || fail "byte $at: not healed: $(cat err.txt)"
done
[ $hits -ge 5 ] || fail "only $hits bits were noticed"

# --- a store without its place
cat >slow.lua <<'LUA'
return {
  seed = 12, replicates = 400, problem = { loss = "pseudo_huber", n = 2000, d = 5 }, privacy = { epsilon = 1, delta = 1e-5 },
  algorithms = { { "dp_gd", steps = 2000 } }, measures = { "grad_norm" },
}
LUA
begin() { # a run in the background, of which some rows are stored
    "$STILLPOINT" run slow.lua --no-audit --no-plot -j 1 --root "$1" >/dev/null 2>err.txt &
    parent=$!
    for _ in $(seq 1 600); do
        ! grep -q '^[1-9][0-9]*/400 done' err.txt || return 0
        kill -0 $parent 2>/dev/null || return 0
        sleep 0.05
    done
}
for how in file folder moved replaced; do
    begin $how
    case $how in
    file) rm -f $how/results/slow/store.sqlite ;;
    folder) rm -rf $how/results/slow ;;
    moved) mv $how/results $how/away ;;
    replaced) cp whole.sqlite new && mv new $how/results/slow/store.sqlite ;;
    esac
    code=0
    wait $parent || code=$?
    parent=
    if grep -q '400/400 done' err.txt && [ $code -eq 0 ]; then
        continue # it was done before
    fi
    [ $code -eq 1 ] || fail "$how: $code: $(cat err.txt)"
    if [ $how = replaced ]; then
        cmp -s whole.sqlite $how/results/slow/store.sqlite || fail "the file that took its place is changed"
        sp store check $how/results/slow/store.sqlite.kept --quiet || fail "what was kept: $(cat err.txt)"
    else
        grep -q 'was removed, or its folder renamed' err.txt || fail "$how: $(cat err.txt)"
        sp store check $how/results/slow/store.sqlite | grep -q ': 400 runs, every row' || fail "$how: $(cat err.txt)"
    fi
done

# --- a file system without locks
if command -v cc >/dev/null; then
    cat >nolock.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int flock(int file, int how)
{
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/remote/")) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_flock, file, how);
}
C
    cc -shared -fPIC -o nolock.so nolock.c
    far() { LD_PRELOAD="$PWD/nolock.so${LD_PRELOAD:+:$LD_PRELOAD}" "$STILLPOINT" "$@" 2>err.txt; }
    code=0
    far run e.lua --quiet --no-audit --no-plot --root remote || code=$?
    [ $code -ne 0 ] && grep -q 'has no locks' err.txt && grep -q -e '--store' err.txt && ! grep -q 'another run' err.txt ||
        fail "no locks: $code: $(cat err.txt)"
    for again in first second; do
        far run e.lua --quiet --no-audit --no-plot --root remote --store local/e.sqlite || fail "--store, $again: $(cat err.txt)"
    done
    [ -h remote/results/e/store.sqlite ] && [ -f local/e.sqlite ] || fail "where is the store?"
    cmp whole/runs.tsv remote/results/e/runs.tsv || fail "--store: other tables"
    far status e.lua --root remote >/dev/null || fail "status through the link: $(cat err.txt)"
    code=0
    far run e.lua --quiet --root remote --store local/other.sqlite || code=$?
    [ $code -eq 2 ] && grep -q 'local/e.sqlite' err.txt || fail "another --store: $code: $(cat err.txt)"
fi

# --- a task goes on where it was killed
mkdir tmp
TMPDIR="$PWD/tmp" "$STILLPOINT" run slow.lua --shard 1/2 -j 1 --root tasks --save-every 1000 2>err.txt &
parent=$!
for _ in $(seq 1 600); do
    ! grep -q '^[1-9][0-9]*/200 done' err.txt || break
    sleep 0.05
done
kill -KILL $parent
wait $parent || true
parent=
left=$(ls -d tmp/stillpoint-1-of-2.sqlite-*)
[ -n "$left" ] || fail "the killed task left no folder"
TMPDIR="$PWD/tmp" sp run slow.lua --shard 1/2 --root elsewhere || fail "a task of another folder: $(cat err.txt)"
! grep -q 'goes on from' err.txt || fail "it took the folder of another sweep"
TMPDIR="$PWD/tmp" sp run slow.lua --shard 1/2 --root tasks || fail "the task, again: $(cat err.txt)"
grep -q "goes on from $PWD/$left" err.txt || fail "it did not go on: $(cat err.txt)"
there=$(sed -n 's/.* done now, \([0-9]*\) there before.*/\1/p' err.txt)
[ "$there" -gt 0 ] || fail "nothing was there: $(cat err.txt)"
[ -z "$(ls tmp)" ] || fail "folders stay: $(ls tmp)"
sp store check tasks/results/slow/shards/1-of-2.sqlite | grep -q ': 200 runs, every row' || fail "the file of the task: $(cat err.txt)"
echo "$hits bits were noticed"
