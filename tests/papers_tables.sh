#!/bin/sh
# papers_tables.sh ROOT [PAPER] -- for each system of a paper: what it claims and what was measured, from tests/papers.tsv and the
# committed tables. PAPER is a paper of papers.tsv, or "table1": Table 1 of Bassily, Guzman & Menart; without it, all of them.
# tests/results_pages.sh puts the tables into the pages of docs/results/.
#
# tests/papers.tsv has a row a system: `paper` and `method`; what is claimed of it, nothing ("-") where nothing is;
# `sources`, of which a claim of the method has to name one ("|" between them) to stand in its row; for Table 1 of
# Bassily, Guzman & Menart `setting` and `linear`, whether the time is said to be linear; and `levels`, places where the
# method is held against others without a claim: "experiment sweep measure axis", "; " between them. A claim says whose
# it is by its `source`, and has the method of the cells with its label.
set -eu
export LC_ALL=C # decimal points, and names in the order of their bytes
root=$1 paper=${2-}
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
awk -F '\t' -v root="$root" -v paper="$paper" "$(cat "$(dirname "$0")/claims.awk")"'
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

    function page(   s, i, papers, first) {
        for (s = 1; s <= systems; s++) held(s)
        if (paper == "" || paper == "table1") table_1()
        for (s = 1; s <= systems; s++) {
            if (paper != "" && system_of[s, "paper"] != paper) continue
            if (!(system_of[s, "paper"] in papers)) {
                papers[system_of[s, "paper"]] = 1
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
    function table_1(   s, i, first, seconds) {
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
    }
    function said(s) { return system_of[s, "claim"] }' "$@"
