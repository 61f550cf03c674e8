#!/bin/sh
# manual.sh CMARK SOURCE OUT -- the manual as HTML: OUT/README.html and OUT/docs/*.html, in the order of docs/README.md.
# CMARK is cmark-gfm: the pages have tables, which cmark has not.
set -eu
cmark=$1 source=$2 out=$3
mkdir -p "$out/docs"
cp "$source/cmake/page.css" "$out/docs/"
order=$(sed -n 's/^[0-9]*\. \[.*\](\([a-z_]*\)\.md).*/\1/p' "$source/docs/README.md")

# page NAME UP BEFORE AFTER: NAME.md as NAME.html
page() {
    title=$(sed -n 's/^# //p' "$source/$1.md" | head -n 1)
    "$cmark" --unsafe -e table "$source/$1.md" |
        awk -v title="$title" -v up="$2" -v before="$3" -v after="$4" -f "$source/cmake/page.awk" >"$out/$1.html"
}
page README "" "" README.html
page docs/README ../ "" ""
before=
for name in $order; do
    after=$(printf '%s\n' "$order" | awk -v name="$name" 'found { print $0 ".html"; exit } $0 == name { found = 1 }')
    page "docs/$name" ../ "$before" "$after"
    before=$name.html
done
