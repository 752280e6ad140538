"""Screens of notions and curves over listed laws: bounds hold, and the engines agree."""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import dpaudit
from dpaudit.api import make_plan
from dpaudit.audit import curve as curve_module
from dpaudit.audit import scan as scanning
from dpaudit.audit.curve import privacy_curve
from dpaudit.audit.measure import ignore
from dpaudit.audit.quantity import Limits, PairOfLaws
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.numbers.ball import lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import real
from dpaudit.questions.notion.measure import ask
from dpaudit.questions.notion.notion import Concentrated, Gaussian, KullbackLeibler, Notion, Renyi
from dpaudit.screens.bounds import NotScreened, check_room
from dpaudit.screens.candidates import candidate_pairs
from dpaudit.screens.tables import FloatTables, PairChunk

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(dpaudit.__file__).parent


def _law(rng: random.Random, outputs: int, *, alone: bool = False) -> dict[Any, Any]:
    weights: dict[Any, Any] = {
        r: real(f"exp(-{rng.randint(0, 40)}/{rng.randint(5, 9)})") for r in range(outputs)
    }
    if alone and rng.random() < 0.5:
        del weights[rng.randrange(outputs)]
    return weights


def _mechanism(seed: int, count: int = 9, *, alone: bool = False) -> FiniteMechanism:
    rng = random.Random(seed)
    laws = [_law(rng, 5, alone=alone) for _ in range(count)]
    return finite_mechanism(
        datasets=range(count), neighbours="all", budget="5", normalised=False, name=f"random{seed}"
    )(lambda x: laws[x])


def _value(notion: Notion, laws: PairOfLaws) -> tuple[Fraction, Fraction]:
    values = [
        notion.measure(laws, forward=way, limits=Limits(Fraction(1, 10**20), None)).ball
        for way in (True, False)
    ]
    largest = values[0].max(values[1])
    return lower_fraction(largest), upper_fraction(largest)


@pytest.mark.parametrize(
    "notion",
    [KullbackLeibler(), Renyi(Fraction(2)), Renyi(Fraction(7, 2)), Renyi(Fraction(11, 10))],
)
@pytest.mark.parametrize("seed", range(4))
def test_sums_in_floats_are_within_their_bounds(notion: Notion, seed: int) -> None:
    rng = random.Random(seed)
    laws = [ExplicitLaw(_law(rng, 6), normalised=False) for _ in range(6)]
    order = notion.order if isinstance(notion, Renyi) else None
    with precision(96):
        tables = FloatTables(laws, order)
    left, right = np.array(list(combinations(range(6), 2))).T
    chunk = PairChunk(0, left, right)
    if order is None:
        found, error = tables.kullback_leibler(chunk, tables.differences(chunk))
    else:
        found, error = tables.moments(chunk)
    assert (error < 1e-10 * np.maximum(found, 1)).all()
    with precision(400):
        for place, (x, y) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            pair = PairOfLaws(laws[x].divergence_from(laws[y]))
            low, high = _value(notion, pair)
            if order is not None:  # the moment is e^((α − 1)·D)
                low, high = (
                    step((real(order - 1) * real(end)).exp().ball())
                    for step, end in ((lower_fraction, low), (upper_fraction, high))
                )
            here, doubt = Fraction(float(found[place])), Fraction(float(error[place]))
            assert here - doubt <= low
            assert high <= here + doubt


@pytest.mark.parametrize("name", ["pure", "approximate", "tv", "kl", "renyi", "zcdp", "gdp"])
@pytest.mark.parametrize("seed", range(3))
def test_a_notion_is_the_same_by_both_engines(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "WORTH_A_SCREEN", 1)
    subject = _mechanism(seed, alone=seed == 2)
    budget: Any = ("1/2", "1/3") if name == "approximate" else "1/2"
    order = "5/2" if name == "renyi" else None
    measure = ask(subject, name, order=order, budget=budget)
    plan = make_plan(subject, budget=1)
    screened = measure.at_size(subject, 1, plan, ignore)
    assert screened == measure.at_size(subject, 1, replace(plan, engine="ball"), ignore)
    assert screened.pairs_covered == screened.pairs == 36


def test_a_rare_loss_may_be_the_worst_though_another_pair_has_the_larger_mean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of D_α/α the supremum is far from α = 1 there: the mean alone would leave it out."""
    monkeypatch.setattr(scanning, "WORTH_A_SCREEN", 1)
    rare = {x: Fraction(1, 10**6) for x in range(9)} | {8: Fraction(1, 1000)}
    common = {x: Fraction(1, 2) + Fraction(x, 1000) for x in range(9)} | {7: Fraction(9, 10)}

    def law(x: int) -> dict[str, Fraction]:
        rest = 1 - rare[x]
        return {"rare": rare[x], "a": rest * common[x], "b": rest * (1 - common[x])}

    subject = finite_mechanism(datasets=range(9), neighbours="all", budget="5")(law)
    plan = make_plan(subject, budget=1)
    worst = {}
    for name in ("kl", "zcdp"):
        measure = ask(subject, name, order=None, budget="5")
        screened = measure.at_size(subject, 1, plan, ignore)
        assert screened == measure.at_size(subject, 1, replace(plan, engine="ball"), ignore)
        worst[name] = {screened.witness.x, screened.witness.y}
    assert 7 in worst["kl"]
    assert 8 in worst["zcdp"]


@pytest.mark.parametrize("notion", [Concentrated(), Gaussian(), KullbackLeibler()])
def test_a_pair_that_cannot_be_the_worst_is_left_aside(notion: Notion) -> None:
    """Two laws far apart among many that are near to one another."""
    laws = [
        ExplicitLaw({0: real(Fraction(1, 2) + x), 1: real(Fraction(1, 2) - x)})
        for x in (*(Fraction(i, 1000) for i in range(8)), Fraction(1, 4))
    ]
    with precision(96):
        tables = FloatTables(laws)
    left, right = np.array(list(combinations(range(9), 2))).T
    bound = notion.bound()
    assert bound is not None
    (best,) = candidate_pairs(tables, [PairChunk(0, left, right)], [bound])
    assert {int(right[number]) for number in best.numbers} == {8}
    assert 7 in best.numbers  # the first dataset against the last


@pytest.mark.parametrize("seed", range(4))
def test_a_curve_of_listed_laws_is_the_same_by_both_engines(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curve_module, "WORTH_A_SCREEN", 1)
    looked: list[int] = []
    build = curve_module._build

    def counting(book: Any, pairs: Any, *more: Any) -> Any:
        looked.append(len(list(pairs)))
        return build(book, pairs, *more)

    monkeypatch.setattr(curve_module, "_build", counting)
    subject = _mechanism(seed, 12, alone=seed == 3)
    plan = make_plan(subject)
    screened = privacy_curve(subject, 1, plan)
    balls = privacy_curve(subject, 1, replace(plan, engine="ball"))
    assert looked[0] < looked[-1] == balls.pairs == screened.pairs
    for at in ("0", "1/10", "1", "3", "20"):
        found, expected = (curve.delta(real(at), 12).value for curve in (screened, balls))
        assert found == expected


def test_tables_beyond_the_memory_of_the_machine_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dpaudit.screens.bounds.available", lambda: 100_000)
    check_room(1024)
    with pytest.raises(NotScreened, match="need interval arithmetic"):
        check_room(4096)
    with pytest.raises(
        NotScreened, match="need interval arithmetic"
    ):  # the first of many laws shows it
        FloatTables(iter([ExplicitLaw({0: real(1)})]), datasets=4096)


def _loops(found: Callable[[ast.AST], bool]) -> list[str]:
    return sorted(
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(found(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    )


def test_laws_are_set_side_by_side_in_one_loop_and_precision_raised_in_one() -> None:
    """One scan: what compares all pairs of laws goes through it."""

    def compares(node: ast.AST) -> bool:
        return isinstance(node, (ast.For, ast.While)) and any(
            isinstance(inner, ast.Attribute) and inner.attr == "divergence_from"
            for inner in ast.walk(node)
        )

    assert _loops(compares) == ["audit/scan.py"]
