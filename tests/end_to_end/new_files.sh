#!/bin/sh
# `stillpoint new`: what it writes runs, builds and passes as it stands. A method, a loss, a measure and a generator are made
# in a folder that is built in, compiled as the build compiles its own, and linked with a registry that has found them.
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
refused "did you mean method" methd mine
refused "--with FOLDER" plugin mine
for name in Mine 2nd my-own "" ../mine a.b "$(printf '%041d' 0 | tr 0 a)"; do refused "lower-case" experiment "$name"; done
refused "there is a method called dp_gd" method dp_gd
refused "there is a loss called logistic" loss logistic
refused "there is a measure called accuracy" measure accuracy
refused "there is a generator called signs" generator signs
refused "--in FOLDER" method mine
refused "./none/mine.lua: No such file" experiment mine --in ./none
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
mkdir -p tree/experiments tree/algorithms tree/core/data/generators
cp "$SOURCE/algorithms/algorithm.h" tree/algorithms/
"$STILLPOINT" new experiment mine --in tree | grep -q '^tree/experiments/mine.lua:' || fail "new experiment in a checkout"
"$STILLPOINT" new method mine --in tree | grep -q '^tree/algorithms/mine.c: .*; next: ./bootstrap, then' || fail "new method"
(cd tree && "$STILLPOINT" new generator mine) | grep -q '^core/data/generators/mine.c: ' || fail "new generator"

# --- in a folder that is built in
for kind in method loss measure generator; do
    "$STILLPOINT" new $kind my_$kind --in folder | grep -q 'next: ./bootstrap --with folder audit my_'$kind || fail "new $kind"
done

# compile FILE OBJECT LIKE: as the build compiles LIKE
compile() {
    command=$(sed -n "s|^  \"command\": \"\(.*\) -o [^ ]* -c $SOURCE/$3\",\$|\1|p" "$build/compile_commands.json" |
        sed 's|\\"|"|g')
    [ -n "$command" ] || fail "the build does not compile $3"
    # what the warnings of the build are must not stop: -Werror for all of them
    (cd "$build" && eval "$command -Werror -o '$here/$2' -c '$here/$1'") || fail "$1 does not build"
}
here=$PWD
cmake -D ROOT="$SOURCE" -D EXTRA="$here/folder" -D OUT="$here/registry.c" -P "$SOURCE/cmake/registry.cmake" || fail "registry"
compile folder/algorithms/my_method.c method.o algorithms/gd.c
compile folder/losses/my_loss.c loss.o losses/logistic.c
compile folder/measures/my_measure.c measure.o measures/grad_norm.c
compile folder/generators/my_generator.c generator.o core/data/generators/signs.c
compile registry.c registry.o core/plan/plan.c

# link FOLDER PROGRAM: the build's own, with the new files ahead of the libraries
link() {
    (cd "$build/$1" && eval "$(sed "s| -o [^ ]* | $here/method.o $here/loss.o $here/measure.o $here/generator.o $here/registry.o -o $here/$2 |" \
        "CMakeFiles/$2.dir/link.txt")") || fail "$2 does not link"
}
link . stillpoint
for kind in algorithm audit loss measure; do link tests test_conformance_$kind; done
export STILLPOINT_HOME="$build/share/stillpoint"
for kind in method loss measure generator; do
    ./stillpoint list --plain | grep -qx my_$kind || fail "list does not have my_$kind"
    ./stillpoint list my_$kind | grep -q "^my_$kind (" || fail "describe my_$kind"
    ./stillpoint audit my_$kind || fail "test my_$kind"
done
for name in algorithm/my_method audit/my_method loss/my_loss measure/my_measure; do
    ./test_conformance_${name%/*} ${name#*/} || fail "conformance/$name"
done
./stillpoint audit my_method || fail "audit my_method"
cat >all.lua <<'LUA'
return { seed = 1, replicates = 2, problem = { loss = "my_loss", data = "my_generator", n = 200, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "my_method", steps = 5 } },
         measures = { "my_measure", "excess_risk" } }
LUA
./stillpoint run all.lua --quiet --no-plot || fail "the four of them"
head -1 results/all/runs.tsv | grep -q my_measure || fail "no my_measure"
grep -q 'built in algorithms/my_method' results/all/provenance.tsv || fail "provenance names no file that is built in"

# --- a file's tokens, and those of headers beside it, say whether a run is current
missing() { ./stillpoint status all.lua --plain | awk -F '\t' 'NR == 2 { print $6 }'; }
registry() {
    cmake -D ROOT="$SOURCE" -D EXTRA="$here/folder" -D OUT="$here/registry.c" -P "$SOURCE/cmake/registry.cmake"
    compile registry.c registry.o core/plan/plan.c
    link . stillpoint
}
[ "$(missing)" -eq 0 ] || fail "stale at once: $(./stillpoint status all.lua --plain)"
echo '/* a comment */' >>folder/measures/my_measure.c
registry
[ "$(missing)" -eq 0 ] || fail "a comment makes runs stale"
echo 'enum { MORE = 1 };' >folder/losses/beside.h
registry
[ "$(missing)" -eq 2 ] || fail "another header beside the loss leaves runs current: $(./stillpoint status all.lua --plain)"
./stillpoint list --cite all.lua | grep -qx '% method my_method: ours' || fail "cite"

# --- cite
unset STILLPOINT_HOME
"$STILLPOINT" list --cite "$SOURCE/experiments/jl_glm.lua" >cited.txt || fail "cite"
grep -q '^@software{stillpoint,' cited.txt || fail "Stillpoint is not cited"
grep -q '^@inproceedings{arora2023faster,' cited.txt || fail "jl_glm's paper is not cited"
if grep -q '^@.*{metropolis' cited.txt; then fail "what is not used is cited"; fi
STILLPOINT_HOME=$PWD/none "$STILLPOINT" list --cite mine.lua 2>message.txt && fail "without its files"
grep -q "STILLPOINT_HOME = $PWD/none: no such folder" message.txt || fail "message: $(cat message.txt)"
