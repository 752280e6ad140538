"""The laws of :mod:`.program_subjects` in plain NumPy float64, with no guarantee at all.

It shares no code with the package: the law of one entry by hand, of all entries by Kronecker
products or convolutions, and of 20 counts of the entry that differs alone.
"""

import argparse
import json
import math

import numpy as np
from numpy.typing import NDArray


def geometric(count: int, low: int, high: int) -> NDArray[np.float64]:
    """Return the law of a count with noise of scale 2, clamped."""
    t = math.exp(-1 / 2)
    k = np.arange(low, high + 1)
    law = (1 - t) / (1 + t) * t ** np.abs(k - count)
    law[0], law[-1] = t ** (count - low) / (1 + t), t ** (high - count) / (1 + t)
    return law


def laws_of(name: str) -> list[NDArray[np.float64]]:
    """Return the two laws."""
    bits = [np.array([3 / 4, 1 / 4]), np.array([1 / 4, 3 / 4])]
    if name in ("responses", "total"):
        joined, count = (np.kron, 19) if name == "responses" else (np.convolve, 199)
        laws = bits
        for _ in range(count):
            laws = [joined(law, bits[0]) for law in laws]
        return laws
    if name == "clamped":
        return [geometric(count, 0, 20) for count in (7, 8)]
    t = math.exp(-1 / 2)
    below = [t ** (count - 4) / (1 + t) for count in (7, 8)]
    return [np.array([one, 1 - one]) for one in below]


def main() -> None:
    """Print the realised ε in both directions, and δ at the budget's ε."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=["responses", "clamped", "reached", "total"])
    name = parser.parse_args().name
    p, q = laws_of(name)
    factor = 3.0 if name in ("responses", "total") else math.exp(1 / 2)
    epsilon = float(np.abs(np.log(p) - np.log(q)).max())
    delta = max(float(np.maximum(a - factor * b, 0).sum()) for a, b in ((p, q), (q, p)))
    print(json.dumps({"epsilon": repr(epsilon), "delta": repr(delta)}))


if __name__ == "__main__":
    main()
