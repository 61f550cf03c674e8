#!/bin/sh
# results_tables.sh PROGRAM ROOT -- the README's tables of results, from the committed tables of runs: what theorems
# claim, what we conjecture, and which method is lower at every point. Each table with its heading.
set -eu
program=$1 root=$2

# claims ORIGIN: a row a claim of that origin.
claims() {
    "$program" check --plain --root "$root" | awk -F '\t' -v origin="$1" -v root="$root" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        function field(name) { return $at[name] }
        function shown(x) { return sprintf("%.3f", x) }
        # -0.5 as -1/2 where it is such a fraction
        function power(x,   k) {
            for (k = 1; k <= 4; k++)
                if ((x * k - sprintf("%.0f", x * k))^2 < 1e-18)
                    return k == 1 ? sprintf("%.0f", x) : sprintf("%.0f/%d", x * k, k)
            return sprintf("%.3g", x)
        }
        # what y is divided by first: from the next row of claims.tsv, which has a row a claim in the same order
        function divided(   file, line, part, i, out) {
            file = root "/results/" field("experiment") "/claims.tsv"
            if (!(file in known)) {
                getline line <file
                for (i = known[file] = split(line, part, "\t"); i > 0; i--) place[file, part[i]] = i
            }
            getline line <file
            split(line, part, "\t")
            if (part[place[file, "sweep"]] != field("sweep") || part[place[file, "algorithm"]] != field("algorithm"))
                return " (" file " has another order)"
            out = part[place[file, "log"]] + 0 == 0 ? "" : " / log^" power(part[place[file, "log"]]) " " field("x")
            line = part[place[file, "per"]]
            for (; match(line, /[^ ,=]+=[^ ,]+/); line = substr(line, RSTART + RLENGTH)) {
                split(substr(line, RSTART, RLENGTH), part, "=")
                out = out " / " part[1] (part[2] == 1 ? "" : "^" power(part[2]))
            }
            return out
        }
        { divisor = divided() }
        field("origin") != origin { next }
        {
            word = field("verdict")
            sub(/_/, " ", word)
            where = (field("where") == "-" ? "" : ", " field("where")) \
                    (field("below") == "-" ? "" : ", below that of " field("below"))
            reason = field("reason")
            if (match(reason, /[0-9]+ replicates would settle it/))
                reason = substr(reason, RSTART, RLENGTH) (reason ~ /capped/ ? "; capped" : "")
            else if (reason ~ /on no line/)
                reason = "on no line (p = " sprintf("%.1g", field("fit_p")) ")"
            # the word on a bound is about the end of the curve
            bound = field("mode") == "bound"
            measured = bound ? shown(field("tail")) " [" shown(field("tail_low")) ", " shown(field("tail_high")) "]" \
                               " at the end" \
                             : shown(field("exponent")) " [" shown(field("low90")) ", " shown(field("high90")) "]"
            rival = field("rival")
            excludes = rival == "NaN" ? "" : (field("log_lr") >= log(20) ? "" : "not ") power(rival)
            printf "| `%s`%s | %s | %s%s ~ %s^%s +-%g (%s)%s | %s | %s | **%s**%s |\n", field("experiment"),
                   field("sweep") == "main" ? "" : " " field("sweep"), field("algorithm"), field("y"), divisor,
                   field("x"), power(field("claimed")), field("tolerance"), field("mode"), where, measured, excludes,
                   tolower(word), reason == "-" ? "" : ": " reason
        }
        ' || : # its exit code counts claims
}

# level EXPERIMENT LABEL BASE MEASURE [OPTION...]: a row a sweep: the ratio at each point, and the words.
level() {
    experiment=$1 label=$2 base=$3 measure=$4
    shift 4
    "$program" compare "$experiment" "$base" "$label" --measure "$measure" --plain --root "$root" "$@" |
        awk -F '\t' -v who="$label / $base" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            sweep = $at["sweep"]
            if (!(sweep in points)) order[++sweeps] = sweep
            points[sweep]++
            words[sweep, $at["order"]]++
            ratios[sweep] = ratios[sweep] (points[sweep] > 1 ? ", " : "") sprintf("%.2f", $at["estimate"])
            measure = $at["measure"]
            ends[sweep] = $at["at"]
            if (points[sweep] == 1) starts[sweep] = $at["at"]
            experiment = $at["experiment"]
        }
        END {
            for (i = 1; i <= sweeps; i++) {
                s = order[i]
                if (points[s] == 1) # a path, shown for what happens along it
                    continue
                said = ""
                for (k = split("better worse equivalent undecided", word, " "); k > 0; k--)
                    if (words[s, word[k]])
                        said = word[k] " at " (words[s, word[k]] == points[s] ? "every point" : words[s, word[k]]) \
                               (said == "" ? "" : ", " said)
                printf "| `%s`%s | %s | %s, %s to %s | %s | %s |\n", experiment, s == "main" ? "" : " " s, who, measure,
                       starts[s], ends[s], ratios[s], said
            }
        }'
}

head='| experiment | method | claim (mode) | measured, 90 % | excludes | |
|---|---|---|---|---|---|'
printf '%s\n\n%s\n' "What theorems claim:" "$head"
claims theorem
printf '\n%s\n\n%s\n' "What we conjecture, and nobody proved:" "$head"
claims conjecture
printf '\n%s\n\n%s\n%s\n' "Who leaves less, point by point (geometric mean of the ratios; words by Holm over the points):" \
    "| experiment | methods | measure | ratio | the first is |" "|---|---|---|---|---|"
level quickstart dp_spider dp_gd grad_norm
level ripple_ramps dp_spider dp_gd grad_norm --worst loss.slope
level spider_theory dp_spider dp_gd grad_norm
level spider_theory "dp_gd tuned" dp_spider grad_norm
level spider_theory "dp_spider tuned" "dp_gd tuned" grad_norm
level warm_start warm_start dp_spider grad_norm --worst loss.weight
level warm_start warm_start "first alone" grad_norm
level warm_start "dp_gd tuned" warm_start grad_norm
level warm_start "dp_spider tuned" warm_start grad_norm --worst loss.weight
level quasar_convex dp_sgd "dp_gd tuned" excess_risk
level em_warm_start warm_start dp_spider grad_norm
level em_warm_start warm_start "first alone" grad_norm
level em_warm_start "dp_gd tuned" warm_start grad_norm
level kl kl_gd "dp_gd tuned" excess_risk
level kl warm_start kl_gd grad_norm
level jl_glm jl_glm dp_gd grad_norm
level second_order hessian kick sosp_level
level second_order dp_spider kick sosp_level
level second_order dp_gd kick sosp_level
level second_order "warm kick" kick sosp_level
level population "dp_gd tuned" tree_spider population_grad_norm
level population warm_start spider_sosp sosp_level
level ijcnn1 dp_spider dp_gd excess_risk
