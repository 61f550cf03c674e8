#!/bin/sh
# `stillpoint new`: what it writes runs, builds and passes as it stands. An algorithm, a loss and a measure are made in a
# copy of the sources, compiled as the build compiles its own, and linked with a registry that has found them.
set -eu
build=$(dirname "$STILLPOINT")
fail() { echo "FAILED: $*" >&2; exit 1; }

# refused MESSAGE WORDS...
refused() {
    message=$1
    shift
    if "$STILLPOINT" new "$@" >out.txt 2>message.txt; then fail "new $* is accepted"; fi
    grep -qF -- "$message" message.txt || { cat message.txt >&2; fail "new $* does not say: $message"; }
}
refused "did you mean algorithm" algorythm mine
for name in Mine 2nd my-own "" ../mine a.b "$(printf '%041d' 0 | tr 0 a)"; do refused "lower-case" experiment "$name"; done
refused "there is an algorithm called dp_gd" algorithm dp_gd
refused "there is a loss called logistic" loss logistic
refused "there is a measure called accuracy" measure accuracy
refused ". is no checkout of Stillpoint: there is no ./algorithms/algorithm.h" algorithm mine
refused "./none/mine.lua: No such file" experiment mine --root ./none
refused "what is its name" experiment
[ ! -e mine.lua ] || fail "a refusal leaves a file"

# --- an experiment
"$STILLPOINT" new experiment mine | grep -q "^mine.lua: 7 places marked FILL; next: stillpoint plan mine.lua" || fail "new"
[ "$(grep -c FILL mine.lua)" = 7 ] || fail "places"
cp mine.lua before
refused "mine.lua: is there already" experiment mine
cmp mine.lua before || fail "new wrote over a file"
"$STILLPOINT" run mine.lua -j 2 --quiet || fail "the new experiment does not run"
[ "$(awk 'NR > 1' results/mine/runs.tsv | wc -l)" = 36 ] || fail "3 methods, 3 values of n, 4 replicates"
[ -s plots/mine/mine.svg ] || fail "no figure"

# --- in a checkout
mkdir tree tree/experiments
(cd "$SOURCE" && find algorithms core losses measures -name '*.[ch]') >files
tar -C "$SOURCE" -c -T files -f - | tar -C tree -x -f -
"$STILLPOINT" new experiment mine --root tree | grep -q '^tree/experiments/mine.lua:' || fail "new experiment in a checkout"
for kind in algorithm loss measure; do "$STILLPOINT" new $kind my_$kind --root tree || fail "new $kind"; done

# compile FILE OBJECT LIKE: as the build compiles LIKE
compile() {
    command=$(sed -n "s|^  \"command\": \"\(.*\) -o [^ ]* -c $SOURCE/$3\",\$|\1|p" "$build/compile_commands.json" |
        sed 's|\\"|"|g')
    [ -n "$command" ] || fail "the build does not compile $3"
    # what the warnings of the build are must not stop: -Werror for all of them
    (cd "$build" && eval "$command -Werror -o '$here/$2' -c '$here/$1'") || fail "$1 does not build"
}
here=$PWD
cmake -D ROOT="$here/tree" -D OUT="$here/registry.c" -P "$SOURCE/cmake/registry.cmake" || fail "registry"
compile tree/algorithms/my_algorithm.c algorithm.o algorithms/gd.c
compile tree/losses/my_loss.c loss.o losses/logistic.c
compile tree/measures/my_measure.c measure.o measures/grad_norm.c
compile registry.c registry.o core/plan/plan.c

# link FOLDER PROGRAM: the build's own, with the new files ahead of the libraries
link() {
    (cd "$build/$1" && eval "$(sed "s| -o [^ ]* | $here/algorithm.o $here/loss.o $here/measure.o $here/registry.o -o $here/$2 |" \
        "CMakeFiles/$2.dir/link.txt")") || fail "$2 does not link"
}
link . stillpoint
for kind in algorithm audit loss measure; do link tests test_conformance_$kind; done
export STILLPOINT_HOME="$build/share/stillpoint"
for kind in algorithm loss measure; do
    ./stillpoint list --plain | grep -qx my_$kind || fail "list does not have my_$kind"
    ./stillpoint describe my_$kind | grep -q "^my_$kind ($kind" || fail "describe my_$kind"
    ./test_conformance_$kind my_$kind || fail "conformance/$kind"
done
./test_conformance_audit my_algorithm || fail "conformance/audit"
./stillpoint test my_loss || fail "test my_loss"
./stillpoint audit my_algorithm || fail "audit my_algorithm"
cat >all.lua <<'LUA'
return { seed = 1, replicates = 2, problem = { loss = "my_loss", data = "linear", n = 200, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "my_algorithm", steps = 5 } },
         measures = { "my_measure", "excess_risk" } }
LUA
./stillpoint run all.lua --quiet --no-plot || fail "the three of them"
head -1 results/all/runs.tsv | grep -q my_measure || fail "no my_measure"
./stillpoint cite all.lua | grep -qx '% method my_algorithm: ours' || fail "cite"

# --- cite
unset STILLPOINT_HOME
"$STILLPOINT" cite "$SOURCE/experiments/jl_glm.lua" >cited.txt || fail "cite"
grep -q '^@software{stillpoint,' cited.txt || fail "Stillpoint is not cited"
grep -q '^@inproceedings{arora2023faster,' cited.txt || fail "jl_glm's paper is not cited"
if grep -q '^@.*{metropolis' cited.txt; then fail "what is not used is cited"; fi
STILLPOINT_HOME=$PWD/none "$STILLPOINT" cite mine.lua 2>message.txt && fail "without its files"
grep -q "STILLPOINT_HOME = $PWD/none: no such folder" message.txt || fail "message: $(cat message.txt)"
