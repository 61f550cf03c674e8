#!/bin/sh
# Every committed experiment is judged anew from its committed tables: its fits.tsv is what `check` says today, and every
# word is the one in results/verdicts.tsv, so that no word changes unseen, whether code or tables made it change.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# same_fits OLD NEW: equal tables, but that a number may differ by 1e-9 of it, which is what another libm may do.
same_fits() {
    awk -F '\t' 'NR == FNR { old[FNR] = $0; lines = FNR; next }
        function is_number(a) { return a ~ /^-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?$/ }
        function near(a, b) { return a == b || (is_number(a) && is_number(b) && (a - b)^2 <= 1e-18 * a^2) }
        {
            split(old[FNR], was, FS)
            for (i = 1; i <= NF; i++)
                if (!near(was[i], $i)) { print "line " FNR ", column " i ": " was[i] " became " $i; bad = 1 }
        }
        END { exit bad || FNR != lines }' "$1" "$2"
}

# same_words OLD NEW: says which claims have another word, and which are new or gone.
same_words() {
    awk -F '\t' '
        { claim = $1; for (i = 2; i < NF; i++) if ($i != "-") claim = claim " " $i }
        FNR == 1 { delete seen }
        { claim = claim (++seen[claim] > 1 ? " (" seen[claim] ")" : "") }
        NR == FNR { old[claim] = $NF; next }
        !(claim in old) { print claim ": new, " $NF; bad = 1; next }
        old[claim] != $NF { print claim ": " old[claim] " became " $NF; bad = 1 }
        { delete old[claim] }
        END { for (claim in old) { print claim ": gone, was " old[claim]; bad = 1 } exit bad }' "$1" "$2"
}

# The comparisons themselves: another word, a number in another digit, a claim more and a claim less are found.
printf 'experiment\tverdict\n''a\tAGREES\nb\tSTEEPER\nb\tAGREES\n' >old.tsv
same_words old.tsv old.tsv || fail "a table differs from itself"
for change in 's/b	STEEPER/b	AGREES/' '$s/AGREES/STEEPER/' 2d '$p'; do
    sed "$change" old.tsv >new.tsv
    ! same_words old.tsv new.tsv >said.txt || fail "$change is not noticed"
done
sed 's/b	STEEPER/b	AGREES/' old.tsv >new.tsv
same_words old.tsv new.tsv >said.txt || true
[ "$(cat said.txt)" = "b: STEEPER became AGREES" ] || { cat said.txt >&2; fail "what is said of a changed word"; }
printf 'x\t-0.5\tAGREES\t4 of 5 runs are there\n' >old.tsv
sed s/0.5/0.50000000000000011/ old.tsv >new.tsv
same_fits old.tsv new.tsv || fail "a last digit is no difference"
for change in s/0.5/0.500001/ s/AGREES/STEEPER/ s/-0.5/NaN/ 's/are there/failed/' p; do
    sed "$change" old.tsv >new.tsv
    ! same_fits old.tsv new.tsv >said.txt || fail "$change is not noticed"
done

names=
for experiment in "$SOURCE"/experiments/*.lua; do
    name=$(basename "$experiment" .lua)
    [ ! -e "$SOURCE/results/$name/claims.tsv" ] || names="$names $name"
done
[ -n "$names" ] || fail "no results"
code=0
"$STILLPOINT" check --plain --root "$SOURCE" $names >check.tsv || code=$?
[ $code -le 100 ] || fail "check: exit code $code"
failed=0
for name in $names; do
    awk -F '\t' -v name="$name" 'NR == 1 || $1 == name' check.tsv | cut -f 2- | sed 's/\t[^\t]*$//' >now.tsv # no `audited`
    same_fits "$SOURCE/results/$name/fits.tsv" now.tsv >said.txt || {
        echo "results/$name/fits.tsv (\`stillpoint plot experiments/$name.lua\` makes it):" >&2
        cat said.txt >&2
        failed=1
    }
done
sh "$SOURCE/tests/words.sh" <check.tsv >words.tsv
same_words "$SOURCE/results/verdicts.tsv" words.tsv >said.txt || {
    echo "results/verdicts.tsv (CONTRIBUTING.md says how to renew it):" >&2
    cat said.txt >&2
    failed=1
}
[ $failed -eq 0 ] || fail "check does not say what is committed"
