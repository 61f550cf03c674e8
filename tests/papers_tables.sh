#!/bin/sh
# papers_tables.sh ROOT -- docs/results/papers.md: every system of the five papers, what it claims and what was measured, from
# tests/papers.tsv and the committed tables.
#
# tests/papers.tsv has a row a system: `paper` and `method`; what is claimed of it, nothing ("-") where nothing is;
# `sources`, of which a claim of the method has to name one ("|" between them) to stand in its row; for Table 1 of
# Bassily, Guzman & Menart `setting` and `linear`, whether the time is said to be linear; and `levels`, places where the
# method is held against others without a claim: "experiment sweep measure axis", "; " between them. A claim says whose
# it is by its `source`, and has the method of the cells with its label.
set -eu
export LC_ALL=C # decimal points, and names in the order of their bytes
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sh "$(dirname "$0")/unpacked.sh" "$root" "$scratch"
set -- "$root/tests/papers.tsv" "$root/docs/reference/speed_intel.tsv"
for experiment in "$root"/experiments/*.lua; do
    results=$scratch/results/$(basename "$experiment" .lua)
    [ -e "$results/fits.tsv" ] || continue
    inversions=$(grep -l "mode: inversion" "$results"/figures/*.tsv 2>/dev/null) || :
    set -- "$@" "$results/summary.tsv" $inversions "$results/fits.tsv"
done
cat <<'TEXT'
# The systems of the five papers

Made by `tests/papers_tables.sh .` from `tests/papers.tsv` and the committed tables; do not edit. What is not committed
yet is *not run*.

A row is a claim of an experiment: *agrees* and the other words are those of `stillpoint check`
([experiments.md](../how_to/experiments.md#claims)), each about the exponent alone. The level says who leaves less: "0.62 times
dp_gd (0.62 to 0.95)" is the mean of the measure (of a family, at its worst member) over that of the best other method
of the sweep under the same privacy, at the largest value of the axis, and in brackets the range over all values. Below
1 the method is ahead. Among the others are tuned ones, even where the method itself is not, and `start`, which returns
w0; not among them are other labels of the method, runs without noise and non-private methods.

Throughout, n is the number of records, d the dimension, and a = sqrt(d ln(1/delta)) / (n epsilon); rates are up to
constants and logarithms, and *-* stands where the paper proves no rate of the method.

TEXT
awk -F '\t' -v root="$root" "$(cat "$(dirname "$0")/claims.awk")"'
    BEGIN { failure = 1e300 } # the level of runs that failed
    FNR == 1 {
        delete at
        for (i = 1; i <= NF; i++) at[$i] = i
        parts = split(FILENAME, part, "/")
        file = part[parts]
        experiment = part[parts - 1]
        if (file == "summary.tsv") head[experiment] = $0
        next
    }
    file == "papers.tsv" {
        systems++
        for (name in at) system_of[systems, name] = $at[name]
        next
    }
    file == "speed_intel.tsv" {
        if ($at["figure"] ~ /^[a-z_]+: exponent of n in its time/)
            time[substr($at["figure"], 1, index($at["figure"], ":") - 1)] = interval("median", "low", "high")
        next
    }
    experiment == "figures" { # of an inversion: a curve a block, its points are the levels that were reached
        if (/A tilt is another exponent/) residual = FILENAME
        if (FILENAME == residual) next
        if ($6 == "counted") { axis = $1; curve = $2; gsub(/\\\\/, "", curve) }
        else if (NF == 6 && curve != "") {
            i = ++inverted[part[parts - 2], axis]
            inverted[part[parts - 2], axis, i] = curve "\t" $1 "\t" $2
        }
        if (NF == 0) curve = ""
        next
    }
    file == "summary.tsv" {
        algorithm[experiment, $at["sweep"], $at["label"]] = $at["algorithm"]
        i = ++rows[experiment, $at["sweep"], $at["measure"]]
        row[experiment, $at["sweep"], $at["measure"], i] = $0
        next
    }
    { # fits.tsv
        what = claimed(divided(root "/results/" experiment))
        method = algorithm[experiment, field("sweep"), field("algorithm")]
        for (s = 1; s <= systems; s++) {
            if (system_of[s, "method"] != method || !named(field("source"), system_of[s, "sources"])) continue
            i = ++claims[s]
            claim[s, i] = "`" experiment "`" (field("sweep") == "main" ? "" : " " field("sweep")) \
                          (field("algorithm") == method ? "" : ", " field("algorithm")) ": " what \
                          (field("origin") == "theorem" ? "" : ", our conjecture")
            figures[s, i] = measured()
            words[s, i] = verdict()
            modes[s, i] = field("mode")
            levels[s, i] = level(experiment, field("sweep"), field("algorithm"), field("y"), field("x"),
                                 field("where"), field("mode") == "inversion")
        }
    }
    END { page() }

    function named(source, list,   part, i) {
        for (i = split(list, part, "|"); i > 0; i--)
            if (index(source, part[i])) return 1
        return 0
    }
    # the column of an axis: "n" stands for problem.n; a budget in other units goes with epsilon; 0: there is none
    function column(axis,   k, part) {
        if (axis == "mu" || axis == "rho") axis = "epsilon"
        for (k = split("problem. privacy. algorithm.", part, " "); k > 0; k--)
            if ((part[k] axis) in col) return col[part[k] axis]
        return (axis in col) ? col[axis] : 0
    }
    function cell(part, name) { return (name in col) ? part[col[name]] : "-" }

    function meets(part, where,   list, i, pair) {
        if (where == "-") return 1
        for (i = split(where, list, ", "); i > 0; i--) {
            split(list[i], pair, "=")
            if (part[column(pair[1])] != pair[2]) return 0
        }
        return 1
    }
    function least(a, b) { return a < b ? a : b }
    function most(a, b) { return a > b ? a : b }
    function ratio(x) { return x >= failure ? "inf" : sprintf(x < 0.1 ? "%.2g" : x < 10 ? "%.2f" : "%.3g", x) }

    # y of a label over the least y that a private label of another method has at the same point, budget and neighbours:
    # at the last point, and the range over the points. y is a mean over replicates, the largest one where a family has
    # several at a point. An inversion has its curves in a figure.
    function level(experiment, sweep, label, y, x, where, inversion,
                   part, i, name, key, keys, value, method, at_x, own, best, who, last, text, low, high, points) {
        delete col
        for (i = split(head[experiment], part, "\t"); i > 0; i--) col[part[i]] = i
        for (i = 1; i <= rows[experiment, sweep, y]; i++) {
            split(row[experiment, sweep, y, i], part, "\t")
            if (cell(part, "privacy") == "none" || cell(part, "privacy.noise") == "off" || !meets(part, where)) continue
            name = part[col["label"]]
            method[name] = part[col["algorithm"]]
            if (inversion) continue
            key = cell(part, "privacy.epsilon") " " cell(part, "privacy.delta") " " cell(part, "privacy.neighbours") \
                  SUBSEP part[column(x)]
            keys[key] = part[column(x)] + 0
            value[name, key] = most(value[name, key] + 0, part[col["failed"]] > 0 ? failure : part[col["mean"]] + 0)
        }
        for (i = 1; inversion && i <= inverted[experiment, x]; i++) {
            split(inverted[experiment, x, i], part, "\t")
            keys[part[2]] = part[2] + 0
            value[part[1], part[2]] = part[3] + 0
        }
        for (key in keys) {
            own = value[label, key] + 0
            best = failure
            for (name in method)
                if (method[name] != method[label] && value[name, key] + 0 > 0 && value[name, key] < best) {
                    best = value[name, key]
                    who = name
                }
            if (own <= 0 || best >= failure) continue
            own = own >= failure ? failure : own / best
            high = points == 0 ? own : most(high, own)
            low = points == 0 ? own : least(low, own)
            if (points++ == 0 || keys[key] > last) { last = keys[key]; text = ratio(own) " times " who }
        }
        return points == 0 ? "-" : text (points == 1 ? "" : " (" ratio(low) " to " ratio(high) ")")
    }
    # what is held against others without a claim
    function held(s,   list, n, i, part) {
        n = split(system_of[s, "levels"], list, "; ")
        for (i = 1; i <= n; i++) {
            split(list[i], part, " ")
            if (!(part[1] in head)) continue
            claims[s]++
            claim[s, claims[s]] = "`" part[1] "` " part[2] ": " part[3] " against " part[4]
            figures[s, claims[s]] = words[s, claims[s]] = modes[s, claims[s]] = "-"
            levels[s, claims[s]] = level(part[1], part[2], system_of[s, "method"], part[3], part[4], "-", 0)
        }
    }

    function page(   s, i, papers, first, seconds) {
        for (s = 1; s <= systems; s++) held(s)
        print "## Table 1 of Bassily, Guzman & Menart 2021\n"
        print "Losses are Lipschitz in the dual of the l_p norm over its unit ball; GLL are generalized linear losses,"
        print "kappa = min{1 / (p - 1), log d}, kappa~ = 1 + log d where p < 2, else 1. *Linear* is what the paper says"
        print "of the number of gradients; the exponent of time is that of the seconds of a run against n, the median"
        print "over rounds between quartiles, from [speed_intel.tsv](../reference/speed_intel.tsv).\n"
        print "| setting | algorithm | claimed rate | linear | measured claim | mode | exponent, 90 % | | of time |"
        print "|---|---|---|---|---|---|---|---|---|"
        for (s = 1; s <= systems; s++) {
            if (system_of[s, "setting"] == "-") continue
            first = system_of[s, "setting"] " | " system_of[s, "method"] " | " said(s) " | " system_of[s, "linear"]
            seconds = system_of[s, "method"] in time ? time[system_of[s, "method"]] : "-"
            for (i = 1; i <= most(1, claims[s]); i++) {
                print "| " first " | " (claims[s] == 0 ? "not run | - | - | -" \
                      : claim[s, i] " | " modes[s, i] " | " figures[s, i] " | " words[s, i]) " | " seconds " |"
                first = " | | | "
                seconds = ""
            }
        }
        for (s = 1; s <= systems; s++) {
            if (!(system_of[s, "paper"] in papers)) {
                papers[system_of[s, "paper"]] = 1
                printf "\n## %s\n\n", system_of[s, "paper"]
                print "| method | the paper claims | measured claim | exponent, 90 % | word | level |"
                print "|---|---|---|---|---|---|"
            }
            first = system_of[s, "method"] " | " said(s)
            for (i = 1; i <= most(1, claims[s]); i++) {
                print "| " first " | " (claims[s] == 0 ? (said(s) == "-" ? "-" : "not run") " | - | - | -" \
                      : claim[s, i] " | " figures[s, i] " | " words[s, i] " | " levels[s, i]) " |"
                first = " | "
            }
        }
    }
    function said(s) { return system_of[s, "claim"] }' "$@"
