#!/bin/sh
# Every source that the program is linked with feeds the hash that it should (cmake/registry.cmake), and a method names
# what else it uses. What is linked, and with what, is read from the object files.
set -eu
build=$(dirname "$STILLPOINT")
failures=0
fail() { echo "$*" >&2; failures=1; }

# --- an edit of a file's tokens changes its hash, and no other ----------------------------------------------
mkdir tree
(cd "$SOURCE" && find algorithms core losses measures cmake -name '*.[ch]' -o -name '*.cmake') > files
tar -C "$SOURCE" -c -T files -f - | tar -C tree -x -f -
mkdir -p tree/algorithms/parts
echo '/* shared */' > tree/algorithms/parts/made_up.c
echo '/* shared */' > tree/algorithms/parts/made_up.h
echo '/* shared */' > tree/core/data/generators/made_up.c
(cd tree && find algorithms core losses measures -name '*.[ch]' | sort) > sources
# The line that says whether a file is a generator, and one that no other file has: so they are hashed quickly.
while read -r file; do
    { grep "^const sp_generator sp_generator_" "tree/$file" || true; echo "int number_$((number = ${number:-0} + 1));"; } > stub
    mv stub "tree/$file"
done < sources

# "NAME HASH" lines of the tree as it is
hashes() {
    cmake -D ROOT="$PWD/tree" -D OUT="$PWD/registry.c" -P tree/cmake/registry.cmake
    sed -n 's/^    { "\(.*\)", "\([0-9a-f]*\)" },$/\1 \2/p' registry.c
}
hashes > before
uncounted=$(sed -n '/^set(uncounted/,/^)/s/^ *\([a-z_/]*\) *#.*/\1/p' "$SOURCE/cmake/registry.cmake" | paste -s -d '|')
[ -n "$uncounted" ] || fail "the rooms that no number comes from were not found in registry.cmake"

while read -r file; do
    stem=${file%.[ch]}
    expected=core
    case $file in
    core/data/generators/*.c) ! grep -q "^const sp_generator sp_generator_" "tree/$file" || expected=$stem ;;
    core/accountant/*) expected='core accountant' ;; # in the core, and by itself for --version
    algorithms/parts/* | losses/regularisers/*.c) expected=$stem ;;
    core/audit/* | losses/certify/*) expected=core/audit ;;
    losses/*/*) ;;
    algorithms/*.c | losses/*.c | measures/*.c) expected=$stem ;;
    esac
    if echo "$file" | grep -Eq "^($uncounted)/"; then expected=; fi
    cp "tree/$file" kept
    echo 'int edited;' >> "tree/$file"
    hashes > after
    cp kept "tree/$file"
    changed=$(diff before after | sed -n 's/^> \([^ ]*\) .*/\1/p' | paste -s -d ' ')
    [ "$changed" = "$expected" ] || fail "an edit of $file changes '$changed' where '$expected' is right"
    expected=${expected% accountant}
    echo "$file ${expected:--}" >> classes
done < sources

# --- what is linked -----------------------------------------------------------------------------------------
# "SOURCE OBJECT" of everything compiled for the program; the registry is made from the rest
awk -v root="$SOURCE/" -v build="$build/" '
    /"directory":/ { split($0, part, "\""); folder = part[4] "/" }
    /"command":/ { match($0, / -o [^ ]+/); object = substr($0, RSTART + 4, RLENGTH - 4) }
    /"file":/ { split($0, part, "\""); file = part[4]
        if (index(file, root) == 1 && index(file, build) != 1 && index(file, root "tests/") != 1)
            print substr(file, length(root) + 1), folder object }
' "$build/compile_commands.json" > objects
[ "$(wc -l < objects)" -gt 150 ] || fail "only $(wc -l < objects) objects were found in $build/compile_commands.json"

# "defines|needs SYMBOL CLASS SOURCE"
while read -r file object; do
    class=$(awk -v file="$file" '$1 == file { print $2 }' classes)
    [ -n "$class" ] || fail "$file is compiled and in no class"
    nm -g "$object" | awk -v class="$class" -v file="$file" '
        $1 == "U" { print "needs", $2, class, file }
        NF == 3 && $2 != "w" && $2 != "W" && $2 != "V" { print "defines", $3, class, file }'
done < objects > symbols

# "USER CLASS USED": a file with a hash of its own, or an uncounted one, that another class is linked with
awk '
    $1 == "defines" { owner[$2] = $3; file[$2] = $4 }
    $1 == "needs" { line[++lines] = $0 }
    END {
        for (i = 1; i <= lines; i++) {
            split(line[i], f, " ")
            if (f[2] in owner && owner[f[2]] != f[3] && owner[f[2]] != "core")
                print f[4], f[3], owner[f[2]]
        }
    }' symbols | sort -u > uses

# What a method says that it uses, with "algorithms/" before each
said() {
    tr '\n' ' ' < "$SOURCE/$1" | sed -n 's/.*\.uses = \(\("[^"]*" *\)*\).*/\1/p' | tr -d '"' | tr ' ' '\n' |
        sed -n 's|.|algorithms/&|p'
}
while read -r file class used; do
    case $file:$class:$used in
    *:-:*) ;; # an uncounted room may use what it likes
    *:-) fail "$file counts for a number and is linked with a room that does not" ;;
    algorithms/parts/*) ;; # below, through the methods
    algorithms/*:algorithms/*) said "$file" | grep -qx "$used" || fail "$file is linked with $used: name it in .uses" ;;
    *) fail "$file ($class) is linked with $used, whose hash it does not feed" ;;
    esac
done < uses

for method in "$SOURCE"/algorithms/*.c; do
    method=${method#"$SOURCE/"}
    said "$method" | while read -r used; do
        grep -q "^$used " before || fail "$method names $used in .uses, which is nothing that has a hash"
        { # what that one is linked with, and includes
            awk -v used="$used" '$2 == used && $3 ~ /^algorithms\// { print $3 }' uses
            cat "$SOURCE/$used".[ch] 2> /dev/null | sed -n 's|^#include "\(algorithms/parts/.*\)\.h".*|\1|p'
        } | sort -u | while read -r further; do
            [ "$further" = "$used" ] || [ "$further" = "${method%.c}" ] || said "$method" | grep -qx "$further" ||
                { echo "$method uses $used, which uses $further: name it too"; }
        done
    done > missing
    sed -n 's|^#include "\(algorithms/parts/.*\)\.h".*|\1|p' "$SOURCE/$method" | while read -r used; do
        said "$method" | grep -qx "$used" || echo "$method includes $used.h: name it in .uses"
    done >> missing
    [ ! -s missing ] || { cat missing >&2; failures=1; }
done
[ $failures -eq 0 ] && echo "$(wc -l < objects) objects, every one in a class"
exit $failures
