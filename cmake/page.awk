# page.awk -- a page of the manual around the HTML that cmark-gfm made of its Markdown: style, navigation, headings with the
# names that links in Markdown use, links to other pages, and no links to files that are not installed.
#   -v page="docs/reference/verbs"  -v pages=FILE: one row per page, in their order: path without suffix, title.

function read_pages(   row, column, count) {
    while ((getline row <pages) > 0) {
        split(row, column, "\t")
        order[++count] = column[1]
        place[column[1]] = count
        title[column[1]] = column[2]
    }
    close(pages)
}

# The name of a heading in links: lower case, letters, digits, _ and -; a second one of the same name gets "-1".
function slug(html,   text) {
    gsub(/<[^>]*>|&lt;|&gt;|&amp;|&quot;/, "", html)
    text = tolower(html)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text (seen[text]++ ? "-" seen[text] - 1 : "")
}

# A link to a page, to a figure or to elsewhere; "" for a file that is not installed, whose words stay.
function link(href,   path, anchor) {
    if (href ~ /^([a-z]+:|#)/) return href
    anchor = match(href, /#.*/) ? substr(href, RSTART) : ""
    sub(/#.*/, "", href)
    path = folder href
    while (match(path, /[a-z_]+\/\.\.\//)) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    if (sub(/\.md$/, "", path) && path in place) return substr(href, 1, length(href) - 2) "html" anchor
    return path ~ /^plots\/.*\.svg$/ ? href : ""
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
            target = link(substr(href, 10, length(href) - 11))
            kept = target != ""
            if (kept) out = out "<a href=\"" target "\">"
        }
    }
    return out line
}

function neighbour(rel, word, other) {
    if (other != "") print "<a rel=\"" rel "\" href=\"" up other ".html\">" word ": " title[other] "</a>"
}

function navigation(label) {
    print "<nav aria-label=\"" label "\">"
    if (page != "README") print "<a href=\"" up "docs/README.html\">" title["docs/README"] "</a>"
    neighbour("prev", "Before", order[place[page] - 1])
    neighbour("next", "Next", order[place[page] + 1])
    print "</nav>"
}

BEGIN {
    read_pages()
    folder = up = page
    sub(/[^\/]*$/, "", folder)
    gsub(/[^\/]*\//, "../", up)
    sub(/[^\/]*$/, "", up)
    print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>"
    print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
    print "<title>" title[page] (title[page] == "Stillpoint" ? "" : " - Stillpoint") "</title>"
    print "<link rel=\"stylesheet\" href=\"" up "docs/page.css\"/>\n</head>\n<body>"
    navigation("Pages")
    print "<main>"
}
/^<table>/ { print "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">" }
match($0, /^<h[1-6]>/) { $0 = substr($0, 1, 3) " id=\"" slug($0) "\">" substr($0, 5) }
{ print links($0) }
/^<\/table>/ { print "</div>" }
END {
    print "</main>"
    navigation("Pages, once more")
    print "</body>\n</html>"
}
