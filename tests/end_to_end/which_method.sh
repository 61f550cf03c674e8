#!/bin/sh
# docs/reference/which_method.md is what the program prints, each private method and each loss family stands on it, and what it says fits is what
# `plan` takes.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
"$STILLPOINT" list fits --markdown >page.md
diff -u "$SOURCE/docs/reference/which_method.md" page.md ||
    fail "docs/reference/which_method.md is out of date: stillpoint list fits --markdown >docs/reference/which_method.md"
if grep '(null)' page.md; then fail "a text is missing"; fi
for name in $("$STILLPOINT" list algorithms --plain); do
    grep -q "^### $name\$" page.md || grep -q "^\* \`$name\`: " page.md || fail "$name is not on the page"
done
"$STILLPOINT" list losses | awk '/^[^ ]/' | while read -r family; do
    grep '^| method |' page.md | grep -qF "| $family |" || fail "$family is no column"
done

# --- each word against plan: the first domain in which the method is not skipped for the loss
"$STILLPOINT" list fits >fits.txt
methods=$(cut -f 1 fits.txt | sort -u | grep -vxE 'em_reject|private_tuning') # which have to be told more
for loss in hinge logistic circular; do
    case $loss in circular) data=angles ;; *) data=logistic ;; esac
    : >said.txt
    for domain in 'any "space"' 'ball "l2_ball", radius = 1' 'vertices "l1_ball", radius = 1'; do
        {
            echo 'return { seed = 1, replicates = 1, privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },'
            echo "  problem = { loss = \"$loss\", data = \"$data\", n = 10000, d = 10, domain = { ${domain#* } } }, algorithms = {"
            for method in $methods; do echo "    { \"$method\" },"; done
            echo '  } }'
        } >e.lua
        "$STILLPOINT" plan e.lua >plan.txt 2>message.txt || { cat message.txt >&2; fail "plan of $loss, $domain"; }
        for method in $methods; do
            line=$(grep " main/$method x 1 " plan.txt) || fail "$method is not planned"
            case $line in *"SKIPPED: $method: "*) ;; *) echo "$method ${domain%% *}" >>said.txt ;; esac
        done
    done
    for method in $methods; do
        planned=$(awk -v method="$method" '$1 == method { print $2; exit }' said.txt)
        listed=$(awk -F '\t' -v method="$method" -v loss="$loss" '$1 == method && $2 == loss { print $3 }' fits.txt)
        [ "${planned:--}" = "$listed" ] || fail "$method on $loss: the list says $listed, plan ${planned:--}"
    done
done
[ "$(awk -F '\t' '$2 == "hinge" && $3 == "-"' fits.txt | wc -l)" -gt 5 ] || fail "every method fits a loss with a kink"
