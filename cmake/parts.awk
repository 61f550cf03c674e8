# parts.awk -- cuts the HTML that cmark-gfm made of a long page at its headings, a part a heading that has text of its own.
#   -v page="docs/verbs"  -v out=FOLDER: OUT/docs/verbs.html gets what stands before the first heading, OUT/docs/verbs/run.html
#   the section "run"; OUT/docs/verbs is there. Prints a row a part, the page itself first: file, where that stands in Markdown,
#   what is above it, title.

function finish(   name) {
    if (title == "") {
        print page ".html\t" page ".md\tdocs/README.html\t" top
        printf "%s", body >(out "/" page ".html")
    } else if (body ~ /[^ \n]/) {
        name = tolower(words(title))
        gsub(/[^a-z0-9]+/, "_", name)
        name = page "/" name ".html"
        print name "\t" page ".md#" anchor "\t" page ".html\t" title
        printf "<h1>%s</h1>\n%s", title, body >(out "/" name)
    }
    body = ""
}

match($0, /^<h[2-6]>/) {
    finish()
    title = substr($0, 5, length($0) - 9)
    anchor = slug(title)
    next
}
/^<h1>/ { top = substr($0, 5, length($0) - 9); slug(top) }
{ body = body $0 "\n" }
END { finish() }
