#!/bin/sh
# field_tables.sh page|list FOLDER -- what the methods reached in experiments/field.lua, from the tables in FOLDER.
#
#   page   docs/results/field.md: a table a problem, a row a method, the three measures at each epsilon; who was skipped, and why
#   list   docs/reference/methods.md: the list of methods (standard input: `stillpoint_manual methods`) with one
#          more column: on the first kind of problem that the method fits, the share of the start's excess risk that is
#          left at the middle epsilon, on each of the data sets
#
# A number is the mean over the runs that succeeded. A method is worse than its start where its mean excess risk is.
set -eu
export LC_ALL=C # decimal points, and names in the order of their bytes
[ "$1" = page ] || LIST=$(cat)
export LIST
skipped() { if [ -e "$1/skipped.tsv" ]; then cat "$1/skipped.tsv"; else gzip -dc "$1/skipped.tsv.gz"; fi; }
{ sh "$(dirname "$0")/joined.sh" "$2"; skipped "$2"; } | awk -F '\t' -v mode="$1" '
    BEGIN {
        split("excess_risk grad_norm hessian_min_eigenvalue", measures, " ")
        split("risk gradient eigenvalue", words, " ")
        kinds = split("nonconvex convex glm kl", kind, " ")
        sets = split("synthetic mushroom ijcnn1", set, " ")
    }
    function shown(x) { return x * x < 1e-24 ? "0" : sprintf("%.2g", x) }

    $1 == "run" || $1 == "sweep" { # the heads of the two tables
        delete at
        for (i = 1; i <= NF; i++) at[$i] = i
        skips = $1 == "sweep"
        next
    }
    skips { # one line a method, whatever the number of epsilons
        if (!(($1, $2) in reason)) skipped[$1] = skipped[$1] "* `" $2 "`: " substr($NF, index($NF, ": ") + 2) "\n"
        reason[$1, $2] = 1
        next
    }
    {
        problem = $at["sweep"]; method = $at["label"]
        epsilon = $at["privacy"] == "none" ? "none" : $at["privacy.epsilon"]
        about[problem] = $at["problem.loss"] " loss, n = " $at["problem.n"] ", d = " $at["problem.d"]
        if (!((problem, method) in row)) methods[problem] = methods[problem] " " method
        row[problem, method] = 1
        if (epsilon != "none" && !(epsilon in known)) { known[epsilon] = 1; values[++epsilons] = epsilon }
        if ($at["status"] != "ok") { failed[problem, method]++; next }
        if ($at["warnings" in at ? "warnings" : "warning"] ~ /vacuous/) vacuous[problem, method] = 1
        count[problem, method, epsilon]++
        starts[problem]++
        for (i = 1; i <= 3; i++) {
            sum[problem, method, epsilon, i] += $at[measures[i]]
            start[problem, i] += $at["start." measures[i]]
            if (i == 1) before[problem, method, epsilon] += $at["start." measures[i]]
        }
    }
    END {
        for (i = 2; i <= epsilons; i++) # ascending
            for (j = i; j > 1 && values[j] + 0 < values[j - 1] + 0; j--) {
                other = values[j]; values[j] = values[j - 1]; values[j - 1] = other
            }
        if (mode == "page") page(); else list()
    }

    function mean(problem, method, epsilon, i) {
        return count[problem, method, epsilon] ? shown(sum[problem, method, epsilon, i] / count[problem, method, epsilon]) : "-"
    }
    function is_worse(problem, method, epsilon) {
        return sum[problem, method, epsilon, 1] > before[problem, method, epsilon]
    }
    function remark(problem, method,    e, text, at_which) {
        for (e = 1; e <= epsilons; e++)
            if (is_worse(problem, method, values[e])) at_which = at_which (at_which == "" ? "" : ", ") values[e]
        if (at_which != "") text = "**worse than its start** at " at_which
        if (vacuous[problem, method]) text = text (text == "" ? "" : "; ") "vacuous"
        if (failed[problem, method]) text = text (text == "" ? "" : "; ") failed[problem, method] " runs failed"
        return text
    }
    function page_row(problem, method,    text, i, e, all) {
        all = count[problem, method, "none"] ? "none" : ""
        text = method == "" ? "*the start*" : all == "none" ? "*" method ", not private*" : method
        for (i = 1; i <= 3; i++)
            for (e = 1; e <= epsilons; e++)
                text = text " | " (method == "" ? shown(start[problem, i] / starts[problem]) : \
                                   mean(problem, method, all == "none" ? all : values[e], i))
        print "| " text " | " (method == "" ? "" : remark(problem, method)) " |"
    }
    function page(    k, s, i, e, m, problem, names) {
        print "# What every method reaches at its default parameters\n"
        print "Made by `tests/field_tables.sh page results/field` from the tables of `experiments/field.lua`; do not edit."
        print "The experiment says what the problems are. Nothing here is tuned, and nothing is claimed: a method with a"
        print "theorem takes its parameters from it, and many theorems promise nothing at these numbers of records"
        print "(*vacuous*: the run said so).\n"
        print "Columns are a measure at an epsilon: *risk* is F(w) - F*, *gradient* is ||grad F(w)||, *eigenvalue* is the"
        print "smallest one of the Hessian of F at w, each the mean over replicates at the returned w. A method is"
        print "*worse than its start* where its mean risk is above that of w0, which costs no privacy: not to look at the"
        print "records at all would have been better."
        for (k = 1; k <= kinds; k++)
            for (s = 1; s <= sets; s++) {
                problem = kind[k] "_" set[s]
                if (!(problem in about)) continue
                printf "\n## %s\n\n%s.\n\n| method", problem, about[problem]
                for (i = 1; i <= 3; i++)
                    for (e = 1; e <= epsilons; e++) printf " | %s, %s", words[i], values[e]
                printf " | |\n|---|"
                for (i = 1; i <= 3 * epsilons; i++) printf "---:|"
                print "---|"
                page_row(problem, "")
                m = split(methods[problem], names, " ")
                for (i = 1; i <= m; i++) page_row(problem, names[i])
                if (problem in skipped) printf "\nSkipped:\n\n%s", skipped[problem]
            }
    }
    function list(    lines, m, i, k, s, name, text, problem, epsilon, share) {
        m = split(ENVIRON["LIST"], lines, "\n")
        epsilon = values[int((epsilons + 1) / 2)]
        print lines[1] " risk left at epsilon = " epsilon " |"
        print lines[2] "---|"
        for (i = 3; i <= m; i++) {
            name = lines[i]
            sub(/^[|] \[/, "", name); sub(/\].*/, "", name)
            text = ""
            for (k = 1; k <= kinds && text == ""; k++)
                for (s = 1; s <= sets; s++) {
                    problem = kind[k] "_" set[s]
                    if (!count[problem, name, epsilon]) continue
                    share = shown(sum[problem, name, epsilon, 1] / before[problem, name, epsilon])
                    text = text (text == "" ? kind[k] ": " : ", ") set[s] " " \
                           (is_worse(problem, name, epsilon) ? "**" share " (worse than its start)**" : share)
                }
            print lines[i] " " (text == "" ? "-" : text) " |"
        }
    }'
