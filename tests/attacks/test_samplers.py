"""Samplers whose outputs are odd: none ends an audit early, or is said to exceed for it."""

from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import sampler
from dpaudit.errors import DpauditError, LawError
from dpaudit.results import SampleVerdict
from tests.sampling import subjects


class Unspeakable:
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise ValueError("no words")


ONE: dict[str, Any] = {
    "an exit": lambda rng: (_ for _ in ()).throw(SystemExit(0)),
    "an address": lambda rng: {"it": [object()]},
    "texts in no order": lambda rng: {"a", "b", str(rng.integers(2))},
    "a huge number": lambda rng: 10**400 + int(rng.integers(2)),
    "no Unicode": lambda rng: "\ud800" * int(rng.integers(2)),
    "nothing": lambda rng: (),
    "no number": lambda rng: (float("nan"), int(rng.integers(2))),
}
MANY: dict[str, Any] = {
    "no columns": lambda size, rng: np.zeros((size, 0)),
    "no numbers": lambda size, rng: np.full(size, np.nan),
    "infinities": lambda size, rng: np.where(rng.random(size) < 0.5, np.inf, -np.inf),
    "masked": lambda size, rng: np.ma.array(rng.random(size), mask=rng.random(size) < 0.5),
    "past 2^63": lambda size, rng: rng.integers(2**63, 2**64, size=size, dtype=np.uint64),
    "three axes": lambda size, rng: rng.integers(2, size=(size, 2, 2)),
}


@pytest.mark.parametrize("name", [*ONE, *MANY])
def test_what_is_the_same_on_both_sides_is_never_an_excess(name: str) -> None:
    def one(x: Any, rng: Any) -> Any:
        return ONE[name](rng)

    def many(x: Any, size: Any, rng: Any) -> Any:
        return MANY[name](size, rng)

    made = sampler(**subjects.BITS, budget="1/100", name=name)(one if name in ONE else many)
    found = dpaudit.sample(made, draws=2_000, error="1e-3")
    assert found.verdict in (SampleVerdict.NOT_REFUTED, SampleVerdict.VACUOUS)


class End(BaseException):
    """No exception of the common kind."""


@pytest.mark.parametrize("kind", [End, GeneratorExit, SystemExit])
def test_whatever_is_raised_is_one_line_or_an_output(kind: Any) -> None:
    def many(x: Any, size: Any, rng: Any) -> Any:
        raise kind("x")

    def one(x: Any, rng: Any) -> Any:
        raise kind("x")

    with pytest.raises(LawError, match=f"it raised {kind.__name__}"):
        dpaudit.sample(sampler(**subjects.BITS, budget="1")(many), draws=200)
    found = dpaudit.sample(sampler(**subjects.BITS, budget="1")(one), draws=200)
    assert found.verdict is SampleVerdict.VACUOUS


def test_what_a_sampler_sets_of_numpy_is_its_own() -> None:
    def many(x: Any, size: Any, rng: Any) -> Any:
        np.seterr(all="raise")
        return rng.integers(4, size=size) < 3

    before = np.geterr()
    made = sampler(**subjects.BITS, budget="1")(many)
    assert dpaudit.sample(made, draws=2_000).verdict is SampleVerdict.NOT_REFUTED
    with np.errstate(all="raise"):  # as its file may, when it is loaded
        assert dpaudit.sample(made, draws=2_000).verdict is SampleVerdict.NOT_REFUTED
    assert np.geterr() == before


def test_datasets_that_a_law_has_not_are_one_line() -> None:
    with pytest.raises(
        LawError, match="Laplace has no output distribution at 0: the datasets of the sampler"
    ):
        dpaudit.sample(subjects.response, against="Laplace", draws=2_000)


@pytest.mark.parametrize("name", ["exit", "width", "words"])
def test_what_cannot_be_compared_is_refused_in_one_line(name: str) -> None:
    def many(x: Any, size: Any, rng: Any) -> Any:
        if name == "exit":
            raise SystemExit(0)
        if name == "width":  # alike within a call
            return np.zeros((size, int(rng.integers(1, 4))))
        return [Unspeakable() for _ in range(size)]

    made = sampler(**subjects.BITS, budget="1/100", name=name)(many)
    with pytest.raises(LawError) as caught:
        dpaudit.sample(made, draws=2_000)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("budget", ["60", "1000", ("1000", "1/2")])
@pytest.mark.parametrize("sequential", [False, True])
def test_no_draws_contradict_a_budget_that_is_no_number_in_floats(
    budget: Any, sequential: bool
) -> None:
    found = dpaudit.sample(subjects.response, draws=2_000, budget=budget, sequential=sequential)
    assert found.verdict is SampleVerdict.TOO_FEW


def test_a_delta_of_one_is_refused() -> None:
    with pytest.raises(DpauditError, match="less than 1"):
        dpaudit.sample(subjects.response, budget=("0", "1"))
