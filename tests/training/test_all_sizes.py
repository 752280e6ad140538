"""Bounds from every number of guesses: brute force, other arithmetic, and trainings."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.numbers.ball import ball, precision
from dpaudit.numbers.closed_form import rational
from dpaudit.questions.canaries.all_sizes import (
    Ranked,
    _crossing,
    _Event,
    largest_refuted_by_all,
    needed_counts,
    sizes_tried,
)
from dpaudit.questions.canaries.guessing import ranked
from dpaudit.recheck.verify import verify
from tests.recheck.sealing import verdict

LEVEL, DELTA = rational(Fraction(1, 20)), rational(Fraction(1, 100_000))


def test_tosses_reach_a_count_as_often_as_counting_says() -> None:
    """All 2¹² sequences, in exact arithmetic."""
    sizes, needed, epsilon = (3, 5, 8, 12), (3, 5, 7, 10), Fraction(7, 10)
    q = 1 / (1 + math.exp(-0.7))
    whole = 0.0
    for bits in itertools.product((0, 1), repeat=12):
        heads = [0, *itertools.accumulate(bits)]
        if any(heads[size] >= count for size, count in zip(sizes, needed, strict=True)):
            whole += q ** heads[-1] * (1 - q) ** (12 - heads[-1])
    with precision(96):
        found = _crossing(sizes, needed, ball(epsilon))
    assert float(found.mid()) == pytest.approx(whole, rel=1e-13)
    assert 0 < float(found.rad()) < 1e-11 * whole


@pytest.mark.parametrize(("epsilon", "size"), [(0, 900), (1, 4000), (6, 20_000), (20, 500)])
def test_one_count_is_a_binomial_tail(epsilon: int, size: int) -> None:
    """With one number of guesses the walk is one binomial number, in windows that drop its ends."""
    mean = size / (1 + math.exp(-epsilon))
    for count in {math.ceil(mean), min(size, math.ceil(mean + 3 * math.sqrt(size) / 2)), size // 2}:
        with precision(96):
            found = _crossing((size,), (count,), ball(epsilon))
            halves = _crossing((size // 2, size), (size, count), ball(epsilon))
        wanted = float(binom.sf(count - 1, size, 1 / (1 + math.exp(-epsilon))))
        assert float(found.mid()) == pytest.approx(wanted, rel=1e-9, abs=1e-24)
        if not binom.sf(size - 1, size // 2, 0.5):
            assert float(halves.mid()) == pytest.approx(wanted, rel=1e-9, abs=1e-24)


def most_probable(m: int, right: Any, epsilon: float, delta: float) -> float:
    """Return the largest probability of an event of right guesses over all trainings and guesses.

    A linear program over the law of guesses for each of the 2^m sets of canaries: guesses are all
    in or out, in one order.
    """
    sets = list(itertools.product((0, 1), repeat=m))
    place = {one: i for i, one in enumerate(sets)}
    count = len(sets)
    pairs = [(s, tuple(b ^ (j == i) for j, b in enumerate(s))) for s in sets for i in range(m)]
    # (μ_s(t) − e^ε·μ_s'(t))₊ is a variable of its own for each ordered pair.
    variables = count * count + len(pairs) * count
    goal = np.zeros(variables)
    for s in sets:
        for t in sets:
            if right(tuple(int(a == b) for a, b in zip(s, t, strict=True))):
                goal[place[s] * count + place[t]] = -1 / count
    above, most = [], []
    for k, (s, other) in enumerate(pairs):
        excess = count * count + k * count
        row = np.zeros(variables)
        row[excess : excess + count] = 1
        above.append(row)
        most.append(delta)
        for answer in range(count):
            row = np.zeros(variables)
            row[place[s] * count + answer] = 1
            row[place[other] * count + answer] = -math.exp(epsilon)
            row[excess + answer] = -1
            above.append(row)
            most.append(0.0)
    equal = np.zeros((count, variables))
    for i in range(count):
        equal[i, i * count : (i + 1) * count] = 1
    found = linprog(goal, np.array(above), most, equal, np.ones(count), bounds=(0, None))
    return float(-found.fun)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("delta", [0.0, 0.01, 0.2])
@pytest.mark.parametrize(
    ("sizes", "needed"), [((1, 3), (1, 3)), ((2, 3), (2, 2)), ((1, 2), (1, 2))]
)
def test_no_training_is_above_the_bound(
    epsilon: float, delta: float, sizes: tuple[int, ...], needed: tuple[int, ...]
) -> None:
    m = sizes[-1]

    def right(bits: tuple[int, ...]) -> bool:
        return any(sum(bits[:r]) >= v for r, v in zip(sizes, needed, strict=True))

    with precision(96):
        event = _Event(m, sizes, needed, rational(Fraction(delta)))
        bound = min(1.0, float(event.bound(Fraction(epsilon)).upper()))
    largest = most_probable(m, right, epsilon, delta)
    assert largest <= bound + 1e-7
    if not delta:
        assert bound == pytest.approx(largest, abs=1e-7)


def test_the_bound_grows_with_epsilon() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        m = int(rng.integers(8, 300))
        delta = rational(Fraction(int(rng.integers(0, 100)), 100_000))
        sizes = sizes_tried(m, delta, LEVEL)
        right = tuple(int(binom.rvs(r, 0.75, random_state=rng)) for r in sizes)
        needed = needed_counts(Ranked(m, sizes, right), LEVEL)
        if needed is None:
            continue
        with precision(96):
            event = _Event(m, sizes, needed, delta)
            balls = [event.bound(Fraction(k, 8)) for k in range(40)]
        assert all(float(one.rad()) <= 1e-10 * float(one.mid()) for one in balls)
        values = [float(one.mid()) for one in balls]
        assert all(low <= high * (1 + 1e-9) for low, high in itertools.pairwise(values))


def test_what_is_needed_was_reached_somewhere_and_by_nothing_less() -> None:
    seen = Ranked(40, sizes_tried(40, DELTA, LEVEL), (8, 10, 13, 16, 20, 25, 29, 30))
    needed = needed_counts(seen, LEVEL)
    assert needed is not None
    assert any(v >= w for v, w in zip(seen.right, needed, strict=True))
    fewer = Ranked(40, seen.sizes, tuple(v - 1 for v in seen.right))
    less = needed_counts(fewer, LEVEL)
    assert less is not None
    assert all(w <= v for w, v in zip(less, needed, strict=True))
    assert less != needed


def test_a_count_that_ties_with_the_level_is_rare() -> None:
    """At ε = 0 three heads of three have probability 1/8, three quarters of 1/6."""
    level = rational(Fraction(1, 6))
    assert needed_counts(Ranked(3, (3,), (3,)), level) == (3,)
    assert largest_refuted_by_all(Ranked(3, (3,), (3,)), rational(Fraction(0)), level, 6).lower > 0


def drawn(rng: np.random.Generator, m: int, mu: float) -> tuple[Any, Any]:
    member = rng.integers(2, size=m)
    return rng.normal(size=m) + mu * member, member


def test_scores_alone_give_a_bound() -> None:
    """With noise 1 between the two groups the truth at δ = 10⁻⁵ is ε = 4.38 (Balle and Wang)."""
    above = 0
    for seed in range(30):
        scores, member = drawn(np.random.default_rng(seed), 1000, 1.0)
        bound = dpaudit.canaries(scores, member, delta="1e-5").bounds[0].epsilon
        assert bound.upper - bound.lower <= Fraction(1, 10**8)
        above += bound.lower > Fraction(438, 100)
    assert above <= 2


@pytest.mark.parametrize("delta", ["0", "1e-5", "1e-2"])
def test_a_training_that_leaks_nothing_is_seldom_refuted(delta: str) -> None:
    rng = np.random.default_rng(1123)
    refuted = 0
    for _ in range(300):
        scores, member = drawn(rng, 120, 0.0)
        scores = np.round(scores, 1)  # many are equal
        refuted += dpaudit.canaries(scores, member, delta=delta).bounds[0].epsilon.lower > 0
    assert refuted <= 300 * 0.05 + 3 * (300 * 0.05 * 0.95) ** 0.5


def test_randomised_response_is_bounded_by_its_own_epsilon() -> None:
    """A canary's membership, told rightly with probability 3/4: ε = ln 3."""
    rng = np.random.default_rng(7)
    above = 0
    for _ in range(100):
        member = rng.integers(2, size=300)
        told = np.where(rng.random(300) < 0.75, member, 1 - member)
        audit = dpaudit.canaries(told + rng.random(300) / 2, member)
        above += float(audit.bounds[0].epsilon.lower) > math.log(3)
    assert above <= 100 * 0.05 + 3 * (100 * 0.05 * 0.95) ** 0.5


def test_equal_scores_are_no_guess_at_a_border() -> None:
    scores, inside = [9.0, 9.0, 8.0, 5.0, 4.0, 1.0], [True, False, True, True, False, False]
    # The median is 6.5: 1 is the surest guess, 9, 9 and 4 are as sure, 8 and 5 are last.
    assert ranked(scores, inside, (1, 2, 3, 4, 5, 6)) == [1, 1, 1, 3, 3, 4]
    assert ranked([2.0] * 4, [True] * 4, (1, 4)) == [0, 0]
    assert ranked([-math.inf, math.inf, math.inf, 0.0], [False, True, True, False], (4,)) == [2]
    assert ranked([-math.inf, math.inf], [False, True], (2,)) == [0]


def test_the_order_of_rows_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    scores, member = drawn(rng, 200, 2.0)
    scores = np.round(scores, 1)
    report = dpaudit.canaries(scores, member).report
    order = np.argsort(member)
    assert dpaudit.canaries(scores[order], member[order]).report == report
    assert dpaudit.canaries(-scores, member, direction="lower").report == report


def test_a_verdict_rests_on_the_counts_at_its_delta() -> None:
    scores, member = drawn(np.random.default_rng(5), 1000, 2.0)
    audit = dpaudit.canaries(scores, member, budget="3,1e-5")
    assert [str(bound.delta) for bound in audit.bounds] == ["0", "1/100000"]
    assert audit.verdict == "exceeds"
    assert dpaudit.canaries(scores, member, budget="5,1e-5").verdict == "not refuted"
    assert dpaudit.canaries(scores, member, budget=("ln(20)", "1e-5")).verdict == "exceeds"


def test_fewer_than_one_canary_is_refused() -> None:
    with pytest.raises(UsageError, match="0 scores"):
        dpaudit.canaries([], [])


@pytest.mark.wrong_on_purpose
def test_a_report_that_says_too_much_is_rejected(tmp_path: Path) -> None:
    scores, member = drawn(np.random.default_rng(5), 300, 2.0)
    true = dpaudit.canaries(scores, member, delta=("0", "1e-4"), budget="2,1e-4").to_json()
    path = tmp_path / "report.json"
    path.write_text(true)
    assert verify(path).verdict == "accepted"

    def changed(**change: Any) -> str:
        document = json.loads(true)
        document["bounds"][1] |= change
        return verdict(tmp_path, document)

    whole = json.loads(true)
    bound = whole["bounds"][1]
    sizes = bound["sizes"]
    fewer = [{**one, "right": max(0, one["right"] - 3)} for one in sizes[:-1]]
    assert changed(sizes=[*fewer, sizes[-1]]) == "rejected"
    assert changed(sizes=sizes[1:]) == "rejected"
    assert changed(sizes=[]) == "rejected"
    assert changed(delta="1/9999") == "rejected"
    assert changed(level="1/19") == "rejected"
    lower, upper = (Fraction(bound["epsilon"][end]) for end in ("lower", "upper"))
    for shift in (Fraction(1, 10**6), -Fraction(1, 10**6)):
        ends = {"lower": f"{float(lower + shift):.9f}", "upper": f"{float(upper + shift):.9f}"}
        assert changed(epsilon=ends) == "rejected"
    for change in (
        {"verdict": "not refuted"},
        {"canaries": 301, "guesses": 301},
        {"guesses": 299},
        {"right": whole["right"] + 1},
        {"budget": {"epsilon": "9", "delta": "1/10000"}},
        {"budget": {"epsilon": "2", "delta": "1/9999"}},
        {"budget": None},
    ):
        assert verdict(tmp_path, whole | change) == "rejected", change


def test_the_command_needs_no_number_of_guesses(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    scores, member = drawn(np.random.default_rng(5), 300, 2.0)
    path, figure = tmp_path / "scores.csv", tmp_path / "figure.svg"
    rows = [f"{one},{two}" for one, two in zip(scores, member, strict=True)]
    path.write_text("\n".join(["score,member", *rows]) + "\n")
    code = invoke(["canaries", str(path), "--delta", "1e-5", "--plot", str(figure)])
    out = capfdbinary.readouterr().out.decode()
    assert code == 0
    assert "of 300 canaries on the right side of the median score" in out
    assert "8, 10, 13, …, 300 were tried together" in " ".join(out.split())
    assert "number of guesses" in figure.read_text()
