"""Loss lattices: on their side of the truth, for random laws, closed forms and each rounding."""

import types
from fractions import Fraction
from pathlib import Path

import pytest

from dpaudit.laws.shifted import GaussianDivergence, LaplaceDivergence
from dpaudit.numbers import lattice, loss_cells, merging
from dpaudit.numbers.ball import Ball, ball, certainly_less_or_equal, precision
from dpaudit.numbers.real import real
from dpaudit.questions.account.lattices import Effort, band
from dpaudit.questions.account.sources import Spread, source_of
from dpaudit.questions.account.subsampling import subsampled
from tests.accounting.random import check, checks

SOURCES = {
    module: Path(str(module.__file__)).read_text() for module in (merging, lattice, loss_cells)
}

MUTANTS = {
    "rounding of sums": ("return -(-value >> bits) if above", "return value >> bits if above"),
    "rounding of sums below": ("if above else value >> bits", "if above else -(-value >> bits)"),
    "rounding of products": (
        "    if above:\n        length =",
        "    if 0:\n        length =",
    ),
    "rounding of products below": (
        "    if above:\n        length =",
        "    if 1:\n        length =",
    ),
    "infinity of products": ("+ self.infinite * other.infinite\n", "\n"),
    "left tail above": ("kept[0] += cut", "kept[0] += 0"),
    "left tail below": (
        "            kept[end - start - 1] += lost",
        "            kept[end - start - 1] += lost + cut",
    ),
    "right tail above": ("infinite += lost", "infinite += 0"),
    "right tail below": ("kept[end - start - 1] += lost", "infinite += lost"),
    "parts of a split": (
        "part = _shifted(one * whole, self.bits + GUARD, above=True)",
        "part = _shifted(one * whole, self.bits + GUARD, above=False)",
    ),
    "split and not shifted": ("((down, 0), (up, 1))", "((down, 0), (up, 0))"),
    "merged and not raised": ("(kept, growth * growth)", "(kept, growth**3)"),
    "sums of what is taken away": ("above=not self.above)", "above=self.above)"),
    "certain cell below": ("index = high if above else low", "index = high + 1"),
    "points": ("side = min(points), 1 if above else 0", "side = min(points), 0 if above else 1"),
    "upper ends of cells above": (
        "for place, (_, high) in enumerate(ups, start=1)",
        "for place, (high, _) in enumerate(ups, start=1)",
    ),
    "infinite cells above": (
        "over = fixed_point(right, bits)[1]",
        "over = fixed_point(right, bits)[0]",
    ),
    "cells below": ("max(0, fixed_point(based, bits)[0])", "max(0, fixed_point(cell.p, bits)[0])"),
    "what a cell needs": (
        "[high for _, high in downs], [v for v",
        "[high // 2 for _, high in downs], [v for v",
    ),
    "what a cell gives": ("[v for v, _ in ups], growth", "[2 * v for v, _ in ups], growth"),
    "growth": ("growth = fixed_point(rate, GUARD)[1]", "growth = fixed_point(rate, GUARD)[0] // 2"),
    "the rest of a cell": ("masses_kept[i] - moved", "masses_kept[i]"),
    "level of ε above": ("level = low if self.above else high", "level = high"),
    "place of ε above": (
        "for place in (max(0, start - 1), start):",
        "for place in (max(0, start - 1),):",
    ),
    "δ of the first point": (
        "for start in range(low - 1, high + 2)",
        "for start in range(low - 1, high)",
    ),
}
"""Directions of rounding, and steps that keep a side, turned round: those that few bits show."""

_LAWS = 150


def mutated(old: str, new: str) -> types.ModuleType:
    """Return the modules with a text replaced, and few bits to spare, so that roundings show."""
    assert sum(text.count(old) for text in SOURCES.values()) == 1, old
    spaces: dict[str, types.ModuleType] = {}
    for module, source in SOURCES.items():
        found = spaces[module.__name__] = types.ModuleType(module.__name__)
        exec(compile(source.replace(old, new), module.__name__, "exec"), found.__dict__)
        for other in spaces.values():
            for name in ("GUARD", "merged", "LossLattice"):
                if name in found.__dict__ and name in other.__dict__ and other is not found:
                    found.__dict__[name] = other.__dict__[name]
        if "GUARD" in found.__dict__:
            found.__dict__["GUARD"] = 6
    return spaces[loss_cells.__name__]


def test_random_laws_stay_on_their_side() -> None:
    assert checks(loss_cells, 60) == []


def test_random_laws_stay_on_their_side_where_coarsening_is_forced() -> None:
    found = [check(loss_cells, seed, coarse=True) for seed in range(30)]
    assert not any(one.outside for one in found)
    assert sum(one.coarsened > 0 for one in found) > 20


def test_random_laws_stay_on_their_side_with_few_bits_to_spare() -> None:
    assert checks(mutated("GUARD = 64", "GUARD = 6"), 60) == []


@pytest.mark.parametrize("name", MUTANTS)
def test_a_direction_turned_round_is_caught(name: str) -> None:
    engine = mutated(*MUTANTS[name])
    for seed in range(_LAWS):
        if check(engine, seed).outside or check(engine, seed, coarse=True).outside:
            return
    pytest.fail(f"{name}: no law shows it")


def closed(mu: Ball, epsilon: Ball) -> Ball:
    """Return δ(ε) of one Gaussian run with sensitivity μ·σ."""
    return _phi(mu / 2 - epsilon / mu) - epsilon.exp() * _phi(-mu / 2 - epsilon / mu)


def _phi(x: Ball) -> Ball:
    return (-x / Ball(2).sqrt()).erfc() / 2


@pytest.mark.parametrize(("sigma", "runs"), [(100, 10_000), (1000, 1_000_000), (7, 333)])
def test_the_closed_form_of_gaussian_runs_lies_inside(sigma: int, runs: int) -> None:
    source = source_of(GaussianDivergence(real(Fraction(1, sigma))), forward=True)
    found = band(source, runs, Effort(3e-4, Fraction(1, 10**21)))
    for delta in ("1e-5", "1e-10", "1e-15"):
        low, high = found.epsilon(real(delta))
        with precision(300):
            mu, wanted = ball(runs).sqrt() / sigma, real(delta).ball()
            assert certainly_less_or_equal(wanted, closed(mu, low.lower()))
            assert certainly_less_or_equal(closed(mu, high.upper()), wanted)
            assert float(high.upper() - low.lower()) < 0.02 * float(mu)


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("law", [GaussianDivergence(real(1)), LaplaceDivergence(real(1))])
def test_one_subsampled_run_against_its_closed_form(law: object, remove: bool) -> None:
    """δ of one run is q·δ′ or less by amplification: (P − a·Q)₊ with a = (e^ε − 1 + q)/q."""
    rate, epsilon = real("1/10"), real("1/20")
    measure = law.loss_measure(forward=True)  # type: ignore[attr-defined]
    found = band(
        Spread(subsampled(measure, rate, remove=remove)), 1, Effort(1e-7, Fraction(1, 10**20))
    )
    low, high = found.delta(epsilon)
    with precision(200):
        factor = epsilon.exp()
        if remove:  # ((1 − q)B + qA − e^ε·B)₊ = q·(A − (1 + (e^ε − 1)/q)·B)₊
            order = ((factor - real(1)) / rate + real(1)).ln()
            truth = law.hockey_stick(order, forward=True).ball * rate.ball()  # type: ignore[attr-defined]
        else:  # (B − e^ε((1 − q)B + qA))₊ = (1 − e^ε(1 − q))·(B − e^ε·q/(1 − e^ε(1 − q))·A)₊
            share = real(1) - factor * (real(1) - rate)
            order = (factor * rate / share).ln()
            truth = law.hockey_stick(order, forward=True).ball * share.ball()  # type: ignore[attr-defined]
        assert certainly_less_or_equal(low.lower(), truth)
        assert certainly_less_or_equal(truth, high.upper())
        assert float(high.upper() - low.lower()) < 1e-3 * float(truth)
