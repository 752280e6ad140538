"""The recheck of entries about samplers: what follows from their counts, not the draws.

Draws are not made again.  Of counts the test is made again (:mod:`dpaudit.recheck.joint`): verdict
and lower bounds have to be what it shows, no more and hardly less.  Of a comparison with a law the
tails are summed again (:mod:`dpaudit.recheck.comparisons`), and make the verdict.  Errors add up to
10⁻⁹ at most.
"""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from mpmath import mp

from dpaudit.recheck.binding import sizes_of
from dpaudit.recheck.comparisons import check_cells, check_places, check_strange
from dpaudit.recheck.findings import Findings, UnknownDefinitionError
from dpaudit.recheck.joint import is_even, joint_test, may_be_alike
from dpaudit.recheck.numbers import check_budget, rational, value
from dpaudit.recheck.registry import parts_of, same_parameter
from dpaudit.results import Budget, EventFound, Finding, SampleReport, SampleVerdict
from dpaudit.results.words import same_mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Expect = Callable[[bool | None, str], None]

__all__ = [
    "DRAWS",
    "Expect",
    "check_drawn",
    "check_errors",
    "check_pairs",
    "check_sample",
    "differences_of_sample",
    "expecting",
    "number_of",
    "probable",
    "selection_of",
    "verdict_part",
]

DRAWS = (
    "the draws of samplers, their events in words, bins, whether a seed gives the same draws "
    "again, how many pairs they have, bounds of laws, counts in more than 1024 outputs, and "
    "whether all parts of a call and of the run have the same output distribution (nothing is "
    "drawn again)"
)
_MOST_ERROR = Fraction(1, 10**9)
_TOLERABLE = Fraction(1, 100)
_TOLERABLE_PLACE = Fraction(2, 100)
_SUSPECT = Fraction(1, 10_000)
_DIGITS = 60
_GATE_DIGITS = 4
_MOST_PAIRS = 10_000
_MOST_DRAWS = 10**10
_DEFAULT_DRAWS = 10**6
_SLACK = Fraction(1, 10**12)
"""By what part a float that stands for an error probability may lie below it."""
_ROUNDING = 1e-6
_LOOSE = 0.5
"""Upper bounds of a gate have been found up to 1.6 times as large as the probability itself."""
_SEARCHED = 1.19
"""Bounds are searched up to 1.2 times the order of what was seen."""


def check_errors(mechanisms: Sequence[Finding], findings: Findings) -> None:
    """Check that a gate fails wrongly with 10⁻⁹ at most, all of its samplers together."""
    drawn = [finding.report for finding in mechanisms if isinstance(finding.report, SampleReport)]
    errors = [number_of(finding.error) for finding in drawn]
    if errors:
        total = sum(errors, Fraction(0))
        message = f"its samplers may be wrong with {total} together, not between 0 and 1e-9"
        fits = min(errors) > 0 and total <= _MOST_ERROR
        findings.expect(fits, "errors of samplers", "gate", message)


def check_sample(report: SampleReport, findings: Findings, options: Any) -> None:
    """Check that the audit of a sampler in a gate follows from its own numbers."""
    expect = expecting(report, findings)
    once = not (report.repeated or report.kept or report.sequential or report.sha256)
    expect(once, "a gate never resumes a run")
    expect(
        not (report.learned and report.against),
        "it is compared with a mechanism, so it cannot learn events",
    )
    expect(report.digits == _GATE_DIGITS, f"a gate's bounds have {_GATE_DIGITS} digits")
    if not 0 < number_of(report.error) <= _MOST_ERROR:
        expect(False, "its error is not between 0 and 1e-9")
    else:
        check_drawn(report, expect)


def expecting(report: SampleReport, findings: Findings) -> Expect:
    """Return a function that counts a statement, or notes why it fails; None is unknown."""
    findings.take(DRAWS)
    name = str(report.described.get("name"))

    def expect(holds: bool | None, message: str) -> None:
        if holds is None:
            findings.unknown(name, message)
        else:
            findings.expect(holds, "audits of samplers", name, message)

    return expect


def check_drawn(report: SampleReport, expect: Expect) -> None:
    """Check what follows from the counts of all draws, or what stands beside a law."""
    check_pairs(report, expect)
    if report.against:
        expect(
            report.budget is None and report.event is None,
            "it has both a budget and a mechanism to compare with",
        )
        expect(
            not report.epsilon + report.delta,
            "it is compared with a mechanism, but has lower bounds",
        )
        _check_compared(report, expect)
    elif report.event is None or report.budget is None:
        expect(False, "it has no event, or no budget")
    else:
        expect(
            not report.comparisons and not report.tolerance, "it names no mechanism to compare with"
        )
        _check_counted(report, report.event, report.budget, expect)


def verdict_part(report: SampleReport) -> Fraction:
    """Return the part of an error probability that verdicts and bounds take: three quarters.

    The last is for tests of whether all draws have one law.
    """
    return number_of(report.error) * Fraction(3, 4)


def check_pairs(report: SampleReport, expect: Expect) -> None:
    """Check that so many datasets may have so many pairs."""
    most = min(report.datasets * (report.datasets - 1) // 2, _MOST_PAIRS)
    least = 0 if report.against else 1
    message = f"{report.datasets} datasets cannot have {report.pairs} pairs"
    expect(report.datasets > 0 and least <= report.pairs <= most, message)


def selection_of(draws: int) -> int:
    """Return how many draws choose an event: a fifth, from 5 to 250,000."""
    return sorted((5, draws // 5, 250_000))[1]


def _check_counted(report: SampleReport, event: EventFound, budget: Budget, expect: Expect) -> None:
    counted, a, b = event.draws, event.count_x, event.count_y
    selected = selection_of(report.draws)
    expect(report.selected == selected, f"{report.selected} draws chose its event, not {selected}")
    message = f"{counted} draws are counted, of {report.draws} but {selected}"
    expect(counted == report.draws - selected, message)
    expect(
        str(event.x) != str(event.y), "its two datasets are the same, so they are not neighbours"
    )
    fits = 0 < counted <= _MOST_DRAWS and max(a, b) <= counted
    expect(fits, "an event is counted more often than outputs were drawn")
    check_budget(budget.epsilon, budget.delta, "budget")
    if fits and report.selected == selected and counted == report.draws - selected:
        try:
            _check_bounds(report, (counted, a, b), budget, expect)
        except UnknownDefinitionError as error:
            expect(None, str(error))


def _check_bounds(
    report: SampleReport, counts: tuple[int, int, int], budget: Budget, expect: Expect
) -> None:
    """Check the verdict on counts, and both lower bounds, by the test of both counts together."""
    counted, a, b = counts
    with mp.workdps(_DIGITS):
        epsilon, delta = float(value(budget.epsilon)), float(value(budget.delta))
    alpha = float(verdict_part(report))
    of_epsilon = joint_test(counted, (a, b), alpha, "epsilon", delta)
    of_delta = joint_test(counted, (a, b), alpha, "delta", epsilon)
    verdict, rounding = report.verdict, 2 / 10 ** (report.digits + 2)  # as far as it is rounded
    exceeds = verdict is SampleVerdict.EXCEEDS
    allowed = _Judged(of_epsilon.ratio(epsilon, enough=1.5))
    if exceeds:
        expect(allowed.shown, "its verdict is exceeds, but its counts do not show that")
    else:
        message = f"its verdict is {verdict.value}, but its counts exceed the budget"
        expect(allowed.open, message)
        able = _Judged(joint_test(counted, (counted, 0), alpha, "epsilon", delta).ratio(epsilon))
        if verdict is SampleVerdict.NOT_REFUTED:
            expect(
                able.shown,
                f"its verdict is {verdict.value}, but {report.draws} draws can never refute "
                "its budget",
            )
            expect(None if is_even(counts) else True, "its draws may all be the same")
        elif verdict is SampleVerdict.TOO_FEW:
            expect(able.open, f"its verdict is {verdict.value}, but its draws are enough")
            expect(None if is_even(counts) else True, "its draws may all be the same")
        else:
            vacuous = verdict is SampleVerdict.VACUOUS
            alike = vacuous and may_be_alike(report.selected, counts, alpha)
            message = f"its verdict is {verdict.value}, but it counted more than one output"
            expect(None if alike and not is_even(counts) else alike, message)
    for name, test, claimed, limit in (
        ("ε", of_epsilon, report.epsilon, epsilon),
        ("δ", of_delta, report.delta, delta),
    ):
        lower = probable(
            claimed, f"its lower bound of {name}", expect, most=None if name == "ε" else 1
        )
        if lower is None:
            continue
        if name == "ε" and exceeds:
            expect(lower >= limit * (1 - rounding), "its lower bound of ε is within the budget")
        if not exceeds:
            message = (
                f"its lower bound of {name} is above the budget, but its verdict is not exceeds"
            )
            expect(lower <= limit, message)
        if lower:
            message = f"its lower bound of {name} is above what its counts show"
            expect(_Judged(test.ratio(lower)).shown, message)
        capped = not exceeds and lower >= limit * (1 - rounding)
        if not capped and lower < test.order * _SEARCHED:
            more = lower + 2 * max(lower, 1e-3) / 10**report.digits
            larger = _Judged(test.ratio(more, enough=1.5))
            message = f"its counts show a larger {name} than {claimed or 'none'}"
            expect(larger.open if not claimed else larger.ratio >= _LOOSE, message)


class _Judged(NamedTuple):
    """Bound on the probability of counts so extreme, over the error probability of the test.

    Gates bound that from above, and so a little too high: what they leave undecided is not shown.
    """

    ratio: float

    @property
    def shown(self) -> bool:
        """True if the counts contradict the budget."""
        return self.ratio <= 1 + _ROUNDING

    @property
    def open(self) -> bool | None:
        """True if the counts do not contradict the budget; None if a gate's bound may differ."""
        return True if self.ratio > 1 else None if self.ratio >= _LOOSE else False


def _check_compared(report: SampleReport, expect: Expect) -> None:
    expect(report.selected == 0, "draws chose an event, but it has none")
    expect(len(report.comparisons) == report.datasets > 0, "it does not compare all datasets")
    names = {str(comparison.dataset) for comparison in report.comparisons}
    expect(len(names) == len(report.comparisons), "it compares a dataset twice")
    error = verdict_part(report)
    selected = selection_of(report.draws)
    p_values, distances, places, drifts = [Fraction(1)], [Fraction(0)], [Fraction(0)], [Fraction(1)]
    for comparison in report.comparisons:
        spent = report.draws - comparison.draws
        fits = spent in (0, selected) and comparison.outputs > 0
        expect(
            fits,
            f"{comparison.draws} draws are compared in {comparison.outputs}, of {report.draws}",
        )
        p_value = probable(comparison.p_value, "its p-value", expect)
        distance = probable(comparison.distance, "its distance", expect)
        one_law = probable(comparison.drift, "its p-value of draws from one place", expect)
        apart = [
            probable(place.distance, f"its distance of {place.words}", expect)
            for place in comparison.places
        ]
        if not fits or p_value is None or distance is None or None in (one_law, *apart):
            continue
        p_values.append(number_of(comparison.p_value or "0"))
        distances.append(number_of(comparison.distance or "0"))
        shared = log(report.datasets / float(error))
        spread = sqrt(((comparison.outputs + 1) * log(2) + shared) / (2 * comparison.draws))
        least = min(1.0, spread) * (1 - _ROUNDING)
        expect(
            distance >= least,
            f"{comparison.draws} draws cannot show a distance of {comparison.distance}",
        )
        check_cells(report, comparison, (p_value, distance), error, expect)
        check_places(report, comparison, number_of(report.error) - error, expect)
        check_strange(report, comparison, expect)
        places += [number_of(place.distance) for place in comparison.places] or [Fraction(1)]
        drifts.append(number_of(comparison.drift or "0"))
    least_likely, farthest, drift = min(p_values), max(distances), min(drifts)
    fits = number_of(report.tolerance or "0") == farthest
    expect(fits, "its tolerance is not the largest distance")
    near = farthest <= _TOLERABLE and max(places) <= _TOLERABLE_PLACE and drift > _SUSPECT
    verdicts = [SampleVerdict.CONFORMS if near else SampleVerdict.TOO_FEW]
    odds = min(least_likely / error, drift / (number_of(report.error) - error))
    if odds <= 1:
        # The float that stands for the error may lie below it: both verdicts are allowed there.
        near = odds >= 1 - _SLACK
        verdicts = [SampleVerdict.DIFFERS, *(verdicts if near else [])]
    message = f"its numbers make it {verdicts[0].value}, not {report.verdict.value}"
    expect(report.verdict in verdicts, message)


def probable(text: str, what: str, expect: Expect, most: int | None = 1) -> float | None:
    """Return a number from 0 to ``most``, empty for 0; None for another, which is noted."""
    number = number_of(text or "0")
    fits = number >= 0 and (most is None or number <= most)
    expect(fits, f"{what} is {text[:40]}")
    return float(number) if fits else None


def number_of(text: str) -> Fraction:
    """Return a number as it is written; ``UnknownDefinitionError`` for what is none."""
    try:
        return rational(text)
    except (ArithmeticError, ValueError) as error:
        raise UnknownDefinitionError(f"{text[:40]!r} is no number") from error


def differences_of_sample(
    finding: Finding, entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[bool | None, str, str]]:
    """Yield for each key of an entry whether it is answered, its kind, and the message.

    None stands for a key that cannot be checked here.
    """
    report = finding.report
    assert isinstance(report, SampleReport)
    yield entry.get("measure") == "sample", "measures asked for", "the measure is not sample"
    title = entry.get("label") or entry.get("mechanism")
    yield finding.title == title, "labels asked for", f"it is called {finding.title}, not {title}"
    matches = report.loaded is not None and report.loaded.reference == entry.get("mechanism")
    yield matches, "mechanisms asked for", f"it was not loaded from {entry.get('mechanism')}"
    n = entry.get("n")
    yield n is None or {report.n} == sizes_of(n), "sizes asked for", f"its size is {report.n}"
    seed = entry.get("seed") or 0
    yield report.seed == seed, "draws asked for", f"its seed is {report.seed}, not {seed}"
    draws = entry.get("draws", _DEFAULT_DRAWS)
    same = same_parameter(draws, str(report.draws)) and not report.sequential
    yield same, "draws asked for", f"{report.draws} draws, not {draws}"
    error = _error_of(entry, entries)
    same = error == number_of(report.error)
    yield same, "errors of samplers", f"its error is {report.error}, not {error}"
    message = f"its law is {report.against or 'none'}, not {entry.get('against') or 'one'}"
    yield _is_law(report.against, entry.get("against")), "laws asked for", message
    learns = entry.get("events") == "learned"
    message = f"its events are{' not' * learns} learned, unlike in the entry"
    yield bool(report.learned) is learns, "draws asked for", message
    mentioned = "different outputs for the same seed" in finding.message
    message = "its message and its audit differ on whether a seed draws the same again"
    yield mentioned is not report.reproducible, "draws asked for", message
    budget, audited = entry.get("budget"), report.budget
    if budget is not None:
        parts = [*parts_of(budget), "0"][:2]
        same = audited is not None and same_parameter(parts, [audited.epsilon, audited.delta])
        yield same, "budgets asked for", f"the budget is not {budget}"
    parameters = entry.get("parameters", {})
    reported = {key: part for key, part in report.described.items() if key != "name"}
    for key, part in parameters.items() if isinstance(parameters, dict) else ():
        same = key in reported and same_parameter(part, reported[key])
        yield same, "parameters asked for", f"{key} is {reported.get(key)}, not {part}"


def _is_law(against: str, requested: Any) -> bool | None:
    """Tell whether a law is the one of an entry; None for one of a file, by another name."""
    if requested is None or not against:
        return requested is None and not against
    reference, _, name = str(requested).rpartition(":")
    if reference:
        return True if against == name else None
    return same_mechanism(against, name)


def _error_of(entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> Fraction:
    """Return the error of an entry: what it states, else its part of what others leave."""
    samplers = [sampler for sampler in entries if sampler.get("measure") == "sample"]
    stated = [number_of(str(sampler["error"])) for sampler in samplers if "error" in sampler]
    if "error" in entry:
        return number_of(str(entry["error"]))
    return (_MOST_ERROR - sum(stated, Fraction(0))) / max(len(samplers) - len(stated), 1)
