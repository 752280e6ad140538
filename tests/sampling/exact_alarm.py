"""The probability of a false alarm for an event fixed before: a sum over all counts, in balls.

``python -m tests.sampling.exact_alarm --write`` sums it for mechanisms exactly at their budget, and
ends with 1 where it may be above the nominal one, or below a tenth of it.
"""

from __future__ import annotations

import sys
from math import exp, log
from typing import NamedTuple

import flint

from dpaudit.numbers.ball import precision
from dpaudit.sampling.binomial import window
from dpaudit.sampling.joint import Counts, JointTest
from tests.sampling import recorded

__all__ = ["CASES", "Case", "false_alarm", "main"]

_BITS = 160


class Case(NamedTuple):
    """A mechanism exactly at its budget: P = e^ε·Q + δ of one event, of n draws a side."""

    n: int
    epsilon: float
    delta: float
    alpha: float
    second: float


CASES = [
    *(Case(100, log(3), 0.0, alpha, 0.25) for alpha in (0.05, 0.01, 1e-9)),
    *(Case(1000, log(3), 0.0, alpha, 0.25) for alpha in (0.05, 0.01, 1e-9)),
    *(Case(1000, 0.1, 0.0, alpha, second) for alpha in (0.01, 1e-9) for second in (0.1, 0.5)),
    Case(1000, 1.0, 0.05, 0.01, 0.05),
]


def _terms(n: int, p: flint.arb, first: int, last: int) -> list[flint.arb]:
    """Return P(B = j) from ``first`` to ``last``, B ~ Bin(n, p), in balls."""
    found = [flint.arb.bin_uiui(n, first) * p**first * (1 - p) ** (n - first)]
    odds = p / (1 - p)
    for j in range(first, last):
        found.append(found[-1] * (n - j) / (j + 1) * odds)
    return found


def _least(case: Case, b: int, guess: int) -> int:
    """Return the least a with which (a, b) is rejected: rejection is monotone in a."""

    def rejected(a: int) -> bool:
        test = JointTest(Counts(case.n, a, b), case.alpha, "epsilon", case.delta)
        return test.rejects(case.epsilon)

    low = high = min(max(guess, 0), case.n)
    step = 1
    if rejected(high):
        while low >= 0 and rejected(low):
            low, high, step = low - step, low, 2 * step
        low = max(low, -1)
    else:
        while high <= case.n and not rejected(high):
            low, high, step = high, high + step, 2 * step
        high = min(high, case.n + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rejected(middle) else (middle, high)
    return high


def false_alarm(case: Case) -> tuple[float, float]:
    """Return a lower and an upper bound of the probability that the budget is rejected."""
    n = case.n
    with precision(_BITS):
        second = flint.arb(case.second)
        first = flint.arb(case.epsilon).exp() * second + flint.arb(case.delta)
        near = [window(n, float(p.mid()), 10.0) for p in (first, second)]
        p, q = (_terms(n, one, *ends) for one, ends in zip((first, second), near, strict=True))
        tails = [flint.arb(0)]
        for term in reversed(p):
            tails.append(tails[-1] + term)
        tails.reverse()  # P(A ≥ j), j from the first of the window on, but for what is beyond it
        total, rest = flint.arb(0), 2 - sum(p, flint.arb(0)) - sum(q, flint.arb(0))
        guess = near[0][0]
        for b, chance in enumerate(q, start=near[1][0]):
            if float(chance.upper()) < case.alpha * 1e-6:
                rest += chance
                continue
            guess = _least(case, b, guess)
            total += chance * tails[min(max(guess - near[0][0], 0), len(tails) - 1)]
        return float(total.lower()), float((total + rest).upper())


def main(arguments: list[str] | None = None) -> int:
    """Sum all cases."""
    parser = recorded.parser(__doc__)
    asked = parser.parse_args(arguments)
    rows, kept = [], True
    for case in CASES:
        low, high = (one / case.alpha for one in false_alarm(case))
        kept &= 0.1 <= low <= high <= 1
        first = exp(case.epsilon) * case.second + case.delta
        cells = (case.n, f"{case.epsilon:.6g}", case.delta, f"{first:.6g}", case.second, case.alpha)
        rows.append((*cells, f"{low:.4f}"))
        print(*rows[-1], f"to {high:.4f}", flush=True)
    if asked.write:
        head = ("draws a side", "ε", "δ", "P", "Q", "nominal", "false alarms / nominal")
        recorded.record("exact alarms", recorded.table(head, rows))
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
