#!/bin/sh
# Methods are audited once, and what was found shows: in audits.tsv beside the runs, in status, in check, on the figure.
# stillpoint_half_noise is the program with an oracle that draws half of the noise (tests/mutants/half_noise.sed).
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
unsound=$(dirname "$STILLPOINT")/tests/stillpoint_half_noise
export STILLPOINT_CACHE=$PWD/cache

cat >e.lua <<'LUA'
return { seed = 19, replicates = 12,
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0 }, n = { 1e2, 3e2, 1e3 }, d = 5 },
  privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 10, eta = 0.5, select = "last" },
                 { "dp_gd", label = "silent", steps = 10, eta = 0.5, select = "last", privacy = { noise = "off" } },
                 { "gd", steps = 10 },
                 { "warm_start", first = { "dp_gd", steps = 4 }, second = { "dp_ngd", steps = 4 } } },
  measures = { "grad_norm" },
  claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1, tolerance = 0.25, mode = "theory" } },
  figures = { { name = "rate", kind = "rate", x = "n", y = "grad_norm" } },
  scales = { smoke = { replicates = 2 }, small = { replicates = 5 } } }
LUA
run() { "$STILLPOINT" run e.lua "$@" 2>run.err || { cat run.err >&2; fail "run $*"; }; }
# of NAME LABEL: the word in audits.tsv
word() { awk -F '\t' -v method="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                                     $at["algorithm"] == method { print $at["audited"] }' "$1/audits.tsv"; }

# --- made once, with the same bytes whatever the workers ----------------------------------------------------------------
run -j 1 --root one >run.txt
grep -q '^auditing, once (--no-audit leaves it out): dp_gd, warm_start (dp_gd, dp_ngd)$' run.err || fail "$(cat run.err)"
grep -q '^audits: 2 methods: 2 made now, 0 known before, 0 left out, 0 failed$' run.err || fail "$(cat run.err)"
[ "$(word one/results/e dp_gd)" = yes ] && [ "$(word one/results/e warm_start)" = yes ] || fail "$(cat one/results/e/audits.tsv)"
[ "$(wc -l <one/results/e/audits.tsv)" -eq 3 ] || fail "gd spends no budget: $(cat one/results/e/audits.tsv)"
[ "$(ls cache/audits | wc -l)" -eq 2 ] || fail "the cache: $(ls cache/audits)"
run -j 1 --root one --quiet
cp one/results/e/audits.tsv made.tsv
"$STILLPOINT" export e.lua --root one --quiet
cmp made.tsv one/results/e/audits.tsv || fail "export"

run --root known
grep -q '^audits: 2 methods: 0 made now, 2 known before, ' run.err || fail "not from the cache: $(cat run.err)"
cmp made.tsv known/results/e/audits.tsv || fail "from the cache"
for file in cache/audits/*; do sed -i 's/^yes/no/' "$file"; done
run -j 2 --root two
grep -q '^audits: 2 methods: 2 made now, ' run.err || fail "a damaged cache was believed: $(cat run.err)"
cmp made.tsv two/results/e/audits.tsv || fail "two workers"
cmp one/plots/e/rate.svg two/plots/e/rate.svg || fail "figures"
mv cache kept

# --- not made ------------------------------------------------------------------------------------------------------------
run --no-audit --root bare
run --scale smoke --root bare
for folder in bare/results/e bare/results/e.smoke; do [ ! -e $folder/audits.tsv ] || fail "$folder: audited"; done
[ ! -e cache/audits ] || fail "something was made"
cmp one/plots/e/rate.svg bare/plots/e/rate.svg || fail "a figure of methods that nobody audited is another one"
run --only dp_gd --scale small --root bare
grep -q '^audits: 1 methods: 1 made now, ' run.err || fail "--only: $(cat run.err)"
[ "$(word bare/results/e.small dp_gd)" = yes ] && [ "$(word bare/results/e.small warm_start)" = no ] || fail "--only"

# --- what shows ----------------------------------------------------------------------------------------------------------
audited() { sh "$SOURCE/tests/joined.sh" "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["label"], $NF } NR == 1 && $NF != "audited" { print "no column" }' | sort -u | paste -s -d ';'; }
[ "$(audited one/results/e)" = "dp_gd yes;gd -;silent -;warm_start yes" ] || fail "joined: $(audited one/results/e)"
[ "$(audited bare/results/e)" = "dp_gd no;gd -;silent -;warm_start no" ] || fail "joined: $(audited bare/results/e)"
[ "$(audited bare/results/e.small)" = "dp_gd yes" ] || fail "joined: $(audited bare/results/e.small)"
status() { "$STILLPOINT" status e.lua --plain "$@" | awk -F '\t' 'NR > 1 { print $2, $NF }' | paste -s -d ';'; }
[ "$(status --root one)" = "dp_gd yes;silent -;gd -;warm_start yes" ] || fail "status: $(status --root one)"
[ "$(status --root bare)" = "dp_gd no;silent -;gd -;warm_start no" ] || fail "status: $(status --root bare)"

"$STILLPOINT" check --root one >check.txt || fail "check: $(cat check.txt)"
! grep -qi audit check.txt || fail "all is in order: $(cat check.txt)"
"$STILLPOINT" check --root bare >check.txt || fail "check: $(cat check.txt)"
[ "$(grep -c 'no audits.tsv' check.txt)" -eq 1 ] || fail "once: $(cat check.txt)"
mkdir -p partly/results
cp -r one/results/e partly/results/
sed -i '2s/\tyes\tpass\tpass\tpass\tpass\tpass\t.*/\tno\t-\t-\t-\t-\t-\t-\t-\t-/' partly/results/e/audits.tsv
"$STILLPOINT" check --root partly >check.txt || fail "check: $(cat check.txt)"
grep -q 'AGREES .*; its method is not audited$' check.txt || fail "$(cat check.txt)"
plain() { "$STILLPOINT" check --plain --root "$1" | awk -F '\t' 'NR == 1 && $NF != "audited" { print "no column" }
                                                             NR > 1 { print $NF }'; }
[ "$(plain one) $(plain bare) $(plain partly)" = "yes no no" ] || fail "--plain: $(plain one) $(plain bare) $(plain partly)"
"$STILLPOINT" plot e.lua --quiet --root partly || fail "plot, partly audited"
[ "$(grep -o 'not audited' partly/plots/e/rate.svg | wc -l)" -eq 1 ] || fail "the figure does not mark what is not audited"
! grep -q 'not audited' one/plots/e/rate.svg bare/plots/e/rate.svg || fail "marked where all or none of the methods are"
sed -i '2s/\tno\t/\tmaybe\t/' partly/results/e/audits.tsv
code=0
"$STILLPOINT" check --root partly >check.txt 2>check.err || code=$?
[ $code -eq 101 ] && grep -q 'results/e/audits.tsv: line 2: audited is maybe' check.err || fail "$code: $(cat check.err)"

# --- a method that does not keep what its ledger says ---------------------------------------------------------------------
for jobs in 1 2; do
    rm -rf cache
    code=0
    "$unsound" run e.lua -j $jobs --root unsound$jobs >run.txt 2>run.err || code=$?
    [ $code -eq 1 ] || fail "the unsound program: exit code $code"
    grep -q '^audit FAILED: dp_gd: replay, .*the releases cost mu^2 = .*, the ledger holds' run.err || fail "$(cat run.err)"
done
cmp unsound1/results/e/audits.tsv unsound2/results/e/audits.tsv || fail "two workers"
[ "$(awk -F '\t' 'NR > 1 && $0 ~ /\tok\t/' unsound1/results/e/runs.tsv | wc -l)" -eq 144 ] || fail "its runs are not there"
[ "$(word unsound1/results/e dp_gd)" = failed ] || fail "$(cat unsound1/results/e/audits.tsv)"
code=0
"$unsound" run e.lua --quiet --root unsound1 >run.txt 2>run.err || code=$?
[ $code -eq 1 ] && grep -q '^audit FAILED: dp_gd: ' run.err || fail "known by now: exit code $code: $(cat run.err)"
code=0
"$STILLPOINT" check --root unsound1 >check.txt || code=$?
[ $code -eq 1 ] || fail "check: exit code $code: $(cat check.txt)"
grep -q 'AGREES .*; THE AUDIT OF ITS METHOD FAILED: dp_gd: replay, ' check.txt || fail "$(cat check.txt)"
[ "$(plain unsound1)" = failed ] || fail "--plain: $(plain unsound1)"
[ "$("$unsound" status e.lua --plain --root unsound1 | awk -F '\t' '$2 == "dp_gd" { print $NF }')" = failed ] || fail status
"$STILLPOINT" table e --root unsound1 >summary.txt || fail summary
grep -q '^audit FAILED: dp_gd, warm_start$' summary.txt || fail "summary: $(cat summary.txt)"
"$STILLPOINT" table e --format latex --root unsound1 | grep -q '^% audit FAILED: dp_gd, warm_start$' || fail "summary --format latex"
! "$STILLPOINT" table e --root one | grep -q audit || fail "summary of sound methods"
grep -q 'audit failed' unsound1/plots/e/rate.svg || fail "the figure says nothing"
! grep -q 'audit failed' one/plots/e/rate.svg || fail "the figure of sound methods says something"

# --- interrupted ---------------------------------------------------------------------------------------------------------
# adaptive_spider takes some seconds. The runs are stored and their tables written by then; the next run makes the rest.
sed 's/"warm_start",.*/"adaptive_spider" } },/; s/claims = .*//; s/figures = .*//' \
    e.lua >long.lua
rm -rf cache
env --default-signal=INT "$STILLPOINT" run long.lua --no-plot -j 2 2>run.err &
parent=$!
for _ in $(seq 1 6000); do
    ! grep -q '^auditing, ' run.err || [ "$(ls cache/audits 2>/dev/null | wc -l)" -eq 0 ] || break
    sleep 0.01
done
kill -INT $parent
code=0
wait $parent || code=$?
[ $code -eq 130 ] || fail "exit code $code: $(cat run.err)"
grep -q 'interrupted: 1 methods are left to be audited; the runs are stored, the tables are written' run.err || fail "$(cat run.err)"
[ "$(awk -F '\t' 'NR > 1 && $0 ~ /\tok\t/' results/long/runs.tsv | wc -l)" -eq 144 ] || fail "runs.tsv"
[ "$(word results/long dp_gd)" = yes ] && [ "$(word results/long adaptive_spider)" = no ] || fail "$(cat results/long/audits.tsv)"
"$STILLPOINT" run long.lua --no-plot 2>run.err || fail "$(cat run.err)"
grep -q '^long: 144 runs: 0 done now, 144 there before, ' run.err || fail "$(cat run.err)"
grep -q '^audits: 2 methods: 1 made now, 1 known before, 0 left out, 0 failed' run.err || fail "$(cat run.err)"
[ "$(word results/long adaptive_spider)" = yes ] || fail "$(cat results/long/audits.tsv)"
