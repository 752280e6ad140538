"""Tests of a claimed privacy profile by right guesses: the certificates, and what they refute."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import certainly_less, certainly_less_or_equal, precision
from dpaudit.numbers.closed_form import rational
from dpaudit.numbers.enclosure import enclose, unit_interval
from dpaudit.questions.canaries.dual_search import MOST_GUESSES, certificate_at, certificate_for
from dpaudit.questions.canaries.profile_bounds import Certificate, allowed, is_feasible, largest_mu
from dpaudit.results import (
    CanaryVerdict,
    DualCertificate,
    Enclosure,
    Price,
    ProfileBound,
    ProfileTest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.numbers.real import Real
    from dpaudit.questions.canaries.one_run import Guesses

__all__ = ["MOST_DIGITS_OF_MU", "VERDICTS", "audit_profile", "read_profile"]

MOST_DIGITS_OF_MU = 4
"""Most digits after the point of a bound on μ: the search for certificates is no finer."""
VERDICTS = {
    True: CanaryVerdict.EXCEEDS,
    False: CanaryVerdict.NOT_REFUTED,
    None: CanaryVerdict.UNDECIDED,
}
"""Verdicts by whether a claim is refuted; None where that cannot be told."""
_LEAST_MU, _MOST_MU = 1e-6, 1000
_BITS = 256


def read_profile(profile: str) -> Real:
    """Return μ of a profile that is claimed, as ``mu=1.5``; ``UsageError`` for any other."""
    name, equals, number = str(profile).partition("=")
    if not equals or name.strip() not in ("mu", "μ"):
        raise ParameterError(
            "profile", f"profile = {profile}: must be mu=NUMBER, the μ of μ-GDP, such as mu=1.5"
        )
    mu = read_number(number.strip(), "profile")
    if not _LEAST_MU <= float(mu) <= _MOST_MU:
        raise DomainError("profile", profile, f"μ must be from {_LEAST_MU} to {_MOST_MU}")
    return mu


def audit_profile(
    seen: Guesses, profile: str, levels: Sequence[Real], digits: int
) -> tuple[ProfileTest, CanaryVerdict]:
    """Return the test of a claimed profile, and the verdict at the first level.

    Args:
        seen: the guesses.
        profile: the claim, as ``"mu=1.5"``.
        levels: the levels; the verdict needs one alone.
        digits: ends of bounds on μ have so many digits after the point.
    """
    mu = read_profile(profile)
    if len(levels) > 1:
        raise ParameterError(
            "level", "a verdict needs a single level; give one level, or leave the profile out"
        )
    if seen.guesses > MOST_GUESSES:
        raise DomainError("guesses", seen.guesses, f"with a profile, at most {MOST_GUESSES}")
    first = certificate_at(seen, float(mu)) if seen.right else None
    largest = certificate_for(seen, float(levels[0]), first) if seen.right else None
    found = [one for one in (first, largest) if one is not None and _holds(seen, one)]
    p_value, best = Enclosure(Decimal(1), Decimal(1)), None
    refuted: bool | None = False
    with precision(_BITS):
        values = [(allowed(seen.weight, one, mu.ball()), one) for one in found]
        if values:
            value, best = min(values, key=lambda pair: float(pair[0].mid()))
            p_value = unit_interval(enclose(value, digits))
            most = levels[0].ball()
            refuted = None
            if certainly_less_or_equal(value, most):
                refuted = True
            elif certainly_less(most, value):
                refuted = False
    bound = Enclosure(Decimal(0), Decimal(0))
    if largest is not None and _holds(seen, largest):
        bound = largest_mu(seen.weight, largest, levels[0], digits)
    certificate = _written(largest) if bound.upper else None
    bounds = (ProfileBound(level=levels[0], mu=bound, certificate=certificate),)
    test = ProfileTest(mu=mu, p_value=p_value, certificate=_written(best), bounds=bounds)
    return test, VERDICTS[refuted]


def _holds(seen: Guesses, certificate: Certificate) -> bool:
    return is_feasible(seen.guesses, seen.right, certificate)


def _written(certificate: Certificate | None) -> DualCertificate | None:
    if certificate is None:
        return None
    prices = tuple(
        Price(odds=rational(odds), price=rational(price)) for odds, price in certificate.prices
    )
    return DualCertificate(base=rational(certificate.base), prices=prices)
