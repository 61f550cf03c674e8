#!/bin/sh
# Every verb has help; lists are complete and describe knows every name in them.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" --help >help.txt || fail "--help"
for verb in run plan status plot export check compare summary merge list describe rerun data test epsilon delta calibrate privacy \
    audit new cite manual; do
    grep -q "^  $verb " help.txt || fail "--help does not mention $verb"
    "$STILLPOINT" $verb --help >verb.txt || fail "$verb --help"
    grep -q "Usage: stillpoint $verb" verb.txt || fail "$verb --help has no usage line"
done

for kind in algorithms losses regularisers measures domains data problems generators; do
    "$STILLPOINT" list $kind --plain >$kind.txt || fail "list $kind"
    [ -s $kind.txt ] || fail "no $kind"
    while read -r name; do
        "$STILLPOINT" describe "$name" >described.txt || fail "describe $name"
        grep -q "^$name (" described.txt || fail "describe $name describes something else"
    done <$kind.txt
done
# What CMake found is what the folders hold.
ls "$SOURCE"/algorithms/*.c | sed 's|.*/||; s|\.c$||' | sort | cmp - algorithms.txt || fail "algorithms"
ls "$SOURCE"/losses/*.c | sed 's|.*/||; s|\.c$||' | sort | cmp - losses.txt || fail "losses"
ls "$SOURCE"/measures/*.c | sed 's|.*/||; s|\.c$||' | sort | cmp - measures.txt || fail "measures"

# Every experiment that ships is valid at every scale it has.
for experiment in "$SOURCE"/experiments/*.lua; do
    "$STILLPOINT" plan "$experiment" >/dev/null || fail "plan $experiment"
    "$STILLPOINT" plan "$experiment" --scale smoke >/dev/null || fail "plan $experiment --scale smoke"
done
