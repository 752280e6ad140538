"""Guesses that are all "in": all small mechanisms, exact arithmetic, trainings, falsifications."""

import json
from fractions import Fraction
from itertools import permutations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.numbers.ball import ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.closed_form import rational
from dpaudit.questions.canaries.all_sizes import Ranked, _Event, sizes_tried
from dpaudit.questions.canaries.design import Coins, Design
from dpaudit.questions.canaries.guessing import guessed, ranked
from dpaudit.questions.canaries.one_run import Guesses, p_value
from tests.pages import ROOT
from tests.recheck.sealing import verdict
from tests.training.small_mechanisms import IN, at_least, guess_vectors, largest_probability
from tests.training.test_one_run import exact

ONE_SIDED = Design(one_sided=True)
CASES = [(m, r, v) for m in (1, 2, 3) for r in range(1, m + 1) for v in range(1, r + 1)]


def bound(m: int, r: int, v: int, odds: Fraction, delta: Fraction) -> float:
    with precision(192):
        found = p_value(Guesses(m, r, v, ONE_SIDED), ball(odds).log(), rational(delta))
    return min(1.0, float(upper_fraction(found)))


@pytest.mark.parametrize(("m", "r", "v"), CASES)
def test_no_mechanism_of_few_canaries_is_above_the_bound(m: int, r: int, v: int) -> None:
    """Even where DP holds in one direction alone, from the set with a canary to that without."""
    for odds in (Fraction(1), Fraction(2), Fraction(7, 2)):
        for delta in (Fraction(0), Fraction(1, 50), Fraction(1, 5)):
            largest = largest_probability(
                guess_vectors(m, r, (IN,)),
                at_least(v),
                float(odds),
                float(delta),
                out_only=True,
            )
            assert largest <= bound(m, r, v, odds, delta) + 1e-8


@pytest.mark.parametrize("m", [2, 3])
def test_no_smaller_multiple_of_delta_is_enough(m: int) -> None:
    """At ε = 0 some mechanism attains the bound, and it is DP in both directions."""
    for delta in (Fraction(1, 50), Fraction(1, 10), Fraction(3, 10)):
        largest = largest_probability(
            guess_vectors(m, 1, (IN,)),
            at_least(1),
            1.0,
            float(delta),
        )
        assert largest == pytest.approx(bound(m, 1, 1, Fraction(1), delta), abs=1e-8)
        assert largest > float(exact(m, 1, 1, Fraction(1), delta * Fraction(49, 100)))


@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(1, 5), Fraction(7, 10)])
@pytest.mark.parametrize(
    ("sizes", "needed"), [((1, 3), (1, 3)), ((2, 3), (2, 2)), ((1, 2), (1, 2))]
)
def test_no_ranking_is_above_the_bound_of_all_numbers(
    sizes: tuple[int, ...], needed: tuple[int, ...], chance: Fraction
) -> None:
    """The output is an order of the canaries; the first r are guessed to be in, for several r."""
    m = sizes[-1]

    def reached(inside: tuple[int, ...], order: tuple[int, ...]) -> bool:
        return any(
            sum(inside[place] for place in order[:r]) >= v
            for r, v in zip(sizes, needed, strict=True)
        )

    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(3, 2)):
        for delta in (Fraction(0), Fraction(1, 100), Fraction(1, 5)):
            largest = largest_probability(
                list(permutations(range(m))),
                reached,
                float(np.exp(float(epsilon))),
                float(delta),
                probabilities=[float(chance)] * m,
                out_only=True,
            )
            coins = () if chance == Fraction(1, 2) else (Coins(chance, m, m, 0),)
            with precision(96):
                event = _Event(m, sizes, needed, rational(delta), Design(True, coins))
                assert largest <= min(1.0, float(event.bound(epsilon).upper())) + 1e-7


def test_it_is_the_bound_of_rational_arithmetic_at_half_of_delta() -> None:
    for m, r, v in ((1000, 100, 75), (40, 40, 33), (9, 3, 3)):
        odds, delta = Fraction(9, 4), Fraction(1, 1000)
        with precision(192):
            found = p_value(Guesses(m, r, v, ONE_SIDED), ball(odds).log(), rational(delta))
            wanted = exact(m, r, v, odds, delta / 2)
            assert lower_fraction(found) <= wanted <= upper_fraction(found)


def test_the_highest_scores_are_guessed() -> None:
    scores, inside = [3.0, 2.0, 2.0, 1.0, -9.0], [True, False, True, True, True]
    assert guessed(scores, inside, 1, ONE_SIDED) == Guesses(5, 1, 1, ONE_SIDED)
    assert guessed(scores, inside, 4, ONE_SIDED).right == 3
    with pytest.raises(UsageError, match="same score"):
        guessed(scores, inside, 2, ONE_SIDED)
    assert ranked(scores, inside, (1, 2, 3, 4, 5), ONE_SIDED) == [1, 1, 2, 3, 4]
    infinite = [np.inf, np.inf, 0.0, -np.inf]
    assert ranked(infinite, [True] * 4, (1, 2, 4), ONE_SIDED) == [0, 2, 4]


def drawn(seed: int, m: int, shift: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    member = rng.integers(2, size=m)
    return rng.normal(size=m) + shift * member, member


@pytest.mark.filterwarnings("ignore::dpaudit.notices.HalfInWarning")
@pytest.mark.parametrize(("guesses", "m"), [(None, 60), (30, 120)])
def test_a_training_that_leaks_nothing_is_seldom_refuted(guesses: int | None, m: int) -> None:
    audits, refuted = 200, 0
    for seed in range(audits):
        scores, member = drawn(seed, m, 0.0)
        found = dpaudit.canaries(scores, member, guesses=guesses, delta="1e-4", one_sided=True)
        refuted += found.bounds[0].epsilon.lower > 0
    assert refuted <= audits * 0.05 + 3 * (audits * 0.05 * 0.95) ** 0.5


@pytest.mark.filterwarnings("ignore::dpaudit.notices.HalfInWarning")
def test_a_training_that_hides_the_absent_is_bounded_by_its_epsilon() -> None:
    """Score 1 with probability 3/4 if in and 1/4 if not, so that ε = ln 3."""
    audits, above = 100, 0
    for seed in range(audits):
        rng = np.random.default_rng(seed)
        member = rng.integers(2, size=200)
        told = rng.random(200) < np.where(member == 1, 0.75, 0.25)
        scores = told + rng.random(200) / 2
        found = dpaudit.canaries(scores, member, guesses=60, one_sided=True)
        above += float(found.bounds[0].epsilon.lower) > log(3)
    assert above <= audits * 0.05 + 3 * (audits * 0.05 * 0.95) ** 0.5
    assert found.bounds[0].epsilon.lower > 0


def test_the_numbers_of_guesses_end_at_half_of_the_canaries() -> None:
    nothing, level = rational(Fraction(0)), rational(Fraction(1, 20))
    assert sizes_tried(41, nothing, level, ONE_SIDED) == (8, 10, 13, 17, 21)
    assert sizes_tried(1, nothing, level, ONE_SIDED) == (1,)
    assert Ranked(41, (21,), (20,), ONE_SIDED).design.weight(41) == Fraction(41, 2)


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("guesses", [None, 40])
def test_the_report_is_confirmed_and_a_changed_one_rejected(
    guesses: int | None, tmp_path: Path
) -> None:
    scores, member = drawn(5, 200, 2.5)
    found = dpaudit.canaries(
        scores, member, guesses=guesses, delta="1e-4", budget="1,1e-4", one_sided=True
    )
    both = dpaudit.canaries(scores, member, guesses=guesses, delta="1e-4", budget="1,1e-4")
    assert found.bounds[0].epsilon.lower > 1
    document = json.loads(found.to_json())
    assert verdict(tmp_path, document, sealed=False) == "accepted"
    assert 'every guess was "in"' in " ".join(str(found).split())
    assert verdict(tmp_path, document | {"one_sided": False}) == "rejected"
    assert verdict(tmp_path, json.loads(both.to_json()) | {"one_sided": True}) == "rejected"
    for change in ({"right": found.report.right + 1}, {"verdict": "not refuted"}):
        assert verdict(tmp_path, document | change) == "rejected"
    assert verdict(tmp_path, document | {"matching": "7"}) == "rejected"


@pytest.mark.wrong_on_purpose
def test_a_profile_is_tested_with_half_the_canaries(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"guesses": 50, "right": 45, "profile": "mu=0.6"}
    one = dpaudit.canaries(canaries=400, one_sided=True, **asked)
    other = dpaudit.canaries(canaries=200, **asked)
    assert one.report.profile == other.report.profile
    assert one.report.profile != dpaudit.canaries(canaries=400, **asked).report.profile
    document = json.loads(one.to_json())
    assert verdict(tmp_path, document, sealed=False) == "accepted"
    assert verdict(tmp_path, document | {"one_sided": False}) == "rejected"


def test_the_command_and_its_refusals(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, figure = tmp_path / "scores.csv", tmp_path / "figure.svg"
    rows = [f"{40 - place},{int(place < 18 or place == 30)}" for place in range(40)]
    path.write_text("\n".join(["score,member", *rows, ""]))
    words = ["canaries", str(path), "--one-sided", "--delta", "1e-5"]
    assert invoke([*words, "--plot", str(figure)]) == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert "18 of the 20 canaries with the highest scores were in" in shown
    assert "highest scores; the numbers of guesses 8, 10, 13, 17, 20 were tried" in shown
    assert invoke([*words, "--guesses", "12", "--plot", str(figure), "--format", "csv"]) == 0
    assert "one_sided" in capfd.readouterr().out
    refused = (
        (["--matching", "1"], "of a matching"),
        (["--counts", "tp=4,fp=1,of=5"], "with and without one canary"),
        (["--plan", "--m", "9"], "leave --one-sided out"),
    )
    for further, told in refused:
        given = ["canaries", *([str(path)] if "--matching" in further else []), "--one-sided"]
        assert invoke([*given, *further]) == 2
        said = capfd.readouterr()
        assert told in said.err
        assert (said.out, said.err.count("\n")) == ("", 1)
    with pytest.raises(UsageError, match="True or False"):
        dpaudit.canaries(canaries=9, guesses=3, right=3, one_sided=1)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::dpaudit.notices.HalfInWarning")
def test_the_page_shows_the_means_of_both_kinds_of_guesses() -> None:
    """Ten audits of 1,000 canaries each, with means 1 and 2 standard deviations apart."""
    means: dict[bool, list[str]] = {False: [], True: []}
    for one_sided, shown in means.items():
        for shift in (1.0, 2.0):
            bounds = [
                dpaudit.canaries(
                    *drawn(seed, 1000, shift), delta="1e-5", digits=4, one_sided=one_sided
                ).bounds[0]
                for seed in range(10)
            ]
            shown.append(f"{np.mean([float(one.epsilon.lower) for one in bounds]):.2f}")
    both, single = (" or ".join(shown) for shown in means.values())
    page = " ".join((ROOT / "docs" / "canaries_guesses.md").read_text().split())
    assert f"the mean bound of ten audits is {both}, and {single} with `--one-sided`" in page
