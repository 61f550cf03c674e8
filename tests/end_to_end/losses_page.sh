#!/bin/sh
# docs/reference/losses.md is what the program prints.
set -eu
"$STILLPOINT" list losses --markdown >losses.md
diff -u "$SOURCE"/docs/reference/losses.md losses.md || {
    echo "FAILED: docs/reference/losses.md is out of date: stillpoint list losses --markdown >docs/reference/losses.md" >&2
    exit 1
}
for name in $("$STILLPOINT" list losses --plain); do
    grep -q "^### $name\$" losses.md || { echo "FAILED: $name is not on the page" >&2; exit 1; }
done
