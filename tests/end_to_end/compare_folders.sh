#!/bin/sh
# compare RESULTS1 RESULTS2: two folders of one experiment, run for run. What was changed by hand in the second one is what
# is told, and the exit code says how much it is.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
# codes EXPECTED WORDS...: leaves the output in out.txt and err.txt.
codes() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" compare "$@" >out.txt 2>err.txt || code=$?
    [ $code -eq "$expected" ] || { cat out.txt err.txt >&2; fail "compare $*: exit code $code, expected $expected"; }
}
says() { grep -qF -- "$1" out.txt || { cat out.txt >&2; fail "it does not say '$1'"; }; }
# change AWK: two/ is one/ with every run's fields changed by a program that has the columns of its cell as well.
change() {
    rm -rf two
    cp -r one two
    sh "$SOURCE/tests/unsealed.sh" two/results/twice
    awk -F '\t' -v OFS='\t' -v CONVFMT=%.17g -v OFMT=%.17g 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME == ARGV[1], $i] = i; if (FILENAME != ARGV[1]) print; next }
        FILENAME == ARGV[1] { label[$1] = $at[1, "label"]; n[$1] = $at[1, "problem.n"]; next }
        { c = $at[0, "cell"]; r = $at[0, "replicate"]; g = at[0, "grad_norm"]; '"$1"' }
        { print }' two/results/twice/cells.tsv two/results/twice/runs.tsv >runs.tsv
    mv runs.tsv two/results/twice/runs.tsv
}

cat >twice.lua <<'LUA'
return { seed = 41, replicates = 6, problem = { loss = "pseudo_huber", data = { "signs", mean = 0.3 }, n = { 100, 300 }, d = 4 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 3 }, { "dp_spider", parameters = "theory" } },
         measures = { "grad_norm", "objective" } }
LUA
for root in one same; do "$STILLPOINT" run twice.lua --quiet --no-plot --root $root -j 2 || fail run; done

# Made twice: the same bytes.
codes 0 one/results/twice same/results/twice
says '1: one/results/twice: 24 runs, commit '
says '24 runs in both: 24 the same in every field'
codes 0 --root one twice same/results/twice/

# Rounding: the twelfth digit.
change 'if (label[c] == "dp_gd" && n[c] == 100 && r < 4) $g *= 1 + 1e-12'
codes 3 one/results/twice two/results/twice
says '24 runs in both: 20 the same in every field; others differ in grad_norm (4)'
grep -q '^rounding   main/dp_gd at n=100: grad_norm 2 / 1 off by at most 1e-12 of its size (6 pairs, 2 the same)$' out.txt ||
    { cat out.txt >&2; fail "rounding"; }
says '1 cell and measures differ: 1 by rounding'

# Half as large on all replicates: better, which a sign test shows, for all pairs differ by the same. Larger: worse.
change 'if (label[c] == "dp_gd" && n[c] == 300) $g *= 0.5'
codes 4 one/results/twice two/results/twice
grep -q '^better     main/dp_gd at n=300: grad_norm 2 / 1 median 0.5 \[0.5, 0.5\], p = 0.031 (6 pairs, 0 the same, sign test)$' out.txt ||
    { cat out.txt >&2; fail "better"; }
codes 4 two/results/twice one/results/twice
says 'worse      main/dp_gd at n=300: grad_norm 2 / 1 median 2'

# Up and down by some percent: a difference in every run, and none is shown.
change 'if (label[c] == "dp_spider") $g *= exp((r % 2 ? 1 : -1) * 0.001 * (1 + r))'
codes 3 one/results/twice two/results/twice
says 'equivalent main/dp_spider at n=100: grad_norm 2 / 1 '
codes 3 one/results/twice two/results/twice --margin 0.0001
says 'undecided  main/dp_spider at n=300: grad_norm 2 / 1 '
codes 3 one/results/twice two/results/twice --quiet
! grep -q '^undecided' out.txt || fail "--quiet prints cells"
codes 3 one/results/twice two/results/twice --measure objective
! grep -q '^equivalent' out.txt || fail "--measure prints others"

# The interval by hand: the mean of six logarithms -+ 2.570581836 s / sqrt(6).
codes 3 one/results/twice two/results/twice --plain
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { rows++; m = s = 0
      for (r = 0; r < 6; r++) m += (r % 2 ? 1 : -1) * 0.001 * (1 + r) / 6
      for (r = 0; r < 6; r++) s += ((r % 2 ? 1 : -1) * 0.001 * (1 + r) - m) ^ 2
      half = 2.570581835636314 * sqrt(s / 5) / sqrt(6)
      off = ($at["estimate"] - exp(m)) ^ 2 + ($at["low"] - exp(m - half)) ^ 2 + ($at["high"] - exp(m + half)) ^ 2
      if (!(off < 1e-18) || $at["pairs"] != 6 || $at["same"] != 0 || $at["word"] != "equivalent") bad++ }
    END { exit !(rows == 2 && bad == 0) }' out.txt || { cat out.txt >&2; fail "the interval"; }

# Another ending, another text, runs that only one has.
change 'if (label[c] == "dp_gd" && n[c] == 100 && r == 3) { $at[0, "status"] = "SP_ELIMIT"; $g = $at[0, "objective"] = "NaN" }'
codes 4 one/results/twice two/results/twice
says 'others differ in status (1), grad_norm (1), objective (1)'
says '(6 pairs, 5 the same, sign test; failed: 0 and 1)'
change 'if (r == 5) $at[0, "warning"] = "a new one"'
if grep -q 'warning' one/results/twice/runs.tsv; then
    codes 3 one/results/twice two/results/twice
    says '20 the same in every field; others differ in warning (4)'
fi
change 'if (label[c] == "dp_spider" && n[c] == 100 && r > 3) next'
codes 4 one/results/twice two/results/twice
says 'only in 1: main/dp_spider at n=100 (2 runs)'
says '22 runs in both: 22 the same in every field'
codes 4 two/results/twice one/results/twice
says 'only in 2: main/dp_spider at n=100 (2 runs)'

# Other columns: what one has not is said.
rm -rf two && cp -r one two
sed -i 's/"grad_norm", "objective"/"grad_norm"/' twice.lua
"$STILLPOINT" run twice.lua --quiet --no-plot --root fewer -j 2
codes 3 one/results/twice fewer/results/twice
says '2 columns only in 1'

# What is no pair of folders.
sed -i 's/seed = 41/seed = 42/' twice.lua
"$STILLPOINT" run twice.lua --quiet --no-plot --root other -j 2
codes 2 one/results/twice other/results/twice
grep -q 'have no run in common' err.txt || fail "no run in common"
codes 2 nowhere one/results/twice
grep -q 'results/nowhere: no tables there yet' err.txt || { cat err.txt >&2; fail "nowhere"; }
codes 2 one/results/twice two/results/twice --measure accuracy
grep -q 'what both have measured has no measure accuracy' err.txt || { cat err.txt >&2; fail "no such measure"; }
printf 'x\n' >two/results/twice/runs.tsv
codes 1 one/results/twice two/results/twice
grep -q 'no column cell' err.txt || { cat err.txt >&2; fail "a broken table"; }
