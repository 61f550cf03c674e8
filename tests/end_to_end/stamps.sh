#!/bin/sh
# Hashes of sources and `verify --stamp` in a copy of the checkout: an edited comment changes nothing, a renamed identifier
# makes runs stale until a stamp is written, and a changed constant is refused with the field that differs.
set -eu
. "$SOURCE/tests/copy.sh"
fail() { echo "FAILED: $*" >&2; cat out.txt message.txt >&2 || true; exit 1; }

# edit SED-SCRIPT FILE, commit, build
edit() {
    sed -i "$1" "tree/$2"
    git -C tree diff --quiet && fail "the edit of $2 changes nothing"
    git -C tree -c user.name=test -c user.email=test commit -q -a -m "$1"
    build_again
}
run() { tree/build/stillpoint run root/experiments/"$1".lua --root root --no-plot --no-audit --quiet >out.txt 2>message.txt; }
# how many runs are stale
stale() { tree/build/stillpoint status root/experiments/mine.lua --root root | awk '$1 ~ /^main\// { sum += $5 } END { print sum }'; }
# stamp CODE WORDS...: exit code
stamp() {
    expected=$1 code=0
    shift
    tree/build/stillpoint verify --stamp --root root --jobs 2 "$@" >out.txt 2>message.txt || code=$?
    [ $code -eq "$expected" ] || fail "verify --stamp $*: code $code"
}
# field KIND NAME COLUMN of stamps.tsv
field() { awk -F '\t' -v kind="$1" -v name="$2" -v column="$3" '$1 == kind && $2 == name { print $column }' root/results/stamps.tsv; }

copy_tree
git -C tree init -q
git -C tree add -A
git -C tree -c user.name=test -c user.email=test commit -q -m "the sources"
configure
build_again
mkdir -p root/experiments
cat >root/experiments/mine.lua <<'LUA'
return {
  question = "the same after an edit?", seed = 7, replicates = 3,
  problem = { loss = "logistic", data = "logistic", n = { 200, 400 }, d = 3 },
  privacy = { epsilon = 1, delta = 1e-5 },
  algorithms = { { "dp_gd", steps = 5 }, { "gd", steps = 5 }, { "warm_start", first = { "dp_gd", steps = 3 }, second = { "dp_sgd" } } },
  measures = { "grad_norm", "excess_risk" },
}
LUA
sed 's/"dp_gd", steps = 5 }, /"dp_ngd" }, /; s/, { "warm_start.*} }/ }/' root/experiments/mine.lua >root/experiments/other.lua
run mine || fail "run"
run other || fail "run of the other"
cp -R root/results kept
[ "$(stale)" = 0 ] || fail "fresh runs are stale"
stamp 0 # there is nothing to do
[ ! -e root/results/stamps.tsv ] || fail "stamps of nothing"

# --- a comment
hashes() { grep '^    { "' tree/build/generated/registry.c; }
hashes >before.txt
edit '1s|.*|/* Another comment, in other words,|; s|  *//.*||' algorithms/dp_gd.c
hashes | cmp - before.txt || fail "an edited comment changes a hash"
[ "$(stale)" = 0 ] || fail "an edited comment makes runs stale"

# --- an identifier
sed -i 's/\bmultiplier\b/of_sensitivity/g' tree/algorithms/dp_gd.c
build_again
[ "$(stale)" = 12 ] || fail "a renamed identifier: $(stale) stale"
stamp 2 # it is not committed
[ ! -e root/results/stamps.tsv ] || fail "a stamp of what is not committed"
edit 's/\bdouble value\b/double its_value/' core/base/text.h # a core that is another one, with the same program
[ "$(stale)" = 18 ] || fail "another core: $(stale) stale"
stamp 2 mine
stamp 0
new=$(git -C tree rev-parse HEAD)
for kind in core algorithm; do
    name=; [ $kind = core ] && name=- || name=dp_gd
    [ "$(field $kind $name 7)" = "$new" ] || fail "no stamp of $kind $name by $new"
    [ "$(field $kind $name 6)" = 30 ] || fail "the sample of $kind $name"
done
[ "$(field core - 5)" = 30 ] && [ "$(field algorithm dp_gd 5)" = 6 ] || fail "how many runs carry the hashes"
[ "$(field algorithm warm_start 5)" = 6 ] || fail "a method around the one that was edited"
[ "$(field algorithm dp_gd 3)" != "$(field algorithm dp_gd 4)" ] || fail "old and new hash"
grep -q 'all 30 ' out.txt || fail "what the sample shows"
[ "$(stale)" = 0 ] || fail "stamped, and $(stale) are stale"
cp root/results/stamps.tsv first.tsv
run mine || fail "run of what is stamped"
cmp root/results/mine/runs.tsv kept/mine/runs.tsv || fail "other tables"
cmp root/results/mine/keys.tsv kept/mine/keys.tsv || fail "a run that is stamped was made again"
mv root/results/mine kept/local
cp -R kept/mine root/results/mine
rm -f root/results/mine/store.sqlite*
tree/build/stillpoint merge root/experiments/mine.lua kept/mine --root root >out.txt 2>message.txt || fail "merge"
[ "$(stale)" = 0 ] || fail "merged from tables: $(stale) are stale"

# --- another one: stamps are a chain
edit 's/\bof_sensitivity\b/ratio/g' algorithms/dp_gd.c
[ "$(stale)" = 12 ] || fail "renamed once more: $(stale) stale"
stamp 0
[ "$(field algorithm dp_gd 4 | sort -u | wc -l)" = 2 ] || fail "the second stamp"
[ "$(stale)" = 0 ] || fail "stamped twice, and $(stale) are stale"

# --- a constant
cp root/results/stamps.tsv second.tsv
edit 's/-eta, g, 1, w/-1.0009765625 * eta, g, 1, w/' algorithms/dp_gd.c
[ "$(stale)" = 12 ] || fail "a changed constant: $(stale) stale"
stamp 1
cmp root/results/stamps.tsv second.tsv || fail "a changed constant is stamped"
grep -q '^DIFFERS  run [0-9a-f]* (mine: main/dp_gd, .*): [a-z_]* = ' out.txt || fail "the field that differs"
grep -q '^not stamped: algorithm dp_gd ' out.txt || fail "the hash that is not stamped"
[ "$(stale)" = 12 ] || fail "a changed constant, and $(stale) are stale after the refusal"

# --- tables that do not say by what they were made
edit 's/-1.0009765625 \* eta, g, 1, w/-eta, g, 1, w/' algorithms/dp_gd.c
[ "$(stale)" = 0 ] || fail "back again, and $(stale) are stale"
mv root/results/other/keys.tsv keys.tsv
sed -i "/^table.keys.tsv/d" root/results/other/SEAL
stamp 0
[ "$(field keys other 5)" -ge 2 ] || fail "no stamp of the tables without keys"
awk -F '\t' 'NR == FNR { key[$1 "\t" $2] = $3 $4; next } { n++; if (!(($1 "\t" $2) in key)) exit 1 } END { exit n == 0 }' \
    root/results/other/keys.tsv keys.tsv || fail "keys.tsv has other cells"
rm root/results/other/store.sqlite*
cp -R root/results/other other
grep -q "^table.keys.tsv" other/SEAL || fail "keys.tsv is not sealed"
tree/build/stillpoint merge root/experiments/other.lua other --root root >out.txt 2>message.txt || fail "merge of the other"
grep -q '12 .*run' out.txt || fail "no run was brought"
tree/build/stillpoint status root/experiments/other.lua --root root | awk '$1 ~ /^main\// && $5 + $6 > 0 { exit 1 }' ||
    fail "the runs of tables with a stamped keys.tsv are stale"
