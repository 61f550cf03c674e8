"""The tables of `summary` computed from runs.tsv and cells.tsv alone: summary.py RESULTS PLAIN LATEX SWEEP MEASURE HIGHER
POINTS COLUMNS. POINTS: the axes of a point, "problem.n,privacy.epsilon"; COLUMNS: of each label its swept parameters,
"dp_gd=algorithm.steps;..." or nothing."""

import math
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split("\t") for line in file.read().splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def student(t, df):
    """P(|T| <= t), by Simpson's rule on the density."""
    density = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    steps, sum_ = 4000, 0.0
    for i in range(steps + 1):
        x = t * i / steps
        sum_ += (1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + x * x / df) ** (-(df + 1) / 2)
    return 2 * density * sum_ * t / steps / 3


def quantile(df):
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, df) < 0.95 else (low, middle)
    return low


def interval(values):
    k = len(values)
    mean = math.fsum(values) / k
    if k < 2:
        return mean, None, None
    half = quantile(k - 1) * math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (k - 1) / k)
    return mean, mean - half, mean + half


results, plain, latex, sweep, measure, higher, points, columns = sys.argv[1:]
axes = [axis for axis in points.split(",") if axis]
swept = dict(part.split("=") for part in columns.split(";") if part)
cells = {cell["cell"]: cell for cell in read(f"{results}/cells.tsv") if cell["sweep"] == sweep}
runs = [run for run in read(f"{results}/runs.tsv") if run["cell"] in cells and run[measure] != "-"]

expected, failed, order, heads, private = {}, {}, [], [], set()
for run in runs:
    cell = cells[run["cell"]]
    at = tuple(cell[axis] for axis in axes)
    head = cell["label"]
    if head in swept:
        head += f" {swept[head].split('.')[1]}={cell[swept[head]]}"
    if head not in heads:
        heads.append(head)
    if at not in order:
        order.append(at)
    if cell["private"] == "yes":
        private.add(head)
    # Failed: by its status, or without a finite number where another of its cell has one. One that lacks its reference value
    # is missing, for no fault of the method, and so is one of a cell that nobody has a number of.
    ok = run["status"] == "ok"
    if ok and math.isfinite(float(run[measure])):
        expected.setdefault((at, head), []).append(float(run[measure]))
        lost = False
    elif ok and float(run[measure]) != float(run[measure]):
        lost = any(r["cell"] == run["cell"] and r["status"] == "ok" and math.isfinite(float(r[measure])) for r in runs)
    else:
        lost = run["status"] != "SP_EREFERENCE"
    failed[at, head] = failed.get((at, head), 0) + lost
heads.sort(key=lambda head: [cells[c]["label"] for c in cells].index(head.split(" ")[0] if head.split(" ")[0] in swept else head))
lacking = [at for at in order if "-" in at and len(set(order)) > 1]
order = [at for at in order if at not in lacking]


def find(at, head):
    """The cell of its very own, or the one that lacks what it does not agree in."""
    for there in [at] + [p for p in lacking if all(x in ("-", y) for x, y in zip(p, at))]:
        if (there, head) in failed:
            return expected.get((there, head), []), failed[there, head]
    return None, 0


def same(text, value):
    """`text` is `value` to three digits."""
    return abs(float(text) - value) <= 0.5000001 * 10 ** (math.floor(math.log10(abs(value))) - 2) if value else float(text) == 0


with open(plain, encoding="utf-8") as file:
    title, *lines = file.read().splitlines()
chance = [line for line in lines if line.startswith("naming the majority class: ")]
assert len(chance) == (measure == "accuracy"), chance
lines = [line for line in lines if line not in chance]
if chance:  # at w = 0 every margin counts as +1
    share = [float({**cells[run["cell"]], **run}["start.accuracy"]) for run in runs]
    assert abs(float(chance[0].split()[4]) - min(max(s, 1 - s) for s in share)) <= 0.02, chance
assert title.startswith(f"{results.split('/')[-1]}/{sweep}: {measure} ("), title
assert re.split(r"  +", lines[0].strip()) == [axis.split(".")[1] for axis in axes] + heads, lines[0]
with open(latex, encoding="utf-8") as file:
    text = file.read()
rows = [row.split(" & ") for row in text.split("\\midrule\n")[1].split("\\bottomrule")[0].split(" \\\\\n")[:-1]]
assert text.splitlines()[2] == "\\begin{tabular}{" + "r" * len(axes) + "l" * len(heads) + "}"
assert len(lines) == len(rows) + 1 == len(order) + 1, (len(lines), len(rows), order)
for at, line, row in zip(order, lines[1:], rows):
    fields = re.split(r"  +", line.strip())
    assert fields[:len(axes)] == list(at) == row[:len(axes)], (fields, at)
    scores = {}
    for head in heads:
        values, lost = find(at, head)
        if values and (head in private or not private):
            mean = math.fsum(values) / len(values)
            scores[head] = (lost, -mean if higher == "yes" else mean)
    for head, field, printed in zip(heads, fields[len(axes):], row[len(axes):], strict=True):
        values, lost = find(at, head)
        if values is None:
            assert field == "-" and printed == "", (head, field)
            continue
        if not values:
            said = ("failed", "failed") if lost else ("not measured", "--")
            assert (field, printed) == said, (head, field, printed)
            continue
        m = re.fullmatch(r"([-+.e0-9]+)(\*?)(?: \[([-+.e0-9]+), ([-+.e0-9]+)\])?(?: \((\d+) failed\))?", field)
        assert m, field
        mean, low, high = interval(values)
        if measure == "grad_norm" and low is not None:
            low = max(low, 0.0)  # a norm
        assert same(m[1], mean), (head, at, field, mean)
        assert (m[3] is None) == (low is None)
        assert low is None or (same(m[3], low) and same(m[4], high)), (head, at, field, low, high)
        assert int(m[5] or 0) == lost, field
        least = min(scores.values(), default=None)
        best = head in scores and scores[head][0] == least[0] and math.isclose(scores[head][1], least[1], rel_tol=1e-14)
        assert bool(m[2]) == best, (head, at, scores)
        # LaTeX has the same digits, and the best in bold
        assert printed.startswith("$\\mathbf{") == bool(m[2]), printed
        digits = re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", printed.replace("\\,", ""))
        digits = re.findall(r"(?<![0-9a-z])-?[0-9.]+(?:e-?\d+)?", digits)[:3 if low is not None else 1]
        assert [float(x) for x in digits] == [float(x) for x in (m[1], m[3], m[4]) if x], (field, printed)
print(f"{sweep}: {len(order)} points, {len(heads)} methods")
