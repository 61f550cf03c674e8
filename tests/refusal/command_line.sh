#!/bin/sh
# What a user mistypes gets a message that names it, exit code 2, and leaves nothing behind.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# refused TEXT WORDS...: the command ends with code 2 and says TEXT.
refused() {
    text=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] || { cat out.txt >&2; fail "stillpoint $*: exit code $code, expected 2"; }
    grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "stillpoint $*: does not say '$text'"; }
    [ ! -e results ] || fail "stillpoint $*: left results/ behind"
}

cat >good.lua <<'LUA'
return { seed = 1, problem = { loss = "pseudo_huber", data = "signs", n = 100, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 3 } }, measures = { "grad_norm" } }
LUA
printf 'return { seed = 1,\n  problem = { loss = "logistic" \n' >syntax.lua
sed 's/epsilon/epsilom/' good.lua >typo.lua
sed 's/epsilon = 1/epsilon = -1/' good.lua >negative.lua
sed 's/1e-6/1.5/' good.lua >delta.lua
sed 's/d = 3/d = 3e7/' good.lua >large.lua
sed 's/d = 3/d = 1e5/; s/n = 100/n = 4e9/' good.lua >larger.lua
sed 's/dp_gd/dp_gf/' good.lua >algorithm.lua
sed 's/steps/stepps/' good.lua >parameter.lua

refused "unknown verb rnu; did you mean run?" rnu good.lua
refused "which experiment?" run
refused "missing.lua" run missing.lua
refused "syntax.lua:3:" run syntax.lua
refused "privacy.epsilom" run typo.lua
refused "did you mean epsilon?" run typo.lua
refused "privacy.epsilon = -1" run negative.lua
refused "privacy.delta = 1.5" run delta.lua
refused "problem.d" run large.lua
refused "n = 4000000000, d = 100000, dense: too large" run larger.lua
refused "did you mean dp_gd?" run algorithm.lua
refused "did you mean steps?" run parameter.lua
refused "--jobs 0" run good.lua -j 0
refused "--time-limit soon" run good.lua --time-limit soon
refused "huge" run good.lua --scale huge
refused "unknown kind algoritms; did you mean algorithms?" list algoritms
refused "did you mean logistic?" describe logistc
refused "no data set is named nothing" data fetch nothing
refused "which loss?" test
refused "no loss is named logistc; did you mean logistic?" test logistc
refused "welsch.c = -1" test welsch c=-1
refused "welsch.cc: unknown key; did you mean c?" test welsch cc=1
refused "sigmoid.c: unknown key; there are no keys here" test sigmoid c=1
refused "must be KEY=VALUE" test welsch c
refused "--seed 1.5" test welsch --seed 1.5
refused "nonconvex.lambda: unknown key" test nonconvex lambda=1
refused "--markdown is for losses alone" list measures --markdown
refused "did you mean domains?" list domain
refused "did you mean simplex?" describe simplx
refused "has no run zzz" rerun good.lua zzz
"$STILLPOINT" plan good.lua >/dev/null || fail "the good one"

# No tables yet, and an output that cannot be written: not successes.
code=0
"$STILLPOINT" plot good.lua >out.txt 2>&1 || code=$?
[ $code -eq 1 ] && grep -q 'no tables there yet' out.txt || { cat out.txt >&2; fail "plot without tables: code $code"; }
code=0
"$STILLPOINT" list >/dev/full 2>out.txt || code=$?
[ $code -eq 1 ] && grep -q 'is the disk full' out.txt || { cat out.txt >&2; fail "list to a full disk: code $code"; }
