#!/bin/sh
# gallery.sh ROOT -- docs/results/gallery.md: a figure of every experiment that has some, with its title, and links to the others.
# Titles are those in the tables that figures are drawn from: the largest words on them.
set -eu
export LC_ALL=C # decimal points, and names in the order of their bytes
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sh "$(dirname "$0")/unpacked.sh" "$root" "$scratch"
title() { # NAME FIGURE
    awk -F '\t' '/^x\ty\tcolour\tsize\ttext$/ { inside = 1; next } inside && $4 == 0 { out = out (out == "" ? "" : " ") $5 } inside && NF == 0 { exit } END { print out }' \
        "$scratch/results/$1/figures/$2.tsv" | sed -e 's/\\\\//g' -e 's/{[^:{}]*:[A-Za-z]* \([^{}]*\)}/\1/g' -e 's/[[|]/\\&/g'
}
cat <<'END'
# Gallery

Made by `tests/gallery.sh .` from the committed figures; do not edit. Each is drawn from a table in
`results/EXPERIMENT/figures/` by `stillpoint plot EXPERIMENT`; the verdicts are on the [pages of the papers](../README.md#results).
END
for folder in "$root"/plots/*/; do
    name=$(basename "$folder")
    others=
    for file in "$folder"*.svg; do
        [ -e "$file" ] && [ -e "$scratch/results/$name/figures/$(basename "$file" .svg).tsv" ] || continue
        figure=$(basename "$file" .svg)
        if [ -z "$others" ]; then
            printf '\n## %s\n\n![%s](../../plots/%s/%s.svg)\n' "$name" "$(title "$name" "$figure")" "$name" "$figure"
            others=first
        else
            [ "$others" != first ] || printf '\n'
            others=more
            printf '* [%s](../../plots/%s/%s.svg)\n' "$(title "$name" "$figure")" "$name" "$figure"
        fi
    done
done
