"""report.py PAGE [FIGURE.tsv...] -- what a report has to keep: it is well-formed, holds all that it shows, can be read
without eyes and by keyboard, and over each point of the figures stand the numbers of their tables."""
import collections
import math
import re
import sys
import xml.etree.ElementTree as tree

page = open(sys.argv[1], encoding="utf-8").read()
wrong = []


def need(truth, text):
    if not truth:
        wrong.append(text)


root = tree.fromstring(page.replace("<!DOCTYPE html>\n", "", 1))
local = lambda e: e.tag.rsplit("}", 1)[-1]
every = list(root.iter())

# --- one file, with links inside alone
ids = collections.Counter(e.get("id") for e in every if e.get("id"))
need(all(count == 1 for count in ids.values()), f"ids that stand twice: {[i for i, c in ids.items() if c > 1]}")
for e in every:
    for key, value in e.attrib.items():
        if key.rsplit("}", 1)[-1] in ("href", "src"):
            need(value.startswith("#") and value[1:] in ids, f"{local(e)} {key}={value} leads nowhere")
need("url(" not in page and "@import" not in page, "the style asks for another file")

# --- without eyes, by keyboard
for e in every:
    name = local(e)
    if name == "svg":
        need(e.get("aria-hidden") == "true" or (e.get("role") == "img" and e.get("aria-label")), "an svg without words")
    if name == "th":
        need(e.get("scope") == "col" and e.find("button") is not None, "a head of a column without scope or button")
    if name == "table":
        need(e.find("caption") is not None and "".join(e.find("caption").itertext()).strip(), "a table without a caption")
        width = len(e.findall("thead/tr/th"))
        need(all(len(r.findall("td")) == width for r in e.findall("tbody/tr")), "a row of another length than its head")
    need(int(e.get("tabindex", "0")) <= 0, "an order of its own for the keyboard")
labelled = {e.find("input") for e in every if local(e) == "label"}
need(all(e in labelled for e in every if local(e) == "input"), "an input without a label")
need(root.get("lang") and root.find("head/title").text, "a page without language or title")
levels = [int(local(e)[1]) for e in every if re.fullmatch("h[1-6]", local(e))]
need(levels[0] == 1 and levels.count(1) == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:])), "headings jump")


# --- contrast of words, light and dark (WCAG 2.1: 4.5)
def light(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


schemes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{([^}]*)\}", page)]
need(len(schemes) == 2, "a light and a dark scheme")
for scheme in schemes:
    for words in ("ink", "soft", "link", "good", "bad", "open"):
        for ground in ("paper", "raised"):
            a, b = sorted((light(scheme[words]), light(scheme[ground])))
            need((b + 0.05) / (a + 0.05) >= 4.5, f"{words} on {ground}: contrast {(b + 0.05) / (a + 0.05):.2f}")

# --- the numbers over the points, and where they stand
hits = [(e.find("{*}title").text, float(e.get("cx")), float(e.get("cy"))) for e in every
        if e.get("class") == "hit" and e.get("cx")]
squares = [(e.find("{*}title").text, *(float(e.get(k)) for k in ("x", "y", "width", "height"))) for e in every
           if e.get("class") == "hit" and not e.get("cx")]
for path in sys.argv[2:]:
    blocks = [b.strip("\n").split("\n") for b in open(path, encoding="utf-8").read().split("\n\n\n")]
    key = dict(line.split("\t") for line in blocks[0][1:])
    if "fields" in key:
        for line in blocks[4][1:]:
            f = dict(zip(blocks[4][0].split("\t"), line.split("\t"), strict=True))
            pair = re.sub(r"[\\{}]", "", f"{f['label']} / {f['base']}: ")
            where = [float(f[k]) for k in ("x", "y", "width", "height")]
            need(any(t.startswith(f"{pair}{float(f['estimate']):.4g} [") and f", {f['problems']} problems, p = {float(f['p']):.4g}: "
                     f"{f['order']}" in t and max(abs(a - b) for a, b in zip(at, where)) < 0.1 for t, *at in squares),
                 f"{path}: nothing says {pair}{f['estimate']}")
        need(len(blocks[4]) > 2, f"{path}: no field")
        continue
    asides = [float(a) for a in key.get("asides", "").split()]
    share = lambda v, log, low, high: math.log(v / low) / math.log(high / low) if log else (v - low) / (high - low)
    per_panel = int(key["curves"]) + int(key["guides"])
    for p, line in enumerate(blocks[1][1:]):
        left, top, width, height, y_log, y_low, y_high = map(float, line.split("\t")[:7])
        x_log, x_low, x_high = line.split("\t")[8:11] if "x_each" in key else (key["x_log"], key["x_low"], key["x_high"])
        for i, curve in enumerate(blocks[4 + p * per_panel:4 + p * per_panel + int(key["curves"])]):
            aside = asides[i] if asides and p == 0 else 1.0
            label = re.sub(r"[\\{}]", "", curve[0].split("\t")[1]) if curve[0] else ""
            for row in curve[1:]:
                x, y, low, high = map(float, row.split("\t")[:4])
                if not (math.isfinite(x) and math.isfinite(y)):
                    continue
                across = left + width * share(aside * x, x_log == "1", float(x_low), float(x_high))
                down = top + height * (1 - share(y, y_log == 1, y_low, y_high))
                near = [t for t, cx, cy in hits if abs(cx - across) < 0.1 and abs(cy - down) < 0.1]
                need(any(t.startswith(label + ": ") and f", {y:.4g} [{low:.4g}, {high:.4g}]" in t for t in near)
                     or not math.isfinite(low), f"{path}: nothing says {label} {x:.4g} {y:.4g} at {across:.1f}, {down:.1f}")
need(hits or len(sys.argv) == 2, "no numbers over points")

for text in wrong[:10]:
    print(text, file=sys.stderr)
sys.exit(1 if wrong else 0)
