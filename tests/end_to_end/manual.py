"""manual.py links ROOT | files ROOT RESULTS -- what the manual has to keep (manual.sh)."""
import glob
import gzip
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
    version = re.search(r"SP_STORE_VERSION = ([0-9]+)", open(f"{root}/core/store/store.h", encoding="utf-8").read())[1]
    flat = " ".join(open(f"{root}/docs/reference/store.md", encoding="utf-8").read().split())
    need(f"(now {version}, SQLite's `user_version`)" in flat, "the version of the store")


{"links": links, "files": files}[sys.argv[1]](*sys.argv[2:])
for text in wrong[:20]:
    print(text, file=sys.stderr)
sys.exit(1 if wrong else 0)
