#!/bin/sh
# What is committed of results weighs at most 25 MB: tables above 50 kB are packed by gzip. Each is a whole table, lies
# in one form only, and every verb says of it what it says of the same table unpacked.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
most=25000000 large=50000

# well_formed FILE: on the standard input, a table with a name for every field and at least one row
well_formed() {
    awk -F '\t' -v file="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "") bad = 1; fields = NF; next }
        NF != fields { print file ":" NR ": " NF " fields, not " fields; bad = 1 }
        END { if (NR < 2) print file ": no rows"; exit bad || NR < 2 }'
}
printf 'a\tb\n1\t2\n' | well_formed good || fail "a good table is refused"
for bad in 'a\tb\n' 'a\tb\n1\n' 'a\t\n1\t2\n' ''; do
    # shellcheck disable=SC2059 # escapes are meant
    ! printf "$bad" | well_formed bad >said.txt || fail "a bad table is taken: $bad"
done

# --- the committed ones
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' # whoever the checkout belongs to
git -C "$SOURCE" rev-parse >/dev/null 2>&1 || { echo "no git checkout: skipped"; exit 77; }
(cd "$SOURCE" && git ls-files results) >files.txt
[ -s files.txt ] || fail "no results"
weight=0 packed=0
while read -r file; do
    size=$(wc -c <"$SOURCE/$file")
    weight=$((weight + size))
    case $file in
    *.gz)
        packed=$((packed + 1))
        ! grep -qxF "${file%.gz}" files.txt || fail "$file and ${file%.gz} are both there"
        gzip -t "$SOURCE/$file" || fail "$file"
        case $file in */figures/*) ;; *) gzip -dc "$SOURCE/$file" | well_formed "$file" || fail "$file" ;; esac
        ;;
    results/*/*.tsv)
        [ "$size" -le $large ] || fail "$file: $size bytes: \`stillpoint seal\` packs it before it is committed (CONTRIBUTING.md)"
        ;;
    esac
done <files.txt
[ $packed -gt 0 ] || fail "no table is packed"
[ $weight -le $most ] || fail "results weigh $weight bytes, and $most are allowed"
echo "results: $weight bytes, $packed tables packed"

# --- the same of a packed table and of the same one unpacked
mkdir packed plain
for name in quickstart signs; do
    for of in packed plain; do mkdir -p $of/results/$name; cp -R "$SOURCE/results/$name/." $of/results/$name; done
done
mkdir -p packed/plots plain/plots
gzip -9n packed/results/quickstart/*.tsv packed/results/quickstart/figures/*.tsv
find plain -name '*.gz' -exec gzip -d {} +
for verb in "check --plain" "table quickstart" "table signs" "compare signs dp_gd --quiet" "check signs" \
            "table quickstart --format csv" "export signs --format json" "export quickstart --format csv --table cells" \
            "plot quickstart" "report $SOURCE/experiments/quickstart.lua $SOURCE/experiments/signs.lua -o report.html" \
            "verify $SOURCE/experiments/quickstart.lua results/quickstart --sample 2"; do
    for of in packed plain; do
        code=0
        (cd $of && "$STILLPOINT" $verb) >$of.txt 2>$of.err || code=$?
        echo "exit code $code" >>$of.txt
    done
    cmp packed.txt plain.txt && cmp packed.err plain.err || { head plain.txt packed.txt plain.err packed.err; fail "$verb"; }
    [ "$(wc -l <plain.txt)" -gt 1 ] || fail "$verb says nothing: $(cat plain.err)"
    grep -qE '^exit code (0|[1-9][0-9]?)$' plain.txt || fail "$verb: $(tail -n 1 plain.txt)"
done
cmp packed/report.html plain/report.html || fail "report.html"
"$STILLPOINT" compare packed/results/signs plain/results/signs >said.txt || { cat said.txt; fail "compare of both forms"; }
grep -q same said.txt || { cat said.txt; fail "what compare says of both forms"; }

# --- both forms, or a damaged one, are refused by every reader
cp plain/results/signs/runs.tsv packed/results/signs/runs.tsv
head -c 5000 "$SOURCE/results/signs/runs.tsv.gz" >cut.gz
for verb in "check signs" "table signs" "table signs --format csv" "compare signs dp_gd"; do
    code=0
    (cd packed && "$STILLPOINT" $verb) >said.txt 2>&1 || code=$?
    [ $code -ne 0 ] && grep -q 'signs/runs.tsv and .*signs/runs.tsv.gz are both there' said.txt ||
        { cat said.txt; fail "$verb with both forms"; }
    mv packed/results/signs/runs.tsv kept.tsv
    cp cut.gz packed/results/signs/runs.tsv.gz
    code=0
    (cd packed && "$STILLPOINT" $verb) >said.txt 2>&1 || code=$?
    [ $code -ne 0 ] && grep -q 'signs/runs.tsv.gz: cut short' said.txt || { cat said.txt; fail "$verb of a damaged table"; }
    mv kept.tsv packed/results/signs/runs.tsv
done
