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
refused "--time-limit soon: needs a number from 0.001 to 1e+09" run good.lua --time-limit soon
refused "--jobs 1.5: needs a whole number from 1 to 1024" run --jobs=1.5 good.lua
refused "--shuffle -1" run good.lua --shuffle -1
for seeds in 0 1 2 -3 1001 3.5 three; do
    refused "--seeds $seeds: needs a whole number from 3 to 1000" run good.lua --seeds "$seeds"
done
refused "--seeds needs a value: --seeds=K" run good.lua --seeds
refused "unknown option --jbos; did you mean --jobs?" run good.lua --jbos 3
refused "unknown option -z" plan -pz good.lua
refused "--jobs needs a value: --jobs=N" run good.lua -j
for verb in run plan status; do
    refused "--only dp_gb: no cell has this label; did you mean dp_gd?" $verb good.lua --only dp_gd --only dp_gb
    refused "--only spider: no cell has this label; there are dp_gd" $verb good.lua --only spider
    refused "--where n: must be KEY=VALUE" $verb good.lua --where n
    refused "--where =3: must be KEY=VALUE" $verb good.lua --where =3
    refused "--where n=: must be KEY=VALUE" $verb good.lua --where n=
    refused "--where epsilom=1: no cell has this axis; did you mean" $verb good.lua --where epsilom=1
    refused "--where n=101: no cell has this value; did you mean 100?" $verb good.lua --where d=3 --where n=101
    refused "--where sweep=other: no cell has this value; there are main" $verb good.lua --where sweep=other
done
refused "--again: which runs?" run good.lua --again
refused "--all is for --again" run good.lua --all
refused "--all and a selection: say one of them" run good.lua --again --all --only dp_gd
refused "--seeds repeats all of an experiment" run good.lua --seeds 3 --where n=100
refused "--scale needs a value: --scale=NAME" run good.lua --scale
refused "--quiet takes no value" status good.lua --quiet=yes
refused "--no: could be one of 3 options" run good.lua --no
refused "unknown option --quiet" list --quiet
refused "one experiment at a time" run good.lua typo.lua
refused "domains: " list losses domains
refused "one run at a time" run --rerun good.lua a b
refused "one run at a time" account runs good.lua a b
refused "needs an experiment and a run" run --rerun good.lua
refused "which experiment?" compare
refused "compare with which label?" compare good
refused "which name?" audit
refused "which ENTRY?" account epsilon --delta 1e-6
refused "--delta few: not a number" account epsilon --delta few em:epsilon=1
refused "say \`data list\`" data fetch
refused "did you mean add_remove?" account delta em:epsilon=1 -e 1 --neighbours add_removes
refused "Try \`stillpoint run --help'." run
refused "huge" run good.lua --scale huge
refused "algoritms; did you mean algorithms?" list algoritms
refused "did you mean logistic?" list logistc
refused "no data set is named nothing" data fetch nothing
refused "no data set is named mushroms (stillpoint data list), and no file; did you mean mushrooms?" data info mushroms
refused "which name?" audit
refused "logistc; did you mean logistic?" audit logistc
refused "welsch.c = -1" audit welsch c=-1
refused "welsch.cc: unknown key; did you mean c?" audit welsch cc=1
refused "sigmoid.c: unknown key; there are no keys here" audit sigmoid c=1
refused "must be KEY=VALUE" audit welsch c
refused "--seed 1.5" audit welsch --seed 1.5
refused "nonconvex.lambda: unknown key" audit nonconvex lambda=1
refused "did you mean domains?" list domainz
refused "did you mean simplex?" list simplx
refused "has no run zzz" run --rerun good.lua zzz
"$STILLPOINT" plan good.lua >/dev/null || fail "the good one"

# The same said in every way there is: letters together, a value behind it or apart, a name cut short, in any order.
"$STILLPOINT" plan --plain --scale default good.lua >expected.txt || fail "plan --plain"
for way in "good.lua -ps default" "-p -sdefault good.lua" "--pla good.lua --sc=default" "-p -- good.lua"; do
    "$STILLPOINT" plan $way >out.txt || fail "plan $way"
    cmp expected.txt out.txt || fail "plan $way says something else"
done

# Every verb explains itself, at most 79 columns wide but for what is typed as it stands.
"$STILLPOINT" --help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p' >verbs.txt
[ "$(grep -c . verbs.txt)" -gt 20 ] || fail "verbs"
while read -r verb; do
    "$STILLPOINT" $verb --help >out.txt 2>err.txt || fail "$verb --help"
    [ ! -s err.txt ] && grep -qF "Usage: stillpoint $verb " out.txt || fail "$verb --help"
    grep -q -- '-h, --help' out.txt || fail "$verb --help"
    awk 'length > 79 && !/^  select:/ && !/^Usage:/ { bad = 1; print } END { exit bad }' out.txt ||
        fail "$verb --help is too wide"
    "$STILLPOINT" $verb -h | cmp - out.txt || fail "$verb -h"
done <verbs.txt

# No tables yet, and an output that cannot be written: not successes.
code=0
"$STILLPOINT" plot good.lua >out.txt 2>&1 || code=$?
[ $code -eq 1 ] && grep -q 'no tables there yet' out.txt || { cat out.txt >&2; fail "plot without tables: code $code"; }
code=0
"$STILLPOINT" list >/dev/full 2>out.txt || code=$?
[ $code -eq 1 ] && grep -q 'No space left' out.txt || { cat out.txt >&2; fail "list to a full disk: code $code"; }

# A text that takes for ever, in calls that Lua's own count of instructions does not see: given up, and what is stored stays.
"$STILLPOINT" run good.lua --quiet --no-plot || fail "run"
cp -r results before
for text in 'local x = ("a"):rep(40):find((".-"):rep(12) .. "b")' 'table.move({}, 1, 1 << 40, 2)'; do
    { echo "$text"; cat good.lua; } >endless.lua
    for verb in plan run status export plot privacy; do
        code=0
        STILLPOINT_PLAN_LIMIT=0.2 timeout 60 "$STILLPOINT" $verb endless.lua >out.txt 2>&1 || code=$?
        [ $code -eq 2 ] && grep -q 'endless.lua:[0-9]*: given up after 0.2 s' out.txt || { cat out.txt >&2; fail "$verb: code $code"; }
    done
    cp endless.lua good.lua
    code=0
    STILLPOINT_PLAN_LIMIT=0.2 timeout 60 "$STILLPOINT" run good.lua >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] || fail "run over a store: code $code"
    for table in cells runs; do cmp before/good/$table.tsv results/good/$table.tsv || fail "$table.tsv changed"; done
    sed -i 1d good.lua
done
# Without that limit of the user's, one call of Lua's library has three seconds; the line is that of the text, also within a function of a cell.
{ cat good.lua; } | sed 's/^return {/return { question = (function () local s = ("a"):rep(40)\n return s:find((".-"):rep(12) .. "b") end)() or "",/' >endless.lua
grep -q 'rep(12)' endless.lua || fail "good.lua does not begin with return"
code=0
timeout 100 "$STILLPOINT" plan endless.lua >out.txt 2>&1 || code=$?
[ $code -eq 2 ] && grep -q "^stillpoint: endless.lua:$(grep -n 'rep(12)' endless.lua | cut -d: -f1): given up after 3 s" out.txt ||
    { cat out.txt >&2; fail "an endless call: code $code"; }
"$STILLPOINT" status good.lua >out.txt || fail "the store is not what it was: $(cat out.txt)"
rm -r results
STILLPOINT_PLAN_LIMIT=soon refused "STILLPOINT_PLAN_LIMIT = soon: must be a number of seconds" plan good.lua
