"""Canaries that are in with probabilities other than 1/2: all small mechanisms, and exact sums."""

import json
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.numbers.ball import ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.closed_form import rational
from dpaudit.questions.canaries.design import Coins, Design
from dpaudit.questions.canaries.one_run import Guesses, p_value
from dpaudit.questions.canaries.unequal_coins import counted_coins
from tests.recheck.sealing import verdict
from tests.training.small_mechanisms import IN, OUT, at_least, guess_vectors, largest_probability

Guess = tuple[int, ...]


def design_for(chances: list[Fraction], guess: Guess, one_sided: bool) -> Design:
    """The design in which these guesses are made."""
    kinds = [[place for place, one in enumerate(guess) if one == kind] for kind in (IN, OUT)]
    return Design(one_sided, counted_coins(chances, *kinds))


def bound(design: Design, right: int, odds: Fraction, delta: Fraction) -> float:
    canaries = sum(one.canaries for one in design.coins)
    made = sum(one.guessed_in + one.guessed_out for one in design.coins)
    seen = Guesses(canaries, made, right, design)
    with precision(128):
        return float(upper_fraction(p_value(seen, ball(odds).log(), rational(delta))))


def rejection(values: dict[tuple[Guess, int], float], level: float) -> Callable[..., bool]:
    """The event that the guesses that were made have a bound of at most the level."""

    def rejected(inside: Guess, guess: Guess) -> bool:
        right = sum(a == b for a, b in zip(inside, guess, strict=True))
        return values[guess, right] <= level

    return rejected


def random_chances(choose: random.Random, m: int) -> list[Fraction]:
    return [Fraction(choose.randint(1, 9), 10) for _ in range(m)]


@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_no_mechanism_is_rejected_more_often_than_the_level(m: int, one_sided: bool) -> None:
    """Guesses may be any that the mechanism likes; each is rejected by its own count."""
    choose = random.Random(m)
    for _ in range(12 if m < 3 else 3):
        chances, r = random_chances(choose, m), choose.randint(1, m)
        odds, delta = Fraction(choose.randint(10, 30), 10), Fraction(choose.randint(0, 4), 40)
        guesses = [
            guess
            for guess in guess_vectors(m, r, (IN,) if one_sided else (OUT, IN))
            if sum(one in (IN, OUT) for one in guess) == r
        ]
        values = {
            (guess, right): bound(design_for(chances, guess, one_sided), right, odds, delta)
            for guess in guesses
            for right in range(r + 1)
        }
        for level in {value for value in values.values() if value < 1}:
            largest = largest_probability(
                guesses,
                rejection(values, level),
                float(odds),
                float(delta),
                probabilities=[float(one) for one in chances],
                out_only=one_sided,
            )
            assert largest <= level + 1e-8, (chances, r, odds, delta)


@pytest.mark.parametrize("chance", [Fraction(1, 10), Fraction(2, 5), Fraction(4, 5)])
def test_one_probability_has_a_sharp_bound_for_guesses_in(chance: Fraction) -> None:
    """No mechanism is above it, and some mechanism attains it at ε = 0."""
    for m, r, v in ((2, 1, 1), (3, 1, 1), (3, 2, 1), (3, 2, 2), (3, 3, 3)):
        for odds in (Fraction(1), Fraction(2)):
            for delta in (Fraction(0), Fraction(1, 50)):
                largest = largest_probability(
                    guess_vectors(m, r, (IN,)),
                    at_least(v),
                    float(odds),
                    float(delta),
                    probabilities=[float(chance)] * m,
                    out_only=True,
                )
                stated = bound(Design(True, (Coins(chance, m, r, 0),)), v, odds, delta)
                assert largest <= min(1.0, stated) + 1e-8
                if odds == r == 1:
                    assert largest == pytest.approx(stated, abs=1e-8)


def test_without_delta_guesses_are_tosses_at_their_own_odds() -> None:
    chance, nothing = Fraction(1, 5), Fraction(0)
    inside, out = (Coins(chance, 1, *kinds) for kinds in ((1, 0), (0, 1)))
    assert bound(Design(True, (inside,)), 1, Fraction(1), nothing) == pytest.approx(0.2)
    assert bound(Design(False, (out,)), 1, Fraction(1), nothing) == pytest.approx(0.8)
    # Two guesses of different kinds, e^ε = 2: odds 1/2 and 8.
    both = Design(False, (Coins(chance, 2, 1, 1),))
    assert bound(both, 2, Fraction(2), nothing) == pytest.approx(1 / 3 * 8 / 9)


def enumerated(coins: tuple[Coins, ...], right: int, odds: Fraction) -> Fraction:
    """The probability of so many heads, over all outcomes."""
    chances = []
    for coin in coins:
        ratio = coin.probability / (1 - coin.probability)
        for one, times in ((odds * ratio, coin.guessed_in), (odds / ratio, coin.guessed_out)):
            chances += [one / (1 + one)] * times
    total = Fraction(0)
    for heads in product((0, 1), repeat=len(chances)):
        if sum(heads) >= right:
            part = Fraction(1)
            for head, chance in zip(heads, chances, strict=True):
                part *= chance if head else 1 - chance
            total += part
    return total


def test_it_is_the_sum_over_all_outcomes() -> None:
    choose = random.Random(3)
    for _ in range(40):
        chances = random_chances(choose, 9)
        guess = tuple(choose.choice((IN, OUT, 2)) for _ in chances)
        made = sum(one != 2 for one in guess)
        if not made:
            continue
        right, odds = choose.randint(1, made), Fraction(choose.randint(10, 50), 10)
        design = design_for(chances, guess, one_sided=False)
        delta = Fraction(1, 1000)
        with precision(192):
            found = p_value(Guesses(9, made, right, design), ball(odds).log(), rational(delta))
            spread = 2 * sum(one * (1 - one) for one in chances) * delta
            wanted = enumerated(design.coins, right, odds) + spread
            assert lower_fraction(found) <= wanted <= upper_fraction(found)
            assert upper_fraction(found) - lower_fraction(found) < Fraction(1, 2**100)


def drawn(seed: int, chances: Any, shift: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    member = (rng.random(len(chances)) < chances).astype(int)
    return rng.normal(size=len(chances)) + shift * member, member


@pytest.mark.parametrize("one_sided", [True, False])
def test_a_training_that_leaks_nothing_is_seldom_refuted(one_sided: bool) -> None:
    audits, refuted = 150, 0
    chances = np.linspace(0.1, 0.6, 6).repeat(20)
    stated = [f"{one:.1f}" for one in chances]
    for seed in range(audits):
        scores, member = drawn(seed, np.array([float(one) for one in stated]), 0.0)
        # The best guesses without a leak: likely canaries in, unlikely ones out.
        found = dpaudit.canaries(
            scores + 100 * chances,
            member,
            probability=stated,
            guesses=40,
            delta="1e-5",
            one_sided=one_sided,
            digits=4,
        )
        refuted += found.bounds[0].epsilon.lower > 0
    assert refuted <= audits * 0.05 + 3 * (audits * 0.05 * 0.95) ** 0.5


def test_fair_coins_would_refute_it() -> None:
    """Guesses "out" about canaries that are seldom in are right without a leak."""
    chances = np.full(60, 0.3)
    scores, member = drawn(0, chances, 0.0)
    asked: dict[str, Any] = {"guesses": 30, "right": 21, "one_sided": True}
    assert dpaudit.canaries(canaries=60, **asked).bounds[0].epsilon.lower > 0
    asked["probability"] = "7/10"
    assert dpaudit.canaries(canaries=60, **asked).bounds[0].epsilon.lower == 0
    stated = dpaudit.canaries(scores, member, probability=0.3, guesses=30).report
    assert [str(one.probability) for one in stated.coins] == ["3/10"]
    assert (stated.coins[0].guessed_in, stated.coins[0].guessed_out) == (15, 15)


@pytest.mark.parametrize("leak", [0.0, 3.0])
def test_many_numbers_of_guesses_in_are_tried_together(leak: float, tmp_path: Path) -> None:
    """The sizes end at how many canaries are in on average; the level covers all of them."""
    audits, refuted = (60, 0) if not leak else (3, 0)
    for seed in range(audits):
        scores, member = drawn(seed, np.full(100, 0.2), leak)
        found = dpaudit.canaries(
            scores, member, probability="1/5", one_sided=True, delta="1e-5", budget="1/2,1e-5"
        )
        refuted += found.bounds[0].epsilon.lower > 0
    assert found.report.guesses == 20
    assert [one.guesses for one in found.bounds[0].sizes] == [8, 10, 13, 17, 20]
    document = json.loads(found.to_json())
    assert verdict(tmp_path, document, sealed=False) == "accepted"
    if leak:
        assert refuted == audits
        assert found.verdict == "exceeds"
        assert "probability 1/5, independently" in " ".join(str(found).split())
    else:
        assert refuted <= audits * 0.05 + 3 * (audits * 0.05 * 0.95) ** 0.5


@pytest.mark.wrong_on_purpose
def test_a_changed_report_on_many_numbers_is_rejected(tmp_path: Path) -> None:
    scores, member = drawn(1, np.full(100, 0.2), 3.0)
    found = dpaudit.canaries(
        scores, member, probability="1/5", one_sided=True, delta="1e-5", group=2
    )
    document = json.loads(found.to_json())
    assert verdict(tmp_path, document, sealed=False) == "accepted"
    (coin,) = document["coins"]
    changes: list[dict[str, Any]] = [
        {"coins": []},
        {"coins": [coin | {"probability": "1/10"}]},
        {"coins": [coin | {"guessed_in": 19, "guessed_out": 1}]},
        {"coins": [coin | {"canaries": 60}, coin | {"canaries": 40, "guessed_in": 0}]},
        {"group": 3},
        {"guesses": 50},
    ]
    for change in changes:
        assert verdict(tmp_path, document | change) == "rejected", change


def test_half_is_a_fair_coin() -> None:
    scores, member = drawn(1, np.full(50, 0.5), 2.0)
    one = dpaudit.canaries(scores, member, guesses=20, probability="1/2", delta="1e-5")
    assert one.report == dpaudit.canaries(scores, member, guesses=20, delta="1e-5").report


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("several", [True, False])
def test_the_report_is_confirmed_and_a_changed_one_rejected(
    one_sided: bool, several: bool, tmp_path: Path
) -> None:
    chances = np.tile([0.3, 0.4, 0.5], 60) if several else np.full(180, 0.3)
    scores, member = drawn(5, chances, 4.0)
    found = dpaudit.canaries(
        scores,
        member,
        guesses=60,
        delta=(0, "1e-5"),
        budget="1,1e-5",
        probability=list(chances) if several else "3/10",
        one_sided=one_sided,
    )
    assert found.bounds[1].epsilon.lower > 1
    document = json.loads(found.to_json())
    assert verdict(tmp_path, document, sealed=False) == "accepted"
    said = " ".join(str(found).split())
    told = "its stated probability, from 3/10 to 1/2" if several else "probability 3/10"
    assert f"each canary was in with {told}, independently" in said
    changes: list[dict[str, Any]] = [
        {"coins": []},
        {"one_sided": not one_sided},
        {"right": found.report.right - 1},
        {"verdict": "not refuted"},
        {"matching": "7"},
        {"coins": [document["coins"][0] | {"probability": "1/5"}, *document["coins"][1:]]},
        {"coins": [document["coins"][0] | {"probability": "1"}, *document["coins"][1:]]},
        {"coins": [document["coins"][0] | {"canaries": 10**5}, *document["coins"][1:]]},
        {"coins": [document["coins"][0] | {"guessed_in": 1}, *document["coins"][1:]]},
    ]
    for change in changes:
        assert verdict(tmp_path, document | change) == "rejected", change


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"probability": "0"}, "between 0 and 1"),
        ({"probability": "ln(2)"}, "between 0 and 1"),
        ({"probability": ["1/3"] * 19}, "20 canaries and 19 probabilities"),
        ({"probability": "1/3", "guesses": None}, "needs equal odds"),
        ({"probability": ["1/3", "1/4"] * 10, "guesses": None, "one_sided": True}, "equal odds"),
        ({"probability": "1/3", "matching": 3}, "matching"),
        ({"probability": "1/3", "profile": "mu=1"}, "fair coins"),
    ],
)
def test_what_is_not_proved_is_refused(given: dict[str, Any], told: str) -> None:
    asked: dict[str, Any] = {"scores": range(20), "member": [1, 1, 0, 0] * 5, "guesses": 8}
    with pytest.raises(UsageError, match=told):
        dpaudit.canaries(**(asked | given))


def test_too_many_probabilities_and_counts_without_sides_are_refused() -> None:
    many = [Fraction(place + 1, 9000) for place in range(2001)]
    with pytest.raises(UsageError, match="2001 different"):
        dpaudit.canaries(range(2001), [0, 1] * 1000 + [0], guesses=5, probability=many)
    with pytest.raises(UsageError, match="which guesses were"):
        dpaudit.canaries(canaries=9, guesses=3, right=3, probability="1/3")
    with pytest.raises(UsageError, match="with different probabilities give scores"):
        dpaudit.canaries(canaries=2, guesses=1, right=1, one_sided=True, probability=("1/3", "1/4"))
    with pytest.raises(UsageError, match="leave --probability out"):
        dpaudit.canaries(counts="tp=4,fp=1,of=5", probability="1/3")
    with pytest.raises(UsageError, match="coins with these probabilities almost never"):
        dpaudit.canaries(range(40), [0, 1] * 20, guesses=5, probability="1/50")
    plan = dpaudit.plan_inclusion(9, seed=1)
    with pytest.raises(UsageError, match="manifest are fair"):
        dpaudit.canaries(range(9), inclusion=plan, guesses=3, probability="1/3")


def test_the_command_reads_a_column(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    scores, member = drawn(5, np.tile([0.3, 0.4], 30), 4.0)
    path, figure = tmp_path / "scores.csv", tmp_path / "figure.svg"
    rows = [
        f"{a},{b},{(3, 4)[place % 2]}/10"
        for place, (a, b) in enumerate(zip(scores, member, strict=True))
    ]
    path.write_text("\n".join(["score,member,q", *rows, ""]))
    words = ["canaries", str(path), "--guesses", "20"]
    assert invoke([*words, "--probability", "q", "--format", "csv", "--plot", str(figure)]) == 0
    column = capfd.readouterr().out
    assert "3/10..2/5" in column
    assert invoke([*words, "--probability", "0.35"]) == 0
    assert "probability 7/20" in capfd.readouterr().out
    for wrong, told in (("x", "--probability COLUMN"), ("score", "--score and --probability are")):
        assert invoke([*words, "--probability", wrong]) == 2
        said = capfd.readouterr()
        assert told in said.err
        assert (said.out, said.err.count("\n")) == ("", 1)
    assert invoke(["canaries", "--plan", "--m", "9", "--probability", "1/3"]) == 2
    assert "leave --probability out" in capfd.readouterr().err


def largest_of_two_kinds(
    made: tuple[int, int], right: int, odds: tuple[float, float], budgets: tuple[float, float]
) -> float:
    """The most that a law of the numbers of errors of two kinds of guesses allows.

    A linear program with the constraints of DP averaged over the canaries, for each kind its own.
    """
    shape = (made[0] + 1, made[1] + 1)
    places = np.arange(shape[0] * shape[1]).reshape(shape)
    cells: list[tuple[int, int, float]] = []
    limits: list[float] = []
    count = places.size
    for kind in (0, 1):
        excesses = []
        for errors in product(*map(range, shape)):
            wrong, others = errors[kind], made[kind] - errors[kind]
            if not others:
                continue
            more = (errors[0] + (kind == 0), errors[1] + (kind == 1))
            row = len(limits)
            cells += [(row, places[errors], others), (row, count, -1.0)]
            cells.append((row, places[more], -odds[kind] * (wrong + 1)))
            limits.append(0.0)
            excesses.append(count)
            count += 1
        cells += [(len(limits), excess, 1.0) for excess in excesses]
        limits.append(budgets[kind])
    objective = np.zeros(count)
    for errors in product(*map(range, shape)):
        objective[places[errors]] = -float(sum(errors) <= sum(made) - right)
    rows, columns, values = zip(*cells, strict=True)
    found = linprog(
        objective,
        A_ub=coo_matrix((values, (rows, columns)), shape=(len(limits), count)).tocsr(),
        b_ub=limits,
        A_eq=coo_matrix(np.arange(count) < places.size),
        b_eq=[1.0],
        method="highs",
    )
    assert found.success
    return float(-found.fun)


@pytest.mark.parametrize("q", [Fraction(1, 5), Fraction(2, 5), Fraction(1, 2)])
def test_more_canaries_are_below_the_bound_and_reach_its_part_without_delta(q: Fraction) -> None:
    m, made, right, odds = 100, (8, 8), 14, Fraction(3)
    prior = q / (1 - q)
    for delta in (Fraction(0), Fraction(1, 5000), Fraction(1, 500)):
        largest = largest_of_two_kinds(
            made,
            right,
            (float(odds * prior), float(odds / prior)),
            (float(m * q * delta), float(m * (1 - q) * delta)),
        )
        design = Design(False, (Coins(q, m, *made),))
        stated = bound(design, right, odds, delta)
        tosses = bound(design, right, odds, Fraction(0))
        assert tosses - 1e-9 <= largest <= stated + 1e-9
        # What δ adds is bounded crudely: this is what docs/canaries_guesses.md says of it.
        assert stated - tosses <= 8 * (largest - tosses) + 1e-9


@pytest.mark.parametrize("odds", [Fraction(1, 9), Fraction(1, 2), Fraction(3)])
def test_equal_odds_reach_the_bound_below_one_too(odds: Fraction) -> None:
    """Where e^ε·q/(1 − q) is less than 1, the law of errors that attains the bound exists too."""
    q, m = Fraction(1, 10), 60
    for made, right in ((12, 3), (12, 7), (20, 20)):
        for delta in (Fraction(0), Fraction(1, 1000)):
            largest = largest_of_two_kinds(
                (made, 0), right, (float(odds), 1.0), (float(m * q * delta), 0.0)
            )
            design = Design(True, (Coins(q, m, made, 0),))
            stated = bound(design, right, odds * (1 - q) / q, delta)
            assert largest == pytest.approx(min(1.0, stated), abs=1e-8)
