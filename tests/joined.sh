#!/bin/sh
# joined.sh FOLDER -- runs.tsv (or runs.tsv.gz) of a results folder, each row with the columns of its cell behind its own, and at the end
# `audited`: what audits.tsv says of its method (yes, no, failed; without that table no), - for a run without a budget.
export LC_ALL=C # decimal points
audits=$1/audits.tsv
[ -e "$audits" ] || audits=/dev/null
unpacked() { if [ -e "$1" ]; then cat "$1"; else gzip -dc "$1.gz"; fi; }
cells=$(mktemp)
trap 'rm -f "$cells"' EXIT
unpacked "$1/cells.tsv" >"$cells"
unpacked "$1/runs.tsv" | awk -F '\t' -v OFS='\t' -v audits="$audits" -v cells="$cells" '
    FILENAME == audits { # the columns algorithm, algorithm.first, ... name the method
        if (FNR == 1) { for (i = 1; i <= NF; i++) { if ($i ~ /^algorithm/) name[++names] = $i; at[$i] = i } ; next }
        method = ""
        for (i = 1; i <= names; i++) method = method OFS $at[name[i]]
        said[method] = $at["audited"]
        next
    }
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "cell") key = i }
    { cell = $key; rest = "" }
    FILENAME == cells {
        if (FNR == 1) for (i = 1; i <= NF; i++) here[$i] = i
        for (i = 1; i <= NF; i++) if (i != key) rest = rest OFS $i
        method = ""
        for (i = 1; i <= names; i++) method = method OFS (name[i] in here ? $here[name[i]] : "-")
        audited = FNR == 1 ? "audited" : $here["private"] != "yes" ? "-" : method in said ? said[method] : "no"
        of[cell] = rest OFS audited
        next
    }
    { print $0 of[cell] }' "$audits" "$cells" -
