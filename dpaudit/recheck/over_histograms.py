"""Mechanisms whose datasets are histograms: those of the notes, with a prior, and noisy counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.recheck import histograms
from dpaudit.recheck.failures import UnknownDefinitionError
from dpaudit.recheck.numbers import rational, whole_numbers
from dpaudit.recheck.parametrised import Parametrised, hold
from dpaudit.recheck.relations import OLD_OF_HISTOGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dpaudit.recheck.histograms import Counts

__all__ = ["OverCounts", "OverHistograms"]


class OverCounts(Parametrised):
    """A mechanism on the histograms of ``k`` categories."""

    k: int
    relations = (histograms.SUBSTITUTION, histograms.ADD_REMOVE)
    old_relations: ClassVar = OLD_OF_HISTOGRAMS

    def dataset(self, shown: Any, n: int) -> Counts:
        counts = _whole_numbers(shown)
        if len(counts) != self.k or min(counts) < 0:
            raise ValueError(f"{shown} is no histogram of {self.k} categories")
        return counts

    def output(self, shown: Any) -> Any:
        return _whole_numbers(shown)

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        if relation not in (histograms.SUBSTITUTION, histograms.ADD_REMOVE):
            raise UnknownDefinitionError(f"histograms have no neighbours by {relation}")
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
        return [whole_numbers(at)]


class OverHistograms(OverCounts):
    """A mechanism of the notes, with the parameters of a Dirichlet prior."""

    others = ("prior",)

    def outputs(self, n: int) -> Iterable[Counts]:
        """Return the outputs of a dataset of size ``n``, each with a posterior of its own."""
        raise UnknownDefinitionError("the outputs have no posterior")

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        shown = parameters["prior"]
        try:
            self.prior = tuple(rational(part) for part in shown)
        except ValueError:
            self.prior = ()
        self.k = len(self.prior)
        good = isinstance(shown, list) and self.k >= 2 and min(self.prior) > 0
        hold(good, "the prior is no list of two or more positive fractions")
        self.digits_lost = 3 * len(str(int(max(self.prior))))  # lnΓ of large numbers, subtracted


def _whole_numbers(shown: Any) -> Counts:
    if not isinstance(shown, list) or not all(type(part) is int for part in shown):
        raise ValueError(f"{shown} is no list of counts")
    return tuple(shown)
