#!/bin/sh
# `stillpoint audit`: a verdict a line, tables for scripts, exit codes.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" audit dp_gd > text.txt || fail "dp_gd does not pass"
for audit in replay noise statistical one-run; do
    grep -q "^  $audit .* ok " text.txt || fail "no verdict of $audit"
done
! grep -q FAIL text.txt || fail "a failure, and exit code 0"
grep -q "^dp_gd: 0 of [1-9][0-9]* promises and audits failed" text.txt || fail "no overall verdict"

"$STILLPOINT" audit gd --plain > plain.tsv || fail "gd does not refuse a budget"
[ "$(awk -F '\t' 'NF != 9 || $1 != "gd" || ($2 != "replay" && $2 != "conformance") || $9 != "ok"' plain.tsv | wc -l)" -eq 0 ] || fail "plain.tsv"
[ -s plain.tsv ] || fail "plain.tsv is empty"

"$STILLPOINT" audit dp_gd --limit 1e-6 > limit.txt || fail "what is left out is no failure"
grep -q "^dp_gd: 0 of 5 promises and audits failed, [1-9][0-9]* left out" limit.txt || fail "$(tail -1 limit.txt)"

"$STILLPOINT" audit dp_gd > again.txt
cmp text.txt again.txt || fail "the same audit gave another text"

code=0
"$STILLPOINT" audit dp_gb 2> error.txt || code=$?
[ $code -eq 2 ] || fail "unknown algorithm: exit code $code"
grep -q "dp_gb; did you mean dp_gd?" error.txt || fail "$(cat error.txt)"
code=0
"$STILLPOINT" audit 2> error.txt || code=$?
[ $code -eq 2 ] || fail "no algorithm: exit code $code"
grep -q "which name?" error.txt || fail "$(cat error.txt)"
