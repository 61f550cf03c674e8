#!/bin/sh
# Pipes, devices and folders in the place of files are refused and not waited for; what killed processes left beside a file
# is removed by the next that writes it, and nothing else is.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# refused TEXT WORDS...: ends at once, not with success, and says TEXT.
refused() {
    text=$1
    shift
    code=0
    timeout 120 "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 1 ] || [ $code -eq 2 ] || { cat out.txt >&2; fail "stillpoint $*: exit code $code"; }
    grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "stillpoint $*: does not say '$text'"; }
}

# with FILE: an experiment on this file
with() {
    echo "return { seed = 1, problem = { loss = 'logistic', data = { file = '$1', format = 'csv' } },
        privacy = 'none', algorithms = { { 'gd', steps = 3 } }, measures = { 'grad_norm' } }" >data.lua
}
mkfifo pipe pipe.lua
mkdir folder folder.lua
with /dev/fd/0
sleep 1 | refused '/dev/fd/0: not a regular file' run data.lua
for file in pipe /dev/zero; do
    with "$file"
    refused "$file: not a regular file" run data.lua
    refused "$file: not a regular file" plan data.lua
    refused "$file: not a regular file" plan "$file"
done
with folder
refused 'folder: Is a directory' run data.lua
refused 'pipe.lua: not a regular file' run pipe.lua
refused 'folder.lua: Is a directory' run folder.lua
echo 'return include "pipe.lua"' >includes.lua
refused 'pipe.lua: not a regular file' plan includes.lua

cat >small.lua <<'LUA'
return { seed = 3, replicates = 2, problem = { loss = "pseudo_huber", data = "signs", n = 200, d = 4 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 30 } }, measures = { "grad_norm" } }
LUA
"$STILLPOINT" run small.lua --no-plot --quiet
cd results/small
dead=$(sh -c 'echo $$')
touch runs.tsv.$dead.part cells.tsv.$dead.part skipped.tsv.$dead.part rows.$dead.part summary.tsv.$dead.part
touch runs.tsv.$$.part runs.tsv.$dead runs.tsv.$dead.part.old runs.tsv.x$dead.part other.tsv.$dead.part
exec 9>timings.tsv.$dead.part # held by a living process, on another machine perhaps
flock 9
cd ../..
"$STILLPOINT" export small.lua --quiet || fail "export"
"$STILLPOINT" plot small.lua --quiet || fail "plot"
for gone in runs.tsv cells.tsv skipped.tsv rows summary.tsv; do
    [ ! -e results/small/$gone.$dead.part ] || fail "$gone.$dead.part is left"
done
for kept in runs.tsv.$$.part runs.tsv.$dead runs.tsv.$dead.part.old runs.tsv.x$dead.part other.tsv.$dead.part timings.tsv.$dead.part; do
    [ -e results/small/$kept ] || fail "$kept was removed"
done
exec 9>&-

# What is written goes beside its place and is moved there, which would remove a pipe or a device.
mkfifo pipe.tar
ln -s /dev/null device.tar
for place in pipe.tar device.tar; do
    refused "$place: not a regular file" report small.lua -o $place
    refused "$place: not a regular file" archive small.lua -o $place
done
[ -p pipe.tar ] && [ -c device.tar ] || fail "a pipe or a device is gone"
rm results/small/cells.tsv
mkfifo results/small/cells.tsv
refused 'cells.tsv: not a regular file' plot small.lua
