"""The certified δ(ε) beside what dp-accounting estimates for the same pair, ε by ε."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit import machine
from dpaudit.api.plans import chosen
from dpaudit.audit.curve import Curves, privacy_curve
from dpaudit.audit.estimate import grid_bytes
from dpaudit.audit.measure import head
from dpaudit.audit.plan import Plan
from dpaudit.audit.room import check_room
from dpaudit.errors import LawError, ParameterError, PrecisionError
from dpaudit.mechanisms.parameters import usable_float
from dpaudit.numbers.ball import bits_for_digits, lower_fraction, precision
from dpaudit.numbers.real import Number, Real, real
from dpaudit.questions.account import export
from dpaudit.questions.account.dominating import DominatingPair, adaptive_upper, dominating_pair
from dpaudit.questions.account.profile import Profile, certified_profile
from dpaudit.results import DeltaAt, Enclosure, Report, Witness
from dpaudit.results.brief import Brief
from dpaudit.results.comparing import float_down
from dpaudit.worded import Worded

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from decimal import Decimal

    from dpaudit.mechanisms.base import Mechanism


__all__ = ["Account", "Row", "Standing", "account", "excess", "float_below", "standing"]

ACCOUNT_DIGITS = 30
"""Enough to tell the last bit of a float estimate from the truth."""

_CUT = 1e-15
"""Probability of the tails that dp-accounting cuts after a composition; its own default."""

_BEYOND = "dp-accounting cannot estimate these output distributions in floats"

_NOT_COMPOSED = (
    "dpaudit cannot compose these runs exactly, so it only knows that their δ lies between "
    "that of one run and 1:"
)


class Standing(Worded):
    """Position of an estimate with respect to the certified interval."""

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


@dataclass(frozen=True, repr=False)
class Row(Brief):
    """One ε."""

    delta: DeltaAt
    """The certified δ(ε) of all pairs, and the worst pair."""
    pessimistic: float | None
    """dp-accounting's pessimistic estimate for the worst pair, both directions; None for none."""
    optimistic: float | None
    """Its optimistic estimate for that pair."""
    dominating: float | None
    """Its pessimistic estimate for the dominating pair, which covers adaptive composition."""
    adaptive: Decimal | None
    """A certified upper bound for adaptive composition, from the same dominating pair."""

    @property
    def below(self) -> bool:
        """True if an estimate that is meant as an upper bound is certainly below the truth."""
        meant_above = (self.pessimistic, self.dominating)
        return any(
            one is not None and standing(one, self.delta.value) is Standing.BELOW
            for one in meant_above
        )


@dataclass(frozen=True, repr=False)
class Account(Brief):
    """The comparison of one mechanism at one size."""

    subject: Report[Any]
    """Report on the mechanism, with its stated budget and relation."""
    profile: Profile
    """Certified δ(ε)."""
    discretisation: float
    """The step of dp-accounting's grid."""
    rows: tuple[Row, ...]
    """One for each ε."""
    refused: tuple[str, ...] = ()
    """Questions left unanswered, each with its reason: estimates, the adaptive bound, k runs."""

    @property
    def complete(self) -> bool:
        """True if δ of all runs and the adaptive bound were certified at every ε."""
        return self.profile.refused is None and all(row.adaptive is not None for row in self.rows)

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
    discretisation: Number = export.DEFAULT_DISCRETISATION,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = ACCOUNT_DIGITS,
    estimates: bool = True,
    **parameters: object,
) -> Account:
    """Compare the certified δ(ε) of ``compose`` runs with dp-accounting's estimates.

    The certified interval is over every pair of neighbours; the estimates are for the pair that
    is the worst at that ε (where δ(ε) is 0 for all, the pair of the largest loss), and for the
    dominating pair, for which there is a certified bound as well.  dp-accounting is asked at the
    largest float that is not above ε.  What cannot be said (a composition too large to be exact, an
    estimate that fails in floats) leaves the rest standing, and a line in ``refused`` says why.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: the size.
        epsilons: the ε to compare at.
        compose: how many runs on the same data, k ≥ 1.
        discretisation: the step of dp-accounting's grid of losses, from 1e-9 to 1.
        adjacency: the neighbouring relation; by default the mechanism's own.
        at: only pairs that contain this dataset, or ``"uniform"`` data.
        digits: certified intervals are at most 10^−digits wide.
        estimates: False to leave out dp-accounting, which then need not be installed.
        parameters: the mechanism's parameters.

    Returns:
        The account: a row for each ε, with the certified δ and the estimates.

    Raises:
        MissingExtraError: if dp-accounting is needed and not installed.
        UsageError: for other bad input; ``TooLargeError`` if the memory does not suffice.
        PrecisionError: where not even δ of one run could be enclosed.

    >>> found = account("LSHist", 10, ["1/2"])
    >>> f"{found.rows[0].pessimistic:.9f}", found.rows[0].delta.x
    ('0.129590890', (1, 9))
    """
    step = export.read_discretisation(discretisation)
    if estimates:
        export.check_installed()
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
    size = export.one_size(n)
    asked = list(epsilons)
    if not asked:
        raise ParameterError("epsilon-grid", "the list of ε is empty; give at least one")
    for epsilon in asked:
        usable_float(real(epsilon), "epsilon-grid")
    plan = export.accounting_plan(subject, at_eps=asked, digits=digits, adjacency=adjacency, at=at)
    check_room(Curves(), subject, (size,), plan)
    profile = certified_profile(subject, size, plan, compose)
    if estimates:
        _check_grid(subject, float(profile.epsilon.upper), compose, step)
    refused = [] if profile.refused is None else [f"{_NOT_COMPOSED} {profile.refused}"]
    pair: DominatingPair | None = None
    bounds: list[Decimal | None] = [None] * len(plan.at_eps)
    try:
        pair = dominating_pair(privacy_curve(subject, size, replace(plan, at_eps=())))
        bounds = [*adaptive_upper(pair, compose, plan.at_eps, digits)]
    except (LawError, PrecisionError) as error:
        refused.append(f"no bound for adaptive runs: {error}")
    asking = _Estimates(subject, pair, plan, step, compose) if estimates else None
    rows = []
    for delta, epsilon, bound in zip(profile.deltas, plan.at_eps, bounds, strict=True):
        guessed: _Guesses = (None, None, None)
        if asking is not None:
            guessed = asking.row(delta, float_below(epsilon), profile.witness)
        rows.append(Row(delta, *guessed, bound))
    if asking is not None:
        refused += asking.refused
    about: Report[Any] = Report(schema="", sizes=(), results=(), missing=(), **head(subject, plan))
    return Account(about, profile, step, tuple(rows), tuple(refused))


def _check_grid(subject: Mechanism[Any], epsilon: float, runs: int, step: float) -> None:
    """Raise ``TooLargeError`` where dp-accounting would take more memory than there is."""
    needed = grid_bytes(epsilon / runs, runs, step)
    room = machine.available() - machine.INTERPRETER
    machine.require(
        machine.INTERPRETER + needed,
        f"{subject.name}: dp-accounting's grid of {runs} runs in steps of {step:g}",
        lambda: f"--discretisation {1.1 * step * needed / max(room, 1):.0e} or --no-estimates fits",
    )


_Guesses = tuple[float | None, float | None, float | None]
"""The pessimistic and the optimistic estimate of a pair, and that of the dominating pair."""


class _Estimates:
    """dp-accounting's answers, with each distribution made once; a failure is one line."""

    def __init__(
        self,
        subject: Mechanism[Any],
        pair: DominatingPair | None,
        plan: Plan,
        step: float,
        runs: int,
    ) -> None:
        self.subject = subject
        self.pair = pair
        self.step = step
        self.runs = runs
        self.bits = bits_for_digits(plan.digits) + 16
        self.made: dict[Hashable, Any] = {}
        self.refused: list[str] = []

    def row(self, delta: DeltaAt, epsilon: float, witness: Witness) -> _Guesses:
        """Return the pessimistic and optimistic estimate at one ε and the dominating pair's."""
        x, y = (witness.x, witness.y) if delta.x is None else (delta.x, delta.y)
        dominating = None
        if self.pair is not None:
            dominating = self._asked("the dominating pair", self._dominating, epsilon)
        return (
            self._asked("the worst pair", lambda: self._pair(x, y), epsilon),
            self._asked("the worst pair", lambda: self._pair(x, y, pessimistic=False), epsilon),
            dominating,
        )

    def _asked(
        self, what: str, make: Callable[[], tuple[Any, float]], epsilon: float
    ) -> float | None:
        try:
            pld, cut = make()
            found = float(pld.get_delta_for_epsilon(epsilon))
        except (ArithmeticError, ValueError) as error:  # what the library says of nan and infinity
            told = f"{type(error).__name__}: {' '.join(str(error).split())}"
        else:
            if math.isfinite(found):
                return max(0.0, found - cut)
            told = f"δ({epsilon:g}) is not a number"
        line = f"no estimate for {what}: {_BEYOND} ({told})"
        if line not in self.refused:
            self.refused.append(line)
        return None

    def _dominating(self) -> tuple[Any, float]:
        assert self.pair is not None
        if None not in self.made:
            self.made[None] = self._composed(export.dominating_distribution(self.pair, self.step))[
                0
            ]
        return self.made[None], 0.0

    def _pair(self, x: Hashable, y: Hashable, *, pessimistic: bool = True) -> tuple[Any, float]:
        """Return the distribution of a pair, and how much it holds of cut tails if optimistic."""
        key = x, y, pessimistic
        if key not in self.made:
            with precision(self.bits):
                book = self.subject.laws()
                divergence = book.law(x).divergence_from(book.law(y))
                made = export.pair_distribution(divergence, self.step, pessimistic=pessimistic)
                self.made[key] = self._composed(made)
        pld, cut = self.made[key]
        return pld, 0.0 if pessimistic else cut

    def _composed(self, pld: Any) -> tuple[Any, float]:
        """Compose with the library's own cut of tails, which it counts as an infinite loss."""
        if self.runs == 1:
            return pld, 0.0
        try:
            return pld.self_compose(self.runs, tail_mass_truncation=_CUT), _CUT
        except IndexError:  # laws with no finite loss: the cut finds nothing that is left
            return pld.self_compose(self.runs, tail_mass_truncation=0), 0.0
