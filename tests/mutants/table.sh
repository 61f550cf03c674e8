#!/bin/sh
# table.sh PROGRAM... -- every mutant and which audits caught it. Fails when one was caught by none.
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh -c '"{}" > "{}.line" || echo missed > "{}.missed"'
missed=0
printf '%-20s %-28s %s\n' mutant 'caught by' 'first finding'
for program in "$@"; do
    awk -F '\t' '{ printf "%-20s %-28s %s\n", $1, $2, $3 }' "$program.line"
    [ ! -e "$program.missed" ] || missed=$((missed + 1))
    rm -f "$program.line" "$program.missed"
done
echo "$# mutants, $missed missed"
[ "$missed" -eq 0 ]
