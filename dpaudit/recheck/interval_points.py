"""Base of rechecks over an interval: pieces that cover it, and points inside them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.recheck.agreement import Span, end
from dpaudit.recheck.findings import Findings, worst
from dpaudit.recheck.numbers import read_form
from dpaudit.recheck.registry import definition_of
from dpaudit.recheck.subject import Recheck
from dpaudit.results import (
    Audit,
    Budget,
    IntervalAudit,
    IntervalBudget,
    IntervalCurveReport,
    NominalEpsilon,
    SizeResult,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.options import RecheckOptions

    Ends = tuple[Fraction, Fraction]
    Line = tuple[Decimal, Decimal]
    OfInterval = IntervalAudit | IntervalCurveReport

__all__ = [
    "Points",
    "between_lines",
    "covers",
    "described_at",
    "recheck_at",
    "recheck_of",
]

_MOST_ENTRIES = 300_000
"""Pairs times outputs, at all points of a size: --all-pairs has no such limit."""
_EVEN = 8
"""Into so many equal parts an interval has a point at every cut."""


def recheck_of(
    report: OfInterval,
    budget: IntervalBudget | None,
    trusted: str,
    findings: Findings,
    options: RecheckOptions,
) -> Recheck | None:
    """Begin the recheck of a report: its sizes, its interval, and what the mechanism states.

    Returns None where the mechanism is described with another interval, so that nothing else can be
    checked.  The findings name what is ``trusted`` without a check.  Curves have no
    ``budget``.
    """
    findings.take(trusted)
    name = str(report.described.get("name"))
    answered = [*(size.n for size in (*report.results, *report.undecided)), *report.missing]
    findings.expect(
        sorted(answered) == list(report.sizes),
        "sizes asked for",
        name,
        "other sizes are answered",
    )
    message = f"over an interval there is no dataset {report.at} that pairs are restricted to"
    findings.expect(report.at is None, "datasets", name, message)
    interval = f"{report.epsilon.first}..{report.epsilon.last}"
    same = _describes_interval(report, interval)
    findings.expect(same, "intervals", name, f"{interval} is not what the mechanism is shown with")
    if not same:
        return None
    recheck = recheck_at(
        report, report.epsilon.first, findings, options, budget=budget, trusted=trusted
    )
    if report.parameter == "epsilon":
        findings.expect(
            report.stated is None, "stated budgets", name, "what is stated moves with ε"
        )
    else:
        recheck.head()
    return recheck


def _describes_interval(report: OfInterval, interval: str) -> bool:
    """Tell whether the mechanism is described with the interval, and that is one."""
    described = report.described.get(report.parameter)
    same = set(described if isinstance(described, list) else [described]) == {interval}
    return same and 0 < Fraction(report.epsilon.first) < Fraction(report.epsilon.last)


def covers(pieces: Sequence[NominalEpsilon], interval: Ends) -> bool:
    """Tell whether pieces follow each other from one end of an interval to the other."""
    starts = [Fraction(piece.first) for piece in pieces]
    ends = [Fraction(piece.last) for piece in pieces]
    return [*starts, interval[1]] == [interval[0], *ends] and starts == sorted(set(starts))


def between_lines(span: Ends, lines: tuple[Line, Line], place: Fraction) -> Span:
    """Return the interval between two lines at one place of a piece; an end may be ∞."""
    share = (place - span[0]) / (span[1] - span[0])

    def height(line: Line) -> Fraction | None:
        first, last = map(end, line)
        return None if first is None or last is None else first + share * (last - first)

    return Span(height(lines[0]), height(lines[1]))


@dataclass(frozen=True)
class Points:
    """The places at which one size is computed again, and what computes it."""

    report: OfInterval
    n: int
    interval: Ends
    recheck: Recheck

    @property
    def entries(self) -> int:
        """Number of pairs times outputs at one point, by the definition."""
        definition = self.recheck.defined
        _, pairs = definition.counts(self.n, self.recheck.relation, None)
        return max(1, pairs * (definition.output_count(self.n) or 16))

    def places(self, pieces: Sequence[Ends]) -> list[Fraction]:
        """Return the places to compute at, first those that no report can choose."""
        low, high = self.interval
        candidates = [low + (high - low) * Fraction(part, _EVEN) for part in range(_EVEN + 1)]
        # The ends of the interval first: no report can choose where these are.
        candidates.sort(key=lambda place: place not in self.interval)
        widest = sorted(pieces, key=lambda piece: piece[0] - piece[1])
        candidates += [(first + last) / 2 for first, last in widest]
        candidates += [end for piece in widest for end in piece]
        inside = [place for place in dict.fromkeys(candidates) if low <= place <= high]
        return inside if self.recheck.options.all_pairs else inside[: _MOST_ENTRIES // self.entries]

    def definition(self, place: Fraction) -> Definition:
        """Return the definition with one value of the parameter."""
        described = described_at(self.report, str(place))
        return definition_of(described, self.recheck.options.own, self.report.loaded)

    def ways(self, definition: Definition) -> list[tuple[Any, Any]]:
        """Return all pairs, in both directions."""
        pairs = definition.pairs(self.n, self.recheck.relation, None)
        return [way for pair in pairs for way in (pair, pair[::-1])]

    def note_gaps(
        self, pieces: Sequence[Ends], places: Sequence[Fraction], where: str, what: str
    ) -> None:
        """Note the pieces without a point, which are not confirmed."""
        unseen = sum(not any(low <= place <= high for place in places) for low, high in pieces)
        if unseen or not places:
            summary = f"no point is computed in {unseen} of {len(pieces)} {what}"
            text = f"{summary}: {self.entries} losses each (--all-pairs computes them)"
            self.recheck.findings.unknown(where, text)


def described_at(report: OfInterval, value: str) -> dict[str, Any]:
    """Return what the mechanism is described as with one value of the parameter."""
    parameter = report.described.get(report.parameter)
    replacement = [value] * len(parameter) if isinstance(parameter, list) else value
    return report.described | {report.parameter: replacement}


def recheck_at(
    report: OfInterval,
    value: str,
    findings: Findings,
    options: RecheckOptions,
    *results: SizeResult,
    budget: IntervalBudget | None,
    trusted: str,
) -> Recheck:
    """Return the recheck of the mechanism with one value of the parameter.

    Args:
        report: what is rechecked.
        value: that value.
        findings: what is noted.
        options: of the recheck.
        results: the audits there.
        budget: what they are held to; None for nothing.
        trusted: the statement that is taken from the report unchecked.
    """
    limit: Budget | None = None
    if budget is not None:
        own: Any = read_form(value)
        limit = Budget(own if budget.epsilon is None else budget.epsilon, budget.delta)
    audit = Audit(
        schema="dpaudit.audit/1",
        version=report.version,
        described=described_at(report, value),
        stated=report.stated,
        adjacency=report.adjacency,
        adjacency_defaulted=report.adjacency_defaulted,
        at=None,
        digits=report.digits,
        epsilon_unit=report.epsilon_unit,
        loaded=report.loaded,
        sizes=tuple(size.n for size in results),
        results=results,
        missing=(),
        budget=limit,
        undecided=(),
        verdict=None if limit is None else worst(size.verdict for size in results),
    )
    return Recheck(audit, findings, options, upper_ends=trusted)
