#!/bin/sh
# docs/losses.md is what the program prints.
set -eu
"$STILLPOINT" list losses --markdown >losses.md
diff -u "$SOURCE"/docs/losses.md losses.md || {
    echo "FAILED: docs/losses.md is out of date: stillpoint list losses --markdown >docs/losses.md" >&2
    exit 1
}
for name in $("$STILLPOINT" list losses --plain); do
    grep -q "^### $name\$" losses.md || { echo "FAILED: $name is not on the page" >&2; exit 1; }
done
