"""Where balls cannot decide: equal distances, quantiles at ties, thresholds that are distances."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.accuracy import error_law
from dpaudit.accuracy.listing import NOTHING, Cell, Listing, list_outputs
from dpaudit.accuracy.metrics import HellingerDistance, L1Distance, coordinate_form, total_form
from dpaudit.accuracy.outputs import listed_outputs
from dpaudit.api import mechanism
from dpaudit.errors import DomainError, ParameterError, SizeError, UsageError
from dpaudit.numbers.ball import Ball, ball, gamma, lower_fraction, precision, upper_fraction
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import real
from tests.enclosing import overlap

RATIONALS = st.fractions(min_value=Fraction(1, 6), max_value=9, max_denominator=6)


def is_exactly(interval: Enclosure, value: str) -> bool:
    return Fraction(interval.lower) == Fraction(interval.upper) == Fraction(value)


@given(RATIONALS, st.integers(0, 25))
@settings(deadline=None)
def test_the_form_is_the_square_of_the_affinity(s: Fraction, d: int) -> None:
    form = coordinate_form(s, d)
    with precision(256):
        value = _value(form.coefficient, form.powers)
        squared = gamma(s + Fraction(d, 2)) ** 2 / (gamma(s) * gamma(s + d))
        assert overlap(value, squared)
        other = total_form(s, d)
        assert overlap(_value(other.coefficient, other.powers), 1 / squared)
        root = form.root()
        if s.denominator <= 2:
            assert root is not None
            assert overlap(root.ball() ** 2, squared)


def _value(coefficient: Fraction, powers: tuple[tuple[Fraction, int], ...]) -> Ball:
    value = ball(coefficient)
    for z, power in powers:
        assert 0 < z <= Fraction(1, 2)
        value *= (gamma(z + Fraction(1, 2)) / gamma(z)) ** (2 * power)
    return value


def test_one_and_two_steps_at_exactly_one_distance_are_one_group() -> None:
    # (1 − H²)² = π²/16 for both: no precision tells them apart.
    law = error_law(mechanism("EHDL", k=3), (0, 1, 9))
    together = [group for group in law.groups if {(1, 0, 9), (1, 2, 7)} <= set(group.outputs)]
    assert len(together) == 1
    assert together[0].steps == (1, 2)
    assert str(together[0].exact) == "sqrt(1 - pi/4)"
    assert not together[0].cell.merged


def test_forms_tell_numbers_apart_where_they_can() -> None:
    with precision(64):
        metric = HellingerDistance((Fraction(1), Fraction(1)), (4, 4))
        near, far, mirrored = (metric.key(r) for r in ((5, 3), (6, 2), (3, 5)))
        assert metric.differ(near, far) is True
        assert metric.differ(near, mirrored) is False
        third = HellingerDistance((Fraction(1, 3), Fraction(1, 5)), (1, 1))
        assert third.differ(third.key((2, 1)), third.key((1, 2))) is None


@pytest.mark.parametrize("eps", ["4/5", "ln(4)"])
def test_a_median_at_a_tie_is_decided_exactly(eps: str) -> None:
    # At (n, 0) the noise is 0 or more with probability exactly 1/2, and then clamped to n.
    law = error_law(mechanism("LSHist", eps=eps), (6, 0))
    median = law.quantile("1/2")
    assert median.decided
    assert is_exactly(median.value, "0")
    above = law.quantile("500000000000000000000000000001/1000000000000000000000000000000")
    assert above.decided
    assert above.value.lower > 0


def test_a_quantile_at_a_level_with_a_closed_form() -> None:
    # P(⌊Y⌋ = 0) = (1 − t)/2 with t = 1/4 is 3/8, and LSHist at (3, 3) has no other way to be right.
    law = error_law(mechanism("LSHist", eps="ln(4)"), (3, 3), "l1")
    for level, steps in (("3/8", "0"), ("3/8 + 1e-40", "2"), ("1/2-exp(-ln(4))/2", "0")):
        found = law.quantile(level)
        assert found.decided, level
        assert is_exactly(found.value, steps), level


def test_a_tie_that_nothing_decides_is_reported() -> None:
    # The level is the cumulative probability itself, to some fifty digits more than are computed.
    law = error_law(mechanism("EHDS"), (3, 3))
    first = law.listing(16384).cells[0].mass
    with precision(16384):
        level = (lower_fraction(first) + upper_fraction(first)) / 2
    found = law.quantile(level)
    assert not found.decided
    assert found.value.lower == 0
    assert found.value.upper > 0


def test_a_threshold_that_is_a_distance_counts_it_in() -> None:
    law = error_law(mechanism("EHDL", divisor=1), (4, 4), digits=15)
    for index, group in enumerate(law.groups):
        assert group.exact is not None
        beyond = sum(Fraction(other.probability.lower) for other in law.groups[index:])
        found = law.tail(group.exact)
        assert found.is_tight(15)
        assert abs(Fraction(found.lower) - beyond) < Fraction(1, 10**14)


def test_a_threshold_a_hair_above_a_distance_leaves_it_out() -> None:
    law = error_law(mechanism("EHDL", divisor=1), (4, 4))
    tie = law.groups[1].exact
    assert tie is not None
    above = law.tail(tie + real("1e-300"))
    assert above == law.tail("0.4")


def test_the_whole_law_is_reached_at_level_one() -> None:
    law = error_law(mechanism("EHDS"), (5, 5))
    largest = law.quantile(1)
    assert largest.decided
    assert largest.value == law.groups[-1].distance
    endless = error_law(mechanism("NotesLaplace"), (5, 5), "l1")
    with pytest.raises(DomainError, match="no error is the largest"):
        endless.quantile(1)
    furthest = error_law(mechanism("NotesLaplace"), (5, 5), outside="furthest").quantile(1)
    assert is_exactly(furthest.value, "1")


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("rounding", ["floor", "toward-zero"])
@pytest.mark.parametrize("coordinates", ["printed", "all"])
def test_the_closed_form_of_endless_noise_agrees_with_listing_it(
    k: int, rounding: str, coordinates: str
) -> None:
    if k == 4 and coordinates == "all":
        k = 3
    noise = mechanism(
        "NotesLaplace", k=k, rounding=rounding, coordinates=coordinates, eps=10, prior=(40,) * k
    )
    # With so large a prior hardly any noise makes α + r ≤ 0, so listing covers the same outputs.
    closed = error_law(noise, (2,) * k, "l1", digits=8)
    assert closed.remainder.upper < Fraction(1, 10**9)
    with precision(64):
        outputs = listed_outputs(noise.law_at((2,) * k), (2,) * k, noise.prior, "furthest")  # type: ignore[attr-defined]
        listed = list_outputs(outputs, L1Distance((2,) * k), (2,) * k)
        masses: dict[str, Ball] = {}
        for cell in listed.cells[:-1]:
            masses[str(cell.exact())] = cell.mass
    for group in closed.groups[:12]:
        found = masses.get(str(group.exact))
        if found is None:
            assert group.probability.upper < Fraction(1, 10**8)
        else:
            assert overlap(found, group.probability_ball)


@pytest.mark.parametrize(
    ("given_", "error"),
    [
        ({"metric": "kl"}, ParameterError),
        ({"outside": "lost"}, ParameterError),
        ({"outside": "printed"}, ParameterError),
        ({"metric": "l1", "outside": "furthest"}, ParameterError),
        ({"dataset": (4, 4, 4)}, SizeError),
        ({"dataset": (-1, 4)}, SizeError),
        ({"dataset": (0, 0)}, SizeError),
        ({"digits": 0}, DomainError),
    ],
)
def test_bad_requests_are_one_line(given_: dict[str, object], error: type[UsageError]) -> None:
    request: dict[str, object] = {"dataset": (4, 4), **given_}
    with pytest.raises(error) as caught:
        error_law(mechanism("NotesLaplace"), **request)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("level", ["0", "-1", "1.1"])
def test_levels_outside_are_refused(level: str) -> None:
    with pytest.raises(DomainError, match="quantile"):
        error_law(mechanism("LSHist"), (4, 4)).quantile(level)


def test_too_many_outputs_are_refused() -> None:
    with pytest.raises(SizeError, match="outputs would have to be listed"):
        error_law(mechanism("LSDim", k=6), (20,) * 6).mean()


@pytest.mark.parametrize(("radius", "is_tight"), [("1/40001", True), ("1/39999", False)])
@pytest.mark.parametrize("which", ["value", "mass"])
def test_errors_are_tight_below_a_quarter_of_the_last_digit(
    radius: str, which: str, is_tight: bool
) -> None:
    wide = Ball(1, real(radius).ball().mid())
    value, mass = (wide if which == name else Ball(1) for name in ("value", "mass"))
    cell = Cell(value, mass, parts=(), exact=lambda: None)
    listing = Listing((cell,), NOTHING, lambda cells: None, separated=True)
    assert listing.is_tight(4) == is_tight
