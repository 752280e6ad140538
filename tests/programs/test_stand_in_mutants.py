# ruff: noqa: E501  (rows of a table)
"""Stand-ins that answer wrongly are found out by real runs: a few mutants, and how they are made."""

import ast
import importlib
import inspect

import pytest

from tests.programs.stand_in_corpus import CASES, Case
from tests.programs.stand_in_mutants import Mutant, classified, without_real_runs

BY_NAME = {case.name: case for case in CASES}
WRONG = [
    ("exploring.source", "if len(possible) > 1:", "if len(possible) <= 1:", "ideal choice"),
    ("exploring.source", "weight *= chance if taken", "weight *= ONE - chance if taken", "ideal bernoulli"),
    ("exploring.source", "rational(Fraction(1, n))", "rational(Fraction(1, n + 1))", "ideal integers"),
    ("exploring.source", "WholeDraw(\"geometric\", chance)", "WholeDraw(\"geometric\", ONE / 2)", "ideal geometric"),
    ("exploring.source", "return self.integers(1 << k)", "return self.integers(2 << k)", "ideal bits"),
    ("as_run.supply", "rational(Fraction(1, n))", "rational(Fraction(2, n))", "a few"),
    ("as_run.supply", "_draw(count)", "_draw(count + 1)", "randrange"),
    ("as_run.numpy_calls", "u >= 0.5", "u >= 0.4", "np.laplace"),
    ("as_run.numpy_kinds", "mean * -called", "mean * 2 * -called", "np.exponential"),
    ("unknowns.unknown_whole", "math.ceil(target) - 1 if strict", "math.ceil(target) if strict", "randrange"),
    ("unknowns.unknown_whole", "_constant + other)", "_constant - other)", "randint"),
]  # fmt: skip


def mutant(module: str, old: str, new: str) -> Mutant:
    name = f"dpaudit.programs.{module}"
    text = inspect.getsource(importlib.import_module(name))
    assert old in text, f"{module} has changed: {old}"
    return Mutant(name, 0, f"{old} → {new}", ast.parse(text.replace(old, new, 1)))


def named(prefix: str) -> list[Case]:
    return [case for name, case in BY_NAME.items() if name.split(":")[0] == prefix]


@pytest.mark.parametrize(("module", "old", "new", "prefix"), WRONG)
def test_real_runs_refuse_a_stand_in_that_is_wrong(
    module: str, old: str, new: str, prefix: str
) -> None:
    cases = named(prefix)
    assert cases
    outcome = classified(mutant(module, old, new), cases)
    assert outcome.kind == "refused by real runs", outcome


def test_a_way_that_no_draw_takes_is_one_too_many() -> None:
    """Real runs take no such path, but the probabilities of all do not make 1."""
    ways = 'draw_finite(("bernoulli", chance), '
    outcome = classified(
        mutant("exploring.source", f"{ways}2)", f"{ways}3)"), named("ideal bernoulli")
    )
    assert outcome.kind == "refused by real runs", outcome
    assert "do not add up to 1" in outcome.said


def test_numbers_that_are_drawn_with_are_read_twice() -> None:
    """Known numbers are drawn with what is read a second time, before any real run."""
    wrong = mutant("exploring.source", "return _read_once(value) if", "return _read_once(1) if")
    outcome = classified(wrong, named("ideal clamped"))
    assert outcome.kind == "refused otherwise", outcome
    assert "plain numbers" in outcome.said


def test_a_mutant_is_taken_back() -> None:
    case = named("ideal bernoulli")[0]
    classified(mutant(*WRONG[0][:3]), [case])
    with without_real_runs():
        assert case.wrong(case.derived()) < 1e-3


def test_the_truths_are_those_of_the_laws_that_are_derived() -> None:
    seen = 0
    for case in CASES[::9]:
        try:
            with without_real_runs():
                law = case.derived()
        except Exception:  # refused: no law to compare
            continue
        assert case.wrong(law) < 5e-4, case.name
        seen += 1
    assert seen > 20
