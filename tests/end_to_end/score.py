"""The tables of `score` computed from the exported tables alone: score.py RESULTS MEASURE SCORES DOMINANCE SEARCH UTILITY BASE
FIGURES. BASE is the dominance of the first label of SCORES alone. FIGURES begins the names of the tables of figures, which
are held against the same computations: FIGURES_dominance.tsv, FIGURES_dominance_some.tsv and so on, those that are there.
Sums over all subsets of a grid stand for its order statistics, another bootstrap for the bootstrap."""

import itertools
import math
import os
import random
import re
import statistics
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split("\t") for line in file.read().splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def student_cdf(t, df):
    """P(T <= t), by Simpson's rule on the density."""
    density = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    y = [(1 + (t * i / 4000) ** 2 / df) ** (-(df + 1) / 2) for i in range(4001)]
    area = density * abs(t) / 12000 * (y[0] + y[-1] + 4 * sum(y[1::2]) + 2 * sum(y[2:-1:2]))
    return 0.5 + math.copysign(area, t)


def student_quantile(df):
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, df) < 0.975 else (low, middle)
    return low


def t_interval(values):
    values = [v for v in values if math.isfinite(v)]
    if not values:
        return (math.nan,) * 3
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, math.nan, math.nan
    half = student_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def near(a, b, tolerance, what):
    if math.isnan(a) and math.isnan(b) or a == b:
        return
    if not abs(a - b) <= tolerance * max(1.0, abs(b)):
        sys.exit(f"{what}: {a}, and computed anew {b}")


results, measure, *tables, figures = sys.argv[1:]
cells = {row["cell"]: row for row in read(f"{results}/cells.tsv")}
runs = read(f"{results}/runs.tsv")
problem_axes = [c for c in next(iter(cells.values())) if c.startswith("problem")]
value, start, calls, problem_of = {}, {}, {}, {}
labels = []
for row in runs:
    cell = cells[row["cell"]]
    if cell["private"] != "yes":
        continue
    problem = (cell["sweep"],) + tuple(cell[c] for c in problem_axes if c != "problem.n")
    task = (cell["sweep"],) + tuple(cell[c] for c in problem_axes) + (cell["privacy.epsilon"], cell["privacy.delta"])
    label = cell["label"]
    if label not in labels:
        labels.append(label)
    problem_of[task] = problem
    ok = row["status"] == "ok"
    if row["status"] == "SP_EREFERENCE":
        continue
    value.setdefault((label, task), []).append(number(row[measure]) if ok else math.inf)
    start.setdefault((label, task), []).append(number(row[f"start.{measure}"] if f"start.{measure}" in row else cell[f"start.{measure}"]))
    both = {**cell, **row}
    asked = [number(both.get(c, "0")) for c in ("gradients", "differences", "hessians", "losses")]
    asked = [0 if math.isnan(a) else a for a in asked]
    calls.setdefault((label, task), []).append(asked[0] + 2 * asked[1] + asked[2] + asked[3])
tasks = list(problem_of)


def ratios(means):
    best = min(means.values())
    return {k: 1.0 if m <= best else m / best if math.isfinite(m) and best > 0 else math.inf for k, m in means.items()}


def means_at(task):
    return {l: statistics.fmean(value[l, task]) if all(map(math.isfinite, value[l, task])) else math.inf
            for l in labels if (l, task) in value}


def by_problem(of_task):
    """Means over the tasks of each problem, of those that are numbers."""
    found = {}
    for task, x in of_task.items():
        if not math.isnan(x):
            found.setdefault(problem_of[task], []).append(x)
    return {p: sum(x) / len(x) for p, x in found.items()}


def middle_mean(found):
    found = sorted(found)
    cut = len(found) // 4
    return sum(found[cut:len(found) - cut]) / (len(found) - 2 * cut)


def near_best(ratio):
    return {l: (sum(ratio[t].get(l, math.inf) <= 1 for t in tasks) / len(tasks),
                sum(ratio[t].get(l, math.inf) <= 2 for t in tasks) / len(tasks),
                middle_mean([ratio[t][l] for t in tasks if l in ratio[t]])) for l in labels}


ratio = {t: ratios(means_at(t)) for t in tasks}
plain = near_best(ratio)
draw = random.Random(7)
again = []
for _ in range(300):
    drawn = {}
    for t in tasks:  # among a method's own runs, alike where methods have as many
        picks = {k: draw.choices(range(k), k=k) for k in sorted({len(v) for (l, task), v in value.items() if task == t})}
        drawn[t] = ratios({l: mean if math.isinf(mean) else statistics.fmean(value[l, t][i] for i in picks[len(value[l, t])])
                           for l, mean in means_at(t).items()})
    again.append(near_best(drawn))


def drawn(kind):
    """Blocks of the tables of such figures: lists of rows, texts without gnuplot's backslashes."""
    found = []
    for name in (f"{figures}_{kind}.tsv", f"{figures}_{kind}_some.tsv"):
        if os.path.exists(name):
            with open(name, encoding="utf-8") as file:
                text = re.sub(r"\\\\+([_^{}@&~])", r"\1", file.read())
            found.append([[line.split("\t") for line in b.strip("\n").split("\n")] for b in text.split("\n\n\n")])
    return found


assert drawn("dominance") and drawn("utility"), figures
mean_rank = {}

# --- scores
rows = {row["label"]: row for row in read(tables[0])}
assert list(sorted(rows)) == sorted(labels), (sorted(rows), sorted(labels))
order = [number(row["rank"]) for row in rows.values()]
assert order == sorted(order), order
for label in labels:
    row, mine = rows[label], [t for t in tasks if (label, t) in value]
    assert int(row["tasks"]) == len(mine) and int(row["problems"]) == len({problem_of[t] for t in mine}), label
    assert int(row["failed"]) == sum(not math.isfinite(v) for t in mine for v in value[label, t]), label
    for i, name in enumerate(("best", "near", "middle")):
        near(number(row[name]), plain[label][i], 1e-12, f"{label} {name}")
        sample = sorted(a[label][i] for a in again)
        for end, share in (("low", 0.025), ("high", 0.975)):
            # a quantile of 2000 draws lies between those of 300 at the shares -+ 0.03, three deviations and more
            a, low, high = number(row[f"{name}_{end}"]), sample[max(0, int(300 * (share - 0.03)))], \
                sample[min(299, int(300 * (share + 0.03)))]
            if not (low - 1e-12 <= a <= high + 1e-12 or a == low == high):
                sys.exit(f"{label} {name}_{end}: {a}, and by another bootstrap between {low} and {high}")
    rank, beaten, met = {}, 0.0, 0
    for t in mine:
        theirs = {o: m for o, m in means_at(t).items() if o != label}
        m = means_at(t)[label]
        rank[t] = sum(x < m for x in theirs.values()) + 0.5 * sum(x == m for x in theirs.values())
        rank[t] = rank[t] / len(theirs) if theirs else math.nan
        for o in theirs:
            pairs = [(x, y) for x in value[label, t] for y in value[o, t]]
            beaten += sum(1.0 if x < y else 0.5 if x == y else 0.0 for x, y in pairs) / len(pairs)
            met += 1
    for name, x in zip(("rank", "rank_low", "rank_high"), t_interval(list(by_problem(rank).values()))):
        near(number(row[name]), x, 1e-8, f"{label} {name}")
    mean_rank[label] = t_interval(list(by_problem(rank).values()))[0]
    near(number(row["improvement"]), beaten / met, 1e-12, f"{label} improvement")

# --- dominance
def equivalence(x, signs):
    """p of "one is 5 % or more above the other", in the logarithms x of the ratios."""
    if len(x) < 2 or any(map(math.isinf, x)):
        return 1.0 if len(x) > 1 else math.nan
    sides = []
    for y in ([v + math.log(1.05) for v in x], [math.log(1.05) - v for v in x]):
        above, all_ = sum(v > 0 for v in y), sum(v != 0 for v in y)
        if signs:
            sides.append(sum(math.comb(all_, k) for k in range(above, all_ + 1)) / 2 ** all_)
        elif statistics.stdev(y) == 0:
            sides.append(1.0)
        else:
            sides.append(student_cdf(-statistics.fmean(y) * math.sqrt(len(y)) / statistics.stdev(y), len(y) - 1))
    return max(sides)


pairs, equal = {}, {}
for a, b in itertools.combinations(labels, 2):
    shared = [t for t in tasks if (a, t) in value and (b, t) in value]
    logs = {}
    for t in shared:
        logs.setdefault(problem_of[t], []).append([math.log(ratio[t][x]) if ratio[t][x] < math.inf else math.inf
                                                   for x in (a, b)])
    x = []
    for found in logs.values():
        one, two = (sum(f[i] for f in found) / len(found) for i in range(2))
        x.append(0.0 if one == two else one - two)
    # two methods that both failed tie, and are in no pair
    x = [v for v, found in zip(x, logs.values()) if not all(math.isinf(sum(f[i] for f in found)) for i in range(2))]
    signs = any(map(math.isinf, x)) or sum(abs(v) < 1e-12 for v in x) * 2 >= len(x) or len(set(x)) == 1
    if len(x) < 2:
        p = math.nan
    elif signs:
        up, down = sum(v > 1e-12 for v in x), sum(v < -1e-12 for v in x)
        n = up + down
        p = min(1.0, 2 * sum(math.comb(n, k) for k in range(min(up, down) + 1)) / 2 ** n) if n else 1.0
    else:
        t = statistics.fmean(x) * math.sqrt(len(x)) / statistics.stdev(x)
        p = 2 * student_cdf(-abs(t), len(x) - 1)
    middle = math.exp(statistics.median(x) if signs else statistics.fmean(x)) if x else math.nan
    pairs[a, b] = [p, signs, middle, len(x)]
    equal[a, b] = equivalence(x, signs)


def holm(tested, p_of):
    tested = sorted((q for q in tested if not math.isnan(p_of(q))), key=p_of)
    most, adjusted = 0.0, {}
    for i, q in enumerate(tested):
        most = max(most, min(1.0, (len(tested) - i) * p_of(q)))
        adjusted[q] = most
    return adjusted


for q, p in holm(pairs, lambda q: pairs[q][0]).items():
    pairs[q].append(p)
equal = {**equal, **holm(equal, lambda q: equal[q])}
found = {(row["label"], row["base"]): row for row in read(tables[1])}
assert len(found) == len(labels) * (len(labels) - 1), len(found)
for (a, b), expected in pairs.items():
    for row, sign in ((found[a, b], 1), (found[b, a], -1)):
        assert int(row["problems"]) == expected[3], (a, b, row["problems"], expected)
        if expected[3] == 0:
            continue
        if not math.isnan(expected[0]):
            assert (row["test"] == "sign") == expected[1], (a, b, row, expected)
            near(number(row["p"]), expected[4], 1e-6, f"{a} {b} p")
            near(number(row["p_equivalent"]), equal[a, b], 1e-6, f"{a} {b} p_equivalent")
            near(number(row["estimate"]), expected[2] ** sign, 1e-9, f"{a} {b} estimate")
            if expected[4] > 0.06:
                assert row["order"] in ("undecided", "equivalent"), (a, b, row)
            elif expected[4] < 0.04:
                assert row["order"] == ("better" if expected[2] ** sign < 1 else "worse"), (a, b, row)

for blocks in drawn("dominance"):
    head, *fields = blocks[4]
    fields = [dict(zip(head, f, strict=True)) for f in fields]
    across, down = {}, {}
    for f in fields:
        a, b = f["label"], f["base"]
        p, signs, middle, problems, *adjusted = pairs[a, b] if (a, b) in pairs else pairs[b, a]
        assert int(f["problems"]) == problems >= 2, (a, b, f)
        ratio_here = middle ** (1 if (a, b) in pairs else -1)
        near(number(f["estimate"]), ratio_here, 1e-9, f"field {a} {b} estimate")
        near(number(f["p"]), adjusted[0], 1e-6, f"field {a} {b} p")
        assert f["mark"] == {"better": "1", "worse": "1", "equivalent": "2", "undecided": "0"}[f["order"]], f
        if not 0.04 < adjusted[0] < 0.06:
            assert (f["mark"] == "1") == (adjusted[0] < 0.05), (f, adjusted)
        down.setdefault(a, set()).add(number(f["y"]))
        across.setdefault(b, set()).add(number(f["x"]))
    # lighter all the way, and the classes of the key
    light = lambda c: 0.2126 * (int(c) >> 16) + 0.7152 * (int(c) >> 8 & 255) + 0.0722 * (int(c) & 255)
    edges = (0.1, 0.2, 0.5, 0.8, 1.25, 2, 5, 10)
    key = [row[4] for row in blocks[5][1:] if row[6] == "0"]
    assert len(key) == len(edges) + 1 and [light(c) for c in key] == sorted(light(c) for c in key), key
    for f in fields:
        assert f["colour"] == key[sum(number(f["estimate"]) > e for e in edges)], f
    # a row and a column a method, by mean rank; every pair that shares two problems
    assert all(len(v) == 1 for v in [*down.values(), *across.values()]), (down, across)
    by_row = sorted(down, key=lambda label: min(down[label]))
    assert [mean_rank[x] for x in by_row] == sorted(mean_rank[x] for x in by_row), by_row
    assert sorted(across, key=lambda label: min(across[label])) == by_row, by_row
    shown = set(by_row)
    wanted = {q for q in pairs if set(q) <= shown and pairs[q][3] >= 2 and not math.isnan(pairs[q][0])}
    assert len(fields) == 2 * len(wanted) and shown >= ({"dp_gd", "dp_sgd", "start"}), (len(fields), len(wanted), shown)
    tests = sum(1 for p in pairs.values() if not math.isnan(p[0]))
    assert f"adjusted over the {tests} pairs of the {len(labels)} methods that share two problems (Holm)" in " ".join(
        row[4] for row in blocks[2][1:]), blocks[2]

first = order and next(iter(read(tables[0])))["label"]
alone = {tuple(sorted((row["label"], row["base"]))): row for row in read(tables[4])}
assert {row["label"] for row in alone.values()} == {first} and len(alone) == len(labels) - 1, alone
for q, p in holm([q for q in pairs if first in q], lambda q: pairs[q][0]).items():
    row = alone[tuple(sorted(q))]
    near(number(row["p"]), p, 1e-6, f"{q} p, of {first} alone")
    near(number(row["estimate"]), pairs[q][2] ** (1 if q[0] == first else -1), 1e-9, f"{q} estimate, of {first} alone")

# --- search
axes = [c for c in problem_axes + ["privacy.epsilon", "privacy.delta"]]
grids = {}
for row in read(f"{results}/tuning.tsv"):
    task = (row["sweep"],) + tuple(row[c] for c in axes)
    if row["measure"] == measure and (row["label"], task) in value:  # a method that plays the task
        grids[row["label"], task] = [number(x) if math.isfinite(number(x)) else math.inf for x in row["medians"].split(" ")]
rows = {row["label"]: row for row in read(tables[2])}
assert set(rows) == {l for l, _ in grids}, (set(rows), {l for l, _ in grids})
largest = max(map(len, grids.values()), default=0)
budgets = (1, 3, 9) + ((largest,) if largest > 9 else ())
expected = {}
for k in budgets:
    least = {q: [min(s) for s in itertools.combinations(g, min(k, len(g)))] for q, g in grids.items()}
    for label in rows:
        rank = {}
        for task in tasks:
            others = [o for o, t in grids if t == task and o != label]
            if (label, task) in grids and others:
                rank[task] = statistics.fmean(1.0 if y < x else 0.5 if y == x else 0.0 for o in others
                                              for x in least[label, task] for y in least[o, task])
        expected[label, k] = t_interval(list(by_problem(rank).values()))
        for name, x in zip((f"rank_{k}", f"rank_{k}_low", f"rank_{k}_high"), expected[label, k]):
            near(number(rows[label][name]), x, 1e-8, f"{label} {name}")
for blocks in drawn("search"):
    seen, low_end = 0, float(blocks[1][1][5])
    for curve in blocks[4:]:
        label = curve[0][1]
        assert [number(row[0]) for row in curve[1:]] == list(budgets), (label, curve)
        for row in curve[1:]:
            mean, low, high = expected[label, int(row[0])]
            near(number(row[1]), mean, 1e-8, f"figure {label} {row[0]}")
            near(number(row[2]), max(low, low_end), 1e-8, f"figure {label} {row[0]} low")
            near(number(row[3]), high, 1e-8, f"figure {label} {row[0]} high")
            seen += 1
    assert seen >= 2 * len(budgets), seen

# --- utility
seen, left_at, calls_at = 0, {}, {}
for row in read(tables[3]):
    left, price = {}, {}
    for t in tasks:
        key = row["label"], t
        if key in value and t[-2] == row["epsilon"] and all(map(math.isfinite, value[key])):
            left[t] = math.log(max(statistics.fmean(value[key]) / statistics.fmean(start[key]), 1e-9))
            price[t] = math.log(statistics.fmean(calls[key])) if sum(calls[key]) > 0 else math.nan
    left_at[row["label"], float(row["epsilon"])] = [math.exp(x) for x in t_interval(list(by_problem(left).values()))]
    for name, x in zip(("left", "low", "high"), t_interval(list(by_problem(left).values()))):
        near(number(row[name]), math.exp(x), 1e-8, f"{row['label']} {name}")
    costs = list(by_problem(price).values())
    if costs:
        calls_at[row["label"], float(row["epsilon"])] = math.exp(sum(costs) / len(costs))
    near(number(row["calls"]), math.exp(sum(costs) / len(costs)) if costs else math.nan, 1e-9, f"{row['label']} calls")
    seen += 1
assert seen == len(labels) * len({t[-2] for t in tasks}), seen
for blocks in drawn("utility"):
    key = dict(row for row in blocks[0][1:] if len(row) == 2)
    count, low_end = int(key["curves"]), float(blocks[1][1][5])
    assert key["panels"] == "2" and key["x_each"] == "1" and len(blocks) == 4 + 2 * count, key
    for p, x_of in ((0, {q: q[1] for q in left_at}), (1, calls_at)):
        for curve in blocks[4 + p * count:4 + (p + 1) * count]:
            label = curve[0][1]
            wanted = [q for q in sorted(left_at) if q[0] == label and q in x_of and not math.isnan(left_at[q][0])]
            points = [row for row in curve[1:] if math.isfinite(number(row[0]))]
            assert len(points) == len(wanted), (label, points, wanted)
            for q, row in zip(wanted, points):
                near(number(row[0]), x_of[q], 1e-9, f"figure {q} x")
                near(number(row[1]), left_at[q][0], 1e-8, f"figure {q}")
                near(number(row[2]), max(left_at[q][1], low_end), 1e-8, f"figure {q} low")
                near(number(row[3]), left_at[q][2], 1e-8, f"figure {q} high")
print(f"{len(labels)} methods, {len(tasks)} tasks, {len(pairs)} pairs")
