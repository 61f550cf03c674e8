"""The tables of `score` computed from the exported tables alone: score.py RESULTS MEASURE SCORES DOMINANCE SEARCH UTILITY BASE.
BASE is the dominance of the first label of SCORES alone.
Sums over all subsets of a grid stand for its order statistics, another bootstrap for the bootstrap."""

import itertools
import math
import random
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


results, measure, *tables = sys.argv[1:]
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
for k in (1, 3, 9):
    least = {q: [min(s) for s in itertools.combinations(g, min(k, len(g)))] for q, g in grids.items()}
    for label in rows:
        rank = {}
        for task in tasks:
            others = [o for o, t in grids if t == task and o != label]
            if (label, task) in grids and others:
                rank[task] = statistics.fmean(1.0 if y < x else 0.5 if y == x else 0.0 for o in others
                                              for x in least[label, task] for y in least[o, task])
        for name, x in zip((f"rank_{k}", f"rank_{k}_low", f"rank_{k}_high"), t_interval(list(by_problem(rank).values()))):
            near(number(rows[label][name]), x, 1e-8, f"{label} {name}")

# --- utility
seen = 0
for row in read(tables[3]):
    left, price = {}, {}
    for t in tasks:
        key = row["label"], t
        if key in value and t[-2] == row["epsilon"] and all(map(math.isfinite, value[key])):
            left[t] = math.log(max(statistics.fmean(value[key]) / statistics.fmean(start[key]), 1e-9))
            price[t] = math.log(statistics.fmean(calls[key])) if sum(calls[key]) > 0 else math.nan
    for name, x in zip(("left", "low", "high"), t_interval(list(by_problem(left).values()))):
        near(number(row[name]), math.exp(x), 1e-8, f"{row['label']} {name}")
    costs = list(by_problem(price).values())
    near(number(row["calls"]), math.exp(sum(costs) / len(costs)) if costs else math.nan, 1e-9, f"{row['label']} calls")
    seen += 1
assert seen == len(labels) * len({t[-2] for t in tasks}), seen
print(f"{len(labels)} methods, {len(tasks)} tasks, {len(pairs)} pairs")
