#!/bin/sh
# Folders whose names mean something to a shell or to gnuplot are folders: the figures are drawn in them, the same bytes as
# elsewhere, and nothing is run.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >small.lua <<'LUA'
return { seed = 3, replicates = 2, problem = { loss = "pseudo_huber", data = "signs", n = { 200, 400 }, d = 4 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 30 } },
         measures = { "grad_norm" }, figures = { { name = "small", kind = "rate", x = "n", y = "grad_norm" } } }
LUA
"$STILLPOINT" run small.lua --quiet || fail "run"
ls >before.txt
for root in '<touch x;' '|touch x;' '`touch x`' '$(touch x)' 'a"; touch x; "b' "a'; touch x; 'b" '-' '~' '@x' '%s%n' 'a
b'; do
    mkdir -- "./$root"
    "$STILLPOINT" run small.lua --quiet --root "$root" || fail "run --root '$root'"
    "$STILLPOINT" plot small.lua --quiet --root "$root" || fail "plot --root '$root'"
    cmp plots/small/small.svg "./$root/plots/small/small.svg" || fail "--root '$root': another figure"
    rm -r -- "./$root"
    ls | cmp - before.txt || fail "--root '$root' left something behind: $(ls)"
done
