"""composition.py -- the epsilon of a composition that `stillpoint account epsilon --json` or `stillpoint account runs --json` wrote,
by another way than any of Stillpoint's accountants: nothing is put on a grid of losses, and nothing is convolved.

    stillpoint account epsilon --json --delta 1e-6 ENTRY... | python3 composition.py

prints the epsilon of the mechanisms together, and delta at the epsilon that was reported. Plain Python.

L is the privacy loss log dP/dQ of a mechanism's dominating pair under P, M(z) = E e^(z L), and M the product of M^count
over all mechanisms of the worst record. With (1 - e^-x)+ written as an inverse Laplace transform, for any c > 0,

    delta(epsilon) = 1/(2 pi i) integral over Re z = c of M(z) e^(-z epsilon) / (z (z + 1)) dz,

an integral that the trapezoid rule gives to many digits; c is the saddle point. The pairs are those of the literature:
Gaussians; fixed-size subsets by Dong, Roth & Su 2022, Theorem 4.2 (the losses > 0 of (1-q) N(0,1) + q N(mu,1) against
N(0,1), their mirror image, the rest at 0); Poisson samples by Zhu, Dong & Wang 2022 (both orders of the pair where records
are added or removed); Laplace; randomised response. Means over x are trapezoid sums, too. M - 1 is summed, so that a
count of 10^9 loses no digits."""
import cmath
import json
import math
import sys

GAUSSIANS = ("gauss", "tree", "gauss_wor", "poisson")
PURE = ("pure", "rnm_laplace", "svt", "randomised_response")


def mixture(q, v):
    """log(1 - q + q e^v)"""
    return v if q >= 1 else math.log1p(q * math.expm1(v)) if v < 1 else v + math.log(q + (1 - q) * math.exp(-v))


def losses(m, neighbours, swapped, top):
    """[(loss, log of its mass under P)] without what has loss 0; good for Re z up to top."""
    kind, points = m["kind"], []
    if kind in GAUSSIANS:
        q, mu = m["rate"] or 1, 1 / m["noise_multiplier"]
        replaced = neighbours == "replace_one"
        if kind == "tree":
            mu *= math.sqrt(m["steps"].bit_length())
        if kind == "poisson" and q == 1 and replaced:
            mu *= 2
        if kind == "gauss_wor" and q < 1:
            h = 0.1
            for i in range(int(-40 / h), int((12 + mu * (top + 2)) / h)):
                e = math.exp(-abs(i * h))
                y = max(i * h, 0) + math.log1p(e)  # x - mu/2 > 0
                weight = h * (1 if i > 0 else e) / (1 + e) / math.sqrt(2 * math.pi)
                loss, base = mixture(q, mu * y), math.log(weight) - 0.5 * (y + mu / 2) ** 2
                points += [(loss, base + loss), (-loss, base)]
            return points
        h = 0.1 / max(1, mu)
        for i in range(int((-12 - mu * (top + 1)) / h), int((12 + mu * (top + 2)) / h)):
            x = i * h
            base, up = math.log(h / math.sqrt(2 * math.pi)) - 0.5 * x * x, mixture(q, mu * x - mu * mu / 2)
            if kind == "poisson" and q < 1 and replaced:
                points.append((up - mixture(q, -mu * x - mu * mu / 2), base + up))
            elif kind == "poisson" and swapped:
                points.append((-up, base))
            else:
                points.append((up, base + up))
        return points
    e, pieces = m["epsilon"], 200
    if kind == "laplace":
        points = [(e, -math.log(2)), (-e, -math.log(2) - e)]
        for i in range(pieces):  # between the two centres
            x = (i + 0.5) / pieces
            points.append((e * (2 * x - 1), math.log(0.5 * e / pieces) - e * (1 - x)))
        return points
    if kind in PURE:
        low = -math.log(math.exp(e) + max((m["choices"] or 2), 2) - 1)
        return [(e, e + low), (-e, low)]
    raise SystemExit("composition.py has no pair for " + kind)


def log_moment(points, z):
    """log M(z), from M(z) - 1."""
    re, im, a, b = 0.0, 0.0, z.real, z.imag
    for loss, log_mass in points:
        size = math.exp(a * loss + log_mass)
        im += size * math.sin(b * loss)
        if abs(a * loss) > 1:
            re += size * math.cos(b * loss) - math.exp(log_mass)
        else:
            re += math.exp(log_mass) * (math.expm1(a * loss) * math.cos(b * loss) - 2 * math.sin(b * loss / 2) ** 2)
    return complex(0.5 * math.log1p(max(2 * re + re * re + im * im, 1e-15 - 1)), math.atan2(im, 1 + re))


def delta_of(terms, epsilon):
    """terms: [(points, count)]"""
    def curve(c):
        return sum(count * log_moment(points, complex(c, 0)).real for points, count in terms) - c * epsilon

    low, high, golden = math.log(1e-2), math.log(TOP), (math.sqrt(5) - 1) / 2
    while high - low > 0.05:
        one, two = high - golden * (high - low), low + golden * (high - low)
        values = [curve(math.exp(u)) - math.log(math.exp(u) * (math.exp(u) + 1)) for u in (one, two)]
        low, high = (low, two) if values[0] < values[1] else (one, high)
    c = math.exp(0.5 * (low + high))
    here, h = curve(c), 0.01 * c
    step = 0.2 / math.sqrt(max((curve(c + h) + curve(c - h) - 2 * here) / h ** 2, 0) + 1 / c ** 2)
    total, t, quiet = 0.0, 0, 0
    while quiet < 8:
        z = complex(c, t * step)
        term = cmath.exp(sum(count * log_moment(points, z) for points, count in terms) - z * epsilon - here) / (z * (z + 1))
        total += term.real / (2 if t == 0 else 1)
        quiet = quiet + 1 if abs(term) * t < 1e-9 * abs(total) else 0
        t += 1
    return total * step / math.pi * math.exp(here)


TOP = 60.0


def worst_delta(composition, epsilon):
    worst, mechanisms = 0.0, composition["mechanisms"]
    relation = composition["neighbours"]
    for pool in sorted({m["pool"] for m in mechanisms if m["pool"]} or {0}):
        paid = [m for m in mechanisms if m["pool"] in (0, pool)]
        orders = {False, relation == "add_remove" and any(m["sampling"] == "poisson" for m in paid)}
        for swapped in orders:
            terms = [(losses(m, relation, swapped, TOP), m["count"]) for m in paid]
            worst = max(worst, delta_of(terms, epsilon))
    return worst


def epsilon_of(composition, delta):
    """By secants on log delta; delta: at the epsilon that was reported."""
    goal, a = math.log(composition["delta"]), composition["epsilon"]["high"]
    f, b = math.log(delta) - goal, a - 1e-3 * min(a, 1)
    while abs(f) > 1e-7 and a != b:
        g = math.log(worst_delta(composition, b)) - goal
        a, b, f = b, b - g * (b - a) / (g - f), g
    return a


if __name__ == "__main__":
    composition = json.load(sys.stdin)
    composition = composition.get("composition", composition)  # what `privacy` wrote
    delta = worst_delta(composition, composition["epsilon"]["high"])
    print("epsilon %.10g" % epsilon_of(composition, delta))
    print("delta %.10g" % delta)
