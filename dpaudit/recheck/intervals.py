"""The recheck of an audit over an interval: what follows from its lines, and points inside them.

That pieces cover the interval, every verdict and what is kept follow from the numbers and are
derived again.  Lines hold on a continuum, and no second computation covers that: at some nominal ε
the realised ε is computed from the definitions, over all pairs where they are few, and has to lie
between them.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.audits import check_size
from dpaudit.recheck.findings import UnknownDefinitionError, worst
from dpaudit.recheck.numbers import fraction, order, read_form, same_number
from dpaudit.recheck.registry import definition_of, parts_of, same_parameter
from dpaudit.recheck.subject import Recheck
from dpaudit.results import Audit, Budget, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.subject import How
    from dpaudit.results import IntervalAudit, IntervalSize, Piece

    Ends = tuple[Fraction, Fraction]

__all__ = ["LINES", "check_interval", "differences_of_interval"]

LINES = "that the realised ε lies between the lines at every ε of a piece (points are computed)"
_MOST_ENTRIES = 4_000
"""Pairs times outputs: of larger sizes points are not computed, but for those that are shown."""
_POINTS = 4
_DIGITS = 40


def check_interval(report: IntervalAudit, found: Findings, how: How) -> None:
    """Recheck an audit over an interval and note in ``found`` what agrees and what does not."""
    found.take(LINES)
    name = str(report.described.get("name"))
    without = [*(one.n for one in report.undecided), *report.missing]
    answered = sorted([*(one.n for one in report.results), *without])
    found.expect(
        answered == list(report.sizes), "sizes asked for", name, "other sizes are answered"
    )
    interval = Fraction(report.epsilon.first), Fraction(report.epsilon.last)
    told = f"{report.epsilon.first}..{report.epsilon.last}"
    described = report.described.get(report.parameter)
    same = set(described if isinstance(described, list) else [described]) == {told}
    same = same and 0 < interval[0] < interval[1]
    found.expect(same, "intervals", name, f"{told} is not what the mechanism is shown with")
    kept: list[Ends] = [interval]
    for size in report.results:
        where = f"{name} at n = {size.n}"
        how.progress(where)
        _check_pieces(report, size, interval, found, where)
        kept = [part for one in kept for part in _kept(size, one)]
        _check_points(report, size, found, how, where)
        if size.exceeded is not None:
            _check_shown(report, size, interval, found, how)
    whole = not report.missing and not report.undecided and bool(report.results)
    whole = whole and all(size.complete for size in report.results)
    shown = [(Fraction(one.first), Fraction(one.last)) for one in report.kept]
    message = "what is kept at every size is not what its pieces make it"
    found.expect(shown == (_joined(kept) if whole else []), "what is kept", name, message)
    expected = worst(
        [*(size.verdict for size in report.results), *(Verdict.UNDECIDED for _ in without)]
    )
    message = f"the sizes make it {expected.value}, not {report.verdict.value}"
    found.expect(report.verdict is expected, "verdicts", name, message)


def _check_pieces(
    report: IntervalAudit, size: IntervalSize, interval: Ends, found: Findings, where: str
) -> None:
    """Check that pieces cover the interval, and derive their verdicts and what they make."""
    starts = [Fraction(piece.first) for piece in size.pieces]
    ends = [Fraction(piece.last) for piece in size.pieces]
    covers = [*starts, interval[1]] == [interval[0], *ends] and starts == sorted(set(starts))
    found.expect(covers, "pieces that cover the interval", where, "its pieces leave something out")
    for piece in size.pieces:
        expected = _verdict(piece, report)
        message = f"its lines make it {expected.value} from {piece.first} to {piece.last}"
        found.expect(piece.verdict is expected, "verdicts of pieces", where, message)
    stretches: list[tuple[str, str, Verdict]] = []
    for piece in size.pieces:
        first = piece.first
        if stretches and stretches[-1][2] is piece.verdict:
            first = stretches.pop()[0]
        stretches.append((first, piece.last, piece.verdict))
    told = [(one.first, one.last, one.verdict) for one in size.stretches]
    found.expect(told == stretches, "stretches", where, "its stretches are not those of its pieces")
    expected = worst([piece.verdict for piece in size.pieces])
    if expected is Verdict.WITHIN and not size.complete:
        expected = Verdict.UNDECIDED
    message = f"its pieces make it {expected.value}, not {size.verdict.value}"
    found.expect(size.verdict is expected, "verdicts", where, message)


def _verdict(piece: Piece, report: IntervalAudit) -> Verdict:
    ends = Fraction(piece.first), Fraction(piece.last)
    lower = [_line(end) for end in piece.lower]
    upper = [_line(end) for end in piece.upper]
    if piece.slope is not None:
        exact = [Fraction(piece.slope) * end for end in ends]
        if not all(
            low is not None and high is not None and low <= one <= high
            for low, one, high in zip(lower, exact, upper, strict=True)
        ):
            return Verdict.UNDECIDED
        lower = upper = [*exact]
    budget = report.budget.epsilon
    if budget is None and report.parameter != "epsilon":
        return Verdict.UNDECIDED
    limits = [str(end) if budget is None else str(budget) for end in ends]
    if all(
        high is not None and order(str(high), limit) <= 0
        for high, limit in zip(upper, limits, strict=True)
    ):
        return Verdict.WITHIN
    above = all(
        low is None or order(str(low), limit) > 0 for low, limit in zip(lower, limits, strict=True)
    )
    pure = same_number(report.budget.delta, "0")
    return Verdict.EXCEEDS if above and pure else Verdict.UNDECIDED


def _line(end: Decimal) -> Fraction | None:
    """Return an end of a line; None for infinity."""
    return None if end.is_infinite() else Fraction(end)


def _kept(size: IntervalSize, within: Ends) -> list[Ends]:
    found = []
    for piece in size.pieces:
        first, last = max(within[0], Fraction(piece.first)), min(within[1], Fraction(piece.last))
        if piece.verdict is Verdict.WITHIN and first < last:
            found.append((first, last))
    return _joined(found)


def _joined(parts: Sequence[Ends]) -> list[Ends]:
    found: list[Ends] = []
    for first, last in parts:
        begun = found.pop()[0] if found and found[-1][1] == first else first
        found.append((begun, last))
    return found


def _check_points(
    report: IntervalAudit, size: IntervalSize, found: Findings, how: How, where: str
) -> None:
    """Compute the realised ε at some nominal ε, over all pairs, and look for it between lines."""
    outputs = size.outputs if isinstance(size.outputs, int) else 16
    if size.pairs * outputs > _MOST_ENTRIES:
        return
    step = max(1, len(size.pieces) // _POINTS)
    for number, piece in enumerate(size.pieces[::step]):
        first, last = Fraction(piece.first), Fraction(piece.last)
        share = Fraction(number % 4, 3) if number % 4 else Fraction(0)
        nominal = first + share * (last - first)
        try:
            with mp.workdps(_DIGITS):
                realised = _realised(report, size.n, nominal, how)
        except UnknownDefinitionError as error:
            found.unknown(where, str(error))
            return
        message = f"the realised ε at ε = {nominal} is {mp.nstr(realised, 15)}, not between lines"
        found.expect(_between(piece, share, realised), "realised ε at points", where, message)


def _between(piece: Piece, share: Fraction, realised: mpf) -> bool:
    (low, low_end), (high, high_end) = (
        (_line(ends[0]), _line(ends[1])) for ends in (piece.lower, piece.upper)
    )
    with mp.workdps(_DIGITS):
        noise = mpf(10) ** (10 - _DIGITS)
        if low is None or low_end is None:
            return bool(mp.isinf(realised))
        above = realised >= fraction(low + share * (low_end - low)) - noise
        if high is None or high_end is None:
            return bool(above)
        return bool(above and realised <= fraction(high + share * (high_end - high)) + noise)


def _realised(report: IntervalAudit, n: int, nominal: Fraction, how: How) -> mpf:
    described = _at(report, str(nominal))
    definition = definition_of(described, how.own, report.loaded)
    relation = definition.relation(report.adjacency, defaulted=report.adjacency_defaulted)
    pairs = definition.pairs(n, relation, None)
    ways = [way for pair in pairs for way in (pair, pair[::-1])]
    return max(definition.largest_loss(*way) for way in ways)


def _at(report: IntervalAudit, value: str) -> dict[str, Any]:
    """Return what the mechanism is described as with one value of the parameter."""
    shown = report.described[report.parameter]
    one = [value] * len(shown) if isinstance(shown, list) else value
    return report.described | {report.parameter: one}


def _check_shown(
    report: IntervalAudit, size: IntervalSize, interval: Ends, found: Findings, how: How
) -> None:
    """Recheck the audit at one nominal ε that is to show an excess."""
    point = size.exceeded
    assert point is not None
    where = f"{report.described.get('name')} at n = {size.n}, ε = {point.epsilon}"
    inside = interval[0] <= Fraction(point.epsilon) <= interval[1]
    shows = inside and point.found.verdict is Verdict.EXCEEDS and point.found.n == size.n
    found.expect(shows, "audits that show an excess", where, "it shows no excess in the interval")
    own: Any = read_form(point.epsilon)
    epsilon = own if report.budget.epsilon is None else report.budget.epsilon
    audit = Audit(
        schema="dpaudit.audit/1",
        version=report.version,
        described=_at(report, point.epsilon),
        stated=None,
        adjacency=report.adjacency,
        adjacency_defaulted=report.adjacency_defaulted,
        at=None,
        digits=report.digits,
        epsilon_unit=report.epsilon_unit,
        sizes=(size.n,),
        results=(point.found,),
        missing=(),
        budget=Budget(epsilon, report.budget.delta),
        undecided=(),
        verdict=point.found.verdict,
    )
    recheck = Recheck(audit, found, how)
    for one, place in recheck.sizes_at(audit.results):
        check_size(recheck, one, place)


def differences_of_interval(
    report: IntervalAudit | None, entry: Mapping[str, Any]
) -> Iterator[tuple[bool, str, str]]:
    """Iterate over whether an audit answers a gate's entry, of what kind that is, and the message.

    Args:
        report: the audit over an interval, if the entry came to one.
        entry: what the configuration has.
    """
    wanted = entry.get("interval")
    name, equals, rest = (part.strip() for part in str(wanted).partition("="))
    if equals:
        wanted = rest
    named = name if equals and name != "eps" else "epsilon"
    ends = None if report is None else f"{report.epsilon.first}..{report.epsilon.last}"
    same = (ends is None) is (wanted is None)
    same = same and (report is None or report.parameter == named)
    same = same and all(map(same_parameter, str(wanted).split(".."), str(ends).split("..")))
    yield same, "intervals asked for", f"the interval is {ends}, not {wanted}"
    if report is None:
        return
    budget, held = entry.get("budget"), report.budget.epsilon
    fits = held is None
    if budget not in (None, "epsilon"):
        parts = parts_of(budget)
        given = [one for one in (held, report.budget.delta) if one is not None]
        parts = parts if len(parts) == 2 else [*parts, "0"]
        fits = len(parts) == len(given) and all(map(same_parameter, parts, given))
    yield fits, "budgets asked for", f"the budget is {held}, not {budget}"
