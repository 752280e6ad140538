"""The recheck of a hunt: the audit of its worst point, where its points lie, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from dpaudit.recheck.agreement import contains, end
from dpaudit.recheck.audits import check_audit
from dpaudit.recheck.findings import Findings, NotAReportError
from dpaudit.recheck.numbers import fraction, rational, same_number, value
from dpaudit.recheck.options import CODE, MESSAGES, RecheckOptions
from dpaudit.recheck.registry import DEFAULTS, differences, same_parameter
from dpaudit.results import HuntReport, HuntVerdict, Verdict, WorstPoint
from dpaudit.results.words import same_mechanism

__all__ = ["UNTOLD", "check_hunt"]

SEARCH = (
    "how the search went (its seed, its limits, its scales, why it ended), and that no other "
    "point of the search is worse: only the worst is audited again"
)
UNTOLD = "the audit does not name the parameters of the point"
OPEN = "how many points the search left open"
REPLAY = "the command that audits the worst point again"
_WHOLE = ("n", "k")


def check_hunt(hunt: HuntReport, findings: Findings, options: RecheckOptions) -> None:
    """Recheck a hunt; note in ``findings`` what agrees, what does not, and what is not told."""
    for statement in (CODE, SEARCH, OPEN):
        findings.take(statement)
    names = [parameter.name for parameter in hunt.searched]
    good = len(set(names)) == len(names) > 0
    findings.expect(good, "searches", hunt.mechanism, "a parameter is searched twice, or none is")
    points = [("worst", hunt.worst.parameters)] if hunt.worst is not None else []
    points += [("left out", parameter.parameters) for parameter in hunt.unevaluated]
    for which, point in points:
        where = f"{hunt.mechanism}, a point that is {which}"
        inside = list(point) == names and all(
            _lies_in(parameter.values, point[parameter.name], whole=parameter.name in _WHOLE)
            for parameter in hunt.searched
        )
        listing = ", ".join(f"{name} = {text}" for name, text in point.items())
        findings.expect(inside, "points in the space", where, f"{listing} was not to be searched")
    counts = 0 <= hunt.certified <= hunt.evaluated and 0 <= hunt.unsettled <= hunt.uncertified
    counts = counts and (hunt.worst is None) is (hunt.evaluated == 0 == hunt.certified)
    findings.expect(
        counts, "numbers of points", hunt.mechanism, "its numbers of points are impossible"
    )
    if hunt.worst is not None:
        findings.take(REPLAY)
        options.progress(f"the worst point of {hunt.mechanism}")
        check_audit(hunt.worst.audit, findings, options)
        _check_point(hunt, hunt.worst, findings)
        _check_ratio(hunt, hunt.worst, findings)
    if hunt.unevaluated:
        findings.take(MESSAGES)
    expected = _verdict(hunt)
    message = f"the findings make it {expected.value}, not {hunt.verdict.value}"
    findings.expect(hunt.verdict is expected, "verdicts of hunts", hunt.mechanism, message)


def _verdict(hunt: HuntReport) -> HuntVerdict:
    """Return the verdict on a hunt; it is undecided where a point is left open."""
    if hunt.worst is None:
        return HuntVerdict.UNDECIDED
    verdict = hunt.worst.audit.verdict
    if verdict is Verdict.EXCEEDS:
        return HuntVerdict.EXCEEDS
    left_open = hunt.unsettled or any(not point.costly for point in hunt.unevaluated)
    undecided = verdict is Verdict.UNDECIDED or left_open
    return HuntVerdict.UNDECIDED if undecided else HuntVerdict.NONE


def _lies_in(values: str, text: str, *, whole: bool) -> bool:
    """Tell whether a value is one of a range, FIRST..LAST or FIRST..LAST..STEP, or of a list."""
    if ".." not in values:
        return any(same_parameter(entry, text) for entry in values.split(","))
    try:
        point = rational(text)
        first, last, *step = (rational(part) for part in values.split(".."))
    except ValueError:
        return False
    grid = step[0] if step else Fraction(1) if whole else None
    if not first <= point <= last or (grid is not None and grid <= 0):
        return False
    return grid is None or (point - first) % grid == 0


def _check_point(hunt: HuntReport, worst: WorstPoint, findings: Findings) -> None:
    """Check that the audit is that of the point: its size, its parameters and its budget."""
    audit, requested = worst.audit, {**hunt.fixed, **worst.parameters}
    n = requested.pop("n", None)
    sizes = [str(size) for size in audit.sizes]
    good = len(sizes) == 1 and n in (None, sizes[0]) and audit.data is None
    findings.expect(good, "sizes of points", hunt.mechanism, f"the audit is of {sizes}, not of {n}")
    reported = {key: text for key, text in audit.described.items() if key != "name"}
    name = str(audit.described.get("name"))
    if audit.loaded is not None:
        untold = sorted(requested.keys() - reported.keys())
        if untold:
            findings.unknown(hunt.mechanism, f"{UNTOLD}: {', '.join(untold)}")
        requested = {key: text for key, text in requested.items() if key in reported}
    wrong = _differences(name, requested, reported, own=audit.loaded is not None)
    findings.expect(not wrong, "parameters of points", hunt.mechanism, "; ".join(wrong))
    reference = name if audit.loaded is None else audit.loaded.reference
    same = same_mechanism(hunt.mechanism, reference)
    same = same or (audit.loaded is None and name not in DEFAULTS)  # which is noted
    message = f"the audit is of {reference}, not of {hunt.mechanism}"
    findings.expect(same, "mechanisms searched", hunt.mechanism, message)
    budget, required = audit.budget, hunt.budget or audit.stated
    if budget is None:
        findings.expect(False, "budgets of points", hunt.mechanism, "the audit has no budget")
        return
    expected = [str(reported.get("epsilon")), "0"]
    if required is not None:
        expected = [str(required.epsilon), str(required.delta)]
    same = same_parameter(expected, [str(budget.epsilon), str(budget.delta)])
    findings.expect(same, "budgets of points", hunt.mechanism, f"the budget is not {expected}")
    measure = "epsilon" if same_number(budget.delta, "0") else "delta"
    message = f"the ratio is of {measure}, not of {hunt.measure}"
    findings.expect(hunt.measure == measure, "measures of hunts", hunt.mechanism, message)


def _differences(
    name: str, requested: dict[str, str], reported: Mapping[str, Any], *, own: bool
) -> list[str]:
    """Return in words which parameters of an audit are not those of a point."""
    prior = reported.get("prior")
    if isinstance(prior, list):
        k = requested.pop("k", None)
        single = requested.get("prior")
        if single is not None and "," not in single:
            # One number stands for a flat prior.
            requested["prior"] = ",".join([single] * len(prior))
        for key in [key for key in requested if key.startswith("prior.")]:
            place = key.removeprefix("prior.")
            at = int(place) - 1 if place.isdecimal() else len(prior)
            part = requested.pop(key)
            if at >= len(prior) or not same_parameter(part, prior[at]):
                return [f"{key} is not {part}"]
            requested.setdefault("prior", ",".join(prior))
        if k is not None and k != str(len(prior)):
            return [f"the prior is not one over {k} categories"]
        if "prior" not in requested:
            requested["prior"] = ",".join(["1"] * len(prior))
    if own:
        wrong = [key for key in requested if not same_parameter(requested[key], reported.get(key))]
        return [f"{key} is {reported.get(key)}, not {requested[key]}" for key in wrong]
    if name not in DEFAULTS:
        return []  # there is no definition of it, which is noted
    return differences(name, requested, reported)


def _check_ratio(hunt: HuntReport, worst: WorstPoint, findings: Findings) -> None:
    """Check that the ratio is that of the audit's interval to its budget, and as narrow."""
    audit = worst.audit
    if not audit.results or worst.ratio is None:
        good = not audit.results and worst.ratio is None
        findings.expect(
            good,
            "ratios",
            hunt.mechanism,
            "a point must have a ratio if it has a result, and only then",
        )
        return
    if len(audit.results) != 1:
        raise NotAReportError("the audit of a point must be of one size")
    (size,) = audit.results
    budget = audit.held_to
    pure = same_number(budget.delta, "0")
    interval = size.epsilon if pure else size.delta_held
    with mp.workdps(audit.digits + 45):
        limit = value(budget.epsilon if pure else budget.delta)
        lower, upper = end(interval.lower), end(interval.upper)
        ends = [end(worst.ratio.lower), end(worst.ratio.upper)]
        if lower is None or upper is None or None in ends:
            good = [lower is None, upper is None] == [bound is None for bound in ends]
            good = good and (
                lower is None or contains(worst.ratio, fraction(lower) / limit, mpf(0))
            )
        else:
            middle = fraction(lower + upper) / 2
            if interval.exact is not None:
                middle = value(interval.exact)
            ratio, slack = middle / limit, mpf(10) ** -audit.digits
            width = fraction(ends[1] - ends[0]) if ends[0] is not None and ends[1] else mpf(0)
            wide = fraction(upper - lower) / limit + 3 * slack * max(mpf(1), ratio)
            good = contains(worst.ratio, ratio, slack**2 * ratio) and width <= wide
    message = f"the ratio of {interval} to the budget is not in {worst.ratio}"
    findings.expect(bool(good), "ratios", hunt.mechanism, message)
