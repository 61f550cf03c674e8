#!/bin/sh
# What the committed experiments leave out: every method, loss, regulariser, measure, domain, data set and generator that
# is registered stands in the committed tables of some experiment, each method and loss on data that were collected and on ones
# that were made, or in tests/coverage.tsv with the reason why not; every statement of the papers in tests/statements.tsv has its claim,
# by its source, or its figure.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

"$STILLPOINT" list generators --plain >generators.txt
"$STILLPOINT" list data --plain | grep -vxF -f generators.txt >collected.txt

# stand ROOT: kind and name of all that the tables in ROOT/results have; of methods and losses also on which data, collected or made
stand() {
    for table in "$1"/results/*/cells.tsv*; do
        gzip -dcf "$table" >unpacked.tsv
        awk -F '\t' '
            FILENAME == "collected.txt" { collected[$1]; next }
            FNR == 1 {
                for (i = 1; i <= NF; i++)
                    kind[i] = $i ~ /^algorithm([.](first|second|base|method))*$/ ? "algorithms" \
                        : $i == "problem.loss" ? "losses" : $i == "problem.regulariser" ? "regularisers" \
                        : $i == "problem.domain" ? "domains" : $i == "problem.data" ? "data" : ""
                next
            }
            {
                for (i = 1; i <= NF; i++)
                    if (kind[i] != "") print kind[i] "\t" (kind[i] == "domains" && $i == "-" ? "space" : $i)
                for (i = 1; i <= NF; i++) if (kind[i] == "data") on = $i in collected ? "collected" : "made"
                for (i = 1; i <= NF; i++)
                    if (kind[i] == "algorithms" || kind[i] == "losses") print kind[i] " on data that were " on "\t" $i
            }' collected.txt unpacked.tsv
    done
    for table in "$1"/results/*/summary.tsv*; do
        gzip -dcf "$table" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print "measures\t" $at["measure"] }'
    done
}
# missing STANDING REASONS: of the names on standard input, those that neither file has
missing() {
    awk -F '\t' 'FILENAME != "-" { has[$1, $2]; next } !(($1, $2) in has)' "$1" "$2" -
}

stand "$SOURCE" | sort -u >standing.tsv
for kind in algorithms losses regularisers measures domains data generators; do
    "$STILLPOINT" list $kind --plain | sed "s/^/$kind	/; s/^generators/data/"
done >kinds.tsv
for on in collected made; do
    sed -n "s/^\(algorithms\|losses\)	/\1 on data that were $on	/p" kinds.tsv
done | cat kinds.tsv - | sort -u >registered.tsv
[ "$(wc -l <registered.tsv)" -gt 280 ] || fail "only $(wc -l <registered.tsv) names are registered"
sed 1d "$SOURCE/tests/coverage.tsv" >reasons.tsv
missing standing.tsv reasons.tsv <registered.tsv >left.txt
[ ! -s left.txt ] || { cat left.txt >&2; fail "in no committed experiment, and without a reason in tests/coverage.tsv"; }
awk -F '\t' 'NR == FNR { has[$1, $2]; next } ($1, $2) in has' standing.tsv reasons.tsv >needless.txt
[ ! -s needless.txt ] || { cat needless.txt >&2; fail "tests/coverage.tsv excuses what is there"; }
missing registered.tsv /dev/null <reasons.tsv >unknown.txt
[ ! -s unknown.txt ] || { cat unknown.txt >&2; fail "tests/coverage.tsv names what is not registered"; }
awk -F '\t' 'NF != 3 || $3 == ""' "$SOURCE/tests/coverage.tsv" | grep . && fail "tests/coverage.tsv: no reason"

# Does it notice? A tree without one experiment's tables lacks what only that one has.
mkdir -p tree/results
for folder in "$SOURCE"/results/*/; do
    [ "$(basename "$folder")" = bodies ] || ln -s "${folder%/}" tree/results/
done
stand tree | sort -u >fewer.tsv
[ "$(missing fewer.tsv reasons.tsv <registered.tsv | cut -f 2 | tr '\n' ' ')" = "box lp_ball polytope simplex " ] ||
    fail "without bodies there is missing: $(missing fewer.tsv reasons.tsv <registered.tsv)"

# unstated ROOT: statements whose experiment has neither the claim nor the figure
unstated() {
    sed 1d "$SOURCE/tests/statements.tsv" | while IFS='	' read -r paper statement experiment by name; do
        case $by in
        claim)
            awk -F '\t' -v source="$name" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                index($at["source"], source) { found = 1 } END { exit !found }' "$1/results/$experiment/claims.tsv" ;;
        figure) [ -e "$1/plots/$experiment/$name.svg" ] && grep -q "^  source .*${paper% *}" "$1/experiments/$experiment.lua" ;;
        *) false ;;
        esac || echo "$paper: $statement"
    done
}
unstated "$SOURCE" >left.txt
[ ! -s left.txt ] || { cat left.txt >&2; fail "statements without a claim or a figure (tests/statements.tsv)"; }
cut -f 1 "$SOURCE/tests/papers.tsv" | sed 1d | sort -u >papers.txt
cut -f 1 "$SOURCE/tests/statements.tsv" | sed 1d | sort -u | diff papers.txt - || fail "a paper without a statement"
mkdir -p bare/results/frank_wolfe
for folder in "$SOURCE"/results/*/; do
    [ "$(basename "$folder")" = frank_wolfe ] || ln -s "${folder%/}" bare/results/
done
ln -s "$SOURCE/plots" "$SOURCE/experiments" bare
sed '/Theorem 6/d' "$SOURCE/results/frank_wolfe/claims.tsv" >bare/results/frank_wolfe/claims.tsv
[ "$(unstated bare)" = "Bassily, Guzman & Menart 2021: Table 1, convex, p = 1 (Theorem 6)" ] ||
    fail "a statement that is missing is not noticed: $(unstated bare)"
