#!/bin/sh
# export --format csv|json|latex: what other programs read is what the tables hold, whatever stands in them.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
refused() {
    text=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -- "$text" out.txt || { cat out.txt >&2; fail "stillpoint $*: does not refuse with '$text'"; }
}
# formats NAME TABLE: all three of one table, and what formats.py says.
formats() {
    for format in csv json latex; do
        "$STILLPOINT" table "$1" --format $format --table "$2" >table.$format 2>err.txt || { cat err.txt >&2; fail "$*: $format"; }
    done
    python3 -I "$SOURCE/tests/end_to_end/formats.py" "results/${1##*/}" "$2" table.csv table.json table.latex || fail "$*"
}

# Committed tables, in a clone without store and data.
mkdir results
cp -r "$SOURCE/results/quickstart" "$SOURCE/results/kl" results/
find results -name '*.gz' -exec gzip -d {} +
for table in runs cells summary fits claims provenance; do formats quickstart $table; done
formats kl tuning
"$STILLPOINT" table results/quickstart/ --format csv >one.csv
"$STILLPOINT" table experiments/quickstart.lua --format csv --table runs | cmp - one.csv || fail "runs is not the default"

# What a spreadsheet would run, what breaks a line or a field, what is no UTF-8, and numbers at their ends.
mkdir results/odd
printf 'run\tcell\treplicate\tstatus\tmessage\tgrad_norm\tx\n' >results/odd/runs.tsv
n=0
for text in '\\=1+1' '\\+cmd' '\\-2 steps' '\\@SUM(A1)' 'a, "b"' '"' 'tab\\there' '\\t=x' 'line\\nend' '\\\\' '\\\\=1' \
    'caf\0303\0251' '\0303' 'a\0355\0240\0200b' '\0001' '$x_1^2$ & 50% #~{}\\\\<>|' '-' '\\-' ''; do
    n=$((n + 1))
    printf '%012d\t1\t%d\tok\t%b' $n $n "$text" >>results/odd/runs.tsv
    case $((n % 6)) in 0) y=inf ;; 1) y=-2.385e-308 ;; 2) y=NaN ;; 3) y=0.30000000000000004 ;; 4) y=- ;; 5) y=-inf ;; esac
    printf '\t%s\t%s\n' $y "$([ $n -eq 7 ] && echo 007 || echo $n)" >>results/odd/runs.tsv
done
printf 'cell\tsweep\tlabel\talgorithm.eta\tseed\tprivate\n1\tmain\t1e5\t\\-\t18446744073709551615\tyes\n' >results/odd/cells.tsv
formats odd runs
grep -qF '"message": "=1+1"' table.json && grep -qF '"message": "a, \"b\""' table.json && grep -qF '"message": "\ufffd"' table.json ||
    fail "the odd texts are not what they should be"
[ "$(wc -l <results/odd/runs.tsv)" -eq 20 ] || fail "the odd table is not what it should be"
grep -q '"label": "1e5"' table.json && grep -q '"run": "000000000007"' table.json || fail "a text became a number"
grep -q '"seed": 18446744073709551615' table.json || fail "digits are lost"

# No rows are no rows.
head -1 results/odd/runs.tsv >runs.tsv && mv runs.tsv results/odd/runs.tsv
[ "$("$STILLPOINT" table odd -f json | python3 -I -c 'import json, sys; print(json.load(sys.stdin))')" = '[]' ] || fail "no rows"

refused "--format xml: must be one of csv, latex, json" table quickstart --format xml
refused "--table run: must be one of runs, summary, fits, cells" table quickstart --format csv --table run
refused "needs --format" table quickstart --table runs
refused "did you mean quickstart?" table quikstart --format csv
refused "results/quickstart: no tuning.tsv there" table quickstart --format csv --table tuning
refused "one experiment at a time" table quickstart kl --format csv

# Without a store there is nothing to write tables from; they stay.
cp -r results/quickstart before
# Without a store the runs of the tables are imported before the tables are written anew.
"$STILLPOINT" export "$SOURCE/experiments/quickstart.lua" >out.txt 2>err.txt || { cat err.txt >&2; fail "no store"; }
cmp before/runs.tsv results/quickstart/runs.tsv || fail "export without a store has changed a run"
printf 'x\n1\t2\n' >results/quickstart/fits.tsv
code=0
"$STILLPOINT" table quickstart --format csv --table fits >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] && [ ! -s out.txt ] && grep -q 'fits.tsv:2: ' err.txt || { cat err.txt >&2; fail "a broken table"; }
