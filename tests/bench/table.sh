#!/bin/sh
# table.sh ONE.tsv OTHER.tsv -- the table of docs/reference/speed.md from what all.sh measured on two processors: the figures that
# have a goal in OTHER.tsv, with both medians. Figures of the same name go in their order.
set -eu
awk -F '\t' '
    FNR == 1 { split("", seen); file++; next }
    { key = $1 "\t" $2 "\t" ++seen[$1 "\t" $2] }
    file == 1 { one[key] = $4; next }
    $3 != "" {
        if (!rows++)
            print "| bench | figure | goal | Zen 4 | Intel |\n|---|---|---|---|---|"
        unit = $7 == "times" ? "" : " " $7
        sub(/^ +/, "... ", $2)
        printf "| %s | %s | %s%s | %s | %s |\n", $1, $2, $3, unit, key in one ? one[key] : "-", $4
    }' "${1:?table.sh ONE.tsv OTHER.tsv}" "${2:?table.sh ONE.tsv OTHER.tsv}"
