"""What a recheck needs of a mechanism: its law, written down a second time from its source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp

from dpaudit.recheck.failures import NotAReportError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mpmath import mpf

__all__ = ["Definition"]

Dataset = Any
Output = Any


class Definition(ABC):
    """A mechanism with fixed parameters; all numbers are at mpmath's working precision."""

    density_bound = ""
    """Why the upper ends of realised ε and δ cannot be computed again; empty where they can."""
    digits_lost = 0
    """About how many decimals cancel in its formulas, beyond the usual few."""

    lists_outputs = False
    """Whether :meth:`masses` has an entry for every output, equal ratios not put together."""

    @abstractmethod
    def stated(self) -> tuple[mpf, mpf] | None:
        """Return the stated budget (ε, δ), or None where nothing is stated."""

    @abstractmethod
    def probability(self, dataset: Dataset, output: Output) -> mpf:
        """Return P(output) at ``dataset``; 0 for what is no output there."""

    def probabilities(self, x: Dataset, y: Dataset, output: Output) -> tuple[mpf, mpf]:
        """Return P_x(output) and P_y(output)."""
        return self.probability(x, output), self.probability(y, output)

    @abstractmethod
    def delta(self, x: Dataset, y: Dataset, epsilon: mpf) -> mpf:
        """Return Σ over outputs of (P_x − e^ε·P_y)₊."""

    @abstractmethod
    def largest_loss(self, x: Dataset, y: Dataset) -> mpf:
        """Return the largest ln(P_x/P_y); +∞ where only ``x`` can give an output."""

    @abstractmethod
    def masses(self, x: Dataset, y: Dataset) -> list[tuple[mpf, mpf]]:
        """Return (P_x, P_y) of every output, or of every set of outputs of equal ratio."""

    def power_sum(self, x: Dataset, y: Dataset, order: mpf) -> mpf:
        """Return Σ over outputs of P_x^α·P_y^(1 − α) for α > 1, if P_y vanishes nowhere alone."""
        masses = self.masses(x, y)
        return mp.fsum(p**order * q ** (1 - order) for p, q in masses if p > 0)

    @abstractmethod
    def output_count(self, n: int) -> int | None:
        """Return how many outputs the law of a dataset of size ``n`` has, None if infinitely so."""

    # -- the datasets

    relations: tuple[str, ...] = ()
    """The neighbouring relations on its datasets."""
    old_relations: ClassVar[Mapping[str, str]] = {}
    """What some were called before, and what they are called now."""

    def relation(self, given: str, *, defaulted: bool) -> str:
        """Return the relation that a report names, as it is called now.

        ``defaulted`` is whether the report says that nobody named it.  Raises ``NotAReportError``
        for a relation that the datasets do not have, and where its name has two readings.
        """
        name = self.old_relations.get(given, given)
        if name not in self.relations:
            known = ", ".join(self.relations)
            raise NotAReportError(f"adjacency = {given}: the mechanism has {known} only")
        if defaulted:
            raise NotAReportError(f"adjacency = {given} is the mechanism's own, and no default")
        return name

    def default_relation(self) -> tuple[str, bool]:
        """Return the relation where nobody names one, and whether reports say that nobody did."""
        return self.relations[0], False

    @abstractmethod
    def dataset(self, shown: Any, n: int) -> Dataset:
        """Return the dataset that a report shows so; ``ValueError`` if there is none at ``n``."""

    @abstractmethod
    def output(self, shown: Any) -> Output:
        """Return the output that a report shows so."""

    @abstractmethod
    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        """Return how many datasets, and how many pairs to cover, there are at size ``n``."""

    @abstractmethod
    def adjacent(self, x: Dataset, y: Dataset, n: int, relation: str) -> bool:
        """Tell whether ``x`` and ``y`` are one of the pairs at size ``n``."""

    @abstractmethod
    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Dataset, Dataset]]:
        """Return those pairs."""
