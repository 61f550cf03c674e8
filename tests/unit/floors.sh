#!/bin/sh
# The floors of the house: base < data < losses < privacy < algorithms; measures stand on losses; the runner on all. No file
# includes a floor above its own; algorithms include nothing of the data, the losses or the oracle's host side.
set -eu
cd "$SOURCE"
failures=0

# allowed FOLDER PATTERN: every project include in FOLDER must match PATTERN.
allowed() {
    bad=$(find "$1" -name '*.[ch]' -exec grep -Hn '^#include "' {} + | grep -Ev "#include \"($2)[^\"]*\"" || true)
    if [ -n "$bad" ]; then
        printf '%s may only include %s:\n%s\n' "$1" "$2" "$bad" >&2
        failures=1
    fi
}
base='core/base/'
data="$base|core/data/"
losses="$data|losses/"
allowed core/base "$base"
allowed core/data "$data"
allowed losses "$losses"
allowed core/privacy "$losses|core/privacy/|algorithms/algorithm\\.h"
allowed measures "$losses|measures/"
allowed core/runner "$losses|core/privacy/|algorithms/algorithm\\.h|measures/|core/runner/"

# Losses and algorithms see only what a newcomer needs.
for file in losses/*.c losses/regularisers/*.c; do
    grep -H '^#include "' "$file" | grep -Ev '"(losses/loss\.h|core/base/[a-z_]+\.h)"' && failures=1
done
for file in algorithms/*.c; do
    grep -H '^#include "' "$file" | grep -Ev '"(algorithms/algorithm\.h|core/base/[a-z_]+\.h)"' && failures=1
done
# What algorithm.h brings must not lead to the records or the losses.
if grep -Hn '^#include "' algorithms/algorithm.h core/privacy/oracle.h | grep -E '"(losses/|core/data/dataset|core/privacy/oracle_host)'; then
    failures=1
fi
# Only core/privacy draws noise.
if grep -rln 'core/privacy/noise\.h' --include='*.[ch]' core algorithms losses measures | grep -v '^core/privacy/'; then
    echo "noise.h is for core/privacy/ alone" >&2
    failures=1
fi
[ $failures -eq 0 ] && echo "floors hold"
exit $failures
