# slug.awk -- the name that links in Markdown give a heading, once a page: letters, digits, _ and -; a second one of a name gets
# "-1". For page.awk and parts.awk.

function words(html) { # its text, without what stands for < > & "
    gsub(/<[^>]*>/, "", html)
    gsub(/&lt;|&gt;|&amp;|&quot;/, "", html)
    return html
}

function slug(html,   text) {
    text = tolower(words(html))
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text (seen[text]++ ? "-" seen[text] - 1 : "")
}
