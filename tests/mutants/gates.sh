#!/bin/sh
# gates.sh ORACLE PROGRAM... -- every refusal of the folder ORACLE for privacy or budget, removed one at a time: one of
# the tests PROGRAM, linked with gate.c, has to fail. Prints which one did. Fails when a removed refusal was missed.
set -eu
oracle=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# the status and the beginning of the message of each sp_refuse, once
awk '
    { text = text $0 " " }
    END {
        while (match(text, /sp_refuse\([^"]*SP_E(PRIVACY|BUDGET), *"[^"]*/)) {
            call = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/^[^"]*"/, "", call)
            sub(/\\$/, "", call) # of a quote in it
            print call
        }
    }' "$oracle"/*.c | sort -u >"$scratch/gates"
for program; do # none fails by itself
    "$program" >/dev/null 2>&1 || { echo "$program fails with every gate closed"; exit 1; }
done
# one line a gate: the test that failed, or missed
xargs -d '\n' -P "$(nproc)" -I '{}' sh -c '
    STILLPOINT_GATE=$1
    export STILLPOINT_GATE
    shift
    for program; do
        if ! timeout 120 "$program" >/dev/null 2>&1; then
            printf "%-28s %s\n" "${program##*/gates_}" "$STILLPOINT_GATE"
            exit
        fi
    done
    printf "%-28s %s\n" missed "$STILLPOINT_GATE"' sh '{}' "$@" <"$scratch/gates" >"$scratch/table"
sort "$scratch/table"
missed=$(grep -c '^missed' "$scratch/table" || true)
echo "$(wc -l <"$scratch/gates") refusals, $missed missed"
[ -s "$scratch/gates" ] && [ "$missed" -eq 0 ]
