"""Figures and pages of audits with other guesses, probabilities and groups."""

import random
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from matplotlib.path import Path as Outline

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.questions.canaries.charts import canary_charts, region
from dpaudit.questions.canaries.function import CanaryAudit
from dpaudit.report.formats.chart import Chart, Line

ROC = "True and false positives"


def scored(
    seed: int, count: int, shift: float, chances: Any = 0.5
) -> tuple[list[float], list[bool]]:
    rng = random.Random(seed)
    each = chances if isinstance(chances, list) else [chances] * count
    member = [rng.random() < chance for chance in each]
    return [rng.gauss(shift * one, 1) for one in member], member


def charts_of(audit: CanaryAudit) -> dict[str, Chart]:
    return {chart.title: chart for chart in canary_charts(audit.report, audit.scores)}


def lines_of(chart: Chart, style: str) -> list[Line]:
    return [line for line in chart.lines if line.style == style]


def heights_of(audit: CanaryAudit) -> dict[int, float]:
    (dots,) = lines_of(charts_of(audit)["Refuted ε"], "dots")
    return {int(guesses): height for guesses, height in dots.points}


def caption_of(audit: CanaryAudit) -> str:
    return str(getattr(audit.figure(), "caption", ""))


def alone(scores: Any, member: Any, guesses: int, **asked: Any) -> float:
    audit = dpaudit.canaries(scores, member, guesses=guesses, digits=4, **asked)
    return float(audit.bounds[0].epsilon.lower)


DESIGNS: dict[str, dict[str, Any]] = {
    "one-sided": {"one_sided": True},
    "probability": {"probability": "3/10"},
    "one-sided-probability": {"one_sided": True, "probability": "3/10"},
    "group": {"group": 3},
    "group-one-sided": {"group": 3, "one_sided": True},
}


@pytest.mark.parametrize("name", DESIGNS)
def test_bounds_of_other_numbers_are_those_of_the_design(name: str) -> None:
    design = DESIGNS[name]
    scores, member = scored(1, 90, 2.5, 0.3 if "probability" in design else 0.5)
    audit = dpaudit.canaries(scores, member, guesses=20, delta="1e-5", **design)
    heights = heights_of(audit)
    assert len(heights) > 4
    for guesses, height in heights.items():
        assert height == alone(scores, member, guesses, delta="1e-5", **design)
    if "probability" not in design:
        plain = [alone(scores, member, guesses, delta="1e-5") for guesses in heights]
        assert list(heights.values()) != plain


@pytest.mark.parametrize("design", [{"one_sided": True}, DESIGNS["one-sided-probability"]])
def test_guesses_in_are_counted_among_the_highest_scores(design: dict[str, Any]) -> None:
    chance = 0.3 if "probability" in design else 0.5
    scores, member = scored(2, 120, 2.5, chance)
    audit = dpaudit.canaries(scores, member, delta="1e-5", **design)
    chart = charts_of(audit)["Refuted ε"]
    for guesses, height in heights_of(audit).items():
        assert height == alone(scores, member, guesses, delta="1e-5", **design)
    most = round(120 * chance)
    assert max(heights_of(audit)) == most <= chart.x_range[1] < 120
    assert chart.across == 'number of guesses "in" about 120 canaries'
    (cut,) = lines_of(charts_of(audit)["Scores"], "chance")
    assert sum(score > cut.points[0][0] for score in scores) == most
    assert 'every guess was "in"' in caption_of(audit)
    assert "median" not in caption_of(audit)
    assert ROC in charts_of(audit)


def test_a_fixed_number_of_guesses_in_has_one_line_between_scores() -> None:
    scores, member = scored(3, 100, 2.0)
    audit = dpaudit.canaries(scores, member, guesses=70, one_sided=True)
    (cut,) = lines_of(charts_of(audit)["Scores"], "chance")
    assert sum(score > cut.points[0][0] for score in scores) == 70
    assert 'dotted: all 70 guesses, "in", are right of the line' in caption_of(audit)
    titles = [text.get_text() for text in audit.figure().texts]
    right = sum(one for score, one in zip(scores, member, strict=True) if score > cut.points[0][0])
    assert any(f'{right} of 70 guesses "in" right about 100 canaries' in one for one in titles)


@pytest.mark.parametrize("above", [0, 10])
@pytest.mark.parametrize("tied", [1, 30, 70, 90])
def test_no_line_is_drawn_among_equal_scores(tied: int, above: int) -> None:
    scores = [float(place) for place in range(100 - tied - above)]
    scores += [100.0] * tied + [200.0 + place for place in range(above)]
    member = [place % 2 == 0 for place in range(99)] + [True]
    audit = dpaudit.canaries(scores, member, one_sided=True)
    (size,) = [size for size in audit.bounds[0].sizes if size.guesses == 50]
    cuts = [line.points[0][0] for line in lines_of(charts_of(audit)["Scores"], "chance")]
    assert not set(cuts) & set(scores)
    lowest = min(cuts, default=1000.0)
    assert (
        sum(one for score, one in zip(scores, member, strict=True) if score > lowest) == size.right
    )


def test_counts_have_the_bound_of_their_design() -> None:
    asked: dict[str, Any] = {"delta": "1e-4", "one_sided": True, "probability": "1/5", "group": 2}
    audit = dpaudit.canaries(canaries=400, guesses=40, right=30, **asked)
    chart = charts_of(audit)["Refuted ε"]
    line, _ = lines_of(chart, "line")
    for right, height in line.points:
        other = dpaudit.canaries(canaries=400, guesses=40, right=int(right), digits=4, **asked)
        assert height == float(other.bounds[0].epsilon.lower)
    assert chart.across == 'right guesses of 40, all of them "in"'
    assert chart.up == "ε of one example at least"
    told = "each group of 2 examples was in as a whole with probability 1/5, independently"
    assert told in caption_of(audit)


def test_one_other_probability_has_an_roc_and_says_its_probability() -> None:
    scores, member = scored(4, 100, 2.0, 0.3)
    audit = dpaudit.canaries(scores, member, guesses=30, probability="0.3", budget=1)
    (line,) = lines_of(charts_of(audit)[ROC], "region")
    assert line.points == region(epsilon=1.0)
    assert "probability 3/10, independently of all others" in caption_of(audit)
    assert "probability 1/2" not in caption_of(audit)


def test_different_probabilities_have_no_roc() -> None:
    chances = [Fraction(1, 10), Fraction(9, 10)] * 60
    _, member = scored(5, 120, 0.0, [float(chance) for chance in chances])
    # No score depends on a coin, yet most of those in have high scores.
    scores = [float(chance) + place / 10000 for place, chance in enumerate(chances)]
    audit = dpaudit.canaries(scores, member, guesses=20, probability=[str(one) for one in chances])
    charts = charts_of(audit)
    assert list(charts) == ["Refuted ε", "Scores"]
    assert charts_of(dpaudit.canaries(*scored(5, 120, 1.0), guesses=20)).keys() >= {ROC}
    assert (
        "no ROC: where probabilities differ, scores can tell those in from those out without a leak"
        in caption_of(audit)
    )
    assert "a difference alone shows no leak" in caption_of(audit)
    assert "its stated probability, from 1/10 to 9/10" in caption_of(audit)
    heights = heights_of(audit)
    assert len(heights) > 4
    for guesses, height in heights.items():
        given = [str(one) for one in chances]
        assert height == alone(scores, member, guesses, probability=given) == 0


def test_slow_bounds_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpaudit.questions.canaries.charts._MOST_TOSSES", 50)
    scores, member = scored(6, 120, 1.0, 0.3)
    told = "bounds for more than 50 guesses are not drawn, which take long"
    for fixed in (20, 110):
        audit = dpaudit.canaries(scores, member, guesses=fixed, probability="0.3")
        drawn = heights_of(audit).keys()
        assert fixed in drawn
        assert 8 < max(drawn - {fixed}) <= 50
        assert told in charts_of(audit)["Refuted ε"].says
    equal = dpaudit.canaries(scores, member, guesses=20, probability="0.3", one_sided=True)
    assert told not in charts_of(equal)["Refuted ε"].says


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (0.4, 0.01), (1.0, 1e-5)])
def test_the_region_of_a_group_is_that_of_as_many_steps(epsilon: float, delta: float) -> None:
    scores, member = scored(7, 60, 2.0)
    audit = dpaudit.canaries(scores, member, group=3, budget=(str(epsilon), str(delta)))
    chart = charts_of(audit)[ROC]
    (line,) = lines_of(chart, "region")
    outline = Outline(line.points)
    for place in range(1, 40):
        x = mpmath.mpf(place) / 100
        # Each example may raise positives, and lower negatives, once.
        positives, negatives = x, 1 - x
        for _ in range(3):
            positives = mpmath.exp(epsilon) * positives + delta
            negatives = (negatives - delta) / mpmath.exp(epsilon)
        most = min(positives, 1 - max(negatives, mpmath.mpf(0)))
        assert outline.contains_point((float(x), float(most) - 1e-6))
        assert not outline.contains_point((float(x), float(most) + 1e-6))
    assert "of one example allows for each group of 3 examples" in " ".join(chart.says)
    assert f"for a group of 3 its ε is about {3 * epsilon:.5g}" in " ".join(chart.says)


def test_a_group_that_excludes_nothing_has_the_whole_square() -> None:
    scores, member = scored(8, 60, 2.0)
    audit = dpaudit.canaries(scores, member, group=1000, budget=(1, "1e-5"))
    chart = charts_of(audit)[ROC]
    (line,) = lines_of(chart, "region")
    assert {(0.0, 1.0), (1.0, 0.0)} <= {tuple(point) for point in line.points}
    assert all(0 <= part <= 1 for point in line.points for part in point)
    assert "for a group of 1000 examples it excludes nothing" in chart.says


def test_without_a_budget_the_region_is_the_bound_of_a_group() -> None:
    scores, member = scored(9, 150, 3.0)
    audit = dpaudit.canaries(scores, member, group=4, delta="1e-5")
    (bound,) = audit.bounds
    assert bound.group_epsilon is not None
    assert bound.group_epsilon.lower > bound.epsilon.lower > 0
    chart = charts_of(audit)[ROC]
    (line,) = lines_of(chart, "region")
    assert line.points == region(epsilon=float(bound.group_epsilon.lower), delta=1e-5)
    assert "this ε of a group is the bound of the audit, since no budget was given" in chart.says
    over = charts_of(audit)["Refuted ε"]
    assert {y for _, y in lines_of(over, "line")[0].points} == {float(bound.epsilon.lower)}
    assert over.up == "ε of one example at least"


def test_a_matching_of_groups_says_both() -> None:
    scores, member = scored(10, 100, 2.0)
    audit = dpaudit.canaries(scores, member, group=2, matching=7)
    told = caption_of(audit)
    assert "each canary was a group of 2 examples" in told
    assert "allows for each pair" in told
    assert "probability 1/2" not in told


@pytest.mark.parametrize(
    ("words", "sentences", "count"),
    [
        (
            ["--one-sided"],
            ['That every guess is "in" was decided', "Each canary was in with probability 1/2"],
            3,
        ),
        (["--group", "3"], ["Each group of 3 examples was in as a whole with probability 1/2"], 3),
        (
            ["--probability", "3/10", "--guesses", "20"],
            ["Each canary was in with probability 3/10, independently of all others."],
            3,
        ),
        (
            ["--probability", "chance", "--guesses", "20"],
            ["Each canary was in with its stated probability, from 3/10 to 7/10"],
            2,
        ),
    ],
)
def test_a_page_has_the_charts_and_conditions_of_the_design(
    words: list[str],
    sentences: list[str],
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    chances = [0.3, 0.7] * 40 if "chance" in words else [0.3 if "3/10" in words else 0.5] * 80
    scores, member = scored(11, 80, 2.0, chances)
    np.savez("scores.npz", score=scores, member=member, chance=[f"{one}" for one in chances])
    asked = ["canaries", "scores.npz", "--delta", "1e-5", *words]
    assert invoke([*asked, "--report", "html=page.html", "--plot", "figure.svg"]) == 0
    page = unescape(Path("page.html").read_text())
    assert page.count("<figure>") == count
    assert all(sentence in page for sentence in sentences)
    assert ("probability 1/2" in page) is ("1/2" in " ".join(sentences))
    options: dict[str, Any] = {"delta": "1e-5"}
    options |= {"one_sided": True} if "--one-sided" in words else {}
    options |= {"group": 3} if "--group" in words else {}
    if "--probability" in words:
        options |= {"guesses": 20}
        options["probability"] = [str(one) for one in chances] if "chance" in words else "3/10"
    for chart in charts_of(dpaudit.canaries(scores, member, **options)).values():
        assert chart.drawn() in Path("page.html").read_text()
        assert all(clause in page for clause in chart.says)
    assert (ROC in Path("figure.svg").read_text()) is (count == 3)


def test_a_clause_of_two_lines_is_drawn_as_one() -> None:
    scores, member = scored(12, 60, 2.0)
    audit = dpaudit.canaries(scores, member, group=3, one_sided=True, budget=(1, "1e-5"))
    drawn = " ".join(" ".join(text.get_text().split()) for text in audit.figure().texts)
    for chart in charts_of(audit).values():
        assert all(clause in drawn for clause in chart.says)
