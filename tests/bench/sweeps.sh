#!/bin/sh
# sweeps.sh BUILD [OUT.tsv] -- whole sweeps by the program in BUILD against the program of an earlier commit, which is
# built beside it with the same compiler and type of build. In turn, each from an empty folder, `run --no-plot` on all
# processors: the ratio of their times on the clock on the wall, as lines of all.sh's table (default: BUILD/sweeps.tsv).
# Half an hour on two cores; nothing else should run.
#
# Each program runs its own commit's experiment: a remark says where the file differs, and a figure of its own how much
# the methods asked for (gradients and differences of records), so that a ratio of times can be told apart into less
# work and faster work. results/ and the user's cache are left alone.
#
# COMMIT: the earlier one (default 2872a8d). SWEEPS: which experiments. ROUNDS: how often (default 3). SCALE: another
# than the default. A sweep whose data sets are neither in STILLPOINT_DATA nor among the downloads of
# `stillpoint data fetch` is left out.
set -eu
build=$(cd "${1:?sweeps.sh BUILD [OUT.tsv]}" && pwd)
out=${2:-$build/sweeps.tsv}
commit=${COMMIT:-2872a8d}
sweeps=${SWEEPS:-quickstart ijcnn1}
downloads=${STILLPOINT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stillpoint}/downloads
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
jobs=$(getconf _NPROCESSORS_ONLN)

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
source=$(cached CMAKE_HOME_DIRECTORY)
echo "building $commit ..." >&2
mkdir "$scratch/source"
git -C "$source" archive "$commit" | tar -x -C "$scratch/source"
if ! { cmake -S "$scratch/source" -B "$scratch/build" -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" \
           -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_C_FLAGS="$(cached CMAKE_C_FLAGS)" &&
       cmake --build "$scratch/build" --parallel "$jobs" --target stillpoint; } >"$scratch/log" 2>&1; then
    tail -20 "$scratch/log" >&2
    exit 1
fi

# program old | new, experiment, folder, scale
run() {
    case $1 in
        old) binary=$scratch/build/stillpoint from=$scratch/source ;;
        new) binary=$build/stillpoint from=$source ;;
    esac
    mkdir -p "$3"
    STILLPOINT_CACHE=$scratch/cache.$1 "$binary" run --quiet --no-fetch --no-plot --jobs="$jobs" --scale="$4" \
        --root="$3" "$from/experiments/$2.lua" >&2
}

# seconds of a run like that
seconds() {
    start=$(date +%s.%N)
    run "$@"
    echo "$start $(date +%s.%N)" | awk '{ printf "%.3f", $2 - $1 }'
}

# The folder with the tables of a run: gradients and differences of records that the methods asked for, and runs. They
# are columns of runs.tsv at first, later of cells.tsv, whose rows it names by their number.
work() {
    cells=$1/cells.tsv
    [ -e "$cells" ] || cells=/dev/null
    awk -F '\t' '
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
        FILENAME ~ /cells.tsv$/ { asked[$at["cell"]] = $at["gradients"] + $at["differences"]; next }
        { runs++; sum += "gradients" in at ? $at["gradients"] + $at["differences"] : asked[$at["cell"]] }
        END { printf "%.17g %d\n", sum, runs }' "$cells" "$1/runs.tsv"
}

# figure, goal, unit; a value a line: median and quartiles as bench.h takes them
line() {
    sort -g | awk -v figure="$1" -v goal="$2" -v unit="$3" '
        { value[NR - 1] = $1 }
        END {
            median = value[int(NR / 2)]
            printf "sweeps\t%s\t%s\t%.4g\t%.4g\t%.4g\t%s\t%s\n", figure, goal == "" ? "" : "<= " goal, median,
                value[int(NR / 4)], value[NR - 1 - int(NR / 4)], unit,
                goal == "" ? "-" : median <= goal ? "met" : "missed"
        }'
}

for program in old new; do
    mkdir -p "$scratch/cache.$program/downloads"
    if [ -d "$downloads" ]; then
        cp -r "$downloads/." "$scratch/cache.$program/downloads/"
    fi
done
printf 'bench\tfigure\tgoal\tmedian\tlow\thigh\tunit\tverdict\n' >"$scratch/all"
for sweep in $sweeps; do
    goal=
    case $sweep in
        quickstart | ijcnn1) goal=.65 ;;
    esac
    scale=${SCALE:-default}
    name=$sweep
    [ "$scale" = default ] || name=$sweep.$scale goal=
    cmp -s "$source/experiments/$sweep.lua" "$scratch/source/experiments/$sweep.lua" ||
        echo "$sweep.lua has changed since $commit: each program runs its own" >&2
    for program in old new; do # which brings the data into the cache, or says what is not here
        run "$program" "$sweep" "$scratch/first.$program" smoke
    done
    skipped=$scratch/first.new/results/$sweep.smoke/skipped.tsv
    if [ -e "$skipped" ]; then
        echo "skipped: $sweep: $(awk -F '\t' 'NR == 2 { print $NF }' "$skipped")" >&2
        continue
    fi
    for round in $(seq "${ROUNDS:-3}"); do
        rm -rf "$scratch/old" "$scratch/new"
        old=$(seconds old "$sweep" "$scratch/old" "$scale")
        new=$(seconds new "$sweep" "$scratch/new" "$scale")
        echo "$sweep, round $round: $old s at $commit, now $new s" >&2
        echo "$old $new" >>"$scratch/$sweep"
    done
    asked=$(work "$scratch/new/results/$name") before=$(work "$scratch/old/results/$name")
    [ "${asked#* }" = "${before#* }" ] || echo "$sweep: ${asked#* } runs, at $commit ${before#* }" >&2
    {
        awk '{ print $2 / $1 }' "$scratch/$sweep" | line "$name: wall time / at $commit" "$goal" times
        awk '{ print $2 }' "$scratch/$sweep" | line "$name: wall time" "" s
        awk '{ print $1 }' "$scratch/$sweep" | line "$name: wall time at $commit" "" s
        echo "$asked $before" | awk '{ print $1 / $3 }' | line "$name: what its methods ask for / at $commit" "" times
    } >>"$scratch/all"
done
cp "$scratch/all" "$out"

awk -F '\t' '{
    printf "%-11s %-66s %9s %10s  [%s, %s] %s  %s\n", $1, $2, $3, $4, $5, $6, $7, $8 == "-" ? "" : $8 }' "$out"
