#!/bin/sh
# Tables and an archive of programs before there were seals (format 0): `seal` rewrites them without a run and without another
# number, `merge`, `compare` and `verify` read them, and what would quote them as they are names the command that converts them.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
codes() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq "$expected" ] || { cat out.txt >&2; fail "$*: exit code $code, expected $expected"; }
}
refuses() {
    if "$STILLPOINT" "$@" >out.txt 2>&1; then fail "$*: not refused"; fi
}
says() { grep -qF -- "$1" out.txt || { cat out.txt >&2; fail "it does not say '$1'"; }; }

mkdir -p experiments results
cp "$SOURCE/tests/fixtures/format_0.lua" experiments
cp -r "$SOURCE/tests/fixtures/format_0" results
for verb in "check format_0" "report experiments/format_0.lua" "archive format_0"; do
    refuses $verb
    says 'stillpoint verify --seal format_0'
done
for verb in "table format_0" "plot experiments/format_0.lua" "merge experiments/format_0.lua results/format_0 --root taken"; do # read, and said to be unsealed
    codes 0 $verb
    says 'stillpoint verify --seal format_0'
done
rm -rf results plots
mkdir results
cp -r "$SOURCE/tests/fixtures/format_0" results

# --- the tables: a checksum a row, who made which runs, the same fields
codes 0 verify --seal format_0 --plain
says '9 of 9 runs'
[ "$(head -1 results/format_0/SEAL)" = "stillpoint seal	1" ] || fail "no SEAL"
for table in cells runs; do
    sed 's/\t[^\t]*$//' results/format_0/$table.tsv | cmp - "$SOURCE/tests/fixtures/format_0/$table.tsv" || fail "$table.tsv: other fields"
done
awk -F '\t' 'NR > 1 { print $NF }' results/format_0/provenance.tsv >made.txt
printf '1:0-1 2:0-1 3:0-1\n1:2 2:2 3:2\n' | cmp - made.txt || { cat made.txt >&2; fail "who made them"; }
awk -F '\t' 'NR > 1 { print $1, $2 }' results/format_0/keys.tsv >keys.txt
printf '1 0-2\n2 0-2\n3 0-2\n' | cmp - keys.txt || { cat keys.txt >&2; fail "keys"; }
cp -r results/format_0 once
codes 0 verify --seal format_0 --plain
diff -r once results/format_0 || fail "sealed twice"
codes 0 archive format_0 -o now.tar
tar tf now.tar | grep -qx results/format_0/SEAL || fail "an archive without a SEAL"
codes 0 verify --quick format_0

# --- a digit behind the seal, and a seal of a newer program
sed -i '3s/0\.\([0-9]\)/0.1\1/' results/format_0/runs.tsv
for verb in "table format_0" "compare format_0 dp_gd" "verify --quick format_0" "verify --seal format_0" "table format_0 --format csv" \
            "merge experiments/format_0.lua results/format_0 --root other" "plot experiments/format_0.lua"; do
    refuses $verb
    says "runs.tsv:3: "
done
cp once/runs.tsv results/format_0/
sed 's/seal\t1$/seal\t7/' once/SEAL >results/format_0/SEAL
for verb in "table format_0" "check format_0" "archive format_0"; do
    refuses $verb
    says "format 7"
done
cp once/SEAL results/format_0/

# --- the text of the script: a comment is nothing, a number is another experiment
sed -i '1s/$/ More words./' experiments/format_0.lua
codes 0 archive format_0 -o now.tar
sed -i 's/seed = 23/seed = 24/' experiments/format_0.lua
for verb in "report experiments/format_0.lua" "plot experiments/format_0.lua" "verify --quick format_0"; do
    refuses $verb
    says 'stillpoint export'
done
cp "$SOURCE/tests/fixtures/format_0.lua" experiments

# --- the archive, and the tables as a source
codes 0 compare "$SOURCE/tests/fixtures/format_0.tar" results/format_0
says '9 the same in every field'
codes 0 verify "$SOURCE/tests/fixtures/format_0.tar" --sample 3
codes 0 merge experiments/format_0.lua "$SOURCE/tests/fixtures/format_0" --root merged

# --- tables that git has checked out with core.autocrlf are the same tables
cp -r results same
sed -i 's/$/\r/' results/format_0/*.tsv results/format_0/SEAL results/format_0/DERIVED
codes 0 table format_0
mv out.txt crlf.txt
codes 0 verify --quick format_0
codes 0 archive format_0 -o crlf.tar
"$STILLPOINT" table format_0 --format json | grep -q '\\r' && fail "carriage returns in fields"
rm -r results && mv same results
codes 0 table format_0
cmp out.txt crlf.txt || fail "other numbers"
