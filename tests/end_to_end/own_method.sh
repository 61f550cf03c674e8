#!/bin/sh
# docs/tutorials/own_method.md, typed as it stands, in an empty folder beside a bare checkout: the files that it prints, every
# command, and each line of what it says is printed. The three methods of its end are one. Then the messages about folders that
# cannot be built in.
set -eu
export STILLPOINT_CACHE="$PWD/cache"
fail() { echo "FAILED: $*" >&2; exit 1; }
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' # whoever the checkout belongs to
git -C "$SOURCE" rev-parse >/dev/null 2>&1 || { echo "no git checkout: skipped"; exit 77; }
PATH=$(dirname "$STILLPOINT"):$PATH
export PATH
mkdir page work stillpoint
(cd "$SOURCE" && git ls-files -z ':!results' ':!plots/*/*' | tar cf - --null -T -) | tar xf - -C stillpoint
if command -v ccache >/dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache; fi

# page/NUMBER.KIND in the page's order: a command a line of `do`; `say`, what it prints; `file`, behind its name in the first
# line, which is the last `NAME.EXTENSION` that the page has named before the block.
awk 'function next_one(kind) { file = sprintf("page/%03d.%s", ++n, kind) }
    /^```text$/ { next_one("say"); inside = 1; next }
    /^```(lua|c|python)$/ { next_one("file"); print name >file; inside = 1; next }
    /^```$/ { inside = 0; next }
    inside { print >file; next }
    /^    (stillpoint|sed|\.\.\/stillpoint\/bootstrap) / { next_one("do"); print substr($0, 5) >file; next }
    { rest = $0
      while (match(rest, /`[a-z_\/]+\.(lua|c|py)`/)) { name = substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH) } }' \
    "$SOURCE/docs/tutorials/own_method.md"
commands=0 files=0 lines=0
for part in page/*; do
    case $part in
        *.file)
            files=$((files + 1))
            name=$(head -n 1 "$part")
            mkdir -p "work/$(dirname "$name")"
            tail -n +2 "$part" >"work/$name" ;;
        *.do)
            commands=$((commands + 1))
            line=$(cat "$part") wanted=0 code=0
            case $line in
                *'# exit code '*) wanted=${line##*# exit code } ;;
                *python*) command -v python3 >/dev/null || continue ;;
            esac
            (cd work && sh -c "$line") >out.txt 2>&1 </dev/null || code=$?
            [ "$code" -eq "$wanted" ] || { cat out.txt >&2; fail "$line: exit code $code"; } ;;
        *.say)
            while IFS= read -r line; do
                lines=$((lines + 1))
                grep -qF -- "$line" out.txt || { cat out.txt >&2; fail "is not printed: $line"; }
            done <"$part" ;;
    esac
done
[ $commands -ge 17 ] && [ $files -ge 7 ] && [ $lines -ge 7 ] || fail "$commands commands, $files files, $lines lines"
[ "$(grep -cE '^    [a-z./]+ ' "$SOURCE/docs/tutorials/own_method.md")" -ge $commands ] || fail "commands"

for name in heavy fair; do
    awk -F '\t' 'NR > 1 && $0 !~ /\tok\t/ { bad = 1 } END { exit bad || NR < 33 }' work/results/$name/runs.tsv || fail "$name: runs failed"
done
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["walked"] + 0 <= 0 { bad = 1 } END { exit bad || NR != 5 }' \
    work/results/bump/runs.tsv || fail "walked: $(cat work/results/bump/runs.tsv)"
[ -s work/plots/heavy/heavy.svg ] || fail "no figure"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["audited"] != "yes" { bad = 1 } END { exit bad || NR != 3 }' \
    work/results/heavy/audits.tsv || fail "audits: $(cat work/results/heavy/audits.tsv)"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { x = $at["grad_norm"]; r = $at["replicate"]; if (!(r in first)) first[r] = x; d = x / first[r] - 1
      if (!(d < 1e-9 && d > -1e-9)) bad = 1; rows++ } END { exit bad || rows != 6 }' work/results/three/runs.tsv ||
    fail "Lua, C and Python differ: $(cut -f 1-9 work/results/three/runs.tsv)"

# --- what cannot be built in is said before anything is built
cd work
# refused FOLDER MESSAGE: bootstrap refuses to build the folder in, with these words
refused() {
    if ../stillpoint/bootstrap --with "$1" list >out.txt 2>&1; then fail "$1 is built in"; fi
    grep -qF -- "$2" out.txt || { cat out.txt >&2; fail "$1: does not say: $2"; }
    if grep -q 'building stillpoint' out.txt; then fail "$1: something was built"; fi
}
refused none 'none: no such folder'
mkdir -p empty stray twice/algorithms taken/losses odd/algorithms
refused empty 'work/empty: nothing to build in'
cp mine/losses/bump.c stray/
refused stray 'work/stray/bump.c: only files in algorithms/, losses/'
sed 's/bump/logistic/g' mine/losses/bump.c >taken/losses/logistic.c
refused taken "work/taken/losses/logistic.c: the loss logistic is there already: $(cd ../stillpoint && pwd)/losses/logistic.c"
cp mine/algorithms/ball.c twice/algorithms/
if ../stillpoint/bootstrap --with mine --with twice list >out.txt 2>&1; then fail "two methods called ball"; fi
grep -qF "twice/algorithms/ball.c: the algorithm ball is there already: $PWD/mine/algorithms/ball.c" out.txt || fail "$(cat out.txt)"
cp mine/algorithms/ball.c odd/algorithms/odd.c
refused odd 'odd/algorithms/odd.c: `const sp_algorithm sp_algorithm_odd = { .name = "odd"'
sed 's/ball/odd/g; s|^#include .*|&\n#include "core/data/dataset.h"|' mine/algorithms/ball.c >odd/algorithms/odd.c
refused odd 'odd/algorithms/odd.c:13: #include "core/data/dataset.h" is refused in algorithms/'

# --- the program knows what is built in, and a changed token makes runs stale
../stillpoint/bootstrap --with mine --version 2>/dev/null | grep -q '^built in algorithms/ball [0-9a-f]' || fail "--version"
sed -i 's/momentum and Gaussian noise"/momentum and noise"/' mine/algorithms/ball.c
code=0
../stillpoint/bootstrap --with mine status bump.lua --plain >status.txt 2>/dev/null || code=$?
awk -F '\t' '$2 == "ball" && $6 == 2 { a = 1 } $2 == "dp_gd" && $6 == 0 { b = 1 } END { exit !(a && b) }' status.txt ||
    fail "stale are not the runs of ball alone: $code: $(cat status.txt)"
cd ..
rm -r stillpoint # a whole build
