#!/bin/sh
# The rooms of the house, each with the rooms that its files may include. All arrows go down: nothing includes a room
# above its own. CONTRIBUTING.md draws them.
set -eu
cd "$SOURCE"
failures=0

# room FOLDER PATTERN: every project include of a file in FOLDER (not in the folders below it) must match PATTERN.
room() {
    bad=$(find "$1" -maxdepth 1 -name '*.[ch]' -exec grep -Hn '^#include "' {} + | grep -Ev "#include \"($2)" || true)
    if [ -n "$bad" ]; then
        printf '%s may only include %s:\n%s\n' "$1" "$2" "$bad" >&2
        failures=1
    fi
}
base='core/base/'
data="$base|core/data/"
engine="$data|losses/loss\\.h|losses/engine/"
optimum="$engine|losses/optimum/"
accountant="$base|core/accountant/"
oracle="$engine|core/accountant/|core/oracle/"
method='algorithms/algorithm\.h'
lua="$base|core/oracle/oracle\\.h|$method|core/lua/"
plan="$lua|$oracle|measures/measure\\.h|core/plan/"
run="$plan|$optimum|core/run/"
store="$run|core/store/"
sweep="$store|core/sweep/"
evidence="$base|core/plan/claim\\.h|core/evidence/"
figures="$evidence|core/plan/|measures/measure\\.h|core/figures/"
room core/base "$base"
room core/data "$data"
room core/data/generators "$data"
room losses "$base|losses/loss\\.h|losses/engine/(extremum|sigmoid)\\.h" # what a newcomer needs, and no more
room losses/regularisers "$base|losses/loss\\.h"
room losses/engine "$engine"
room losses/optimum "$optimum"
room losses/certify "$optimum|losses/certify/"
room core/accountant "$accountant"
room core/oracle "$oracle"
room algorithms "$base|$method|core/oracle/oracle\\.h|algorithms/parts/"
room algorithms/parts "$base|$method|algorithms/parts/"
room measures "$optimum|measures/"
room core/lua "$lua"
room core/plan "$plan|$optimum"
room core/run "$run"
room core/store "$store"
room core/sweep "$sweep"
room core/audit "$plan|losses/certify/|core/audit/"
room core/evidence "$evidence"
room core/figures "$figures"
everything="$sweep|$figures|losses/certify/|core/audit/|core/cli/"
room core/cli "$everything"
room core/cli/verbs "$everything"

# Every folder with sources is a room above.
for folder in $(find core losses algorithms measures -name '*.[ch]' -exec dirname {} + | sort -u); do
    grep -q "^room $folder " "$0" || { echo "$folder is no room of this test" >&2; failures=1; }
done
# Methods, and what they share, see algorithm.h, the shared parts and core/base alone; and what algorithm.h brings must
# not lead to the records or the losses.
for file in algorithms/*.c algorithms/parts/*.[ch]; do
    grep -H '^#include "' "$file" | grep -Ev '"(algorithms/(algorithm|parts/[a-z_]+)|core/base/[a-z_]+)\.h"' && failures=1
done
if grep -Hn '^#include "' algorithms/algorithm.h core/oracle/oracle.h |
    grep -E '"(losses/|core/data/dataset|core/oracle/oracle_host)'; then
    failures=1
fi
# Only core/oracle draws noise.
if grep -rln 'core/oracle/noise\.h' --include='*.[ch]' core algorithms losses measures | grep -v '^core/oracle/'; then
    echo "noise.h is for core/oracle/ alone" >&2
    failures=1
fi
[ $failures -eq 0 ] && echo "the rooms hold"
exit $failures
