#!/bin/sh
# Bad entries and options: a message that names them, exit code 2.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

refused() {
    text=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] || { cat out.txt >&2; fail "stillpoint $*: exit code $code, expected 2"; }
    grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "stillpoint $*: does not say '$text'"; }
}
epsilon() { text=$1; shift; refused "$text" epsilon --delta 1e-6 "$@"; }

epsilon "gauss:noise_multiplier=-4,count=1: noise_multiplier must be > 0" gauss:noise_multiplier=-4
epsilon "gauss:noise_multiplier=nan,count=1: noise_multiplier" gauss:noise_multiplier=1 gauss:noise_multiplier=nan
epsilon "rate=1.5,count=1: rate must be in (0, 1]" poisson:noise_multiplier=1,rate=1.5
epsilon "rate=0,count=1: rate must be in (0, 1]" gauss_wor:noise_multiplier=1,rate=0
epsilon "count must be a whole number" gauss:noise_multiplier=1,count=2.5
epsilon "unknown key \"cuont\"; did you mean count?" gauss:noise_multiplier=1,cuont=2
epsilon "did you mean gauss_wor?" gauss_vor:noise_multiplier=1,rate=0.1
epsilon "rate is missing" gauss_wor:noise_multiplier=1
epsilon "gauss_wor:noise_multiplier=1,rate=0.1,count=1: no accountant has a theorem" \
    --neighbours add_remove gauss_wor:noise_multiplier=1,rate=0.1
epsilon "did you mean add_remove?" --neighbours add_remov gauss:noise_multiplier=1
epsilon "which ENTRY?"
epsilon "takes no --epsilon" --epsilon 1 gauss:noise_multiplier=1
refused "needs --delta" account epsilon gauss:noise_multiplier=1
refused "needs --epsilon" account delta gauss:noise_multiplier=1
refused "delta = 0: must be in (0, 1)" account epsilon --delta 0 gauss:noise_multiplier=1
refused "delta = 1: must be in (0, 1)" account epsilon --delta 1 gauss:noise_multiplier=1
refused "--delta small: not a number" account epsilon --delta small gauss:noise_multiplier=1
refused "epsilon = -1: must be >= 0" account delta --epsilon -1 gauss:noise_multiplier=1
refused "epsilon = 0: must be > 0" account calibrate --epsilon 0 --delta 1e-6 gauss:noise_multiplier=1
refused "is spent without the planned noise" account calibrate --epsilon 1 --delta 1e-6 gauss:noise_multiplier=1 pure:epsilon=3
"$STILLPOINT" account epsilon --delta 1e-6 gauss:noise_multiplier=1e5,count=1e9 >/dev/null || fail "10^9 releases"

cat >e.lua <<'LUA'
return { seed = 1, problem = { loss = "pseudo_huber", data = "signs", n = 100, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 3 } }, measures = { "grad_norm" } }
LUA
refused "which experiment?" account runs
refused "store" account runs e.lua
"$STILLPOINT" run e.lua --quiet
refused "has no run zzz" account runs e.lua zzz
