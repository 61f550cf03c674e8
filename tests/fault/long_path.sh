#!/bin/sh
# Folders whose paths are longer than the 512 bytes that SQLite takes: run, kill, go on, a task, merge and export give the
# same bytes as in a short one, and nothing is written elsewhere.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >e.lua <<'LUA'
return { seed = 3, replicates = 20, problem = { loss = "pseudo_huber", data = "signs", n = 200, d = 4 },
         privacy = { epsilon = { 1, 2 }, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 300 } },
         measures = { "grad_norm" }, figures = { { name = "all", kind = "trade_off", x = "epsilon", y = "grad_norm" } } }
LUA
"$STILLPOINT" run e.lua --root short -q
name=$(printf 'e%.0s' $(seq 1 120))
long=$PWD/long
for _ in 1 2 3 4 5 6; do long=$long/$name; done
mkdir -p "$long"
same() { # root
    for file in results/e/cells.tsv results/e/runs.tsv plots/e/all.svg; do
        cmp "short/$file" "$1/$file" || fail "$file differs below a path of ${#long} bytes"
    done
}
code=0
timeout -s KILL 0.3 "$STILLPOINT" run e.lua --root "$long" -q -j 1 >/dev/null 2>&1 || code=$?
"$STILLPOINT" run e.lua --root "$long" -q || fail "after a kill with exit code $code"
same "$long"
[ "$("$STILLPOINT" status e.lua --root "$long" --plain | awk 'NR > 1 { s += $4 } END { print s }')" = 40 ] || fail "status"
[ -e "$long/results/e/store.sqlite" ] || fail "the store is elsewhere"
"$STILLPOINT" run e.lua --root "$long" 2>&1 | grep -q ' 0 done now, 40 there before' || fail "nothing was there before"
cp e.lua "$long"
(cd "$long" && "$STILLPOINT" run e.lua -q --shard 1/2 --root parts && "$STILLPOINT" run e.lua -q --shard 2/2 --root parts &&
     "$STILLPOINT" merge e.lua --root parts -q) >out.txt 2>&1 || fail "tasks: $(cat out.txt)"
for table in cells.tsv runs.tsv; do
    cmp "short/results/e/$table" "$long/parts/results/e/$table" || fail "tasks: $table"
done
