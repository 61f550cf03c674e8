#!/bin/sh
# Claims from a Lua file to a verdict: runs, tables, `check` without Lua or store, its exit code, its figure.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# experiment EXPONENT FLOOR: one right claim in bound mode, one as given, and the runs without noise.
experiment() {
    cat <<LUA
return { seed = 11, replicates = 12,
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0 }, n = { 1e3, 3e3, 1e4, 3e4 }, d = 5 },
  privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 40, eta = 0.5, select = "last" }, $2 },
  measures = { "grad_norm" },
  claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1/2, mode = "bound" },
             { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = $1, tolerance = 0.1, mode = "theory" } },
  figures = { { name = "rate", kind = "rate", x = "n", y = "grad_norm" } },
  scales = { smoke = { replicates = 3 } } }
LUA
}
floor='{ "dp_gd", label = "silent", steps = 40, eta = 0.5, select = "last", privacy = { noise = "off" } }'

# codes EXPECTED WORDS...: runs check, leaves its output in out.txt.
codes() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" check "$@" >out.txt 2>err.txt || code=$?
    [ $code -eq "$expected" ] || { cat out.txt err.txt >&2; fail "check $*: exit code $code, expected $expected"; }
}

# A fixed schedule leaves noise of std ~ 1/n: the exponent is -1.
experiment -1 "$floor" >right.lua
experiment -1/4 "$floor" >wrong.lua
experiment -1.5 "$floor" >far.lua
experiment -1 "$(echo "$floor" | sed 's/40/41/')" >bare.lua # another schedule
for name in right wrong far bare; do "$STILLPOINT" run $name.lua -j 2 --quiet || fail "run $name"; done

codes 0 right
[ "$(grep -c ' AGREES ' out.txt)" -eq 2 ] || { cat out.txt >&2; fail "right: not two AGREES"; }
grep -q 'right AGREES .*dp_gd: grad_norm ~ n^-1 +-0.1 (theory): measured -' out.txt ||
    { cat out.txt >&2; fail "right: line"; }
cp out.txt results.txt
codes 0 wrong # better than claimed is no failure
grep -q ' STEEPER ' out.txt || { cat out.txt >&2; fail "wrong: not STEEPER"; }
codes 1 experiments/far.lua
grep -q ' SHALLOWER ' out.txt || { cat out.txt >&2; fail "far: not SHALLOWER"; }
codes 1 results/bare/
grep -q ' NOT_RESOLVED .*no run of the same schedule without noise' out.txt || { cat out.txt >&2; fail "bare: reason"; }
codes 2 # all that are there
words=$("$STILLPOINT" check --plain | sed 1d | awk -F '\t' '{ print $(NF - 2) }' | sort | uniq -c |
        awk '{ printf "%s=%d ", $2, $1 }')
[ "$words" = "AGREES=5 NOT_RESOLVED=1 SHALLOWER=1 STEEPER=1 " ] || fail "the words: $words"
tail -n 1 out.txt | grep -q ' 8 (5 agree, 1 not resolved, 1 steeper, 1 shallower)$' || { cat out.txt >&2; fail "all"; }
codes 2 --counts # the same count
[ "$(sed 1d out.txt | cut -f 1,3-)" = "$(printf 'theorem\t8\t5\t1\t0\t1\t1')" ] || { cat out.txt >&2; fail "counts"; }
[ "$(head -n 1 out.txt | cut -f 4-)" = "$(printf 'AGREES\tNOT_RESOLVED\tVACUOUS\tSTEEPER\tSHALLOWER')" ] || fail "columns"
codes 101 --counts --plain
codes 2 --quiet
[ "$(wc -l <out.txt)" -eq 2 ] || { cat out.txt >&2; fail "--quiet: more than what fails"; }

# What every line says; and that better is a failure too where the bound is tight.
for word in '\[-[0-9.]*, -[0-9.]*\]' 'fit p ' 'tail -' 'power ' 'p [0-9]' 'local -'; do
    grep ' AGREES .*(theory)' results.txt | grep -q "$word" || { cat results.txt >&2; fail "a line without $word"; }
done
sed 's/mode = "theory"/&, tight = true, rival = -3\/4, control = "silent", source = "Theorem 1"/' wrong.lua >tight.lua
"$STILLPOINT" run tight.lua -j 2 --quiet || fail "run tight"
codes 1 tight
grep -q ' STEEPER .*(theory, Theorem 1).*; does not exclude -0.75 (log LR -' out.txt ||
    { cat out.txt >&2; fail "tight"; }
rm -r results/tight

# --plain is fits.tsv with the experiment's name, and what audits found.
codes 2 --plain
[ "$(awk -F '\t' 'NR > 1 { print $NF }' out.txt | sort -u)" = yes ] || { cat out.txt >&2; fail "--plain: audited"; }
sed -i 's/\t[^\t]*$//' out.txt
{ sed 's/^/experiment\t/;q' results/bare/fits.tsv
  for name in bare far right wrong; do sed "1d; s/^/$name\t/" results/$name/fits.tsv; done; } | cmp - out.txt ||
    fail "--plain"

# The tables alone are enough, and a run that is not there is found out.
mkdir -p elsewhere/results/right
cp results/right/*.tsv results/right/SEAL elsewhere/results/right/
rm -f elsewhere/results/right/summary.tsv elsewhere/results/right/fits.tsv # they are not needed
codes 0 --root elsewhere
# A run that was removed, a digit that was changed, tables without a seal.
sed -i '5d' elsewhere/results/right/runs.tsv
codes 101 --root elsewhere right
grep -q 'elsewhere/results/right/runs.tsv:5: .*replicate 3 of cell 1 ' err.txt || { cat err.txt >&2; fail "a missing run"; }
awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "grad_norm") k = i } NR == 9 { $k /= 2 } { print }' \
    results/right/runs.tsv >elsewhere/results/right/runs.tsv
codes 101 --root elsewhere right
grep -q "elsewhere/results/right/runs.tsv:9: .*$(awk 'NR == 9 { print $1 }' results/right/runs.tsv)" err.txt ||
    { cat err.txt >&2; fail "a changed digit"; }
cp results/right/runs.tsv elsewhere/results/right/runs.tsv
mv elsewhere/results/right/SEAL elsewhere
codes 101 --root elsewhere right
grep -q 'stillpoint verify --seal right' err.txt || { cat err.txt >&2; fail "tables of format 0"; }
sed 's/seal\t1/seal\t99/' elsewhere/SEAL >elsewhere/results/right/SEAL
codes 101 --root elsewhere right
grep -q 'format 99' err.txt || { cat err.txt >&2; fail "a newer format"; }
mv elsewhere/SEAL elsewhere/results/right
# A run that was never made is missing in the table and in its seal.
sh "$SOURCE/tests/unsealed.sh" elsewhere/results/right
sed -i '5d' elsewhere/results/right/runs.tsv
"$STILLPOINT" verify --seal right.lua --root elsewhere --plain --quiet || fail "seal"
codes 2 --root elsewhere right
grep -q '47 of 48 runs are there' out.txt || { cat out.txt >&2; fail "a run that was not made"; }

# Without figures the claims are exported too; a scale has its own folder.
"$STILLPOINT" run right.lua --scale smoke --no-plot --quiet || fail "run --scale smoke"
[ -s results/right.smoke/claims.tsv ] || fail "no claims.tsv without figures"
code=0
"$STILLPOINT" check --scale smoke >out.txt || code=$?
grep -q '^right.smoke ' out.txt || { cat out.txt >&2; fail "--scale"; }
! grep -q '^right ' out.txt || fail "--scale shows other scales"

codes 101 nothing
grep -q 'nothing: no claims.tsv there yet' err.txt || { cat err.txt >&2; fail "nothing"; }
codes 101 rihgt
grep -q 'results/rihgt: no tables there; did you mean right?' err.txt || { cat err.txt >&2; fail "a name with a typo"; }
echo garbage >results/far/claims.tsv
codes 101 far right # the other one is judged all the same
grep -q ' AGREES ' out.txt || fail "right after a damaged table"

grep -q 'theory.*n}^{' results/right/figures/rate.tsv || fail "the figure has no theory line"
grep -q 'without noise' results/right/figures/rate.tsv || fail "the figure has no floor"
grep -q ': agrees' results/right/figures/rate.tsv || fail "the figure has no verdict"
! grep -q 'silent' results/right/figures/rate.tsv || fail "the floor is a curve too"
[ -s plots/right/rate.svg ] || fail "no figure"

# A theorem whose parameters were cut shows nothing; where nothing was cut at a point that counts it does.
cat >capped.lua <<'LUA'
local function claim(x)
  return { algorithm = "dp_spider", y = "grad_norm", x = "n", exponent = -2/3, tolerance = 0.25, mode = x.mode,
           to = x.to, floor = 0, scatter = 1 }
end
return { seed = 11, replicates = 40,
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0 }, n = { 500, 1e3, 2e3, 4e3 }, d = 5 },
  privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "dp_spider", parameters = "theory_capped", max_gradients = 8e6, select = "last" } },
  measures = { "grad_norm" },
  claims = { claim { mode = "theory" }, claim { mode = "theory", to = 2e3 }, claim { mode = "bound" } } }
LUA
"$STILLPOINT" run capped.lua -j 2 --quiet || fail "run capped"
"$STILLPOINT" check capped >out.txt 2>err.txt || { cat out.txt err.txt >&2; fail "check capped"; }
caps='1 of 4 points were capped: .*steps = [0-9]* instead of [0-9]* at n = 4000$'
sed -n 1p out.txt | grep -q "capped VACUOUS .*: $caps" ||
    { cat out.txt >&2; fail "capped: reason"; }
sed -n 2p out.txt | grep -q 'capped AGREES ' || { cat out.txt >&2; fail "capped beyond its range"; }
sed -n 3p out.txt | grep -q "capped AGREES .*: $caps" || { cat out.txt >&2; fail "capped bound"; }

# Labels may hold what tables are cut at, and what stands in them for nothing.
cat >labels.lua <<'LUA'
return { seed = 11, replicates = 3,
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0 }, n = { 1e3, 3e3, 1e4 }, d = 5 }, privacy = "none",
  algorithms = { { "gd", label = [[a\b]], steps = { 5, 40 } }, { "gd", label = "m=, -", steps = 6 } },
  measures = { "grad_norm" },
  claims = { { algorithm = [[a\b]], y = "grad_norm", x = "n", exponent = 0, mode = "bound", where = { steps = 40 } },
             { algorithm = "m=, -", y = "grad_norm", x = "n", exponent = 0, mode = "bound", where = { label = "m=, -" } } } }
LUA
"$STILLPOINT" run labels.lua -j 2 --quiet || fail "run labels"
code=0
"$STILLPOINT" check labels >out.txt 2>err.txt || code=$?
[ $code -le 2 ] && [ "$(wc -l <out.txt)" -eq 3 ] || { cat out.txt err.txt >&2; fail "labels: exit code $code"; }
! grep -q 'runs are there' out.txt || { cat out.txt >&2; fail "labels lose their runs"; }
"$STILLPOINT" compare labels 'm=, -' 'a\b' --plain >out.txt || fail "compare labels"
grep -qF 'main	a\\b	m=, -	' out.txt || { cat out.txt >&2; fail "compare labels"; }

# An edited file that the script includes is another text, too; its comments are not.
mkdir including
cd including
echo 'return { 300, 1000, 3000 }' >sizes.lua
cat >whole.lua <<'LUA'
return { seed = 3, replicates = 3, privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { "dp_gd" }, measures = { "grad_norm" },
         problem = { loss = "circular", data = "angles", n = include("sizes.lua"), d = 4 },
         claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1/2, rival = -2/3, mode = "theory" } } }
LUA
"$STILLPOINT" run whole.lua --quiet --no-plot --no-audit || fail "run of a script that includes a file"
echo '-- as it was' >>sizes.lua
code=0
"$STILLPOINT" check whole >out.txt 2>err.txt || code=$?
[ $code -lt 101 ] || { cat err.txt >&2; fail "a comment in an included file: exit code $code"; }
sed -i 's/3000/3001/' sizes.lua
code=0
"$STILLPOINT" check whole >out.txt 2>err.txt || code=$?
[ $code -eq 101 ] && grep -q 'sizes.lua' err.txt || { cat err.txt >&2; fail "an included file was edited: exit code $code"; }
