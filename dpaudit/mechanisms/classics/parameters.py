"""Parameters that the classics share: whole numbers, probabilities, and how ε is counted."""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.errors import DomainError
from dpaudit.mechanisms.base import in_nats
from dpaudit.mechanisms.parameters import (
    ChoiceParameter,
    Parameter,
    PositiveParameter,
    read_number,
)
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, Real, real

__all__ = [
    "BASE",
    "CALIBRATED",
    "EPSILON",
    "NOISE",
    "CalibratedParameter",
    "UnitParameter",
    "complement",
    "natural",
    "noise_rate",
    "stated_epsilon",
    "unit_of",
]

CALIBRATED = "calibrated"
"""The word for a probability that follows from ε."""


@dataclass(frozen=True, slots=True)
class UnitParameter(Parameter):
    """A real number from 0 to 1, both allowed."""

    def read(self, value: object) -> Real:
        number = read_number(value, self.name)
        for distance in (number, ONE - number):
            if distance.sign() not in (Sign.ZERO, Sign.POSITIVE):
                raise DomainError(self.name, number, f"must be {self.allowed}")
        return number

    @property
    def allowed(self) -> str:
        return "a number from 0 to 1"


@dataclass(frozen=True, slots=True)
class CalibratedParameter(Parameter):
    """A real number above zero and below one, or the one that the definition makes of ε."""

    def read(self, value: object) -> Real | str:
        if value == CALIBRATED:
            return CALIBRATED
        number = read_number(value, self.name)
        for distance in (number, ONE - number):
            if distance.sign() is not Sign.POSITIVE:
                raise DomainError(self.name, number, f"must be {self.allowed}")
        return number

    @property
    def allowed(self) -> str:
        return f"a number greater than 0 and less than 1, or {CALIBRATED}"


EPSILON = PositiveParameter(
    "epsilon",
    "the privacy parameter ε the mechanism is run with",
    "4/5",
    "that of the notes' mechanisms, so that they can be compared",
)

BASE = ChoiceParameter(
    "base",
    "what power of ε probabilities go by, and what ε is counted in",
    "e",
    "privacy loss is a natural logarithm",
    (
        ("e", "e^ε: ε is a natural logarithm"),
        ("2", "2^ε: ε counts bits, and ε·ln(2) is stated"),
        ("mixed", "a mistake: ε·ln(2) is stated, as for bits, but probabilities go by e^ε"),
    ),
)

NOISE = ChoiceParameter(
    "noise",
    "how wide the noise is",
    "calibrated",
    "it is what the definition says",
    (
        ("calibrated", "its scale is the sensitivity over ε"),
        ("inverted", "a mistake: ε where 1/ε was meant (Ding et al. 2018)"),
    ),
)


def noise_rate(epsilon: Real, noise: str) -> Real:
    """Return 1 over the scale of noise for sensitivity 1."""
    return epsilon if noise == "calibrated" else epsilon.reciprocal()


def natural(epsilon: Real, base: str) -> Real:
    """Return what probabilities are e to the power of."""
    return epsilon * real("ln(2)") if base == "2" else epsilon


def stated_epsilon(epsilon: Real, base: str) -> Real:
    """Return the ε that is stated, as a natural logarithm."""
    return in_nats(epsilon, unit_of(base))


def unit_of(base: str) -> str:
    """Return the unit in which ε is given, and stated."""
    return "nats" if base == "e" else "bits"


def complement(p: Real) -> Real:
    """Return 1 − p for 0 < p ≤ 1, as a product where p is one.

    Then e^ε/(1 + e^ε) and its complement 1/(1 + e^ε) are seen to be e^ε apart.

    >>> print(complement(real("exp(1)/(1 + exp(1))")))
    1/(1 + exp(1))
    """
    product = p * (p.reciprocal() - ONE)
    difference = ONE - p
    return min((difference, product), key=lambda form: len(form.coordinates()))
