#!/bin/sh
# docs/tutorials/own_method.md, typed as it stands, with the installed program in an empty folder: the files that it prints, every
# command, and each line of what it says is printed. The three methods of its end are one.
set -eu
build=$(dirname "$STILLPOINT")
export STILLPOINT_CACHE="$PWD/cache"
fail() { echo "FAILED: $*" >&2; exit 1; }
CC=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
[ -s "$build/generated/manual/zsh" ] || fail "the manual is not there: build all" # not here: others run the program meanwhile
cmake --install "$build" --prefix "$PWD/prefix" >install.txt 2>&1 || { cat install.txt >&2; fail "install"; }
PKG_CONFIG_PATH=$(dirname "$(find "$PWD/prefix" -name stillpoint.pc)")
PATH=$PWD/prefix/bin:$PATH
export PATH PKG_CONFIG_PATH CC
mkdir page work

# page/NUMBER.KIND in the page's order: a command a line of `do`; `say`, what it prints; `file`, behind its name in the first
# line, which is the last `NAME.EXTENSION` that the page has named before the block.
awk 'function next_one(kind) { file = sprintf("page/%03d.%s", ++n, kind) }
    /^```text$/ { next_one("say"); inside = 1; next }
    /^```(lua|c|python)$/ { next_one("file"); print name >file; inside = 1; next }
    /^```$/ { inside = 0; next }
    inside { print >file; next }
    /^    (stillpoint|make|sed) / { next_one("do"); print substr($0, 5) >file; next }
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
[ $commands -ge 19 ] && [ $files -ge 6 ] && [ $lines -ge 7 ] || fail "$commands commands, $files files, $lines lines"
[ "$(grep -cE '^    [a-z]+ ' "$SOURCE/docs/tutorials/own_method.md")" -ge $commands ] || fail "commands"

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
