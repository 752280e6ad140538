"""The audit over an interval as a measure: one sweep over sizes, as for every other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as changed

from dpaudit import results
from dpaudit.audit.certify import audit_size
from dpaudit.audit.plan import Pairs, Plan
from dpaudit.audit.verdicts import check_pairs, judged_again
from dpaudit.errors import ParameterError, PrecisionError
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ZERO, order, rational
from dpaudit.questions.interval.of_interval import OfInterval, without_result_where_unscreened
from dpaudit.questions.interval.pieces import (
    kept_everywhere,
    pieces_of,
    stretches_of,
    verdict_of_piece,
    written,
)
from dpaudit.screens.bounds import NotScreened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.audit.measure import Progress
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["OverInterval"]

_LEAST = 5e-324  # for budgets that no float is near


@dataclass(frozen=True)
class OverInterval(OfInterval[results.IntervalSize, results.IntervalAudit]):
    """The realised ε for every value of a parameter in an interval, compared with a budget."""

    schema = "dpaudit.interval/1"
    document = results.IntervalAudit
    sized = results.IntervalSize
    entry_seconds = 1.5e-6  # measured on one core: some forty pieces

    constant: bool = False
    """True if one budget is given for all nominal ε; else each ε is its own budget."""

    def budget(self, plan: Plan) -> results.IntervalBudget:
        """Return the budget as a function of the nominal ε."""
        epsilon = None if self._own_epsilon else plan.held_to.epsilon
        of_delta = self.parameter == "delta" and not self.constant  # the smallest is the strictest
        delta = rational(self.interval[0]) if of_delta else plan.held_to.delta
        return results.IntervalBudget(epsilon=epsilon, delta=delta)

    @property
    def _own_epsilon(self) -> bool:
        """True if every nominal ε is its own budget."""
        return self.parameter == "epsilon" and not self.constant

    def subject(self, mechanism: Mechanism[Any], plan: Plan) -> Mechanism[Any]:
        """Return the mechanism; ``ParameterError`` for what has no audit over an interval."""
        super().subject(mechanism, plan)
        ends = [(end, self.with_value(mechanism, end)) for end in self.interval]
        if not self.constant:
            self._check_stated(mechanism, ends)
        return mechanism

    def _check_stated(
        self, mechanism: Mechanism[Any], ends: Iterable[tuple[Fraction, Mechanism[Any]]]
    ) -> None:
        """Raise ``ParameterError`` unless what is stated is ε at both ends, or the same."""
        for end, at_end in ends:
            stated = at_end.nominal.epsilon
            if stated != (rational(end) if self._own_epsilon else mechanism.nominal.epsilon):
                raise ParameterError(
                    "budget",
                    f"the ε that {mechanism.name} states depends on {self.symbol}: it is "
                    f"{stated} at {self.symbol} = {end}; give a constant --budget for an "
                    "interval",
                )

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> results.IntervalSize:
        pairs = Pairs(mechanism, n, plan)
        budget = self.budget(plan)
        with without_result_where_unscreened():
            family = self.family(mechanism, n)
            deltas = None
            if order(budget.delta, ZERO) is Sign.POSITIVE:
                with suppress(NotScreened, PrecisionError):  # the realised ε may be enough
                    deltas = mechanism.deltas_over(self.parameter, n)
            pieces = pieces_of(family, self.interval, budget, deltas)
        progress(family.pairs)
        outputs = mechanism.output_count(n)
        size = results.IntervalSize(
            n=n,
            datasets=pairs.datasets,
            pairs=pairs.expected,
            pairs_covered=family.pairs,
            outputs="infinite" if outputs is None else outputs,
            pieces=pieces,
            stretches=stretches_of(pieces),
            exceeded=self._excess_at_one_epsilon(mechanism, n, plan, pieces),
            verdict=results.worst_verdict(piece.verdict for piece in pieces),
        )
        return self._settled(size)

    def _settled(self, result: results.IntervalSize) -> results.IntervalSize:
        """Return a result with the reason, its verdict undecided if pairs were left out."""
        if result.verdict is results.Verdict.WITHIN and not result.complete:
            reason = f"{result.pairs_covered} of {result.pairs} pairs were covered"
            return changed(result, verdict=results.Verdict.UNDECIDED, reason=reason)
        undecided = [piece for piece in result.pieces if piece.verdict is results.Verdict.UNDECIDED]
        alone = any(piece.delta is None for piece in undecided)
        reason = results.UNTOLD if alone else results.UNTOLD_DELTA
        return changed(result, reason=reason if undecided else "")

    def _excess_at_one_epsilon(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, pieces: Sequence[results.Piece]
    ) -> results.PointFound | None:
        """Return an audit at one nominal ε that exceeds its budget, where some piece does."""
        failing = [piece for piece in pieces if piece.verdict is results.Verdict.EXCEEDS]
        if not failing:
            return None
        worst = max(failing, key=lambda piece: self._excess_ratio(piece, plan))
        # A piece exceeds at all of its points, so an ordinary audit at its middle must exceed too.
        nominal = (Fraction(worst.first) + Fraction(worst.last)) / 2
        at_nominal = replace(plan, budget=self._budget_at(nominal, plan), at_eps=())
        audit = audit_size(self.with_value(mechanism, nominal), n, at_nominal)
        if audit.verdict is not results.Verdict.EXCEEDS:
            raise PrecisionError(
                f"ε = {nominal} exceeds its budget by its bounds, but not by an audit at this ε"
            )
        return results.PointFound(epsilon=written(nominal), found=audit)

    def _excess_ratio(self, piece: results.Piece, plan: Plan) -> float:
        """Return a rough lower bound on the ratio of a piece to its budget: of δ if δ decides."""
        if piece.delta is not None:
            return float(sum(piece.delta.lower)) / 2 / (float(plan.held_to.delta) or _LEAST)
        nominal = float(Fraction(piece.first) + Fraction(piece.last)) / 2
        budget = nominal if self._own_epsilon else float(plan.held_to.epsilon)
        return float(sum(piece.lower)) / 2 / (budget or _LEAST)

    def judged(
        self, result: results.IntervalSize, plan: Plan, pairs: int | None
    ) -> results.IntervalSize:
        check_pairs(result, pairs)
        budget = self.budget(plan)
        # Pieces must join end to end: a gap could hide values that exceed.
        places = [self.interval[0], *(Fraction(piece.last) for piece in result.pieces)]
        starts = [Fraction(piece.first) for piece in result.pieces]
        if starts != places[:-1] or places[-1] != self.interval[1]:
            raise ValueError("its pieces do not cover the interval")
        pieces = tuple(
            changed(piece, verdict=verdict_of_piece(piece, budget)) for piece in result.pieces
        )
        verdict = results.worst_verdict(piece.verdict for piece in pieces)
        if (verdict is results.Verdict.EXCEEDS) is not (result.exceeded is not None):
            raise ValueError(
                "it must have the audit of an excess if its verdict is exceeds, and only then"
            )
        if result.exceeded is not None:
            self._check_excess(result.exceeded, plan, pairs)
        stretches = stretches_of(pieces)
        return self._settled(changed(result, pieces=pieces, stretches=stretches, verdict=verdict))

    def _check_excess(self, point: results.PointFound, plan: Plan, pairs: int | None) -> None:
        """Raise ``ValueError`` unless an audit at one ε of the interval shows an excess."""
        nominal = Fraction(point.epsilon)
        again = judged_again(point.found, self._budget_at(nominal, plan), pairs)
        if again.verdict is not results.Verdict.EXCEEDS or point.found.verdict is not again.verdict:
            raise ValueError("the audit of the excess does not exceed the budget")
        if not self.interval[0] <= nominal <= self.interval[1]:
            raise ValueError(f"{point.epsilon} lies outside the interval")

    def _budget_at(self, nominal: Fraction, plan: Plan) -> results.Budget:
        """Return the budget of one nominal ε."""
        if self._own_epsilon:
            return results.Budget(rational(nominal), plan.held_to.delta)
        return plan.held_to

    def fields(self, plan: Plan, document: dict[str, Any]) -> dict[str, Any]:
        sizes = document["results"]
        whole = sizes and not document["missing"] and not document["undecided"]
        # Values keep the budget everywhere only if no size is missing, undecided or incomplete.
        covered = whole and all(size.complete for size in sizes)
        intervals = (
            kept_everywhere(self.interval, [size.stretches for size in sizes]) if covered else ()
        )
        return {"budget": self.budget(plan), "kept": intervals, "verdict": self.verdict(document)}
