#!/bin/sh
# epsilon, delta, calibrate agree with each other and with the reference table; privacy recomputes what was stored.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# near A B TOLERANCE (relative)
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b <= t * b && b - a <= t * b) }' || fail "$1 is not $2"; }
# below A B
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }' || fail "$1 is above $2"; }
# What --plain prints: sorted, the smallest last.
last() { tail -n 1 plain.txt | cut -f 2; }
plain() {
    "$STILLPOINT" "$@" --plain >plain.txt || fail "$*"
    awk -F '\t' 'NF != 2 || (NR > 1 && $2 > before) { exit 1 } { before = $2 }' plain.txt || fail "$*: order"
}

"$STILLPOINT" --help >help.txt
for form in epsilon delta calibrate runs; do
    grep -q "^  account $form " help.txt || fail "--help does not mention $form"
    "$STILLPOINT" account $form --help | grep -q "Usage: stillpoint account $form" || fail "account $form --help"
done

plain epsilon --delta 1e-6 gauss:noise_multiplier=5,count=1000
near "$(last)" 49.3192766607 1e-9 # row B03
[ "$(tail -n 1 plain.txt | cut -f 1)" = gauss ] || fail "B03 is exact"
plain epsilon --delta 1e-6 gauss_wor:noise_multiplier=1,rate=0.01,count=1000
below 2.12409762246 "$(last)"; below "$(last)" 4.02120809178 # row E03
plain epsilon --delta 1e-6 --neighbours add_remove poisson:noise_multiplier=1,rate=0.01,count=10000
below 6.89708959224 "$(last)"; below "$(last)" 7.41402525441 # row C05
plain epsilon --delta 1e-6 --neighbours replace_one poisson:noise_multiplier=2,rate=0.01,count=1000
below 0.720936492793 "$(last)" # row D01: what add/remove would say
plain epsilon --delta 1e-5 laplace:scale=1,count=10
below 9.97736899352 "$(last)"; below "$(last)" 9.99033447914 # row F05
plain epsilon --delta 1e-6 pure:epsilon=0.1,count=100
below 4.77456758811 "$(last)"; below "$(last)" 5.07315262914 # row G03
plain epsilon --delta 1e-6 tree:noise_multiplier=10,steps=1000
near "$(last)" 1.36757147508 1e-9 # row I05
plain epsilon --delta 1e-6 select:noise_multiplier=2,mean=10,shape=1
below "$(last)" 4.54767966871 # row J01

# A pool costs nothing beside a worse one.
plain epsilon --delta 1e-6 gauss:noise_multiplier=3,pool=1 gauss:noise_multiplier=4,pool=2; pools=$(last)
plain epsilon --delta 1e-6 gauss:noise_multiplier=3; near "$pools" "$(last)" 1e-12

# There and back.
entries="gauss:noise_multiplier=9,count=20 gauss_wor:noise_multiplier=1.5,rate=0.02,count=300 em:epsilon=0.2"
plain epsilon --delta 1e-7 $entries; epsilon=$(last)
plain delta --epsilon "$epsilon" $entries; near "$(last)" 1e-7 0.01
"$STILLPOINT" account calibrate --epsilon 1.5 --delta 1e-7 --plain $entries >factor.txt || fail calibrate
[ "$(wc -l <factor.txt)" -eq 3 ] || fail "calibrate: a factor and two multipliers"
m1=$(sed -n 2p factor.txt | cut -f 2); m2=$(sed -n 3p factor.txt | cut -f 2)
plain epsilon --delta 1e-7 "gauss:noise_multiplier=$m1,count=20" "gauss_wor:noise_multiplier=$m2,rate=0.02,count=300" em:epsilon=0.2
below "$(last)" 1.5; near "$(last)" 1.5 2e-5
"$STILLPOINT" account calibrate --epsilon 1.5 --delta 1e-7 --plain $entries | cmp - factor.txt || fail "calibrate is deterministic"

cat >e.lua <<'LUA'
return { seed = 1, replicates = 2, problem = { loss = "pseudo_huber", data = "signs", n = 1000, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
         algorithms = { { "dp_gd", steps = 3 }, { "dp_sgd", steps = 50, batch = 50 }, { "gd", steps = 3 } } }
LUA
"$STILLPOINT" run e.lua --quiet || fail "run"
"$STILLPOINT" account runs e.lua --plain >cells.txt || fail "privacy"
[ "$(wc -l <cells.txt)" -eq 4 ] || fail "a line a cell"
grep -q "main/gd.*not private" cells.txt || fail "gd is not private"
sed 1d cells.txt | while IFS='	' read -r run method n d runs epsilon spent bound; do
    [ "$runs" -eq 2 ] || fail "$method: $runs runs"
    [ "$spent" = - ] && continue
    near "$spent" "$epsilon" 2e-5; below "$spent" 1.000000001
    "$STILLPOINT" account runs e.lua "$run" --plain >run.txt 2>err.txt || fail "privacy $run"
    [ ! -s err.txt ] || { cat err.txt >&2; fail "the store has another epsilon"; }
    near "$(awk -F '\t' -v b="$bound" '$1 == b { print $2 }' run.txt | tail -n 1)" "$spent" 1e-12
done
run=$(awk -F '\t' '$2 == "main/dp_sgd" { print $1 }' cells.txt)
"$STILLPOINT" account runs e.lua "$run" | grep -q "^gauss_wor .* 0.05 .* 50 .* 0.04 .* 0.04 *$" ||
    fail "the ledger of dp_sgd: rate, count, sensitivity 2 L / m"
