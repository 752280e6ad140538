"""What definitions by parameters have in common: parameters are the text that a report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.definition import Definition
from dpaudit.recheck.failures import UnknownDefinitionError
from dpaudit.recheck.numbers import value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CALIBRATED", "Parametrised"]

CALIBRATED = "calibrated"
"""What a report shows for a probability that follows from ε."""


class Parametrised(Definition):
    """A mechanism with named parameters; what it does not read may not be given."""

    numbers: tuple[str, ...] = ("epsilon",)
    """The parameters that are numbers; some may be :data:`CALIBRATED`."""
    wholes: ClassVar[Mapping[str, tuple[int, int]]] = {}
    """The parameters that are whole numbers, and from where to where they may be."""
    readings: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The named readings and what they may be."""
    others: tuple[str, ...] = ()
    """Parameters that a class reads in its own way."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        if set(parameters) != {*self.others, *self.numbers, *self.wholes, *self.readings}:
            given = ", ".join(sorted(parameters))
            raise UnknownDefinitionError(f"the parameters {given} are not those of the definition")
        for name, allowed in self.readings.items():
            if parameters[name] not in allowed:
                raise UnknownDefinitionError(f"there is no reading {name} = {parameters[name]}")
        self.parameters = parameters
        self._numbers: dict[tuple[str, int], mpf] = {}
        self._wholes = {name: self._whole(name, *ends) for name, ends in self.wholes.items()}
        if "epsilon" in self.numbers and not self.number("epsilon") > 0:
            raise UnknownDefinitionError("epsilon is not positive")

    def number(self, name: str) -> mpf:
        """Return a parameter at the working precision."""
        if (name, mp.prec) not in self._numbers:
            self._numbers[name, mp.prec] = value(str(self.parameters[name]))
        return self._numbers[name, mp.prec]

    def chance(self, name: str) -> mpf | None:
        """Return a probability that was chosen, None where it follows from ε."""
        if self.parameters[name] == CALIBRATED:
            return None
        if not 0 < self.number(name) < 1:
            raise UnknownDefinitionError(f"{name} is no probability")
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
        try:
            number = int(str(self.parameters[name]))
        except ValueError:
            raise UnknownDefinitionError(f"{name} is no whole number") from None
        if not least <= number <= most:
            raise UnknownDefinitionError(f"{name} = {number} is not from {least} to {most}")
        return number
