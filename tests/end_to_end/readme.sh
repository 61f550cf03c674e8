#!/bin/sh
# The README: it fits in 200 lines and 10 kB, its counts are those of the committed results, its experiment gives the output that it
# shows, and every command runs.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
page=$SOURCE/README.md
[ "$(wc -l <"$page")" -le 200 ] && [ "$(wc -c <"$page")" -le 10240 ] || fail "longer than 200 lines or 10 kB"
counts=$(sh "$SOURCE/tests/results_tables.sh" "$STILLPOINT" "$SOURCE" counts)
grep -qF "$counts" "$page" || fail "it does not say: $counts"
methods=$("$STILLPOINT" list algorithms --plain | grep -c .)
experiments=$(find "$SOURCE/experiments" -name '*.lua' | grep -c .)
grep -qF "with $methods methods in $experiments experiments" "$page" || fail "$methods methods, $experiments experiments"

# The experiment, its figure, and the output of check, which the page wraps.
block() { awk -v language="$1" '$0 == "```" language { inside = 1; next } $0 == "```" { inside = 0 } inside' "$page"; }
block lua >price.lua
[ "$(grep -c . price.lua)" -le 20 ] || fail "the experiment is too long"
"$STILLPOINT" run price.lua -j 2 --quiet || fail "the experiment does not run"
[ -s plots/price/price.svg ] || fail "the experiment draws nothing"
"$STILLPOINT" check price | tr -s ' \n' ' ' >said.txt
block text | tr -s ' \n' ' ' | cmp - said.txt || { cat said.txt >&2; fail "check prints something else"; }

# Every command: lines for the shell and those of the table. The quickstart is planned, because first_verdict and debian.sh run one.
mkdir bin
ln -s "$STILLPOINT" bin/stillpoint
ln -s "$SOURCE/experiments" experiments
for name in quickstart tran_cutkosky; do cp -r "$SOURCE/results/$name" results/; done
printf 'age,income,y\n18,10,1\n30,20,0\n40,15,1\n50,30,0\n' >mine.csv
PATH=$PWD/bin:$PATH
{ sed -n 's/^    stillpoint /stillpoint /p' "$page"; sed -n 's/^|[^|]*| `\(stillpoint [^`]*\)` |.*/\1/p' "$page"
    sed -n 's/.*[ (]`\(stillpoint [^`]*\)`[ .].*/\1/p' "$page" | grep -v '^stillpoint data fetch'; } | sort -u >commands.txt
[ "$(grep -c . commands.txt)" -ge 15 ] || fail "too few commands"
mkdir algorithms
cp "$SOURCE/algorithms/algorithm.h" algorithms/
while IFS= read -r line; do
    case $line in *quickstart.lua) line=$(echo "$line" | sed 's/ run / plan /') ;; esac
    sh -c "$line" >out.txt 2>&1 </dev/null || { cat out.txt >&2; fail "$line"; }
    [ -s out.txt ] || fail "$line: prints nothing"
done <commands.txt
