"""Whole numbers with normal noise and no end, against sums of many terms in other arithmetic."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.errors import LawError
from dpaudit.laws.discrete_gaussian import DiscreteGaussianLaw
from dpaudit.numbers.ball import certainly_less, precision
from dpaudit.numbers.real import ONE, Real, rational
from dpaudit.programs.output_laws.counts import CountedLaw
from dpaudit.programs.output_laws.factors import Factor
from dpaudit.programs.output_laws.printed_draws import Decimals, Place
from dpaudit.programs.unknowns.noises import Draw
from dpaudit.programs.unknowns.wholes import EVERYWHERE, WholeDraw

FORM = Place(0)
FAR = 60


def rounded(sd: Fraction, mean: Fraction, factor: int = 1, offset: int = 0) -> Factor:
    """Return factor·⌊x + mean⌋ + offset for normal x."""
    whole = math.floor(mean)
    noise = Draw("gaussian", rational(sd))
    draw = WholeDraw("rounded", ONE, rounding=(noise, mean - whole, None, None))
    return Factor(draw, EVERYWHERE, factor, factor * whole + offset)


def rounded_masses(sd: Fraction, mean: Fraction, factor: int, offset: int) -> dict[int, Any]:
    middle, reach = math.floor(mean), math.ceil(FAR * sd) + 2

    def mass(z: int) -> Any:
        low, high = ((mpf(z) - mpf(mean.numerator) / mean.denominator), 1)
        width = mpf(sd.numerator) / sd.denominator
        ends = (low / width, (low + high) / width)
        if ends[0] > 0:
            ends = (-ends[1], -ends[0])
        return mp.ncdf(ends[1]) - mp.ncdf(ends[0])

    return {factor * z + offset: mass(z) for z in range(middle - reach, middle + reach + 1)}


def weight_ball(weight: Any) -> Any:
    return weight.ball() if isinstance(weight, Real) else weight


def clamped(masses: dict[int, Any], low: int) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for number, mass in masses.items():
        place = max(number, low)
        found[place] = found.get(place, mpf(0)) + mass
    return found


def law_of(factor: Factor, low: int | None = None) -> CountedLaw:
    """Return the law of one count, or of it where it is at least ``low``."""
    if low is None:
        return CountedLaw({FORM: [(ONE, (factor,))]})
    least = -(-(low + 1 - factor.c) // factor.a)
    below = factor.mass((None, low))
    inside = factor._replace(support=((least, None),))
    return CountedLaw({FORM: [(below, (Factor(None, (), 1, low),)), (ONE, (inside,))]})


def hockey(p: dict[int, Any], q: dict[int, Any], epsilon: Fraction) -> Any:
    grown = mp.exp(mpf(epsilon.numerator) / epsilon.denominator)
    return mp.fsum(max(mpf(0), p[k] - grown * q.get(k, mpf(0))) for k in p)


@pytest.mark.parametrize("seed", range(25))
def test_excesses_are_sums_over_all_numbers(seed: int) -> None:
    drawn = random.Random(seed)
    sd = Fraction(drawn.randint(2, 40), 8)
    means = [Fraction(drawn.randint(-24, 24), 8) for _ in range(2)]
    factor, offset = drawn.choice([1, 1, 2, -1, -3]), drawn.randint(-2, 2)
    low = drawn.choice([None, None, 0, -3]) if factor == 1 else None
    with precision(160):
        laws = [law_of(rounded(sd, mean, factor, offset), low) for mean in means]
    with mp.workdps(60):
        sums = [rounded_masses(sd, mean, factor, offset) for mean in means]
        if low is not None:
            sums = [clamped(one, low) for one in sums]
        for epsilon in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(4)):
            for forward in (True, False):
                with precision(160):
                    compared = laws[0].divergence_from(laws[1])
                    found = compared.hockey_stick(rational(epsilon), forward=forward).ball
                    told = mpf(found.mid().str(50, radius=False))
                wanted = hockey(sums[not forward], sums[forward], epsilon)
                assert abs(told - wanted) < mpf("1e-35")
                assert float(found.rad()) < 1e-30


@pytest.mark.parametrize("low", [None, 0])
def test_losses_and_numbers(low: int | None) -> None:
    sd = Fraction(3, 2)
    means = Fraction(1, 2), Fraction(5, 2)
    with precision(160):
        laws = [law_of(rounded(sd, mean), low) for mean in means]
    with mp.workdps(60):
        sums = [rounded_masses(sd, mean, 1, 0) for mean in means]
        sums = sums if low is None else [clamped(one, low) for one in sums]
        with precision(160):
            compared = laws[0].divergence_from(laws[1])
            for number in (0, 1, 5, 9):
                loss = compared.loss_at(number, forward=True).ball
                wanted = mp.log(sums[0][number] / sums[1][number])
                assert abs(mpf(loss.mid().str(50, radius=False)) - wanted) < mpf("1e-30")
            assert compared.max_loss(forward=False).infinite
            largest = compared.max_loss(forward=True)
            if low is None:
                assert largest.infinite
            else:  # the numbers that are clamped to 0 have the largest
                wanted = mp.log(sums[0][0] / sums[1][0])
                assert abs(mpf(largest.ball.mid().str(50, radius=False)) - wanted) < mpf("1e-30")
            atoms = list(compared.atoms(forward=True))
            for side in ("p", "q"):
                whole = sum((getattr(atom, side) for atom in atoms), getattr(atoms[0], side) * 0)
                assert whole.overlaps(whole * 0 + 1)
                assert float(whole.rad()) < 1e-40


def test_discrete_gaussian_noise_has_the_law_of_its_mechanism() -> None:
    def law(centre: int) -> CountedLaw:
        draw = WholeDraw("discrete_gaussian", rational(Fraction(2)))
        return CountedLaw({FORM: [(ONE, (Factor(draw, EVERYWHERE, 1, centre),))]})

    with precision(96):
        laws = [DiscreteGaussianLaw(centre, rational(Fraction(4))) for centre in (0, 1)]
        for epsilon in map(rational, (Fraction(0), Fraction(1, 2), Fraction(3))):
            for forward in (True, False):
                found, wanted = (
                    p.divergence_from(q).hockey_stick(epsilon, forward=forward).ball
                    for p, q in ((law(0), law(1)), laws)
                )
                assert found.overlaps(wanted)
                assert float(found.rad()) < 1e-20


@pytest.mark.parametrize(
    "other",
    [
        rounded(Fraction(3), Fraction(1, 2)),
        rounded(Fraction(2), Fraction(3, 2), -1),
        rounded(Fraction(2), Fraction(1, 2), 2),
    ],
)
def test_noise_of_other_widths_or_lattices_is_refused(other: Factor) -> None:
    with pytest.raises(LawError, match="normal"):
        law_of(rounded(Fraction(2), Fraction(1, 2))).divergence_from(law_of(other))


def test_two_counts_are_refused() -> None:
    form = (Place(0), Place(1))
    one, two = rounded(Fraction(2), Fraction(1, 2)), rounded(Fraction(2), Fraction(3, 2))
    laws = [CountedLaw({form: [(ONE, (own, own))]}) for own in (one, two)]
    with pytest.raises(LawError, match="normal"):
        laws[0].divergence_from(laws[1])


def test_a_count_beside_another_that_is_alike_is_compared() -> None:
    """Independent noise around one mean under both laws changes no divergence."""
    form = (Place(0), Place(1))
    one, two = rounded(Fraction(2), Fraction(1, 2)), rounded(Fraction(2), Fraction(3, 2))
    beside = rounded(Fraction(5), Fraction(7, 3))
    with precision(120):
        for order in (lambda own: (own, beside), lambda own: (beside, own)):
            p, q = (CountedLaw({form: [(ONE, order(own))]}) for own in (one, two))
            for epsilon in map(rational, (Fraction(0), Fraction(1, 2))):
                for forward in (True, False):
                    found, wanted = (
                        pair[0].divergence_from(pair[1]).hockey_stick(epsilon, forward=forward).ball
                        for pair in ((p, q), (law_of(one), law_of(two)))
                    )
                    assert found.overlaps(wanted)
                    assert float(found.rad()) < 1e-25


def test_ways_to_one_count_add_up() -> None:
    """A count that is reached in two ways has the sum of their probabilities."""
    one, two = rounded(Fraction(2), Fraction(1, 2)), rounded(Fraction(2), Fraction(3, 2))
    third, rest = rational(Fraction(1, 3)), rational(Fraction(2, 3))
    with precision(120):
        halves = [CountedLaw({FORM: [(third, (own,)), (rest, (own,))]}) for own in (one, two)]
        for epsilon in map(rational, (Fraction(0), Fraction(1, 2))):
            found, wanted = (
                p.divergence_from(q).hockey_stick(epsilon, forward=True).ball
                for p, q in (halves, (law_of(one), law_of(two)))
            )
            assert found.overlaps(wanted)
            assert float(found.rad()) < 1e-25


def test_an_excess_is_never_below_that_of_half_lines() -> None:
    """Every half-line is an event, so its excess is a bound from below."""
    drawn = random.Random(7)
    for _ in range(20):
        sd = Fraction(drawn.randint(2, 40), 8)
        means = [Fraction(drawn.randint(-24, 24), 8) for _ in range(2)]
        factors = [rounded(sd, mean) for mean in means]
        laws = [law_of(one) for one in factors]
        with precision(96):
            epsilon = rational(Fraction(drawn.randint(0, 12), 4))
            whole = laws[0].divergence_from(laws[1]).hockey_stick(epsilon, forward=True).ball
            for end in range(-20, 20):
                for cell in ((end, None), (None, end)):
                    p, q = (weight_ball(one.mass(cell)) for one in factors)
                    assert not certainly_less(whole, p - epsilon.exp().ball() * q)


def rounded_count(n: int) -> int:
    return round(n + random.gauss(0, 2))


def clamped_count(n: int) -> int:
    return max(0, round(n + random.gauss(0, 2)))


def decimals(n: int) -> float:
    return round(n + random.gauss(0, 2), 1)


@pytest.mark.parametrize("function", [rounded_count, clamped_count, decimals])
def test_a_rounded_count_has_a_law(function: Any) -> None:
    audit = dpaudit.check(
        function, inputs=range(4), neighbours="adjacent", budget=(1, "1/100"), only="ideal"
    )
    assert audit.verdict == "within"
    delta = audit.results[0].delta
    assert delta is not None
    # Of the unrounded count δ(1) is 0.0068…: rounding loses a little of it, at 1/2 nothing.
    with mp.workdps(30):
        unrounded = mp.ncdf(-mpf(7) / 4) - mp.exp(1) * mp.ncdf(-mpf(9) / 4)
    assert mpf(str(delta.upper)) <= unrounded + mpf("1e-12")
    assert mpf(str(delta.lower)) > unrounded * mpf("0.99")
    less = dpaudit.check(
        function, inputs=range(4), neighbours="adjacent", budget=(1, "1/150"), only="ideal"
    )
    assert less.verdict == "exceeds"


def test_an_output_is_shown_in_all_its_digits() -> None:
    """Beyond 28 digits two numbers a half apart were shown alike."""
    far = 10**30
    factors = [Factor(None, (), 1, Fraction(2 * far + k, 2)) for k in (1, 3)]
    law = CountedLaw({Decimals(FORM): [(rational(Fraction(1, 2)), (one,)) for one in factors]})
    labels = [atom.output for atom in law.divergence_from(law).atoms(forward=True)]
    assert sorted(map(str, labels)) == [f"{far}.5", f"{far + 1}.5"]
