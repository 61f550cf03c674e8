#!/bin/sh
# The rooms of the house, each with the rooms that its files may include. All arrows go down: nothing includes a room
# above its own. CONTRIBUTING.md draws them. And what methods may reach: nothing of the records, the noise, the clock or
# the machine but by the oracle.
#
# Includes are read twice: in the sources, where the name has to stand in quotes, or between <> that of a library; and
# in the compiler's own lists of what went into each object of the build that STILLPOINT is in, which no way of writing
# an include escapes. A file may see what its room may include, and what that includes. What methods call is what their
# objects leave undefined, and so is what a library needs of those that it is linked with.
set -eu
cd "$SOURCE"
build=$(CDPATH= cd "$(dirname "${STILLPOINT:-$SOURCE/build/release/stillpoint}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# found TEXT LINES: LINES, if any, are a failure, of which TEXT says what it is
found() {
    [ -z "$2" ] || { printf '%s:\n%s\n' "$1" "$2" >&2; failures=1; }
}

# includes FILE...: every line that includes something, after the file's name and its number
includes() { grep -HnE '^[[:space:]]*(#|%:|\?\?=)[[:space:]]*include' "$@" || true; }

library='#include <(((Random123|curl|gnu|gsl|nettle|sys)/)?[A-Za-z0-9_.-]+\.h)>'

# room FOLDER PATTERN: every project include of a file in FOLDER (not in the folders below it) must match PATTERN.
room() {
    printf '%s\t%s\n' "$1" "$2" >>"$scratch/rooms"
    found "$1 may only include $2" \
        "$(includes $(find "$1" -maxdepth 1 -name '*.[ch]') | grep -Ev ":(#include \"($2)|$library)" || true)"
}
base='core/base/'
numeric="$base|core/numeric/"
may_include() { sed -n "s|^$1 ||p" cmake/may_include.txt; } # for what is built in as well
shared=$(may_include algorithms | sed 's/|algorithms.*//') # what methods may use
data="$numeric|core/data/"
read="$data|core/data/read/"
engine="$data|losses/loss\\.h|losses/engine/"
optimum="$engine|losses/optimum/"
accountant="$base|core/accountant/"
oracle="$engine|core/accountant/|core/oracle/"
method='algorithms/algorithm\.h'
methods="$numeric|core/oracle/oracle\\.h|$method|core/lua/|core/methods/"
schema="$base|core/accountant/accountant\\.h|core/schema/"
plan="$method|core/lua/|$oracle|$read|measures/measure\\.h|core/methods/(external|lua_methods)\\.h|$schema|core/problem/|core/plan/"
run="$plan|$optimum|core/run/"
store="$run|core/audit/audit\\.h|core/store/"
export="$store|core/export/"
sweep="$store|core/sweep/"
stats="$numeric|core/schema/|core/stats/"
rates="$stats|core/rates/"
contest="$stats|core/contest/"
figures="$rates|$contest|core/plan/|measures/measure\\.h|core/figures/"
report="$figures|$method|core/report/"
session="$sweep|$export|$rates|core/figures/figures\\.h|core/session/"
cluster="$session|core/cluster/"
room core/base "$base"
room core/numeric "$numeric"
room core/data "$data"
room core/data/read "$read"
room core/data/generators "$(may_include core/data/generators)"
room losses "$(may_include losses)" # what a newcomer needs, and no more
room losses/regularisers "$(may_include losses/regularisers)"
room losses/engine "$engine"
room losses/optimum "$optimum"
room losses/certify "$optimum|losses/certify/"
room core/accountant "$accountant"
room core/oracle "$oracle"
room core/oracle/mechanisms "$oracle"
room algorithms "$(may_include algorithms)"
room algorithms/parts "$shared|$method|algorithms/parts/"
room measures "$(may_include measures)"
room core/lua "$base|core/lua/"
room core/methods "$methods"
room core/schema "$schema"
# Not untied yet: the two headers of the plan, whose reading of an experiment it shares.
room core/problem "$method|core/lua/|$read|core/methods/external\\.h|core/problem/|core/plan/(plan_internal|registry)\\.h"
room core/plan "$plan|$optimum"
room core/run "$run"
room core/store "$store"
room core/export "$export"
room core/sweep "$sweep"
room core/cluster "$cluster"
room core/audit "$plan|losses/certify/|core/audit/|losses/optimum/reference\\.h"
room core/stats "$stats"
room core/rates "$rates"
room core/contest "$contest"
room core/figures "$figures"
room core/report "$report"
everything="$cluster|$report|losses/certify/|core/audit/|core/cli/"
room core/session "$session"
room core/cli "$everything"
room core/cli/verbs "$everything"
room core/cli/print "$everything"
room core/cli/manual "$everything"

# Every folder with sources is a room above.
for folder in $(find core losses algorithms measures -name '*.[ch]' -exec dirname {} + | sort -u); do
    grep -q "^room $folder " "$0" || { echo "$folder is no room of this test" >&2; failures=1; }
done
# What algorithm.h brings must not lead to the records or the losses.
found "what algorithm.h brings" "$(includes algorithms/algorithm.h core/oracle/oracle.h |
    grep -E '"(losses/|core/data/dataset|core/oracle/oracle_host)' || true)"
# Only core/oracle draws noise.
found "noise.h is for core/oracle/ alone" \
    "$(grep -rln 'core/oracle/noise\.h' --include='*.[ch]' core algorithms losses measures |
        grep -v '^core/oracle/' || true)"

# --- what the compiler read ------------------------------------------------------------------------------------------
[ -d "$build/CMakeFiles" ] || { echo "no build in $build" >&2; exit 1; }
: >"$scratch/edges"
find core losses algorithms measures -name '*.h' | while read -r header; do
    sed -nE "s|^#include \"([^\"]+)\".*|$header\t\1|p" "$header" >>"$scratch/edges"
done
# Rooms of CMakeLists.txt: ROOM FOLDER... LINK LIBRARY...
tr '\n' ' ' <CMakeLists.txt | sed -E 's/\)/)\n/g' |
    sed -nE 's/.*stillpoint_room\(([a-z_]+) FOLDERS ([^)]*)\)/\1 \2/p' >"$scratch/libraries"
folders=$(awk '{ for (i = 2; $i != "LINK"; i++) printf " sp_%s:%s ", $1, $i }' "$scratch/libraries")
# of objects of today's libraries that are as new as their sources: file, what it includes, both from the checkout on, without ..
find "$build/CMakeFiles" -name '*.c.o.d' | while read -r list; do
    source=${list#"$build"/CMakeFiles/sp_*.dir/}
    source=${source%.o.d}
    library=${list#"$build"/CMakeFiles/}
    case $folders in *" ${library%%.dir/*}:${source%/*} "*) ;; *) continue ;; esac
    [ "$source" -ot "$list" ] || continue
    tr ' \\' '\n\n' <"$list" | sed -n -E -e '/:$/d' -e "s|^[^/]|$build/&|" -e 's|/\./|/|g' \
        -e ':up' -e 's|/[^/.][^/]*/\.\./|/|' -e 't up' -e "s|^$PWD/|$source\t|p"
done | sort -u >"$scratch/read"
lists=$(cut -f 1 "$scratch/read" | sort -u | wc -l)
[ "$lists" -gt 0 ] || { echo "no object in $build is as new as its source" >&2; exit 1; }
found 'what the compiler read, and its room may not include' "$(awk -F '\t' '
    function allow(header,   i, n, next_one) { # and what it includes itself, as it is written there
        if (header in allowed)
            return
        allowed[header] = 1
        n = split(brings[header], next_one, "\n")
        for (i = 1; i < n; i++)
            allow(next_one[i])
    }
    FILENAME ~ /rooms$/ { pattern[$1] = $2; next }
    FILENAME ~ /edges$/ { brings[$1] = brings[$1] $2 "\n"; headers[$1]; next }
    {
        folder = $1
        sub(/\/[^\/]*$/, "", folder)
        if (!(folder in pattern) || $2 == $1)
            next
        if (folder != room) { # lists are sorted
            room = folder
            for (h in allowed)
                delete allowed[h]
            for (h in headers)
                if (h ~ "^(" pattern[folder] ")")
                    allow(h)
        }
        if (!($2 in allowed) && $2 !~ "^(" pattern[folder] ")")
            print $1 ": " $2
    }' "$scratch/rooms" "$scratch/edges" "$scratch/read")"

# --- what methods call ---------------------------------------------------------------------------------------------
# Their own, the oracle's and the domain's calls, what they may use of base, CBLAS, LAPACKE, and of the C library and
# GSL what computes; and what a sanitizer or a coverage build adds.
objects=$build/libsp_algorithms.a
{
    nm "$objects" 2>/dev/null | awk 'NF == 3 { print $3 }'
    sed -E 's|/\*.*||; s|^ \*.*||' algorithms/algorithm.h core/oracle/oracle.h core/data/domain.h \
        $(find core/base core/numeric -name '*.h' | grep -E "^$shared\$") | grep -oE 'sp_[a-z0-9_]+(\(|\[)' | tr -d '(['
    echo sp_stream_step # of the coins
} | sort -u >"$scratch/may"
nm -A "$objects" 2>/dev/null | awk '$(NF - 1) == "U" { print $NF "\t" $1 }' | sort -u >"$scratch/calls"
[ -s "$scratch/calls" ] || { echo "no $objects" >&2; exit 1; }
may_too="$(cat <<'END' | tr '\n' '|'
cblas_.*
LAPACKE_.*
gsl_(pow_.*|rng_(get|uniform|uniform_pos|uniform_int))
free|mem(cpy|move|set|cmp)|str(cmp|len|chr|ncmp)|snprintf|qsort
fma|fmin|fmax|fabs|floor|ceil|round|rint|nearbyint|trunc|sqrt|ldexp|frexp|copysign
_GLOBAL_OFFSET_TABLE_|__(asan|ubsan|gcov|sanitizer|llvm|stack_chk)_.*
END
)__[a-z]*_chk"
found 'methods may not call' "$(awk -F '\t' 'NR == FNR { may[$1]; next } !($1 in may) { print $2 " " $1 }' \
    "$scratch/may" "$scratch/calls" | grep -Ev " ($may_too)\$" || true)"
found 'methods may not reach the machine by' \
    "$(grep -nE '\<(asm|__asm__|__asm|volatile|_Thread_local)\>|__builtin_' algorithms/*.[ch] algorithms/parts/*.[ch] ||
        true)"
if ! grep -qE '^__(asan|gcov|llvm)_' "$scratch/calls"; then
    found 'methods have no statics that change' \
        "$(nm -A --format=sysv "$objects" 2>/dev/null |
            grep -E '\|(\.bss|\.data|\*COM\*|\.tbss|\.tdata)[[:space:]]*$' || true)"
fi
# Noise is drawn by objects of core/oracle alone.
sed -nE 's/^[a-z].* \*?(sp_noise_[a-z_]+)\(.*/\1/p' core/oracle/noise.h | sort -u >"$scratch/noise"
[ -s "$scratch/noise" ] || { echo "noise.h declares nothing" >&2; exit 1; }
for library in "$build"/libsp_*.a; do
    [ "${library##*/}" = libsp_oracle.a ] ||
        nm -A "$library" 2>/dev/null | awk '$(NF - 1) == "U" { print $NF "\t" $1 }'
done | sort -u >"$scratch/drawn"
found 'noise is for core/oracle/ alone' \
    "$(awk -F '\t' 'NR == FNR { noise[$1]; next } $1 in noise { print $2 " " $1 }' "$scratch/noise" "$scratch/drawn")"

# --- what libraries link with -----------------------------------------------------------------------------------------
# Each sp_ symbol that a library leaves undefined is defined in a library that CMakeLists.txt has it link with, or that
# one of those links with. A library that needs one above it would still link, because the program brings both.
cut -d ' ' -f 1 "$scratch/libraries" | while read -r room; do
    nm "$build/libsp_$room.a" 2>/dev/null | awk -v room="$room" '
        NF == 3 && $2 ~ /[A-Z]/ && $3 ~ /^sp_/ { print room "\t" $3 "\tdefined" }
        NF == 2 && $1 == "U" && $2 ~ /^sp_/ { print room "\t" $2 "\tneeded" }'
done | sort -u >"$scratch/symbols"
found 'what a library needs, and does not link with' "$(awk '
    FILENAME ~ /libraries$/ { links[$1] = $0; next }
    $3 == "defined" { defined[$2, $1]; home[$2] = $1; next }
    { needs[++count] = $1 SUBSEP $2 }
    function reaches(room, symbol,   i, n, below) {
        if ((symbol, room) in defined)
            return 1
        n = split(links[room], below, " ")
        for (i = 2; i <= n; i++)
            if (sub(/^sp_/, "", below[i]) && reaches(below[i], symbol))
                return 1
        return 0
    }
    END {
        for (i = 1; i <= count; i++) {
            split(needs[i], need, SUBSEP)
            if (!reaches(need[1], need[2]))
                print need[1] ": " need[2] " of " (need[2] in home ? home[need[2]] : "no library")
        }
    }' "$scratch/libraries" "$scratch/symbols")"

[ $failures -eq 0 ] && echo "the rooms hold, in $lists objects too"
exit $failures
