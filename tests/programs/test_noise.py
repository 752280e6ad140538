"""Laws written with dpaudit.noise: against tables that are added up, and against programs."""

from fractions import Fraction
from itertools import product as combinations
from math import exp
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check, finite_mechanism, noise, program, real
from dpaudit.cli.main import invoke
from dpaudit.errors import DpauditError, LawError, ParameterError
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, Real, add_up

T = exp(-0.5)
FAR = 400


def mass(k: int) -> float:
    """Return the probability of k under two-sided geometric noise of ε = 1/2."""
    return (1 - T) / (1 + T) * T ** abs(k)


def listed(draws: Any) -> dict[Any, float]:
    """Return the law of a function of two-sided geometric noise, added up."""
    found: dict[Any, float] = {}
    for k in range(-FAR, FAR + 1):
        output = draws(k)
        found[output] = found.get(output, 0) + mass(k)
    return found


def floats(law: Any) -> dict[Any, float]:
    return {output: float(p) for output, p in law.items()}


GEOMETRIC = noise.geometric("1/2")


@pytest.mark.parametrize(
    ("law", "draws"),
    [
        ((GEOMETRIC + 3).clamped(0, 5), lambda k: max(0, min(5, k + 3))),
        ((2 + GEOMETRIC).clamped(-1, 4).threshold(2), lambda k: min(4, k + 2) if k >= 0 else 0),
        ((GEOMETRIC - 1).clamped(-2, 2).threshold(1, None), lambda k: min(2, k - 1) if k > 1 else None),  # noqa: E501
        ((GEOMETRIC * 2).clamped(-3, 3), lambda k: max(-3, min(3, 2 * k))),
        ((-1 * GEOMETRIC + 1).clamped(0, 2), lambda k: max(0, min(2, 1 - k))),
        (noise.convolve(GEOMETRIC, noise.integers(1, 1)).clamped(1, 3), lambda k: max(1, min(3, k + 1))),  # noqa: E501
        (noise.convolve(GEOMETRIC.clamped(0, 2), noise.integers(1, 1)), lambda k: 1 + max(0, min(2, k))),  # noqa: E501
    ],
)  # fmt: skip
def test_a_law_is_what_is_added_up(law: Any, draws: Any) -> None:
    assert floats(law) == pytest.approx(listed(draws), abs=1e-14)
    assert (add_up(law.values()) - 1).sign() is Sign.ZERO
    assert len(law) == len(set(law))


def test_products_and_sums_of_independent_parts() -> None:
    coin, die = noise.bernoulli("1/3"), noise.integers(1, 6)
    both = noise.product(coin, die)
    assert all(both[c, d] == coin[c] * die[d] for c, d in combinations(coin, die))
    total = noise.convolve(coin, die, coin)
    expected: dict[Any, Real] = {}
    numbers: Any = combinations(coin, die, coin)
    for a, b, c in numbers:
        part = coin[a] * die[b] * coin[c]
        expected[a + b + c] = expected[a + b + c] + part if a + b + c in expected else part
    assert dict(total) == expected
    assert dict(noise.product()) == {(): ONE}


@pytest.mark.parametrize("bits", [53, 200])
def test_discrete_gaussian_noise_is_enclosed(bits: int) -> None:
    from dpaudit.numbers.ball import precision

    with precision(bits):
        law = dict(noise.discrete_gaussian(2).clamped(-1, 1))
        total = sum(exp(-k * k / 8) for k in range(-60, 61))
        assert float(law[0]) == pytest.approx(1 / total, abs=1e-12)
        assert law[0].rad() < 2.0 ** (5 - bits)


def mechanism(law: Any, budget: Any = 1, datasets: Any = (0, 1)) -> Any:
    return finite_mechanism(datasets=list(datasets), neighbours="all", budget=budget)(law)


def test_laws_without_an_end_are_compared_exactly() -> None:
    found = check(mechanism(lambda x: GEOMETRIC + x, "1/2"), n=1)
    (result,) = found.results
    assert result.verdict == "within"
    assert str(result.epsilon.exact) == "1/2"
    assert str(result.delta_held.exact) == "0"
    (result,) = check(mechanism(lambda x: (GEOMETRIC + x).threshold(2), "1/4"), n=1).results
    assert result.verdict == "exceeds"
    assert str(result.epsilon.exact) == "1/2"


def test_an_endless_law_stands_beside_a_table() -> None:
    def law(x: int) -> Any:
        return noise.integers(0, 3) if x else GEOMETRIC

    (result,) = check(mechanism(law, 1), n=1).results
    assert result.epsilon.upper.is_infinite()
    assert result.verdict == "exceeds"


def test_it_is_the_law_of_the_same_program() -> None:
    @program(datasets=[(2, 0), (1, 1)], neighbours="all", budget=2)
    def noisy(counts: Any, random: Any) -> Any:
        draws = [c + random.discrete_laplace(2) for c in counts]
        return tuple(x if x >= 2 else 0 for x in (max(0, min(4, draw)) for draw in draws))

    def law(counts: Any) -> Any:
        return noise.product(*((GEOMETRIC + c).clamped(0, 4).threshold(2) for c in counts))

    written = mechanism(law, 2, [(2, 0), (1, 1)])
    assert dict(noisy.law((2, 0))) == dict(law((2, 0)))
    one, other = (check(m, n=1).results[0] for m in (noisy, written))
    assert str(one.epsilon) == str(other.epsilon)
    assert str(one.delta) == str(other.delta)


def test_a_law_that_changes_is_refused() -> None:
    seen: list[int] = []

    def law(x: int) -> Any:
        seen.append(x)
        return (GEOMETRIC + len(seen)).clamped(0, 1)

    with pytest.raises(LawError, match="two different output distributions"):
        check(mechanism(law), n=1)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: noise.geometric(0), "epsilon = 0: must be above 0"),
        (lambda: noise.geometric("-1/2"), "must be above 0"),
        (lambda: noise.discrete_gaussian("ln(1)"), "must be above 0"),
        (lambda: GEOMETRIC + 0.5, "number = 0.5: must be a whole number"),  # type: ignore[operator]
        (lambda: GEOMETRIC * True, "factor = True: must be a whole number"),
        (lambda: GEOMETRIC.clamped(2, 1), "high = 1: must be at least low, 2"),
        (lambda: noise.integers(2, 1), "must be at least low"),
        (lambda: noise.product(GEOMETRIC, 3), "3 is not noise"),  # type: ignore[arg-type]
        (lambda: dict(GEOMETRIC), "unbounded outputs cannot be listed in a table; clamp them"),
        (lambda: dict(noise.bernoulli("3/2")), "p = 3/2"),
        (lambda: dict(noise.product(*[noise.integers(0, 99)] * 3)), "make 1000000 outputs"),
        (lambda: dict(noise.convolve(GEOMETRIC, GEOMETRIC)), "two parts of a sum are unbounded"),
    ],
)
def test_what_is_no_noise_is_one_line(make: Any, told: str) -> None:
    with pytest.raises((ParameterError, LawError, DpauditError), match=told) as refused:
        make()
    assert len(str(refused.value).splitlines()) == 1


FILE = """
from dpaudit import finite_mechanism, noise

@finite_mechanism(datasets=[(3, 0), (2, 1), (1, 2), (0, 3)], neighbours="unit-moves", budget=1)
def histogram(counts):
    noisy = noise.geometric("1/2")
    return noise.product(*((noisy + count).clamped(0, 3).threshold(2) for count in counts))
"""


def test_the_thresholded_histogram_in_eight_lines(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    own, report = tmp_path / "own.py", tmp_path / "r.json"
    own.write_text(FILE)
    assert len(FILE.strip().splitlines()) <= 8
    assert invoke(["check", f"{own}:histogram", "--format", "json", "--output", str(report)]) == 0
    assert invoke(["verify", str(report), "--own", f"{own}:histogram"]) == 0
    assert "accepted" in capfd.readouterr().out
    own.write_text(FILE.replace(".clamped(0, 3)", ""))
    assert invoke(["check", f"{own}:histogram", "--format", "json", "--output", str(report)]) == 0
    assert invoke(["verify", str(report), "--own", f"{own}:histogram"]) == 3
    assert "unbounded outputs cannot be listed in a table; clamp" in capfd.readouterr().out
    assert Fraction(1, 2) + real("ln(2)") == real("ln(2)") + Fraction(1, 2)


def test_a_law_is_derived_while_another_program_is_watched() -> None:
    """Real runs of the one draw from generators that the other must not use."""

    def outer(data: int, random: Any) -> int:
        inner = program(datasets=[0], neighbours="all")(
            lambda bit, source: min(source.geometric("1/3"), 2)
        )
        return len(inner.law(0)) + data

    one = program(datasets=[0, 1], neighbours="all")(outer)
    assert [*one.law(0)] == [3]
