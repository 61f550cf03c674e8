#!/bin/sh
# The gallery of cheats (tests/cheats): each is built as a plugin, or is an experiment's Lua, and `stillpoint test` tells it by
# what its head names; what nothing catches is named as well, and passes. docs/how_to/plugins.md lists them, in these words.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
build=$(dirname "$STILLPOINT")
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
flags=$(sed -n 's/^Cflags: -I[^ ]* //p' "$SOURCE/cmake/stillpoint.pc.in")
cp "$SOURCE"/tests/cheats/* .

for source in *.c; do
    "$cc" -O1 -Wall -Wextra -Wno-missing-field-initializers -Werror $flags -I"$SOURCE" -fPIC -shared -fvisibility=hidden \
        -o "${source%.c}.so" "$source" "$build/libstillpoint_plugin.a" -lm || fail "$source does not build"
done
# The one that has to be waited for, beside the others.
(code=0; "$STILLPOINT" test loops_for_ever --plugin loops_for_ever.so --limit 0.1 >loops.out 2>loops.err || code=$?; echo $code >loops.code) &
loops=$!

# examined NAME WHAT OPTION...: is it caught by WHAT, and by the exit code?
examined() {
    name=$1 what=$2 code=0
    shift 2
    "$STILLPOINT" test "$name" "$@" --plain --limit 1 >out.txt 2>err.txt || code=$?
    awk -F '\t' '$NF != "ok" && $NF != "left out" { print $2; print $2 ", " $3 }' out.txt | sort -u >broken.txt
    case $what in
        nothing) [ $code -eq 0 ] && [ ! -s broken.txt ] && [ "$(wc -l <out.txt)" -gt 5 ] ;;
        'the crash') [ $code -eq 1 ] && grep -q 'a plugin crashed (Segmentation fault)$' err.txt ;;
        'the plan') [ $code -eq 2 ] && grep -q "undefined name 'io'" err.txt ;;
        *) [ $code -eq 1 ] && grep -qxF -- "$what" broken.txt ;;
    esac || { cat out.txt err.txt >&2; fail "$name: exit code $code, not caught by $what"; }
}
by() { sed -n '2s/.*Caught by: //p' "$1" | sed 's| \*/$||'; }
seen=0
for file in *.c *.lua; do
    what=$(by "$file") name=${file%.*}
    [ -n "$what" ] || fail "$file does not say what catches it"
    case $file in
        loops_for_ever.c) continue ;;
        *.lua) examined "$name" "$what" "$file" ;;
        *) examined "$name" "$what" --plugin "$name.so" ;;
    esac
    seen=$((seen + 1))
done
[ $seen -ge 15 ] || fail "only $seen cheats"
wait $loops
[ "$(cat loops.code)" -eq 1 ] && grep -q 'a plugin was not done after 10 s of the processor$' loops.err || fail "a loop: $(cat loops.code loops.err)"

# The page lists them.
for file in *.c *.lua; do
    sed -n "1s|^[/-][*-] $file -- \(.*\)|\1|p" "$file" | sed 's| \*/$||; s|\.$||' >text.txt
    printf '| `%s` | %s | %s |\n' "$file" "$(cat text.txt)" "$(by "$file")"
done | grep -v '^| `honest.c`' | LC_ALL=C sort >rows.txt
grep '^| `[a-z_]*\.\(c\|lua\)` |' "$SOURCE/docs/how_to/plugins.md" | LC_ALL=C sort | diff -u - rows.txt || fail "docs/how_to/plugins.md lists other cheats"

# A run of one is marked wherever it shows.
sed 's/"spends_twice"/"keeps_the_best", "honest"/; s/^return { /return { plugins = { "keeps_the_best.so", "honest.so" }, replicates = 2, /; /^algorithm/,/^end }/d' \
    spends_twice.lua >marked.lua
code=0
"$STILLPOINT" run marked.lua -j 2 --no-plot 2>run.err >/dev/null || code=$?
[ $code -eq 1 ] || fail "a run with a cheat: exit code $code: $(cat run.err)"
grep -q '^audit FAILED: keeps_the_best: conformance, no memory of other runs: ' run.err || fail "$(cat run.err)"
"$STILLPOINT" status marked.lua --plain >status.txt || fail "status"
awk -F '\t' '$2 == "keeps_the_best" { a = $NF } $2 == "honest" { b = $NF } END { exit !(a == "failed" && b == "yes") }' status.txt ||
    fail "$(cat status.txt)"
"$STILLPOINT" summary marked | grep -q '^audit FAILED: keeps_the_best$' || fail "summary does not say it"
"$STILLPOINT" compare marked honest >compare.txt || fail "compare: $(cat compare.txt)"
grep -q '^audit FAILED: keeps_the_best$' compare.txt || fail "compare does not say it: $(cat compare.txt)"
"$STILLPOINT" score marked | tail -n 1 | grep -q '^audit FAILED: keeps_the_best$' || fail "score does not say it"
"$STILLPOINT" test honest marked.lua --limit 0.1 | head -n 1 | grep -q '^honest (algorithm): a cheat$' ||
    fail "test of a method that an experiment's plugin brings"
# So is whatever was made on a loss of a plugin that claims too much: it is no method's fault.
cat >loss.lua <<'LUA'
return { seed = 1, plugins = { "steep_loss.so" }, problem = { loss = "steep_loss", data = "linear", n = 100, d = 4 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 5 } }, measures = { "grad_norm" } }
LUA
code=0
"$STILLPOINT" run loss.lua --no-plot 2>run.err >/dev/null || code=$?
[ $code -eq 1 ] && grep -q '^audit FAILED: steep_loss: conformance, link, slope: whole space: 0.5 certified, 1 found' run.err ||
    fail "a run on a loss that claims too much: exit code $code: $(cat run.err)"
