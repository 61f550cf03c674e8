#!/bin/sh
# mutate.sh SCRIPT SOURCE OUT -- a changed copy of a source. Fails when nothing changes: then the script is out of date.
set -eu
sed -f "$1" "$2" > "$3"
if cmp -s "$2" "$3"; then
    rm -f "$3"
    echo "$1 changes nothing in $2" >&2
    exit 1
fi
