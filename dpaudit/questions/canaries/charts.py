"""Charts of audits by canaries: the bound over the number of guesses, the ROC, the scores.

The figure and the page draw the same charts.  Their numbers are floats, for the eye alone; no
verdict is read from them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dpaudit.errors import ParameterError
from dpaudit.numbers.ball import precision
from dpaudit.questions.canaries.all_sizes import sizes_tried
from dpaudit.questions.canaries.design import design_of
from dpaudit.questions.canaries.guessing import guesses_of, in_order, median_of
from dpaudit.questions.canaries.one_run import Guesses, largest_refuted
from dpaudit.questions.canaries.words import coins_in_words, kind_of
from dpaudit.report.figures.widths import HIGHEST
from dpaudit.report.formats.chart import Chart, Line
from dpaudit.results.values import decimal_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.numbers.real import Real
    from dpaudit.questions.canaries.guessing import GroupedScores
    from dpaudit.results import Budget, CanaryBound, CanaryReport

    Floats = NDArray[np.float64]
    Points = list[tuple[float, float]]

__all__ = ["canary_charts", "region", "roc"]

SizeT = TypeVar("SizeT")

_MOST_POINTS, _MOST_SERIES, _MOST_RATES = 60, 6, 2000
_DIGITS = 4
_MOST_TOSSES = 1000
"""A bound takes time with the square of the number of guesses where their odds differ."""
_BITS = 96
_MOST_BINS = 60
_LARGEST_EPSILON = 700.0
"""Up to here e^ε is a float; the region of a larger ε looks the same."""
_TOO_HIGH = 3.0
"""A budget so many times the largest bound is named, and not drawn."""
_FAR_OUT = 3.0
"""Scores are counted in the outermost intervals where their range is so many times the middle."""
_STEPS = 200
_LONGEST = 12
"""Longest number that a caption writes as it was given."""


def canary_charts(report: CanaryReport, scores: GroupedScores | None = None) -> list[Chart]:
    """Return what can be drawn of an audit: with its scores all charts, else those of its counts.

    Args:
        report: the report.
        scores: the scores that it was made from; None where there were only counts.
    """
    if report.worlds is not None:
        return [_of_worlds(report)]
    if scores is None and not any(bound.sizes for bound in report.bounds):
        return [_over_right(report)]
    charts = [_over_guesses(report, scores)]
    if scores is not None:
        if len(set(scores.inside)) == 2 and not _tells_apart(report):
            charts.append(_roc_of(report, scores))
        charts += _histograms(report, scores)
    return charts


def _tells_apart(report: CanaryReport) -> bool:
    """Return True if probabilities differ, so that both groups differ without any leak.

    A score that says nothing but the probability of its canary has then an ROC above the diagonal,
    and outside of the region of a training that leaks nothing.
    """
    return len(report.coins) > 1


def roc(scores: GroupedScores) -> Points:
    """Return the false and true positives of every threshold, from (0, 0) to (1, 1).

    A canary counts as called "in" if its score is at least the threshold.
    """
    inside, outside = scores.group(True), scores.group(False)
    thresholds = np.unique(np.concatenate([inside, outside]))[::-1]
    rates = [
        (len(group) - np.searchsorted(group, thresholds, side="left")) / len(group)
        for group in (outside, inside)
    ]
    places = np.arange(len(thresholds))
    if len(places) > _MOST_RATES:
        places = np.unique(np.linspace(0, len(places) - 1, _MOST_RATES).astype(int))
    return [(0.0, 0.0), *((float(rates[0][i]), float(rates[1][i])) for i in places)]


def region(
    *, epsilon: float = 0.0, delta: float = 0.0, mu: float | None = None
) -> list[tuple[float, float]]:
    """Return the outline of the pairs of false and true positives that a claim allows.

    With (ε, δ) each is at most e^ε times the other plus δ, and so are the negatives (Kairouz, Oh
    and Viswanath 2015); δ is at most 1.  With μ true positives are at most
    Φ(Φ⁻¹(false positives) + μ) (Dong, Roth and Su 2022).
    """
    if mu is None:
        corner = (1 - delta) / (1 + math.exp(min(epsilon, _LARGEST_EPSILON)))
        above = [(0.0, 0.0), (0.0, delta), (corner, 1 - corner), (1 - delta, 1.0), (1.0, 1.0)]
    else:
        normal = NormalDist()
        steps = [-9 + (18 + mu) * i / _STEPS for i in range(_STEPS + 1)]
        rates = [(normal.cdf(step - mu), normal.cdf(step)) for step in steps]
        above = [(0.0, 0.0), *rates, (1.0, 1.0)]
    return [*above, *((1 - x, 1 - y) for x, y in above[1:])]


def _over_guesses(report: CanaryReport, scores: GroupedScores | None) -> Chart:
    """Return the bound over the number of guesses, a series for each δ and level."""
    together = any(bound.sizes for bound in report.bounds)
    sizes = [_alone(report, bound, scores) for bound in report.bounds[:_MOST_SERIES]]
    numbers = [seen.guesses for several in sizes for seen in several]
    x_range = (min(numbers) / 1.15, max(numbers) * 1.15)
    lines: list[Line] = []
    for place, (bound, several) in enumerate(zip(report.bounds, sizes, strict=False)):
        dots = [(float(seen.guesses), _bound_of(seen, bound)) for seen in several]
        lines.append(Line(dots, "dots", f"{_named(bound)}: one number alone", place))
        lower = float(bound.epsilon.lower)
        valid = [(x, lower) for x in x_range] if together else [(float(report.guesses), lower)]
        said = "all numbers together" if together else "the fixed number"
        lines.append(Line(valid, "line", f"{_named(bound)}: {said}", place))
    alone = "hollow dots: the bound for one number alone, valid only if it was fixed beforehand"
    says = [
        "line: the bound of this audit, for all these numbers of guesses together"
        if together
        else "full dot: the bound of this audit, whose number of guesses was fixed beforehand",
        alone,
    ]
    if not together and scores is not None and _is_slow(report):
        says.append(f"bounds for more than {_MOST_TOSSES} guesses are not drawn, which take long")
    if scores is not None and _tells_apart(report):
        says.append(
            "no ROC: where probabilities differ, scores can tell those in from those out "
            "without a leak"
        )
    what = ' "in"' if report.one_sided else ""
    across = f"number of guesses{what} about {report.canaries} {kind_of(report)}"
    return _bounds_chart(report, across, lines, says, x_range)


def _bounds_chart(
    report: CanaryReport,
    across: str,
    lines: list[Line],
    says: list[str],
    x_range: tuple[float, float],
    *,
    logarithmic: bool = True,
) -> Chart:
    """Return a chart of bounds on ε, with the budget where it is not far above them."""
    top = max(y for line in lines for _, y in line.points)
    budget = report.budget
    if budget is not None:
        height = float(budget.epsilon)
        shown = f"ε = {_short(budget.epsilon)}"
        if not budget.is_pure:
            shown = f"({_short(budget.epsilon)}, {_short(budget.delta)})"
        if top and height > _TOO_HIGH * top:
            says.append(f"the budget {shown} is above the chart")
        else:
            top = max(top, height)
            lines.append(Line([(x, height) for x in x_range], "budget"))
            says.append(f"dashed: the budget {shown}")
    if len(report.bounds) > _MOST_SERIES:
        says.append(f"the first {_MOST_SERIES} of {len(report.bounds)} bounds are drawn")
    if report.one_sided:
        says.append('every guess was "in"')
    if not report.matching:
        says.append(coins_in_words(report))
    elif report.group > 1:
        says.append(f"each canary was a group of {report.group} examples")
    return Chart(
        "Refuted ε",
        across,
        "ε at least" if report.group == 1 else "ε of one example at least",
        lines,
        says,
        x_range,
        (0.0, 1.07 * top or 1.0),
        logarithmic,
    )


def _alone(report: CanaryReport, bound: CanaryBound, scores: GroupedScores | None) -> list[Guesses]:
    """Return the guesses, counted, for each number of guesses that is drawn."""
    design = design_of(report)
    if bound.sizes or scores is None:
        return [
            Guesses(report.canaries, size.guesses, size.right, design) for size in _few(bound.sizes)
        ]
    order = in_order(scores.points)
    found = {report.guesses: Guesses(report.canaries, report.guesses, report.right, design)}
    for size in _few(sizes_tried(report.canaries, bound.delta, bound.level, design)):
        if size in found or (_is_slow(report) and size > _MOST_TOSSES):
            continue
        try:
            found[size] = guesses_of(scores, size, design, order)
        except ParameterError:  # equal scores at the border: no guess is defined there
            continue
    return [found[size] for size in sorted(found)]


def _is_slow(report: CanaryReport) -> bool:
    """Return True if the bound of so many guesses as there are canaries takes long."""
    return design_of(report).equal_probability is None and report.canaries > _MOST_TOSSES


def _few(sizes: Sequence[SizeT]) -> Sequence[SizeT]:
    """Return the sizes that are drawn: some of them, if they are many, and the last."""
    return sizes[:: -max(1, -(-len(sizes) // _MOST_POINTS))][::-1]


def _bound_of(seen: Guesses, bound: CanaryBound) -> float:
    return float(largest_refuted(seen, bound.delta, bound.level, _DIGITS).lower)


def _named(bound: CanaryBound) -> str:
    return f"δ = {_short(bound.delta)}, level {_short(bound.level)}"


def _over_right(report: CanaryReport) -> Chart:
    """Return the bound over the number of right guesses, where only counts are known."""
    design = design_of(report)
    first = min(report.guesses // 2, report.right)
    step = max(1, -(-(report.guesses - first) // _MOST_POINTS))
    rights = sorted({*range(first, report.guesses, step), report.guesses, report.right})
    lines: list[Line] = []
    for place, bound in enumerate(report.bounds[:_MOST_SERIES]):
        several = [Guesses(report.canaries, report.guesses, right, design) for right in rights]
        heights = [(float(seen.right), _bound_of(seen, bound)) for seen in several]
        lines.append(Line(heights, "line", _named(bound), place))
        seen = (float(report.right), float(bound.epsilon.lower))
        lines.append(Line([seen], "line", series=place))
    says = ["lines: the largest ε refuted by so many right guesses", "dots: this audit"]
    ends = (float(first), float(report.guesses))
    x_range = ends if first < report.guesses else (first - 0.5, first + 0.5)
    across = f"right guesses of {report.guesses}"
    if report.one_sided:
        across += ', all of them "in"'
    return _bounds_chart(report, across, lines, says, x_range, logarithmic=False)


def _claim(report: CanaryReport) -> tuple[Line, str, list[str]]:
    """Return the region of the claim, or else of the bound, its words, and how to read it."""
    if report.profile is not None:
        mu = report.profile.mu
        outline, words, read = region(mu=float(mu)), f"{_short(mu)}-GDP", list[str]()
    elif report.budget is not None:
        epsilon, delta = _of_group(report, report.budget)
        outline = region(epsilon=epsilon, delta=delta)
        words, read = _promise(_short(report.budget.epsilon), report.budget.delta), []
        if report.group > 1:
            words += " of one example"
            read = [
                f"for a group of {report.group} its ε is about {epsilon:.5g}, its δ {delta:.5g}"
            ]
            if delta == 1:
                read = [f"for a group of {report.group} examples it excludes nothing"]
    else:
        bound, whose = report.bounds[0], ""
        lower = bound.epsilon.lower
        if bound.group_epsilon is not None:
            lower, whose = bound.group_epsilon.lower, " of a group"
        outline = region(epsilon=float(lower), delta=float(bound.delta))
        words = _promise(decimal_text(lower), bound.delta) + whose
        read = [f"this ε{whose} is the bound of the audit, since no budget was given"]
    return Line(outline, "region", f"allowed by {words}"), words, read


def _of_group(report: CanaryReport, budget: Budget) -> tuple[float, float]:
    """Return about the (ε, δ) that a budget for one example allows for what one coin decides."""
    with precision(_BITS):
        whole = design_of(report).of_group(budget.epsilon.ball(), budget.delta.ball())
        epsilon, delta = (float(end.upper()) for end in whole)
    return epsilon, min(delta, 1.0)


def _promise(epsilon: str, delta: Real) -> str:
    return f"({epsilon}, {_short(delta)})-DP" if float(delta) else f"{epsilon}-DP"


def _short(number: Real) -> str:
    """Return a number that was given, or its first digits where it is long."""
    text = str(number)
    return text if len(text) <= _LONGEST else f"about {float(number):.5g}"


def _rates_chart(report: CanaryReport, lines: list[Line], says: list[str], of: str) -> Chart:
    allowed, words, read = _claim(report)
    about = [
        f"shaded: the probabilities that {words} allows {of}",
        *read,
        "measured shares leave the region by chance too, so that alone refutes nothing",
        "dotted: guesses at random",
    ]
    chance = Line([(0.0, 0.0), (1.0, 1.0)], "chance")
    return Chart(
        "True and false positives",
        "share called in, of those out",
        "share called in, of those in",
        [allowed, chance, *lines],
        [*says, *about],
        (0.0, 1.0),
        (0.0, 1.0),
    )


def _roc_of(report: CanaryReport, scores: GroupedScores) -> Chart:
    of = "canary" if report.group == 1 else f"group of {report.group} examples"
    of = f"for each {'pair' if report.matching else of}"
    says = ["line: the two shares at every threshold of the scores"]
    if report.matching:
        says.append("a pair is in if its first canary was in, and out if its second was")
    return _rates_chart(report, [Line(roc(scores))], says, of)


def _of_worlds(report: CanaryReport) -> Chart:
    worlds = report.worlds
    assert worlds is not None
    rates = worlds.false_positives / worlds.others, worlds.true_positives / worlds.members
    says = ["dot: the two shares of the trainings, those with the canary (in) and without it (out)"]
    return _rates_chart(report, [Line([rates])], says, "for every rule")


def _histograms(report: CanaryReport, scores: GroupedScores) -> Iterator[Chart]:
    """Yield the histograms of both groups; nothing where no score is finite."""
    every = np.array(scores.points)
    finite = np.sort(every[np.abs(every) < HIGHEST])
    if not len(finite):
        return
    low, high, beyond = _range_of(finite)
    edges = _edges(finite, low, high)
    lines, tallest = [], 0.0
    names = ("first canary in", "second canary in") if report.matching else ("in", "out")
    for series, (inside, name) in enumerate(zip((True, False), names, strict=True)):
        group = scores.group(inside)
        drawn = np.clip(group[np.abs(group) < HIGHEST], edges[0], edges[-1])
        shares = np.histogram(drawn, edges)[0] / max(len(group), 1)
        tallest = max(tallest, float(shares.max()))
        outline = [(float(edges[0]), 0.0)]
        for left, right, share in zip(edges[:-1], edges[1:], shares, strict=True):
            outline += [(float(left), float(share)), (float(right), float(share))]
        outline.append((float(edges[-1]), 0.0))
        lines.append(Line(outline, "line", f"{name} ({len(group)})", series))
    top = 1.07 * tallest or 1.0
    says = ["share of those in, and of those out, in an interval of scores"]
    if _tells_apart(report):
        says.append(
            "those with high probabilities are often in, so that a difference alone shows no leak"
        )
    cuts, words = _cuts(report, scores)
    drawn_cuts = [cut for cut in dict.fromkeys(cuts) if edges[0] <= cut <= edges[-1]]
    lines += [Line([(cut, 0.0), (cut, top)], "chance") for cut in drawn_cuts]
    says += [words] if drawn_cuts else []
    if beyond:
        says.append(f"the outermost intervals also count {beyond} scores beyond them")
    if infinite := len(every) - len(finite):
        says.append(f"{infinite} scores are infinite, or too large to draw")
    name = "difference of the scores of a pair" if report.matching else "score"
    if scores.negated:
        name = f"minus the {name}"
    ends = (float(edges[0]), float(edges[-1]))
    yield Chart("Scores", name, "share of those in or out", lines, says, ends, (0.0, top))


def _range_of(finite: Floats) -> tuple[float, float, int]:
    """Return the range that is drawn, and how many scores lie beyond it."""
    low, high = float(finite[0]), float(finite[-1])
    first, last = (float(end) for end in np.quantile(finite / 4, [0.02, 0.98]) * 4)
    middle = last - first
    if not middle or high - low <= _FAR_OUT * middle:
        return low, high, 0
    ends = max(low, first - middle / 2), min(high, last + middle / 2)
    return *ends, int(np.sum((finite < ends[0]) | (finite > ends[1])))


def _edges(finite: Floats, low: float, high: float) -> Floats:
    """Return the ends of the intervals, about as many as the root of the number of scores."""
    count = max(1, min(_MOST_BINS, math.isqrt(len(finite))))
    places = np.linspace(0.0, 1.0, count + 1)
    edges: Floats = np.unique(low * (1 - places) + high * places)
    if len(edges) < 2:
        half = max(0.5, abs(low) / 8)
        edges = np.array([low - half, low + half])
    return edges


def _cuts(report: CanaryReport, scores: GroupedScores) -> tuple[list[float], str]:
    """Return the scores that divide guesses, and the words of the caption."""
    ordered = sorted(scores.points)
    if report.one_sided:
        first = len(ordered) - report.guesses
        if first and ordered[first - 1] == ordered[first]:  # equal scores there are not guessed
            first = bisect_right(ordered, ordered[first])
        cuts = [_between(ordered, first)] if 0 < first < len(ordered) else []
        most = "at most" if any(bound.sizes for bound in report.bounds) else "all"
        return cuts, f'dotted: {most} {report.guesses} guesses, "in", are right of the line'
    if any(bound.sizes for bound in report.bounds):
        return [median_of(ordered)], 'dotted: the median, with the guesses "in" right of it'
    out, within = report.guesses // 2, report.guesses - report.guesses // 2
    places = {out, len(ordered) - within} - {0, len(ordered)}
    cuts = [_between(ordered, place) for place in sorted(places)]
    return cuts, 'dotted: the guesses "out" are left of the lines, and the guesses "in" right'


def _between(ordered: Sequence[float], place: int) -> float:
    return ordered[place - 1] / 2 + ordered[place] / 2
