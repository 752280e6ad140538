"""Every live generator is found, whenever it was created, whatever the collector did since."""

import gc
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any
from weakref import ref

import numpy as np
import pytest
from numpy.random import MT19937, PCG64, RandomState
from numpy.random.bit_generator import ISeedSequence

from dpaudit.programs.as_run import live
from dpaudit.programs.as_run.live import live_generators
from dpaudit.programs.plain.standing import read_ideally


class Own(random.Random):
    """A generator of somebody's own, which other objects may refer to."""


class Kept(Own):
    """One that its finalizer keeps."""

    kept: list["Kept"] = []  # noqa: RUF012 (it is for all)

    def __del__(self) -> None:
        self.kept.append(self)


MAKERS: dict[str, Callable[[], Any]] = {
    "Python": random.Random,
    "the system": random.SystemRandom,
    "a class of its own": Own,
    "NumPy": np.random.default_rng,
    "old NumPy": RandomState,
    "bits": lambda: MT19937(1),
}
COLLECT: dict[str, tuple[Callable[[], object], ...]] = {
    "nothing": (),
    "the youngest": (partial(gc.collect, 0),),
    "the young": (partial(gc.collect, 1),),
    "all": (gc.collect,),
    "twice the youngest": (partial(gc.collect, 0), partial(gc.collect, 0)),
    "frozen": (gc.freeze,),
    "frozen and thawed": (gc.freeze, gc.unfreeze),
    "frozen after a collection": (partial(gc.collect, 0), gc.freeze),
}


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def collect(name: str) -> None:
    for step in COLLECT[name]:
        step()


def are_found(made: list[Any]) -> bool:
    return {id(one) for one in made} <= {id(one) for one in live_generators()}


@pytest.mark.parametrize("later", COLLECT)
@pytest.mark.parametrize("before", COLLECT)
def test_what_is_created_between_scans_is_found(before: str, later: str) -> None:
    live_generators()
    collect(before)
    made = [make() for make in MAKERS.values()]
    collect(later)
    assert are_found(made)
    assert are_found(made)


def test_a_random_order_of_events_hides_none() -> None:
    choose = random.Random(1)
    alive: list[Any] = []
    events = sorted({*COLLECT} - {"all"})  # which takes long
    for _ in range(100):
        event = choose.randrange(4)
        if event == 0:
            alive.append(choose.choice(list(MAKERS.values()))())
        elif event == 1 and alive:
            alive.pop(choose.randrange(len(alive)))
        elif event == 2:
            collect(choose.choice(events))
        else:
            assert are_found(alive)


def test_one_that_a_finalizer_keeps_is_found() -> None:
    made = Kept()
    made.itself = made  # type: ignore[attr-defined]
    live_generators()
    del made
    gc.collect(0)
    for generation in range(3):  # wherever the collector has it
        gc.collect(generation)
        assert id(Kept.kept[0]) in {id(one) for one in live_generators()}
    vars(Kept.kept[0]).clear()


def test_a_scan_after_another_lists_no_old_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    live_generators()
    listed: list[int | None] = []
    real = gc.get_objects

    def get_objects(generation: int | None = None) -> list[Any]:
        listed.append(generation)
        return real(generation)

    monkeypatch.setattr(gc, "get_objects", get_objects)
    gc.disable()
    try:
        live_generators()
        assert listed == [0]
        gc.collect(0)
        live_generators()
        assert listed == [0, 0, 1]
        gc.collect(1)
        live_generators()
        assert listed == [0, 0, 1, 0, 1, None]
    finally:
        gc.enable()


def test_a_scan_calls_no_function_of_python_for_each_object() -> None:
    """While a program is explored, ``id`` is one: a scan called it for each of the millions."""
    called: list[str] = []

    def hear(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_qualname)

    with read_ideally(set()):
        live._LATEST.clear()
        sys.setprofile(hear)
        try:
            live_generators()
        finally:
            sys.setprofile(None)
    assert len(called) < 1_000 < len(gc.get_objects())


class Seed(ISeedSequence):
    """Tells by a weak reference whether a generator of NumPy is alive, as that has none."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return np.ones(n_words, dtype=dtype)


def test_nothing_is_kept_alive_for_long() -> None:
    """A scan remembers what it found; the next ones let go of what nobody else has."""
    owned, plain = Own(), random.Random()
    seed: Any = Seed()
    owned.itself = owned  # type: ignore[attr-defined]
    made = np.random.default_rng(PCG64(seed))
    alive: list[ref[Any]] = [ref(owned), ref(plain), ref(seed)]
    live_generators()
    del owned, plain, seed, made
    gc.collect()
    assert alive[0]() is None  # it refers to itself: a scan that had it would keep it for ever
    for _ in range(2):  # the second lets go of the bits of a generator
        live_generators()
    assert [one() for one in alive] == [None] * 3


def test_a_class_that_is_loaded_later_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = np.random.default_rng()
    for name in list(sys.modules):
        if name.startswith("numpy.random"):
            monkeypatch.delitem(sys.modules, name)
    live_generators()
    monkeypatch.undo()
    assert id(made) in {id(one) for one in live_generators()}


def test_the_engine_replaces_no_generator_of_its_own_records() -> None:
    holder = [np.random.default_rng()]
    place = id(holder[0])
    with read_ideally(set()):
        assert id(holder[0]) != place
        assert place in {id(one) for scan in live._LATEST for one in scan.held}
    assert id(holder[0]) == place
