#!/bin/sh
# results_pages.sh PROGRAM ROOT [TO] -- renews the tables of committed results and the listings of sources in the pages of docs/,
# each between its marks (into.sh). With TO, renews copies in that folder and leaves docs/ as it is.
set -eu
program=$1 root=$2 to=${3-$2/docs}
tests=$(dirname "$0")
if [ -n "${3-}" ]; then
    mkdir -p "$to/results" "$to/explanation" "$to/how_to"
    cp "$root"/docs/results/*.md "$to/results"
    cp "$root"/docs/explanation/findings.md "$to/explanation"
    cp "$root"/docs/how_to/method_in_c.md "$to/how_to"
fi
table() { sh "$tests/results_tables.sh" "$program" "$root" "$@"; }
into() { sh "$tests/into.sh" "$to/$1.md" "$2"; }
paper() { # PAGE PAPER [WORDS that its sources begin with]
    table claims "${3-$2}" | into "results/$1" claims
    sh "$tests/papers_tables.sh" "$root" "$2" | into "results/$1" systems
}
paper lowy_ullman_wright_2024 'Lowy, Ullman & Wright 2024'
paper liu_talwar_2024 'Liu & Talwar 2024'
paper wang_xu_2020 'Wang & Xu 2020'
paper tran_cutkosky_2022 'Tran & Cutkosky 2022'
paper bassily_guzman_menart_2021 'Bassily, Guzman & Menart 2021' 'Bassily et al. 2021'
sh "$tests/papers_tables.sh" "$root" table1 | into results/bassily_guzman_menart_2021 table1
table others | into results/other_papers others
table conjectures | into results/other_papers conjectures
table levels | into results/levels levels
table scores | into results/levels scores
{ table counts && echo && table papers; } | into explanation/findings papers
listing() { { echo '```c' && cat "$root/$2" && echo '```'; } | into how_to/method_in_c "$1"; }
listing method algorithms/gd.c
listing loss losses/sigmoid.c
listing measure measures/grad_norm.c
