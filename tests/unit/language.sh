#!/bin/sh
# The width and the language of the sources: no line is longer than 120 characters, and no comment contains one of the
# phrases that readers could not follow (the rules are in CONTRIBUTING.md). Only phrases that are always wrong are listed.
set -eu
cd "$SOURCE"
LC_ALL=C.UTF-8
export LC_ALL
failures=0

# Not yet mended: rooms that are rewritten now, and scripts of tests.
waits='^core/(cli|store|export|cluster|figures|report|plan|problem|session|sweep|lua|methods|schema)/|^tests/.*\.(sh|py|awk)$'
# A string in one piece: C that CMake writes, and the question of an experiment, which its SEAL counts.
whole='(set|string)\((APPEND )?text "|^[^:]*:[0-9]*: *question +='

find core algorithms losses measures tests experiments cmake templates CMakeLists.txt -name '*.[ch]' -o -name '*.lua' \
    -o -name '*.cmake' -o -name '*.sh' -o -name '*.py' -o -name '*.awk' -o -name CMakeLists.txt | sort > "$OLDPWD/sources"
cd "$OLDPWD"
grep -vE "$waits" sources > mended
(cd "$SOURCE" && xargs grep -nE '^.{121,}' /dev/null) < mended | grep -vE "$whole" > long || true
if [ -s long ]; then
    echo "lines of more than 120 characters:" >&2
    cut -c 1-160 long >&2
    failures=1
fi

# comments of C: what follows /*, and lines that begin with *
grep '\.[ch]$' mended > c
(cd "$SOURCE" && xargs awk '
    /\/\*/ { print FILENAME ":" FNR ": " substr($0, index($0, "/*")); next }
    /^ *\* / { print FILENAME ":" FNR ": " $0 }') < c > comments
phrases='held against|a line a [a-z]|a row a [a-z]|takes? the place of|leaves? less|leaves least|is no power law|method of yours'
phrases="$phrases|stands? beside|way to the proximal|made anew|makes? anew|who knows the seed|to the letter|files in the making"
if grep -nE "$phrases|/\* (Those|Whose) " comments >&2; then
    echo "comments with phrases that readers cannot follow: write them in plain English" >&2
    failures=1
fi
[ "$(wc -l < comments)" -gt 10000 ] || { echo "too few comments found: $(wc -l < comments)" >&2; failures=1; }
exit $failures
