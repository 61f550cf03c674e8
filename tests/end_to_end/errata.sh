#!/bin/sh
# docs/results/errata.md: every command that it shows prints what stands below it, from the experiments that it shows whole and the
# committed tables. Of tests that it names, that they are there.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
page=$SOURCE/docs/results/errata.md

# Blocks of Lua begin with their file's name; in blocks of console a line behind "$ " is a command, the rest its answer.
awk '
    /^```/ { kind = kind == "" ? substr($0, 4) : ""; file = ""; if (kind == "console") file = sprintf("block.%02d", ++blocks); next }
    kind == "lua" && file == "" { file = $2; sub(/:$/, "", file) }
    kind != "" && file != "" { print >file }' "$page"
mkdir results bin
for folder in "$SOURCE"/results/*/; do
    ln -s "$folder" results/
done
ln -s "$STILLPOINT" bin/stillpoint
PATH=$PWD/bin:$PATH

count=0
for block in block.*; do
    : >answer
    while IFS= read -r line; do
        case $line in
            '$ ctest '*)
                name=$(printf '%s\n' "$line" | sed -n "s/.* -R '\(unit\/[a-z_]*\)\\$'\$/\1/p")
                [ -n "$name" ] && [ -f "$SOURCE/tests/$name.c" ] || fail "no such test: $line"
                printf '%s\n' "$line" >>answer ;;
            '$ '*)
                printf '%s\n' "$line" >>answer
                sh -c "${line#??}" >>answer </dev/null || fail "$line" ;;
            *) continue ;;
        esac
        count=$((count + 1))
    done <"$block"
    diff -u "$block" answer >&2 || fail "docs/results/errata.md shows another answer"
done
[ "$count" -ge 17 ] || fail "only $count commands"
[ -f printed.lua ] && [ -f promises.lua ] || fail "the page shows no experiments"
