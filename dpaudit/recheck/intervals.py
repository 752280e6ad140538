"""The recheck of an audit over an interval: what follows from its lines, and points inside them.

That pieces cover the interval, every verdict and what is kept follow from the numbers and are
derived again; how many datasets, pairs and outputs there are follows from the definition.  Lines
hold on a continuum, and no second computation covers that: at some values of the parameter the
realised ε is computed from the definitions, over all pairs, and has to lie between them.  Where
these are lies with the interval and then with every piece that has a verdict, the widest first; a
size at which none can be computed, or not one for every such piece, is not accepted.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck import interval_points
from dpaudit.recheck.agreement import Span
from dpaudit.recheck.audits import check_size
from dpaudit.recheck.binding import same_budget
from dpaudit.recheck.findings import Findings, UnknownDefinitionError, worst
from dpaudit.recheck.numbers import order, same_number, shown_digits, value
from dpaudit.recheck.options import MESSAGES, How
from dpaudit.recheck.registry import same_parameter
from dpaudit.results import IntervalAudit, IntervalSize, Piece, Verdict, symbol_of
from dpaudit.results.intervals import UNTOLD, UNTOLD_DELTA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dpaudit.recheck.definition import Definition

    Ends = tuple[Fraction, Fraction]

__all__ = ["LINES", "check_interval", "differences_of_interval"]

LINES = (
    "that the realised ε lies between the lines between the points that are computed: the ends of "
    "an interval, places evenly between them, and ends and middles of pieces with a verdict"
)


def check_interval(report: IntervalAudit, found: Findings, how: How) -> None:
    """Recheck an audit over an interval and note in ``found`` what agrees and what does not."""
    recheck = interval_points.recheck_of(report, report.budget, LINES, found, how)
    if recheck is None:
        return
    name = str(report.described.get("name"))
    interval = Fraction(report.epsilon.first), Fraction(report.epsilon.last)
    kept: list[Ends] = [interval]
    for size, where in recheck.sizes_at(report.results):
        _check_pieces(report, size, interval, found, where)
        kept = [part for one in kept for part in _kept(size, one)]
        recheck.covered(size, where, (Verdict.UNDECIDED, Verdict.EXCEEDS))
        if recheck.coverage(size.n, size.datasets, size.pairs, where):
            recheck.attempt(where, recheck.outputs, size, where)
            _check_points(
                interval_points.Points(report, size.n, interval, recheck), report, size, where
            )
        if size.exceeded is not None:
            _check_shown(report, size, interval, found, how)
    for open_ in report.undecided:
        recheck.expect(bool(open_.reason.strip()), "reasons", name, f"n = {open_.n} has none")
        found.take(MESSAGES)
    without = [*(one.n for one in report.undecided), *report.missing]
    whole = not without and bool(report.results)
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
    found.expect(
        interval_points.covers(size.pieces, interval),
        "pieces that cover the interval",
        where,
        "its pieces leave something out",
    )
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
    reason = _reason(size)
    found.expect(size.reason == reason, "reasons", where, f"its pieces give the reason {reason!r}")
    expected = worst([piece.verdict for piece in size.pieces])
    if expected is Verdict.WITHIN and not size.complete:
        expected = Verdict.UNDECIDED
    message = f"its pieces make it {expected.value}, not {size.verdict.value}"
    found.expect(size.verdict is expected, "verdicts", where, message)
    shown = (size.exceeded is not None) is (expected is Verdict.EXCEEDS)
    message = "an excess has no audit that shows it, or the other way round"
    found.expect(shown, "excesses", where, message)


def _reason(size: IntervalSize) -> str:
    """Return why a size is undecided, in part or altogether; nothing where it is not."""
    left = [piece for piece in size.pieces if piece.verdict is Verdict.UNDECIDED]
    if left:
        return UNTOLD if any(piece.delta is None for piece in left) else UNTOLD_DELTA
    exceeds = any(piece.verdict is Verdict.EXCEEDS for piece in size.pieces)
    if size.complete or exceeds:
        return ""
    return f"{size.pairs_covered} of {size.pairs} pairs were covered"


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
    if same_number(report.budget.delta, "0"):
        return Verdict.EXCEEDS if above else Verdict.UNDECIDED
    return _by_delta(piece, str(report.budget.delta))


def _by_delta(piece: Piece, limit: str) -> Verdict:
    if piece.delta is None:
        return Verdict.UNDECIDED
    if all(order(str(Fraction(end)), limit) <= 0 for end in piece.delta.upper):
        return Verdict.WITHIN
    above = all(order(str(Fraction(end)), limit) > 0 for end in piece.delta.lower)
    return Verdict.EXCEEDS if above else Verdict.UNDECIDED


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
    points: interval_points.Points, report: IntervalAudit, size: IntervalSize, where: str
) -> None:
    """Compute realised ε, and δ where it decides, at some places, and look between lines."""
    found = points.recheck.found
    decided = [one for one in size.pieces if one.verdict is not Verdict.UNDECIDED]
    ends = [(Fraction(piece.first), Fraction(piece.last)) for piece in decided]
    symbol = symbol_of(report.parameter)
    places = points.places(ends)
    for place in places:
        around = [one for one in size.pieces if _has(one, place)]
        by_delta = [one for one in around if one.delta is not None]
        at = str(place) if report.budget.epsilon is None else str(report.budget.epsilon)
        if not around:
            found.expect(False, "realised ε at points", where, f"no piece has {symbol} = {place}")
            continue
        claims = [_realised(piece, place) for piece in around]
        for piece in by_delta:
            assert piece.delta is not None, "these have it"
            lines = (piece.delta.lower, piece.delta.upper)
            claims.append(interval_points.between_lines(_span(piece), lines, place))
        try:
            with mp.workdps(points.recheck.dps):
                definition = points.definition(place)
            ways = points.ways(definition)

            def computed(
                definition: Definition = definition,
                ways: Sequence[tuple[Any, Any]] = ways,
                at: str = at,
                counts: tuple[int, int] = (len(around), len(by_delta)),
            ) -> list[mpf]:
                realised = max(definition.largest_loss(*way) for way in ways)
                deltas = [definition.delta(*way, value(at)) for way in ways] if counts[1] else []
                return [realised] * counts[0] + [max(deltas, default=mpf(0))] * counts[1]

            numbers, inside = points.recheck.agree(computed, claims)
        except UnknownDefinitionError as error:
            found.unknown(where, str(error))
            return
        for index, (number, holds) in enumerate(zip(numbers, inside, strict=True)):
            of_delta = index >= len(around)
            what = f"δ({at})" if of_delta else "the realised ε"
            seen = shown_digits(number, 15)
            message = f"{what} at {symbol} = {place} is {seen}, not between lines"
            found.expect(
                holds, "δ at points" if of_delta else "realised ε at points", where, message
            )
    points.tell_unseen(ends, places, where, "pieces with a verdict")


def _has(piece: Piece, place: Fraction) -> bool:
    return Fraction(piece.first) <= place <= Fraction(piece.last)


def _span(piece: Piece) -> Ends:
    return Fraction(piece.first), Fraction(piece.last)


def _realised(piece: Piece, place: Fraction) -> Span:
    """Return where a piece says that the realised ε is."""
    if piece.slope is not None:
        exact = Fraction(piece.slope) * place
        return Span(exact, exact)
    return interval_points.between_lines(_span(piece), (piece.lower, piece.upper), place)


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
    recheck = interval_points.recheck_at(
        report, point.epsilon, found, how, point.found, budget=report.budget, taken=LINES
    )
    for one, place in recheck.sizes_at(recheck.subject.results):
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
