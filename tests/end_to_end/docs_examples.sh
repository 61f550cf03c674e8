#!/bin/sh
# What the manual prints to be typed or written works as it is: whole experiments run, fragments are planned within a small one,
# commands succeed, and lines of ctest select tests. (Other tests have the examples of
# data.md, figures.md, against_the_field.md, method_*.md, the tutorials, errata.md and the README.)
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
export STILLPOINT_CACHE="$PWD/cache"
pages=
for name in how_to/write_an_experiment how_to/many_records how_to/tune how_to/compare how_to/share how_to/print_in_a_paper \
    explanation/claims explanation/what_is_measured; do
    pages="$pages $SOURCE/docs/$name.md"
done

# shellcheck disable=SC2086 # words on purpose
awk '/^```lua$/ { file = sprintf("block.%02d", ++n); next } /^```$/ { file = "" } file != "" { print >file }' $pages
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
        name=$(sed -n '1s/^-- \([a-z_]*\)\.lua: .*/\1/p' "$block")
        cp "$block" "${name:-example}.lua"
        "$STILLPOINT" plan "${name:-example}.lua" >out.txt 2>&1 || { cat out.txt >&2; fail "$block is not planned"; }
        sed 's/replicates = [0-9]*/replicates = 2/g; s/n = { 1000, 3000, 10000, 30000 }/n = { 1000, 3000 }/' "$block" >whole.lua
        rm -rf results/whole
        "$STILLPOINT" run whole.lua --quiet --no-plot --no-audit || fail "$block does not run"
        ! grep -q 'tune *=' "$block" || [ "$(wc -l <results/whole/tuning.tsv)" -ge 3 ] || fail "$block: nothing is tuned"
    elif grep -q '^problem = ' "$block"; then
        while IFS= read -r line; do # a line an example
            printf '%s\n' "$line" >line
            plan line
        done <"$block"
    else
        plan "$block"
    fi
done
[ $whole -ge 2 ] && [ $fragments -ge 7 ] || fail "$whole whole examples, $fragments fragments"
# What is not private is far below and noted: the panels show the cost of epsilon, within four decades.
"$STILLPOINT" run cost.lua -j 2 --quiet --no-audit || fail "cost.lua does not run"
table=results/cost/figures/cost.tsv
[ "$(grep -c "$(printf '\t')gd, not private:" $table)" -eq 2 ] || fail "the figure of cost.lua does not note the level of gd"
awk -F '\t' '$1 == "left" { inside = 1; next } $1 == "" { inside = 0 }
    inside && ++panels && ($5 != 1 || $7 > 1e4 * $6) { bad = 1 }
    END { exit bad || panels != 2 }' $table || fail "an axis of the figure of cost.lua is stretched"

# Commands. Those that would take minutes are planned instead.
ln -s "$SOURCE/experiments" experiments
mkdir -p results bin
for folder in "$SOURCE"/results/*/; do
    case $folder in
        */quickstart/ | */ripple_ramps/) cp -r "$folder" results/ ;;
        *) ln -s "$folder" results/ ;;
    esac
done
ln -s "$STILLPOINT" bin/stillpoint
PATH=$PWD/bin:$PATH
lines=0
# shellcheck disable=SC2086 # words on purpose
sed -n 's/^    stillpoint /stillpoint /p' $pages "$SOURCE"/docs/results/[a-df-z]*.md "$SOURCE/docs/explanation/findings.md" \
    "$SOURCE/docs/reference/methods.md" >shell.txt
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
        'stillpoint check'*) [ $code -lt 101 ] && [ -s out.txt ] || { cat out.txt >&2; fail "$line"; } ;; # the claims that do not agree
        *) [ $code -eq 0 ] && [ -s out.txt ] || { cat out.txt >&2; fail "$line: exit code $code"; } ;;
    esac
done <shell.txt
[ $lines -ge 15 ] || fail "only $lines lines for the shell"

# ctest, from the checkout, with a preset; some test is meant. In a copy of what it reads, because it writes a log, as does the
# ctest that runs this one.
build=$(dirname "$STILLPOINT")
mkdir -p checkout/build/release/tests
cp "$SOURCE/CMakePresets.json" checkout
for folder in . tests; do cp "$build/$folder/CTestTestfile.cmake" checkout/build/release/$folder; done
tests=0
sed -n 's/^[^`]*`\(ctest [^`]*\)`.*/\1/p; s/^[^`]*`[^`]*`[^`]*`\(ctest [^`]*\)`.*/\1/p' "$SOURCE/docs/how_to/method_in_c.md" "$SOURCE/README.md" >ctest.txt
while IFS= read -r line; do
    tests=$((tests + 1))
    case $line in 'ctest --preset release '*) ;; *) fail "finds no tests from the checkout: $line" ;; esac
    (cd checkout && sh -c "$line -N") >out.txt || { cat out.txt >&2; fail "$line"; }
    grep -q '^Total Tests: [1-9]' out.txt || fail "no test is meant by: $line"
done <ctest.txt
[ $tests -ge 4 ] || fail "the manual shows $tests lines of ctest"
