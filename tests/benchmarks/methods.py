"""The ways to the realised ε that are compared, and how near each has to come to the truth."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.measure import Run

__all__ = ["CERTIFIED", "FLOATS", "METHODS", "Case", "Method", "deviation"]

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Case:
    """Sizes audited by one process."""

    k: int
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        """Return ``k = 2, n = 10..180``."""
        first, last = self.sizes[0], self.sizes[-1]
        return f"k = {self.k}, n = {first}" + (f"..{last}" if last > first else "")


@dataclass(frozen=True)
class Method:
    """One way, as a script of :mod:`tests.benchmarks.scripts`."""

    key: str
    label: str
    script: tuple[str, ...]
    below: Fraction
    """How far below the certified interval an answer may lie."""
    above: Fraction
    """How far above it."""

    def arguments(self, case: Case) -> list[str]:
        """Return what follows ``python -m``."""
        name, *options = self.script
        sizes = ",".join(map(str, case.sizes))
        return [
            f"tests.benchmarks.scripts.{name}",
            *("--k", str(case.k), "--sizes", sizes),
            *options,
        ]

    def deviations(self, found: Run, certified: Sequence[Interval]) -> list[float]:
        """Return how far each answer is from its certified interval, in order of the sizes.

        An answer may be an interval itself: it must then overlap the certified one.  Raises
        ``ValueError`` for an answer that is further off than the method allows.
        """
        distances = []
        for value, interval in zip(found.report["values"], certified, strict=True):
            low, high = map(Fraction, (value, value) if isinstance(value, str) else value)
            distance = max(deviation(low, interval), deviation(high, interval), key=abs)
            apart = low < high and (high < interval[0] or interval[1] < low)
            if apart or not -self.below <= distance <= self.above:
                raise ValueError(f"{self.label}: {value} is {float(distance):g} off {interval}")
            distances.append(float(distance))
        return distances


def deviation(value: Fraction, interval: Interval) -> Fraction:
    """Return how far ``value`` lies above (below, if negative) the interval; 0 inside it."""
    low, high = interval
    return min(value - low, Fraction(0)) + max(value - high, Fraction(0))


_FLOAT = Fraction(1, 10**9)

CERTIFIED = Method("dpaudit", "screen and certify", ("dpaudit_audit",), Fraction(0), Fraction(0))
"""dpaudit as it is run; its intervals are what the others are held against."""

FLOATS = Method(
    "floats", "the screen alone", ("dpaudit_audit", "--engine", "floats"), _FLOAT, _FLOAT
)

METHODS = {
    method.key: method
    for method in (
        Method("mpmath", "mpmath, 30 digits", ("mpmath_audit",), *(2 * [Fraction(1, 10**20)])),
        Method(
            "balls",
            "balls throughout",
            ("dpaudit_audit", "--engine", "ball"),
            *(2 * [Fraction(1, 10**14)]),
        ),
        Method(
            "pld",
            "dp-accounting, losses rounded up to 10⁻⁶",
            ("pld_audit",),
            _FLOAT,
            _FLOAT + Fraction(1, 10**6),
        ),
        Method("numpy", "plain NumPy float64", ("numpy_audit",), _FLOAT, _FLOAT),
        FLOATS,
        CERTIFIED,
    )
}
"""By key, from the slowest."""
