"""labels.py RESULTS -- does the exponent in each label of each committed figure belong to the points that are drawn?

Fits a line of least squares to the logarithms of the drawn points of a curve (figures/*.tsv), over those that count, and
compares its slope with the label beside the curve. Of residuals, log y - c log x, the slope is the label's exponent less
the claimed c (fits.tsv). Prints each label that differs by more than rounding, and how many were compared.
"""
import glob
import math
import os
import re
import sys

ROUNDING = 0.0051  # two decimals
EXPONENT = re.compile(r"\^\{(\u2212?[0-9.]+)\}")


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def least_squares(points):
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    return sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)


def table(lines):
    return [line.split("\t") for line in lines.split("\n") if line]


def labels_of(blocks):
    """Exponents by curve: the line below a curve's name, where there is one."""
    found = {}
    for block in blocks:
        rows = table(block)
        if not rows or rows[0] != ["x", "y", "colour", "size", "text"]:
            continue
        for name, below in zip(rows[1:], rows[2:]):
            exponent = EXPONENT.search(below[4])
            if name[3] == "1" and below[3] == "2" and exponent and not below[4].startswith(("bound", "theory", "conj")):
                found.setdefault(name[4], []).append(float(exponent.group(1).replace("\u2212", "-")))
    return found


def curves_of(blocks):
    """Name, and its points: those that count, or all where fewer than three do. Residuals are logarithms."""
    for block in blocks:
        rows = table(block)
        if not rows or len(rows[0]) < 6 or rows[0][2:4] != ["low", "high"]:
            continue
        values = [[number(field) for field in row] for row in rows[1:]]
        values = [row for row in values if row[0] > 0 and not math.isnan(row[1])]
        counted = [row for row in values if row[5] == 1]
        yield rows[0][1], counted if len(counted) > 2 else values


def claimed(folder):
    """Claimed exponents by label, of all claims of the experiment."""
    found = {}
    with open(os.path.join(folder, "fits.tsv")) as file:
        rows = table(file.read())
    for row in rows[1:]:
        found.setdefault(row[rows[0].index("algorithm")], []).append(number(row[rows[0].index("claimed")]))
    return found


def main():
    compared = wrong = 0
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*", "figures", "*.tsv"))):
        with open(path) as file:
            blocks = file.read().split("\n\n\n")
        labels = labels_of(blocks)
        residual = path.endswith("residuals.tsv") or path.endswith("residual.tsv")
        for name, points in curves_of(blocks):
            if name not in labels or len(points) < 2 or (not residual and min(p[1] for p in points) <= 0):
                continue
            slope = least_squares([(math.log(p[0]), p[1] if residual else math.log(p[1])) for p in points])
            offsets = claimed(os.path.dirname(os.path.dirname(path)))[name.replace("\\\\_", "_")] if residual else [0.0]
            compared += 1
            if min(abs(label - c - slope) for label in labels[name] for c in offsets) > ROUNDING:
                wrong += 1
                print(f"{path}: {name}: the label says {labels[name]}, the drawn points have {slope:.3f}")
    print(compared, "labels compared,", wrong, "wrong")
    sys.exit(wrong > 0 or compared < 100)


main()
