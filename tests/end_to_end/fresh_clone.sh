#!/bin/sh
# What a clone has, the committed files alone, is enough for check, compare, summary, plot and export --format: no store, no
# traces, no data set, no cache, and nothing is downloaded or left behind but what plot draws.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
unset STILLPOINT_DATA
export STILLPOINT_CACHE="$PWD/cache"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' # whoever the checkout belongs to
git -C "$SOURCE" rev-parse >/dev/null 2>&1 || { echo "no git checkout: skipped"; exit 77; }

mkdir clone
(cd "$SOURCE" && git ls-files -z experiments results plots | tar cf - --null -T -) | tar xf - -C clone
cd clone
find . -type f | sort | xargs sha256sum >../before.txt

# Every claim, as in the checkout; audits that were made there, and that git does not keep, are known to neither.
mkdir ../checkout
for folder in experiments results plots; do cp -r "$SOURCE/$folder" ../checkout/; done
rm -f ../checkout/results/*/audits.tsv
code=0
"$STILLPOINT" check --plain >../check.txt || code=$?
again=0
"$STILLPOINT" check --plain --root ../checkout >../expected.txt || again=$?
[ $code -eq $again ] && [ $code -lt 101 ] && cmp ../check.txt ../expected.txt || fail "check: $code, in the checkout $again"
rm -r ../checkout

# Of every experiment: a table of its methods, its runs for other programs; two of its labels.
for folder in results/*/; do
    name=$(basename "$folder")
    "$STILLPOINT" table "$name" >../summary.txt && [ -s ../summary.txt ] || fail "summary $name"
    "$STILLPOINT" table "$name" --format csv >../runs.csv || fail "export $name"
    if [ -e "$folder/runs.tsv" ]; then rows=$(wc -l <"$folder/runs.tsv"); else rows=$(gzip -dc "$folder/runs.tsv.gz" | wc -l); fi
    [ "$rows" -gt 1 ] && [ "$(wc -l <../runs.csv)" -ge "$rows" ] || fail "export $name has lost rows"
    label=$(gzip -dcf "$folder"/cells.tsv* | awk -F '\t' 'NR == 2 { print $3 }')
    "$STILLPOINT" compare "$name" "$label" --quiet >../compare.txt 2>&1 || fail "compare $name: $(cat ../compare.txt)"
    "$STILLPOINT" compare "$folder" "$SOURCE/$folder" >../compare.txt || fail "compare of two folders: $(cat ../compare.txt)"
done
find . -type f | sort | xargs sha256sum | diff ../before.txt - || fail "a verb that only reads has written"

# Figures: of generated data, of grids, of public data that are not here. What cannot be drawn is said.
for name in quickstart kl wang_xu_ijcnn1; do
    "$STILLPOINT" plot experiments/$name.lua >../plot.txt 2>../plot.err || { cat ../plot.err >&2; fail "plot $name"; }
    grep -q "^figure: ./plots/$name/" ../plot.txt || fail "plot $name draws nothing"
    for table in results/$name/cells.tsv* results/$name/runs.tsv* results/$name/summary.tsv* results/$name/SEAL results/$name/DERIVED; do
        cmp $table "$SOURCE/$table" || fail "plot $name: $table"
    done
    ! grep -q 'kind = "trajectory"' experiments/$name.lua || grep -q 'traces.tsv' ../plot.txt ||
        fail "plot $name: no word of traces"
done
find . -name '*sqlite*' -o -name traces.tsv -o -name timings.tsv | grep . && fail "left behind" || true
[ ! -e "$STILLPOINT_CACHE" ] || [ -z "$(find "$STILLPOINT_CACHE" -type f)" ] || fail "something was cached"

# What needs the store says so, and how to come by it.
code=0
"$STILLPOINT" account runs experiments/quickstart.lua >../out.txt 2>&1 || code=$?
[ $code -gt 0 ] && grep -q 'no runs are stored yet' ../out.txt || fail "privacy: $(cat ../out.txt)"

# A verb that writes tables imports what they hold first: of runs without keys, of grids, of data that are not here.
for name in quickstart second_order_warm wang_xu_ijcnn1; do
    "$STILLPOINT" export experiments/$name.lua --quiet >../out.txt 2>&1 || fail "export $name: $(cat ../out.txt)"
    "$STILLPOINT" compare results/$name "$SOURCE/results/$name" >../compare.txt || true # new programs have more columns
    grep -q '^\([0-9]*\) runs in both: \1 the same in every field' ../compare.txt || fail "export $name: $(cat ../compare.txt)"
    for table in tuning claims; do
        for file in "$SOURCE/results/$name/$table".tsv*; do
            [ ! -e "$file" ] || cmp "$file" "results/$name/${file##*/}" || fail "export $name: $table.tsv"
        done
    done
done
