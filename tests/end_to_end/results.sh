#!/bin/sh
# The generated parts of pages: tables of committed results and listings of sources are up to date, and no claim is left out.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
sh "$SOURCE/tests/results_pages.sh" "$STILLPOINT" "$SOURCE" now
for page in now/*/*.md; do
    diff -u "$SOURCE/docs/${page#now/}" "$page" || fail "docs/${page#now/} is out of date: sh tests/results_pages.sh PROGRAM ."
done

# Each claim of a theorem has one row; the sums of the papers add up.
claims() { cat now/results/*.md | sed -n '/^<!-- \(claims\|others\): begin/,/^<!-- .*: end/p' | grep '^|.*| `'; }
for file in "$SOURCE"/results/*/claims.tsv; do
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["origin"] == "theorem"' "$file"
done >theorems.tsv
[ "$(claims | wc -l)" -eq "$(wc -l <theorems.tsv)" ] || fail "$(claims | wc -l) rows, $(wc -l <theorems.tsv) claims"
sed -n '/^<!-- claims: begin/,/^<!-- claims: end/p' now/results/*.md | grep -c '^|.*| `' >five.txt
sh "$SOURCE/tests/into.sh" now/explanation/findings.md papers print >papers.md
[ "$(awk -F ' [|] ' '/^[|] [^|]* [|] [0-9]/ { papers++; all += $2; if ($2 == 0) bad = 1
    if ($2 != $3 + $4 + $5 + $6) bad = 1 } END { print papers, all, bad + 0 }' papers.md)" = "5 $(cat five.txt) 0" ] ||
    fail "the sums of the five papers"

# into.sh
cp now/explanation/findings.md page.md
printf 'one\ntwo\n' | sh "$SOURCE/tests/into.sh" page.md papers
[ "$(sh "$SOURCE/tests/into.sh" page.md papers print)" = "$(printf 'one\ntwo')" ] || fail "into.sh writes something else"
sh "$SOURCE/tests/into.sh" page.md papers <papers.md
cmp page.md now/explanation/findings.md || fail "into.sh changes text outside of the marks"
! sh "$SOURCE/tests/into.sh" page.md nobody </dev/null 2>said.txt || fail "a mark that does not exist"
