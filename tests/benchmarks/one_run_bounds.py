"""Bounds of published methods beside the sharp one: ``python -m tests.benchmarks.one_run_bounds``.

``--write`` puts the table into ``docs/canaries_measured.md``.  Every bound is rounded down, to six
decimals.  The columns are, for the same guesses,

* corollary 5.4 of Steinke, Nasr and Jagielski 2023 ("Privacy auditing with one (1) training run"),
* the recursion of Mahloujifar, Melis and Chaudhuri 2024 ("Auditing f-differential privacy in one
  run"), with the trade-off curve of (ε, δ)-DP,
* dpaudit's bound, and dpaudit's bound for δ = 0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import exp, floor, log10
from typing import TYPE_CHECKING

import dpaudit
from tests.benchmarks import steinke
from tests.benchmarks.measure import ROOT
from tests.sampling import recorded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CASES", "HEAD", "PAGE", "Case", "main", "recursion_refutes", "table"]

PAGE = ROOT / "docs" / "canaries_measured.md"
KIND = "one-run"
HEAD = (
    *("m", "guesses", "right", "δ", "level"),
    *("Corollary 5.4", "recursion", "**dpaudit**", "**dpaudit**, δ = 0"),
)
_DIGITS = 6
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_WIDTH = 1e-10


@dataclass(frozen=True)
class Case:
    """Guesses about canaries, and the δ and level of a bound on ε."""

    canaries: int
    guesses: int
    right: int
    delta: float
    level: float = 0.05


CASES = (
    Case(1000, 100, 75, 1e-4),
    Case(1000, 100, 100, 1e-3),
    Case(10_000, 200, 200, 1e-4),
    Case(100_000, 1000, 1000, 1e-6),
)


def recursion_refutes(case: Case, epsilon: float) -> bool:
    """Tell whether the recursion refutes (ε, δ) at the level.

    Let p_j be the probability of j right guesses, and suppose that v or more are right with
    probability τ, the level.  With α_i = Σ_{j ≥ i} (j/m)·p_j and η_i = Σ_{j ≥ i} ((r − j)/m)·p_j,
    f-DP makes η_i at least g(α_{i+1}), where g(x) = max(0, (x − δ)/E, 1 − δ − E·(1 − x)) is the
    least probability of an event in one world if it has probability x in the other.  From α_v =
    τ·v/m and η_v = τ·(r − v)/m follow least values of all others; too large ones refute f-DP.
    """
    odds, m, r = exp(epsilon), case.canaries, case.guesses

    def least(x: float) -> float:
        return max(0.0, (x - case.delta) / odds, 1 - case.delta - odds * (1 - x))

    right, wrong = case.level * case.right / m, case.level * (r - case.right) / m
    for i in range(case.right - 1, -1, -1):
        more = max(wrong, least(right))
        right, wrong = right + i / (r - i) * (more - wrong), more
        if right + wrong > r / m:  # neither falls, and both together cannot exceed r/m
            return True
    return False


def _largest(refutes: Callable[[float], bool]) -> float:
    """Return about the largest ε that is refuted, from below."""
    low, high = 0.0, 0.5
    while refutes(high):
        low, high = high, 2 * high
    while high - low > _WIDTH:
        middle = (low + high) / 2
        low, high = (middle, high) if refutes(middle) else (low, middle)
    return low


def _cells(case: Case) -> list[str]:
    """Return the bounds of a case: two of published methods, and two of dpaudit."""
    m, r, v, delta, level = case.canaries, case.guesses, case.right, case.delta, case.level
    theirs = (
        _largest(lambda epsilon: steinke.p_value(m, r, v, epsilon, delta) <= level),
        _largest(lambda epsilon: recursion_refutes(case, epsilon)),
    )
    ours = dpaudit.canaries(
        canaries=m, guesses=r, right=v, delta=(delta, 0), level=level, digits=_DIGITS
    )
    return [
        *(f"{floor(one * 10**_DIGITS) / 10**_DIGITS:.{_DIGITS}f}" for one in theirs),
        *(f"{bound.epsilon.lower:.{_DIGITS}f}" for bound in ours.bounds),
    ]


def _power_of_ten(delta: float) -> str:
    return f"10{str(round(log10(delta))).translate(_RAISED)}"


def table() -> str:
    """Return the table of the page."""
    lines = [
        [
            *(f"{count:,}" for count in (case.canaries, case.guesses, case.right)),
            *(_power_of_ten(case.delta), f"{case.level:.0%}"),
            *_cells(case),
        ]
        for case in CASES
    ]
    return recorded.table(HEAD, lines)


def main(arguments: list[str] | None = None) -> int:
    """Compute the table and print it."""
    asked = recorded.parser(__doc__).parse_args(arguments)
    found = table()
    print(found)
    if asked.write:
        recorded.record(KIND, found, PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
