#!/bin/sh
# docs/reference/losses.md is what stillpoint_manual prints.
set -eu
"$(dirname "$STILLPOINT")/stillpoint_manual" losses >losses.md
diff -u "$SOURCE"/docs/reference/losses.md losses.md || {
    echo "FAILED: docs/reference/losses.md is out of date: build/release/stillpoint_manual losses >docs/reference/losses.md" >&2
    exit 1
}
for name in $("$STILLPOINT" list losses --plain); do
    grep -q "^### $name\$" losses.md || { echo "FAILED: $name is not on the page" >&2; exit 1; }
done
