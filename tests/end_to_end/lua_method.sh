#!/bin/sh
# A method in Lua as a user runs it: beside its twin in C, tuned, inside another method; what breaks costs its own runs
# and names its line; edits of what it is made of make its runs stale, other edits do not; it is audited; any number of
# workers gives the same bytes. The experiment of docs/how_to/method_in_lua.md runs as it stands.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
run() { "$STILLPOINT" "$@" >out.txt 2>err.txt || { cat out.txt err.txt >&2; fail "$*"; }; }

experiment() { # the factor of the step, the steps of gd, a comment
    cat <<LUA
-- $3
local factor = $1
algorithm{ name = "descent", params = { steps = 20, eta = 0.5 }, run = function (o, p, w)
  local m = o:calibrate{ { kind = "gradient", count = p.steps } }
  local all = o:draw("full")
  for t = 1, p.steps do
    w:add(-factor * p.eta, o:gradient(all, w, m[1]))
    o:checkpoint(t, w)
  end
end }
algorithm{ name = "broken", run = function (o, p, w)
  local g = o:gradient(o:draw(), w, 8)
  w:add(1, g:nothing())
end }
return {
  seed = 17, replicates = 3,
  problem = { loss = "pseudo_huber", data = "linear", n = { 200, 500 }, d = 5 },
  privacy = { epsilon = 2, delta = 1e-6, noise = "off" },
  algorithms = { { "descent" }, { "dp_gd", eta = 0.5, steps = 20, select = "last" }, { "broken" }, { "gd", steps = $2 },
                 { "descent", label = "tuned", tune = { eta = { 0.25, 1 }, steps = { 5, 10 } } },
                 { "warm_start", first = { "descent" }, second = { "dp_gd" }, privacy = { noise = "on" } } },
  measures = { "grad_norm" },
}
LUA
}
experiment 1 30 first >e.lua
code=0
"$STILLPOINT" run e.lua --no-audit -j 1 >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] || { cat err.txt >&2; fail "exit code $code, where six runs fail"; }

awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["cell"], $at["label"] }' \
    results/e/cells.tsv >labels
values() { # label, column of runs.tsv
    awk -F '\t' -v label="$1" -v name="$2" '
        FILENAME == "labels" { split($0, f, " "); if (f[2] == label) mine[f[1]]; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["cell"] in mine { print $at[name] }' labels results/e/runs.tsv
}
values descent grad_norm >a
values dp_gd grad_norm >b
[ "$(wc -l <a)" -eq 6 ] || fail "$(wc -l <a) runs of descent"
cmp a b || fail "descent in Lua is not dp_gd"
values broken message | sort -u >said
grep -q "^e.lua:13: vector has no method 'nothing'" said || { cat said >&2; fail "what a broken method says"; }
[ "$(values broken status | sort -u)" = SP_EINVAL ] || fail "status of a broken method: $(values broken status)"
[ "$(values tuned status | sort -u)" = ok ] || fail "the tuned one: $(values tuned message | sort -u)"
[ "$(values warm_start status | sort -u)" = ok ] || fail "inside warm_start: $(values warm_start message | sort -u)"

# A method that does not come back, in Lua or in a function of its library, costs its own runs: plan names it and tries the
# others, whose mistakes are still mistakes.
cat >c.lua <<'LUA'
algorithm{ name = "endless", run = function (o, p, w) while true do end end }
algorithm{ name = "pattern", run = function (o, p, w) local s = ("a"):rep(40):find((".-"):rep(12) .. "b") end }
algorithm{ name = "counts", params = { steps = 3 }, run = function (o, p, w)
  o:calibrate{ { kind = "gradient", count = p.steps } }
end }
return {
  seed = 3, measures = { "grad_norm" }, privacy = { epsilon = { 2, 3 }, delta = 1e-6 },
  problem = { loss = "pseudo_huber", data = "linear", n = { 160, 208 }, d = 5 },
  algorithms = { { "endless" }, { "pattern" }, { "counts" }, { "dp_gd", steps = 2 } },
}
LUA
run plan c.lua
grep -q '^advice: main/endless: c.lua:1: ' out.txt && grep -q '^advice: main/pattern: .* 10 s ' out.txt ||
    { cat out.txt >&2; fail "methods that do not come back"; }
grep -q '^cost  main/counts: 480 to 624 oracle calls ' out.txt && grep -q '^cost  main/dp_gd: 320 to 416 oracle calls ' out.txt ||
    { cat out.txt >&2; fail "what is announced"; }
sed 's/steps = 2 }/steps = 2 }, { "dp_sgd", batch = 161 }/' c.lua >c2.lua
"$STILLPOINT" plan c2.lua >out.txt 2>err.txt && fail "a mistake behind methods that do not come back: planned"
grep -q '^stillpoint: c2.lua:9: dp_sgd of sweep main, n = 160, .*161' err.txt || { cat err.txt >&2; fail "the mistake behind them"; }
# A schedule that no machine gets through is seen before it runs.
cat >long.lua <<'LUA'
return { seed = 1, measures = { "objective" }, problem = { loss = "pseudo_huber", data = "signs", n = 1e5, d = 5 },
  privacy = { epsilon = { 1, 1e6 }, delta = 1e-6 }, algorithms = { { "dp_gd" }, { "dp_sgd" } } }
LUA
run plan long.lua
grep -q '^advice: main/dp_gd: a run of cell 3 asks for [0-9.]*e+1[0-9] oracle calls, about ' out.txt ||
    { cat out.txt >&2; fail "a schedule of days"; }
grep -q '^advice: main/dp_sgd: a run' out.txt && fail "dp_sgd takes days"

# What each parameter was is a column, whoever decided it: given, a default, a function of the constants, a grid, C.
cat >r.lua <<'LUA'
algorithm{ name = "heavy", params = { steps = 3, momentum = 0.875, kind = "ball", fast = true,
                                      clip = function (c) return c.n / 64 end }, run = function (o, p, w) end }
return {
  seed = 3, replicates = 2, measures = { "grad_norm" }, privacy = { epsilon = 2, delta = 1e-6 },
  problem = { loss = "pseudo_huber", data = "linear", n = { 160, 208 }, d = 5 },
  algorithms = { { "heavy" }, { "heavy", label = "given", momentum = 0.25, kind = "plain", fast = false, clip = 7 },
                 { "dp_gd", eta = 0.375, select = "last" }, { "warm_start", first = { "heavy" }, second = { "dp_gd", steps = 4 } } },
}
LUA
"$STILLPOINT" run r.lua --no-audit --no-plot -j 1 --quiet || fail "run r.lua"
cells() { # label, column
    gzip -cdf results/r/cells.tsv* | awk -F '\t' -v label="$1" -v name="resolved.$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; if (!(name in at)) print "no column " name; next }
        $at["label"] == label { printf "%s%s", n++ ? " " : "", $at[name] }'
}
while read -r label column wanted; do
    [ "$(cells "$label" "$column")" = "$wanted" ] || fail "resolved.$column of $label: $(cells "$label" "$column"), not $wanted"
done <<'END'
heavy momentum 0.875 0.875
heavy steps 3 3
heavy kind ball ball
heavy fast yes yes
heavy clip 2.5 3.25
heavy eta - -
given momentum 0.25 0.25
given kind plain plain
given fast no no
given clip 7 7
dp_gd eta 0.375 0.375
dp_gd select last last
warm_start first.momentum 0.875 0.875
warm_start second.steps 4 4
END
cells dp_gd steps | grep -Eq '^[0-9]+ [0-9]+$' || fail "resolved.steps of dp_gd: $(cells dp_gd steps)"
rm -r results/r

# The same bytes with two workers.
mkdir two
cp e.lua two
(cd two && "$STILLPOINT" run e.lua --no-audit -j 2 >/dev/null 2>&1) || true
for table in cells runs traces tuning; do
    cmp "results/e/$table.tsv" "two/results/e/$table.tsv" || fail "two workers: $table.tsv"
done

# What makes its runs stale: done, stale of a label
counts() { "$STILLPOINT" status e.lua >out.txt 2>&1 || true; awk -v name="main/$1" '$1 == name { print $3, $4, $5 }' out.txt; }
[ "$(counts descent)" = "6 0 0" ] || { cat out.txt >&2; fail "after a run"; }
experiment 1 30 "another comment
-- of two lines" >e.lua
[ "$(counts descent)" = "6 0 0" ] || { cat out.txt >&2; fail "a comment makes it stale"; }
experiment 1 31 first >e.lua
[ "$(counts descent)" = "6 0 0" ] || { cat out.txt >&2; fail "another method's parameter makes it stale"; }
experiment 1.5 30 first >e.lua
[ "$(counts descent)" = "0 0 6" ] || { cat out.txt >&2; fail "its factor does not make it stale: $(counts descent)"; }
grep -q "algorithm descent changed" out.txt || { cat out.txt >&2; fail "what changed is not said"; }
[ "$(counts dp_gd)" = "6 0 0" ] || { cat out.txt >&2; fail "dp_gd is stale"; }

# A mistake before the first record is told by plan.
cat >early.lua <<'LUA'
algorithm{ name = "early", run = function (o, p, w)
  local m = o:calibrat{ { kind = "gradient", count = 3 } }
end }
return { seed = 1, problem = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { "early" }, measures = { "grad_norm" } }
LUA
"$STILLPOINT" plan early.lua >out.txt 2>err.txt && fail "plan lets a mistake pass"
grep -q "early of sweep main.*early.lua:2: oracle has no method 'calibrat'; did you mean calibrate?" err.txt ||
    { cat err.txt >&2; fail "plan does not name the line"; }

# The page's own experiment, audited.
awk '/^```lua/ { inside = 1; next } /^```/ { inside = 0 } inside' "$SOURCE/docs/how_to/method_in_lua.md" >page.lua
run run page.lua
grep -q "audits: 2 methods: [0-2] made now, [0-2] known before, 0 left out, 0 failed" err.txt ||
    { cat err.txt >&2; fail "the page's method was not audited"; }
awk -F '\t' '$1 == "descent" && $3 == "yes" { found = 1 } END { exit !found }' results/page/audits.tsv ||
    { cat results/page/audits.tsv >&2; fail "descent did not pass its audits"; }
