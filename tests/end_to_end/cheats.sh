#!/bin/sh
# The gallery of cheats (tests/cheats): a folder that is built into stillpoint_cheats, and experiments in Lua. `stillpoint audit`
# finds each by what its head names; those that nothing catches pass, and say so. docs/how_to/built_in.md lists them, in these
# words. cheats/refused is not even configured.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
program=$(dirname "$STILLPOINT")/stillpoint_cheats
cheats=$SOURCE/tests/cheats

# The one that has to be waited for, beside the others.
(code=0; "$program" audit loops_for_ever --limit 0.1 >loops.out 2>loops.err || code=$?; echo $code >loops.code) &
loops=$!

# examined NAME WHAT OPTION...: is it caught by WHAT, and by the exit code?
examined() {
    name=$1 what=$2 code=0
    shift 2
    "$program" audit "$name" "$@" --plain --limit 1 >out.txt 2>err.txt || code=$?
    awk -F '\t' '$NF != "ok" && $NF != "left out" { print $2; print $2 ", " $3 }' out.txt | sort -u >broken.txt
    case $what in
        nothing) [ $code -eq 0 ] && [ ! -s broken.txt ] && [ "$(wc -l <out.txt)" -gt 5 ] ;;
        'the crash') [ $code -eq 1 ] && grep -q 'it crashed (Segmentation fault)$' err.txt ;;
        'the plan') [ $code -eq 2 ] && grep -q "undefined name 'io'" err.txt ;;
        *) [ $code -eq 1 ] && grep -qxF -- "$what" broken.txt ;;
    esac || { cat out.txt err.txt >&2; fail "$name: exit code $code, not caught by $what"; }
}
by() { sed -n 's/.*Caught by: //p' "$1" | sed 's| \*/$||'; }
seen=0
for path in "$cheats"/*/*.c "$cheats"/*.lua; do
    file=${path##*/} what=$(by "$path")
    [ -n "$what" ] || fail "$path does not say what catches it"
    case $file in
        loops_for_ever.c) continue ;;
        *.lua) examined "${file%.lua}" "$what" "$path" ;;
        *) examined "${file%.c}" "$what" ;;
    esac
    seen=$((seen + 1))
done
[ $seen -ge 15 ] || fail "only $seen cheats"
wait $loops
[ "$(cat loops.code)" -eq 1 ] && grep -q 'more than 10 s of the processor$' loops.err || fail "a loop: $(cat loops.code loops.err)"

# What may not be included stops the configuration, with the line and what may be.
if cmake -S "$SOURCE" -B configured -DSTILLPOINT_EXTRA="$cheats/refused" >out.txt 2>&1; then fail "cheats/refused is configured"; fi
grep -q 'includes_the_records.c:4: #include "core/oracle/oracle_internal.h" is refused in algorithms/' out.txt ||
    { cat out.txt >&2; fail "cheats/refused: another message"; }

# The page lists them.
for path in "$cheats"/*/*.c "$cheats"/refused/*/*.c "$cheats"/*.lua; do
    file=${path##*/}
    text=$(sed -n '1,/[Cc]aught by:/p' "$path" | sed -E 's/^(\/\*| \*|--) ?//' | tr '\n' ' ' | sed -E "s/^$file -- (.*)\. *Caught by:.*/\1/")
    printf '| `%s` | %s | %s |\n' "$file" "$text" "$(by "$path")"
done | grep -v '^| `honest.c`' | LC_ALL=C sort >rows.txt
grep '^| `[a-z_]*\.\(c\|lua\)` |' "$SOURCE/docs/how_to/built_in.md" | LC_ALL=C sort | diff -u - rows.txt ||
    fail "docs/how_to/built_in.md lists other cheats"

# A run of one is marked wherever it shows.
sed 's/"announces_one"/"keeps_the_best", "honest"/; s/^return { /return { replicates = 2, /; /^algorithm/,/^end }/d' \
    "$cheats/announces_one.lua" >marked.lua
code=0
"$program" run marked.lua -j 2 --no-plot 2>run.err >/dev/null || code=$?
[ $code -eq 1 ] || fail "a run with a cheat: exit code $code: $(cat run.err)"
grep -q '^audit FAILED: keeps_the_best: conformance, no memory of other runs: ' run.err || fail "$(cat run.err)"
"$program" status marked.lua --plain >status.txt || fail "status"
awk -F '\t' '$2 == "keeps_the_best" { a = $NF } $2 == "honest" { b = $NF } END { exit !(a == "failed" && b == "yes") }' status.txt ||
    fail "$(cat status.txt)"
"$program" table marked | grep -q '^audit FAILED: keeps_the_best$' || fail "summary does not say it"
"$program" compare marked honest >compare.txt || fail "compare: $(cat compare.txt)"
grep -q '^audit FAILED: keeps_the_best$' compare.txt || fail "compare does not say it: $(cat compare.txt)"
"$program" compare --score marked | tail -n 1 | grep -q '^audit FAILED: keeps_the_best$' || fail "score does not say it"
"$program" audit honest marked.lua --limit 0.1 | head -n 1 | grep -q '^honest (algorithm): a cheat$' ||
    fail "test of a method that an experiment names"
# So is every result on a loss of a built-in folder that claims too much, whatever the method.
cat >loss.lua <<'LUA'
return { seed = 1, problem = { loss = "steep_loss", data = "linear", n = 100, d = 4 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 5 } }, measures = { "grad_norm" } }
LUA
code=0
"$program" run loss.lua --no-plot 2>run.err >/dev/null || code=$?
[ $code -eq 1 ] && grep -q '^audit FAILED: steep_loss: conformance, link, slope: whole space: 0.5 certified, 1 found' run.err ||
    fail "a run on a loss that claims too much: exit code $code: $(cat run.err)"
