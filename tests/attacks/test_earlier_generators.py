"""Generators created before the run whose words are no independent uniform words at each call."""

import copy
import pickle
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.programs.as_run import generator_holders
from dpaudit.programs.as_run.live import AtRest, Generators

Program = Callable[[int], Any]


class OwnBits(np.random.PCG64):
    pass


class OwnGenerator(np.random.Generator):
    pass


def _of(generator: Any) -> tuple[Any, Program]:
    return None, lambda bit: bool(bit + generator.laplace() > 0.5)


def _set_back() -> tuple[Any, Program]:
    bits = np.random.PCG64()
    rng, first = np.random.Generator(bits), bits.state

    def function(bit: int) -> bool:
        bits.state = first
        return bool(bit + rng.laplace() > 0.5)

    return None, function


def _set_back_in_an_array() -> tuple[Any, Program]:
    """An array of objects is no object that the collector lists."""
    holder = np.empty(1, dtype=object)
    holder[0] = np.random.PCG64()
    rng, first = np.random.Generator(holder[0]), holder[0].state

    def function(bit: int) -> bool:
        holder[0].state = first
        return bool(bit + rng.laplace() > 0.5)

    return None, function


def _set_back_in_a_list_of_the_engine(kind: Callable[[Any], Any]) -> tuple[Any, Program]:
    """References from the engine's own lists are not counted."""
    rng = np.random.default_rng()
    holder, first = kind(rng.bit_generator), rng.bit_generator.state

    def function(bit: int) -> bool:
        holder[0].state = first
        return bool(bit + rng.laplace() > 0.5)

    return None, function


def _shared_bits() -> tuple[Any, Program]:
    first = np.random.default_rng()
    second = np.random.Generator(first.bit_generator)
    return second, lambda bit: bool(bit + first.laplace() + 0 * second.random() > 0.5)


def _twins() -> tuple[Any, Program]:
    sequence = np.random.SeedSequence()
    first, second = np.random.default_rng(sequence), np.random.default_rng(sequence)
    return sequence, lambda bit: (first.random() < 0.5, bit ^ (second.random() < 0.5))


def _twins_of_one_entropy() -> tuple[Any, Program]:
    entropy = np.random.SeedSequence().entropy
    first, second = np.random.default_rng(entropy), np.random.default_rng(entropy)
    return None, lambda bit: (first.random() < 0.5, bit ^ (second.random() < 0.5))


def _state_of_another() -> tuple[Any, Program]:
    first, second = np.random.default_rng(), np.random.default_rng()
    second.bit_generator.state = first.bit_generator.state
    return None, lambda bit: (first.random() < 0.5, bit ^ (second.random() < 0.5))


def _legacy_state_of_another() -> tuple[Any, Program]:
    first, second = np.random.RandomState(), np.random.RandomState()
    second.set_state(first.get_state())
    return None, lambda bit: (first.random() < 0.5, bit ^ (second.random() < 0.5))


def _by_ctypes() -> tuple[Any, Program]:
    rng = np.random.default_rng()
    draw, state = rng.bit_generator.ctypes.next_double, rng.bit_generator.ctypes.state
    return None, lambda bit: bool(rng.random() < 0.5) ^ bool(bit) ^ bool(draw(state) < 2)


def _with(use: Callable[[Any, int], Any]) -> tuple[Any, Program]:
    rng = np.random.default_rng()
    return None, lambda bit: use(rng, bit)


def _legacy(use: Callable[[Any, int], Any]) -> tuple[Any, Program]:
    old = np.random.RandomState()
    return None, lambda bit: use(old, bit)


def _copied(copying: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    def use(rng: Any, bit: int) -> Any:
        other = copying(rng)
        return rng.random() < 0.5, bit ^ (other.random() < 0.5)

    return use


def _initialised_again(rng: Any, bit: int) -> bool:
    rng.__init__(np.random.PCG64())
    return bool(bit + rng.laplace() > 0.5)


def _draw_bound_early() -> tuple[Any, Program]:
    draw = np.random.default_rng().laplace
    return None, lambda bit: bool(bit + draw() > 0.5)


def _in_a_tuple() -> tuple[Any, Program]:
    kept = (np.random.default_rng(),)
    return None, lambda bit: bool(next(map(kept[0].random, [None])) < 2 + bit)


ATTACKS: dict[str, Callable[[], tuple[Any, Program]]] = {
    "seeded": lambda: _of(np.random.default_rng(7)),
    "seeded twister": lambda: _of(np.random.RandomState(7)),
    "seeded in place": lambda: _of(_seeded_in_place()),
    "own bits": lambda: _of(np.random.Generator(OwnBits())),
    "own generator": lambda: _of(OwnGenerator(np.random.PCG64())),
    "jumped": lambda: _of(np.random.Generator(np.random.PCG64().jumped())),
    "set back": _set_back,
    "set back in an array": _set_back_in_an_array,
    "set back in the engine's list": lambda: _set_back_in_a_list_of_the_engine(
        lambda bits: Generators([bits])
    ),
    "set back in the engine's pair": lambda: _set_back_in_a_list_of_the_engine(
        lambda bits: AtRest(bits, None)
    ),
    "shared bits": _shared_bits,
    "twins": _twins,
    "twins of one entropy": _twins_of_one_entropy,
    "state of another": _state_of_another,
    "legacy state of another": _legacy_state_of_another,
    "ctypes": _by_ctypes,
    "spawn": lambda: _with(lambda rng, bit: rng.spawn(1)[0].random() < 0.5 + bit),
    "raw words": lambda: _with(lambda rng, bit: rng.bit_generator.random_raw() < 9 + bit),
    "state is set": lambda: _with(_set_state),
    "state is read": lambda: _with(lambda rng, bit: str(rng.bit_generator.state) + str(bit)),
    "initialised again": lambda: _with(_initialised_again),
    "copy": lambda: _with(_copied(copy.copy)),
    "deep copy": lambda: _with(_copied(copy.deepcopy)),
    "pickled": lambda: _with(_copied(lambda rng: pickle.loads(pickle.dumps(rng)))),
    "legacy seed": lambda: _legacy(lambda old, bit: (old.seed(3), old.random() < 0.5 + bit)[1]),
    "legacy state": lambda: _legacy(lambda old, bit: str(old.get_state()) + str(bit)),
    "bound early": _draw_bound_early,
    "in a tuple": _in_a_tuple,
}


def _seeded_in_place() -> Any:
    found = np.random.RandomState()
    found.seed(7)
    return found


def _set_state(rng: Any, bit: int) -> bool:
    rng.bit_generator.state = {}
    return bool(bit + rng.laplace() > 0.5)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_generator_whose_words_may_repeat_is_refused(name: str) -> None:
    kept, function = ATTACKS[name]()
    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(function)
    with pytest.raises(LawError) as refused:
        made.laws().law(0)
    assert "\n" not in str(refused.value)
    assert "dpaudit.programs" not in str(refused.value)
    del kept


SEEDS: dict[str, Callable[[], Any]] = {
    "number": lambda: np.random.default_rng(7),
    "numpy number": lambda: np.random.default_rng(np.int64(7)),
    "list": lambda: np.random.default_rng([1, 2, 3]),
    "array": lambda: np.random.default_rng(np.arange(3)),
    "legacy": lambda: np.random.RandomState(7),
    "legacy array": lambda: np.random.RandomState([1, 2]),
    "legacy of bits": lambda: np.random.RandomState(np.random.PCG64(7)),
    "spawned": lambda: np.random.default_rng(np.random.SeedSequence(7).spawn(1)[0]),
}


@pytest.mark.parametrize("only", ["as-run", "ideal"])
@pytest.mark.parametrize("seed", SEEDS)
def test_draws_of_a_chosen_seed_are_refused_in_each_reading(seed: str, only: str) -> None:
    generator = SEEDS[seed]()

    def function(bit: int) -> Any:
        return bit + round(generator.laplace())

    with pytest.raises(LawError, match="seed"):
        dpaudit.check(function, inputs=[0, 1], neighbours="all", budget=1, only=only)


NOISE = [np.random.default_rng(), np.random.default_rng(7)]


def _by_globals() -> Any:
    return globals()["NOISE"]


def _by_a_module() -> Any:
    from tests.attacks import test_earlier_generators as module  # noqa: PLW0406

    return module.NOISE


def _by_sys() -> Any:
    return sys.modules[__name__].NOISE


def _by_a_weak_reference() -> Callable[[], Any]:
    holder = type("Holder", (), {"noise": NOISE})()
    kept.append(holder)
    reference = weakref.ref(holder)
    return lambda: reference().noise  # type: ignore[union-attr]


kept: list[Any] = []
WAYS: dict[str, Callable[[], Any]] = {
    "globals": _by_globals,
    "import": _by_a_module,
    "sys": _by_sys,
    "weak reference": _by_a_weak_reference(),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_generator_is_found_by_whatever_way_a_program_takes(way: str) -> None:
    get = WAYS[way]
    law: Any = {"inputs": [0, 1], "neighbours": "all", "only": "ideal"}
    good = dpaudit.check(lambda bit: bit + round(get()[0].laplace()), budget=1, **law)
    assert good.verdict == dpaudit.Verdict.WITHIN
    with pytest.raises(LawError, match="fixed seed"):
        dpaudit.check(lambda bit: bit + round(get()[1].laplace()), budget=1, **law)


def test_no_walk_is_made_for_a_program_that_holds_no_generator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walks: list[Any] = []
    real = generator_holders._places

    def noted(objects: dict[int, Any]) -> Any:
        walks.append(objects)
        return real(objects)

    monkeypatch.setattr(generator_holders, "_places", noted)
    for count, rng in enumerate([np.random, NOISE[0]]):
        dpaudit.check(
            lambda bit, rng=rng: bit + round(rng.laplace()),
            inputs=[0, 1],
            neighbours="all",
            budget=1,
            only="ideal",
        )
        assert bool(walks) == bool(count)


def test_one_that_is_used_only_in_real_runs_is_seen() -> None:
    rng, runs = np.random.default_rng(7), iter(range(10**9))

    def function(bit: int) -> bool:
        if next(runs) > 20:
            rng.random()
        return bool(np.random.random() < 0.5)

    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(function)
    with pytest.raises(LawError, match="created before the run"):
        made.laws().law(0)
