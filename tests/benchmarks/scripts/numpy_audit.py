"""The realised ε of EHDS over all pairs in plain NumPy float64, with no guarantee at all.

A bare script of the kind one writes for a paper: log-gamma tables, Hellinger distances, the
γ-smooth sensitivity, the normalisers and the largest loss over every pair and output, at prior
(1, …, 1), ε = 4/5, γ = 1.  It shares no code with the package.
"""

import argparse
import json
import math
import time
from itertools import combinations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

EPSILON, GAMMA = 0.8, 1.0
BLOCK = (
    1 << 17
)  # numbers at a time, the fastest of the powers of two tried; whole matrices do not fit

Floats = NDArray[np.float64]
Ends = NDArray[np.intp] | slice


def histograms(n: int, k: int) -> NDArray[np.intp]:
    """Return all histograms of n records over k categories, in lexicographic order."""
    rows = np.zeros((1, 0), dtype=np.intp)
    for _ in range(k - 1):
        left = n - rows.sum(axis=1)
        parent = np.repeat(np.arange(len(rows)), left + 1)
        first = np.cumsum(left + 1) - (left + 1)
        rows = np.column_stack([rows[parent], np.arange(len(parent)) - first[parent]])
    return np.column_stack([rows, n - rows.sum(axis=1)])


def neighbours(n: int, k: int, counts: NDArray[np.intp]) -> list[tuple[Ends, Ends]]:
    """Return, for each two categories, the histograms with one record in either."""
    if k == 2:
        return [(slice(1, n + 1), slice(n))]
    radix = (n + 1) ** np.arange(k)[::-1]
    keys = counts @ radix
    shared = histograms(n - 1, k) @ radix
    ends = [np.searchsorted(keys, shared + radix[i]) for i in range(k)]
    return list(combinations(ends, 2))


def smoothed_factors(
    counts: NDArray[np.intp], half: Floats, pairs: list[tuple[Ends, Ends]], lgamma: Floats
) -> Floats:
    """Return ε/(2(1 + γ)·S_γ(x)) for every histogram x."""
    local = np.zeros(len(counts))
    for x, y in pairs:
        middle = lgamma[counts[x] + counts[y]].sum(axis=1)
        near = np.sqrt(-np.expm1(middle - half[x] - half[y]))
        local[x] = np.maximum(local[x], near)
        local[y] = np.maximum(local[y], near)
    inverse = 1 / local
    while True:
        smooth = inverse.copy()
        for x, y in pairs:
            smooth[x] = np.minimum(smooth[x], inverse[y] + GAMMA)
            smooth[y] = np.minimum(smooth[y], inverse[x] + GAMMA)
        if (smooth == inverse).all():
            return EPSILON / (2 * (1 + GAMMA)) * inverse
        inverse = smooth


def realised_epsilon(n: int, k: int, lgamma: Floats) -> float:
    """Return the largest loss; ``lgamma`` holds lnΓ(1 + j/2) for j up to 2n."""
    counts = histograms(n, k)
    half = lgamma[2 * counts].sum(axis=1) / 2
    pairs = neighbours(n, k, counts)
    factors = smoothed_factors(counts, half, pairs, lgamma)
    if k == 2:
        windows = sliding_window_view(lgamma[: 2 * n + 1] + lgamma[2 * n :: -1], n + 1)
    columns = np.ascontiguousarray(counts.T)
    normalisers = np.zeros(len(counts))
    largest: list[Floats | float] = [-math.inf] * len(pairs)
    smallest: list[Floats | float] = [math.inf] * len(pairs)
    rows = max(16, BLOCK // len(counts))
    for start in range(0, len(counts), rows):
        some = slice(start, start + rows)
        if k == 2:
            exponent = windows[some] - half
        else:
            exponent = np.tile(-half, (len(counts[some]), 1))
            for column in columns:
                exponent = exponent + lgamma[column[some, None] + column]
        exponent -= half[some, None]
        weights = np.sqrt(-np.expm1(np.minimum(exponent, 0))) * factors
        normalisers += np.exp(-weights).sum(axis=0)
        for index, (x, y) in enumerate(pairs):
            difference = weights[:, y] - weights[:, x]
            largest[index] = np.maximum(largest[index], difference.max(axis=0))
            smallest[index] = np.minimum(smallest[index], difference.min(axis=0))
    logs = np.log(normalisers)
    return max(
        float(np.maximum(high + logs[y] - logs[x], logs[x] - logs[y] - low).max())
        for (x, y), high, low in zip(pairs, largest, smallest, strict=True)
    )


def plot(path: str, sizes: list[int], values: list[float]) -> None:
    """Draw the realised ε against n, under the budget."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    axes.axhline(EPSILON, color="black", linestyle="--", linewidth=1)
    axes.annotate("budget\nε = 4/5", (1.0, EPSILON), xycoords=("axes fraction", "data"))
    axes.plot(sizes, values, marker="o", markerfacecolor="white", markevery=13)
    axes.set_ylim(0, 0.86)
    axes.grid(visible=True)
    axes.set_xlabel("data size n")
    axes.set_ylabel("realised ε")
    figure.suptitle("Realised ε of EHDS over all pairs\nε = 4/5 · prior 1,1 · γ = 1 · substitution")
    figure.savefig(path, dpi=200)


def main() -> None:
    """Audit the sizes of the command line and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--plot")
    asked = parser.parse_args()
    sizes = [int(size) for size in asked.sizes.split(",")]
    began = time.perf_counter()
    lgamma = np.array([math.lgamma(1 + j / 2) for j in range(2 * max(sizes) + 1)])
    values = [realised_epsilon(n, asked.k, lgamma) for n in sizes]
    compute = time.perf_counter() - began
    if asked.plot:
        plot(asked.plot, sizes, values)
    print(json.dumps({"compute": compute, "values": [repr(value) for value in values]}))


if __name__ == "__main__":
    main()
