#!/bin/sh
# Every verb has help; lists are complete and describe knows every name in them.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" --help >help.txt || fail "--help"
for verb in run plan status plot export check compare versus summary score merge list describe rerun data test epsilon delta calibrate privacy \
    audit new cite submit help verify archive report manual; do
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

# A page of all of them; help of a verb and of a key.
"$STILLPOINT" manual markdown >verbs.md
diff -u "$SOURCE/docs/reference/verbs.md" verbs.md || fail "docs/reference/verbs.md is out of date: stillpoint manual markdown >docs/reference/verbs.md"
"$STILLPOINT" help | cmp - help.txt || fail "help and --help differ"
"$STILLPOINT" help plan >told.txt
"$STILLPOINT" plan --help >asked.txt
head -n "$(wc -l <asked.txt)" told.txt | cmp - asked.txt || fail "help plan is not plan --help"
"$STILLPOINT" help privacy.epsilon >told.txt
[ "$(head -n 1 told.txt)" = "privacy.epsilon (key)" ] && grep -q '^\* epsilon: a number, ' told.txt || fail "help of a key"
"$STILLPOINT" list keys --plain | while read -r key; do
    "$STILLPOINT" help "$key" | grep -qxF "$key (key)" || fail "help $key"
done
if "$STILLPOINT" help epsilom 2>message.txt; then fail "there is no epsilom"; fi
grep -q 'epsilom is neither a verb nor a key of an experiment; did you mean epsilon?' message.txt || fail "a wrong word"
