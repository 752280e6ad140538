"""Sampled runs that are composed at once, by a chain below and one transform of balls."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import exp
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.errors import UsageError
from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.numbers.ball import Ball, certainly_less_or_equal, precision
from dpaudit.numbers.chains import chained
from dpaudit.numbers.lattice import LossLattice
from dpaudit.numbers.lattice_power import Window, powered, window_of
from dpaudit.numbers.loss_cells import Cell, lattice_of_cells
from dpaudit.numbers.real import rational, real
from dpaudit.questions.account.candidates import Candidate
from dpaudit.questions.account.contour import ContourBand
from dpaudit.questions.account.lattices import Effort, band, composed
from dpaudit.questions.account.moments import SampledGaussianMoments
from dpaudit.questions.account.sources import Spread
from dpaudit.questions.account.subsampling import subsampled

fmpz_poly: Any = pytest.importorskip("flint").fmpz_poly

BITS = 60


def lattice(masses: list[int], *, above: bool, infinite: int = 0, first: int = -2) -> LossLattice:
    step = rational(Fraction(1, 8))
    return LossLattice(above, BITS, step, rational(0), first, fmpz_poly(masses), infinite)


def random_masses(seed: int, count: int = 9) -> list[int]:
    draws = np.random.default_rng(seed).random(count) ** 4
    return [int(x) for x in draws / draws.sum() * 2**BITS]


def exact_power(masses: list[int], runs: int) -> list[Fraction]:
    found = [Fraction(1)]
    for _ in range(runs):
        longer = [Fraction(0)] * (len(found) + len(masses) - 1)
        for i, x in enumerate(found):
            for j, y in enumerate(masses):
                longer[i + j] += x * Fraction(y, 1 << BITS)
        found = longer
    return found


@pytest.mark.parametrize("above", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_power_is_between_its_sides(seed: int, above: bool) -> None:
    masses, runs = random_masses(seed), 11
    one = lattice(masses, above=above, infinite=1 << 30)
    window = window_of(one, runs, 25.0)
    found, truth = powered(one, runs, window), exact_power(masses, runs)
    assert found.first == -2 * runs + window.first
    got = [Fraction(int(x), 1 << BITS) for x in found.masses.coeffs()]
    for place, mass in enumerate(got, start=window.first):
        wanted = truth[place] if place < len(truth) else Fraction(0)
        assert (mass >= wanted) if above else (mass <= wanted)
        assert abs(mass - wanted) < Fraction(1, 10**9)
    total = sum(Fraction(x, 1 << BITS) for x in masses)
    infinite = (total + Fraction(1 << 30, 1 << BITS)) ** runs - total**runs
    kept = Fraction(found.infinite, 1 << BITS)
    assert (kept >= infinite) if above else (kept <= infinite)


@pytest.mark.parametrize("above", [False, True])
@pytest.mark.parametrize("first", [0, 20, 37])
def test_what_a_short_window_folds_stays_on_its_side(first: int, above: bool) -> None:
    masses, runs = random_masses(7), 11
    one = lattice(masses, above=above)
    found, truth = powered(one, runs, Window(first, 16, (0.4, 0.4))), exact_power(masses, runs)
    losses = [(-2 * runs + place) / 8 for place in range(len(truth))]
    for epsilon in ("0", "1/2", "1", "2", "3"):
        at = float(Fraction(epsilon))
        wanted = sum(
            float(m) * (1 - exp(at - x)) for m, x in zip(truth, losses, strict=True) if x > at
        )
        given = found.delta(real(Fraction(epsilon)))
        assert (float(given.upper()) >= wanted) if above else (float(given.lower()) <= wanted)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_chain_is_below_its_atoms(seed: int, turned: bool) -> None:
    draws = np.random.default_rng(seed)
    losses = np.sort(draws.random(40) * 3 - 1)
    masses = draws.random(40) ** 6
    if turned:
        losses = -losses[::-1]
    masses /= masses.sum()
    atoms = [
        (Ball(float(m)), Ball(float(m)) * (-Ball(float(x))).exp())
        for m, x in zip(masses, losses, strict=True)
    ]
    step = rational(Fraction(1, 16))
    found = chained(atoms, step, BITS)
    assert found is not None
    with precision(200):
        offset = found.offset.ball()
        points = [
            (Ball(m) / (1 << BITS), offset + step.ball() * i) for i, m in found.masses.items()
        ]
        for a in [0.0, 0.3, 0.9, 1.0, 1.1, 1.7, 3.0, 6.0]:
            low = sum((p * (1 - a * (-x).exp()).max(Ball(0)) for p, x in points), Ball(0))
            high = sum(((p - q * a).max(Ball(0)) for p, q in atoms), Ball(0))
            assert certainly_less_or_equal(low, high + Ball(2) ** -40)
            assert float(high - low) < 0.02


def test_a_pile_at_an_end_costs_little() -> None:
    """Half of the mass lies in the first cell: moved to a point alone, it would lose h/2 of it."""
    losses = [0.03, *(0.1 + 0.0625 * j for j in range(30))]
    masses = [0.5, *(0.5 / 30 for _ in range(30))]
    atoms = [(Ball(m), Ball(m) * (-Ball(x)).exp()) for m, x in zip(masses, losses, strict=True)]
    found = chained(atoms, rational(Fraction(1, 8)), BITS)
    assert found is not None
    total = sum(found.masses.values()) / 2**BITS
    with precision(100):
        q = sum(
            float(m) / 2**BITS * float((-(found.offset.ball() + i / 8)).exp())
            for i, m in found.masses.items()
        )
    assert abs(total - 1) < 1e-12
    assert abs(q - sum(float(b) for _, b in atoms)) < 0.03 * 0.0625  # the last group alone


def test_a_wide_cell_is_split_onto_its_own_ends() -> None:
    p, h = Ball(1) / 2, rational(Fraction(1, 4))
    q = p * (-Ball(7) / 8).exp()
    found = lattice_of_cells([Cell(2, p, q, 3)], h, BITS, above=True, left=Ball(0), right=Ball(0))
    masses = [int(x) for x in found.masses.coeffs()]
    assert found.first == 2
    assert masses[1:3] == [0, 0]
    assert len(masses) == 4
    held = sum(m / 2**BITS * exp(-(2 + i) / 4) for i, m in enumerate(masses))
    assert sum(masses) / 2**BITS == pytest.approx(0.5, abs=1e-12)
    assert held == pytest.approx(float(q), abs=1e-12)


def sampled(sigma: str, rate: str, *, remove: bool) -> Spread:
    law = GaussianDivergence(real(1 / Fraction(sigma)))
    measure = law.loss_measure(forward=True)
    assert measure is not None
    return Spread(subsampled(measure, real(Fraction(rate)), remove=remove))


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize(("sigma", "rate"), [("1", "1/100"), ("1/2", "1/1000"), ("3", "1/20")])
def test_it_holds_the_finer_lattice(sigma: str, rate: str, remove: bool) -> None:
    source = sampled(sigma, rate, remove=remove)
    rough = band(source, 40, Effort(1e-4, Fraction(1, 10**12), rough=0.02))
    fine = band(source, 40, Effort(1e-6, Fraction(1, 10**14)))
    for delta in ("1e-3", "1e-5", "1e-7"):
        low, high = rough.epsilon(real(Fraction(delta)))
        near, far = fine.epsilon(real(Fraction(delta)))
        assert low.lower() <= far.upper()
        assert near.lower() <= high.upper()


@pytest.mark.parametrize(
    ("sigma", "rate", "runs", "delta", "step"),
    [
        ("1", "1e-4", 1000, "1e-5", 1e-5),
        ("0.5", "1e-4", 1000, "1e-5", 1e-4),
        ("5", "1e-3", 10_000, "1e-6", 1e-5),
        ("1", "1e-3", 100, "1e-5", 1e-4),
        ("2", "1e-1", 60, "1e-5", 1e-4),
        ("0.5", "1e-3", 1, "1e-4", 1e-5),
        ("0.3", "5e-3", 1000, "1e-1", 1e-3),
    ],
)
def test_small_rates_are_answered_within_their_share(
    sigma: str, rate: str, runs: int, delta: str, step: float
) -> None:
    """dp-accounting's pessimistic and optimistic values lie around, on a lattice of its own."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    found = dpaudit.account_dpsgd(noise_multiplier=sigma, sample_rate=rate, steps=runs, delta=delta)
    (row,) = found.rows
    assert found.complete
    assert row.epsilon.width <= row.epsilon.upper / 100
    upper, lower = (
        pld.from_gaussian_mechanism(
            float(sigma),
            sampling_prob=float(rate),
            pessimistic_estimate=pessimistic,
            value_discretization_interval=step,
            use_connect_dots=pessimistic,
        )
        .self_compose(runs)
        .get_epsilon_for_delta(float(delta))
        for pessimistic in (True, False)
    )
    assert row.epsilon.lower <= Decimal(upper * (1 + 1e-6))
    assert row.epsilon.upper >= Decimal(lower * (1 - 1e-6))
    assert float(row.epsilon.upper) == pytest.approx(upper, rel=0.05)


@pytest.mark.parametrize("remove", [False, True])
def test_an_inversion_lies_inside(remove: bool) -> None:
    """Contours take nothing from lattices: neither cells nor transforms of them."""
    moments = SampledGaussianMoments(real(1), real(Fraction(1, 100)), remove)
    line = ContourBand(moments, 2000, 1e-6)
    rough = band(
        sampled("1", "1/100", remove=remove), 2000, Effort(1e-2, Fraction(1, 10**12), rough=0.01)
    )
    for delta in ("1e-3", "1e-6", "1e-9"):
        near, far = line.epsilon(real(Fraction(delta)))
        low, high = rough.epsilon(real(Fraction(delta)))
        assert certainly_less_or_equal(low.lower(), near.lower())
        assert certainly_less_or_equal(far.upper(), high.upper())


def test_few_runs_take_lattices_as_fine_as_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first look is fine enough: without a plan each later one took ten times as long."""
    looks: list[str | None] = []
    look = Candidate.look

    def counted(one: Candidate, *words: Any) -> None:
        looks.append(one.direction)
        look(one, *words)

    monkeypatch.setattr(Candidate, "look", counted)
    words: dict[str, Any] = {"noise_multiplier": "1", "sample_rate": "1e-3", "steps": 100}
    (row,) = dpaudit.account_dpsgd(**words, delta="1e-5").rows
    assert looks == ["remove"]  # what one more example shows is bounded below that at once
    rows = [
        dpaudit.account_dpsgd(**words, delta="1e-5", direction=way).rows[0]
        for way in ("remove", "add")
    ]
    assert row.direction == "remove"
    assert max(one.epsilon.lower for one in rows) <= row.epsilon.upper
    assert row.epsilon.upper >= max(one.epsilon.upper for one in rows)


def test_a_share_is_of_what_is_certified() -> None:
    words: dict[str, Any] = {"sigma": 1, "sample_rate": "1e-4", "compose": 2000}
    (row,) = dpaudit.account("Gaussian", 1, at_eps=["1/100"], width="5%", **words).rows
    assert row.delta.width <= row.delta.upper / 20
    found = dpaudit.account("Gaussian", 1, at_delta=["1e-6"], width="1/2 %", **words)
    assert found.rows[0].epsilon.width <= found.rows[0].epsilon.upper / 200
    assert (found.report.relative, str(found.report.width)) == (True, "1/200")  # type: ignore[union-attr]


@pytest.mark.parametrize("width", ["%", "0%", "200%", "x%", "1%%"])
def test_what_is_no_share_is_refused(width: str) -> None:
    with pytest.raises(UsageError, match="width"):
        dpaudit.account("Gaussian", 1, sigma=1, at_delta=["1e-6"], width=width)


def test_both_sides_grow_closer_with_the_effort() -> None:
    source = sampled("1", "1/1000", remove=True)
    widths = []
    for inflation in (1e-4, 1e-5, 1e-6):
        effort = Effort(inflation, Fraction(1, 10**12))
        low, high = (
            composed(source, 400, effort, above=above).epsilon(real(Fraction(1, 10**5)))
            for above in (False, True)
        )
        widths.append(float(high.upper()) - float(low.lower()))
    assert all(after < before for before, after in pairwise(widths))
