#!/bin/sh
# joined.sh FOLDER -- runs.tsv of a results folder, each row with the columns of its cell behind its own.
awk -F '\t' -v OFS='\t' '
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "cell") key = i }
    { cell = $key; rest = "" }
    FNR == NR { for (i = 1; i <= NF; i++) if (i != key) rest = rest OFS $i; of[cell] = rest; next }
    { print $0 of[cell] }' "$1/cells.tsv" "$1/runs.tsv"
