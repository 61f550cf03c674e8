# claims.awk -- how a document words a claim: functions of a row of fits.tsv, or of `stillpoint check --plain`, which is
# the line that awk has read, at[] being the places of its columns. They stand in front of a script's own program.
function field(name) { return $at[name] }

# 0.6666666666666666 as 2/3 where it is such a fraction
function power(x,   k) {
    for (k = 1; k <= 7; k += k == 4 ? 3 : 1)
        if ((x * k - sprintf("%.0f", x * k))^2 < 1e-18)
            return k == 1 ? sprintf("%.0f", x) : sprintf("%.0f/%d", x * k, k)
    return sprintf("%.3g", x)
}

# What y is divided by first: from the next row of claims.tsv in `folder`, which has a row a claim in the same order. Before
# conditions(), which says its constant.
function divided(folder,   file, line, part, i, out) {
    file = folder "/claims.tsv"
    if (!(file in known)) {
        getline line <file
        for (i = known[file] = split(line, part, "\t"); i > 0; i--) place[file, part[i]] = i
    }
    getline line <file
    split(line, part, "\t")
    if (part[place[file, "sweep"]] != field("sweep") || part[place[file, "algorithm"]] != field("algorithm"))
        return " (" file " has another order)"
    out = part[place[file, "log"]] + 0 == 0 ? "" : " / log^" power(part[place[file, "log"]]) " " field("x")
    constant = part[place[file, "constant"]]
    line = part[place[file, "per"]]
    for (; match(line, /[^ ,=]+=[^ ,]+/); line = substr(line, RSTART + RLENGTH)) {
        split(substr(line, RSTART, RLENGTH), part, "=")
        out = out " / " part[1] (part[2] == 1 ? "" : "^" power(part[2]))
    }
    return out
}

function claimed(divisor) {
    return field("y") divisor " ~ " field("x") "^" exponent() conditions()
}

# The same in two columns
function against(divisor) { return field("y") divisor " against " field("x") conditions() }
function exponent() { return power(field("claimed")) sprintf(" +-%g", field("tolerance")) }

function at_most() {
    if (constant == "NaN") return ""
    return ", at most " sprintf("%.3g", constant) (field("claimed") == 0 ? "" : " " field("x") "^" power(field("claimed")))
}

function conditions() {
    return " (" field("mode") at_most() ")" (field("where") == "-" ? "" : ", " field("where")) \
           (field("below") == "-" ? "" : ", below that of " field("below"))
}

# The commits that made the runs in `folder`, by seven digits each; with a + where the sources had changed since.
function commits(folder,   file, line, part, i, column, dirty, out) {
    file = folder "/provenance.tsv"
    if (file in made_by) return made_by[file]
    getline line <file
    for (i = split(line, part, "\t"); i > 0; i--) {
        if (part[i] == "commit") column = i
        if (part[i] == "dirty") dirty = i
    }
    while (column && (getline line <file) > 0) {
        split(line, part, "\t")
        line = substr(part[column], 1, 7) (part[dirty] == "yes" ? "+" : "")
        if (!index(out, line)) out = out (out == "" ? "" : ", ") line
    }
    return made_by[file] = out == "" ? "not known" : out
}

# The word on a bound is about the end of the curve.
function measured() {
    return field("mode") == "bound" ? interval("tail", "tail_low", "tail_high") " at the end" \
                                    : interval("exponent", "low90", "high90")
}
function interval(x, low, high) { return sprintf("%.3f [%.3f, %.3f]", field(x), field(low), field(high)) }

function excluded() {
    return field("rival") == "NaN" ? "" : (field("log_lr") >= log(20) ? "" : "not ") power(field("rival"))
}

function verdict(   word, reason) {
    word = field("verdict")
    sub(/_/, " ", word)
    reason = field("reason")
    if (match(reason, /[0-9]+ replicates would settle it/))
        reason = substr(reason, RSTART, RLENGTH) (reason ~ /capped/ ? "; capped" : "")
    else if (reason ~ /on no line/)
        reason = "on no line (p = " sprintf("%.1g", field("fit_p")) ")"
    return "**" tolower(word) "**" (reason == "-" ? "" : ": " reason)
}
