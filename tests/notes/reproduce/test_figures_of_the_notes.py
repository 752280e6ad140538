"""The statements about figures: crossovers and realised ε from mpmath, and what must be flagged."""

import re
from functools import lru_cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from mpmath import exp, gamma, log, loggamma, mp, mpf, sqrt

from dpaudit.notes.reproduce.crossover import crossing
from dpaudit.notes.reproduce.findings import (
    Item,
    PrintedCheck,
    PrintedOutcome,
    Table,
    check_statement,
)
from dpaudit.notes.reproduce.four_mechanisms import FIGURES, GS, LAPLACE, LS, SS, _clamping
from dpaudit.notes.reproduce.laws_compared import _good_answers
from dpaudit.notes.reproduce.readings import (
    BY_LOCAL,
    CLAMPED,
    DEFINED,
    NOT_CLAMPED,
    Setting,
    laplace_law,
    ours_law,
)
from dpaudit.notes.reproduce.targets import TARGETS
from dpaudit.numbers.ball import Ball, Sign
from dpaudit.report.figures.side_by_side import Boxes, Lines
from tests.oracles.definitions import histograms, neighbours

Counts = tuple[int, ...]
QUICK = (*(f"fig-{number}" for number in (2, 3, 4, 7, 8, 9, 10, 11)), "fig-49-49", "fig-20-20-20")


@lru_cache(maxsize=32)
def found(name: str) -> Item:
    return TARGETS[name].reproduce()


def check_about(item: Item, *parts: str) -> PrintedCheck:
    (check,) = [c for c in item.checks if all(part in c.what for part in parts)]
    return check


# -- from the definitions --------------------------------------------------------------------------


def distance(a: list[int], b: list[int]) -> mpf:
    """H between Dirichlet distributions whose totals may differ."""
    if a == b:
        return mpf(0)

    def multibeta(parameters: list[mpf]) -> mpf:
        product = mpf(1)
        for parameter in parameters:
            product *= gamma(parameter)
        return product / gamma(sum(parameters))

    middle = [mpf(s + t) / 2 for s, t in zip(a, b, strict=True)]
    left, right = ([mpf(s) for s in side] for side in (a, b))
    return sqrt(1 - multibeta(middle) / sqrt(multibeta(left) * multibeta(right)))


def between(x: Counts, r: Counts) -> mpf:
    return distance([c + 1 for c in x], [c + 1 for c in r])


def smooth(x: Counts) -> mpf:
    n, k = sum(x), len(x)
    rate = log(1 - mpf("0.8") / (2 * log(mpf("0.0005") / (2 * (n + 1)))))

    def local(y: Counts) -> mpf:
        return max(between(y, z) for z in neighbours(y))

    def steps(y: Counts) -> int:
        return sum(abs(a - b) for a, b in zip(x, y, strict=True)) // 2

    return max(local(y) * exp(-rate * steps(y)) for y in histograms(n, k))


def mean_of_ours(x: Counts) -> mpf:
    scale = mpf("0.8") / (2 * smooth(x))
    away = [between(x, r) for r in histograms(sum(x), len(x))]
    weights = [exp(-scale * h) for h in away]
    return sum(h * w for h, w in zip(away, weights, strict=True)) / sum(weights)


def mean_of_laplace(x: Counts) -> mpf:
    """⌊Y⌋ on all counts but the last, clamped to [0, n]; the last gets what is left, or 0."""
    n = sum(x)

    def below(y: mpf) -> mpf:  # P(Y < y), Y ~ Lap(2/ε)
        return exp(2 * y / 5) / 2 if y < 0 else 1 - exp(-2 * y / 5) / 2

    def mass(count: int, r: int) -> mpf:
        low = mpf(0) if r == 0 else below(mpf(r - count))
        return (mpf(1) if r == n else below(mpf(r - count + 1))) - low

    total = mpf(0)
    vectors: list[Counts] = [()]
    for _ in x[:-1]:
        vectors = [(*vector, r) for vector in vectors for r in range(n + 1)]
    for vector in vectors:
        chance = mpf(1)
        for count, r in zip(x, vector, strict=False):
            chance *= mass(count, r)
        total += chance * between(x, (*vector, max(n - sum(vector), 0)))
    return total


@pytest.mark.parametrize(
    ("x", "ours_ahead"), [((5, 5), True), ((6, 6), False), ((4, 4, 4), True), ((5, 5, 5), False)]
)
def test_who_is_ahead_on_either_side_of_the_crossover(x: Counts, ours_ahead: bool) -> None:
    with mp.workdps(25):
        ours, laplace = mean_of_ours(x), mean_of_laplace(x)
        assert (ours < laplace) is ours_ahead
        for law, value in ((ours_law, ours), (laplace_law, laplace)):
            mean = law(DEFINED, Setting(x)).mean()
            assert mpf(str(mean.lower)) <= value <= mpf(str(mean.upper))


def test_both_crossovers_are_reproduced_by_named_readings() -> None:
    item = found("fig-6")
    two, three = check_about(item, "6(a)", "n < 12"), check_about(item, "6(b)", "n < 15")
    for check in (two, three):
        assert check.outcome is PrintedOutcome.REPRODUCED
        readings = check.reading.split(" | ")
        assert "as defined, means" in readings
        assert "as defined, negative counts at distance 1, means" in readings
        assert not any("redrawn" in reading for reading in readings)
    assert "without the 2, means: crosses at 14" in two.why
    assert "without the 2, quartiles" in two.reading
    assert "without the 2, means: crosses at 12" in three.why
    again = check_about(item, "stays ahead")
    assert again.outcome is PrintedOutcome.NOT_REPRODUCED
    assert "as defined, means: ours is ahead again at n = 450" in again.why
    for reading in two.readings:  # every reading that crosses at 12 is asked, and none stays
        assert f"{reading}: ours is ahead again" in again.why


def test_a_crossing_is_clean_or_none() -> None:
    plus, minus = Sign.POSITIVE, Sign.NEGATIVE
    assert crossing([2, 4], [plus, minus]) == 4
    for signs in ([minus, minus], [plus, plus], [minus, plus]):
        assert crossing([2, 4], signs) is None
    assert crossing([2, 4, 6], [plus, minus, plus]) is None
    assert crossing([2, 4, 6], [plus, Sign.UNDECIDED, minus]) is None


def test_realised_epsilon_at_one_size_from_the_definitions() -> None:
    n = 90
    with mp.workdps(25):
        rate = log(1 - mpf("0.8") / (2 * log(mpf("0.0005") / (2 * (n + 1)))))
        space = [(c, n - c) for c in range(n + 1)]
        step = [between(space[i], space[i + 1]) for i in range(n)]
        local = [max(step[max(i - 1, 0)], step[min(i, n - 1)]) for i in range(n + 1)]
        laws = []
        for i, x in enumerate(space):
            s = max(local[j] * exp(-rate * abs(i - j)) for j in range(n + 1))
            weights = [exp(-mpf("0.8") * between(x, r) / (2 * s)) for r in space]
            total = sum(weights)
            laws.append([log(w / total) for w in weights])
        losses = [
            max(abs(p - q) for p, q in zip(laws[i], laws[i + 1], strict=True)) for i in range(n)
        ]
        rows = {
            row[1]: row for row in found("fig-11").table.rows if row[0] == "90" and "2)" in row[2]
        }
        for scope, value in (
            ("all pairs", max(losses)),
            ("pairs at uniform data", max(losses[n // 2 - 1], losses[n // 2])),
        ):
            low, high = rows[scope][3:5]
            assert mpf(low) <= value <= mpf(high)


# -- what must be said -----------------------------------------------------------------------------


def test_realised_epsilon_stays_below_the_bound_as_defined_only() -> None:
    for check in found("fig-11").checks:
        assert check.reading == "as defined (divisor 2)"
        assert "not by without the 2 (N §3.3)" in check.why


def test_what_the_notes_say_of_variance_depends_on_the_size() -> None:
    outcomes: dict[str, list[bool]] = {c.what.partition(", ")[0]: [] for c in found("fig-8").checks}
    for check in found("fig-8").checks:
        outcomes[check.what.partition(", ")[0]].append(check.outcome is PrintedOutcome.REPRODUCED)
    assert outcomes == {
        "n = 8": [True, True, True],
        "n = 10": [True, False, True],
        "n = 12": [True, False, True],
        "n = 20": [True, False, False],
    }


def test_what_the_notes_say_of_laplace_and_the_prior_is_not_so() -> None:
    flagged = [c for c in found("fig-10").checks if c.outcome is PrintedOutcome.NOT_REPRODUCED]
    assert {c.what.partition(": ")[2] for c in flagged} == {
        "Laplace does not improve as the prior grows"
    }
    assert len(flagged) == 6
    # read charitably, that Laplace noise improves less than the exponential mechanism, it is so
    milder = [c for c in found("fig-10").checks if "larger factor" in c.what]
    assert len(milder) == 6
    assert all(
        c.outcome is PrintedOutcome.REPRODUCED and "as defined" in c.readings for c in milder
    )


def test_factors_of_improvement_from_the_definitions() -> None:
    """The means of both at (4, 4), priors (1, 1) and (16, 16), Laplace noise by its bins."""
    with mp.workdps(25):
        kept = []
        for prior in ((1, 1), (16, 16)):
            at = Setting((4, 4), prior)
            here = (mpf(prior[0] + 4), mpf(prior[1] + 4))

            def h(r: int, here: tuple[mpf, mpf] = here) -> mpf:
                a, b = here
                c, d = a + r - 4, b + 4 - r
                middle = loggamma((a + c) / 2) + loggamma((b + d) / 2)
                both = loggamma(a) + loggamma(b) + loggamma(c) + loggamma(d)
                return sqrt(abs(1 - exp(middle - both / 2)))

            def below(y: int) -> mpf:
                return exp(mpf(2) / 5 * y) / 2 if y < 0 else 1 - exp(-mpf(2) / 5 * y) / 2

            laplace = mp.fsum(
                h(r) * ((1 if r == 8 else below(r - 3)) - (0 if r == 0 else below(r - 4)))
                for r in range(9)
            )
            law = laplace_law(DEFINED, at).mean()
            assert mpf(str(law.lower)) <= laplace <= mpf(str(law.upper))
            kept.append(laplace)
        check = check_about(found("fig-10"), "(4,4): ours improves by a larger")
        assert f"{float(kept[0] / kept[1]):.3g} (Laplace)" in check.why


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("fig-3", "without the 2"),
        ("fig-4", "without the 2"),
        ("fig-6", "as defined, means"),
        ("fig-9", "as defined"),
        ("fig-10", "as defined"),
        ("fig-20-20-20", "as the tables compute"),
    ],
)
def test_one_reading_fulfils_all_that_is_reproduced_of_a_figure(name: str, reading: str) -> None:
    item = found(name)
    assert reading in item.common
    assert all(r in check.readings for r in item.common for check in item.checks if check.readings)
    assert "no one reading" not in item.line()


def test_where_no_one_reading_gives_all_the_line_says_so() -> None:
    yes = PrintedOutcome.REPRODUCED
    checks = [PrintedCheck("s", "s", yes, name, readings=(name,)) for name in ("a", "b")]
    item = Item("i", "t", "p", tuple(checks), Table((), ()), ())
    assert item.line() == (
        "i: reproduced (2 of 2), by reading a; b, no one reading gives all of it"
    )


def test_figures_of_l_come_from_the_reading_of_the_tables() -> None:
    for check in found("fig-49-49").judged:
        assert check.outcome is PrintedOutcome.REPRODUCED
        assert check.reading == BY_LOCAL.name
    slight = check_about(found("fig-20-20-20"), "slightly")
    assert slight.outcome is PrintedOutcome.SHOWN  # the notes name no number: the ratio is shown
    assert f"{BY_LOCAL.name}: means" in slight.why
    bad = check_about(found("fig-49-49"), "bad answers")
    assert bad.outcome is PrintedOutcome.SHOWN
    most = check_about(found("fig-20-20-20-20"), "most of the good answers")
    assert most.outcome is PrintedOutcome.REPRODUCED


@pytest.mark.parametrize("name", QUICK)
def test_an_item_has_a_picture_numbers_and_a_decided_verdict(name: str) -> None:
    item = found(name)
    assert item.id == name
    assert item.verdict in ("reproduced", "reproduced in part")
    assert item.table.rows
    assert {len(row) for row in item.table.rows} == {len(item.table.header)}
    caption = " · ".join(item.drawn)
    assert re.search(r"(^|· )(ε = 0\.\d|no ε)", caption)
    assert "reading" in caption or not any(isinstance(panel, Boxes) for panel in item.panels)
    for panel in item.panels:
        if isinstance(panel, Boxes):
            for series in panel.series:
                assert len(series.boxes) == len(panel.places)
                for box in series.boxes:
                    for low, high in pairwise(box.quantiles):
                        assert low.lower <= high.upper
        if isinstance(panel, Lines):
            assert all(len(series.x) == len(series.y) > 0 for series in panel.series)


@pytest.mark.parametrize("name", ["fig-7", "fig-8", "fig-9", "fig-10"])
def test_a_figure_is_drawn_by_a_reading_that_fulfils_most(name: str) -> None:
    """A line that names one reading over a picture of another would be wrong of the picture."""
    item = found(name)
    (drawn,) = [one.split(": ")[1].partition(",")[0] for one in item.drawn if "reading: " in one]
    fulfilled = [reading for check in item.checks for reading in check.readings]
    assert fulfilled.count(drawn) == max(map(fulfilled.count, fulfilled))
    assert drawn in item.common or not item.common
    (panel, *_) = item.panels
    means = {cell for row in item.table.rows if f"; {drawn}" in row[0] for cell in row[5:7]}
    assert isinstance(panel, Boxes)
    assert {end for box in panel.series[0].boxes for end in box.mean.texts()} <= means


def test_captions_say_what_is_clamped() -> None:
    three, _, five = FIGURES
    assert _clamping(three) == [CLAMPED]
    assert _clamping(five) == [f"Hellinger: {CLAMPED}", f"ℓ1: {NOT_CLAMPED}"]
    law = laplace_law(DEFINED, Setting((4, 4), metric="l1"))
    assert law.outside != "clamped"
    for name in ("fig-3", "fig-8"):
        assert CLAMPED in found(name).drawn
    (boxes, lines) = found("fig-49-49").panels
    assert isinstance(boxes, Boxes)
    assert isinstance(lines, Lines)
    assert boxes.places == (SS, LS, GS, LAPLACE)
    assert f"(a): {CLAMPED}" in found("fig-49-49").drawn
    assert any("(b): nothing is clamped" in one for one in found("fig-49-49").drawn)


def test_the_verdict_of_a_statement() -> None:
    yes, no, open_ = (
        PrintedOutcome.REPRODUCED,
        PrintedOutcome.NOT_REPRODUCED,
        PrintedOutcome.UNDECIDED,
    )
    assert check_statement("s", "s", {"a": (no, "x"), "b": (yes, "y")}).reading == "b"
    assert check_statement("s", "s", {"a": (no, "x"), "b": (no, "y")}).outcome is no
    assert check_statement("s", "s", {"a": (no, "x"), "b": (open_, "")}).outcome is open_
    assert check_statement("s", "s", {"a": (no, "x")}).line() == "s: not reproduced: a: x"


@pytest.mark.parametrize(
    ("theirs", "outcome"),
    [("1/4", PrintedOutcome.REPRODUCED), ("1/2 ± 1/9", PrintedOutcome.UNDECIDED)],
)
def test_whose_answers_are_likelier_is_undecided_where_a_sign_is(theirs: str, outcome: Any) -> None:
    def law(probability: Ball) -> Any:
        return SimpleNamespace(
            groups=[SimpleNamespace(outputs=[(0,)], probability_ball=probability)]
        )

    other = Ball(0.25) if theirs == "1/4" else Ball(0.5, 0.125)
    found, _ = _good_answers("ours", law(Ball(0.5)), law(other))
    assert found is outcome
