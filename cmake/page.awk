# page.awk -- a page of the manual around the HTML that cmark-gfm made of its Markdown: style, navigation, headings with the
# names that links in Markdown use, links to other pages, and no links to what is not installed.
#   -v title=TEXT  -v up="" or "../" (from the page to the README)  -v before=FILE.html  -v after=FILE.html (in docs/; "": none)

function slug(text) {
    gsub(/<[^>]*>/, "", text)
    gsub(/&lt;|&gt;|&amp;|&quot;/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text (seen[text]++ ? "-" seen[text] - 1 : "")
}

# A link to a page of the manual, to a figure or to elsewhere stays; of any other the words stay.
function link(href,   path, anchor) {
    if (href ~ /^(#|[a-z]+:)/) return href
    path = href
    anchor = ""
    if (match(path, /#/)) { anchor = substr(path, RSTART); path = substr(path, 1, RSTART - 1) }
    if (path ~ /^(docs\/|\.\.\/)?[A-Za-z_]+\.md$/ && path !~ /^(\.\.\/)?CONTRIBUTING/) {
        sub(/md$/, "html", path)
        return path anchor
    }
    return path ~ /^(\.\.\/)?plots\/.*\.svg$/ ? path : ""
}

function links(line,   out, href) {
    while (match(line, /<a href="[^"]*">|<\/a>/)) {
        out = out substr(line, 1, RSTART - 1)
        href = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (href == "</a>") {
            if (kept) out = out href
            kept = 0
        } else {
            href = link(substr(href, 10, length(href) - 11))
            kept = href != ""
            if (kept) out = out "<a href=\"" href "\">"
        }
    }
    return out line
}

function navigation(label) {
    print "<nav aria-label=\"" label "\"><a href=\"" up "docs/README.html\">The manual</a>"
    if (before != "") print "<a rel=\"prev\" href=\"" up "docs/" before "\">Before</a>"
    if (after != "") print "<a rel=\"next\" href=\"" up "docs/" after "\">Next</a>"
    print "</nav>"
}

BEGIN {
    print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>"
    print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
    print "<title>" title " - Stillpoint</title>\n<link rel=\"stylesheet\" href=\"" up "docs/page.css\"/>\n</head>\n<body>"
    navigation("Pages")
    print "<main>"
}
/^<table>/ { print "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">" }
match($0, /^<h[1-6]>/) {
    $0 = substr($0, 1, 3) " id=\"" slug($0) "\">" substr($0, 5)
}
{ print links($0) }
/^<\/table>/ { print "</div>" }
END {
    print "</main>"
    navigation("Pages, once more")
    print "</body>\n</html>"
}
