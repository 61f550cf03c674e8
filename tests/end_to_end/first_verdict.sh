#!/bin/sh
# docs/tutorials/first_verdict.md as a newcomer types it: the experiment that it prints, its lines for the shell one after the other,
# and after each the words that it promises.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
page=$SOURCE/docs/tutorials/first_verdict.md
mkdir bin
ln -s "$STILLPOINT" bin/stillpoint
PATH=$PWD/bin:$PATH

awk '$0 == "```lua" { inside = 1; next } $0 == "```" { inside = 0 } inside' "$page" >first.lua
[ -s first.lua ] || fail "the page has no experiment"

# The page as steps: a line "$ COMMAND" for what is typed, "> LINE" for what it says.
awk '$0 == "```lua" { lua = 1; next } $0 == "```text" { said = 1; next } $0 == "```" { lua = said = 0; next }
    said { print "> " $0 } !said && !lua && /^    / { print "$ " substr($0, 5) }' "$page" >steps.txt
typed=0 promised=0
: >out.txt
while IFS= read -r step; do
    case $step in
    '$ ./bootstrap') continue ;; # what this test was built by
    '$ '*)
        typed=$((typed + 1))
        line=${step#'$ '}
        code=0
        sh -c "$line" >out.txt 2>err.txt </dev/null || code=$?
        case $line in
        'stillpoint check wrong') [ $code -eq 1 ] && grep -q '^wrong SHALLOWER ' out.txt || fail "$line: $code" ;;
        *) [ $code -eq 0 ] || { cat out.txt err.txt >&2; fail "$line: exit code $code"; } ;;
        esac
        ;;
    *)
        promised=$((promised + 1))
        grep -qxF -- "${step#> }" out.txt || { cat out.txt >&2; fail "\"$line\" does not say: ${step#> }"; }
        ;;
    esac
done <steps.txt
[ $typed -ge 7 ] && [ $promised -ge 10 ] || fail "$typed lines were typed, $promised promised"
[ -s plots/first/rate.svg ] && [ -s report.html ] || fail "the figure and the report"

# The line that read_a_verdict.md goes through is that of `check first`, wrapped; it explains each part and each word.
stillpoint check first | head -n 1 >line.txt
awk '/^    / { sub(/^ +/, ""); printf "%s%s", n++ ? " " : "", $0 } n && !/^ *[^ |]/ { exit } END { print "" }' \
    "$SOURCE/docs/explanation/read_a_verdict.md" | tr -s ' ' >printed.txt
tr -s ' ' <line.txt | cmp - printed.txt || { cat printed.txt line.txt >&2; fail "read_a_verdict.md shows another line"; }
for word in AGREES SHALLOWER STEEPER NOT_RESOLVED VACUOUS; do
    grep -q "^| $word |" "$SOURCE/docs/explanation/read_a_verdict.md" || fail "read_a_verdict.md does not explain $word"
done
