#!/bin/sh
# all.sh BUILD [OUT.tsv] -- every bench of a release build (`cmake --build BUILD --target bench`), one after the other:
# their figures into one TSV (default: BUILD/bench.tsv), and as a table. Runs for some minutes; nothing else should.
# STILLPOINT_DATA: the folder with covtype.libsvm.binary.scale.bz2, without which the reader is left out. PYTHON: an
# interpreter with NumPy, and with PyTorch and Opacus if they are to be met, if it is not Debian's. SWEEPS: experiments
# that sweeps.sh is to time as a whole; none unless they are named.
set -eu
build=${1:?all.sh BUILD [OUT.tsv]}
out=${2:-$build/bench.tsv}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bench=$(cd "$(dirname "$0")" && pwd)
covtype=${STILLPOINT_DATA:-.}/covtype.libsvm.binary.scale.bz2

printf 'bench\tfigure\tgoal\tmedian\tlow\thigh\tunit\tverdict\n' >"$scratch/all"
for program in "$build"/tests/bench_*; do
    name=${program##*bench_}
    set --
    if [ "$name" = reader ]; then
        if [ ! -f "$covtype" ]; then
            echo "skipped: reader: $covtype is not there" >&2
            continue
        fi
        bunzip2 -c "$covtype" >"$scratch/covtype.libsvm"
        set -- "$scratch/covtype.libsvm"
    fi
    echo "$name ..." >&2
    program=$(cd "${program%/*}" && pwd)/bench_$name
    (cd "$scratch" && STILLPOINT_CACHE=$scratch/cache "$program" "$@") >"$scratch/one" || echo "$name failed" >&2
    awk -v OFS='\t' -v name="$name" '/\t/ { print name, $0; next } { print >"/dev/stderr" }' \
        "$scratch/one" >>"$scratch/all"
done
if [ -n "${SWEEPS:-}" ]; then
    if sh "$bench/sweeps.sh" "$build" "$scratch/sweeps" >/dev/null; then
        tail -n +2 "$scratch/sweeps" >>"$scratch/all"
    else
        echo "sweeps failed" >&2
    fi
fi
cp "$scratch/all" "$out"

awk -F '\t' '{
    printf "%-11s %-66s %9s %10s  [%s, %s] %s  %s\n", $1, $2, $3, $4, $5, $6, $7, $8 == "-" ? "" : $8 }' "$out"
