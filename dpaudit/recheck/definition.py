"""Base of the second definitions of mechanisms: laws, written down again from their sources."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import check_delta, check_positive, order, value

__all__ = ["BASES", "CALIBRATED", "Definition", "Listed", "OfBase", "Parametrised", "Shown", "hold"]

Dataset = Any
Output = Any
Shown = str | list[str]
"""A parameter, as a report shows it."""


class Definition(ABC):
    """A mechanism with fixed parameters; all numbers are at mpmath's working precision."""

    density_bound = ""
    """Source of the upper ends of realised ε and δ, if no output attains them; else empty."""
    digits_lost = 0
    """About how many decimals cancel in its formulas, beyond the usual few."""

    lists_outputs = False
    """True if :meth:`masses` has an entry for every output, equal ratios not put together."""
    has_density = False
    """True if outputs have a density: then :meth:`masses` is refused, and δ has a closed form."""
    laws_kept = 2
    """Number of laws held at a time, if they are listed."""

    @abstractmethod
    def stated(self) -> tuple[mpf, mpf] | None:
        """Return the stated budget (ε, δ), or None where nothing is stated."""

    @abstractmethod
    def probability(self, dataset: Dataset, output: Output) -> mpf:
        """Return P(output) at ``dataset``; 0 for what is no output there."""

    def probabilities(self, x: Dataset, y: Dataset, output: Output) -> tuple[mpf, mpf]:
        """Return P_x(output) and P_y(output)."""
        return self.probability(x, output), self.probability(y, output)

    def delta(self, x: Dataset, y: Dataset, epsilon: mpf) -> mpf:
        """Return Σ over outputs of (P_x − e^ε·P_y)₊."""
        factor = mp.exp(epsilon)
        gains = (p - factor * q for p, q in self.masses(x, y))
        return mp.fsum(gain for gain in gains if gain > 0)

    def best_event(self, x: Dataset, y: Dataset) -> tuple[mpf, mpf]:
        """Return P_x and P_y of the event of the best test, for the smallest μ, of a density."""
        raise UnknownDefinitionError("its outputs have no density")

    def largest_loss(self, x: Dataset, y: Dataset) -> mpf:
        """Return the largest ln(P_x/P_y); +∞ where only ``x`` can give an output."""
        largest = mpf(0)
        for p, q in self.masses(x, y):
            if p > 0 and q == 0:
                return mp.inf
            # Multiplied out, as q may be 0.
            if p > largest * q:
                largest = p / q
        return mp.log(largest)

    def loss_bound(self, x: Dataset, y: Dataset) -> mpf:
        """Return an upper bound of ln(P_x/P_y): the largest loss, or a looser bound."""
        return self.largest_loss(x, y)

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
    """Former names of relations, with their present names."""

    def relation(self, reported: str, *, defaulted: bool) -> str:
        """Return the relation that a report names, as it is called now.

        ``defaulted`` is whether the report says that nobody named it.  Raises ``NotAReportError``
        for a relation that the datasets do not have, and where its name has two readings.
        """
        name = self.old_relations.get(reported, reported)
        if name not in self.relations:
            names = ", ".join(self.relations)
            raise NotAReportError(f"adjacency = {reported}: the mechanism has {names} only")
        if defaulted:
            raise NotAReportError(
                f"adjacency = {reported} is the mechanism's own relation, not a default"
            )
        return name

    def default_relation(self) -> tuple[str, bool]:
        """Return the relation where nobody names one, and whether reports say that nobody did."""
        return self.relations[0], False

    @abstractmethod
    def dataset(self, reported: Any, n: int) -> Dataset:
        """Return the dataset that a report shows so; ``ValueError`` if there is none at ``n``."""

    @abstractmethod
    def output(self, reported: Any) -> Output:
        """Return the output that a report shows so."""

    @abstractmethod
    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        """Return how many datasets, and how many pairs to cover, there are at size ``n``."""

    def extent(self, n: int, relation: str, at: str | None) -> tuple[int, int, int]:
        """Return about how many datasets, pairs and listed outputs there are at size ``n``."""
        outputs = (self.output_count(n) or 0) if self.lists_outputs else 0
        return *self.counts(n, relation, at), outputs

    @abstractmethod
    def adjacent(self, x: Dataset, y: Dataset, n: int, relation: str) -> bool:
        """Tell whether ``x`` and ``y`` are one of the pairs at size ``n``."""

    @abstractmethod
    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Dataset, Dataset]]:
        """Return those pairs."""


class Listed(Definition):
    """A mechanism whose law at a dataset is a table of all outputs."""

    lists_outputs = True

    @abstractmethod
    def law(self, dataset: Dataset) -> Mapping[Any, mpf]:
        """Return the probability of every output at ``dataset``."""

    def probability(self, dataset: Dataset, output: Output) -> mpf:
        return self.law(dataset).get(output, mpf(0))

    def masses(self, x: Dataset, y: Dataset) -> list[tuple[mpf, mpf]]:
        p, q = self.law(x), self.law(y)
        return [(p.get(r, mpf(0)), q.get(r, mpf(0))) for r in {**p, **q}]


CALIBRATED = "calibrated"
"""Text for a probability that follows from ε."""
_CHANCES = ("delta", "truth", "p", "q", "f")
"""The names of parameters that are probabilities; other numbers are greater than 0."""


def hold(holds: bool, what: str) -> None:
    """Raise ``NotAReportError`` for parameters that the mechanism itself would refuse."""
    if not holds:
        raise NotAReportError(f"the mechanism cannot have these parameters: {what}")


class Parametrised(Definition):
    """A mechanism with named parameters; unknown ones are refused."""

    defaults: ClassVar[Mapping[str, Shown]]
    """Default of every parameter; a class that has its own defines the mechanism of its name."""
    called: ClassVar[str]
    """Name of the mechanism, where it is not that of the class."""
    numbers: tuple[str, ...] = ("epsilon",)
    """The parameters that are numbers; some may be :data:`CALIBRATED`."""
    wholes: ClassVar[Mapping[str, tuple[int, int]]] = {}
    """The parameters that are whole numbers, and from where to where they may be."""
    readings: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The named readings and what they may be."""
    derived: tuple[str, ...] = ()
    """The probabilities that may be :data:`CALIBRATED`."""
    closed: tuple[str, ...] = ()
    """The probabilities that may be 0 or 1."""
    others: tuple[str, ...] = ()
    """Parameters that a class reads in its own way."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        if set(parameters) != {*self.others, *self.numbers, *self.wholes, *self.readings}:
            names = ", ".join(sorted(parameters))
            raise UnknownDefinitionError(f"the parameters {names} are not those of the definition")
        for name, allowed in self.readings.items():
            if parameters[name] not in allowed:
                raise NotAReportError(f"there is no reading {name} = {parameters[name]}")
        for name, parameter in parameters.items():
            listed = (
                parameter if name in self.others and isinstance(parameter, list) else [parameter]
            )
            if not all(isinstance(part, str) for part in listed):
                raise NotAReportError(f"{name} = {parameter}: must be text, as numbers are shown")
        self.parameters = parameters
        self._numbers: dict[tuple[str, int], mpf] = {}
        self._wholes = {name: self._whole(name, *ends) for name, ends in self.wholes.items()}
        for name in self.numbers:
            if (name, parameters[name]) in self._derived():
                continue
            if name not in self.closed:
                check_positive(parameters[name], name)
            if name in self.closed:
                hold(order(parameters[name], "0") >= 0 >= order(parameters[name], "1"), name)
            elif name in _CHANCES:
                check_delta(parameters[name], name)

    @classmethod
    def spelled_out(cls, requested: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a request, shorthands as the parameters they stand for."""
        return dict(requested)

    def number(self, name: str) -> mpf:
        """Return a parameter at the working precision."""
        # By precision: 1/3 has other digits at each.
        if (name, mp.prec) not in self._numbers:
            self._numbers[name, mp.prec] = value(str(self.parameters[name]))
        return self._numbers[name, mp.prec]

    def _derived(self) -> set[tuple[str, str]]:
        return {(name, CALIBRATED) for name in self.derived}

    def chance(self, name: str) -> mpf | None:
        """Return a probability that was chosen, None where it follows from ε."""
        if self.parameters[name] == CALIBRATED:
            return None
        return self.number(name)

    def whole(self, name: str) -> int:
        """Return a parameter that is a whole number."""
        return self._wholes[name]

    def reading(self, name: str) -> str:
        """Return the reading that was chosen."""
        return str(self.parameters[name])

    def stated(self) -> tuple[mpf, mpf] | None:
        return self.number("epsilon"), mpf(0)

    def _whole(self, name: str, least: int, most: int) -> int:
        text = self.parameters[name]
        if not re.fullmatch(r"0|-?[1-9][0-9]{0,11}", text):
            raise NotAReportError(f"{name} = {text[:40]}: must be a whole number")
        if not least <= int(text) <= most:
            raise NotAReportError(f"{name} = {text}: must be from {least} to {most}")
        return int(text)


BASES = ("e", "2", "mixed")
"""Bases of powers of ε; ``mixed`` states the budget of one and has the law of another."""


class OfBase(Parametrised):
    """A mechanism whose ε may be counted in bits."""

    def stated(self) -> tuple[mpf, mpf]:
        return self._nats(self.reading("base") != "e"), mpf(0)

    @property
    def run_with(self) -> mpf:
        """The ε that its law has, in nats."""
        return self._nats(self.reading("base") == "2")

    def _nats(self, bits: bool) -> mpf:
        return self.number("epsilon") * (mp.log(2) if bits else 1)
