#!/bin/sh
# A method of one's own in the field of experiments/standard.lua: what `versus` prints is what its tables say, counted here by
# awk; what it runs is an experiment like any other; a grid of another size, a method that fits nothing and a file that it has
# not written are refused.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
# codes EXPECTED WORDS...: leaves the output in out.txt and err.txt.
codes() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>err.txt || code=$?
    [ $code -eq "$expected" ] || { cat out.txt err.txt >&2; fail "$*: exit code $code, expected $expected"; }
}
says() { grep -qF -- "$1" out.txt err.txt || { cat out.txt err.txt >&2; fail "it does not say '$1'"; }; }

# The method of the page.
awk '/^```lua/ { inside = 1; next } /^```/ { inside = 0 } inside' "$SOURCE/docs/how_to/against_the_field.md" >mine.lua
codes 0 compare --versus mine.lua --scale smoke
says 'experiment: versus_mine.lua'
says 'excess_risk of 20 methods on 12 tasks, 6 problems with their budgets; * yours'
[ "$(grep -c '^\* ' out.txt)" -eq 1 ] && grep -q '^\* descent ' out.txt || { cat out.txt >&2; fail "the star"; }
says 'descent against each, excess_risk:'
says 'tuned on a grid of 9 points, as the others; not audited at the scale smoke'
cp out.txt verdict.txt
codes 0 compare --versus mine.lua --scale smoke --plain
cp out.txt plain.txt
[ ! -s err.txt ] || { cat err.txt >&2; fail "a second one runs something"; }

# Every share, rank and cost once more, from runs.tsv and cells.tsv; ranks are 0 for the best, and ties share theirs.
awk -F '\t' 'FNR == 1 { delete at; for (i = 1; i <= NF; i++) at[$i] = i; if (FILENAME == ARGV[1]) split($0, name); next }
    FILENAME == ARGV[1] {
        label[$1] = $at["label"]; n[$1] = $at["problem.n"]; losses[$1] = $at["losses"]; private[$1] = $at["private"] == "yes"
        for (i = 1; i <= NF; i++) if (name[i] ~ /^problem\./) problem[$1] = problem[$1] " " $i
        task[$1] = problem[$1] " " $at["privacy.epsilon"]
        next
    }
    { c = $at["cell"]; count[c]++; sum[c] += $at["excess_risk"]; if ($at["status"] != "ok") exit 1
      calls[c] += $at["gradients"] + 2 * $at["differences"] + $at["hessians"] + (("losses" in at) ? $at["losses"] : losses[c]) }
    END {
        for (c in private) if (private[c]) {
            mean[c] = sum[c] / count[c]; t = task[c]
            if (!(t in best)) tasks++
            if (!(t in best) || mean[c] < best[t]) best[t] = mean[c]
        }
        for (c in mean) {
            l = label[c]; r = mean[c] / best[task[c]]; less = others = 0
            for (o in mean) if (o != c && task[o] == task[c]) { others++; less += mean[o] < mean[c] ? 1 : mean[o] == mean[c] ? 0.5 : 0 }
            rank[l, problem[c]] += less / others; of[l, problem[c]]++
            one[l] += r <= 1; two[l] += r <= 2; reached[l]++
            if (calls[c] > 0) { cost[l] += log(calls[c] / count[c] / n[c]); paid[l]++ }
        }
        for (k in rank) { split(k, part, SUBSEP); whole[part[1]] += rank[k] / of[k]; problems[part[1]]++ }
        for (l in reached) printf "%s\t%.6f\t%.6f\t%.6f\t%d\t%s\n", l, whole[l] / problems[l], one[l] / tasks, two[l] / tasks,
            reached[l], paid[l] ? sprintf("%.6f", exp(cost[l] / paid[l])) : "NaN"
    }' results/versus_mine.smoke/cells.tsv results/versus_mine.smoke/runs.tsv | sort >expected.txt
awk -F '\t' '$2 == "yes" || $2 == "no" { printf "%s\t%.6f\t%.6f\t%.6f\t%d\t%s\n", $1, $4, $7, $10, $20, $21 == "NaN" ? "NaN" : sprintf("%.6f", $21) }' \
    plain.txt | sort >told.txt
[ "$(wc -l <told.txt)" -eq 20 ] || fail "not 20 methods"
count=$(awk -F '\t' '$1 == "descent" { printf "%.0f", 12 * $4 }' expected.txt) # a count of tasks, no share
grep -qF "within 2x of the best on $count of 12 tasks" verdict.txt || { cat verdict.txt >&2; fail "not $count of 12 tasks"; }
diff expected.txt told.txt >&2 || fail "what it tells is not what the tables say"
awk -F '\t' '$2 == "no" || $2 == "yes" { rank[++rows] = $4; place[rows] = $3; if (rows > 1 && $4 < rank[rows - 1]) exit 1 }
    END { for (i = 1; i <= rows; i++) { less = 1; for (j = 1; j <= rows; j++) less += rank[j] < rank[i]; if (less != place[i]) exit 1 } }' \
    plain.txt || fail "the order, or a place"
[ "$(awk -F '\t' '$1 == "descent" && $2 != "yes"' plain.txt | wc -l)" -eq 19 ] || fail "not 19 others"
codes 0 compare --score versus_mine --scale smoke --plain --table scores --measure excess_risk
awk -F '\t' '$1 == "descent"' out.txt | cut -f 1,2,4- | # but for `problems`, which versus does not print
    tr '\t' '\n' | sort >scores.txt
awk -F '\t' '$1 == "descent" && $2 == "yes"' plain.txt | tr '\t' '\n' | sort | comm -13 - scores.txt >missing.txt
[ ! -s missing.txt ] || { cat missing.txt >&2; fail "score says other numbers"; }

# An experiment like any other.
codes 0 compare versus_mine dp_gd descent --scale smoke --measure excess_risk
codes 0 run versus_mine.lua --scale smoke --quiet --no-plot --allow-skipped
codes 0 archive ./versus_mine.lua --scale smoke
tar tf versus_mine.smoke.tar | grep -qxF experiments/mine.lua || fail "its file in the archive"
codes 0 compare --versus mine.lua --scale smoke --measure grad_norm --quiet
says 'grad_norm of 20 methods'

# An experiment of one's own, of which the entries that the field has not count; a program; methods by name.
mkdir own
cat >own/all.lua <<'LUA'
local one = include "sub.lua"
return { seed = 1, problem = { loss = "logistic", data = "logistic", n = 100, d = 3 }, privacy = { epsilon = 1, delta = 1e-5 },
         algorithms = { { "dp_gd", steps = 3 }, one, { "external", label = "program", command = { "sh", "p.sh" } }, "gd" },
         measures = { "grad_norm" } }
LUA
sed 's/^return .*/return { "descent", steps = 7 }/' mine.lua >own/sub.lua
: >own/p.sh
codes 0 compare --versus own/all.lua --dry-run --scale smoke
codes 0 plan own/versus_all.lua --plain --scale smoke
for label in descent program; do
    [ "$(grep -c "	$label	" out.txt)" -eq 12 ] || { cat out.txt >&2; fail "$label is not in the field"; }
done
codes 0 compare --versus langevin --tune 'eta = { 0.1, 1, 10 }, steps = { 5, 20, 80 }' --dry-run --scale smoke
grep -qF 'local yours = { "langevin", tune = { eta = { 0.1, 1, 10 }, steps = { 5, 20, 80 } } }' versus_langevin.lua || fail "--tune"
codes 0 compare --versus dp_gd --dry-run
codes 0 compare --versus dp_gd --tune 'eta = { 0.1, 1, 10 }, steps = { 5, 20, 80 }' --dry-run
codes 0 plan versus_dp_gd.lua --plain
[ "$(grep -c '	dp_gd, yours	' out.txt)" -eq "$(grep -c '	dp_gd	' out.txt)" ] || fail "dp_gd, yours"
[ ! -e results/versus_langevin ] && [ ! -e results/versus_dp_gd ] || fail "--dry-run ran something"

# A method of which no run succeeds is not left out in silence, the second time neither; once it is mended, one call is enough.
mkdir mended
for half in 'error("no")' ''; do # after the first release, which a rehearsal does not reach
    sed "s/o:project(w)/& $half/; s/descent/mended/g" mine.lua >mended/mended.lua
    for time in 1 2; do
        [ -z "$half" ] || codes 1 compare --versus mended/mended.lua --scale smoke --quiet
        [ -z "$half" ] || tail -n 1 err.txt | grep -q 'mended is not compared' || { cat err.txt >&2; fail "the reason, time $time"; }
    done
    [ -n "$half" ] || codes 0 compare --versus mended/mended.lua --scale smoke --quiet
done
says 'excess_risk of 20 methods'

# Mistakes.
codes 2 compare --versus
codes 2 compare --versus dp_gf
says 'no method is named dp_gf; did you mean dp_gd?'
codes 2 compare --versus xyzzy
says 'a file ends in .lua'
codes 2 compare --versus none.lua
says 'none.lua: no such file'
codes 2 compare --versus mine.lua --tune 'eta = { 1 }'
says '--tune is for a METHOD'
codes 2 compare --versus mine.lua --measure accuracy --scale smoke
says 'standard.lua has no measure accuracy'
codes 2 compare --versus mine.lua --scale tiny
says 'tiny'
codes 2 compare --versus langevin --tune 'eta = { 0.1, 1 ' --dry-run
says 'versus_langevin.lua:'
codes 2 compare --versus langevin --tune 'eta = { 0.1, 1 }' --dry-run
says 'versus_langevin.lua'
says '9'
sed 's/tune = .*/tune = { eta = { 1, 2 } } }/' mine.lua >small.lua
codes 2 compare --versus small.lua --scale smoke
says '2 grid points, algorithms[1].tune has 9'
sed 's/params =/fits = function () return "it fits nothing" end, params =/' mine.lua >nothing.lua
codes 2 compare --versus nothing.lua --scale smoke
says 'descent fits none of the problems: '
says 'it fits nothing'
codes 2 compare --versus gd --dry-run
says 'gd spends no budget on the records'
echo 'return { algorithms = { "dp_gd" } }' >field.lua
codes 2 compare --versus field.lua --dry-run
says 'field.lua: of its algorithms there is none that the field has not'
echo 'return { 7 }' >seven.lua
codes 2 compare --versus seven.lua --dry-run
says 'algorithms[22]: must be { "name", parameter = value }'
echo '-- mine' >versus_theirs.lua
cp mine.lua theirs.lua
codes 2 compare --versus theirs.lua --dry-run
says 'versus_theirs.lua: it is there, and not written by `stillpoint compare --versus`'
[ "$(cat versus_theirs.lua)" = '-- mine' ] || fail "it wrote over a file"
cp mine.lua folder.lua
mkdir versus_folder.lua
codes 1 compare --versus folder.lua --dry-run # no mistake of who asks
says 'versus_folder.lua: '
