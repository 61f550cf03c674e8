#!/bin/sh
# docs/reference/keys.md is what stillpoint_manual prints, and the program knows each key on it and no other.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
"$(dirname "$STILLPOINT")/stillpoint_manual" keys >keys.md
diff -u "$SOURCE"/docs/reference/keys.md keys.md ||
    fail "docs/reference/keys.md is out of date: build/release/stillpoint_manual keys >docs/reference/keys.md"
"$STILLPOINT" list keys --plain | sort >keys.txt
awk '/^## / { place = $0 == "## The experiment" ? "" : $2 "." } /^[*] [A-Za-z]/ { sub(":.*", ""); print place $2 }' keys.md |
    sort | diff - keys.txt || fail "the list and the page differ"
if grep ': (null)' keys.md; then fail "a key without a meaning"; fi
# A key of the experiment's own table is refused for its value, not as unknown.
grep -v '[.]' keys.txt | while read -r key; do
    echo "return { $key = 0.5 }" >key.lua
    if "$STILLPOINT" plan key.lua >/dev/null 2>message.txt; then fail "an experiment of $key alone"; fi
    if grep "unknown key" message.txt; then fail "$key is not known"; fi
done
