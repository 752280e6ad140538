"""The same as :mod:`.own_subjects` in plain NumPy float64, with no guarantee at all.

It shares no code with the package: the laws as an array, one row of pairs at a time.
"""

import argparse
import json
import math

import numpy as np

__all__ = ["SPREAD", "main"]

SPREAD = {"bare": (40, 5), "wide": (1000, 250), "long": (5000, 50), "square": (1000, 1000)}
"""Datasets and outputs."""


def main() -> None:
    """Print the realised ε, and δ at the budget's ε, over all pairs and both directions."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=["exponential", "few", "many", *SPREAD])
    name = parser.parse_args().name
    count, outputs = SPREAD.get(name, (0, 200 if name == "exponential" else 5))
    r = np.arange(outputs)
    if name == "exponential":
        at = 2.0
        weights = np.array([np.exp(-abs(r - 97 * x - 3 * (r * r % 7)) / 100) for x in (0, 1)])
    elif name in SPREAD:
        at = 1 / 2
        x = np.arange(count)[:, None]
        weights = 1000.0 + (x * 7919 + r * r * 104729) % 997
    else:
        at = 1 / 20
        count = {"few": 400, "many": 2000}[name]
        weights = 1000.0 + np.arange(count)[:, None] * (r + 3) * 37 % 101
    laws = weights / weights.sum(axis=1, keepdims=True)
    losses = np.log(laws)
    epsilon, delta, factor = 0.0, 0.0, math.exp(at)
    for i in range(len(laws) - 1):
        difference = losses[i] - losses[i + 1 :]
        epsilon = max(epsilon, difference.max(), -difference.min())
        p, q = laws[i], laws[i + 1 :]
        for excess in (p - factor * q, q - factor * p):
            delta = max(delta, np.maximum(excess, 0).sum(axis=1).max())
    print(json.dumps({"epsilon": repr(float(epsilon)), "delta": repr(float(delta))}))


if __name__ == "__main__":
    main()
