#!/bin/sh
# Figures: the examples of docs/how_to/figures.md run and are drawn as they say; a style of one's own; what `plan` says of a
# gnuplot that cannot draw a format; committed tables give the committed figures.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# example LANGUAGE: the block of that language
example() {
    awk -v language="$1" '$0 == "```" language { inside = 1; next } $0 == "```" { inside = 0 } inside' \
        "$SOURCE/docs/how_to/figures.md"
}
example lua >looks.lua
example gnuplot >mine.gp
[ -s looks.lua ] && [ -s mine.gp ] || fail "docs/how_to/figures.md has no examples"
"$STILLPOINT" plan looks.lua >out.txt || fail "the example is not planned"
if grep "can be drawn here" out.txt; then fail "this gnuplot lacks a terminal"; fi
"$STILLPOINT" run looks.lua --quiet || fail "the example does not run"
for file in dimensions.svg dimensions.pdf column.svg profile.svg square.svg price.svg calls.svg clock.timings.svg; do
    [ -s plots/looks/$file ] || fail "no $file"
done
[ "$(find plots/looks -type f | wc -l)" -eq 8 ] || fail "other files: $(ls plots/looks)"
figures=results/looks/figures
value() { awk -F '\t' -v key="$2" '$1 == key { print $2; exit }' $figures/$1.tsv; }
[ "$(value dimensions panels)" -eq 4 ] && [ "$(value dimensions across)" -eq 2 ] || fail "the panels of a facet"
grep -q 'width="317"' plots/looks/column.svg || fail "a column of 84 mm is 317 pixels of 1/96 inch"
grep -q 'width="657"' plots/looks/dimensions.svg || fail "two columns of 174 mm are 657 pixels"
if grep -q dp_sgd $figures/column.tsv; then fail "a method that was not asked for"; fi
# Of four dimensions and three budgets.
grep -q '12 problems; mean of 3 replicates' $figures/profile.tsv || fail "the problems of a profile"
grep -q 'left out, not private: gd' $figures/profile.tsv || fail "who is not in a profile"
# Four problems, a task each at three budgets; a field for each of three methods against the others.
grep -q '3 methods, 4 problems, 12 tasks; mean of 3 replicates' $figures/square.tsv || fail "the tasks of a square"
[ "$(value square fields)" -eq 3 ] && [ "$(grep -c '	\(better\|worse\|equivalent\|undecided\)$' $figures/square.tsv)" -eq 6 ] ||
    fail "the fields of a square"
[ "$(value price panels)" -eq 2 ] && [ "$(value price curves)" -eq 3 ] || fail "the panels of a price"
# A difference asks at two points: what the trajectory of dp_spider ends at is its runs' total of traces.tsv.
awk -F '\t' 'NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[i] = $i; next }
    NR == FNR { for (i = 1; i <= NF; i++) cell[$1, at[i]] = $i; next }
    FNR == 1 { split("", col); for (i = 1; i <= NF; i++) col[$i] = i; next }
    cell[$col["cell"], "label"] == "dp_spider" && cell[$col["cell"], "problem.d"] == 4 &&
        cell[$col["cell"], "privacy.epsilon"] == 1 { print $col["run"] }' results/looks/cells.tsv results/looks/runs.tsv \
    >spiders.txt
[ "$(wc -l <spiders.txt)" -eq 3 ] || fail "three runs of dp_spider"
calls=$(awk -F '\t' 'NR == FNR { run[$1] = 1; next } FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
    $1 in run { total = $col["gradients"] + 2 * $col["differences"] + $col["hessians"] + $col["losses"]
                if (total > most[$1]) most[$1] = total }
    END { for (r in most) sum += most[r]; printf "%.6g", sum / 3 }' spiders.txt results/looks/traces.tsv)
drawn=$(awk -F '\t' 'index($2, "_spider") && $3 == "low" { inside = 1; next } NF < 6 { inside = 0 } inside { last = $1 }
    END { printf "%.6g", last }' $figures/calls.tsv)
[ "$calls" = "$drawn" ] && [ "$calls" != 0 ] || fail "oracle calls: $calls in traces.tsv, $drawn in the figure"

# --- the same bytes; a style changes figures and nothing else ---
cp -r plots before
cp -r results kept
"$STILLPOINT" plot looks.lua --quiet || fail "plot"
diff -r before plots || fail "the figures changed"
mv looks.lua away.txt
"$STILLPOINT" plot looks --quiet || fail "plot by name"
diff -r before plots || fail "the figures of their own tables are others"
rm -r plots
"$STILLPOINT" plot results/looks/ --quiet || fail "plot by name, of a folder"
cmp before/looks/column.svg plots/looks/column.svg || fail "the figures of their own tables are others, from nothing"
diff -r kept results || fail "plot by name changed results"
sed -i '$s/[0-9]/7/' results/looks/figures/*.tsv
code=0
"$STILLPOINT" plot looks --quiet 2>err.txt || code=$?
[ $code -eq 1 ] && grep -q 'results/looks/figures/' err.txt || { cat err.txt >&2; fail "plot takes a changed table of a figure: $code"; }
rm -r results
cp -r kept results
mv away.txt looks.lua
rm -r plots && cp -r before plots
code=0
"$STILLPOINT" plot lokks 2>err.txt || code=$?
[ $code -eq 1 ] && grep -qx 'stillpoint: ./results/lokks: no tables there; did you mean looks?' err.txt || { cat err.txt >&2
    fail "plot of nothing: exit code $code"; }
"$STILLPOINT" plot looks.lua --quiet --style mine.gp || fail "plot --style"
diff -r -x DERIVED kept results || fail "a style changed results"
grep -q 'font-family="Liberation Sans"' plots/looks/column.svg || fail "the style is not loaded"
for name in '|touch owned;.gp' '<touch owned' '`touch owned`$(touch owned)".gp' '-e.gp' '~.gp'; do
    cp mine.gp "./$name"
    "$STILLPOINT" plot looks.lua --quiet --style="$name" || fail "a style called $name"
    [ ! -e owned ] || fail "a shell has seen $name"
    rm "./$name"
done
code=0
"$STILLPOINT" plot looks.lua --quiet --style none.gp 2>err.txt || code=$?
[ $code -ne 0 ] && grep -qx 'stillpoint: --style none.gp: No such file or directory' err.txt || { cat err.txt >&2
    fail "a style that is not there: exit code $code"; }
echo 'set bordr 15' >wrong.gp
code=0
"$STILLPOINT" plot looks.lua --quiet --style wrong.gp 2>err.txt || code=$?
[ $code -eq 1 ] && grep -q 'set bordr' err.txt || { cat err.txt >&2; fail "a style that is wrong: exit code $code"; }

# --- a gnuplot that cannot draw PDF: said before anything runs, and the rest is drawn ---
mkdir bin
printf '#!/bin/sh\nPATH=%s\ncase $2$3 in *pdfcairo*) exit 18 ;; esac\nexec gnuplot "$@"\n' "$PATH" >bin/gnuplot
chmod +x bin/gnuplot
said="advice: figure dimensions: no dimensions.pdf can be drawn here: this gnuplot has no terminal pdfcairo"
PATH="$PWD/bin:$PATH" "$STILLPOINT" plan looks.lua | grep -qF "$said" || fail "plan does not say that PDF cannot be drawn"
code=0
PATH="$PWD/bin:$PATH" "$STILLPOINT" plot looks.lua --quiet 2>err.txt || code=$?
[ $code -eq 1 ] && grep -q 'dimensions.pdf: this gnuplot has no terminal pdfcairo' err.txt || { cat err.txt >&2
    fail "plot without the terminal: exit code $code"; }
cmp before/looks/column.svg plots/looks/column.svg || fail "one that cannot be drawn stopped the others"
