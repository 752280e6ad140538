"""Estimates of an account before it runs: directed pairs, lattices, lines of places.

Pairs are estimated with everything else (:mod:`dpaudit.audit.estimate`).  How long lattices and
lines become depends on the losses of one run, which the first pairs show; whatever is longer than
that is refused as it comes (:mod:`dpaudit.questions.account.lattices`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, inf, isfinite, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit import machine
from dpaudit.audit.measure import Needs
from dpaudit.audit.plan import Plan, pairs_planned
from dpaudit.errors import DpauditError, PrecisionError
from dpaudit.machine import INTERPRETER, duration
from dpaudit.questions.account.contour import MOST_NODES, ContourBand
from dpaudit.questions.account.lattices import BYTES_A_POINT, FIRST_SHARE, LATER_SHARE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.questions.account.candidates import Candidate, Given


__all__ = ["Composition", "DirectedPairs", "check_composition", "foreseen"]

_PLACE, _TERM = 900, 380  # bytes of a place on a line, and of a term of its sums
_PLACE_SECONDS, _TERM_SECONDS, _POINT_SECONDS = 1.3e-4, 2e-6, 2e-5
_ENTRY_SECONDS = 4e-4  # of one output of one pair, listed in both directions and bounded
_ON_LATTICE_CUT = 112 * log(2)


@dataclass(frozen=True)
class DirectedPairs:
    """Directed pairs that an account holds before it composes any."""

    adaptive: bool
    """True if a bound for adaptive runs is computed."""

    @property
    def needs(self) -> Needs:
        """Return what a curve needs for the bound of adaptive runs, and the pairs themselves."""
        return Needs(patterns=self.adaptive, pairs=self.adaptive, directed=True)

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        """Return about how long it takes to list the pairs and to bound their runs."""
        return _ENTRY_SECONDS * pairs_planned(mechanism, n, plan) * mechanism.entries(n)


@dataclass(frozen=True)
class Composition:
    """Estimated points, memory and time of composing the runs of one directed pair."""

    kind: str
    """``lattice`` or ``line``."""
    points: float
    bytes: float
    seconds: float


def foreseen(one: Candidate, runs: int, asked: Iterable[Given], width: float) -> Composition | None:
    """Return what one pair takes for intervals of ε so wide; None where it is next to nothing."""
    if one.exact is not None or one.source is None:
        return None
    if one.moments is not None:
        count = _places(one, runs, asked, width)
        if 0 < count <= MOST_NODES:
            terms = 2 * sqrt(count) * len(one.moments.drawn[1])
            return Composition(
                "line",
                count,
                _PLACE * count + _TERM * terms,
                _PLACE_SECONDS * count + _TERM_SECONDS * terms * sqrt(count),
            )
    points = _points(one, runs, asked, width)
    return Composition("lattice", points, BYTES_A_POINT * points, _POINT_SECONDS * points)


def check_composition(
    one: Candidate, runs: int, asked: list[Given], width: float, *, name: str, pairs: int
) -> None:
    """Raise ``TooLargeError`` where runs of a pair take more memory than there is.

    Args:
        one: the pair.
        runs: how many.
        asked: what is asked of them.
        width: how wide intervals of ε may be.
        name: the mechanism's.
        pairs: how many pairs there are.
    """
    found = foreseen(one, runs, asked, width)
    if found is None:
        return

    def fits() -> str:
        room = machine.available() - INTERPRETER
        for power in range(-11, 1):
            other = foreseen(one, runs, asked, 10.0**power)
            if 10.0**power > width and other is not None and other.bytes <= room:
                return f"--width 1e{power} fits"
        return "every --width needs more memory than there is; compose fewer runs"

    many = "" if pairs == 1 else f", for each of {pairs:,} pairs that may be the worst"
    rounded = float(f"{found.points:.2g}")
    points = f"about {rounded:,.0f}" if isfinite(rounded) else "endlessly many"
    what = "privacy losses on a grid" if found.kind == "lattice" else "points of an integral"
    machine.require(
        INTERPRETER + (ceil(found.bytes) if isfinite(found.bytes) else 1 << 60),
        f"{name}: {runs:,} runs to a width of {width:g} take {points} {what}, "
        f"{duration(found.seconds)}{many}; it",
        fits,
    )


def _places(one: Candidate, runs: int, asked: Iterable[Given], width: float) -> int:
    assert one.moments is not None
    line = ContourBand(one.moments, runs, width)
    most = 0
    for kind, value in asked:
        try:
            found = line.places(
                delta=value if kind == "delta" else None,
                epsilon=None if kind == "delta" else value,
            )
        except (PrecisionError, ArithmeticError, ValueError):
            continue
        most = max(most, found)
    return most


def _points(one: Candidate, runs: int, asked: Iterable[Given], width: float) -> float:
    """Return about how many points the longest product of lattices has.

    Chernoff's bounds in floats say where the losses of so many runs end.
    """
    assert one.source is not None
    source = one.source
    try:
        with np.errstate(all="ignore"):
            weights, losses = source.drawn()
            drawn = _Drawn(weights, losses)
            if not source.regrids:
                low, high = drawn.ends(runs, _ON_LATTICE_CUT, _ON_LATTICE_CUT)
                return (high - low) / source.spacing
            smallest = min(
                [float(value) for kind, value in asked if kind == "delta" and float(value)],
                default=1e-10,
            )
            inflation = width * min(1.0, 0.7 / drawn.power(runs, -log(smallest)))
            effort = replace(one.effort, inflation=inflation)
            start = source.starts(runs)
            levels = max(1.0, log(runs, 4))
            lengths = []
            for count, share, cell in (
                (start, FIRST_SHARE * start / runs, 6.0),
                (runs, LATER_SHARE / levels, 2.0),
            ):
                step = sqrt(cell * share * inflation)
                left, right = effort.cuts_of(count, runs)
                low, high = drawn.ends(count, -log(left), -log(right))
                lengths.append((high - low) / step)
            return max(lengths[0], lengths[1]) + min(lengths)
    except (DpauditError, ArithmeticError, ValueError):
        return 0.0


@dataclass(frozen=True)
class _Drawn:
    """The losses of one run in floats."""

    weights: Any
    losses: Any

    def cumulant(self, powers: Any) -> Any:
        """Return ln Σ w·e^(cl) for each c."""
        parts = np.log(self.weights) + powers[:, None] * self.losses
        top = parts.max(axis=1)
        return top + np.log(np.exp(parts - top[:, None]).sum(axis=1))

    def ends(self, runs: int, left: float, right: float) -> tuple[float, float]:
        """Return between which losses all but e^−left and e^−right of ``runs`` runs lie."""
        powers = np.logspace(-4, 5, 120)
        high = np.min((runs * self.cumulant(powers) + right) / powers)
        low = -np.min((runs * self.cumulant(-powers) + left) / powers)
        least, most = runs * float(self.losses.min()), runs * float(self.losses.max())
        return max(float(low), least), min(float(high), most)

    def power(self, runs: int, nats: float) -> float:
        """Return the c of Chernoff's bound of what has the probability e^−nats."""
        powers = np.logspace(-4, 5, 120)
        bounds = (runs * self.cumulant(powers) + nats) / powers
        return float(powers[int(np.nanargmin(np.where(np.isfinite(bounds), bounds, inf)))])
