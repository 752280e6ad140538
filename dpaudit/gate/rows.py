"""The numbers that entries come to, beside what they are held to, with the verdict that follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from dpaudit import results
from dpaudit.audit.standing import excess_in_words, in_words, side, standing
from dpaudit.intervals.pieces import highest_ratio
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import ONE, ZERO, Real, order, rational

__all__ = ["Row", "rows_of", "shares_of"]


class Row(NamedTuple):
    """One number of a report beside what it is held to."""

    n: int
    """The size."""
    verdict: results.Verdict
    """Verdict on the number."""
    reason: str
    """Reason for an undecided verdict; empty otherwise."""
    label: str
    """Name of the number."""
    value: results.Enclosure
    """The number."""
    limit: Real
    """Largest value allowed; for a nominal ε, the smallest."""
    covered: bool
    """True if all pairs were covered at a point: a number not told from the limit may be a tie."""
    excess: str
    """In words: by how much it exceeds, and where; empty where it does not."""
    close: Decimal
    """The larger, the closer to the limit."""

    def share(self) -> results.Enclosure:
        """Return how much of its limit it uses."""
        return _quotient(self.value, enclose_real(self.limit, _SHARE_DIGITS))

    def kept(self) -> str:
        """Return in words how it keeps its limit."""
        exact = self.value.exact
        if exact is not None and len(str(exact)) <= _LONGEST_EXACT:
            return f"{self.label} = {exact} exactly, budget {self.limit}"
        return f"{self.label} ≤ {self.value.upper}, budget {self.limit}"


_LONGEST_EXACT = 40
"""A longer closed form tells a reader less than its digits."""

_SHARE_DIGITS = 12


def _quotient(value: results.Enclosure, of: results.Enclosure) -> results.Enclosure:
    """Return an interval of value / of, rounded outward; 0 / 0 is 0, for nothing is used."""
    if not value.upper:
        return results.Enclosure(Decimal(0), Decimal(0))
    infinite = Decimal("Infinity")
    down, up = (Context(prec=_SHARE_DIGITS + 3, rounding=r) for r in (ROUND_FLOOR, ROUND_CEILING))
    certain = value.lower.is_infinite() or (bool(value.lower) and not of.upper)
    return results.Enclosure(
        infinite if certain else down.divide(value.lower, of.upper) if of.upper else Decimal(0),
        up.divide(value.upper, of.lower) if of.lower and value.upper.is_finite() else infinite,
    )


class _NominalRow(Row):
    """The safe nominal ε of a calibration, which may be larger than its limit, not smaller."""

    def share(self) -> results.Enclosure:
        return _quotient(enclose_real(self.limit, _SHARE_DIGITS), self.value)

    def kept(self) -> str:
        return f"the nominal ε {self.value.lower} keeps the budget, at least {self.limit} is asked"


def rows_of(report: results.Reported, bounds: Sequence[results.Bound]) -> list[Row]:
    """Return every number of a report that is held to something, with the verdict that follows."""
    if isinstance(report, (results.Audit, results.MeasuredAudit)):
        return [_audited(report, result) for result in report.results]
    if isinstance(report, results.CertifiedAccount):
        assert report.budget is not None
        row, budget = report.judged, report.budget
        label = f"δ({budget.epsilon}) of {report.compose} runs"
        worst = _pair(row) if row.direction is None else f"records of samples ({row.direction})"
        known = _at_most(report.n, label, row.delta, budget.delta, worst)
        return [known._replace(covered=row.method in ("closed form", "exact"))]
    if isinstance(report, results.IntervalAudit):
        return [_over_interval(report, size) for size in report.results]
    if isinstance(report, results.CurveReport):
        return list(_deltas(report, bounds))
    if isinstance(report, results.TradeoffReport):
        return [_at_most(one.n, "μ", one.mu, bounds[0].limit, _pair(one)) for one in report.results]
    if isinstance(report, results.AccuracyReport):
        return [
            _at_most(one.n, "mean error", one.mean, bounds[0].limit, in_words(one.dataset))
            for one in report.results
        ]
    assert isinstance(report, results.CalibrationReport)
    return [_nominal(one, bounds[0].limit) for one in report.results]


def shares_of(document: results.GateDocument) -> list[list[results.Enclosure]]:
    """Return for each entry how much of its limit each of its numbers uses; 1 is all of it."""
    return [
        [row.share() for row in rows_of(one.report, one.bounds)]
        if isinstance(one.report, results.Reported)
        else []
        for one in document.mechanisms
    ]


def _audited(audit: Any, result: Any) -> Row:
    value = audit.judged(result)
    return Row(
        result.n,
        result.verdict,
        result.reason,
        audit.label,
        value,
        audit.limit,
        result.complete,
        excess_in_words(audit, result) if result.verdict is results.Verdict.EXCEEDS else "",
        value.upper,
    )


def _over_interval(report: results.IntervalAudit, size: Any) -> Row:
    """Return the row of the realised ε over its budget, where that is largest."""
    value = highest_ratio(size.pieces, report.budget)
    excess = ""
    if size.exceeded is not None:
        point = size.exceeded
        of_epsilon = report.parameter == "epsilon"
        where = "the nominal ε" if of_epsilon else f"{results.symbol_of(report.parameter)} ="
        found, delta = point.found, point.found.delta
        of_delta = order(report.budget.delta, ZERO) is Sign.POSITIVE
        told = f"δ({delta.epsilon}) ≥ {delta.lower}" if of_delta else f"ε ≥ {found.epsilon.lower}"
        excess = (
            f"realised {told} at {where} {point.epsilon}, budget {report.budget}: n = {size.n}, "
            f"{_pair(delta if of_delta else found.witness)}"
        )
    # A piece that is undecided may be within on one side and exceed on the other: it is no tie.
    covered = False
    by_delta = any(piece.delta is not None for piece in size.pieces)
    label = "realised ε or δ / budget" if by_delta else "realised ε / budget"
    return Row(size.n, size.verdict, size.reason, label, value, ONE, covered, excess, value.upper)


def _deltas(report: results.CurveReport, bounds: Sequence[results.Bound]) -> Iterator[Row]:
    """Iterate over δ at every ε with a bound; ``ValueError`` where a curve is not read there."""
    for curve in report.results:
        for bound in bounds:
            assert bound.at is not None
            found = [one for one in curve.values if order(one.epsilon, bound.at) is Sign.ZERO]
            if len(found) != 1:
                raise ValueError(f"its curve at n = {curve.n} is not read at {bound.at}")
            worst = _pair(found[0])
            yield _at_most(curve.n, f"δ({bound.at})", found[0].value, bound.limit, worst)


def _pair(worst: Any) -> str:
    return f"{in_words(worst.x)} against {in_words(worst.y)}"


def _at_most(n: int, label: str, value: results.Enclosure, limit: Real, worst: str) -> Row:
    verdict = standing(side(value, limit))
    where = f"at n = {n}, with {worst}"
    excess = f"{where}: realised {label} ≥ {value.lower}, budget {limit}"
    if value.lower.is_infinite():
        excess = f"{where}: realised {label} is infinite, budget {limit}"
    close = value.upper - Decimal(float(limit)) if value.upper.is_finite() else value.upper
    reason = f"its interval [{value.lower}, {value.upper}] does not tell {label} from {limit}"
    undecided = verdict is results.Verdict.UNDECIDED
    return Row(n, verdict, reason * undecided, label, value, limit, True, excess, close)


def _nominal(size: results.CalibratedSize, limit: Real) -> Row:
    """Return how a safe nominal ε stands: too small for certain where a failing one is, too."""
    safe, failing = (
        None if text is None else rational(Fraction(text)) for text in (size.nominal, size.failing)
    )
    assert safe is not None
    verdict, reason = results.Verdict.UNDECIDED, ""
    if order(safe, limit) in (Sign.POSITIVE, Sign.ZERO):
        verdict = results.Verdict.WITHIN
    elif failing is not None and order(failing, limit) in (Sign.NEGATIVE, Sign.ZERO):
        verdict = results.Verdict.EXCEEDS
    else:
        reason = f"the nominal ε found is {size.nominal}, and none up to {limit} is known to fail"
    found = Decimal(size.nominal)
    excess = (
        f"at n = {size.n}: the nominal ε {size.failing} exceeds the budget, and at least {limit} "
        "is asked"
    )
    value = results.Enclosure(found, found)
    return _NominalRow(size.n, verdict, reason, "ε", value, limit, False, excess, -found)
