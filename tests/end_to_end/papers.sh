#!/bin/sh
# The tables of the five papers' systems: every method that names one of the papers has a row, every claim that names one has
# a row, and a row's level, verdict and time are those of the tables. (end_to_end/results compares the pages with them.)
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
tables=$SOURCE/tests/papers_tables.sh

# missing LIST: pairs of a paper and a method that names it (standard input: method, source) and are not in the list
missing() {
    awk -F '\t' 'NR == FNR { if (FNR > 1) { papers[$1] = 1; listed[$1, $2] = 1 } next }
        { for (paper in papers) if (index($2, paper) && !((paper, $1) in listed)) print paper ": " $1 }' "$1" -
}
"$STILLPOINT" list algorithms --plain >names.txt
while read -r name; do
    printf '%s\t%s\n' "$name" "$("$STILLPOINT" list "$name" | sed -n 's/^  Source: //p')"
done <names.txt >sources.tsv
missing "$SOURCE/tests/papers.tsv" <sources.tsv >missing.txt
[ ! -s missing.txt ] || { cat missing.txt >&2; fail "methods without a row in tests/papers.tsv"; }
sed '/\tdp_tr\t/d' "$SOURCE/tests/papers.tsv" >fewer.tsv
[ "$(missing fewer.tsv <sources.tsv)" = "Wang & Xu 2020: dp_tr" ] || fail "a method that is missing is not noticed"
sed 1d "$SOURCE/tests/papers.tsv" | cut -f 2 | sort -u | while read -r name; do
    grep -qx "$name" names.txt || fail "tests/papers.tsv has $name, which is no method"
done
[ "$(cut -f 1 "$SOURCE/tests/papers.tsv" | sort -u | wc -l)" -eq 6 ] || fail "five papers and a head"

# What the committed claims say: a method, a source, and whether it is a theorem. A claim that names a paper has a row
# of that paper, and a theorem of a method in the list names one of the sources of its rows.
sh "$SOURCE/tests/unpacked.sh" "$SOURCE" committed
for experiment in "$SOURCE"/experiments/*.lua; do
    results=committed/results/$(basename "$experiment" .lua)
    [ ! -e "$results/fits.tsv" ] || awk -F '\t' '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NR == FNR { algorithm[$at["sweep"], $at["label"]] = $at["algorithm"]; next }
        { print algorithm[$at["sweep"], $at["algorithm"]] "\t" $at["source"] "\t" $at["origin"] }' \
        "$results/summary.tsv" "$results/fits.tsv"
done >claims.tsv
missing "$SOURCE/tests/papers.tsv" <claims.tsv | sort -u >missing.txt
[ ! -s missing.txt ] || { cat missing.txt >&2; fail "committed claims whose method has no row in tests/papers.tsv"; }
unnamed() {
    awk -F '\t' 'NR == FNR { if (FNR > 1) sources[$2] = sources[$2] "|" $4; next }
        !($1 in sources) || $3 != "theorem" { next }
        {
            for (i = split(sources[$1], source, "|"); i > 1; i--)
                if (index($2, source[i])) next
            print $1 ": " $2
        }' "$SOURCE/tests/papers.tsv" -
}
unnamed <claims.tsv | sort -u >missing.txt
[ ! -s missing.txt ] || { cat missing.txt >&2; fail "committed theorems that no row shows: tests/papers.tsv, sources"; }
[ "$(printf 'dp_tr\tWang & Xu\ttheorem\n' | unnamed)" = "dp_tr: Wang & Xu" ] || fail "an unnamed source is not noticed"

# A tree of its own: two points of n, of which the last one shows; a family of two; and what must not be compared.
mkdir -p tree/tests tree/docs/reference tree/experiments tree/results/rates
cp "$SOURCE/tests/papers.tsv" tree/tests
printf 'bench\tfigure\tgoal\tmedian\tlow\thigh\tunit\tverdict\n' >tree/docs/reference/speed_intel.tsv
sh "$tables" tree >empty.md
grep -q '^| dp_tr |.*| not run | - | - | - |$' empty.md || fail "what has no results is not run"
! grep -q '[*][*]' empty.md || fail "words without results"
: >tree/experiments/rates.lua
{
    printf 'sweep\tlabel\talgorithm\tprivacy\tprivacy.delta\tprivacy.epsilon\tprivacy.neighbours\tprivacy.noise\t'
    printf 'problem.loss.slope\tproblem.n\tmeasure\tmean\tfailed\n'
    while read -r label method privacy neighbours noise slope n mean failed; do
        printf 'main\t%s\t%s\t%s\t1e-6\t1\t%s\t%s\t%s\t%s\texcess_risk\t%s\t%s\n' \
            "$label" "$method" "$privacy" "$neighbours" "$noise" "$slope" "$n" "$mean" "$failed"
    done <<'ROWS'
ours phased_sgd - - - 1 1000 0.4 0
ours phased_sgd - - - 2 1000 0.6 0
ours phased_sgd - - - 1 20000 0.09 0
ours phased_sgd - - - 2 20000 0.05 0
dp_gd dp_gd - - - 1 1000 0.3 0
dp_gd dp_gd - - - 2 1000 0.2 0
dp_gd dp_gd - - - 1 20000 0.12 0
start start - - - 1 1000 0.5 0
start start - - - 1 20000 0.5 0
broken dp_spider - - - 1 20000 0.01 1
tuned phased_sgd - - - 1 20000 0.01 0
exact gd none - - 1 20000 0.01 0
quiet dp_gd - - off 1 20000 0.01 0
poisson dp_sgd_poisson - add_remove - 1 20000 0.01 0
ROWS
} >tree/results/rates/summary.tsv
# table FILE NAME=VALUE...: a table of one row
table() {
    file=$1 names= values=
    shift
    for pair; do
        names="$names${names:+	}${pair%%=*}" values="$values${values:+	}${pair#*=}"
    done
    printf '%s\n%s\n' "$names" "$values" >"$file"
}
table tree/results/rates/claims.tsv sweep=main algorithm=ours log=0 per=- constant=NaN
table tree/results/rates/fits.tsv sweep=main algorithm=ours y=excess_risk x=n where=- mode=theory below=- \
    "source=Bassily, Guzman & Menart 2021, Theorem 5" origin=theorem claimed=-0.5 tolerance=0.05 exponent=-0.499 \
    low90=-0.52 high90=-0.48 verdict=AGREES reason=-
printf 'one_pass\tphased_sgd: %s\t<= 1.15\t1.042\t1.03\t1.05\t-\tmet\n' \
    "exponent of n in its time, 10^4 to 10^7 records" >>tree/docs/reference/speed_intel.tsv
sh "$tables" tree >page.md
row='`rates`, ours: excess_risk ~ n^-1/2 +-0.05 (theory)'
measured='-0.499 [-0.520, -0.480] | **agrees**'
[ "$(grep -F "$row" page.md | sed -n 's/.*(Theorem 5) | nearly | //p')" = \
    "$row | theory | $measured | 1.042 [1.030, 1.050] |" ] || fail "the row of Table 1"
[ "$(grep -F "$row" page.md | sed -n 's/^| phased_sgd | .*(Theorem 5) | //p')" = \
    "$row | $measured | 0.75 times dp_gd (0.75 to 2.00) |" ] || fail "the row of the paper"
[ "$(grep -c 'not run' empty.md)" -eq $(($(grep -c 'not run' page.md) + 2)) ] || fail "rows that are not run"
table tree/results/rates/claims.tsv sweep=main algorithm=ours log=0 per=- constant=284
sh "$tables" tree | grep -qF 'excess_risk ~ n^-1/2 +-0.05 (theory, at most 284 n^-1/2)' || fail "a claim with a constant"
