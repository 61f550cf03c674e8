#!/bin/sh
# `stillpoint audit`, and what list and describe say about losses, domains and data.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# A sound loss: no violation, exit code 0, the ratio is found over certified.
"$STILLPOINT" audit logistic >text.txt || fail "logistic does not pass"
grep -q '^logistic: 0 of [1-9][0-9]* claims failed$' text.txt || fail "no overall verdict"
grep -q '^  curvature_high  *0.25  *0.25  *1.0000  *0.97  ok$' text.txt || fail "sup phi'' of logistic is 1/4"
"$STILLPOINT" audit logistic >again.txt && cmp text.txt again.txt || fail "the same search found something else"
"$STILLPOINT" audit logistic --seed 2 | cmp -s text.txt - && fail "another seed found the same"

"$STILLPOINT" audit welsch c=0.7 --plain >plain.tsv || fail "welsch c=0.7"
awk -F '\t' '
    NF != 9 || $1 != "welsch" || $9 != "ok" { print "line " NR ": " $0; bad++ }
    $2 == "link" && $3 == "slope" && $4 == "whole space" {
        slope = 1
        if ($5 < 0.7 / sqrt(2 * exp(1)) - 1e-12 || $5 > 0.7 / sqrt(2 * exp(1)) + 1e-12) { print "slope " $5; bad++ }
        if ($6 / $5 - $7 > 1e-9 || $7 - $6 / $5 > 1e-9) { print "ratio " $7; bad++ }
    }
    END { exit bad > 0 || !slope }' plain.tsv || fail "plain.tsv"
"$STILLPOINT" audit nonconvex | grep -q '^nonconvex: 0 of [1-9][0-9]* claims failed$' || fail "a regulariser"
"$STILLPOINT" audit sigmoid_square target=margin >/dev/null || fail "a choice by its word"
"$STILLPOINT" audit ripple_ramp rise=0.5 >/dev/null || fail "a wall whose Hessian grows"

# Constants in describe are the certified ones, rounded up: L = R/4 and beta = R^2/(6 sqrt 3) at R = 1.
"$STILLPOINT" list sigmoid >sigmoid.txt
grep -q '^  L_data  *0.25  *0.25 ' sigmoid.txt || fail "L_data of sigmoid"
grep -q '^  beta  *0.0962251  *0.0962251 ' sigmoid.txt || fail "beta of sigmoid"
for line in 'Source: ' 'Labels: -1 and +1' 'Class: smooth, not convex, GLM' 'non-convex GLM'; do
    grep -qF "$line" sigmoid.txt || fail "describe sigmoid does not say $line"
done
"$STILLPOINT" list dp_gd | grep -q 'are those of problem.declared' || fail "the constants of dp_gd"
"$STILLPOINT" list hinge | grep -q 'Moreau envelope: closed form' || fail "the envelope of hinge"
"$STILLPOINT" list barron | grep -q '^  quasar, y = <w\*, x>  *0.5 ' || fail "q of barron is 1/2 on R^d"

# Every family is a heading, every name once.
"$STILLPOINT" list losses >losses.txt
for name in $("$STILLPOINT" list losses --plain); do
    [ "$(grep -c "^  $name " losses.txt)" -eq 1 ] || fail "list losses: $name"
done
for heading in 'GLL' 'KL/PL' 'non-convex GLM' 'quasar-convex' 'strict saddle' 'weakly convex'; do
    grep -q "^$heading\$" losses.txt || fail "list losses has no $heading"
done
"$STILLPOINT" list data --plain >data.txt
"$STILLPOINT" list generators --plain >generators.txt
grep -qx covtype data.txt || fail "covtype is data"
while read -r name; do
    grep -qx "$name" data.txt || fail "generator $name is data"
done <generators.txt
"$STILLPOINT" list domains | grep -q '^  l2_ball .*||w||_2 <= radius' || fail "list domains"
"$STILLPOINT" list simplex | grep -q '^simplex (domain)' || fail "describe simplex"
