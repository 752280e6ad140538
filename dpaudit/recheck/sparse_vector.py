"""Above threshold and the sparse vector technique a second time, from Lyu, Su and Li 2017.

Given the noise z of the threshold, answers are compared independently: the probability of a string
is ∫ f(z)·Π P(what is printed for q_i | z) dz, by quadrature; for SVT5, whose answers have no noise,
it is the probability that z lies between the answers below and those above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.definition import hold
from dpaudit.recheck.integrals import Printed, ThresholdIntegrals, laplace_above, laplace_below
from dpaudit.recheck.numbers import fraction, rational
from dpaudit.recheck.selection import (
    DENSITY,
    QUERY_DEFAULTS,
    QUERY_WHOLES,
    Cell,
    OverQueries,
    Table,
    Vector,
    cells,
)

__all__ = ["SVT1", "SVT2", "SVT3", "SVT4", "SVT5", "SVT6", "AboveThreshold"]

ABOVE, BELOW = "⊤", "⊥"
_LARGEST = 10**6
_HALF = Fraction(1, 2)

_DEFAULTS = {**QUERY_DEFAULTS, "threshold": "0"}
_CUT_OFF_DEFAULTS = {**_DEFAULTS, "c": "1"}


class _SparseVector(OverQueries):
    """Strings of what is printed, up to the end or to the last answer that is allowed."""

    others = ("threshold",)
    fresh = False
    """True if the threshold gets new noise after each answer above it."""
    limit: int | None = None
    """Number of answers above the threshold that end the run; None for no limit."""
    shares: Callable[[int], tuple[Fraction, Fraction]]
    """The rates of the noise of the threshold and of an answer, over ε/Δ, by the limit."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        try:
            self.threshold = rational(str(parameters["threshold"]))
        except ValueError:
            self.threshold = Fraction(_LARGEST + 1)
        within = abs(self.threshold) <= _LARGEST
        hold(within, f"the threshold is not from -{_LARGEST} to {_LARGEST}")
        self._integrals: dict[int, ThresholdIntegrals] = {}

    def texts(self) -> list[str]:
        """Return what can be printed for an answer above the threshold."""
        return [ABOVE]

    def output(self, reported: Any) -> str:
        return str(reported)

    def output_count(self, n: int) -> int:
        # Strings are counted by their answers above so far, and not listed.
        running, ended, ways = {0: 1}, 0, len(self.texts())
        for _ in range(n):
            longer: dict[int, int] = {}
            for above, many in running.items():
                longer[above] = longer.get(above, 0) + many
                if above + 1 == self.limit:
                    ended += many * ways
                else:
                    longer[above + 1] = longer.get(above + 1, 0) + many * ways
            running = longer
        return ended + sum(running.values())

    def strings(self, n: int, start: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """Iterate over what can be printed for ``n`` queries."""
        if len(start) == n or sum(text != BELOW for text in start) == self.limit:
            yield start
            return
        for text in (*self.texts(), BELOW):
            yield from self.strings(n, (*start, text))

    def table(self, answers: Vector) -> Table:
        return {
            "".join(string): mp.fprod(map(self.together, self._parts(answers, string)))
            for string in self.strings(len(answers))
        }

    def _parts(self, answers: Vector, string: tuple[str, ...]) -> list[Printed]:
        """Cut the string where the threshold gets new noise."""
        parts: list[list[tuple[int, str]]] = [[]]
        for answer, text in zip(answers, string, strict=False):
            parts[-1].append((answer, text))
            if self.fresh and text != BELOW:
                parts.append([])
        # Sorted, so that strings with the same answers share one integral.
        return [tuple(sorted(part)) for part in parts if part]

    def together(self, printed: Printed) -> mpf:
        """Return the probability of what is printed under one noisy threshold."""
        if mp.prec not in self._integrals:
            self._integrals[mp.prec] = ThresholdIntegrals(
                self.rate, self.shares(self.limit or 1), self.printing, self.knots
            )
        return self._integrals[mp.prec].probability(printed)

    def printing(self, answer: int, text: str, z: mpf) -> mpf:
        """Return the probability that ``text`` is printed for ``answer`` where the noise is z."""
        rate, needed = self.answer_rate, fraction(self.threshold) + z - answer
        return laplace_below(rate, needed) if text == BELOW else laplace_above(rate, needed)

    def knots(self, answer: int) -> set[Fraction]:
        """Return where that changes its formula."""
        return {answer - self.threshold}

    @property
    def answer_rate(self) -> mpf:
        """The rate of the noise of an answer."""
        return self.rate * fraction(self.shares(self.limit or 1)[1])


class _CutOff(_SparseVector):
    """Ends after c answers above the threshold."""

    wholes: ClassVar = {**QUERY_WHOLES, "c": (1, 10**6)}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self.limit = self.whole("c")


class AboveThreshold(_SparseVector):
    """Dwork and Roth 2014, §3.6, Alg. 1: Lap(2Δ/ε) on the threshold, Lap(4Δ/ε) on the answers."""

    defaults: ClassVar = _DEFAULTS
    limit = 1

    shares = staticmethod(lambda c: (_HALF, _HALF / 2))


class SVT1(_CutOff):
    """Alg. 1: ε₁ = ε₂ = ε/2; Lap(Δ/ε₁) and Lap(2cΔ/ε₂)."""

    defaults: ClassVar = _CUT_OFF_DEFAULTS
    shares = staticmethod(lambda c: (_HALF, _HALF / (2 * c)))


class SVT2(_CutOff):
    """Alg. 2: ε₁ = ε/2; Lap(cΔ/ε₁), anew after each ⊤, and Lap(2cΔ/ε₁)."""

    defaults: ClassVar = _CUT_OFF_DEFAULTS
    fresh = True

    shares = staticmethod(lambda c: (_HALF / c, _HALF / (2 * c)))


class SVT3(_CutOff):
    """Alg. 3: ε₁ = ε₂ = ε/2; Lap(Δ/ε₁) and Lap(cΔ/ε₂); prints answers, by the cell they lie in."""

    defaults: ClassVar = _CUT_OFF_DEFAULTS
    density_bound = DENSITY

    def loss_bound(self, x: Vector, y: Vector) -> mpf:
        """Return the bound for products of f at the answers printed and of F at the others.

        An f gives at most e^(rate·|x_i − y_i|), an F only where its answer rises.  Of the c answers
        that end a run, the last is the last answer that was looked at.
        """
        rises = [max(0, b - a) for a, b in zip(x, y, strict=True)]
        falls = [max(0, a - b) for a, b in zip(x, y, strict=True)]
        printed = self.whole("c") - 1
        most = sum(rises) + sum(sorted(falls, reverse=True)[:printed])
        for end, fall in enumerate(falls):
            before = sum(sorted(falls[:end], reverse=True)[:printed])
            if end >= printed:
                most = max(most, sum(rises[: end + 1]) + before + fall)
        return self.answer_rate * most

    shares = staticmethod(lambda c: (_HALF, _HALF / c))

    def texts(self) -> list[str]:
        return list(self._cells())

    def printing(self, answer: int, text: str, z: mpf) -> mpf:
        if text == BELOW:
            return super().printing(answer, text, z)
        low, high = self._cells()[text]
        least = fraction(self.threshold) + z
        if high is not None and least >= high:
            return mpf(0)
        start = least if low is None else max(mpf(low), least)
        end = mpf(0) if high is None else laplace_above(self.answer_rate, mpf(high - answer))
        return laplace_above(self.answer_rate, start - answer) - end

    def knots(self, answer: int) -> set[Fraction]:
        edges = (cell.high for cell in self._cells().values() if cell.high is not None)
        return {answer - self.threshold, *(edge - self.threshold for edge in edges)}

    def _cells(self) -> dict[str, Cell]:
        return {cell.text: cell for cell in cells(self.whole("low"), self.whole("high"))}


class SVT4(_CutOff):
    """Alg. 4: ε₁ = ε/4, ε₂ = 3ε/4; Lap(Δ/ε₁) and Lap(Δ/ε₂)."""

    defaults: ClassVar = _CUT_OFF_DEFAULTS
    shares = staticmethod(lambda c: (_HALF / 2, Fraction(3, 4)))


class SVT5(_SparseVector):
    """Alg. 5: ε₁ = ε/2; Lap(Δ/ε₁) on the threshold alone."""

    defaults: ClassVar = _DEFAULTS

    def together(self, printed: Printed) -> mpf:
        """Return P(every answer below < T + ρ ≤ every answer above)."""
        low = max((answer for answer, text in printed if text == BELOW), default=None)
        high = min((answer for answer, text in printed if text != BELOW), default=None)
        if low is not None and high is not None and low >= high:
            return mpf(0)
        rate = self.rate / 2
        left = mpf(0) if low is None else laplace_below(rate, fraction(low - self.threshold))
        right = mpf(0) if high is None else laplace_above(rate, fraction(high - self.threshold))
        return 1 - left - right


class SVT6(_SparseVector):
    """Alg. 6: ε₁ = ε₂ = ε/2; Lap(Δ/ε₁) and Lap(Δ/ε₂), without an end."""

    defaults: ClassVar = _DEFAULTS
    shares = staticmethod(lambda c: (_HALF, _HALF))
