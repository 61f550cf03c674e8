#!/bin/sh
# Limits of the system: each is named by what sets it, nothing that was stored is lost, and the experiment goes on without it.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >e.lua <<'LUA'
return { seed = 3, replicates = 40, checkpoints = 20, problem = { loss = "pseudo_huber", data = "signs", n = 200, d = 4 },
         privacy = { epsilon = { 1, 2 }, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 300 } },
         measures = { "grad_norm", "objective" }, figures = { { name = "all", kind = "trade_off", x = "epsilon", y = "grad_norm" } } }
LUA
"$STILLPOINT" run e.lua -q --root whole
same() { # root
    for file in results/e/cells.tsv results/e/runs.tsv results/e/traces.tsv plots/e/all.svg; do
        cmp "whole/$file" "$1/$file" || fail "$1: $file differs"
    done
}

# The size of a file (blocks of 512 bytes): in the store, in a table, in a figure. No signal ends the program.
at=0
for blocks in 4 60 150 400; do
    code=0
    (ulimit -f $blocks; exec "$STILLPOINT" run e.lua -q --root "size $blocks") >out.txt 2>&1 || code=$?
    [ $code -lt 128 ] || fail "ulimit -f $blocks: exit code $code: $(cat out.txt)"
    [ $code -eq 0 ] || { at=$((at + 1)); grep -q 'ulimit -f' out.txt; } || fail "ulimit -f $blocks: $(cat out.txt)"
    [ $code -eq 0 ] || ! grep -qi 'disk is full' out.txt || fail "ulimit -f $blocks: $(cat out.txt)"
    "$STILLPOINT" run e.lua -q --root "size $blocks" || fail "ulimit -f $blocks: does not go on"
    same "size $blocks"
done
[ $at -ge 2 ] || fail "no limit was met"

# Open files: too few even for the store.
code=0
(ulimit -n 5; exec "$STILLPOINT" run e.lua -q --root files) >out.txt 2>&1 || code=$?
[ $code -ne 0 ] && [ $code -lt 128 ] && grep -q 'ulimit -n' out.txt || fail "ulimit -n 5: exit code $code: $(cat out.txt)"

# Processes, as a user of whom there are no others: fewer workers, or none.
if [ "$(id -u)" -eq 0 ] && chmod a+rwx . && setpriv --reuid 54321 --clear-groups test -r e.lua -a -w . &&
    setpriv --reuid 54321 --clear-groups "$STILLPOINT" --version >/dev/null 2>&1; then
    as_user() { # processes, root
        rm -rf "$2"
        code=0
        HOME=$PWD OPENBLAS_NUM_THREADS=1 setpriv --reuid 54321 --clear-groups prlimit --nproc="$1" "$STILLPOINT" run e.lua \
            --no-audit --no-plot -j 6 --root "$2" >out.txt 2>&1 || code=$?
    }
    as_user 4 processes
    [ $code -eq 0 ] || fail "ulimit -u 4: exit code $code: $(cat out.txt)"
    grep -q 'from here on 3 workers:.*ulimit -u' out.txt || fail "4 processes: $(cat out.txt)"
    cmp whole/results/e/runs.tsv processes/results/e/runs.tsv || fail "fewer workers: other bytes"
    as_user 1 none
    [ $code -eq 1 ] && grep -q 'ulimit -u' out.txt || fail "ulimit -u 1: exit code $code: $(cat out.txt)"
else
    echo "not tried: processes of another user"
fi
