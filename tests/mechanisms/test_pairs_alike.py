"""Mechanisms that say that all their pairs are alike: one pair then stands for all of them."""

import json
import random
from typing import Any

import pytest
from mpmath import mp

import dpaudit
from dpaudit.api.plans import mechanism
from dpaudit.audit.conformance import conformance
from dpaudit.audit.plan import Pairs, Plan
from dpaudit.mechanisms.classics.base import LocalMechanism
from dpaudit.mechanisms.registry import mechanism_class, mechanism_names
from tests.oracles.classics import ORACLES, laws_of

ALIKE = [
    name
    for name in mechanism_names()
    if issubclass(cls := mechanism_class(name), LocalMechanism) and cls.pairs_alike
]


def _pair(laws: Any, x: Any, y: Any) -> list[tuple[str, str]]:
    """Return what is left of a pair of laws when outputs have no names."""
    outputs = laws[x].keys() | laws[y].keys()
    masses = ((laws[x].get(one, 0), laws[y].get(one, 0)) for one in outputs)
    return sorted((mp.nstr(p, 40), mp.nstr(q, 40)) for p, q in masses)


def _results(found: Any) -> Any:
    """Return what was found, as a document says it."""
    return json.loads(found.to_json())


def test_some_mechanisms_say_so() -> None:
    assert {"kRR", "SUE", "OUE", "SubsetSelection", "HadamardResponse"} <= set(ALIKE)
    assert "PermanentRAPPOR" not in ALIKE  # values that share bits are closer


@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.parametrize("seed", range(4))
def test_all_pairs_are_alike_by_the_definition(name: str, seed: int) -> None:
    """Both laws of every pair, in either order, are those of the first pair, renamed."""
    given = ORACLES[name].settings(random.Random(seed))
    with mp.workdps(60):
        laws, _ = laws_of(name, given, 1)
        first, second, *_ = laws
        expected = _pair(laws, first, second)
        for x in laws:
            for y in laws:
                assert x == y or _pair(laws, x, y) == expected, (given, x, y)


def test_values_that_are_not_alike_are_told_by_this() -> None:
    laws = {0: {0: mp.mpf(1)}, 1: {0: mp.mpf(1) / 2, 1: mp.mpf(1) / 2}, 2: {2: mp.mpf(1)}}
    assert _pair(laws, 0, 1) != _pair(laws, 0, 2)


@pytest.mark.parametrize("name", ALIKE)
def test_one_pair_gives_what_all_pairs_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def results() -> list[Any]:
        made: list[Any] = [
            dpaudit.check(name, k=5, epsilon=1, at_eps=["1/3"]),
            dpaudit.curve(name, k=5, epsilon=1),
            dpaudit.tradeoff(name, k=5, epsilon=1),
        ]
        return [_results(one) for one in made]

    few = results()
    real = LocalMechanism.adjacency

    def every(self: Any, name: str | None = None) -> Any:
        relation = real(self, name)
        relation.alike = False
        return relation

    monkeypatch.setattr(LocalMechanism, "adjacency", every)
    assert results() == few
    assert len(list(Pairs(mechanism(name, k=5), 1, Plan(None)))) == 10


def test_a_pair_that_is_asked_for_is_looked_at_itself() -> None:
    pairs = Pairs(mechanism("kRR", k=1000), 1, Plan(None, at=(7,)))
    assert len(list(pairs)) == pairs.expected == 999
    assert (6, 7) in list(pairs)


@pytest.mark.parametrize("name", ALIKE)
def test_a_thousand_values_are_audited(name: str) -> None:
    found = dpaudit.check(name, k=1000, epsilon=1)
    assert found.epsilon.exact is not None
    assert str(found.epsilon.exact) == "1"
    assert found.audit.results[0].pairs_covered == 499_500


@pytest.mark.parametrize("name", ALIKE)
def test_they_conform(name: str) -> None:
    """The law at one value, beside itself, adds up to 1; and the time is that of one pair."""
    found = conformance(mechanism(name, k=5), [1])
    assert found.conforms, found
