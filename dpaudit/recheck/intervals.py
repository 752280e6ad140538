"""The recheck of an audit over an interval: what follows from its lines, and points inside them.

That pieces cover the interval, every verdict and what is kept follow from the numbers and are
derived again; how many datasets, pairs and outputs there are follows from the definition.  Lines
hold on a continuum, and no second computation covers that: at some values of the parameter the
realised ε is computed from the definitions, over all pairs, and has to lie between them.  Where
these are lies with the interval and then with every piece that has a verdict, the widest first; a
size at which none can be computed, or not one for every such piece, is not accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.audits import check_size
from dpaudit.recheck.binding import same_budget
from dpaudit.recheck.findings import UnknownDefinitionError, worst
from dpaudit.recheck.numbers import fraction, order, read_form, same_number
from dpaudit.recheck.registry import definition_of, same_parameter
from dpaudit.recheck.subject import Recheck
from dpaudit.results import Audit, Budget, Verdict, symbol_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.how import How
    from dpaudit.results import IntervalAudit, IntervalSize, Piece, SizeResult

    Ends = tuple[Fraction, Fraction]

__all__ = ["LINES", "check_interval", "differences_of_interval"]

LINES = (
    "that the realised ε lies between the lines between the points that are computed: the ends of "
    "an interval, places evenly between them, and ends and middles of pieces with a verdict"
)
_MOST_ENTRIES = 300_000
"""Pairs times outputs, at all points of a size: --all-pairs has no such limit."""
_EVEN = 8
"""Into so many equal parts an interval has a point at every cut."""
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
    if not same:
        return
    recheck = _recheck(report, report.epsilon.first, found, how)
    if report.parameter == "epsilon":
        found.expect(report.stated is None, "stated budgets", name, "what is stated moves with ε")
    else:
        recheck.head()
    kept: list[Ends] = [interval]
    for size, where in recheck.sizes_at(report.results):
        _check_pieces(report, size, interval, found, where)
        kept = [part for one in kept for part in _kept(size, one)]
        recheck.covered(size, where, (Verdict.UNDECIDED, Verdict.EXCEEDS))
        if recheck.coverage(size.n, size.datasets, size.pairs, where):
            recheck.attempt(where, recheck.outputs, size, where)
            _check_points(_Points(report, size, interval, recheck), where)
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
    shown = (size.exceeded is not None) is (expected is Verdict.EXCEEDS)
    message = "an excess has no audit that shows it, or the other way round"
    found.expect(shown, "excesses", where, message)


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


@dataclass(frozen=True)
class _Points:
    """The places at which one size is computed again, and what computes it."""

    report: IntervalAudit
    size: IntervalSize
    interval: Ends
    recheck: Recheck

    @property
    def entries(self) -> int:
        """How many pairs times outputs there are at one point, by the definition."""
        definition, n = self.recheck.defined, self.size.n
        _, pairs = definition.counts(n, self.recheck.relation, None)
        return max(1, pairs * (definition.output_count(n) or 16))

    @property
    def decided(self) -> list[Piece]:
        """The pieces that have a verdict; of others nothing but a band is said."""
        return [one for one in self.size.pieces if one.verdict is not Verdict.UNDECIDED]

    def places(self) -> list[Fraction]:
        """Return them, those first that lie as no report chooses, as many as are computed."""
        low, high = self.interval
        found = [low + (high - low) * Fraction(part, _EVEN) for part in range(_EVEN + 1)]
        found.sort(key=lambda place: place not in self.interval)
        ends = [(Fraction(piece.first), Fraction(piece.last)) for piece in self.decided]
        ends.sort(key=lambda one: one[0] - one[1])
        found += [(first + last) / 2 for first, last in ends]
        found += [end for one in ends for end in one]
        inside = [place for place in dict.fromkeys(found) if low <= place <= high]
        return inside if self.recheck.how.all_pairs else inside[: _MOST_ENTRIES // self.entries]

    def realised(self, place: Fraction) -> mpf:
        """Return the realised ε with one value of the parameter, over all pairs."""
        recheck, described = self.recheck, _at(self.report, str(place))
        definition = definition_of(described, recheck.how.own, self.report.loaded)
        pairs = definition.pairs(self.size.n, recheck.relation, None)
        return max(definition.largest_loss(*way) for pair in pairs for way in (pair, pair[::-1]))


def _check_points(points: _Points, where: str) -> None:
    """Compute the realised ε at some places, over all pairs, and look for it between lines."""
    found, size = points.recheck.found, points.size
    symbol = symbol_of(points.report.parameter)
    places = points.places()
    for place in places:
        try:
            with mp.workdps(_DIGITS + points.recheck.defined.digits_lost):
                realised = points.realised(place)
        except UnknownDefinitionError as error:
            found.unknown(where, str(error))
            return
        shown = mp.nstr(realised, 15)
        message = f"the realised ε at {symbol} = {place} is {shown}, not between lines"
        around = [one for one in size.pieces if _has(one, place)]
        holds = bool(around) and all(_between(piece, place, realised) for piece in around)
        found.expect(holds, "realised ε at points", where, message)
    unseen = sum(not any(_has(piece, place) for place in places) for piece in points.decided)
    if unseen or not places:
        told = f"no point is computed in {unseen} of {len(points.decided)} pieces with a verdict"
        found.unknown(where, f"{told}: {points.entries} losses each (--all-pairs computes them)")


def _has(piece: Piece, place: Fraction) -> bool:
    return Fraction(piece.first) <= place <= Fraction(piece.last)


def _between(piece: Piece, place: Fraction, realised: mpf) -> bool:
    first, last = Fraction(piece.first), Fraction(piece.last)
    share = (place - first) / (last - first)
    (low, low_end), (high, high_end) = (
        (_line(ends[0]), _line(ends[1])) for ends in (piece.lower, piece.upper)
    )
    with mp.workdps(_DIGITS):
        noise = mpf(10) ** (10 - _DIGITS)
        if low is None or low_end is None:
            return bool(mp.isinf(realised))
        if piece.slope is not None:
            exact = fraction(Fraction(piece.slope) * place)
            return bool(abs(realised - exact) <= noise * max(1, exact))
        above = realised >= fraction(low + share * (low_end - low)) - noise
        if high is None or high_end is None:
            return bool(above)
        return bool(above and realised <= fraction(high + share * (high_end - high)) + noise)


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
    value = f"{symbol_of(report.parameter)} = {point.epsilon}"
    where = f"{report.described.get('name')} at n = {size.n}, {value}"
    inside = interval[0] <= Fraction(point.epsilon) <= interval[1]
    shows = inside and point.found.verdict is Verdict.EXCEEDS and point.found.n == size.n
    found.expect(shows, "audits that show an excess", where, "it shows no excess in the interval")
    recheck = _recheck(report, point.epsilon, found, how, point.found)
    for one, place in recheck.sizes_at(recheck.subject.results):
        check_size(recheck, one, place)


def _recheck(
    report: IntervalAudit, value: str, found: Findings, how: How, *results: SizeResult
) -> Recheck:
    """Return the recheck of the mechanism with one value of the parameter."""
    own: Any = read_form(value)
    epsilon = own if report.budget.epsilon is None else report.budget.epsilon
    audit = Audit(
        schema="dpaudit.audit/1",
        version=report.version,
        described=_at(report, value),
        stated=report.stated,
        adjacency=report.adjacency,
        adjacency_defaulted=report.adjacency_defaulted,
        at=None,
        digits=report.digits,
        epsilon_unit=report.epsilon_unit,
        loaded=report.loaded,
        sizes=tuple(one.n for one in results),
        results=results,
        missing=(),
        budget=Budget(epsilon, report.budget.delta),
        undecided=(),
        verdict=worst([one.verdict for one in results]),
    )
    return Recheck(audit, found, how, upper_ends=LINES)


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
    if named == "prior" and report is not None:
        texts, shown = str(wanted).split(","), report.described.get("prior")
        wanted = texts[0] if len(set(texts)) == 1 else wanted
        several = len(texts) if len(texts) > 1 else entry.get("parameters", {}).get("k", 2)
        alike = isinstance(shown, list) and same_parameter(several, str(len(shown)))
        yield alike, "intervals asked for", f"the prior is {shown}, not of {several} categories"
    ends = None if report is None else f"{report.epsilon.first}..{report.epsilon.last}"
    same = (ends is None) is (wanted is None)
    same = same and (report is None or report.parameter == named)
    same = same and all(map(same_parameter, str(wanted).split(".."), str(ends).split("..")))
    yield same, "intervals asked for", f"the interval is {ends}, not {wanted}"
    if report is None:
        return
    budget, held = entry.get("budget"), report.budget.epsilon
    if budget in (None, "epsilon") and named == "epsilon":
        fits = held is None
    else:
        fits = held is not None and same_budget(budget, report, ())
    yield fits, "budgets asked for", f"the budget is {report.budget}, not {budget}"
