"""The recheck of a sampler's own report: what follows from its counts, and what stops early.

Of counts of a fixed number of draws the test is made again as for an entry of a gate.  Of a run
that stops early the e-process is computed again from the counts of both sides, draw by draw, which
the report keeps: the mean over stakes λ of Π (1 + λ·(X − e^ε·Y − δ)), in decimals.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck import samples
from dpaudit.recheck.numbers import check_budget, value
from dpaudit.results import Budget, EventFound, SampleReport, SampleVerdict

if TYPE_CHECKING:
    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.samples import Expect

__all__ = ["check_sampler"]

_DIGITS = 40
_MOST_DIGITS = 12
_LEAST_ERROR = Fraction(1, 10**30)
_STAKES = 100
_LEAST_STAKE, _MOST_STAKE = mpf("1e-9"), mpf("0.98")
_SLACK = 1e-15
_FEWEST = 32
"""A run looks at its counts after so many chunks at the earliest."""
_LARGEST = 500
_CHUNKS = "how the draws of a run that was stopped, or stops early, were shared out over calls"


def check_sampler(report: SampleReport, findings: Findings, options: Any) -> None:
    """Check that a report of ``dpaudit sample`` follows from its own numbers."""
    expect = samples.expecting(report, findings)
    expect(1 <= report.digits <= _MOST_DIGITS, f"bounds cannot have {report.digits} digits")
    fits = _LEAST_ERROR <= samples.number_of(report.error) < Fraction(1, 2)
    expect(fits, "its error is not from 1e-30 to 1/2")
    if not fits or not 1 <= report.digits <= _MOST_DIGITS:
        return
    stopped = report.verdict is SampleVerdict.UNFINISHED
    if not (report.sequential or stopped or _is_cut(report)):
        expect(not report.kept, "it is finished, but keeps the state of an unfinished run")
        samples.check_drawn(report, expect)
        return
    findings.take(_CHUNKS)
    samples.check_pairs(report, expect)
    bounded = bool(report.epsilon or report.delta)
    bare = not (report.tolerance or report.comparisons)
    expect(bare, "it names no mechanism to compare with, or has no comparisons")
    if report.against:
        expect(stopped, "a comparison with a law does not stop early")
        expect(
            report.event is None and report.budget is None,
            "it has both a budget and a mechanism to compare with",
        )
    elif report.event is None or report.budget is None:
        expect(False, "it has no event, or no budget")
    elif (counts := _event_counts(report, report.event, expect)) is not None and (
        bounded or not stopped
    ):
        check_budget(report.budget.epsilon, report.budget.delta, "budget")
        _check_early(report, report.budget, counts, expect)


def _is_cut(report: SampleReport) -> bool:
    """Tell whether a run of a fixed number of draws was stopped before its end."""
    most = report.draws - samples.selection_of(report.draws)
    return bool(report.kept and report.event and report.event.draws < most)


def _event_counts(report: SampleReport, event: EventFound, expect: Expect) -> list[int] | None:
    """Return the kept counts of paired draws in the event: both, the first, the second, none."""
    try:
        record = json.loads(report.kept)
        chunks = [list(map(int, chunk)) for chunk in record["chunks"]]
        whole = all(len(quadruple) == 4 and min(quadruple) >= 0 for quadruple in chunks)
        vacuous = record["vacuous"]
        cells = [
            (int(size), [list(map(int, side)) for side in sides])
            for (size, *_), *sides in record["places"]
        ]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        expect(False if report.kept else None, f"its saved state cannot be read ({error})"[:200])
        return None
    expect(whole and isinstance(vacuous, bool), "its saved state has no valid counts")
    if not whole:
        return None
    expect(
        len(cells) == len(chunks)
        and all(
            size == sum(chunk)
            and list(map(sum, sides)) == [chunk[0] + chunk[1], chunk[0] + chunk[2]]
            and min(map(min, sides)) >= 0
            for chunk, (size, sides) in zip(chunks, cells, strict=True)
        ),
        "the places that it keeps do not share out its counts",
    )
    both, first, second, neither = (
        sum(quadruple[part] for quadruple in chunks) for part in range(4)
    )
    counts = both + first + second + neither, both + first, both + second
    fits = counts == (event.draws, event.count_x, event.count_y)
    expect(fits, "the counts that it keeps are not those of its event")
    most = report.draws - samples.selection_of(report.draws)
    expect(0 < event.draws <= most, f"{event.draws} draws are counted, of {most}")
    selected = samples.selection_of(report.draws)
    grown = report.sequential and report.repeated and 5 <= report.selected <= selected
    message = f"{report.selected} draws chose its event, not {selected}"
    expect(bool(grown) or report.selected == selected, message)
    expect(
        str(event.x) != str(event.y), "its two datasets are the same, so they are not neighbours"
    )
    early = report.verdict in (SampleVerdict.EXCEEDS, SampleVerdict.UNFINISHED)
    unfinished = report.verdict is SampleVerdict.UNFINISHED
    enough = len(chunks) >= _FEWEST or (unfinished and not (report.epsilon or report.delta))
    fits = event.draws == most or (early and enough)
    expect(fits, f"{event.draws} draws are counted, not {most}")
    return [both, first, second, neither]


def _evidence(counts: list[int], epsilon: Any, delta: Any) -> Any:
    """Return ln of the e-process against (ε, δ); −∞ where no stake is small enough."""
    if epsilon > _LARGEST:
        return -mp.inf
    factor = mp.exp(epsilon) * (1 + mpf(_SLACK))
    gains = (1 - factor - delta, 1 - delta, -factor - delta, -delta)
    step = mp.log(_MOST_STAKE / _LEAST_STAKE) / (_STAKES - 1)
    logs = []
    for index in range(_STAKES):
        stake = _LEAST_STAKE * mp.exp(index * step)
        if stake * (factor + delta) <= _MOST_STAKE:
            parts = (n * mp.log1p(stake * gain) for n, gain in zip(counts, gains, strict=True) if n)
            logs.append(mp.fsum(parts))
    if not logs:
        return -mp.inf
    most = max(logs)
    return most + mp.log(mp.fsum(mp.exp(logarithm - most) for logarithm in logs) / _STAKES)


def _check_early(report: SampleReport, budget: Budget, counts: list[int], expect: Expect) -> None:
    """Check the verdict of a run that may stop early, and both bounds."""
    draws = sum(counts)
    room = 1e-6 + 1e-11 * draws  # what floats may be wrong by, and take off
    with mp.workdps(_DIGITS):
        epsilon, delta = value(budget.epsilon), value(budget.delta)
        fixed = not report.sequential  # a stop before its end has a sixteenth
        part = samples.number_of(report.error) / 16 if fixed else samples.verdict_part(report)
        needed = mp.log(mpf(part.denominator)) - mp.log(mpf(part.numerator))

        def more_than(outcomes: list[int], at: Any, other: Any) -> bool | None:
            """Tell whether counts contradict a budget; None where that is too near."""
            over = _evidence(outcomes, at, other) - needed
            return None if abs(over) <= room else bool(over > 0)

        exceeded = more_than(counts, epsilon, delta)
        able = more_than([0, draws, 0, 0], epsilon, delta)
        exceeds = False
        if report.verdict is SampleVerdict.UNFINISHED:
            remaining = draws < report.draws - samples.selection_of(report.draws)
            expect(
                remaining and exceeded is not True, "it is unfinished, but nothing is left to do"
            )
        else:
            _check_verdict(report, counts, exceeded, able, expect)
            exceeds = report.verdict is SampleVerdict.EXCEEDS
        rounding = mpf(2) / 10 ** (report.digits + 2)
        for name, claimed, other, limit in (
            ("ε", report.epsilon, delta, epsilon),
            ("δ", report.delta, epsilon, None),
        ):
            lower = samples.probable(
                claimed, f"its lower bound of {name}", expect, None if limit else 1
            )
            if lower is None:
                continue
            lower = mpf(lower)

            def reached(at: Any, other: Any = other, name: str = name) -> bool | None:
                return more_than(counts, *((at, other) if name == "ε" else (other, at)))

            if limit is not None and exceeds:
                expect(lower >= limit * (1 - rounding), "its lower bound of ε is within the budget")
            if limit is not None and not exceeds:
                expect(
                    lower <= limit,
                    "its lower bound is above the budget, but its verdict is not exceeds",
                )
            if lower:
                message = f"its lower bound of {name} is above what its counts show"
                expect(reached(lower) is not False, message)
            if limit is not None and not exceeds and lower >= limit * (1 - rounding):
                continue  # it is held to the budget
            above = lower + 2 * max(lower, mpf("1e-3")) / 10**report.digits
            message = f"its counts show a larger {name} than {claimed or 'none'}"
            if name == "ε" or above < 1:
                expect(reached(above) is not True, message)


def _check_verdict(
    report: SampleReport,
    counts: list[int],
    exceeded: bool | None,
    able: bool | None,
    expect: Expect,
) -> None:
    """Check a verdict: whether counts contradict the budget, or any counts of as many would."""
    first, second = counts[0] + counts[1], counts[0] + counts[2]
    still = first == second and first in (0, sum(counts))
    vacuous = json.loads(report.kept)["vacuous"] or (able is not False and still)
    expected = [SampleVerdict.EXCEEDS] if exceeded is not False else []
    if exceeded is not True:
        few = SampleVerdict.NOT_REFUTED if able else SampleVerdict.TOO_FEW
        expected.append(SampleVerdict.VACUOUS if vacuous else few)
    names = " or ".join(verdict.value for verdict in expected)
    message = f"its counts make it {names}, not {report.verdict.value}"
    expect(report.verdict in expected, message)
