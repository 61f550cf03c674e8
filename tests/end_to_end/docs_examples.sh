#!/bin/sh
# What docs/how_to/experiments.md and the README print to be typed or written is accepted as it stands: whole experiments run, fragments
# are planned within a small one, lines for the shell do what they say, lines of ctest find tests. (The examples of
# docs/how_to/data.md are run by own_data, of the section "Figures" by figures, of docs/results/errata.md by errata, the README's by readme.)
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
export STILLPOINT_CACHE="$PWD/cache"
page=$SOURCE/docs/how_to/experiments.md

awk '/^```lua$/ { file = sprintf("block.%02d", ++n); next } /^```$/ { file = "" } file != "" { print >file }' "$page"
whole=0 fragments=0
plan() { # FRAGMENT...: keys laid over a small experiment
    fragments=$((fragments + 1))
    {
        printf 'local e = { seed = 1, replicates = 5, privacy = { epsilon = 1, delta = 1e-6 },\n'
        printf '  measures = { "grad_norm" }, problem = { loss = "pseudo_huber", data = "signs", n = { 1e3, 1e4, 1e5 }, d = 5 },\n'
        printf '  algorithms = { { "dp_spider" }, { "dp_spider", label = "dp_spider noise-free", privacy = { noise = "off" } } } }\n'
        printf 'do local _ENV = e\n'
        cat "$1"
        printf 'end\nreturn e\n'
    } >fragment.lua
    "$STILLPOINT" plan fragment.lua >out.txt 2>&1 || { cat fragment.lua out.txt >&2; fail "a fragment is not planned"; }
    grep -q ' cells, ' out.txt || fail "a fragment plans nothing"
}
for block in block.*; do
    if grep -q '^return {' "$block"; then
        whole=$((whole + 1))
        ! grep -q 'figures *=' "$block" || continue # the section "Figures": its test draws it
        sed 's/replicates = [0-9]*/replicates = 2/g; s/n = { 1000, 3000, 10000, 30000 }/n = { 1000, 3000 }/' "$block" >whole.lua
        cp "$block" example.lua
        "$STILLPOINT" plan example.lua >out.txt 2>&1 || { cat out.txt >&2; fail "$block is not planned"; }
        "$STILLPOINT" run whole.lua --quiet --no-plot --no-audit || fail "$block does not run"
        [ "$(wc -l <results/whole/tuning.tsv)" -ge 3 ] || fail "$block: nothing is tuned"
    elif grep -q '^problem = ' "$block"; then
        while IFS= read -r line; do # a line an example
            printf '%s\n' "$line" >line
            plan line
        done <"$block"
    else
        plan "$block"
    fi
done
[ $whole -ge 2 ] && [ $fragments -ge 5 ] || fail "$whole whole examples, $fragments fragments"

# Lines for the shell. What would take minutes is planned instead.
ln -s "$SOURCE/experiments" experiments
mkdir -p results bin
for name in quickstart ripple_ramps; do cp -r "$SOURCE/results/$name" results/; done
ln -s "$STILLPOINT" bin/stillpoint
PATH=$PWD/bin:$PATH
lines=0
sed -n 's/^    stillpoint /stillpoint /p' "$page" >shell.txt
while IFS= read -r line; do
    lines=$((lines + 1))
    case $line in
        *' --seeds '*) line="stillpoint status experiments/ripple_ramps.lua --seeds${line##*--seeds}" ;;
        'stillpoint run '*) line="stillpoint plan${line#stillpoint run}" ;;
    esac
    code=0
    sh -c "$line" >out.txt 2>&1 </dev/null || code=$?
    case $line in
        'stillpoint status '*) [ $code -eq 1 ] && grep -q 'missing' out.txt || { cat out.txt >&2; fail "$line"; } ;;
        *) [ $code -eq 0 ] && [ -s out.txt ] || { cat out.txt >&2; fail "$line: exit code $code"; } ;;
    esac
done <shell.txt
[ $lines -ge 3 ] || fail "only $lines lines for the shell"
line=$(sed -n 's/.*`\(stillpoint epsilon [^`]*\)`.*/\1/p' "$SOURCE/README.md" | head -n 1)
[ -n "$line" ] && sh -c "$line" | grep -q 'epsilon' || fail "the README's line: $line"

# ctest, as the README, the manual and CONTRIBUTING.md print it: from the checkout, with a preset; some test is meant. In a copy of
# what it reads, for it writes a log, as does the ctest that runs this one.
build=$(dirname "$STILLPOINT")
mkdir -p checkout/build/release/tests
cp "$SOURCE/CMakePresets.json" checkout
for folder in . tests; do cp "$build/$folder/CTestTestfile.cmake" checkout/build/release/$folder; done
tests=0
sed -n 's/.*`\(ctest [^`]*\)`.*/\1/p' "$SOURCE/README.md" >ctest.txt
while IFS= read -r line; do
    tests=$((tests + 1))
    case $line in 'ctest --preset release '*) ;; *) fail "finds no tests from the checkout: $line" ;; esac
    (cd checkout && sh -c "$line -N") >out.txt || { cat out.txt >&2; fail "$line"; }
    grep -q '^Total Tests: [1-9]' out.txt || fail "no test is meant by: $line"
done <ctest.txt
[ $tests -ge 2 ] || fail "the README shows $tests lines of ctest"
