#!/bin/sh
# A question of the user's own, from the first look at a file to a paper's table: a CSV with words and gaps, a libsvm file with
# the labels 1 and 2, what is wrong on the way and what is said of it, figures, a clone that goes on from committed
# tables, and the folders of two machines held against each other.
set -eu
export STILLPOINT_CACHE="$PWD/cache"
fail() { echo "FAILED: $*" >&2; exit 1; }
says() { grep -qF -- "$1" out.txt || { cat out.txt >&2; fail "not said: $1"; }; }
# does CODE WORDS...: the program ends so, and what it says is in out.txt
does() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq "$expected" ] || { cat out.txt >&2; fail "$*: exit code $code, expected $expected"; }
}

# --- the data -------------------------------------------------------------------------------------------------------------
mkdir lab
awk 'BEGIN { print "age,job,balance,y"; split("admin. services blue-collar", job, " ")
    for (i = 0; i < 300; i++) {
        age = 20 + i * 37 % 53; balance = (i * i * 13 % 6000) - 1000
        printf "%d,%s,%s,%s\n", age, i % 11 ? "\"" job[1 + i % 3] "\"" : "", i % 13 ? balance : "NA",
            (age + balance / 100 + i % 7 > 80) ? "yes" : "no" } }' >lab/bank.csv
awk 'BEGIN { for (i = 0; i < 200; i++) { a = i * 7 % 19 - 9; b = i * 11 % 23 - 11
    printf "%d 1:%g 4:%g\n", (a + b + i % 3 > 0) ? 2 : 1, a / 10, b / 10 } }' >lab/two.libsvm

# --- looking, and what is wrong on the way: each message says what to write ---------------------------------------------------
does 1 data info lab/bank.csv
says 'a value is missing; set missing = "drop" to leave such records out, or "category"'
does 1 data info lab/bank.csv missing=category
says 'the label, column 4 (y), holds words: set positive = "yes"'
does 0 data info lab/bank.csv positive=yes missing=category scale=age:18:90,balance:-1000:5000
says '  data = { file = "lab/bank.csv"'
bank=$(sed -n 's|^  data = { file = "lab/|{ file = "|p' out.txt)
does 0 data info lab/two.libsvm
says 'guessed: format = "libsvm", positive = "2"'

write() { # PROBLEM-DATA METHODS FIGURE-KEYS
    cat >lab/mine.lua <<LUA
return { question = "What does epsilon cost on my records?", seed = 2385, replicates = 6,
  problem = { loss = "logistic", data = { $1, { file = "two.libsvm" } }, domain = { "l2_ball", radius = 5 } },
  privacy = { epsilon = { 0.5, 2, 8 }, delta = 1e-5 },
  algorithms = { $2 }, measures = { "excess_risk", "accuracy" },
  figures = { { name = "cost", kind = "trade_off", x = "epsilon", y = { "excess_risk", "accuracy" }, $3 } } }
LUA
}
two='{ "dp_gd", steps = 20 }, { "dp_sgd", steps = 50 }'
write '{ file = "bnak.csv" }' "$two" ''
does 2 plan lab/mine.lua
says 'lab/mine.lua: problem.data[1].file: lab/bnak.csv: No such file or directory'
write '{ file = "bank.csv", positiv = "yes" }' "$two" ''
does 2 plan lab/mine.lua
says 'problem.data[1].positiv: unknown key; did you mean positive?'
write '{ file = "bank.csv", positive = "maybe", missing = "drop" }' "$two" ''
does 2 plan lab/mine.lua
says "no record has the positive label 'maybe'"
write "$bank" '{ "dp_gd", steps = 20 }, { "dp_gd", steps = 40 }' ''
does 2 plan lab/mine.lua
says 'algorithms[2]: is called "dp_gd", as algorithms[1] is: give it a label'
write "$bank" "$two" ''
does 2 plan lab/mine.lua
says 'choose one with where'
where='where = { ["problem.data"] = "two.libsvm" }'
write "$bank" "$two" "$where"
does 0 plan lab/mine.lua
says '12 cells, 0 skipped; 72 runs: 0 done'
[ ! -e results ] || fail "looking left something behind"

# --- runs, figures ----------------------------------------------------------------------------------------------------------
does 0 run lab/mine.lua -j 2 --only dp_gd --where epsilon=2
says '12 done now'
does 0 run lab/mine.lua -j 2
says '60 done now, 12 there before, 0 failed'
says 'guessed: format = "libsvm", positive = "2"'
[ -s plots/mine/cost.svg ] || fail "no figure"
for table in cells runs summary audits provenance keys; do [ -s results/mine/$table.tsv ] || fail "no $table.tsv"; done
# Of what the user knows of the columns, and which label counts, each row tells.
[ "$(grep -c 'age:18:90,balance:-1000:5000' results/mine/cells.tsv)" -eq 6 ] || fail "the rows do not tell the bounds"
does 0 table mine --format latex
says '\begin{tabular}'
does 0 list --cite lab/mine.lua
says '@'

# --- from the tables alone: no store, no data, the same bytes -----------------------------------------------------------------
cp -r results kept
cp -r plots drawn
mv lab/bank.csv lab/two.libsvm .
rm results/mine/store.sqlite results/mine/traces.tsv results/mine/timings.tsv
rm -r plots cache
does 0 compare mine dp_gd --measure excess_risk
says 'dp_sgd / dp_gd: excess_risk'
does 0 table mine --format csv
[ "$(wc -l <out.txt)" -eq 73 ] || fail "table --format csv"
does 0 table mine
says 'dp_sgd'
"$STILLPOINT" plot mine --quiet || fail "plot without store and data"
cmp plots/mine/cost.svg drawn/mine/cost.svg || fail "the figure without store and data"
mv bank.csv two.libsvm lab/

# --- a clone goes on from the tables --------------------------------------------------------------------------------------------
mkdir clone
cp -r lab clone/
mkdir -p clone/results/mine
cp results/mine/*.tsv clone/results/mine/
does 0 merge lab/mine.lua clone/results/mine --root clone
says 'clone/results/mine: 72 runs added, 0 there before'
does 0 run lab/mine.lua --root clone --no-audit
says '0 done now, 72 there before'
for table in cells runs; do cmp kept/mine/$table.tsv clone/results/mine/$table.tsv || fail "the clone's $table.tsv"; done
# One method more: its runs alone.
write "$bank" "$two, { \"gd\", steps = 100 }" "$where"
does 0 run lab/mine.lua --root clone --no-audit
says '12 done now, 72 there before'

# --- two folders ----------------------------------------------------------------------------------------------------------------
write "$bank" "$two" "$where"
does 0 run lab/mine.lua -j 1 --root elsewhere --no-audit --no-plot # another machine, say
does 0 compare results/mine elsewhere/results/mine
does 4 compare results/mine clone/results/mine # which has a method more
says 'gd'
sed 's/seed = 2385/seed = 2386/' lab/mine.lua >lab/other.lua
does 0 run lab/other.lua -j 2 --root other --no-audit --no-plot
does 2 compare results/mine other/results/other
says 'have no run in common'
sh "$SOURCE/tests/unsealed.sh" elsewhere/results/mine
awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "accuracy") k = i } NR == 9 { $k = 0.123 } { print }' \
    elsewhere/results/mine/runs.tsv >changed.tsv
mv changed.tsv elsewhere/results/mine/runs.tsv
does 3 compare results/mine elsewhere/results/mine
says 'accuracy'
