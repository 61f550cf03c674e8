"""manual.py links ROOT | files ROOT RESULTS | html ROOT FOLDER -- what the manual has to keep (manual.sh)."""
import glob
import gzip
import html
import html.parser
import os
import re
import sys

wrong = []


def need(truth, text):
    if not truth:
        wrong.append(text)


def anchors(path):
    """The names that GitHub gives to the headings of a page, and those that it says itself."""
    found, inside = re.findall(r'<a id="([^"]*)"></a>', open(path, encoding="utf-8").read()), False
    for line in open(path, encoding="utf-8"):
        inside ^= line.startswith("```")
        heading = None if inside else re.match(r"#{1,6} (.*)", line)
        if heading:
            text = re.sub(r"[^\w -]", "", re.sub(r"[`*]|\]\([^)]*\)", "", heading[1]).strip().lower()).replace(" ", "-")
            found.append(text if text not in found else f"{text}-{found.count(text)}")
    return found


def links(root):
    pages = [f"{root}/README.md", f"{root}/CONTRIBUTING.md", *sorted(glob.glob(f"{root}/docs/**/*.md", recursive=True))]
    followed = 0
    for page in pages:
        text = re.sub(r"^```.*?^```", "", open(page, encoding="utf-8").read(), flags=re.S | re.M)
        text = re.sub(r"`[^`\n]*`", "``", text)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match("[a-z]+:", target):
                continue
            followed += 1
            path, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            need(os.path.exists(path), f"{page}: {target}: no such file")
            if anchor and os.path.exists(path):
                need(anchor in anchors(path), f"{page}: {target}: no such heading")
    need(followed > 300, f"only {followed} links were followed")
    page = open(f"{root}/CONTRIBUTING.md", encoding="utf-8").read()  # "Follow one run": the functions are where it says
    steps = re.findall(r"^\| [1-8] \| `(\w+)` \| \[[^]]*\]\(([^)]*)\)", page, re.M)
    need(len(steps) == 8, f"CONTRIBUTING.md: {len(steps)} functions of a run")
    for name, path in steps:
        need(os.path.exists(f"{root}/{path}") and re.search(rf"^\w.*\b{name}\(", open(f"{root}/{path}", encoding="utf-8").read(), re.M),
             f"CONTRIBUTING.md: {path} does not define {name}")
    for page in glob.glob(f"{root}/docs/*/*.md"):
        text = open(page, encoding="utf-8").read()
        made = "; do not edit" in text or page.endswith("errata.md")
        words = len(re.sub(r"^<!-- .*?: begin.*?: end -->", "", text, flags=re.S | re.M).split())
        need(words <= 2500 or made, f"{page}: {words} words; split it")


AXES = re.compile(r"(problem|privacy|algorithm)(\.|$)")


def header(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return file.readline().rstrip("\n").split("\t")


def files(root, fresh):
    page = open(f"{root}/docs/reference/files.md", encoding="utf-8").read()
    measures = {os.path.basename(path)[:-2] for path in glob.glob(f"{root}/measures/*.c")}
    keys = re.findall(r"^\* (\w+):", re.search(r"^## claims\n(.*?)^## ", open(f"{root}/docs/reference/keys.md", encoding="utf-8").read(),
                                               re.S | re.M)[1], re.M)
    sections = re.findall(r"^### (\w+)\.tsv\n(.*?)(?=^##)", page, re.S | re.M)
    need(len(sections) >= 12, "sections of tables")
    either = "\n".join(re.findall(r"^\|.*\*either:\*.*$", page, re.M))  # in cells.tsv or in runs.tsv
    both = [c for t in ("cells", "runs") for path in glob.glob(f"{fresh}/{t}.tsv") for c in header(path)]
    for name, text in sections:
        text += "\n" + either if name == "cells" else ""
        said = set(re.findall(r"`([a-z_0-9]+|start\.\*|resolved\.\*|algorithm\.\*)`", text))
        tables = glob.glob(f"{root}/results/*/{name}.tsv*") + glob.glob(f"{fresh}/{name}.tsv*")
        need(any(path.startswith(fresh) for path in tables), f"{name}.tsv was not made")
        seen = set()
        for path in tables:
            for column in header(path):
                seen.add(column)
                if AXES.match(column) and name not in ("claims", "fits", "keys", "audits"):
                    need("axes" in text or "algorithm.*" in said or "problem.*" in text, f"{name}.tsv: axes")
                    continue
                known = column in said or any(column.startswith(c) and c + "*" in said for c in ("start.", "resolved."))
                known = known or (column in measures and "measure" in text) or (name == "claims" and column in keys)
                known = known or (name == "audits" and f"`{column}`" in open(f"{root}/docs/reference/audits.md", encoding="utf-8").read())
                known = known or (column.startswith("algorithm") and name == "audits")
                need(known, f"{path}: files.md does not have the column {column}")
        for word in re.findall(r"^\| (`[^|]*) \|", text, re.M) if "| column |" in text else []:
            for column in re.findall(r"`([a-z_0-9]+)`", word):
                need(column in seen or (column in both and name in ("cells", "runs")), f"files.md: {name}.tsv has no column {column}")
    limits = dict((name, value) for value, name in
                  re.findall(r"^\| <a id=\"\w+\"></a>([0-9]+) \|.*\| `(\w+)` \|$", open(f"{root}/docs/reference/limits.md", encoding="utf-8").read(), re.M))
    flat = " ".join(open(f"{root}/docs/reference/store.md", encoding="utf-8").read().split())
    need(f"(now {limits['SP_STORE_VERSION']}, SQLite's `user_version`)" in flat, "the version of the store")


class Page(html.parser.HTMLParser):
    void = {"meta", "link", "img", "br", "hr", "input"}

    def __init__(self, path):
        super().__init__()
        self.path, self.open, self.ids, self.links, self.images, self.headings = path, [], [], [], [], []
        self.relations = {}
        self.feed(open(path, encoding="utf-8").read())
        need(not self.open, f"{path}: not closed: {self.open}")

    def to(self, target):
        """A file and a name in it that a link leads to."""
        where, _, anchor = target.partition("#")
        return os.path.normpath(os.path.join(os.path.dirname(self.path), where)) if where else self.path, anchor

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag not in self.void:
            self.open.append(tag)
        if "id" in a:
            self.ids.append(a["id"])
        if tag == "link" or (tag == "a" and "href" in a):
            self.links.append(a["href"])
        if tag == "a" and "rel" in a:
            self.relations.setdefault(a["rel"], self.to(a["href"])[0])
            need(self.relations[a["rel"]] == self.to(a["href"])[0], f"{self.path}: two pages are {a['rel']}")
        if tag == "img":
            self.images.append(a["src"])
            need(a.get("alt"), f"{self.path}: an image without words")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
            need(a.get("id"), f"{self.path}: a heading without a name")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.void:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in self.void:
            need(self.open and self.open.pop() == tag, f"{self.path}: {tag} is closed and was not open")


def whole(root, folder):
    pages = {path: Page(path) for path in [f"{folder}/README.html", *glob.glob(f"{folder}/docs/**/*.html", recursive=True)]}
    need(len(pages) > 20, "pages")
    for path, page in pages.items():
        need(len(set(page.ids)) == len(page.ids), f"{path}: a name twice")
        need(page.headings.count(1) == 1, f"{path}: one heading of the first level")
        need("http:" not in page.links, path)
        for target in page.links + page.images:
            if re.match("[a-z]+:", target):
                continue
            where, anchor = page.to(target)
            need(os.path.exists(where), f"{path}: {target}: no such file")
            need(not anchor or (where in pages and anchor in pages[where].ids), f"{path}: {target}: no such heading")
        after = page.relations.get("next")
        need(not after or pages[after].relations["prev"] == path, f"{path}: the page after it has another before it")
    index = {pages[f"{folder}/docs/README.html"].to(t)[0] for t in pages[f"{folder}/docs/README.html"].links}
    for path in glob.glob(f"{root}/docs/*/*.md"):
        need(f"{folder}/{os.path.relpath(path, root)[:-3]}.html" in index, f"the index lacks {path}")
    seen, at = set(), f"{folder}/README.html"  # by "Next" from the first page to the last
    while at and at not in seen:
        seen.add(at)
        at = pages[at].relations.get("next")
    need(seen == set(pages), f"{len(seen)} of {len(pages)} pages follow each other")
    report = "".join(open(path, encoding="utf-8").read() for path in glob.glob(f"{root}/core/report/*.c"))
    calls = "".join(re.findall(r"sp_report_link\(manual,[^;]*;", report))
    linked = re.findall(r"\b([\w/]+\.html)\b", calls)
    need(len(linked) >= 4, "what the report links to")
    for name in linked:  # which_method.html#NAME, too, which that page's own table links to
        need(f"{folder}/docs/{name}" in pages, f"the report links to {name}")


{"links": links, "files": files, "html": whole}[sys.argv[1]](*sys.argv[2:])
for text in wrong[:20]:
    print(text, file=sys.stderr)
sys.exit(1 if wrong else 0)
