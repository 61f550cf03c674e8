#!/bin/sh
# table.sh PROGRAM=TEST... -- every mutant and what caught it: which audits, where TEST is unit/mutants, which prints
# that; else TEST, which has to fail. Fails when one was caught by none.
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh -c '
    program=${1%%=*} test=${1#*=}
    if [ "$test" = unit/mutants ]; then
        "$program" >"$program.line" || echo missed >"$program.missed"
    elif timeout 300 "$program" >"$program.line" 2>&1; then
        printf "%s\t-\t%s passes\n" "${program##*/mutant_}" "$test" >"$program.line"
        echo missed >"$program.missed"
    else
        first=$(head -n 1 "$program.line")
        printf "%s\t%s\t%s\n" "${program##*/mutant_}" "$test" "${first##*/}" >"$program.line"
    fi' sh '{}'
missed=0
printf '%-24s %-28s %s\n' mutant 'caught by' 'first finding'
for program in "$@"; do
    program=${program%%=*}
    awk -F '\t' '{ printf "%-24s %-28s %s\n", $1, $2, $3 }' "$program.line"
    [ ! -e "$program.missed" ] || missed=$((missed + 1))
    rm -f "$program.line" "$program.missed"
done
echo "$# mutants, $missed missed"
[ "$missed" -eq 0 ]
