"""Programs whose paths have no end: the likeliest are followed, and what is left is a rest."""

import random as python_random
from collections.abc import Callable
from fractions import Fraction
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check, program
from dpaudit.cli.main import invoke
from dpaudit.errors import LawError
from dpaudit.mechanisms.base import Mechanism
from dpaudit.numbers.ball import precision

HALF = Fraction(1, 2)
TINY = (1, Fraction(1, 10**9))


def of(function: Callable[..., Any], budget: Any = TINY, **given: Any) -> Any:
    return program(datasets=[0, 1], neighbours="all", budget=budget, **given)(function)


def known(mechanism: Mechanism[Any], x: int) -> dict[Any, float]:
    """Return what is known of a law, and its rest as ``None``."""
    with precision(100):
        law: Any = mechanism.laws().law(x)
        found = {output: float(p) for output, p in law.known.items()}
        assert float(law.rest.upper()) < 1.001e-15
        return found


def heads(random: Any, p: Fraction = HALF) -> int:
    n = 0
    while random.bernoulli(p):
        n += 1
    return n


def counted(x: int, random: Any) -> int:
    return min(5, x + heads(random))


def counted_twice(x: int, random: Any) -> int:
    return max(-2, min(3, x + heads(random) - heads(random)))


def until_tails(x: int, random: Any) -> int:
    n = 0
    while True:
        n += 1
        if not random.bernoulli("exp(-1)"):
            return min(4, x + n)


def deeper(x: int, random: Any) -> int:
    def below() -> int:
        return 0 if random.bernoulli(HALF) else 1 + below()

    return min(5, x + below())


def noisy_in_the_end(x: int, random: Any) -> bool:
    while random.bernoulli(Fraction(1, 3)):
        pass
    return bool(x + random.laplace(1) > 0)


def tried_again(x: int, random: Any) -> int:
    while True:
        k: int = random.integers(6)
        if k < 5:
            return x if k else 1 - x


def drawn_far(x: int, random: Any) -> int:
    while random.geometric(HALF) < 2:
        pass
    return x if random.bernoulli(Fraction(3, 4)) else 1 - x


def test_a_count_without_an_end_has_the_law_of_a_geometric_draw() -> None:
    for function in (counted, deeper):
        for x in (0, 1):
            law = known(of(function), x)
            expected = {o: 0.5 ** (o - x + 1) for o in range(x, 5)} | {5: 0.5 ** (5 - x)}
            assert law == {o: pytest.approx(p, abs=2e-15) for o, p in expected.items()}


def test_a_difference_of_two_counts_is_two_sided_geometric_noise() -> None:
    law = known(of(counted_twice), 0)
    two_sided = {k: 0.5 ** abs(k) / 3 for k in range(-80, 81)}
    assert law[0] == pytest.approx(two_sided[0], abs=2e-15)
    assert law[3] == pytest.approx(sum(two_sided[k] for k in range(3, 81)), abs=2e-15)
    (result,) = check(of(counted_twice), n=1).results
    assert result.verdict == "within"
    assert float(result.epsilon.lower) == pytest.approx(log(2), abs=1e-12)
    assert result.epsilon.upper.is_infinite()
    assert float(result.delta_held.upper) < 1e-14


def test_exact_parameters_stay_exact_in_the_rest() -> None:
    law = known(of(until_tails), 0)
    p = exp(-1)
    assert law[1] == pytest.approx(1 - p, abs=2e-15)
    assert law[4] == pytest.approx(p**3, abs=2e-15)


def test_continuous_and_countable_draws_may_be_made_on_such_paths() -> None:
    law = known(of(noisy_in_the_end), 0)
    assert law == {True: pytest.approx(0.5, abs=2e-15), False: pytest.approx(0.5, abs=2e-15)}
    (result,) = check(of(noisy_in_the_end), n=1).results
    assert float(result.epsilon.lower) == pytest.approx(1, abs=1e-12)
    assert result.verdict == "within"
    law = known(of(tried_again), 0)
    assert law == {0: pytest.approx(0.8, abs=2e-15), 1: pytest.approx(0.2, abs=2e-15)}
    law = known(of(drawn_far), 0)
    assert law == {0: pytest.approx(0.75, abs=2e-15), 1: pytest.approx(0.25, abs=2e-15)}


def counted_as_run(x: int) -> int:
    n = 0
    while python_random.random() < 0.5:
        n += 1
    return min(5, x + n)


def test_as_run_such_paths_are_followed_too() -> None:
    mechanism = of(counted_as_run, (1, "3/4"), as_run=True)
    law = known(mechanism, 0)
    assert law == {o: 0.5 ** (o + 1) for o in range(5)} | {5: pytest.approx(0.5**5, abs=2e-15)}
    report = check(mechanism, n=1).report
    assert report.interposed == ("random.random",)
    assert 0 < float(str(report.rest)) < 1e-15
    assert report.results[0].verdict == "within"


def test_what_is_certain_is_decided_in_spite_of_a_rest() -> None:
    (result,) = check(of(counted, HALF), n=1).results
    assert result.verdict == "exceeds"  # x = 0 alone gives 0
    assert float(result.delta_held.lower) > 0.4
    (result,) = check(of(counted_twice, 1), n=1).results
    assert result.verdict == "undecided"
    assert "some probability is not assigned to any output, so ε is" in result.reason


def leaks_rarely(x: int, random: Any) -> int:
    for _ in range(60):
        if random.bernoulli(HALF):
            break
    else:
        return x
    while random.bernoulli(HALF):
        pass
    return 2


def test_what_is_left_out_is_never_within_a_budget_that_it_may_break() -> None:
    mechanism = of(leaks_rarely)
    for budget, verdict in (
        (1, "undecided"),
        ((1, "1e-19"), "undecided"),
        ((1, "1e-12"), "within"),
    ):
        (result,) = check(mechanism, n=1, budget=budget).results
        assert result.verdict == verdict, budget


def for_ever(x: int, random: Any) -> None:
    while True:
        random.bernoulli(HALF)


def for_ever_at_times(x: int, random: Any) -> int:
    if random.bernoulli(Fraction(1, 1000)):
        for_ever(x, random)
    return x


def many_ways(x: int, random: Any) -> int:
    while True:
        if random.choice(range(40)) < 20:
            return x


def catches_all(x: int, random: Any) -> int:
    try:
        while random.bernoulli(HALF):
            pass
    except BaseException:
        return 1 - x
    return x


@pytest.mark.parametrize(
    ("function", "told", "given"),
    [
        (for_ever, "most of its paths are too long to be followed", {}),
        (for_ever_at_times, "leave 0.001 of the probability", {}),
        (many_ways, "leave", {"paths": 3000}),
    ],
)
def test_what_has_no_end_is_refused(
    function: Callable[..., Any], told: str, given: dict[str, Any]
) -> None:
    with pytest.raises(LawError, match=told):
        of(function, **given).law(0)


def test_a_program_that_catches_what_ends_a_run_gives_nothing_by_it() -> None:
    law = known(of(catches_all), 0)
    assert law == {0: pytest.approx(1, abs=2e-15)}


_state: list[int] = []


def remembers(x: int, random: Any) -> int:
    _state.append(x)
    n = len(_state) % 2
    while random.bernoulli(HALF):
        pass
    return n


def test_such_paths_are_run_again_as_well() -> None:
    with pytest.raises(LawError, match="an earlier call left it"):
        of(remembers).law(0)


FILE = '''
from fractions import Fraction
from dpaudit import program

@program(datasets=[0, 1, 2], neighbours=lambda x, y: abs(x - y) == 1, budget=(2, "1e-9"))
def count(true, random, p="1/2"):
    """A clamped count with noise from coins."""
    noise, sign = 0, 1 if random.bernoulli("1/2") else -1
    while random.bernoulli(p):
        noise += sign
    return max(0, min(3, true + noise))
'''


def test_reports_show_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("coins.py").write_text(FILE)
    assert invoke(["check", "coins.py:count", "--no-plot"]) == 0
    told = capfd.readouterr().out
    assert "inf]" in told
    assert "is not assigned to any output; δ is still bounded, and ε only" in told
    assert invoke(["check", "coins.py:count", "--format", "json", "--output", "r.json"]) == 0
    assert invoke(["verify", "r.json", "--own", "coins.py:count"]) == 3
    assert "verify cannot recompute an output distribution with a rest" in capfd.readouterr().out
    Path("dpaudit.toml").write_text('[[mechanism]]\nmechanism = "coins.py:count"\n')
    assert invoke(["gate"]) == 0
    assert "within" in capfd.readouterr().out
    Path("dpaudit.toml").write_text('[[mechanism]]\nmechanism = "coins.py:count"\nbudget = 2\n')
    assert invoke(["gate"]) != 0
    capfd.readouterr()
    for words in (
        ["curve"], ["tradeoff"], ["check", "--notion", "kl", "--budget", "1"],
        ["account", "--compose", "3", "--at-delta", "1e-6"],
    ):  # fmt: skip
        assert invoke([words[0], "coins.py:count", *words[1:]]) == 2
        told = capfd.readouterr().err
        assert "some probability is not assigned to any output" in told
        assert len(told.splitlines()) == 1


def absorbed(table: list[list[int]], start: int) -> dict[int, Fraction]:
    """Return how probably a walk ends where, solved exactly: states without an end are 0, 1, …"""
    size = len(table)
    ends = sorted({there - size for row in table for there in row if there >= size})
    rows = [
        [Fraction(int(i == j)) - Fraction(row.count(j), len(row)) for j in range(size)]
        + [Fraction(row.count(size + end), len(row)) for end in ends]
        for i, row in enumerate(table)
    ]
    for i in range(size):
        pivot = next(j for j in range(i, size) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [one / rows[i][i] for one in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return {end: rows[start][size + place] for place, end in enumerate(ends)}


@pytest.mark.parametrize("seed", range(12))
def test_random_walks_end_where_linear_equations_say(seed: int) -> None:
    rng = python_random.Random(seed)
    size, ways = rng.randint(1, 4), rng.choice([4, 5, 8])
    table = [
        [rng.randrange(size) if way == 0 else size + rng.randrange(3) for way in range(ways)]
        for _ in range(size)
    ]

    def walk(x: int, random: Any) -> int:
        state = x % size
        while state < size:
            state = table[state][random.integers(ways)]
        return state - size

    for x in (0, 1):
        law = known(of(walk), x)
        for end, p in absorbed(table, x % size).items():
            assert law.get(end, 0) <= float(p) + 1e-15
            assert float(p) <= law.get(end, 0) + 2e-15
