#!/bin/sh
# Data of the user's own: what is guessed is right, said, and the same as if it had been written down; wrong files and
# wrong keys are refused with the file, the line, the column and the value.
set -eu
export STILLPOINT_CACHE="$PWD/cache"
fail() { echo "FAILED: $*" >&2; exit 1; }

# experiment KEYS: an experiment in a folder of its own, on data = { KEYS }
mkdir -p lab
experiment() {
    cat >lab/x.lua <<LUA
return { seed = 3, privacy = "none", problem = { loss = "logistic", data = { $1 } },
         algorithms = { { "gd", steps = 3 } }, measures = { "objective" } }
LUA
}
# says WHAT KEYS: `plan` prints WHAT of the data
says() {
    experiment "$2"
    "$STILLPOINT" plan lab/x.lua >out.txt 2>&1 || { cat out.txt >&2; fail "plan: $2"; }
    grep -qF -- "$1" out.txt || { cat out.txt >&2; fail "not said of $2: $1"; }
}
# same KEYS KEYS: both are one experiment, which runs once
same() {
    experiment "$1"
    rm -rf results
    "$STILLPOINT" run lab/x.lua --quiet || fail "run: $1"
    experiment "$2"
    "$STILLPOINT" status lab/x.lua --plain | awk 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { done_ += $at["done"] } END { exit done_ != 1 }' || fail "not the same: $1 and $2"
}

# --- guesses --------------------------------------------------------------------------------------------------------

# words, numbers, gaps in the notes, quotes within quotes, a semicolon in a field, words as labels
awk 'BEGIN { print "age;job;balance;note;y"
    split("admin. services blue-collar unknown", job, " ")
    for (i = 0; i < 60; i++)
        printf "%d;\"%s\";%.2f;%s;%s\n", 20 + i * 7 % 50, job[1 + i * i % 4], -500 + i * i, i % 3 ? "\"a \"\"b\"\"\"" : "\"c;d\"",
               i % 5 ? "no" : "yes" }' >lab/bank.csv
says 'lab/bank.csv: 60 records, 6 features; guessed: format = "csv", delimiter = ";", header = true, label = "y", categorical = { "job", "note" }' \
    'file = "bank.csv", positive = "yes"'
says '60 records, 6 features; guessed: format = "csv", header = true, categorical = { "job", "note" }' \
    'file = "bank.csv", positive = "yes", delimiter = ";", label = -1'
says 'categorical = { "age", "job", "note" }' 'file = "bank.csv", positive = "yes", categorical = { "age" }'
says '60 records, 4 features; guessed: format = "csv", delimiter = ";", header = true, label = "y", categorical = { "note" }' \
    'file = "bank.csv", positive = "yes", omit = { 2 }'
same 'file = "bank.csv", positive = "yes"' \
    'file = "bank.csv", format = "csv", delimiter = ";", header = true, label = 5, categorical = { 4, "job" }, positive = "yes"'
same 'file = "bank.csv", positive = "yes", omit = { "note" }' 'file = "bank.csv", positive = "yes", omit = 4'

# the same by tabs; numbers as labels
tr ';' '\t' <lab/bank.csv | sed 's/yes$/2/; s/no$/1/; s/c\td/c d/' >lab/bank.tsv
says 'guessed: format = "csv", delimiter = "\t", header = true, label = "y", categorical = { "job", "note" }, positive = "2"' \
    'file = "bank.tsv"'
same 'file = "bank.tsv"' 'file = "bank.tsv", delimiter = "\t", positive = 2'

# no header; the label stands first
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%d,%g,%g\n", i % 2, i / 7, (i * i) % 11 }' >lab/first.csv
says '40 records, 2 features; guessed: format = "csv", delimiter = ",", header = false, label = "1", positive = "1"' \
    'file = "first.csv"'
same 'file = "first.csv"' 'file = "first.csv", label = -3, header = false'

# a target that is a quantity; a column that numbers the records
awk 'BEGIN { print "id,x,target"; for (i = 1; i <= 40; i++) printf "%d,%g,%g\n", i, i * 37 % 17, i / 8 }' >lab/target.csv
says 'label = "target", regression = true' 'file = "target.csv"'
says 'column 1 (id) looks like an index of the records: index = "id"' 'file = "target.csv"'
says '40 records, 1 features' 'file = "target.csv", index = "id"'
says '40 records, 2 features' 'file = "target.csv", index = "none"'
grep -q 'looks like an index' out.txt && fail "an index is proposed although it was refused"
"$STILLPOINT" plan lab/x.lua 2>/dev/null | grep -q 'SKIPPED: loss logistic needs labels -1 and +1' || fail "regression"

# libsvm with labels 1 and 2, FANN with a single output, IDX, and the first of them compressed
awk 'BEGIN { for (i = 0; i < 30; i++) printf "%d 1:%g 3:%g\n", 1 + i % 2, i / 7, i % 4 }' >lab/two.txt
says '30 records, 3 features; guessed: format = "libsvm", positive = "2"' 'file = "two.txt"'
gzip -k lab/two.txt
says '30 records, 3 features; guessed: format = "libsvm", positive = "2"' 'file = "two.txt.gz"'
same 'file = "two.txt"' 'file = "two.txt", format = "libsvm", positive = 2'
awk 'BEGIN { print "20 2 1"; for (i = 0; i < 20; i++) printf "%g %g\n%d\n", i / 7, i % 4, i % 2 }' >lab/net.data
says '20 records, 2 features; guessed: format = "fann", positive = "1"' 'file = "net.data"'
{ printf '\0\0\10\3\0\0\0\4\0\0\0\1\0\0\0\3'; printf 'abcdefghijkl'; } >lab/images
printf '\0\0\10\1\0\0\0\4\1\2\1\2' >lab/digits
says '4 records, 3 features; guessed: format = "idx", positive = "2"' 'file = "images", labels = "digits"'

# values that are missing: refused with how many there are, else dropped or a category
awk 'BEGIN { print "a,b,c,y"; for (i = 0; i < 40; i++)
    printf "%s,%s,%d,%d\n", i % 8 ? i : "", i % 10 == 3 ? "NA" : i % 2 ? "u" : "v", i % 5, i % 3 == 0 }' >lab/gaps.csv
says '31 records, 4 features; guessed' 'file = "gaps.csv", missing = "drop"'
says '40 records, 6 features; guessed' 'file = "gaps.csv", missing = "category"'

# other formats and spellings of numbers: ARFF, a decimal comma, comments, own words for what is missing, indices from 0
{ printf '%%%% made\n@RELATION r\n\n@ATTRIBUTE a real\n@ATTRIBUTE c {u, v}\n@ATTRIBUTE y {no, yes}\n@DATA\n'
  awk 'BEGIN { for (i = 0; i < 30; i++) printf "%g,%s,%s\n", i / 7, i % 3 ? "u" : "v", i % 2 ? "yes" : "no" }'; } >lab/a.arff
says '30 records, 3 features; guessed: format = "arff", label = "y"' 'file = "a.arff", positive = "yes"'
same 'file = "a.arff", positive = "yes"' 'file = "a.arff", format = "arff", label = 3, positive = "yes"'
awk 'BEGIN { print "# made\na;b;y"; for (i = 0; i < 40; i++) printf "%d,5;%s;%d\n", i * i % 9, i == 7 ? "-" : i % 4, i % 2 }' >lab/comma.csv
says '39 records, 2 features; guessed: format = "csv", delimiter = ";", comment = "#", header = true, label = "y", positive = "1"' \
    'file = "comma.csv", decimal = "comma", missing_words = { "-" }, missing = "drop"'
awk 'BEGIN { for (i = 0; i < 30; i++) printf "%d qid:%d 0:%g 3:%g # note\n", i % 2, i / 5, i / 7, 1 + i % 4 }' >lab/zero.txt
says '30 records, 4 features; guessed: format = "libsvm", positive = "1"' 'file = "zero.txt", zero_based = true'

# many columns, and features far apart: in 1 GB of address space
awk 'BEGIN { for (j = 0; j < 60000; j++) printf "c%d,", j; print "y"
    for (i = 0; i < 3; i++) { for (j = 0; j < 60000; j++) printf "%d,", (i + j) % 5; print i % 2 } }' >lab/wide.csv
says '3 records, 60000 features' 'file = "wide.csv"'
awk 'BEGIN { for (i = 0; i < 300; i++) { printf "%d", i % 2
    for (k = 0; k < 20; k++) printf " %d:%g", 1 + 150000 * k + 137 * i % 1009, 1 + i % 3
    print "" } }' >lab/far.txt
far() { (ulimit -v 1048576; "$STILLPOINT" "$@" >out.txt 2>&1) || { cat out.txt >&2; fail "far apart: $*"; }; }
far data info lab/far.txt
grep -q 'd = 28[0-9]*, stored sparse' out.txt || { cat out.txt >&2; fail "records with few numbers are stored dense"; }
[ "$(grep -c '^ *[0-9][0-9]*  0 to [123]$' out.txt)" -eq 40 ] || fail "data info lists features that do not occur"
cat >lab/far.lua <<'LUA'
return { seed = 3, privacy = { epsilon = 1, delta = 1e-5 },
         problem = { loss = "logistic", data = { file = "far.txt" }, domain = { "l2_ball", radius = 5 } },
         algorithms = { { "dp_gd", steps = 3 } }, measures = { "objective" } }
LUA
"$STILLPOINT" run lab/far.lua --quiet --no-plot --no-audit || fail "run: far apart"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { ok += $at["status"] == "ok" } END { exit ok != 1 }' \
    results/far/runs.tsv || fail "run: far apart: not one run"

# quiet is quiet
experiment 'file = "gaps.csv", missing = "category"'
rm -rf results
"$STILLPOINT" run lab/x.lua --quiet --no-plot >out.txt 2>&1 && [ ! -s out.txt ] || fail "--quiet: $(cat out.txt)"

# --- scaling --------------------------------------------------------------------------------------------------------

# what is public is said, and the row has it; another scaling is another cell
experiment 'file = "bank.csv", positive = "yes", scale = "standard", public_statistics = true'
rm -rf results
"$STILLPOINT" run lab/x.lua --quiet --discard || fail "standard"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { exit !($at["problem.data.scale"] == "standard" && $at["problem.data.public_statistics"] == "true") }' \
    results/x/cells.tsv || fail "the row does not say that statistics are public"
experiment 'file = "bank.csv", positive = "yes", scale = { age = { 18, 90 }, balance = { -1e3, 5e3 } }'
"$STILLPOINT" status lab/x.lua --plain | awk 'NR > 1 { done_ += $4 } END { exit done_ != 0 }' || fail "one cell, two scalings"
"$STILLPOINT" run lab/x.lua --quiet --discard || fail "bounds"
cut -f 1- results/x/cells.tsv | grep -qF 'age:18:90,balance:-1000:5000' || fail "the row does not hold the bounds"
same 'file = "bank.csv", positive = "yes", scale = { age = { 18, 90 } }' \
    'file = "bank.csv", positive = "yes", scale = "age:18:90"'
says '2 cells' 'file = "bank.csv", positive = "yes", public_statistics = true, scale = { "standard", "minmax" }'
says 'column balance reaches 2981, age no more than 69: without `scale` the largest columns outweigh the others' \
    'file = "bank.csv", positive = "yes", omit = "note"'

# --- data info ------------------------------------------------------------------------------------------------------

# tells WHAT FILE KEY=VALUE...
tells() {
    what=$1
    shift
    "$STILLPOINT" data info "$@" >out.txt 2>&1 || { cat out.txt >&2; fail "data info $*"; }
    grep -qF -- "$what" out.txt || { cat out.txt >&2; fail "data info $* does not tell: $what"; }
}
tells 'guessed: format = "csv", delimiter = ";", header = true, label = "y", categorical = { "job", "note" }' lab/bank.csv positive=yes
tells '     1  age                  numbers  20 to 69' lab/bank.csv positive=yes
tells '     5  y                    label    no (48), yes (12)' lab/bank.csv positive=yes
tells '     1  a                    numbers  5 missing; 1 to 39' lab/gaps.csv missing=drop
tells 'labels: +1 0.200 (12), -1 0.800 (48); the majority class alone has accuracy 0.800' lab/bank.csv positive=yes
tells '45 records held out' lab/bank.csv positive=yes test=0.75
tells 'norms in training: 1 to 1, median 1' lab/bank.csv positive=yes
tells 'norms in the file: 28.8791 to 2981.18, median 499.732' lab/bank.csv positive=yes
tells '     3  0 to 3' lab/two.txt
tells 'label 1 (15), 2 (15)' lab/two.txt
tells '  data = { file = "lab/images", format = "idx", labels = "lab/digits", positive = "2" }' lab/images labels=lab/digits
# the line that it prints is the same experiment
tells '  data = {' lab/bank.csv positive=yes omit=note scale=age:18:90
line=$(sed -n 's|^  data = { file = "lab/\(.*\) }$|file = "\1|p' out.txt)
same 'file = "bank.csv", positive = "yes", omit = { "note" }, scale = { age = { 18, 90 } }' "$line"
"$STILLPOINT" data info lab/nothing.csv 2>out.txt && fail "data info of nothing"
grep -qF 'no data set is named lab/nothing.csv (stillpoint data list), and no file' out.txt || fail "data info of nothing"
"$STILLPOINT" data info lab/bank.csv yes 2>out.txt && fail "data info of a word"
grep -qF 'data info: yes: must be KEY=VALUE' out.txt || fail "data info of a word"
"$STILLPOINT" data info lab/bank.csv positve=yes 2>out.txt && fail "data info of a wrong key"
grep -qF 'data.positve: unknown key; did you mean positive?' out.txt || fail "data info of a wrong key"

"$STILLPOINT" list problem.data >out.txt || fail "describe problem.data"
for key in file format delimiter header label categorical omit missing labels positive scale public_statistics; do
    grep -q "^\* $key: " out.txt || fail "describe problem.data: no $key"
done

# --- the majority class ---------------------------------------------------------------------------------------------

# labels of which no feature knows anything: said by the run; where one method does better, it is not
awk 'BEGIN { print "x,z,y"; for (i = 0; i < 800; i++) printf "%d,%d,%d\n", i * i % 7, i % 11, i % 8 == 0 }' >lab/blind.csv
majority() {
    cat >lab/m.lua <<LUA
return { seed = 3, replicates = 2, privacy = { epsilon = { 4, 8 }, delta = 1e-5 },
         problem = { loss = "logistic", data = { file = "$1", intercept = true, test = 0.2, resample = true } },
         algorithms = { { "dp_gd", steps = 20 }, { "gd", steps = 200 } }, measures = { "accuracy" } }
LUA
    rm -rf results plots
    "$STILLPOINT" run lab/m.lua >out.txt 2>&1 || { cat out.txt >&2; fail "run: $1"; }
}
majority blind.csv
said='^advice: main, blind.csv, n = 640: accuracy is no better than the majority class: 0\.[89]'
grep -q "$said" out.txt || { cat out.txt >&2; fail "the run does not name the majority class"; }
"$STILLPOINT" plot lab/m.lua 2>&1 | grep -q "$said" || fail "the plot does not name the majority class"
awk 'BEGIN { print "x,z,y"; for (i = 0; i < 800; i++) printf "%d,%d,%d\n", i * i % 7, i % 11, i % 11 < 4 }' >lab/plain.csv
majority plain.csv
grep -q 'majority' out.txt && fail "the majority class is named where gd is better"

# --- docs/how_to/data.md: every example is run -----------------------------------------------------------------------------

awk -v n=0 '/^```lua$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print >("example" n ".lua") }' "$SOURCE/docs/how_to/data.md"
awk 'BEGIN { print "age,job,balance,y"; split("admin. services technician", job, " ")
    for (i = 0; i < 60; i++)
        printf "%d,%s,%d,%s\n", 20 + i * 7 % 50, i % 9 ? job[1 + i % 3] : "", i * i - 500, i % 5 ? "no" : "yes" }' >bank.csv
awk 'BEGIN { for (i = 0; i < 30; i++) printf "%d 1:%g 3:%g\n", 1 + i % 2, i / 7, i % 4 }' >mine.libsvm
awk 'BEGIN { print "size,rooms,price"; for (i = 0; i < 60; i++) printf "%d,%d,%g\n", 40 + i, i % 5, i * 37.5 }' >flats.csv
count=0
for example in example*.lua; do
    "$STILLPOINT" run "$example" --quiet --no-plot >out.txt 2>&1 || { cat out.txt >&2; fail "docs/how_to/data.md: $example"; }
    count=$((count + 1))
done
[ "$count" -ge 4 ] || fail "only $count examples in docs/how_to/data.md"
grep '^    stillpoint data info' "$SOURCE/docs/how_to/data.md" | while read -r _ words; do
    "$STILLPOINT" $words >out.txt 2>&1 || { cat out.txt >&2; fail "docs/how_to/data.md: stillpoint $words"; }
done

# --- paths ----------------------------------------------------------------------------------------------------------

(cd lab && "$STILLPOINT" plan x.lua >out.txt 2>&1) || fail "from the experiment's folder"
says '31 records' "file = \"$PWD/lab/gaps.csv\", missing = \"drop\", label = \"y\""
says '40 records' 'file = "../lab/gaps.csv", missing = "category"'

# --- what is wrong --------------------------------------------------------------------------------------------------

wrong=0
# refused MESSAGE KEYS: the message, in this order: experiment (its line aside), key, file, line, column, value
refused() {
    experiment "$2"
    "$STILLPOINT" plan lab/x.lua >out.txt 2>&1 && fail "accepted: $2"
    sed 's|^\(.*lab/x\.lua\):[0-9]*:|\1:|' out.txt | grep -qF -- "lab/x.lua: problem.data$1" || { cat out.txt >&2; fail "not said of $2: $1"; }
    wrong=$((wrong + 1))
}
# lines TEXT: lab/w.csv
lines() { printf "$1" >lab/w.csv; }

refused '.file: lab/none.csv: No such file or directory' 'file = "none.csv"'
refused '.file = "lab/bank.csv": there is no lab/lab/bank.csv; paths are relative to the experiment'"'"'s file' 'file = "lab/bank.csv"'
refused '.file: lab/bank.csv:2: the label, column 5 (y), holds words: set positive = "yes"' 'file = "bank.csv"'
refused '.file: lab/bank.csv: no record has the positive label '"'maybe'" 'file = "bank.csv", positive = "maybe"'
refused '.file: lab/bank.csv:2: label '"'yes' is not a finite number" 'file = "bank.csv", regression = true'
refused ".file: lab/bank.csv: no column 'Job' (categorical): there are 5, counted from 1; they are age, job, balance, note, y" \
    'file = "bank.csv", positive = "yes", categorical = { "Job" }'
refused ".file: lab/bank.csv: no column '6' (label): there are 5" 'file = "bank.csv", positive = "yes", label = 6'
refused ".file: lab/bank.csv: no column '0' (omit): there are 5" 'file = "bank.csv", positive = "yes", omit = { 0 }'
refused ".file: lab/bank.csv: 'y' is the label: it cannot be in omit" 'file = "bank.csv", positive = "yes", omit = { "y" }'
refused ".file: lab/bank.csv:1: 'age;job;balance;note;y' is the only column, without features (delimiter \"|\"): set delimiter" 'file = "bank.csv", positive = "yes", delimiter = "|", label = 1'
refused '.delimiter = "::": must be one character' 'file = "bank.csv", delimiter = "::"'
refused '.format = "excel": must be one of libsvm, csv, fann, idx, arff' 'file = "bank.csv", format = "excel"'
refused '.missing = "skip": must be one of refuse, drop, category' 'file = "bank.csv", missing = "skip"'
refused '.positve: unknown key; did you mean positive?' 'file = "bank.csv", positve = "yes"'
refused '.negative: needs `positive`' 'file = "bank.csv", negative = "no"'
refused '.labels: lab/yes: No such file or directory; `labels` is the second file of idx data, the column of a csv is `label`' \
    'file = "bank.csv", labels = "yes"'
refused ".file: lab/gaps.csv:2: column 1 (a): '': a value is missing; set missing = \"drop\"" 'file = "gaps.csv"'
refused '.scale = "standard": means and deviations of the columns are statistics of the records, which no budget pays for' 'file = "bank.csv", positive = "yes", scale = "standard"'
refused '.scale = "minmax": least and largest values of the columns are statistics of the records' 'file = "bank.csv", positive = "yes", scale = "minmax"'
refused '.public_statistics: nothing is scaled by statistics' 'file = "bank.csv", positive = "yes", public_statistics = true'
refused '.scale = "robust": must be "none", "standard", "minmax" or bounds' 'file = "bank.csv", positive = "yes", scale = "robust"'
refused '.scale.age: must be { low, high }' 'file = "bank.csv", positive = "yes", scale = { age = { 90, 18 } }'
refused ".file: lab/bank.csv:1: no column 'aeg' (scale): there are 5, counted from 1; they are age, job, balance, note, y" 'file = "bank.csv", positive = "yes", scale = { aeg = { 18, 90 } }'
refused ".file: lab/bank.csv:1: column 'job' is in categorical or omit: it cannot be in scale" 'file = "bank.csv", positive = "yes", scale = { job = { 1, 2 } }'
lines ''
refused '.file: lab/w.csv: the file is empty' 'file = "w.csv"'
lines 'just some text\nand more\n'
refused ".file: lab/w.csv:1: no , ; tab or | divides 'just some text': set delimiter" 'file = "w.csv"'
lines '1 1:0.5\n2 3:x\n'
refused ".file: lab/w.csv:2: value 'x' is not a finite number" 'file = "w.csv"'
lines '1 1:0.5\n2 1:0,5\n'
refused ".file: lab/w.csv:2: value '0,5' is not a finite number" 'file = "w.csv"'
lines '1 0:0.5\n2 1:5\n'
refused ".file: lab/w.csv:1: index '0': indices count from 1 (zero_based = true" 'file = "w.csv"'
printf 'PAR1\25\4\25' >lab/w.csv
refused '.file: lab/w.csv: this is Parquet' 'file = "w.csv"'
printf 'PAR1\25\4\25' | gzip >lab/w.gz
refused '.file: lab/w.gz: this is Parquet' 'file = "w.gz"'
lines 'name,y\nK\366ln,0\nUlm,1\n'
refused '.file: lab/w.csv:2: byte 0xf6' 'file = "w.csv"'
lines 'a,b,y\n1,2,true\n3,4,True\n3,4,false\n'
refused ".file: lab/w.csv:3: the label, column 3 (y), 'True' is 'true' on line 2" 'file = "w.csv", positive = "true"'
awk 'BEGIN { print "day,x,y"; for (i = 0; i < 60; i++) printf "2024-02-%02d,%d,%d\n", 1 + i % 28, i % 7, i % 2 }' >lab/w.csv
refused ".file: lab/w.csv:2: column 1 (day): '2024-02-01' is a date, and each of the 28 dates would be a feature: set omit" 'file = "w.csv"'
refused '.comment = "//": must be one character' 'file = "w.csv", comment = "//"'
lines '1,5;2,5;0\n3,5;1,5;1\n'
refused '.file: lab/w.csv: "," and ";" both give the first lines the same number of fields: set delimiter' 'file = "w.csv"'
refused ".file: lab/w.csv:1: column 1: '1,5' is a number with a decimal comma" 'file = "w.csv", delimiter = ";", header = false'
lines '1,2,0\n3,4\n5,6,1\n'
refused '.file: lab/w.csv:2: 2 fields, the first line has 3 (delimiter ",")' 'file = "w.csv"'
lines 'a,b,y\n1,2,0\n3,4,1\n5,x,1\n'
refused ".file: lab/w.csv:4: column 2 (b): 'x' is not a number, 2 others are: correct it, set missing_words = { \"x\" }" 'file = "w.csv", header = true'
lines 'a,b,y\n1,2,0\n3,1e999,1\n5,4,1\n'
refused ".file: lab/w.csv:3: column 2 (b): '1e999' is not a number, 2 others are" 'file = "w.csv", header = true'
lines 'a,b,y\n1,2,0\n3,"4,1\n5,4,1\n'
refused '.file: lab/w.csv:3: a quote that is not closed' 'file = "w.csv", delimiter = ","'
lines 'a,b,y\n1,2,0\n3,"4"4,1\n5,4,1\n'
refused ".file: lab/w.csv:3: '4' after a quoted field (a quote within quotes is written twice)" 'file = "w.csv", delimiter = ","'
lines 'a,b,y\r1,2,0\r3,4,1\n5,6,1\n'
refused '.file: lab/w.csv:1: a stray carriage return (CR) after 5 characters: lines end in LF or CR LF' 'file = "w.csv", format = "csv", delimiter = ","'
lines 'a,b,y\r1,2,0\r3,x,1\r5,6,1\r'
refused ".file: lab/w.csv:3: column 2 (b): 'x' is not a number" 'file = "w.csv"'
lines 'a,b,y\n1,2,0\n\n3,4,1\n'
refused '.file: lab/w.csv:3: an empty line' 'file = "w.csv", delimiter = ","'
lines 'a,b,y\n1,2,0\n3,4,0\n'
refused '.file: lab/w.csv: the label, column 3 (y), has one value only' 'file = "w.csv"'
lines 'a,b,y\n1,2,0\n3,4,1\n5,6,2\n'
refused '.file: lab/w.csv: the label, column 3 (y), has 3 values' 'file = "w.csv"'
lines 'a,b,y\n1,2,0\n3,4,1\n5,6,many\n'
lines 'a,b,y\n1,2,0\n3,4,1\n5,6,many\n'
refused ".file: lab/w.csv:4: the label, column 3 (y), is 'many', a word, and elsewhere a number: correct it, or set positive" 'file = "w.csv"'
lines '1,2,3\n3,4,4\n5,6,5\n'
refused '.file: lab/w.csv: cannot tell which column is the label: set label = "..." (by their numbers they are: 1, 2, 3)' 'file = "w.csv"'
lines 'u,v\nw,v\nw,x\n'
lines 'u,2020,y\n1,2,0\n3,4,1\n'
refused '.file: lab/w.csv:1: cannot tell whether the first line names the columns: set header = true or false' 'file = "w.csv"'
awk 'BEGIN { print "name,x,y"; for (i = 0; i < 30; i++) printf "n%d,%d,%d\n", i, i * i, i % 2 }' >lab/w.csv
refused '.file: lab/w.csv: column 1 (name) has 30 different words in 30 records: set omit = { "name" } to leave it out' 'file = "w.csv"'
awk 'BEGIN { print "x,gone,y"; for (i = 0; i < 30; i++) printf "%d,,%d\n", i * i, i % 2 }' >lab/w.csv
refused '.file: lab/w.csv: column 2 (gone) has no value: set omit = { "gone" }' 'file = "w.csv"'
lines 'a,a,y\n1,2,0\n3,4,1\n'
refused ".file: lab/w.csv: 2 columns are called 'a': say which by its number, counted from 1" 'file = "w.csv", omit = { "a" }'
lines '1 1:0.5\n2 3:x\n'
refused ".file: lab/w.csv:2: value 'x' is not a finite number" 'file = "w.csv"'
printf 'a\0b\0' >lab/w.csv
refused '.file: lab/w.csv: has NUL bytes: neither text' 'file = "w.csv"'
refused ".file: lab/images: images and their labels are two files: \`labels\` names the second" 'file = "images"'
[ "$wrong" -ge 45 ] || fail "only $wrong wrong inputs"
