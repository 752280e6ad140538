"""The certified δ(ε) beside what dp-accounting estimates for the same pair, ε by ε."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.accounting.dominating import adaptive_upper, dominating_pair
from dpaudit.accounting.export import (
    DEFAULT_DISCRETISATION,
    accounting_plan,
    dominating_distribution,
    float_down,
    pair_distribution,
    read_discretisation,
)
from dpaudit.accounting.profile import Profile, certified_profile
from dpaudit.api.plans import chosen
from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.measure import head
from dpaudit.audit.plan import read_sizes
from dpaudit.errors import ParameterError, SizeError
from dpaudit.mechanisms.parameters import usable_float
from dpaudit.numbers.ball import bits_for_digits, lower_fraction, precision
from dpaudit.numbers.real import real
from dpaudit.results import Report
from dpaudit.worded import Worded

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from decimal import Decimal

    from dpaudit.accounting.dominating import DominatingPair
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.enclosure import Enclosure
    from dpaudit.numbers.real import Number, Real
    from dpaudit.results import DeltaAt, Witness

__all__ = ["Account", "Row", "Standing", "account", "excess", "float_below", "standing"]

ACCOUNT_DIGITS = 30
"""Enough to tell the last bit of a float estimate from the truth."""

_BEYOND = "dp-accounting cannot estimate these laws in floats"


class Standing(Worded):
    """How a pessimistic estimate stands to the certified interval."""

    ABOVE = "above"
    """At least the certified upper end: an upper estimate, as meant."""
    WITHIN = "within"
    """Inside the interval: not told from the truth at these digits."""
    BELOW = "below"
    """Below the certified lower end: not the upper estimate that it is meant to be."""


def standing(estimate: float, value: Enclosure) -> Standing:
    """Return how ``estimate``, taken exactly, stands to the interval ``value``."""
    number = Fraction(estimate)
    if number >= Fraction(value.upper):
        return Standing.ABOVE
    return Standing.BELOW if number < Fraction(value.lower) else Standing.WITHIN


def excess(estimate: float, value: Enclosure) -> Fraction:
    """Return estimate − nearest end of the interval; negative where the estimate is below it."""
    number = Fraction(estimate)
    if number < Fraction(value.lower):
        return number - Fraction(value.lower)
    return max(Fraction(0), number - Fraction(value.upper))


def float_below(epsilon: Real) -> float:
    """Return a float that is at most ε: δ there is at least δ(ε), so no estimate is wronged."""
    with precision(128):
        return float_down(lower_fraction(epsilon.ball()))


@dataclass(frozen=True)
class Row:
    """One ε."""

    delta: DeltaAt
    """The certified δ(ε) of all pairs, and the worst pair."""
    pessimistic: float
    """dp-accounting's pessimistic estimate for the worst pair, both directions."""
    optimistic: float
    """Its optimistic estimate for that pair."""
    dominating: float
    """Its pessimistic estimate for the dominating pair, which covers adaptive composition."""
    adaptive: Decimal
    """A certified upper bound for adaptive composition, from the same dominating pair."""

    @property
    def below(self) -> bool:
        """Whether an estimate that is meant as an upper one is certainly below the truth."""
        meant_above = (self.pessimistic, self.dominating)
        return any(standing(one, self.delta.value) is Standing.BELOW for one in meant_above)


@dataclass(frozen=True)
class Account:
    """The comparison of one mechanism at one size."""

    subject: Report[Any]
    """What was audited."""
    profile: Profile
    """What is certified."""
    discretisation: float
    """The step of dp-accounting's grid."""
    rows: tuple[Row, ...]
    """One for each ε."""

    @property
    def below(self) -> tuple[Row, ...]:
        """The rows with a pessimistic estimate below the certified lower end."""
        return tuple(row for row in self.rows if row.below)


def account(
    name: str | Mechanism[Any],
    n: int,
    epsilons: Iterable[Number],
    *,
    compose: int = 1,
    discretisation: Number = DEFAULT_DISCRETISATION,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = ACCOUNT_DIGITS,
    **parameters: object,
) -> Account:
    """Compare the certified δ(ε) of ``compose`` runs with dp-accounting's estimates.

    The certified interval is over every pair of neighbours; the estimates are for the pair that
    is the worst at that ε (where δ(ε) is 0 for all, the pair of the largest loss), and for the
    dominating pair, for which there is a certified bound as well.  dp-accounting is asked at the
    largest float that is not above ε.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: the size.
        epsilons: the ε to compare at.
        compose: how many runs on the same data, k ≥ 1.
        discretisation: the step of dp-accounting's grid of losses, from 1e-9 to 1.
        adjacency: the neighbouring relation; by default the mechanism's own.
        at: only pairs that contain this dataset, or ``"uniform"`` data.
        digits: certified intervals are at most 10^−digits wide.
        parameters: the mechanism's parameters.

    Raises:
        MissingExtraError: without dp-accounting.
        UsageError: for anything else that is not allowed; a composition too large to be exact.
        PrecisionError: where δ could not be enclosed.

    >>> found = account("LSHist", 10, ["1/2"])
    >>> f"{found.rows[0].pessimistic:.9f}", found.rows[0].delta.x
    ('0.129590890', (1, 9))
    """
    step = read_discretisation(discretisation)
    subject = chosen(
        name,
        parameters,
        n=n,
        epsilons=epsilons,
        compose=compose,
        adjacency=adjacency,
        at=at,
        digits=None if digits == ACCOUNT_DIGITS else digits,
    )
    (size,) = _one_size(n)
    asked = list(epsilons)
    if not asked:
        raise ParameterError("epsilon-grid", "no ε is given; give at least one")
    for epsilon in asked:
        usable_float(real(epsilon), "epsilon-grid")
    plan = accounting_plan(subject, at_eps=asked, digits=digits, adjacency=adjacency, at=at)
    profile = certified_profile(subject, size, plan, compose)
    curve = privacy_curve(subject, size, replace(plan, at_eps=()))
    pair = dominating_pair(curve)
    bounds = adaptive_upper(pair, compose, plan.at_eps, digits)
    try:
        estimates = _Estimates(subject, pair, plan, step, compose)
        rows = tuple(
            estimates.row(delta, float_below(epsilon), profile.witness, bound)
            for delta, epsilon, bound in zip(profile.deltas, plan.at_eps, bounds, strict=True)
        )
    except (ArithmeticError, ValueError) as error:  # what the library says of nan and infinity
        text = " ".join(str(error).split())
        raise ParameterError("epsilon", f"{_BEYOND} ({type(error).__name__}: {text})") from error
    about: Report[Any] = Report(schema="", sizes=(), results=(), missing=(), **head(subject, plan))
    return Account(about, profile, step, rows)


def _one_size(n: int) -> tuple[int, ...]:
    sizes = read_sizes(n)
    if len(sizes) != 1:
        raise SizeError(f"n = {n}: an account is of one size")
    return sizes


class _Estimates:
    """dp-accounting's answers, with each distribution made once."""

    def __init__(
        self, subject: Mechanism[Any], pair: DominatingPair, plan: Plan, step: float, runs: int
    ) -> None:
        self.subject = subject
        self.step = step
        self.runs = runs
        self.bits = bits_for_digits(plan.digits) + 16
        self.dominating = self._composed(dominating_distribution(pair, step))
        self.pairs: dict[tuple[Hashable, Hashable], tuple[Any, Any]] = {}

    def row(self, delta: DeltaAt, epsilon: float, witness: Witness, adaptive: Decimal) -> Row:
        """Return the row of one ε."""
        x, y = (witness.x, witness.y) if delta.x is None else (delta.x, delta.y)
        found = [
            float(each.get_delta_for_epsilon(epsilon))
            for each in (*self._pair(x, y), self.dominating)
        ]
        if not all(map(math.isfinite, found)):
            raise ParameterError("epsilon", f"{_BEYOND} (δ({epsilon:g}) comes out as no number)")
        pessimistic, optimistic, dominating = found
        return Row(delta, pessimistic, optimistic, dominating, adaptive)

    def _pair(self, x: Hashable, y: Hashable) -> tuple[Any, Any]:
        if (x, y) not in self.pairs:
            with precision(self.bits):
                book = self.subject.laws()
                divergence = book.law(x).divergence_from(book.law(y))
                self.pairs[x, y] = (
                    self._composed(pair_distribution(divergence, self.step)),
                    self._composed(
                        pair_distribution(divergence, self.step, pessimistic=False), cut=0
                    ),
                )
        return self.pairs[x, y]

    def _composed(self, pld: Any, cut: float = 1e-15) -> Any:
        """Compose with the library's own cut of tails, or with none (it is pessimistic only)."""
        if self.runs == 1:
            return pld
        try:
            return pld.self_compose(self.runs, tail_mass_truncation=cut)
        except IndexError:  # laws with no finite loss: the cut finds nothing that is left
            return pld.self_compose(self.runs, tail_mass_truncation=0)
