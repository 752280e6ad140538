"""dp-accounting's privacy-loss distributions, made from a pair of laws or a dominating pair.

The library (``dp_accounting.pld``) holds the distribution of the privacy loss on a grid of
multiples of its *discretisation*, in floats; a pessimistic one has losses rounded up.  It is
imported only when one of these functions is called.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.errors import DomainError, MissingExtraError
from dpaudit.exact.ball import Ball, Sign, sign, upper_fraction
from dpaudit.exact.real import real

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dpaudit.accounting.dominating import DominatingPair
    from dpaudit.exact.real import Number
    from dpaudit.laws.law import Divergence

__all__ = [
    "DEFAULT_DISCRETISATION",
    "dominating_distribution",
    "float_down",
    "float_up",
    "pair_distribution",
    "read_discretisation",
]

DEFAULT_DISCRETISATION = "1e-4"
"""dp-accounting's own default."""

_COARSEST, _FINEST = 1, Fraction(1, 10**9)


def _library() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise MissingExtraError("dp-accounting", "accounting") from None
    return privacy_loss_distribution


def read_discretisation(given: Number) -> float:
    """Return the step of the grid as a float; ``DomainError`` unless it lies in [1e-9, 1].

    >>> read_discretisation("1e-4")
    0.0001
    """
    number = real(given)
    fraction = number.as_fraction()
    if fraction is None or not _FINEST <= fraction <= _COARSEST:
        raise DomainError("discretisation", number, "must be a rational number from 1e-9 to 1")
    return float(fraction)


def float_down(value: Fraction) -> float:
    """Return the largest float that is at most ``value``.

    >>> tenth = Fraction(1, 10)
    >>> Fraction(float_down(tenth)) < tenth < Fraction(float_up(tenth))
    True
    """
    nearest = float(value)
    return math.nextafter(nearest, -math.inf) if Fraction(nearest) > value else nearest


def float_up(value: Fraction) -> float:
    """Return the smallest float that is at least ``value``."""
    return -float_down(-value)


def pair_distribution(
    divergence: Divergence, discretisation: float, *, pessimistic: bool = True
) -> Any:
    """Return dp-accounting's distribution of one pair of laws, in both directions.

    It gets the logarithm of every mass as the nearest float and does all rounding itself.  Mass
    that the laws do not list (a tail) counts as an output that the other side lacks if
    ``pessimistic``, and is left out otherwise.
    """
    p: dict[Hashable, float] = {}
    q: dict[Hashable, float] = {}
    left = [Ball(1), Ball(1)]
    for key, atom in enumerate(divergence.atoms(forward=True)):
        if sign(atom.p) is not Sign.ZERO:
            p[key] = float(atom.p.log())
        if sign(atom.q) is not Sign.ZERO:
            q[key] = float(atom.q.log())
        left = [left[0] - atom.p, left[1] - atom.q]
    for key, atom in enumerate(divergence.atoms(forward=False)):
        if sign(atom.q) is Sign.ZERO:
            q["only", key] = float(atom.p.log())
            left[1] -= atom.p
    for side, rest, name in ((p, left[0], "tail of P"), (q, left[1], "tail of Q")):
        if pessimistic and sign(rest) is Sign.POSITIVE:
            side[name] = float(rest.log())
    return _library().from_two_probability_mass_functions(
        log_probability_mass_function_lower=q,
        log_probability_mass_function_upper=p,
        pessimistic_estimate=pessimistic,
        value_discretization_interval=discretisation,
        symmetric=False,
    )


def dominating_distribution(pair: DominatingPair, discretisation: float) -> Any:
    """Return dp-accounting's pessimistic distribution of a dominating pair, rounded outward here.

    Every loss is moved up to a grid point whose *float* is certainly not below it, and every mass
    up to the next float, so that what the library starts from dominates.
    """
    masses: dict[int, Fraction] = {}
    for loss, mass in pair.losses():
        place = _place(loss, discretisation)
        masses[place] = masses.get(place, Fraction(0)) + Fraction(mass, 1 << pair.bits)
    return _library().PrivacyLossDistribution.create_from_rounded_probability(
        {place: float_up(mass) for place, mass in sorted(masses.items())},
        float_up(Fraction(pair.infinite, 1 << pair.bits)),
        discretisation,
        pessimistic_estimate=True,
    )


def _place(loss: Ball, discretisation: float) -> int:
    bound = upper_fraction(loss)
    place = math.ceil(bound / Fraction(discretisation))
    while Fraction(place * discretisation) < bound:
        place += 1
    return place
