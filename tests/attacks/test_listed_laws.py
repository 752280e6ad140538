"""Hostile listed laws: whatever is screened out in floats, the report is that of balls throughout.

``python -m tests.attacks.test_listed_laws --count 2000`` looks at more of them.
"""

from __future__ import annotations

import argparse
import random
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpaudit
import dpaudit.errors
from dpaudit.audit import scan as scanning
from dpaudit.audit.plan import ENGINES
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.numbers.ball import Ball
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.user_mechanisms import TabulatedMechanism

Weight = str | Ball
RELATIONS: list[Any] = [
    "all",
    "all",
    "all",
    lambda x, y: abs(x - y) == 1,
    lambda x, y: (x + y) % 3 == 1,
]


def _ties(rng: random.Random, outputs: int) -> list[Weight]:
    """Weights of very few values, in any order, 0 among them."""
    return [rng.choice(["1", "1", "3", "3/7", "0"]) for _ in range(outputs)]


def _near_ties(rng: random.Random, outputs: int) -> list[Weight]:
    """Weights that differ by 10^−15 to 10^−40."""
    return [f"{rng.choice([1, 3])} + 1e-{rng.randint(15, 40)}" for _ in range(outputs)]


def _ranges(rng: random.Random, outputs: int) -> list[Weight]:
    """Weights of very different sizes, beyond the range of floats as well."""
    sizes = [0, 0, 1, 40, 700, 5000, 30_000]
    return [f"exp(-{rng.choice(sizes)} - {rng.randint(0, 3)}/7)" for _ in range(outputs)]


def _forms(rng: random.Random, outputs: int) -> list[Weight]:
    """One number in several forms."""
    two = ["2", "ln(4)/ln(2)", "sqrt(4)", "sqrt(3+2*sqrt(2)) - sqrt(2) + 1", "exp(ln(2))"]
    return [rng.choice([*two, "1", "exp(-1)", "exp(-1)/(1+exp(-1))"]) for _ in range(outputs)]


def _balls(rng: random.Random, outputs: int) -> list[Weight]:
    """Numbers that are not known exactly, and some that are."""
    radii = [0.0, 1e-30, 1e-22, 1e-17]
    balls = [Ball(rng.randint(1, 3), rng.choice(radii)) for _ in range(outputs)]
    return ["2" if rng.random() < 0.5 else ball for ball in balls]


KINDS = (_ties, _near_ties, _ranges, _forms, _balls)


def hostile(seed: int) -> FiniteMechanism:
    """Return a mechanism of a few datasets and outputs; its text is its name."""
    rng = random.Random(seed)
    kinds = [rng.choice(KINDS)] if rng.random() < 0.7 else list(KINDS)
    count, outputs = rng.randint(2, 9), rng.randint(1, 6)
    names = list(range(outputs + 2))
    laws: list[dict[int, Weight]] = []
    for _ in range(count):
        weights = rng.choice(kinds)(rng, outputs)
        weights[rng.randrange(outputs)] = "2"
        chosen = rng.sample(names, outputs) if rng.random() < 0.3 else names[:outputs]
        laws.append(dict(zip(chosen, weights, strict=True)))
        if rng.random() < 0.4:  # what was, in another order
            again = rng.choice(laws)
            shown = rng.sample(list(again), len(again))
            laws.append(dict(zip(shown, again.values(), strict=True)))
    # two datasets at least that are neighbours by any relation
    neighbours = rng.choice(RELATIONS if len(laws) > 4 else ["all"])
    return finite_mechanism(
        datasets=list(range(len(laws))), neighbours=neighbours, normalised=False, name=str(laws)
    )(lambda dataset: dict(laws[dataset]))


def faults(seed: int) -> list[str]:
    """Return what differs between the engines for the mechanism of a seed."""
    mechanism = hostile(seed)
    rng = random.Random(seed)
    budget = (Fraction(rng.randint(1, 40), 20), rng.choice([0, 0, Fraction(1, 100), "1e-30"]))
    asked: dict[str, Any] = {"budget": budget, "at_eps": ["0", "1/3", "ln(3)", "20", "1000"]}
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "WORTH_A_SCREEN", 1)
        for engine in ENGINES:
            try:
                found.append(dpaudit.check(mechanism, engine=engine, **asked).to_json())
            except dpaudit.errors.DpauditError as error:
                found.append(f"{type(error).__name__}: {error}")
    first, *others = found
    return [
        f"seed {seed}: {mechanism.name}\n{first}\n{other}" for other in others if other != first
    ]


@pytest.mark.parametrize("seed", range(60))
def test_the_screen_of_listed_laws_leaves_out_no_maximum(seed: int) -> None:
    assert not faults(seed)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, True),
        (0, False),
        (1, 1.0),
        (0.0, -0.0),
        ((0, (True, "a")), (0, (1, "a"))),
        (frozenset([1]), frozenset([True])),
        (1, np.True_),
        (1.5, np.longdouble(1.5)),
        (2, Fraction(2)),
    ],
)
def test_outputs_that_are_equal_and_not_the_same_are_refused(first: Any, second: Any) -> None:
    """The laws are disjoint, so that ε is infinite; Python has their outputs as one, and ε as 0."""
    for laws in (None, lambda data: [{first if bit else second: 1} for bit in data]):
        one = finite_mechanism(datasets=[0, 1], neighbours="all", budget=1, laws=laws)(
            lambda bit: {first if bit else second: 1}
        )
        with pytest.raises(dpaudit.errors.LawError, match="compare equal but are not the same"):
            dpaudit.check(one)


def test_numbers_of_numpy_are_those_that_they_are() -> None:
    @finite_mechanism(datasets=[0, 1], neighbours="all", budget=1)
    def one(bit: int) -> dict[Any, str]:
        if bit:
            return {np.int64(0): "1/2", (np.int64(1), np.float64(0.5)): "1/2"}
        return {0: "1/2", (1, 0.5): "1/2"}

    assert dpaudit.check(one).epsilon == 0


def test_a_report_about_outputs_that_are_equal_is_not_confirmed() -> None:
    def law(bit: int) -> dict[Any, int]:
        return {True if bit else 1: 1}

    subject = TabulatedMechanism(
        law, lambda n: [0, 1], ("all", lambda x, y: True), ("1", "0"), normalised=True
    )
    subject.law(0)
    with pytest.raises(UnknownDefinitionError, match="equal in Python"):
        subject.law(1)


def main(arguments: list[str] | None = None) -> int:
    """Look at many seeds; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    given = parser.parse_args(arguments)
    wrong = 0
    for seed in range(given.start, given.start + given.count):
        for fault in faults(seed):
            wrong += 1
            print(fault[:20000], flush=True)
    print(f"{given.count} mechanisms, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
