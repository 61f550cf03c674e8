#!/bin/sh
# The README shows an algorithm, a loss, a measure and an experiment whole: they are the files that are there, and the experiment runs.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# block LANGUAGE N: the N-th fenced block of that language.
block() {
    awk -v language="$1" -v wanted="$2" '
        $0 == "```" language { count++; inside = count == wanted; next }
        $0 == "```" { inside = 0 }
        inside' "$SOURCE/README.md"
}
block c 1 | cmp - "$SOURCE/algorithms/gd.c" || fail "the README's algorithm is not algorithms/gd.c"
block c 2 | cmp - "$SOURCE/losses/sigmoid.c" || fail "the README's loss is not losses/sigmoid.c"
block c 3 | cmp - "$SOURCE/measures/grad_norm.c" || fail "the README's measure is not measures/grad_norm.c"
sh "$SOURCE/tests/results_tables.sh" "$STILLPOINT" "$SOURCE" | diff -u "$SOURCE/docs/results/results.md" - ||
    fail "docs/results/results.md is out of date: tests/results_tables.sh"
agree=$(sed -n 's/^Of \([0-9]* claims [0-9]* agree\).*/of \1/p;/^Of /q' "$SOURCE/docs/results/results.md")
[ -n "$agree" ] && grep -qF "$agree" "$SOURCE/README.md" || fail "the README does not say: $agree"
# Its first screen: how the theorems' claims came out, and how many methods and experiments there are.
sed -n '1,/^\[Your first verdict/p' "$SOURCE/README.md" >head.md
[ "$(wc -l <head.md)" -le 30 ] || fail "the README's head is longer than a screen"
grep -qF "$(sed -n '/^Of [0-9]* claims/{p;q}' "$SOURCE/docs/results/results.md")" head.md || fail "the README's head: how claims came out"
methods=$("$STILLPOINT" list algorithms --plain | grep -c .)
experiments=$(find "$SOURCE/experiments" -name '*.lua' | grep -c .)
grep -qF "of $methods methods in $experiments experiments" head.md ||
    fail "the README's head does not say: $methods methods in $experiments experiments"

# The five papers in its head: the table that is made now, no paper without a claim, and none of their claims left out.
sh "$SOURCE/tests/results_tables.sh" "$STILLPOINT" "$SOURCE" papers >papers.md
sh "$SOURCE/tests/into.sh" "$SOURCE/README.md" papers print | diff -u - papers.md ||
    fail "the README's table of the five papers is out of date: CONTRIBUTING.md says how it is made"
cat "$SOURCE"/results/*/claims.tsv | awk -F '\t' '
    $1 == "seed" { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["origin"] == "theorem" && $at["source"] ~ /^(Lowy,|Liu & Talwar|Wang & Xu|Tran & Cutkosky|Bassily et al[.] 2021)/' |
    wc -l >expected.txt
[ "$(grep -c '^| .* | `' papers.md)" -eq "$(cat expected.txt)" ] || fail "the papers have $(cat expected.txt) claims"
[ "$(awk -F ' [|] ' '/^[|] [^|]* [|] [0-9]/ { papers++; all += $2; if ($2 == 0) bad = 1
    if ($2 != $3 + $4 + $5 + $6) bad = 1 } END { print papers, all, bad + 0 }' papers.md)" = "5 $(cat expected.txt) 0" ] ||
    fail "the sums of the five papers"
cp "$SOURCE/README.md" page.md
printf 'one\ntwo\n' | sh "$SOURCE/tests/into.sh" page.md papers
[ "$(sh "$SOURCE/tests/into.sh" page.md papers print)" = "$(printf 'one\ntwo')" ] || fail "into.sh writes something else"
sh "$SOURCE/tests/into.sh" page.md papers <papers.md
cmp page.md "$SOURCE/README.md" || fail "into.sh changes more than what stands between the marks"
! sh "$SOURCE/tests/into.sh" page.md nobody </dev/null 2>said.txt || fail "a mark that is not there"

block lua 1 >price.lua
[ -s price.lua ] || fail "the README has no experiment"
"$STILLPOINT" run price.lua -j 2 --quiet || fail "the README's experiment does not run"
[ -s plots/price/price.svg ] || fail "the README's experiment draws nothing"
# What is not private lies far below, and is told: the panels show what epsilon costs, within four decades.
table=results/price/figures/price.tsv
[ "$(grep -c "$(printf '\t')gd, not private:" $table)" -eq 2 ] || fail "the README's figure does not tell what gd leaves"
awk -F '\t' '$1 == "left" { inside = 1; next } $1 == "" { inside = 0 }
    inside && ++panels && ($5 != 1 || $7 > 1e4 * $6) { bad = 1 }
    END { exit bad || panels != 2 }' $table || fail "an axis of the README's figure is stretched"
