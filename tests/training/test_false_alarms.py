"""Audits of trainings that leak nothing, or a known amount: bounds are seldom above the truth."""

import itertools
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

import dpaudit
from dpaudit.numbers.ball import Ball
from dpaudit.questions.canaries import all_sizes
from tests.benchmarks import canaries, steinke
from tests.benchmarks.borders import Border, alarms, border
from tests.benchmarks.canaries import allowed
from tests.benchmarks.canary_draws import NULLS, Draws, null_draws
from tests.benchmarks.canary_trainings import epsilon_of_gaussian, random_training
from tests.sampling import recorded

AUDITS, CANARIES = 1500, 200
DELTA = Fraction(1, 10**9)


def alarms_too_often(draws: Any, reached: Border, level: Fraction) -> bool:
    found = alarms(draws, reached)
    return float(np.mean(found)) > allowed(len(found), float(level))


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("level", canaries.LEVELS, ids=str)
def test_nothing_is_seldom_found_where_there_is_nothing(name: str, level: Fraction) -> None:
    draws = null_draws(name, AUDITS, CANARIES, 7)
    assert not alarms_too_often(draws, border(CANARIES, DELTA, level), level)


@pytest.mark.parametrize("name", NULLS)
@pytest.mark.parametrize("size", [60, 150])
def test_alarms_in_bulk_are_those_of_the_public_function(name: str, size: int) -> None:
    scores, member = null_draws(name, 8, size, 3)
    for number in range(4):  # some leak, so that there are alarms
        scores[number] += member[number] * number / 3 * np.std(scores[number])
    for delta, level in itertools.product(("1e-9", "1e-3"), ("1/20", "1/100")):
        found = alarms((scores, member), border(size, Fraction(delta), Fraction(level)))
        public = [
            dpaudit.canaries(*one, delta=delta, level=level).bounds[0].epsilon.lower > 0
            for one in zip(scores, member, strict=True)
        ]
        assert found.tolist() == public
    assert sum(public) < 8


def test_the_best_of_many_numbers_of_guesses_at_the_whole_level_is_noticed() -> None:
    level = Fraction(1, 20)
    sizes = border(CANARIES, DELTA, level).sizes
    counts = tuple(int(binom.isf(float(level), size, 0.5)) + 1 for size in sizes)
    mutant = Border(CANARIES, sizes, counts)
    assert alarms_too_often(null_draws("normal", AUDITS, CANARIES, 7), mutant, level)


def test_a_bound_of_the_largest_tail_alone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def largest_tail(sizes: tuple[int, ...], needed: tuple[int, ...], epsilon: Fraction) -> Ball:
        chance = 1 / (1 + np.exp(-float(epsilon)))
        pairs = zip(sizes, needed, strict=True)
        return Ball(max(float(binom.sf(count - 1, size, chance)) for size, count in pairs))

    monkeypatch.setattr(all_sizes, "_crossing", largest_tail)
    monkeypatch.setattr(all_sizes, "_SHARE", Fraction(1))
    level = Fraction(1, 20)
    mutant = border.__wrapped__(CANARIES, DELTA, level)
    assert alarms_too_often(null_draws("normal", AUDITS, CANARIES, 7), mutant, level)


def test_ties_that_are_broken_by_members_are_noticed() -> None:
    level = Fraction(1, 20)
    scores, member = null_draws("ties: normal, rounded to 1/2", AUDITS, CANARIES, 7)
    reached = border(CANARIES, DELTA, level)
    # Among equal scores above the median members come first, below it the others do.
    assert alarms_too_often((scores + member * 1e-6, member), reached, level)


def leaks_delta(delta: float, count: int, rng: np.random.Generator) -> Draws:
    """Return scores and members of trainings that are (0, δ)-DP, and no better.

    Of all m guesses the number of errors k has probability w_k·(1 − b·g + g·[k ≤ u]), u = m − count
    and g = m·δ/(count·w_u), which attains the bound on as many right guesses as ``count``.
    """
    errors = np.arange(CANARIES + 1)
    mass = binom.pmf(errors, CANARIES, 0.5)
    most = CANARIES - count
    tail = binom.cdf(most, CANARIES, 0.5)
    gain = min(CANARIES * delta / (count * mass[most]), 1 / tail)
    law = mass * (1 - tail * gain + gain * (errors <= most))
    member = rng.integers(2, size=(AUDITS, CANARIES)).astype(bool)
    wrong = rng.choice(errors, size=AUDITS, p=law / law.sum())
    place = rng.permuted(np.tile(np.arange(CANARIES), (AUDITS, 1)), axis=1)
    guess = member ^ (place < wrong[:, None])
    return np.where(guess, 1, -1) * rng.uniform(1, 2, size=guess.shape), member


def right_in_order(scores: Any, member: Any, reached: Border) -> float:
    """Return the share of alarms where a score above 0 is a guess "in", the surest first."""
    order = np.argsort(-np.abs(scores), axis=1)
    right = np.take_along_axis((scores > 0) == member, order, axis=1)
    counts = np.cumsum(right, axis=1)[:, np.array(reached.sizes) - 1]
    return float(np.mean(np.any(counts >= np.array(reached.counts), axis=1)))


def test_a_bound_that_forgets_delta_is_noticed() -> None:
    level, delta = Fraction(1, 20), Fraction(1, 200)
    most = allowed(AUDITS, float(level))
    rng = np.random.default_rng(3)
    true, mutant = border(CANARIES, delta, level), border(CANARIES, Fraction(0), level)
    assert right_in_order(*leaks_delta(float(delta), true.counts[-1], rng), true) <= most
    assert right_in_order(*leaks_delta(float(delta), mutant.counts[-1], rng), mutant) > most


def test_trainings_with_a_known_mu_are_seldom_above_it() -> None:
    (found,) = canaries.trainings(canaries.Sizes({}, 1, {}, 12))
    most = allowed(12, 0.05) * 12
    assert all(0 <= count <= most for count in found["above"].values())
    assert 0 < found["share"] < 1


def test_trainings_with_too_little_noise_are_above_it() -> None:
    above = 0
    for seed in range(1, 25, 2):
        run = random_training(seed, noise=1 / 8)
        bound = dpaudit.canaries(run.scores, run.member, delta="1e-5").bounds[0].epsilon
        above += float(bound.lower) > epsilon_of_gaussian(run.mu, 1e-5)
    assert above > allowed(12, 0.05) * 12


@pytest.mark.parametrize(("mu", "delta"), [(0.5, 1e-5), (1.0, 1e-3), (3.0, 1e-6)])
def test_the_epsilon_of_gaussian_noise_is_its_own(mu: float, delta: float) -> None:
    """δ is the largest difference P − e^ε·Q, over half-lines of a fine grid."""
    epsilon = epsilon_of_gaussian(mu, delta)
    ends = np.linspace(-10, 40, 2_000_001)
    largest = np.max(norm.sf(ends - mu) - np.exp(epsilon) * norm.sf(ends))
    assert float(largest) == pytest.approx(delta, rel=1e-6)
    assert epsilon_of_gaussian(mu, 0.9999) == 0


def test_the_formula_in_use_is_as_written() -> None:
    canary, guesses, right, delta = 30, 20, 14, 0.01
    chance = 3 / 4

    def mass(k: int) -> float:
        return comb(guesses, k) * chance**k * (1 - chance) ** (guesses - k)

    tail = sum(mass(k) for k in range(right, guesses + 1))
    steps = [sum(mass(k) for k in range(right - i, right)) / i for i in range(1, right + 1)]
    wanted = tail + 2 * canary * delta * max(steps)
    assert steinke.p_value(canary, guesses, right, np.log(3), delta) == pytest.approx(wanted)
    found = steinke.epsilon_refuted(1000, 100, 75, 1e-4, 0.05)
    assert steinke.p_value(1000, 100, 75, found, 1e-4) == pytest.approx(0.05)
    assert steinke.epsilon_refuted(1000, 100, 50, 1e-4, 0.05) == 0


def test_the_tables_are_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert canaries.main(["--tiny"]) == 0
    out = capsys.readouterr().out
    assert "| normal | 60 | 40 | 5% | 15.34% |" in out
    assert "Measured 20" in out
    assert out.count("\n| --- ") == 3


def number(cell: str) -> float:
    return float(cell.strip("*%").replace(",", ""))


def test_the_page_says_what_was_to_be_shown() -> None:
    false = recorded.rows("nulls", canaries.PAGE)
    assert {(row["scores"], row["m"], row["level"]) for row in false} == {
        (name, m, level) for name in NULLS for m in ("1,000", "10,000") for level in ("5%", "1%")
    }
    assert all(number(row["dpaudit"]) <= number(row["+ 3 errors"]) for row in false)
    shown = recorded.rows("power", canaries.PAGE)
    assert len(shown) == 6
    for row in shown:
        ours = number(row["**dpaudit**"])
        assert ours >= 1.1 * max(number(row["Split"]), number(row["MultiSplit"]))
        assert number(row["Steinke, same counts"]) < ours < number(row["true ε"])
        fixed = number(row["**dpaudit**, m/10 guesses"])
        assert number(row["Steinke, m/10 guesses"]) < fixed < number(row["true ε"])
    (run,) = recorded.rows("trainings", canaries.PAGE)
    most = number(run["level + 3 errors"]) / 100 * number(run["trainings"])
    assert all(number(cell) <= most for name, cell in run.items() if "above" in name)
