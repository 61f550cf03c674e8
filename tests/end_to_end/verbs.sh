#!/bin/sh
# Every verb has help; old names stand for new ones; lists are complete and `list NAME` knows every name in them.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" --help >help.txt || fail "--help"
sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p' help.txt >verbs.txt
[ "$(cut -d ' ' -f 1 verbs.txt | sort -u | wc -l)" -eq 19 ] || fail "--help has other verbs: $(cat verbs.txt)"
while read -r verb; do
    "$STILLPOINT" $verb --help >verb.txt 2>err.txt || fail "$verb --help"
    grep -qF "Usage: stillpoint $verb" verb.txt || fail "$verb --help has no usage line"
    [ ! -s err.txt ] || fail "$verb --help: $(cat err.txt)"
done <verbs.txt
[ "$("$STILLPOINT" account --help | grep -c '^  account ')" -eq 4 ] || fail "account --help"
code=0
"$STILLPOINT" account forget 2>err.txt || code=$?
[ $code -eq 2 ] && grep -q 'account runs' err.txt || fail "account forget: exit code $code"

# An old name stands for the new one, which the standard error names; of a comparison it is refused.
"$STILLPOINT" account delta --epsilon 1 gauss:noise_multiplier=4 >new.txt
"$STILLPOINT" delta --epsilon 1 gauss:noise_multiplier=4 >old.txt 2>err.txt || fail "delta"
cmp old.txt new.txt && [ "$(grep -c 'stillpoint account delta' err.txt)" -eq 1 ] || fail "delta: $(cat err.txt)"
for alias in 'rerun=run --rerun' 'summary=table' 'describe=list' 'cite=list --cite' 'test=audit' 'epsilon=account epsilon' \
    'calibrate=account calibrate' 'privacy=account runs' 'seal=verify --seal'; do
    "$STILLPOINT" "${alias%%=*}" --help >old.txt 2>err.txt || fail "$alias"
    "$STILLPOINT" ${alias#*=} --help | cmp - old.txt || fail "$alias: other help"
    [ "$(grep -cF "stillpoint ${alias#*=}'" err.txt)" -eq 1 ] || fail "$alias: $(cat err.txt)"
done
for alias in 'score=compare --score' 'versus=compare --versus'; do
    code=0
    "$STILLPOINT" "${alias%%=*}" x >out.txt 2>err.txt || code=$?
    [ $code -eq 2 ] && [ ! -s out.txt ] && grep -qF "stillpoint ${alias#*=}" err.txt || fail "$alias: exit code $code"
done

for kind in algorithms losses regularisers measures domains data problems generators; do
    "$STILLPOINT" list $kind --plain >$kind.txt || fail "list $kind"
    [ -s $kind.txt ] || fail "no $kind"
    while read -r name; do
        "$STILLPOINT" list "$name" >described.txt || fail "describe $name"
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
"$(dirname "$STILLPOINT")/stillpoint_manual" verbs >verbs.md
diff -u "$SOURCE/docs/reference/verbs.md" verbs.md ||
    fail "docs/reference/verbs.md is out of date: build/release/stillpoint_manual verbs >docs/reference/verbs.md"
"$STILLPOINT" help | cmp - help.txt || fail "help and --help differ"
"$STILLPOINT" plan --help >asked.txt
"$STILLPOINT" help plan 2>/dev/null | cmp - asked.txt || fail "help plan is not plan --help"
"$STILLPOINT" list privacy.epsilon >told.txt
[ "$(head -n 1 told.txt)" = "privacy.epsilon (key)" ] && grep -q '^\* epsilon: a number, ' told.txt || fail "help of a key"
"$STILLPOINT" list keys --plain | grep -vxE 'algorithms|measures' | while read -r key; do # which are kinds, too
    "$STILLPOINT" list "$key" | grep -qxF "$key (key)" || fail "list $key"
done
code=0
"$STILLPOINT" list epsilom 2>message.txt || code=$?
[ $code -eq 2 ] || fail "there is no epsilom: exit code $code"
grep -q 'epsilom; did you mean epsilon?' message.txt || fail "a wrong word: $(cat message.txt)"
