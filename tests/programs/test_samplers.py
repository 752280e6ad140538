"""Sub-samplers: derived once, closed by renewal, or enclosed with a rest."""

from fractions import Fraction
from typing import Any

import pytest

from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import real

PAIR: dict[str, Any] = {"datasets": [0, 1], "neighbours": "all"}


def bernoulli_exp(random: Any, gamma: Fraction) -> bool:
    """Canonne, Kamath and Steinke 2020, Algorithm 1: True with probability e^(−γ), γ ≤ 1."""
    k = 1
    while random.bernoulli(gamma / k):
        k += 1
    return k % 2 == 1


def accepted(random: Any, gamma: Fraction) -> bool:
    """Return True with probability e^(−γ), for any γ ≥ 0."""
    while gamma > 1:
        if not random.sub(bernoulli_exp, Fraction(1), outcomes=(True, False)):
            return False
        gamma -= 1
    found: bool = random.sub(bernoulli_exp, gamma, outcomes=(True, False))
    return found


def laplace_attempt(random: Any, t: int) -> Any:
    """Canonne, Kamath and Steinke 2020, Algorithm 2 at scale t: one pass."""
    u = random.integers(t)
    if not accepted(random, Fraction(u, t)):
        return None
    v = 0
    while accepted(random, Fraction(1)):
        v += 1
    size = u + t * v
    negative = random.bernoulli(Fraction(1, 2))
    if negative and size == 0:
        return None
    return -size if negative else size


RANGE = (*range(-24, 25), "far")
"""What is kept of the discrete Laplace draws: others would be accepted once in 10²⁸ times."""


def gaussian_attempt(random: Any, variance: Fraction, t: int) -> Any:
    """Canonne, Kamath and Steinke 2020, Algorithm 3: one pass."""
    y = random.until(laplace_attempt, t, outcomes=RANGE)
    if y == "far":
        return None
    gamma = (abs(y) - variance / t) ** 2 / (2 * variance)
    return y if accepted(random, gamma) else None


def law_of(function: Any) -> dict[Any, Any]:
    return dict(program(**PAIR)(lambda x, random: function(random)).law(0))


def test_a_rejection_loop_is_closed_by_renewal() -> None:
    def die(random: Any) -> int | None:
        found = random.bits(3)
        return found if found < 6 else None

    law = law_of(lambda random: random.until(die))
    assert {o: p.as_fraction() for o, p in law.items()} == dict.fromkeys(range(6), Fraction(1, 6))


def test_a_sampler_in_a_sampler_is_exact() -> None:
    def third(random: Any) -> bool | None:
        return (True, False, False, None)[random.bits(2)]

    def attempt(random: Any) -> Any:
        pair = random.until(third), random.until(third)
        return pair if pair[0] != pair[1] else None

    law = law_of(lambda random: random.until(attempt))
    assert {p.as_fraction() for p in law.values()} == {Fraction(1, 2)}


def test_the_discrete_laplace_by_rejection_has_the_law_it_promises() -> None:
    law = law_of(lambda random: random.until(laplace_attempt, 2, outcomes=RANGE))
    with precision(128):
        t = (-Ball(1) / 2).exp()
        for k in range(-24, 25):
            expected = (1 - t) / (1 + t) * t ** abs(k)
            assert law[k].overlaps(expected)
            assert law[k].rad() < 1e-14


def test_the_discrete_gaussian_by_rejection_has_the_law_it_promises() -> None:
    law = law_of(lambda random: random.until(gaussian_attempt, Fraction(4), 3, outcomes=RANGE))
    with precision(128):
        weights = {k: (-Ball(k * k) / 8).exp() for k in range(-60, 61)}
        total = sum(weights.values(), Ball(0))
        for k in range(-12, 13):
            assert law[k].overlaps(weights[k] / total)
            assert law[k].rad() < 1e-12


def test_a_sampler_that_never_gives_anything_is_refused() -> None:
    with pytest.raises(LawError, match="never returns"):
        law_of(lambda random: random.until(lambda source: None))


def test_a_sampler_with_continuous_noise_is_refused() -> None:
    with pytest.raises(LawError, match="continuous noise"):
        law_of(lambda random: random.sub(lambda source: source.laplace(1) > 0))


def test_samplers_run_for_real() -> None:
    @program(**PAIR)
    def one(x: int, random: Any) -> int:
        found: int = random.until(laplace_attempt, 2, outcomes=RANGE)
        return max(-1, min(1, found))

    assert {one.run(0) for _ in range(20)} <= {-1, 0, 1}
    assert sum(float(mass) for mass in one.law(0).values()) == pytest.approx(1)


def test_a_bernoulli_of_an_exponential_is_enclosed() -> None:
    law = law_of(lambda random: random.sub(bernoulli_exp, Fraction(1, 2), outcomes=(True, False)))
    with precision(128):
        assert law[True].overlaps(real("exp(-1/2)").ball())
        assert law[True].rad() < 1e-14


def test_a_sampler_that_looks_at_draws_of_others_is_refused() -> None:
    def comparing(random: Any) -> Any:
        outer = random.laplace(1)
        return random.sub(lambda source: outer > 0)

    def adding(random: Any) -> Any:
        outer = random.geometric("1/2")
        return random.sub(lambda source: min(3, source.geometric("1/2") + outer))

    for body in (comparing, adding):
        with pytest.raises(LawError, match="a random draw is used"):
            law_of(body)


@pytest.mark.parametrize(
    ("first", "second"), [(1, True), (1, 1.0), (0.0, -0.0), ((1, 0), (1, False))]
)
def test_arguments_that_are_equal_and_not_the_same_have_laws_of_their_own(
    first: Any, second: Any
) -> None:
    def shown(source: Any, value: Any) -> str:
        return repr(value) if source.bernoulli("1/2") else "-"

    law = law_of(lambda random: (random.sub(shown, first), random.sub(shown, second)))
    assert set(law) == {(a, b) for a in (repr(first), "-") for b in (repr(second), "-")}


@pytest.mark.parametrize("outcomes", [None, (1, "no")])
def test_what_a_sampler_gives_is_not_counted_as_what_it_equals(outcomes: Any) -> None:
    def attempt(source: Any) -> Any:
        return source.choice([True, "no"] if outcomes else [1, True])

    with pytest.raises(LawError, match="compare equal but are not the same"):
        law_of(lambda random: repr(random.sub(attempt, outcomes=outcomes)))
