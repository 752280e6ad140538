"""The realised ε of EHDS over all pairs in mpmath at 30 digits, written straight down.

Prior (1, …, 1), ε = 4/5, γ = 1.  It shares no code with the package.
"""

import argparse
import json
import time
from itertools import combinations, product

from mpmath import exp, log, loggamma, mp, mpf, sqrt

DIGITS = 30

Counts = tuple[int, ...]


def histograms(n: int, k: int) -> list[Counts]:
    """Return all histograms of n records over k categories."""
    rows = product(range(n + 1), repeat=k - 1)
    return [(*row, n - sum(row)) for row in rows if sum(row) <= n]


def neighbours(x: Counts) -> list[Counts]:
    """Return the histograms that differ from x by one substituted record."""
    found = []
    for i, j in combinations(range(len(x)), 2):
        for giver, taker in ((i, j), (j, i)):
            if x[giver]:
                moved = list(x)
                moved[giver] -= 1
                moved[taker] += 1
                found.append(tuple(moved))
    return found


def realised_epsilon(n: int, k: int) -> mpf:
    """Return the largest loss over all pairs, both directions, and all outputs."""
    epsilon, gamma = mpf(4) / 5, mpf(1)
    table = [loggamma(1 + mpf(j) / 2) for j in range(2 * n + 1)]
    datasets = histograms(n, k)
    half = {x: sum(table[2 * count] for count in x) / 2 for x in datasets}

    def hellinger(x: Counts, r: Counts) -> mpf:
        if x == r:
            return mpf(0)
        middle = sum(table[a + b] for a, b in zip(x, r, strict=True))
        return sqrt(1 - exp(middle - half[x] - half[r]))

    near = {x: neighbours(x) for x in datasets}
    inverse = {x: 1 / max(hellinger(x, y) for y in near[x]) for x in datasets}
    changed = True
    while changed:  # 1/S_γ(x) = min over x′ of 1/LS(x′) + γ·d(x, x′)
        smoother = {x: min(inverse[x], min(inverse[y] for y in near[x]) + gamma) for x in datasets}
        changed = smoother != inverse
        inverse = smoother

    def log_law(x: Counts) -> list[mpf]:
        factor = epsilon / (2 * (1 + gamma)) * inverse[x]
        weights = [-factor * hellinger(x, r) for r in datasets]
        total = log(sum(exp(weight) for weight in weights))
        return [weight - total for weight in weights]

    laws = {x: log_law(x) for x in datasets}
    return max(
        max(p - q for p, q in zip(laws[x], laws[y], strict=True)) for x in datasets for y in near[x]
    )


def main() -> None:
    """Audit the sizes of the command line and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--sizes", required=True)
    asked = parser.parse_args()
    began = time.perf_counter()
    with mp.workdps(DIGITS):
        values = [realised_epsilon(int(n), asked.k) for n in asked.sizes.split(",")]
        compute = time.perf_counter() - began
        print(json.dumps({"compute": compute, "values": [mp.nstr(value, 25) for value in values]}))


if __name__ == "__main__":
    main()
