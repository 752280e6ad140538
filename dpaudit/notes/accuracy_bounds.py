"""The printed bounds of N §3.2 and §3.3 on P(H ≥ c), beside the exact tail.

An exponential mechanism draws r with probability exp(−s·H(x, r))/NL, NL the sum over R, s the
*factor* ε/(m·S(x)) with m = 2 in the definitions.  N §3.2 bounds the tail by |R|·e^(−s·c); the
second bound of N §3.3 is |R|·e^(−s·c)/NL.  But N §3.3 writes exp(−ε·c/S(x)), without the 2: with
the mechanism as defined that is another number, and no bound.  So each is given in two readings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.errors import ParameterError
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.parameters import read_number
from dpaudit.notes.hellinger_exponential import HellingerExponential
from dpaudit.numbers.ball import Ball, Sign, ball, precision, sign
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.real import Number
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from dpaudit.accuracy.law import ErrorLaw

__all__ = ["TailBound", "tail_bounds"]

_BITS = 256


@dataclass(frozen=True)
class TailBound:
    """One bound on P(H ≥ c)."""

    name: str
    """``union``, |R|·e^(−f·c), or ``normalised``, that divided by NL."""
    source: str
    reading: str
    """``as defined``: f is the factor of the mechanism; ``without the 2``: f = ε/S(x)."""
    value: Enclosure
    holds: Sign
    """The sign of the bound minus the exact tail: NEGATIVE is no bound."""


def tail_bounds(law: ErrorLaw, threshold: Number) -> tuple[TailBound, ...]:
    """Return the bounds of N on P(H ≥ ``threshold``) for an exponential mechanism.

    Raises ``ParameterError`` for other mechanisms, or another error than H.
    """
    mechanism = law.mechanism
    if not isinstance(mechanism, HellingerExponential) or law.metric != "hellinger":
        raise ParameterError("bounds", "N §3.2 and §3.3 bound H of exponential mechanisms only")
    c = read_number(threshold, "threshold")
    with precision(_BITS):
        outputs = mechanism.law_at(law.dataset)
        assert isinstance(outputs, WeightedLaw)
        exact = law.listing(_BITS).tail(c)
        factor = _factor(law, outputs)
        normaliser = outputs.log_normaliser.exp()
        bounds = []
        for reading, f in (
            ("as defined", factor),
            ("without the 2", factor * mechanism.multiple.ball()),
        ):
            union = ball(len(outputs.space)) * (-f * c.ball()).exp()
            for name, source, value in (
                ("union", "N §3.2", union),
                ("normalised", "N §3.3", union / normaliser),
            ):
                holds = sign(value - exact)
                bounds.append(TailBound(name, source, reading, enclose(value, law.digits), holds))
        return tuple(bounds)


def _factor(law: ErrorLaw, outputs: WeightedLaw) -> Ball:
    """Return s, which the weight −s·H of any other output shows."""
    cell = law.listing(_BITS).cells[-1]
    (output, *_) = cell.parts[0].outputs
    return -outputs.log_weights[outputs.space.index(output)] / cell.value
