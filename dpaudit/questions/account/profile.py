"""The certified δ(ε) of one run, or of k runs on the same data, over every neighbouring pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.audit.certify import audit_size, delta_at
from dpaudit.audit.maximum import Maximum
from dpaudit.audit.plan import Pairs, Plan
from dpaudit.audit.quantity import Limits, PairOfLaws, Quantity, Value
from dpaudit.audit.scan import Scan, compared, scan_size
from dpaudit.errors import ParameterError, PrecisionError
from dpaudit.numbers.ball import Ball, Sign, certainly_less_or_equal, precision
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import ZERO, Real, order, real
from dpaudit.questions.account.composition import TABLE_LIMIT, compose, joint_bound
from dpaudit.questions.account.outcomes import outcomes
from dpaudit.results import DeltaAt, Enclosure, Witness
from dpaudit.results.brief import Brief

if TYPE_CHECKING:
    from dpaudit.laws.law import Loss
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["MAX_RUNS", "Profile", "certified_profile"]

MAX_RUNS = 10_000
"""More runs than this are refused."""


@dataclass(frozen=True, repr=False)
class Profile(Brief):
    """δ(ε) of k runs on the same data, the largest over all pairs, both directions."""

    n: int
    """The size."""
    runs: int
    """k."""
    pairs: int
    """Number of unordered pairs covered."""
    joint: int | None
    """Largest number of joint losses of a pair; None for one run."""
    epsilon: Enclosure
    """The realised ε of k runs: k times that of one run."""
    witness: Witness
    """Pair and output at which one run attains its realised ε."""
    deltas: tuple[DeltaAt, ...]
    """δ at each ε of the plan, with the worst pair there; from δ of one run to 1 if ``refused``."""
    refused: str | None = None
    """Reason why k runs were not composed exactly; None if they were."""


def certified_profile(mechanism: Mechanism[Any], n: int, plan: Plan, runs: int = 1) -> Profile:
    """Return the certified δ of ``runs`` runs at each ε of ``plan.at_eps``, over the plan's pairs.

    The runs are of the same mechanism on the same dataset with independent randomness, so that
    neighbours x and y give the laws P_xᵏ and P_yᵏ; that the realised ε is k times that of one run
    is the additivity of the max-divergence.  Where exact composition is too large, or is not
    enclosed at the precision cap, the profile says why, and what is certain all the same: k runs
    show all that one run does.  Raises ``ParameterError`` for runs that are no count and
    ``PrecisionError`` where not even one run can be enclosed.
    """
    if isinstance(runs, bool) or not isinstance(runs, int) or not 1 <= runs <= MAX_RUNS:
        raise ParameterError(
            "compose", f"compose = {runs}: must be a whole number from 1 to {MAX_RUNS}"
        )
    refused = joint = deltas = None
    if runs > 1:
        try:
            _refuse_if_too_large(mechanism, n, plan, runs)
            deltas, joint = _composed_deltas(mechanism, n, plan, runs)
        except (ParameterError, PrecisionError) as error:
            refused = str(error)
    single = audit_size(mechanism, n, replace(plan, at_eps=() if deltas else plan.at_eps))
    if not single.complete:
        raise PrecisionError(f"{single.pairs_covered} of {single.pairs} pairs were covered")
    if refused is not None:
        deltas = tuple(
            msgspec.structs.replace(one, upper=Decimal(1), exact=None) for one in single.curve
        )
    return Profile(
        n=n,
        runs=runs,
        pairs=single.pairs,
        joint=joint,
        epsilon=_multiple(single.epsilon, runs, plan.digits),
        witness=single.witness,
        deltas=single.curve if deltas is None else deltas,
        refused=refused,
    )


def _multiple(interval: Enclosure, runs: int, digits: int) -> Enclosure:
    if runs == 1:
        return interval
    if interval.exact is not None:
        return enclose_real(interval.exact * real(runs), digits)
    context = Context(prec=2 * digits + 100)
    return Enclosure(
        context.multiply(interval.lower, Decimal(runs)),
        context.multiply(interval.upper, Decimal(runs)),
    )


def _refuse_if_too_large(mechanism: Mechanism[Any], n: int, plan: Plan, runs: int) -> None:
    pairs = Pairs(mechanism, n, plan)
    left = TABLE_LIMIT
    with precision(64):
        for laws in compared(mechanism.laws(), pairs):
            one = outcomes(laws.divergence)
            bound = joint_bound(one, runs)
            if bound > left:
                compose(one, runs, limit=left)
                raise AssertionError("a composition above the limit is refused")
            left -= bound


def _composed_deltas(
    mechanism: Mechanism[Any], n: int, plan: Plan, runs: int
) -> tuple[tuple[DeltaAt, ...], int]:
    composed = _Composed(runs)

    def conclude(found: Scan, pairs: Pairs) -> tuple[tuple[DeltaAt, ...], bool]:
        deltas = tuple(
            delta_at(epsilon, found.largest(index), plan.digits)
            for index, epsilon in enumerate(plan.at_eps)
        )
        return deltas, all(delta.is_tight(plan.digits) for delta in deltas)

    quantities = [_ComposedDelta(epsilon, composed) for epsilon in plan.at_eps]
    spare = 16 + runs.bit_length()
    deltas = scan_size(mechanism, n, plan, quantities, conclude, spare=spare)
    return deltas, composed.joint


class _Composed:
    """The composition of one pair of laws, for every ε and both directions."""

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.joint = 0
        """Largest number of joint losses of a pair so far."""
        self._laws: PairOfLaws | None = None
        self._found: Any = None

    def of(self, laws: PairOfLaws) -> Any:
        if laws is not self._laws:
            self._laws, self._found = laws, compose(outcomes(laws.divergence), self.runs)
            self.joint = max(self.joint, len(self._found.table))
        return self._found


@dataclass(frozen=True)
class _ComposedDelta(Quantity):
    epsilon: Real
    composed: _Composed

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value | None:
        composed = self.composed.of(laws)
        if _certainly_within(laws.max_loss(forward=forward), self.composed.runs, self.epsilon):
            return None
        mass = composed.hockey_stick(self.epsilon, forward=forward)
        return Value(mass.ball, mass.exact)

    def least(self) -> Maximum[Any]:
        return Maximum(Ball(0), ZERO, None)


def _certainly_within(loss: Loss, runs: int, epsilon: Real) -> bool:
    """Tell whether ``runs`` times the largest loss of one run is certainly at most ε."""
    if loss.infinite:
        return False
    if loss.exact is not None:
        return order(loss.exact * real(runs), epsilon) is not Sign.POSITIVE
    return certainly_less_or_equal(loss.ball * runs, epsilon.ball())
