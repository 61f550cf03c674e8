# page.awk -- a page of the manual around the HTML that cmark-gfm made of its Markdown: style, navigation, headings with the
# names that links in Markdown use, links to other pages, and no links to what is not installed.
#   -v file="docs/verbs/run.html"  -v pages=FILE: a row a page, in their order: file, the Markdown it is from ("docs/verbs.md#run"),
#   the file of the page above it, "-" where there is none, title. With slug.awk.

function read_pages(   row, column, count) {
    while ((getline row <pages) > 0) {
        split(row, column, "\t")
        order[++count] = column[1]
        place[column[1]] = count
        from[column[1]] = column[2]
        made[column[2]] = column[1]
        above[column[1]] = column[3] == "-" ? "" : column[3]
        title[column[1]] = column[4]
    }
    close(pages)
}

# A link to a page or a part of one, to a figure or to elsewhere, from this page; of any other the words stay.
function link(href,   path, anchor) {
    if (href ~ /^[a-z]+:/ || (href ~ /^#/ && !(source href in made))) return href
    anchor = match(href, /#.*/) ? substr(href, RSTART) : ""
    sub(/#.*/, "", href)
    path = href == "" ? source : href ~ /^\.\.\// ? substr(href, 4) : folder href
    if (path anchor in made) return made[path anchor] == file ? anchor : up made[path anchor]
    if (path in made) return made[path] == file ? anchor : up made[path] anchor
    return path ~ /^plots\/.*\.svg$/ ? up path : ""
}

# In the list of a page's parts a part's name is that of its item as well: where the part was when all was one page.
function name_of(href,   name) {
    name = substr(href, 2)
    return href ~ /^#/ && source href in made && above[made[source href]] == file && !seen[name]++ ? " id=\"" name "\"" : ""
}

function links(line,   out, href, target) {
    while (match(line, /<a (href|id)="[^"]*">|<\/a>/)) {
        out = out substr(line, 1, RSTART - 1)
        href = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (href == "</a>") {
            if (kept) out = out href
            kept = 0
        } else if (href ~ /^<a id/) {
            out = out href
            kept = 1
        } else {
            href = substr(href, 10, length(href) - 11)
            target = link(href)
            kept = target != ""
            if (kept) out = out "<a" name_of(href) " href=\"" target "\">"
        }
    }
    return out line
}

function way_up(page,   further) {
    further = above[page] == "" ? "" : way_up(above[page]) " <span aria-hidden=\"true\">/</span> "
    return further "<a href=\"" up page "\">" title[page] "</a>"
}

function neighbour(rel, word, page) {
    if (page != "") print "<a rel=\"" rel "\" href=\"" up page "\">" word ": " title[page] "</a>"
}

function navigation(label) {
    print "<nav aria-label=\"" label "\">"
    if (above[file] != "") print "<span>" way_up(above[file]) "</span>"
    if (order[place[file] - 1] != above[file]) neighbour("prev", "Before", order[place[file] - 1])
    neighbour("next", "Next", order[place[file] + 1])
    print "</nav>"
}

BEGIN {
    read_pages()
    source = from[file]
    sub(/#.*/, "", source)
    folder = source ~ /^docs\// ? "docs/" : ""
    up = file
    gsub(/[^\/]*\//, "../", up)
    sub(/[^\/]*$/, "", up)
    whole = title[file]
    for (page = above[file]; page ~ /^docs\// && page != "docs/README.html"; page = above[page]) whole = whole " - " title[page]
    if (whole != "Stillpoint") whole = whole " - Stillpoint"
    print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>"
    print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
    print "<title>" whole "</title>\n<link rel=\"stylesheet\" href=\"" up "docs/page.css\"/>\n</head>\n<body>"
    navigation("Pages")
    print "<main>"
}
/^<table>/ { print "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">" }
match($0, /^<h[1-6]>/) {
    $0 = substr($0, 1, 3) " id=\"" slug($0) "\">" substr($0, 5)
}
# A key by its name: keys/problem.html#n
source == "docs/keys.md" && match($0, /^<li>[A-Za-z_]+: /) {
    key = substr($0, 5, RLENGTH - 6)
    $0 = "<li" (seen[key]++ ? "" : " id=\"" key "\"") "><a href=\"#" key "\"><code>" key "</code></a>" substr($0, RLENGTH - 1)
}
{
    gsub(/src="\.\.\//, "src=\"" up)
    print links($0)
}
/^<\/table>/ { print "</div>" }
END {
    print "</main>"
    navigation("Pages, once more")
    print "</body>\n</html>"
}
