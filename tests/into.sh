#!/bin/sh
# into.sh FILE NAME -- puts the standard input between the marks of that name in a page, "<!-- NAME: begin ... -->" and
# "<!-- NAME: end -->", in the place of what stands there. `into.sh FILE NAME print` prints what stands there.
set -eu
file=$1 name=$2
grep -q "^<!-- $name: begin" "$file" && grep -q "^<!-- $name: end -->" "$file" || { echo "$file has no marks $name" >&2; exit 1; }
if [ "${3-}" = print ]; then
    sed -n "/^<!-- $name: begin/,/^<!-- $name: end/{//!p}" "$file"
    exit
fi
new=$(mktemp)
cat >"$new"
sed -i -e "/^<!-- $name: begin/,/^<!-- $name: end/{//!d}" -e "/^<!-- $name: begin/r $new" "$file"
rm "$new"
