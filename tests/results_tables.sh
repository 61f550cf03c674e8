#!/bin/sh
# results_tables.sh PROGRAM ROOT PART -- tables of docs/results/, from the committed tables of runs. tests/results_pages.sh puts them
# into their pages. PART:
#
#   counts           "Of 124 claims 78 agree; ...": the claims of theorems
#   papers           one row per paper of the five: how its claims came out
#   claims 'PAPER'   one row per claim whose source begins with PAPER
#   others           the claims of theorems of all other papers
#   conjectures      the claims that nobody proved
#   levels           which method has the lower error, point by point
#   scores           ranks over many problems
set -eu
export LC_ALL=C # decimal points, and names in the order of their bytes
program=$1 root=$2 part=$3
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
"$program" check --plain --root "$root" >"$scratch/check.tsv" || [ $? -le 100 ] # its exit code counts claims
"$program" check --counts --root "$root" >"$scratch/counts.tsv" || [ $? -le 100 ]

# The five papers, by the words with which the sources of their claims begin; in the second column where these differ.
papers='Lowy, Ullman & Wright 2024
Liu & Talwar 2024
Wang & Xu 2020
Tran & Cutkosky 2022
Bassily, Guzman & Menart 2021=Bassily et al. 2021'

# claims ORIGIN [PAPER]: one row per claim of that origin; without PAPER, of theorems those of none of the five papers
claims() {
    printf '%s\n%s\n' '| source | experiment, method | claim (mode) | exponent | measured, 90 % | excludes | verdict | commit |' \
        '|---|---|---|---|---|---|---|---|'
    awk -F '\t' -v origin="$1" -v paper="${2-}" -v papers="$papers" -v root="$root" "$(cat "$(dirname "$0")/claims.awk")"'
        function of_five(source,   i, n, list, words) {
            n = split(papers, list, "\n")
            for (i = 1; i <= n; i++) {
                split(list[i], words, "=")
                if (index(source, words[1]) == 1 || (words[2] != "" && index(source, words[2]) == 1)) return 1
            }
            return 0
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { divisor = divided(root "/results/" field("experiment")) }
        field("origin") != origin { next }
        paper != "" ? index(field("source"), paper) != 1 : origin == "theorem" && of_five(field("source")) { next }
        {
            printf "| %s | `%s`%s, %s | %s | %s | %s | %s | %s | %s |\n", field("source") == "-" ? "" : field("source"),
                   field("experiment"), field("sweep") == "main" ? "" : " " field("sweep"), field("algorithm"), against(divisor),
                   exponent(), measured(), excluded(), verdict(), commits(root "/results/" field("experiment"))
        }' "$scratch/check.tsv"
}

# one row per paper
papers() {
    cat <<'END'
| paper | claims measured | agree | not resolved | vacuous | shallower or steeper |
|---|---|---|---|---|---|
END
    printf '%s\n' "$papers" | while IFS='=' read -r paper words; do
        awk -F '\t' -v paper="$paper" -v words="${words:-$paper}" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["origin"] == "theorem" && index($at["paper"], words) == 1 { for (i = 3; i <= NF; i++) of[i] += $i }
            END { printf "| %s | %d | %d | %d | %d | %d |\n", paper, of[at["claims"]], of[at["AGREES"]],
                         of[at["NOT_RESOLVED"]], of[at["VACUOUS"]], of[at["SHALLOWER"]] + of[at["STEEPER"]] }' "$scratch/counts.tsv"
    done
}

# counts ORIGIN: "Of 9 claims 7 agree; not resolved 2."
counts() {
    awk -F '\t' -v origin="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["origin"] == origin { for (i = 3; i <= NF; i++) of[i] += $i }
        END {
            printf "Of %d claims %d agree", of[at["claims"]], of[at["AGREES"]]
            n = split("NOT_RESOLVED VACUOUS SHALLOWER STEEPER", word, " ")
            split("not resolved,vacuous,shallower,steeper", said, ",")
            for (i = 1; i <= n; i++)
                if (of[at[word[i]]]) printf "%s %s %d", others++ ? "," : ";", said[i], of[at[word[i]]]
            print "."
        }' "$scratch/counts.tsv"
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

# scores EXPERIMENT MEASURE: a row a method, by its rank; three digits.
scores() {
    "$program" compare --score "$1" --measure "$2" --plain --root "$root" | awk -F '\t' '
        function number(x) { return x == "inf" ? x : sprintf(x >= 1000 ? "%.1e" : "%.3g", x) }
        function interval(x) {
            if ($at[x] == "NaN") return "-"
            return number($at[x]) ($at[x "_low"] == "NaN" ? "" : " [" number($at[x "_low"]) ", " number($at[x "_high"]) "]")
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", $at["label"], $at["tasks"], $at["failed"], interval("best"),
                   interval("near"), interval("middle"), interval("rank"),
                   $at["improvement"] == "NaN" ? "-" : number($at["improvement"])
        }'
}

case $part in
counts) counts theorem ;;
papers) papers ;;
claims) claims theorem "$4" ;;
others) claims theorem ;;
conjectures)
    printf '%s\n\n' "$(counts conjecture)"
    claims conjecture ;;
scores)
    printf '%s\n%s\n' "| method | tasks | failed | best | near | middle | rank | improvement |" "|---|---|---|---|---|---|---|---|"
    scores matrix excess_risk ;;
levels)
    printf '%s\n%s\n' "| experiment | methods | measure | ratio | the first is |" "|---|---|---|---|---|"
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
    level tran_cutkosky fb_sr_ngd dp_ngd grad_norm --worst loss.slope
    level tran_cutkosky fb_sr_ngd dp_spider grad_norm --worst loss.slope
    level liu_talwar fixed_spider adaptive_spider population_grad_norm --worst loss.slope
    level liu_talwar ganesh adaptive_spider population_grad_norm --worst loss.slope
    level liu_talwar erm adaptive_spider population_grad_norm --worst loss.slope
    level dp_nsgd "dp_gd tuned" dp_nsgd grad_norm
    level dp_nsgd dp_nsgd dp_ngd grad_norm
    level dp_nsgd sqrt tree grad_norm
    level dp_nsgd honaker tree grad_norm
    level phased_sgd phased_sgd dp_sgd population_excess_risk --worst data.mean
    level prox_md prox_md dp_gd population_prox_distance --worst loss.slope
    level frank_wolfe noisy_fw dp_sgd population_excess_risk --worst data.mean
    level frank_wolfe "nsfw balanced" nsfw fw_gap
    level ijcnn1 dp_spider dp_gd excess_risk
    level neighbours dp_sgd_poisson dp_sgd excess_risk
    level neighbours dp_sgd_poisson dp_gd excess_risk
    level private_tuning free theory excess_risk
    level private_tuning 10 theory excess_risk
    level private_tuning 100 theory excess_risk
    level private_tuning "10 alike" free excess_risk
    level curvature dp_adam dp_gd excess_risk
    level curvature dp_newton dp_gd excess_risk
    level curvature dp_tr dp_gd excess_risk
    level curvature dp_2ns dp_gd excess_risk
    level losses dp_spider dp_sgd excess_risk
    level bodies noisy_fw dp_gd excess_risk
    level bodies nsfw dp_gd excess_risk
    level bodies poly_sfw dp_gd excess_risk
    level bodies dp_sgd dp_gd excess_risk
    ;;
*)
    echo "results_tables.sh: $part: no such part" >&2
    exit 2 ;;
esac
