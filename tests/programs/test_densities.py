"""Outputs that are continuous: suprema, planes, mixtures, and what is refused."""

import math
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import pytest
from click.testing import CliRunner

import dpaudit
from dpaudit import program
from dpaudit.audit import scan as scanning
from dpaudit.cli.main import main
from dpaudit.errors import LawError
from dpaudit.laws.densities import DensityLaw
from dpaudit.laws.evaluation import zero_inside
from dpaudit.laws.noise import Exponential, Laplace
from dpaudit.laws.parts import Line
from dpaudit.laws.suprema import excess_mass, folded, largest_ratio
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.piecewise import Piecewise
from dpaudit.numbers.real import ONE, real
from dpaudit.results import Verdict
from tests.programs.corpus import printing
from tests.programs.corpus import programs as corpus
from tests.programs.corpus.__main__ import ROWS, certified

BY_NAME = {row.name: row for row in reversed(ROWS)}  # the smallest size of each
PAIR: dict[str, Any] = {"datasets": [0, 1], "neighbours": "all"}


def checked(function: Any, budget: Any = 1) -> Any:
    found = dpaudit.check(program(**PAIR, budget=budget)(function), n=1)
    return found.results[0]


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("LaplaceMechanism", "1/10"),
        ("LaplaceParallel", "1/10"),
        ("NoisyHist1", "1/10"),
        ("NoisyHist2", "10"),
        ("ReportNoisyMax3", "1/4"),
        ("PrefixSum", "1"),
        ("badgapsparsevector", "3/8"),
        ("smartsum", "1"),
        ("partialsum", "1/2"),
    ],
)
def test_known_suprema_come_out_exactly(name: str, exact: str) -> None:
    found, _ = certified(BY_NAME[name])
    assert found.results[0].epsilon.exact == real(exact)


@pytest.mark.parametrize("name", ["ReportNoisyMax4", "badsmartsum"])
def test_densities_and_planes_that_one_side_lacks_are_infinite(name: str) -> None:
    found, _ = certified(BY_NAME[name])
    assert found.verdict is Verdict.EXCEEDS
    assert found.results[0].epsilon.lower.is_infinite()


def test_a_sum_of_two_draws_has_the_density_of_the_convolution() -> None:
    left, right = Laplace(Fraction(1, 2)).density(0), Exponential(Fraction(1)).density(Fraction(1))
    found = left.convolved(right)
    assert found.integral().folded(Fraction(1)).at(ONE) == ONE

    def f(s: float) -> Any:
        return mpmath.quad(
            lambda x: mpmath.exp(-abs(x) / 2) / 4 * mpmath.exp(-(s - x - 1)),
            sorted([-mpmath.inf, mpmath.mpf(0), s - 1]) if s > 1 else [-mpmath.inf, s - 1],
        )

    for s in (-2.0, 0.5, 1.5, 4.0):
        with precision(80):
            assert float(found.at(Fraction(s)).ball(ONE)) == pytest.approx(float(f(s)), rel=1e-9)


def test_an_interior_supremum_is_enclosed_and_the_mass_over_agrees_with_quadrature() -> None:
    # A mixture against a single Laplace density: the ratio has its largest value inside a piece.
    one, two = Laplace(Fraction(1)).density(0), Laplace(Fraction(1)).density(3)
    half = Piecewise((), ({(0, Fraction(0)): (one.integral()).times(Fraction(1, 2))},))
    wide = Laplace(Fraction(1, 4)).density(Fraction(7, 5))
    p, q = folded(one * half + two * half, ONE), folded(wide, ONE)
    with precision(100):
        peak = largest_ratio(p, q, ONE)
        over = excess_mass(p, q, ONE, real("exp(1/10)").ball())

    def density(x: Any, centre: Any, kappa: Any) -> Any:
        return kappa / 2 * mpmath.exp(-kappa * abs(x - centre))

    def both(x: Any) -> tuple[Any, Any]:
        mixed = (density(x, 0, 1) + density(x, 3, 1)) / 2
        return mixed, density(x, mpmath.mpf(7) / 5, mpmath.mpf(1) / 4)

    grid = [mpmath.mpf(k) / 200 for k in range(-2000, 3000)]
    best = max(mpmath.log(a / b) for a, b in map(both, grid))
    assert float(peak.ball) == pytest.approx(float(best), abs=1e-9)
    factor = mpmath.exp(mpmath.mpf(1) / 10)

    def above(x: Any) -> Any:
        return both(x)[0] - factor * both(x)[1]

    turns = [a for a, b in pairwise(grid) if above(a) * above(b) < 0]
    roots = [mpmath.findroot(above, (a, a + mpmath.mpf(1) / 200), solver="anderson") for a in turns]
    cuts = sorted([*roots, 0, mpmath.mpf(7) / 5, 3, *range(-60, 80, 4)])
    parts = [mpmath.quad(above, ends) for ends in pairwise(cuts)]
    expected = sum(part for part in parts if part > 0)
    assert len(roots) == 4
    assert float(over) == pytest.approx(float(expected), abs=1e-12)
    assert over.rad() < Ball(1e-20)


@pytest.mark.parametrize("epsilon", ["-2", "-1", "-1/2", "0", "1/3", "999/1000", "1", "2"])
def test_the_mass_over_is_that_of_the_closed_form_at_ties_as_well(epsilon: str) -> None:
    # Noise that is moved by its scale: the log ratio is 1 or -1 outside, and falls between.
    p, q = (folded(Laplace(Fraction(1)).density(Fraction(at)), ONE) for at in (0, 1))
    at = real(epsilon)
    if Fraction(epsilon) >= 1:
        expected = real(0)
    elif Fraction(epsilon) <= -1:
        expected = real(1) - at.exp()
    else:
        expected = real(1) - ((at - real(1)) * real("1/2")).exp()
    with precision(100):
        over = excess_mass(p, q, ONE, at.exp().ball())
        assert over.overlaps(expected.ball())
        assert over.rad() < 1e-20


@pytest.mark.parametrize("seed", range(6))
def test_suprema_of_mixtures_that_turn_often_are_those_of_a_fine_grid(seed: int) -> None:
    # What is left out as no extreme, and where Newton's method finds a turn, must not be missed.
    draw = Random(seed)

    def smooth(rate: Fraction, centre: int) -> Piecewise:
        return Laplace(rate).density(centre).convolved(Laplace(Fraction(2)).density(0))

    def mixed() -> Piecewise:  # tails of one rate and weight, so that the ratio has a limit of 1
        parts = [smooth(Fraction(draw.randint(2, 5), 4), draw.randint(-6, 6)) for _ in range(3)]
        return folded(reduce(add, parts, smooth(Fraction(1, 8), 0)), ONE)

    p, q = mixed(), mixed()
    with precision(100):
        peaks = largest_ratio(p, q, ONE).ball, largest_ratio(q, p, ONE).ball
        grid = [
            float((p.at(x).ball(ONE) / q.at(x).ball(ONE)).log())
            for x in (Fraction(k, 4) for k in range(-120, 121))
        ]
    for peak, values in ((peaks[0], grid), (peaks[1], [-value for value in grid])):
        assert peak.rad() < Ball(1e-20)
        assert max(0, *values) - 1e-12 <= float(peak) <= max(0, *values) + 0.02


def test_a_zero_is_found_where_there_is_one_alone() -> None:
    squared = ((2, Ball(0), Ball(1)), (0, Ball(0), Ball(-2)))  # y² − 2
    with precision(100):
        found = zero_inside(squared, Ball(1), (Fraction(1), Fraction(2)))
        assert found is not None
        assert found[0] ** 2 < 2 < found[1] ** 2
        assert found[1] - found[0] < Fraction(1, 10**20)
        for low, high in ((2, 3), (-2, 2), (-1, 1)):
            assert zero_inside(squared, Ball(1), (Fraction(low), Fraction(high))) is None


def test_a_number_that_is_printed_twice_and_a_sum_lie_on_a_plane() -> None:
    def body(x: int, random: Any) -> tuple[Any, ...]:
        value = x + random.laplace(2)
        return value, 2 * value, value + 3

    def leaking(x: int, random: Any) -> tuple[Any, ...]:
        value = random.laplace(2)
        return value, value + x

    assert checked(body).epsilon.exact == real("1/2")
    assert checked(leaking).epsilon.lower.is_infinite()


def test_a_point_mass_beside_a_density_and_a_limit() -> None:
    def clamped(x: int, random: Any) -> Any:
        return max(0, x + random.laplace(2))

    def gap(x: int, random: Any) -> Any:
        return x + random.laplace(2) - random.laplace(1)

    assert checked(clamped).epsilon.exact == real("1/2")
    found = checked(gap)
    assert found.epsilon.exact == real("1/2")
    assert "inf" in str(found.witness.output)


def test_gaussian_numbers_have_no_pure_budget_and_the_delta_of_balle_and_wang() -> None:
    def body(x: int, random: Any) -> Any:
        return x + random.gaussian(2), random.laplace(1)

    found = dpaudit.check(program(**PAIR, budget=(1, "1/10"))(body), n=1)
    result = found.results[0]
    assert result.epsilon.lower.is_infinite()
    phi = mpmath.ncdf
    expected = phi(mpmath.mpf(1) / 4 - 2) - mpmath.e * phi(-mpmath.mpf(1) / 4 - 2)
    assert float(result.delta_held.value.lower) == pytest.approx(float(expected), rel=1e-12)
    assert found.verdict is Verdict.WITHIN


@pytest.mark.parametrize("scale", ["1/2", "1/ln(3)", 2])
def test_rates_may_be_irrational(scale: Any) -> None:
    def body(x: int, random: Any) -> Any:
        return max(x + random.laplace(scale), random.laplace(scale))

    result = checked(body, budget=10)
    rate = 1 / float(real(scale))
    assert float(result.epsilon.lower) == pytest.approx(rate, rel=1e-9)


def test_the_density_of_every_fixed_part_has_its_mass() -> None:
    """The mass comes from integrals over zones, the density from eliminations: they agree."""
    for name in ("gapsparsevector", "adaptivesparsevector", "ReportNoisyMax3", "numsparsevector"):
        one = BY_NAME[name].one
        dataset = next(iter(one.relation.datasets(BY_NAME[name].n)))
        with precision(100):
            law = one.laws().law(dataset)
            assert isinstance(law, DensityLaw)
            for key, terms in law.terms.items():
                total = Ball(0)
                for term in terms:
                    weight = term.weight if isinstance(term.weight, Ball) else term.weight.ball()
                    for part in term.parts:
                        weight *= part.mass()
                    total += weight
                expected = law.masses.probability(key).ball
                assert total.overlaps(expected)
                assert total.rad() < 1e-20


def test_numbers_that_bound_a_hidden_one_are_followed_together() -> None:
    def body(x: int, random: Any) -> Any:
        noisy = random.laplace(2)
        values = [x + random.laplace(4) for _ in range(2)]
        return tuple(value if value >= noisy else None for value in values)

    one = program(**PAIR, budget=1)(body)
    with precision(100):
        laws: list[Any] = [one.laws().law(x) for x in (0, 1)]
        for law in laws:
            for key, terms in law.terms.items():
                (term,) = terms
                weight = Ball(1) if isinstance(term.weight, Ball) else term.weight.ball()
                for part in term.parts:
                    weight *= part.mass()
                assert weight.overlaps(law.masses.probability(key).ball)
        loss = laws[0].divergence_from(laws[1]).max_loss(forward=False)
    # Both answers above: each density moves by 1/4, the threshold only helps.
    points = [Fraction(k, 4) for k in range(-40, 41)]

    def ratio(a: Fraction, b: Fraction) -> float:
        return sum((abs(v) - abs(v - 1)) / 4 for v in map(float, (a, b)))

    assert float(loss.ball) >= max(ratio(a, b) for a in points for b in points) - 1e-12


def test_two_mechanisms_that_share_no_noise_add_up() -> None:
    # Outputs of the one go with all outputs of the other, so that the largest losses are added.
    pair = (1, 1, 1), (2, 0, 0)

    def losses(function: Any, **fixed: Any) -> list[Ball]:
        def body(queries: tuple[int, ...], random: Any, eps: Fraction = Fraction(1, 10)) -> Any:
            return function(queries, random, eps, **fixed)

        laws = program(datasets=pair, neighbours=[pair], budget="eps")(body).laws()
        both = laws.law(pair[0]).divergence_from(laws.law(pair[1]))
        return [both.max_loss(forward=forward).ball for forward in (True, False)]

    fourth = {"rho": Fraction(4), "nu": Fraction(4, 3)}
    with precision(100):
        together = losses(printing.sparse_34)
        third = losses(printing.printed_above, cutoff=2)
        other = losses(corpus.sparse_vector, cutoff=2, **fourth)
        for found, one, two in zip(together, third, other, strict=True):
            assert found.overlaps(one + two)
            assert found.rad() < Ball(1e-25)


@pytest.mark.parametrize("kind", ["gumbel"])
def test_a_density_that_is_not_followed_is_refused_in_one_line(kind: str) -> None:
    one = program(**PAIR)(lambda x, random: getattr(random, kind)(1) + x)
    with pytest.raises(LawError, match="dpaudit cannot"):
        dpaudit.check(one, n=1, budget=1)


def test_lines_are_told_apart() -> None:
    line = Line(Laplace(Fraction(1)).density(0), ONE)
    assert line == Line(Laplace(Fraction(1)).density(0), ONE)
    assert line != Line(Laplace(Fraction(2)).density(0), ONE)


def test_numbers_in_other_coordinates_are_not_compared() -> None:
    def body(x: int, random: Any) -> Any:
        first, second = random.laplace(1), random.laplace(1)
        return first + second, second + (x + 2) * first

    with pytest.raises(LawError, match="depend on each other differently"):
        checked(body)


def test_a_mixture_in_two_dimensions_is_bounded_from_both_sides() -> None:
    def body(x: int, random: Any) -> Any:
        scale = 2 if random.bernoulli("1/3") else 3
        return tuple(x + random.laplace(scale) for _ in range(2))

    found = checked(body, budget=2).epsilon
    truth = max(
        abs(
            math.log(
                sum(w * (math.exp(-abs(v - 1) / s) / s) ** 2 for w, s in ((1, 2), (2, 3)))
                / sum(w * (math.exp(-abs(v) / s) / s) ** 2 for w, s in ((1, 2), (2, 3)))
            )
        )
        for v in (k / 10 for k in range(-60, 60))
    )
    assert float(found.lower) <= truth <= float(found.upper) <= 1.01


@pytest.mark.parametrize("first", [0, 1])
def test_a_density_against_a_point_is_infinite(first: int) -> None:
    def body(x: int, random: Any) -> Any:
        return 0 if x == first else random.laplace(1)

    assert checked(body).epsilon.lower.is_infinite()


def test_a_true_report_about_a_density_is_not_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "noisy.py").write_text(
        "from dpaudit import program\n"
        "@program(datasets=[0, 1], neighbours='all', budget=1)\n"
        "def noisy(x, random):\n"
        "    return x + random.laplace(2)\n"
    )
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(main, ["check", "noisy.py:noisy", "--format", "json", "--no-plot"])
    assert told.exit_code == 0
    (tmp_path / "report.json").write_text(told.output)
    found = CliRunner().invoke(main, ["verify", "report.json", "--own", "noisy.py:noisy"])
    assert "unconfirmed" in found.output
    assert "rejected" not in found.output
    refused = CliRunner().invoke(
        main, ["check", "noisy.py:noisy", "--notion", "kl", "--budget", "1", "--no-plot"]
    )
    assert "needs a list of all outputs" in f"{refused.output}{refused.exception}"


def test_bounds_that_more_bits_bring_no_nearer_are_not_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def two(dataset: int, random: Any) -> Any:
        return dataset + random.laplace(1), dataset + random.laplace(2)

    passes: list[scanning.Scan] = []
    scan = scanning.scan

    def counted(*given: Any, **named: Any) -> scanning.Scan:
        passes.append(scan(*given, **named))
        return passes[-1]

    monkeypatch.setattr(scanning, "scan", counted)
    found = {
        digits: dpaudit.check(program(**PAIR, budget="1/2")(two), n=1, digits=digits).results[0]
        for digits in (6, 40)
    }
    assert len(passes) == 2
    assert found[6].epsilon.exact == real("3/2")
    widths = [one.delta_held.upper - one.delta_held.lower for one in found.values()]
    assert 0 < widths[0] < 2 * widths[1]
