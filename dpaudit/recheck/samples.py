"""The recheck of entries about samplers: what follows from their counts, not the draws.

Draws are not made again, and the exact tails of the tests are not summed again.  Checked is what
any report of the kind has: that an excess is one of the frequencies too, that lower bounds lie
below those, that p-values and distances make the verdict, and that errors add up to 10⁻⁹ at most.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.numbers import fraction, rational, value
from dpaudit.recheck.registry import parts_of, same_parameter
from dpaudit.results import SampleVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dpaudit.recheck.findings import Findings
    from dpaudit.results import EventFound, SampleReport
    from dpaudit.results.gates import Finding
    from dpaudit.results.values import Budget

__all__ = ["DRAWS", "check_errors", "check_sample", "differences_of_sample"]

DRAWS = (
    "what was drawn of samplers, their events in words, bins, whether a seed draws the same again, "
    "and the exact tails of their tests (nothing is drawn again)"
)
_MOST_ERROR = Fraction(1, 10**9)
_TOLERABLE = Fraction(1, 100)
_DIGITS = 60
_DEFAULT_DRAWS = 10**6
_SLACK = Fraction(1, 10**12)
"""By what part a float that stands for an error probability may lie below it."""


def check_errors(findings: Sequence[Finding], found: Findings) -> None:
    """Check that a gate fails wrongly with 10⁻⁹ at most, all of its samplers together."""
    errors = [_number(one.sample.error) for one in findings if one.sample is not None]
    if errors:
        total = sum(errors, Fraction(0))
        message = f"its samplers may be wrong with {float(total):g} together, more than 1e-9"
        found.expect(0 < total <= _MOST_ERROR, "errors of samplers", "gate", message)


def check_sample(report: SampleReport, found: Findings, how: Any) -> None:
    """Check that an audit of a sampler follows from its own numbers."""
    found.take(DRAWS)
    name = str(report.described.get("name"))

    def expect(holds: bool, message: str) -> None:
        found.expect(holds, "audits of samplers", name, message)

    if report.against:
        expect(report.budget is None and report.event is None, "it has a law and a budget")
        _check_compared(report, expect)
        return
    expect(not report.comparisons and not report.tolerance, "it compares with no law")
    if report.event is None or report.budget is None:
        expect(False, "it has no event, or no budget")
        return
    _check_counted(report, report.event, report.budget, expect)


def _check_counted(report: SampleReport, event: EventFound, budget: Budget, expect: Any) -> None:
    counted, a, b = event.draws, event.count_x, event.count_y
    expect(0 < counted <= report.draws - report.selected, "it counts more draws than there are")
    expect(a <= counted and b <= counted, "an event is seen more often than is drawn")
    words = (SampleVerdict.CONFORMS, SampleVerdict.DIFFERS, SampleVerdict.UNFINISHED)
    expect(report.verdict not in words, f"it is {report.verdict.value}, and has no law")
    once = not report.repeated and not report.kept
    expect(once, "a gate draws once, and goes on from nothing")
    with mp.workdps(_DIGITS):
        epsilon, delta = value(budget.epsilon), value(budget.delta)
        x, y = mpf(a) / counted, mpf(b) / counted
        lower = fraction(_number(report.epsilon or "0"))
        beyond = x > mp.exp(epsilon) * y + delta
        exceeds = report.verdict is SampleVerdict.EXCEEDS
        expect(bool(beyond) or not exceeds, "it exceeds, and its frequencies do not")
        fits = lower <= epsilon * (1 + mpf(10) ** -9) or exceeds
        expect(bool(fits), "its lower bound is above the budget that is not exceeded")
        most = x > mp.exp(lower) * y + delta if report.epsilon else True
        expect(bool(most), "its lower bound of ε is above what its frequencies show")
        least = fraction(_number(report.delta or "0"))
        fits = least <= x - mp.exp(epsilon) * y or not report.delta
        expect(bool(fits), "its lower bound of δ is above what its frequencies show")


def _check_compared(report: SampleReport, expect: Any) -> None:
    expect(len(report.comparisons) == report.datasets > 0, "it does not compare all datasets")
    p_values = [_number(one.p_value or "0") for one in report.comparisons]
    distances = [_number(one.distance or "0") for one in report.comparisons]
    error, p_value = _number(report.error), min(p_values, default=Fraction(1))
    farthest = max(distances, default=Fraction(1))
    expect(_number(report.tolerance or "0") >= farthest, "a distance is above its tolerance")
    verdicts = [SampleVerdict.CONFORMS if farthest <= _TOLERABLE else SampleVerdict.TOO_FEW]
    if p_value <= error:
        near = p_value >= error * (1 - _SLACK)
        verdicts = [SampleVerdict.DIFFERS, *(verdicts if near else [])]
    message = f"its numbers make it {verdicts[0].value}, not {report.verdict.value}"
    expect(report.verdict in verdicts, message)


def _number(text: str) -> Fraction:
    """Return a number as it is written; ``UnknownDefinitionError`` for what is none."""
    try:
        return rational(text)
    except (ArithmeticError, ValueError) as error:
        raise UnknownDefinitionError(f"{text[:40]!r} is no number") from error


def differences_of_sample(
    finding: Finding, entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[bool, str, str]]:
    """Yield whether each key of an entry is answered: whether it is, its kind, the message."""
    report = finding.sample
    assert report is not None
    yield entry.get("measure") == "sample", "measures asked for", "the measure is not sample"
    title = entry.get("label") or entry.get("mechanism")
    yield finding.title == title, "labels asked for", f"it is called {finding.title}, not {title}"
    meant = report.loaded is not None and report.loaded.reference == entry.get("mechanism")
    yield meant, "mechanisms asked for", f"it was not loaded from {entry.get('mechanism')}"
    n = entry.get("n")
    yield n is None or str(report.n) == str(n), "sizes asked for", f"its size is {report.n}"
    seed = entry.get("seed") or 0
    yield report.seed == seed, "draws asked for", f"its seed is {report.seed}, not {seed}"
    draws = entry.get("draws", _DEFAULT_DRAWS)
    same = same_parameter(draws, str(report.draws)) and not report.sequential
    yield same, "draws asked for", f"{report.draws} draws, not {draws}"
    error = _error_of(entry, entries)
    same = error == _number(report.error)
    yield same, "errors of samplers", f"its error is {report.error}, not {error}"
    yield (report.against != "") is ("against" in entry), "laws asked for", "its law is another"
    budget, given = entry.get("budget"), report.budget
    if budget is not None:
        parts = [*parts_of(budget), "0"][:2]
        same = given is not None and same_parameter(parts, [given.epsilon, given.delta])
        yield same, "budgets asked for", f"the budget is not {budget}"
    wanted = entry.get("parameters", {})
    told = {key: part for key, part in report.described.items() if key != "name"}
    for key, part in wanted.items() if isinstance(wanted, dict) else ():
        same = key in told and same_parameter(part, told[key])
        yield same, "parameters asked for", f"{key} is {told.get(key)}, not {part}"


def _error_of(entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> Fraction:
    """Return the error of an entry: what it states, else its part of what others leave."""
    samplers = [one for one in entries if one.get("measure") == "sample"]
    stated = [_number(str(one["error"])) for one in samplers if "error" in one]
    if "error" in entry:
        return _number(str(entry["error"]))
    return (_MOST_ERROR - sum(stated, Fraction(0))) / max(len(samplers) - len(stated), 1)
