#!/bin/sh
# manual.sh CMARK SOURCE OUT -- the manual as HTML: OUT/README.html and OUT/docs/*.html, in the order of docs/README.md; the
# sections of pages in which one looks something up are pages of their own, OUT/docs/verbs/run.html.
# CMARK is cmark-gfm: the pages have tables, which cmark has not.
set -eu
cmark=$1 source=$2 out=$3
scripts=$source/cmake
order=$(sed -n 's/^[0-9]*\. \[.*\](\([a-z_]*\)\.md).*/\1/p' "$source/docs/README.md")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# --- bodies of pages in $work, and $work/pages: a row a page, in their order: file, Markdown, what is above, title
html() { "$cmark" --unsafe -e table "$source/$1.md"; }
whole() { # NAME ABOVE
    html "$1" >"$work/$1.html"
    printf '%s.html\t%s.md\t%s\t%s\n' "$1" "$1" "$2" "$(sed -n 's|^<h1>\(.*\)</h1>$|\1|p' "$work/$1.html" | head -n 1)"
}
mkdir "$work/docs"
{
    whole README -
    whole docs/README README.html
    for name in $order; do
        case $name in
        verbs | keys | losses | files)
            mkdir "$work/docs/$name"
            html "docs/$name" | awk -v page="docs/$name" -v out="$work" -f "$scripts/slug.awk" -f "$scripts/parts.awk" ;;
        *) whole "docs/$name" docs/README.html ;;
        esac
    done
} >"$work/pages"

# --- pages
for folder in "$work"/docs/*/; do # a section that is gone leaves none
    rm -rf "$out/docs/$(basename "$folder")"
    mkdir -p "$out/docs/$(basename "$folder")"
done
cp "$scripts/page.css" "$out/docs/"
cut -f 1 "$work/pages" | while read -r file; do
    awk -v file="$file" -v pages="$work/pages" -f "$scripts/slug.awk" -f "$scripts/page.awk" "$work/$file" >"$out/$file"
done
