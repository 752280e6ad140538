"""What the mechanisms of the notes have in common: datasets are histograms, parameters are text."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck import histograms
from dpaudit.recheck.definition import Definition
from dpaudit.recheck.failures import UnknownDefinitionError
from dpaudit.recheck.numbers import value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.recheck.histograms import Counts

__all__ = ["OverHistograms"]


class OverHistograms(Definition):
    """A mechanism on histograms with a prior; what it does not read may not be given."""

    readings: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The named readings and what they may be."""
    numbers: tuple[str, ...] = ("epsilon",)
    """The parameters that are numbers."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        if set(parameters) != {"prior", *self.numbers, *self.readings}:
            given = ", ".join(sorted(parameters))
            raise UnknownDefinitionError(f"the parameters {given} are not those of the definition")
        for name, allowed in self.readings.items():
            if parameters[name] not in allowed:
                raise UnknownDefinitionError(f"there is no reading {name} = {parameters[name]}")
        self.parameters = parameters
        self._numbers: dict[tuple[str, int], mpf] = {}
        try:
            self.prior = tuple(Fraction(part) for part in parameters["prior"])
        except (TypeError, ValueError, ZeroDivisionError):
            raise UnknownDefinitionError("the prior is no list of fractions") from None
        self.k = len(self.prior)
        self.digits_lost = 3 * len(str(int(max(self.prior))))  # lnΓ of large numbers, subtracted
        if self.k < 2 or min(self.prior) <= 0 or not self.number("epsilon") > 0:
            raise UnknownDefinitionError("the prior or epsilon is not positive")

    def number(self, name: str) -> mpf:
        """Return a parameter at the working precision."""
        if (name, mp.prec) not in self._numbers:
            self._numbers[name, mp.prec] = value(str(self.parameters[name]))
        return self._numbers[name, mp.prec]

    def reading(self, name: str) -> str:
        """Return the reading that was chosen."""
        return str(self.parameters[name])

    def stated(self) -> tuple[mpf, mpf] | None:
        return self.number("epsilon"), mpf(0)

    def largest_loss(self, x: Counts, y: Counts) -> mpf:
        worst = mp.ninf
        for p, q in self.masses(x, y):
            if p > 0:
                worst = max(worst, mp.log(p / q) if q > 0 else mp.inf)
        return worst

    def delta(self, x: Counts, y: Counts, epsilon: mpf) -> mpf:
        factor = mp.exp(epsilon)
        gains = (p - factor * q for p, q in self.masses(x, y))
        return mp.fsum(gain for gain in gains if gain > 0)

    # -- the datasets

    def dataset(self, shown: Any, n: int) -> Counts:
        counts = self.output(shown)
        if len(counts) != self.k or min(counts) < 0:
            raise ValueError(f"{shown} is no histogram of {self.k} categories")
        return counts

    def output(self, shown: Any) -> Counts:
        if not isinstance(shown, list) or not all(type(part) is int for part in shown):
            raise ValueError(f"{shown} is no list of counts")
        return tuple(shown)

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        datasets = histograms.dataset_count(relation, n, self.k)
        if at is None:
            return datasets, histograms.pair_count(relation, n, self.k)
        return datasets, len(self.pairs(n, relation, at))

    def adjacent(self, x: Counts, y: Counts, n: int, relation: str) -> bool:
        return histograms.are_neighbours(relation, n, x, y)

    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Counts, Counts]]:
        if at is None:
            return list(histograms.pairs(relation, n, self.k))
        only = self.chosen(n, at)
        around = {frozenset((x, y)) for x in only for y in histograms.neighbours(relation, n, x)}
        return [(min(pair), max(pair)) for pair in around]

    def chosen(self, n: int, at: str) -> list[Counts]:
        """Return the datasets that pairs were restricted to."""
        if at == "uniform":
            return histograms.balanced(n, self.k)
        return [tuple(int(part) for part in at.split(","))]
