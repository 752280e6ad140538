"""The recheck of accuracy: the law of the error at the data, listed again output by output."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.agreement import (
    SLACK_DIGITS,
    compare,
    contains,
    end,
    printed_places,
    well_formed,
)
from dpaudit.recheck.calibrations import hellinger
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.histograms import Counts, OverHistograms, histograms
from dpaudit.recheck.notes import NotesLaplace
from dpaudit.recheck.numbers import fraction, same_number, shown_digits, value
from dpaudit.recheck.options import CODE, MESSAGES, RecheckOptions
from dpaudit.recheck.registry import definition_of
from dpaudit.recheck.subject import SPARE_DIGITS, check_data, states

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.results import Accuracy, AccuracyReport, Enclosure


__all__ = ["check_accuracy"]

_MOST_OUTPUTS = 100_000
_MOST_WORK = 20_000
_MOST_PLACES = 4000
_TOLERANCE = mpf("1.000001e-6")  # how far a realised ε may stay below the target; printed outward
REALISED = "the realised ε of mechanisms beside their errors (--all-pairs computes it again)"


class _Error(NamedTuple):
    """Outputs of equal error."""

    error: mpf
    mass: mpf
    steps: tuple[int, ...]
    outputs: int


class _Clamped(NotesLaplace):
    """N §3.1 where counts are clamped to [0, n] before they are used, as A Alg. 1–3 do."""

    clamped = True

    def last(self, first: Counts, n: int) -> Counts:
        return tuple(max(count, 0) for count in super().last(first, n))


class _Furthest(NotesLaplace):
    """N §3.1 where counts outside [0, n] are as far from the data as posteriors can be: at 1."""

    def outputs(self, n: int) -> Iterable[Counts]:
        return histograms(n, self.k)


def check_accuracy(report: AccuracyReport, findings: Findings, options: RecheckOptions) -> None:
    """Recheck the errors of one mechanism, and note what agrees and what does not."""
    findings.take(CODE)
    name = f"{report.described.get('name')} at equal {report.equal} ε"
    check_data(report.data, report.at, name, findings)
    if report.equal not in ("nominal", "realised"):
        raise NotAReportError(f"mechanisms are at equal nominal or realised ε, not {report.equal}")
    if report.undecided:
        findings.take(MESSAGES)
    done = [size.n for many in (report.results, report.undecided) for size in many]
    message = f"its sizes are not {list(report.sizes)}, each once"
    fits = sorted([*done, *report.missing]) == sorted(set(report.sizes))
    findings.expect(fits, "sizes", name, message)
    decided = not report.undecided and not report.missing
    decided = decided and all(size.decided for size in report.results)
    message = f"the findings make it {'' if decided else 'un'}decided, but it says otherwise"
    findings.expect(report.decided is decided, "verdicts", name, message)
    questions = [
        ([str(q.level) for q in size.quantiles], [str(tail.threshold) for tail in size.tails])
        for size in report.results
    ]
    message = "not every size answers the same questions"
    findings.expect(
        all(question == questions[0] for question in questions), "questions", name, message
    )
    for size in report.results:
        where = f"{name}, n = {size.n}"
        options.progress(where)
        try:
            with mp.workdps(report.digits + SPARE_DIGITS + 2 * _places(size)):
                _check_size(size, report, findings, options, where)
        except UnknownDefinitionError as error:
            findings.unknown(where, str(error))


def _check_size(
    size: Accuracy, report: AccuracyReport, findings: Findings, options: RecheckOptions, where: str
) -> None:
    described = dict(report.described)
    reference = definition_of(described, options.own, report.loaded)
    reference.relation(report.adjacency, defaulted=report.adjacency_defaulted)
    same = states(reference, report.stated, mp.dps)
    findings.expect(same, "stated budgets", where, "the source states another")
    if report.equal == "realised":
        _check_target(size, report, findings, where)
        described["epsilon"] = str(size.nominal)
    epsilon = described.get("epsilon")
    same = size.nominal is None if epsilon is None else same_number(str(epsilon), str(size.nominal))
    findings.expect(same, "nominal ε", where, f"it is run with ε = {epsilon}, not {size.nominal}")
    audited = definition_of(described, options.own, report.loaded)
    definition = _definition(audited, size.outside)
    mp.dps += definition.digits_lost
    if report.at != "uniform":
        at = ",".join(map(str, size.dataset))
        findings.expect(report.at == at, "datasets", where, f"({at}) is not ({report.at})")
    elif sum(size.dataset) != size.n or max(size.dataset) - min(size.dataset) > 1:
        findings.expect(False, "datasets", where, f"{size.dataset} are not uniform data")
    try:
        x = definition.dataset(size.dataset, size.n)
    except ValueError as error:
        raise NotAReportError(str(error)) from None
    if size.realised is not None:
        _check_realised(
            audited, size.realised, report, size.n, findings, options=options, where=where
        )
    outputs = _outputs(definition, x, size.n, report)
    law = _law(outputs)
    digits = report.digits

    def check(kind: str, interval: Enclosure, computed: mpf, *, narrow: bool = True) -> None:
        good = well_formed(interval, digits if narrow else None)
        good = good and contains(interval, computed, _lost(computed, digits))
        if interval.exact is not None:
            good = good and abs(value(interval.exact) - computed) <= _lost(computed, digits)
        message = f"the {kind[:-1]} is {shown_digits(computed, 20)}, not in {interval}"
        findings.expect(good, kind, where, message)

    mean = mp.fsum(cell.mass * cell.error for cell in law)
    check("means", size.mean, mean)
    check("variances", size.variance, mp.fsum(cell.mass * (cell.error - mean) ** 2 for cell in law))
    for quantile in size.quantiles:
        if not 0 < value(quantile.level) <= 1:
            raise NotAReportError(f"there is no quantile of the level {quantile.level}")
        check("quantiles", quantile, _quantile(law, value(quantile.level)), narrow=quantile.decided)
    for tail in size.tails:
        threshold = value(tail.threshold)
        mass = mp.fsum(cell.mass for cell in law if cell.error >= threshold - _noise())
        check("tails", tail, mass, narrow=False)
    if report.by:
        _check_law(size, outputs, report, findings, where)


def _definition(definition: Definition, outside: str | None) -> OverHistograms:
    """Return the definition that lists the outputs whose errors are reported."""
    if isinstance(definition, NotesLaplace):
        if outside == "furthest" and definition.last_tells_n and max(definition.prior) <= 1:
            return _Furthest(definition.parameters)
        if outside != "clamped":
            raise UnknownDefinitionError(
                f"the reading {outside} of counts outside [0, n] is not defined here"
            )
        definition = _Clamped(definition.parameters)
    if not isinstance(definition, OverHistograms):
        raise UnknownDefinitionError("the outputs are not listed here a second time")
    return definition


def _check_target(size: Accuracy, report: AccuracyReport, findings: Findings, where: str) -> None:
    """Check that the realised ε comes up to the target from below, as close as it says."""
    if report.target is None or size.realised is None:
        raise NotAReportError("it compares at equal realised ε, but has no target or no realised ε")
    below = compare(size.realised, report.target) in ("below", "at most", "equal")
    lower = end(size.realised.lower)
    near = lower is not None and value(report.target) - fraction(lower) <= _TOLERANCE
    message = f"the realised ε {size.realised} is not within {_TOLERANCE} below {report.target}"
    findings.expect(below and bool(near), "targets", where, message)


def _outputs(definition: OverHistograms, x: Counts, n: int, report: AccuracyReport) -> list[_Error]:
    """Return every output by increasing error."""
    if report.metric not in ("hellinger", "l1"):
        raise NotAReportError(f"there is no metric {report.metric}")
    if (definition.output_count(n) or 0) > _MOST_OUTPUTS:
        raise UnknownDefinitionError("there are too many outputs")
    errors = []
    for r in definition.outputs(n):
        up = sum(max(a - b, 0) for a, b in zip(r, x, strict=True))
        down = sum(max(b - a, 0) for a, b in zip(r, x, strict=True))
        error = mpf(up + down) if report.metric == "l1" else hellinger(definition, x, r)
        errors.append(_Error(error, definition.probability(x, r), (max(up, down),), 1))
    if isinstance(definition, _Furthest):
        beyond = 1 - mp.fsum(output.mass for output in errors)
        errors.append(_Error(mpf(1), beyond, (), 1))
    return sorted(errors, key=lambda output: output.error)


def _law(outputs: Sequence[_Error]) -> list[_Error]:
    """Return the errors in increasing order, those that no digits tell apart as one."""
    groups: list[list[_Error]] = [[outputs[0]]]
    for before, output in pairwise(outputs):
        if output.error - before.error > _noise():
            groups.append([])
        groups[-1].append(output)
    return [_joined(group) for group in groups]


def _joined(group: Sequence[_Error]) -> _Error:
    steps = sorted({step for output in group for step in output.steps})
    mass, outputs = (
        mp.fsum(output.mass for output in group),
        sum(output.outputs for output in group),
    )
    return _Error(group[0].error, mass, tuple(steps), outputs)


def _check_law(
    size: Accuracy,
    outputs: Sequence[_Error],
    report: AccuracyReport,
    findings: Findings,
    where: str,
) -> None:
    """Check the law as it is listed, by distance or by steps."""
    by_steps: dict[tuple[int, ...], list[_Error]] = {}
    for output in outputs:
        by_steps.setdefault(output.steps, []).append(output)
    groups = [by_steps[steps] for steps in sorted(by_steps)]
    cells = _law(outputs) if report.by == "distance" else [_joined(group) for group in groups]
    furthest = [cell.error for cell in cells]
    if report.by != "distance":
        furthest = [group[-1].error for group in groups]
    slack = mpf(10) ** -report.digits
    message = f"there are {len(cells)} errors by {report.by}, not {len(size.law)}"
    findings.expect(len(cells) == len(size.law), "laws of errors", where, message)
    for entry, cell, far in zip(size.law, cells, furthest, strict=False):
        mass, error = entry.probability, entry.error
        good = well_formed(mass, report.digits) and contains(
            mass, cell.mass, _lost(cell.mass, report.digits)
        )
        good = good and contains(error, cell.error, _noise()) and contains(error, far, _noise())
        lower, upper = end(error.lower), end(error.upper)
        good = good and lower is not None and fraction(lower) >= cell.error - slack
        good = good and upper is not None and fraction(upper) <= far + slack
        good = good and entry.steps == cell.steps
        good = good and entry.outputs in (None, cell.outputs)
        apart, its_mass = shown_digits(cell.error, 20), shown_digits(cell.mass, 20)
        message = f"an error of {apart} has P = {its_mass}"
        findings.expect(good, "laws of errors", where, message)
    rest = size.remainder is not None and contains(size.remainder, mpf(0), mpf(0))
    findings.expect(rest, "laws of errors", where, "every error is listed")


def _check_realised(
    definition: Definition,
    interval: Enclosure,
    report: AccuracyReport,
    n: int,
    findings: Findings,
    *,
    options: RecheckOptions,
    where: str,
) -> None:
    """Check the largest loss over all pairs, where that is asked for or soon done."""
    relation = definition.relation(report.adjacency, defaulted=report.adjacency_defaulted)
    pairs = definition.counts(n, relation, None)[1]
    if not options.all_pairs and pairs * (definition.output_count(n) or _MOST_WORK) > _MOST_WORK:
        findings.take(REALISED)
        return
    ways = (way for pair in definition.pairs(n, relation, None) for way in (pair, pair[::-1]))
    loss = max(definition.largest_loss(*way) for way in ways)
    both = mp.isinf(loss) and interval.lower.is_infinite()
    message = f"it is {shown_digits(loss, 20)}, not in {interval}"
    good = both or contains(interval, loss, _lost(loss, report.digits))
    findings.expect(bool(good), "realised ε over all pairs", where, message)


def _quantile(law: Sequence[_Error], level: mpf) -> mpf:
    """Return the smallest error h with P(error ≤ h) ≥ level; what no digits tell from it is."""
    total = mpf(0)
    for cell in law:
        total += cell.mass
        if total >= level - _noise():
            break
    return cell.error


def _places(size: Accuracy) -> int:
    """Return how many zeros the smallest number shown has behind the point."""
    intervals = [size.mean, size.variance, *size.tails, *size.quantiles, size.realised]
    intervals += [part for cell in size.law for part in (cell.probability, cell.error)]
    ends = [part for each in intervals if each is not None for part in (each.lower, each.upper)]
    questions = [*(each.level for each in size.quantiles), *(each.threshold for each in size.tails)]
    small = (-part.adjusted() for part in ends if part.is_finite() and part)
    places = max(0, printed_places(*questions), *small)
    if places > _MOST_PLACES:
        raise UnknownDefinitionError("its values are too small to be computed again")
    return places


def _lost(computed: mpf, digits: int) -> mpf:
    """Return what may be lost of a number, in proportion to it; of 0 what is left of a difference.

    What is left of 1 when all else is taken off has the decimals that :func:`_places` adds.
    """
    if not computed or mp.isinf(computed):  # a share of infinity would allow everything
        return _noise()
    return abs(computed) * mpf(10) ** -(digits + SLACK_DIGITS)


def _noise() -> mpf:
    """Return what may be left of a difference that is 0."""
    return mpf(10) ** (20 - mp.dps)
