#!/bin/sh
# results_tables.sh PROGRAM ROOT -- docs/results/results.md, from the committed tables of runs: what theorems claim, what we
# conjecture, and which method is lower at every point. Each table with its heading.
# results_tables.sh PROGRAM ROOT papers -- the part of README.md between its marks: the claims of the five papers.
set -eu
export LC_ALL=C # decimal points, and names in the order of their bytes
program=$1 root=$2 part=${3:-page}
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
"$program" check --plain --root "$root" >"$scratch/check.tsv" || [ $? -le 100 ] # its exit code counts claims
"$program" check --counts --root "$root" >"$scratch/counts.tsv" || [ $? -le 100 ]

# claims ORIGIN: a row a claim of that origin.
claims() {
    awk -F '\t' -v origin="$1" -v root="$root" "$(cat "$(dirname "$0")/claims.awk")"'
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { divisor = divided(root "/results/" field("experiment")) }
        field("origin") == origin {
            printf "| `%s`%s | %s | %s | %s | %s | %s | %s | %s |\n", field("experiment"),
                   field("sweep") == "main" ? "" : " " field("sweep"), field("algorithm"), claimed(divisor), measured(),
                   excluded(), verdict(), field("source") == "-" ? "" : field("source"),
                   commits(root "/results/" field("experiment"))
        }' "$scratch/check.tsv"
}

# A paper by the words that the sources of claims begin with: a line a paper.
papers='Lowy, Ullman & Wright 2024
Liu & Talwar 2024
Wang & Xu 2020
Tran & Cutkosky 2022
Bassily, Guzman & Menart 2021=Bassily et al. 2021'

# papers: how the claims of each paper came out; and a row a claim, folded.
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
    cat <<'END'

<details><summary>Each of these claims: the exponent of the theorem, the measured one, the verdict and the commit that made the runs</summary>

| paper | experiment, method | claim (mode) | exponent | measured, 90 % | excludes | verdict | commit |
|---|---|---|---|---|---|---|---|
END
    printf '%s\n' "$papers" | while IFS='=' read -r paper words; do
        awk -F '\t' -v words="${words:-$paper}" -v root="$root" "$(cat "$(dirname "$0")/claims.awk")"'
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { divisor = divided(root "/results/" field("experiment")) }
            field("origin") == "theorem" && index(field("source"), words) == 1 {
                word = field("verdict")
                sub(/_/, " ", word)
                printf "| %s | `%s`%s, %s | %s | %s | %s | %s | %s | %s |\n", field("source"), field("experiment"),
                       field("sweep") == "main" ? "" : " " field("sweep"), field("algorithm"), against(divisor),
                       exponent(), measured(), excluded(), "**" tolower(word) "**",
                       commits(root "/results/" field("experiment"))
            }' "$scratch/check.tsv"
    done
    printf '\n</details>\n'
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
    "$program" score "$1" --measure "$2" --plain --root "$root" | awk -F '\t' '
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

if [ "$part" = papers ]; then
    papers
    exit
fi
head='| experiment | method | claim (mode) | measured, 90 % | excludes | verdict | source | commit |
|---|---|---|---|---|---|---|---|'
cat <<'END'
# What the committed experiments show

Made by `tests/results_tables.sh build/release/stillpoint .` from the committed tables; do not edit. Words, modes and
intervals are those of `stillpoint check` ([experiments.md](../how_to/experiments.md#claims)); what they say, and what they do not,
is told [experiment by experiment](../how_to/experiments.md#what-the-experiments-found).

END
printf '%s\n\n%s\n\n%s\n' "## What theorems claim" "$(counts theorem)" "$head"
claims theorem
printf '\n%s\n\n%s\n\n%s\n' "## What we conjecture, and nobody proved" "$(counts conjecture)" "$head"
claims conjecture
printf '\n%s\n\n%s\n\n%s\n%s\n' "## Who leaves less, point by point" \
    "Geometric means of the ratios, run by run; words by Holm over the points of a sweep." \
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
printf '\n%s\n\n%s\n%s\n\n%s\n%s\n' "## Over many problems" \
    "\`matrix\`, the excess risk, by rank; the columns are those of \`stillpoint score\`" \
    "([experiments.md](../how_to/experiments.md#over-many-problems)). Methods that fit few tasks are ranked among other rivals." \
    "| method | tasks | failed | best | near | middle | rank | improvement |" "|---|---|---|---|---|---|---|---|"
scores matrix excess_risk
