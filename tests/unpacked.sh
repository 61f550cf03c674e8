#!/bin/sh
# unpacked.sh ROOT TO: what is in ROOT/results, copied to TO/results with every table unpacked, for scripts that read them as they lie.
set -eu
mkdir -p "$2"
cp -RL "$1/results" "$2/"
find "$2/results" -name '*.tsv.gz' -exec gzip -df {} +
