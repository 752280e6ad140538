"""The recheck of an audit over an interval: what follows from its lines, and points inside them.

That pieces cover the interval, every verdict and what is kept follow from the numbers and are
derived again; how many datasets, pairs and outputs there are follows from the definition.  Lines
hold on a continuum, and no second computation covers that: at some values of the parameter the
realised ε is computed from the definitions, over all pairs, and has to lie between them.  The
places are those of the interval, then those of every piece with a verdict, the widest first; a size
is accepted only if every such piece has a place that was computed.
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
from dpaudit.recheck.options import MESSAGES, RecheckOptions
from dpaudit.recheck.registry import same_parameter
from dpaudit.results import IntervalAudit, IntervalSize, Piece, Verdict, symbol_of
from dpaudit.results.intervals import UNTOLD, UNTOLD_DELTA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dpaudit.recheck.definition import Definition

    Ends = tuple[Fraction, Fraction]

__all__ = ["LINES", "check_interval", "differences_of_interval"]

LINES = (
    "that the realised ε lies between the lines at other points than those computed: the ends "
    "of an interval, places evenly between them, and ends and middles of pieces with a verdict"
)


def check_interval(report: IntervalAudit, findings: Findings, options: RecheckOptions) -> None:
    """Recheck an audit over an interval and note in ``findings`` what agrees and what does not."""
    recheck = interval_points.recheck_of(report, report.budget, LINES, findings, options)
    if recheck is None:
        return
    name = str(report.described.get("name"))
    interval = Fraction(report.epsilon.first), Fraction(report.epsilon.last)
    within: list[Ends] = [interval]
    for size, where in recheck.sizes_at(report.results):
        _check_pieces(report, size, interval, findings, where)
        within = [part for stretch in within for part in _within(size, stretch)]
        recheck.covered(size, where, (Verdict.UNDECIDED, Verdict.EXCEEDS))
        if recheck.coverage(size.n, size.datasets, size.pairs, where):
            recheck.attempt(where, recheck.outputs, size, where)
            _check_points(
                interval_points.Points(report, size.n, interval, recheck), report, size, where
            )
        if size.exceeded is not None:
            _check_shown(report, size, interval, findings, options)
    for open_ in report.undecided:
        recheck.expect(bool(open_.reason.strip()), "reasons", name, f"n = {open_.n} has none")
        findings.take(MESSAGES)
    without = [*(size.n for size in report.undecided), *report.missing]
    whole = not without and bool(report.results)
    whole = whole and all(size.complete for size in report.results)
    reported = [(Fraction(span.first), Fraction(span.last)) for span in report.kept]
    message = "the intervals that keep the budget at every size do not follow from its pieces"
    findings.expect(reported == (_joined(within) if whole else []), "what is kept", name, message)
    expected = worst(
        [*(size.verdict for size in report.results), *(Verdict.UNDECIDED for _ in without)]
    )
    message = f"the sizes make it {expected.value}, not {report.verdict.value}"
    findings.expect(report.verdict is expected, "verdicts", name, message)


def _check_pieces(
    report: IntervalAudit, size: IntervalSize, interval: Ends, findings: Findings, where: str
) -> None:
    """Check that pieces cover the interval, and derive their verdicts and what they make."""
    findings.expect(
        interval_points.covers(size.pieces, interval),
        "pieces that cover the interval",
        where,
        "its pieces do not cover the interval",
    )
    for piece in size.pieces:
        expected = _verdict(piece, report)
        message = f"its lines make it {expected.value} from {piece.first} to {piece.last}"
        findings.expect(piece.verdict is expected, "verdicts of pieces", where, message)
    stretches: list[tuple[str, str, Verdict]] = []
    for piece in size.pieces:
        first = piece.first
        if stretches and stretches[-1][2] is piece.verdict:
            first = stretches.pop()[0]
        stretches.append((first, piece.last, piece.verdict))
    reported = [(stretch.first, stretch.last, stretch.verdict) for stretch in size.stretches]
    findings.expect(
        reported == stretches, "stretches", where, "its rows do not follow from its pieces"
    )
    reason = _reason(size)
    findings.expect(
        size.reason == reason, "reasons", where, f"its pieces give the reason {reason!r}"
    )
    expected = worst([piece.verdict for piece in size.pieces])
    if expected is Verdict.WITHIN and not size.complete:
        expected = Verdict.UNDECIDED
    message = f"its pieces make it {expected.value}, not {size.verdict.value}"
    findings.expect(size.verdict is expected, "verdicts", where, message)
    audited = (size.exceeded is not None) is (expected is Verdict.EXCEEDS)
    message = "it must have the audit of an excess if its verdict is exceeds, and only then"
    findings.expect(audited, "excesses", where, message)


def _reason(size: IntervalSize) -> str:
    """Return why a size is undecided, in part or altogether; nothing where it is not."""
    undecided = [piece for piece in size.pieces if piece.verdict is Verdict.UNDECIDED]
    if undecided:
        return UNTOLD if any(piece.delta is None for piece in undecided) else UNTOLD_DELTA
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
        # A closed form outside its own lines contradicts the report: nothing follows from it.
        if not all(
            low is not None and high is not None and low <= epsilon <= high
            for low, epsilon, high in zip(lower, exact, upper, strict=True)
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


def _within(size: IntervalSize, stretch: Ends) -> list[Ends]:
    parts = []
    for piece in size.pieces:
        first, last = max(stretch[0], Fraction(piece.first)), min(stretch[1], Fraction(piece.last))
        if piece.verdict is Verdict.WITHIN and first < last:
            parts.append((first, last))
    return _joined(parts)


def _joined(parts: Sequence[Ends]) -> list[Ends]:
    merged: list[Ends] = []
    for first, last in parts:
        # Ends are exact fractions, so that neighbours share theirs exactly.
        start = merged.pop()[0] if merged and merged[-1][1] == first else first
        merged.append((start, last))
    return merged


def _check_points(
    points: interval_points.Points, report: IntervalAudit, size: IntervalSize, where: str
) -> None:
    """Compute realised ε, and δ where it decides, at some places, and look between lines."""
    findings = points.recheck.findings
    decided = [piece for piece in size.pieces if piece.verdict is not Verdict.UNDECIDED]
    ends = [(Fraction(piece.first), Fraction(piece.last)) for piece in decided]
    symbol = symbol_of(report.parameter)
    places = points.places(ends)
    for place in places:
        around = [piece for piece in size.pieces if _has(piece, place)]
        by_delta = [piece for piece in around if piece.delta is not None]
        at = str(place) if report.budget.epsilon is None else str(report.budget.epsilon)
        if not around:
            findings.expect(
                False, "realised ε at points", where, f"no piece has {symbol} = {place}"
            )
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
            findings.unknown(where, str(error))
            return
        for index, (number, holds) in enumerate(zip(numbers, inside, strict=True)):
            of_delta = index >= len(around)
            what = f"δ({at})" if of_delta else "the realised ε"
            digits = shown_digits(number, 15)
            message = f"{what} at {symbol} = {place} is {digits}, not between lines"
            findings.expect(
                holds, "δ at points" if of_delta else "realised ε at points", where, message
            )
    points.note_gaps(ends, places, where, "pieces with a verdict")


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
    report: IntervalAudit,
    size: IntervalSize,
    interval: Ends,
    findings: Findings,
    options: RecheckOptions,
) -> None:
    """Recheck the audit at one nominal ε that is to show an excess."""
    point = size.exceeded
    assert point is not None
    value = f"{symbol_of(report.parameter)} = {point.epsilon}"
    where = f"{report.described.get('name')} at n = {size.n}, {value}"
    inside = interval[0] <= Fraction(point.epsilon) <= interval[1]
    shows = inside and point.found.verdict is Verdict.EXCEEDS and point.found.n == size.n
    findings.expect(
        shows, "audits that show an excess", where, "it shows no excess in the interval"
    )
    recheck = interval_points.recheck_at(
        report, point.epsilon, findings, options, point.found, budget=report.budget, trusted=LINES
    )
    for audited, place in recheck.sizes_at(recheck.subject.results):
        check_size(recheck, audited, place)


def differences_of_interval(
    report: IntervalAudit | None, entry: Mapping[str, Any]
) -> Iterator[tuple[bool, str, str]]:
    """Iterate over the checks of an audit against a gate's entry: result, kind and message.

    Args:
        report: the audit over an interval, if the entry came to one.
        entry: what the configuration has.
    """
    requested = entry.get("interval")
    name, equals, rest = (part.strip() for part in str(requested).partition("="))
    if equals:
        requested = rest
    named = name if equals and name != "eps" else "epsilon"
    if named == "prior" and report is not None:
        texts, prior = str(requested).split(","), report.described.get("prior")
        requested = texts[0] if len(set(texts)) == 1 else requested
        several = len(texts) if len(texts) > 1 else entry.get("parameters", {}).get("k", 2)
        alike = isinstance(prior, list) and same_parameter(several, str(len(prior)))
        yield alike, "intervals asked for", f"the prior is {prior}, not of {several} categories"
    ends = None if report is None else f"{report.epsilon.first}..{report.epsilon.last}"
    same = (ends is None) is (requested is None)
    same = same and (report is None or report.parameter == named)
    same = same and all(map(same_parameter, str(requested).split(".."), str(ends).split("..")))
    yield same, "intervals asked for", f"the interval is {ends}, not {requested}"
    if report is None:
        return
    budget, limit = entry.get("budget"), report.budget.epsilon
    if budget in (None, "epsilon") and named == "epsilon":
        fits = limit is None
    else:
        fits = limit is not None and same_budget(budget, report, ())
    yield fits, "budgets asked for", f"the budget is {report.budget}, not {budget}"
