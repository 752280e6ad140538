"""What definitions by parameters have in common: parameters are the text that a report shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.definition import Definition
from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import check_delta, check_positive, order, value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CALIBRATED", "Parametrised", "hold"]

CALIBRATED = "calibrated"
"""What a report shows for a probability that follows from ε."""
_CHANCES = ("delta", "truth", "p", "q", "f")
"""The names of parameters that are probabilities; other numbers are greater than 0."""


def hold(holds: bool, what: str) -> None:
    """Raise ``NotAReportError`` for parameters that the mechanism itself would refuse."""
    if not holds:
        raise NotAReportError(f"the mechanism cannot have these parameters: {what}")


class Parametrised(Definition):
    """A mechanism with named parameters; what it does not read may not be given."""

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
            given = ", ".join(sorted(parameters))
            raise UnknownDefinitionError(f"the parameters {given} are not those of the definition")
        for name, allowed in self.readings.items():
            if parameters[name] not in allowed:
                raise NotAReportError(f"there is no reading {name} = {parameters[name]}")
        for name, shown in parameters.items():
            listed = shown if name in self.others and isinstance(shown, list) else [shown]
            if not all(isinstance(part, str) for part in listed):
                raise NotAReportError(f"{name} = {shown}: must be text, as numbers are shown")
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

    def number(self, name: str) -> mpf:
        """Return a parameter at the working precision."""
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

    def largest_loss(self, x: Any, y: Any) -> mpf:
        largest = mpf(0)
        for p, q in self.masses(x, y):
            if p > 0 and q == 0:
                return mp.inf
            if p > largest * q:
                largest = p / q
        return mp.log(largest)

    def delta(self, x: Any, y: Any, epsilon: mpf) -> mpf:
        factor = mp.exp(epsilon)
        gains = (p - factor * q for p, q in self.masses(x, y))
        return mp.fsum(gain for gain in gains if gain > 0)

    def _whole(self, name: str, least: int, most: int) -> int:
        shown = self.parameters[name]
        if not re.fullmatch(r"0|-?[1-9][0-9]{0,11}", shown):
            raise NotAReportError(f"{name} = {shown[:40]}: must be a whole number")
        if not least <= int(shown) <= most:
            raise NotAReportError(f"{name} = {shown}: must be from {least} to {most}")
        return int(shown)
