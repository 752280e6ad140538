"""Figures and pages of audits by canaries: what is drawn, against another computation."""

import math
import random
from html import unescape
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.path import Path as Outline

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.questions.canaries.charts import canary_charts, region, roc
from dpaudit.questions.canaries.function import CanaryAudit
from dpaudit.questions.canaries.guessing import GroupedScores
from dpaudit.report.formats.chart import Chart, Line


def scored(seed: int, count: int, shift: float) -> tuple[list[float], list[bool]]:
    rng = random.Random(seed)
    member = [rng.random() < 0.5 for _ in range(count)]
    return [rng.gauss(shift * one, 1) for one in member], member


def charts_of(audit: CanaryAudit) -> list[Chart]:
    return canary_charts(audit.report, audit.scores)


def lines_of(chart: Chart, style: str) -> list[Line]:
    return [line for line in chart.lines if line.style == style]


def caption_of(figure: Figure) -> str:
    return str(getattr(figure, "caption", ""))


@pytest.mark.parametrize("step", [0, 1, 4])
def test_the_roc_has_the_counts_of_every_threshold(step: int) -> None:
    rng = random.Random(step)
    points = [rng.gauss(0, 1) for _ in range(60)]
    points = [round(one * step) / step if step else one for one in points]
    inside = [rng.random() < 0.5 for _ in points]
    expected = {(0.0, 0.0)}
    for threshold in points:
        called = [point >= threshold for point in points]
        true = sum(c for c, i in zip(called, inside, strict=True) if i)
        false = sum(c for c, i in zip(called, inside, strict=True) if not i)
        expected.add((false / inside.count(False), true / inside.count(True)))
    found = roc(GroupedScores(tuple(points), tuple(inside)))
    assert set(found) == expected
    assert found == sorted(found)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (0, 0.2), (1.5, 0), (0.7, 0.1), (900, 0)])
def test_the_region_of_a_budget_is_what_its_definition_allows(epsilon: float, delta: float) -> None:
    outline = Outline(region(epsilon=epsilon, delta=delta))
    odds, rng = mpmath.exp(epsilon), random.Random(7)
    near = 0
    for _ in range(2000):
        x, y = rng.random(), rng.random()
        slack = min(
            odds * x + delta - y,
            odds * y + delta - x,
            odds * (1 - x) + delta - (1 - y),
            odds * (1 - y) + delta - (1 - x),
        )
        if abs(slack) < 1e-9:
            near += 1
            continue
        assert bool(outline.contains_point((x, y))) is bool(slack > 0), (x, y)
    assert near < 5


def test_the_region_of_a_profile_is_that_of_two_normal_distributions() -> None:
    mu = 1.3
    outline = region(mu=mu)
    half = outline[1 : len(outline) // 2]
    for x, y in half:
        if 1e-12 < x < 1 - 1e-12:
            quantile = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(x) - 1)
            assert float(mpmath.ncdf(quantile + mu)) == pytest.approx(y, abs=1e-4)
    assert max(b[0] - a[0] for a, b in pairwise(half)) < 0.06
    assert {(round(1 - x, 12), round(1 - y, 12)) for x, y in outline} == {
        (round(x, 12), round(y, 12)) for x, y in outline
    }


def test_bounds_over_the_number_of_guesses_are_those_of_the_public_function() -> None:
    scores, member = scored(1, 200, 1.5)
    audit = dpaudit.canaries(scores, member, delta="1e-5", budget=(1, "1e-5"))
    chart = charts_of(audit)[0]
    (dots,), (together,), (budget,) = (lines_of(chart, s) for s in ("dots", "line", "budget"))
    (bound,) = audit.bounds
    assert [x for x, _ in dots.points] == [size.guesses for size in bound.sizes]
    for (_, height), size in zip(dots.points, bound.sizes, strict=True):
        alone = dpaudit.canaries(
            canaries=200, guesses=size.guesses, right=size.right, delta="1e-5", digits=4
        )
        assert height == float(alone.bounds[0].epsilon.lower)
    assert {y for _, y in together.points} == {float(bound.epsilon.lower)}
    assert {y for _, y in budget.points} == {1.0}
    assert any("valid only if it was fixed beforehand" in clause for clause in chart.says)
    assert chart.x_range[0] <= 8
    assert chart.x_range[1] >= 200
    assert max(height for _, height in dots.points) <= chart.y_range[1]


def test_a_fixed_number_of_guesses_is_told_from_those_that_were_not_fixed() -> None:
    scores, member = scored(2, 150, 1.5)
    audit = dpaudit.canaries(scores, member, guesses=40, delta="1e-5")
    chart = charts_of(audit)[0]
    (dots,), (fixed,) = lines_of(chart, "dots"), lines_of(chart, "line")
    assert fixed.points == [(40.0, float(audit.bounds[0].epsilon.lower))]
    for guesses, height in dots.points:
        other = dpaudit.canaries(scores, member, guesses=int(guesses), delta="1e-5", digits=4)
        assert height == float(other.bounds[0].epsilon.lower)
    assert {8, 40, 150} <= {int(x) for x, _ in dots.points}
    assert any("full dot: the bound of this audit" in clause for clause in chart.says)


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_histogram_has_every_score_once(direction: str) -> None:
    scores, member = scored(3, 400, 2.0)
    audit = dpaudit.canaries(scores, member, direction=direction)
    chart = charts_of(audit)[2]
    sign = 1 if direction == "higher" else -1
    assert chart.across == ("score" if sign > 0 else "minus the score")
    for inside, line in zip((True, False), lines_of(chart, "line"), strict=True):
        group = [sign * s for s, one in zip(scores, member, strict=True) if one is inside]
        assert line.label == f"{'in' if inside else 'out'} ({len(group)})"
        bars = [(a[0], b[0], a[1]) for a, b in pairwise(line.points)]
        bars = [bar for bar in bars if bar[0] < bar[1]]
        last = bars[-1][1]
        for left, right, share in bars:
            count = sum(left <= s < right or s == right == last for s in group)
            assert share == pytest.approx(count / len(group))
        assert sum(share for *_, share in bars) == pytest.approx(1)
    (median,) = lines_of(chart, "chance")
    assert median.points[0][0] == pytest.approx(sign * float(np.median(scores)))


@pytest.mark.parametrize("guesses", [1, 41, 90, 150])
def test_lines_between_scores_divide_the_guesses(guesses: int) -> None:
    scores, member = scored(13, 150, 1.5)
    chart = charts_of(dpaudit.canaries(scores, member, guesses=guesses))[2]
    cuts = [line.points[0][0] for line in lines_of(chart, "chance")]
    counts = {sum(score < cut for score in scores) for cut in cuts}
    assert counts == {guesses // 2, 150 - (guesses - guesses // 2)} - {0, 150}


def test_the_figure_draws_the_charts() -> None:
    scores, member = scored(4, 300, 2.0)
    audit = dpaudit.canaries(scores, member, delta="1e-5", level=["1/20", "1e-3"])
    figure = audit.figure()
    charts = charts_of(audit)
    assert len(figure.axes) == len(charts) == 3
    for axes, chart in zip(figure.axes, charts, strict=True):
        expected = [list(map(list, line.points)) for line in chart.lines if line.style != "region"]
        assert [np.asarray(line.get_xydata()).tolist() for line in axes.lines] == expected
        shaded = [line.points for line in chart.lines if line.style == "region"]
        drawn = [
            np.asarray(patch.get_xy())[: len(shaded[0])].tolist()
            for patch in axes.patches
            if isinstance(patch, Polygon)
        ]
        assert drawn == [list(map(list, points)) for points in shaded]
        assert axes.get_xlabel() == chart.across
        assert all(clause in caption_of(figure) for clause in chart.says)
    assert "refutes nothing" in caption_of(figure)


def test_the_shaded_region_is_the_claim_or_else_the_bound() -> None:
    scores, member = scored(5, 300, 2.0)

    def shaded(**asked: object) -> tuple[Line, Chart]:
        chart = charts_of(dpaudit.canaries(scores, member, **asked))[1]  # type: ignore[arg-type]
        (line,) = lines_of(chart, "region")
        return line, chart

    line, chart = shaded(budget=("1/2", "1e-5"))
    assert line.points == region(epsilon=0.5, delta=1e-5)
    assert line.label == "allowed by (1/2, 1/100000)-DP"
    line, _ = shaded(guesses=50, profile="mu=3/2")
    assert line.points == region(mu=1.5)
    assert line.label == "allowed by 3/2-GDP"
    line, chart = shaded(delta="1e-5")
    bound = dpaudit.canaries(scores, member, delta="1e-5").bounds[0]
    assert line.points == region(epsilon=float(bound.epsilon.lower), delta=1e-5)
    assert "this ε is the bound of the audit, since no budget was given" in chart.says


def test_pairs_of_a_matching_are_what_is_drawn() -> None:
    scores, member = scored(6, 200, 2.0)
    audit = dpaudit.canaries(scores, member, matching=7)
    pairs = audit.report.canaries
    over, rates, shares = charts_of(audit)
    assert over.across == f"number of guesses about {pairs} pairs"
    assert "a pair is in if its first canary was in, and out if its second was" in rates.says
    counts = [int(line.label.split("(")[1][:-1]) for line in lines_of(shares, "line")]
    assert sum(counts) == pairs
    assert shares.across == "difference of the scores of a pair"


def test_counts_alone_have_the_bound_over_right_guesses() -> None:
    audit = dpaudit.canaries(canaries=1000, guesses=100, right=75, delta="1e-4")
    assert audit.scores is None
    (axes,) = audit.figure().axes
    assert axes.get_xlabel() == "right guesses of 100"
    line, dot = axes.lines
    assert np.asarray(dot.get_xydata()).tolist() == [[75.0, 0.695126017639]]
    assert [75.0, 0.6951] in np.asarray(line.get_xydata()).tolist()


def test_two_worlds_are_a_dot_and_claim_nothing_about_coins() -> None:
    audit = dpaudit.canaries(counts="tp=40,fp=5,in=50,out=20", budget=2)
    figure = audit.figure()
    (axes,) = figure.axes
    assert np.asarray(axes.lines[-1].get_xydata()).tolist() == [[0.25, 0.8]]
    assert "probability 1/2" not in caption_of(figure)
    assert lines_of(charts_of(audit)[0], "region")[0].points == region(epsilon=2.0)


def test_a_budget_far_above_the_bounds_is_named_and_not_drawn() -> None:
    scores, member = scored(8, 100, 1.0)
    chart = charts_of(dpaudit.canaries(scores, member, budget=100))[0]
    assert lines_of(chart, "budget") == []
    assert "the budget ε = 100 is above the chart" in chart.says


def test_a_long_number_is_shown_by_its_first_digits() -> None:
    scores, member = scored(12, 100, 2.0)
    budget = ("0.12345678901234567", "1/3000000000000")
    charts = charts_of(dpaudit.canaries(scores, member, budget=budget, delta="1/3000000000000"))
    assert "dashed: the budget (about 0.12346, about 3.3333e-13)" in charts[0].says
    assert "about 0.12346, about 3.3333e-13)-DP allows" in " ".join(charts[1].says)


@pytest.mark.parametrize(
    ("scores", "member"),
    [
        ([1.0], [1]),
        ([1.0, 1.0, 1.0, 1.0], [1, 0, 1, 0]),
        ([math.inf, -math.inf, math.inf, -math.inf], [1, 0, 1, 0]),
        ([1e308, -1e308, 5.0, 4.0, 3.0], [1, 0, 1, 1, 0]),
        ([1e16, 1e16 + 2, 1e16, 1e16 + 2], [1, 0, 1, 1]),
        ([5e-324, 0.0, 5e-324, 0.0], [1, 0, 1, 1]),
        ([0.1, 0.2, 0.3], [1, 1, 1]),
    ],
)
def test_extreme_scores_are_drawn(scores: list[float], member: list[int], tmp_path: Path) -> None:
    audit = dpaudit.canaries(scores, member)
    names = [chart.title for chart in charts_of(audit)]
    assert ("True and false positives" in names) is (len(set(member)) == 2)
    infinite = sum(abs(one) >= 1e300 for one in scores)
    said = " ".join(clause for chart in charts_of(audit) for clause in chart.says)
    assert (f"{infinite} scores are infinite" in said) is (0 < infinite < len(scores))
    for width in ("page", "column"):
        audit.plot(tmp_path / f"{width}.svg", width=width)


def test_far_scores_are_counted_at_the_ends() -> None:
    rng = random.Random(9)
    scores = [rng.gauss(0, 1) for _ in range(98)] + [1e9, -1e9]
    member = [rng.random() < 0.5 for _ in scores]
    chart = charts_of(dpaudit.canaries(scores, member))[2]
    assert chart.x_range[1] < 100
    assert "the outermost intervals also count 2 scores beyond them" in chart.says


def test_no_export_contains_the_scores() -> None:
    scores, member = scored(10, 60, 1.0)
    audit = dpaudit.canaries(scores, member)
    exported = audit.to_json() + audit.to_csv() + str(audit) + repr(audit)
    assert not any(str(one)[:8] in exported for one in scores)


def test_a_page_has_the_charts_the_assumptions_and_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scores, member = scored(11, 120, 2.0)
    np.savez("scores.npz", score=scores, member=member)
    words = ["canaries", "scores.npz", "--delta", "1e-5", "--budget", "1,1e-5", "--level", "1e-3"]
    code = invoke([*words, "--report", "html=page.html", "--plot", "figure.svg"])
    assert code == 1
    page = unescape(Path("page.html").read_text())
    audit = dpaudit.canaries(scores, member, delta="1e-5", budget=(1, "1e-5"), level="1e-3")
    charts = charts_of(audit)
    assert page.count("<figure>") == 3
    for chart in charts:
        assert chart.drawn() in Path("page.html").read_text()
        assert all(clause in page for clause in chart.says)
    assert "<h2>What has to be true</h2>" in page
    assert "Each canary was in with probability 1/2" in page
    assert f"dpaudit {' '.join(words)} --report html=page.html --plot figure.svg" in page
    assert "True and false positives" in Path("figure.svg").read_text()


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"matching": 7}, "The seed 7 of the matching was chosen before"),
        ({"guesses": 20}, "The number of guesses, 20, was fixed before"),
        ({"inclusion": True}, "The manifest with the SHA-256"),
    ],
)
def test_assumptions_are_those_of_the_audit(asked: dict[str, object], sentence: str) -> None:
    from dpaudit.report.views import view_of

    plan = dpaudit.plan_inclusion(40, seed=1)
    rng = random.Random(3)
    scores = [rng.gauss(0, 1) for _ in range(40)]
    members = None if "inclusion" in asked else plan.member
    if "inclusion" in asked:
        asked = {"inclusion": plan}
    audit = dpaudit.canaries(scores, members, **asked)  # type: ignore[arg-type]
    said = " ".join(view_of(audit.report).assumed(audit.report))
    assert sentence in said
    other = dpaudit.canaries(scores, plan.member)
    assert sentence not in " ".join(view_of(other.report).assumed(other.report))
