#!/bin/sh
# manual.sh CMARK SOURCE OUT -- the manual as HTML: OUT/README.html and OUT/docs/KIND/PAGE.html, a page for each Markdown file,
# in the order of docs/README.md. CMARK is cmark-gfm, because the pages have tables.
set -eu
cmark=$1 source=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Bodies in $work, and $work/pages: one row per page, in their order: path without suffix, title.
for page in README docs/README \
    $(sed -n 's|^[0-9]*\. \[.*\](\([a-z_]*/[a-z_0-9]*\)\.md).*|docs/\1|p' "$source/docs/README.md"); do
    mkdir -p "$(dirname "$work/$page")"
    "$cmark" --unsafe -e table "$source/$page.md" >"$work/$page.html"
    printf '%s\t%s\n' "$page" "$(sed -n 's|^<h1>\(.*\)</h1>$|\1|p' "$work/$page.html" | head -n 1)"
done >"$work/pages"

rm -rf "$out/docs" # pages that are gone
cut -f 1 "$work/pages" | while read -r page; do
    mkdir -p "$(dirname "$out/$page")"
    awk -v page="$page" -v pages="$work/pages" -f "$source/cmake/page.awk" "$work/$page.html" >"$out/$page.html"
done
cp "$source/cmake/page.css" "$out/docs/"
