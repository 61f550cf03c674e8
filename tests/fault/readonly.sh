#!/bin/sh
# Results in a folder that may only be read: what reads works, what writes says why it cannot, and nothing changes.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# Permissions do not bind root: then nobody asks.
as=
[ "$(id -u)" -ne 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'

mkdir -p 'a 100%?#'
cd 'a 100%?#'
cat >small.lua <<'LUA'
return { seed = 3, replicates = 2, problem = { loss = "pseudo_huber", data = "signs", n = 200, d = 4 },
         privacy = { epsilon = { 1, 2 }, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 30 } },
         measures = { "grad_norm" } }
LUA
$as "$STILLPOINT" plan small.lua >/dev/null 2>&1 || { echo "skipped: another user may not come into this folder"; exit 77; }
"$STILLPOINT" run small.lua --no-plot --quiet || fail "run"
chmod -R a-w results
$as test ! -w results/small || fail "the folder is writable"
ls -l results/small >before.txt
$as "$STILLPOINT" status small.lua >out.txt || { cat out.txt >&2; fail "status"; }
$as "$STILLPOINT" plan small.lua | grep -q '4 runs: 4 done' || fail "plan"
run=$(awk -F '\t' 'NR == 2 { print $1 }' results/small/runs.tsv)
$as "$STILLPOINT" run --rerun small.lua "$run" >out.txt || { cat out.txt >&2; fail "rerun"; }
for verb in run export; do
    code=0
    $as "$STILLPOINT" $verb small.lua >out.txt 2>&1 || code=$?
    [ $code -ne 0 ] || fail "$verb wrote into a folder that may only be read"
    grep -q 'Permission denied' out.txt || { cat out.txt >&2; fail "$verb does not say why"; }
done
ls -l results/small | cmp - before.txt || fail "the folder changed"
# What a merge that was killed left behind says that the file may be half written: it is not read as it is.
chmod u+w results/small
printf 'no journal that SQLite knows, but one' >results/small/store.sqlite-journal
chmod a-w results/small
code=0
$as "$STILLPOINT" status small.lua >out.txt 2>&1 || code=$?
[ $code -ne 0 ] || { cat out.txt >&2; fail "a store with a journal beside it is read as whole"; }
chmod u+w results/small
rm -f results/small/store.sqlite-journal
chmod -R u+w results
