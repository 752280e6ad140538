"""Generators that were created before the run, read as run."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.programs.real.installed import RawStreams
from tests.programs.plain import services


def law(function: Callable[[int], Any], dataset: int = 1) -> dict[Any, str]:
    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True, real_runs=50)(function)
    return {output: str(mass) for output, mass in made.law(dataset).items()}


class Service:
    def __init__(self) -> None:
        self.rng = np.random.default_rng()

    def answer(self, bit: int) -> bool:
        return bool(bit + self.rng.laplace() > 0.5)


class Slots:
    __slots__ = ("rng",)

    def __init__(self) -> None:
        self.rng = np.random.default_rng()


def _closure() -> tuple[Any, Callable[[int], bool]]:
    rng = np.random.default_rng()
    return rng, lambda bit: bool(bit + rng.laplace() > 0.5)


_DEFAULT = np.random.default_rng()


def by_default(bit: int, rng: np.random.Generator = _DEFAULT) -> bool:
    return bool(bit + rng.laplace() > 0.5)


RNG, OLD = np.random.default_rng(), np.random.RandomState()
WIDE = np.random.Generator(np.random.PCG64DXSM())
SERVICE, SLOTS = Service(), Slots()
LISTED, NAMED = [np.random.default_rng()], {"rng": np.random.default_rng()}
ENCLOSED, BY_CLOSURE = _closure()
FORMS: dict[str, tuple[Any, Callable[[int], bool]]] = {
    "module": (RNG, lambda bit: bool(bit + RNG.laplace() > 0.5)),
    "wide": (WIDE, lambda bit: bool(bit + WIDE.laplace() > 0.5)),
    "legacy": (OLD, lambda bit: bool(bit + OLD.laplace() > 0.5)),
    "object": (SERVICE.rng, SERVICE.answer),
    "slot": (SLOTS.rng, lambda bit: bool(bit + SLOTS.rng.laplace() > 0.5)),
    "list": (LISTED[0], lambda bit: bool(bit + LISTED[0].laplace() > 0.5)),
    "dict": (NAMED["rng"], lambda bit: bool(bit + NAMED["rng"].laplace() > 0.5)),
    "closure": (ENCLOSED, BY_CLOSURE),
    "default": (_DEFAULT, by_default),
}


def inside(bit: int) -> bool:
    return bool(bit + np.random.default_rng().laplace() > 0.5)


@pytest.mark.parametrize("form", FORMS)
def test_the_law_is_that_of_a_generator_created_inside(form: str) -> None:
    generator, function = FORMS[form]
    old = hasattr(generator, "get_state")
    before = repr(generator.get_state(legacy=False) if old else generator.bit_generator.state)
    assert law(function) == law(inside)
    after = repr(generator.get_state(legacy=False) if old else generator.bit_generator.state)
    assert before == after
    assert type(generator) in (np.random.Generator, np.random.RandomState)


def test_a_later_call_draws_what_it_would_have_drawn() -> None:
    generator, function = FORMS["module"]
    twin = np.random.Generator(np.random.PCG64())
    twin.bit_generator.state = generator.bit_generator.state
    law(function)
    assert generator.laplace(size=8).tolist() == twin.laplace(size=8).tolist()
    old, _ = FORMS["legacy"]
    old.normal()  # which keeps the other half of its pair
    kept = old.get_state(legacy=False)["gauss"]
    law(FORMS["legacy"][1])
    assert old.normal() == kept


def test_real_runs_read_the_words_that_are_chosen_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    streams: list[set[str]] = []
    begin = RawStreams.begin

    def noted(self: RawStreams, chosen: Any = None) -> None:
        streams.append(set(chosen or ()))
        begin(self, chosen)

    monkeypatch.setattr(RawStreams, "begin", noted)
    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(FORMS["module"][1])
    assert len(made.law(0)) == 2
    assert any(name.startswith("numpy before ") for one in streams for name in one)
    assert made.derivation(1)["interposed"] == ("numpy.random.Generator",)


def _another_in_real_runs() -> Callable[[int], bool]:
    runs = iter(range(10**9))
    return lambda bit: bool(RNG.random() < (0.5 if next(runs) < 20 else 2))


_TUPLE: tuple[Any, ...] = (np.random.default_rng(),)
REFUSED: dict[str, tuple[Callable[[int], Any], str]] = {
    "as run": (lambda bit: str(RNG.laplace()), "as-run"),
    "ideal": (lambda bit: str(RNG.laplace()), "ideal"),
    "in real runs": (_another_in_real_runs(), "as-run"),
    "drawn": (lambda bit: bool(next(map(_TUPLE[0].random, [None])) < 0.5), "as-run"),
    "drawn, ideal": (lambda bit: bool(next(map(_TUPLE[0].random, [None])) < 0.5), "ideal"),
}


@pytest.mark.parametrize("way", REFUSED)
def test_whoever_keeps_a_refusal_changes_no_later_law(way: str) -> None:
    """A traceback keeps what the engine knew of all generators."""
    function, only = REFUSED[way]
    with pytest.raises(LawError) as kept:
        dpaudit.check(function, inputs=[0, 1], budget=1, only=only)
    assert law(FORMS["module"][1]) == law(inside)
    assert kept.tb is not None


def _parts(generator: Any, drawn: bool = False) -> tuple[Any, ...]:
    """Return all that tells whether a generator is followed, and, if not drawn, its state."""
    old = hasattr(generator, "get_state")
    bits = generator._bit_generator if old else generator.bit_generator
    state = generator.get_state(legacy=False) if old else bits.state
    sequence = bits.seed_seq
    seed = None if sequence is None else (sequence.entropy, sequence.spawn_key)
    return type(generator), id(bits), type(bits), seed, "" if drawn else repr(state)


def _changed_by_calls(draw: Callable[[], float]) -> Callable[[int], float]:
    """Return a function without a law, between whose calls something changes."""
    calls: list[int] = []

    def function(bit: int) -> float:
        calls[:] = [bit]
        return draw() * draw() + bit

    return function


def _ends(generator: Any, how: type[BaseException]) -> Callable[[int], bool]:
    """Return a function that ends in a real run, as Ctrl-C or an error ends it."""
    runs = iter(range(10**9))

    def function(bit: int) -> bool:
        if next(runs) > 20:
            raise how
        return bool(bit + generator.laplace() > 0.5)

    return function


PAIR = np.random.RandomState(np.random.PCG64())
ENDED: dict[str, tuple[Callable[[Any], Callable[[int], Any]], type[BaseException] | None]] = {
    "drawn from": (lambda rng: _changed_by_calls(rng.normal), None),
    "drawn from another": (lambda rng: _changed_by_calls(np.random.normal), None),
    "refused": (lambda rng: lambda bit: bool(next(map(rng.random_sample, [None])) < 0.5), None),
    "an error": (lambda rng: _ends(rng, ValueError), None),
    "an interrupt": (lambda rng: _ends(rng, KeyboardInterrupt), KeyboardInterrupt),
}


@pytest.mark.parametrize("way", ENDED)
@pytest.mark.parametrize("generator", [OLD, PAIR, RNG], ids=["legacy", "legacy of PCG64", "new"])
def test_an_audit_leaves_every_generator_as_it_was(way: str, generator: Any) -> None:
    make, raised = ENDED[way]
    # What is only drawn from has no law: its generators draw as they do without dpaudit.
    others = [one for one, _ in FORMS.values() if one is not generator]
    drawn = [generator] if way.startswith("drawn") else []
    others += [] if drawn else [generator]
    others += [np.random.mtrand._rand] if way != "drawn from another" else []

    def parts() -> list[Any]:
        shared = _parts(np.random.mtrand._rand, drawn=True)
        return [shared, *map(_parts, others), *(_parts(one, drawn=True) for one in drawn)]

    before = parts()
    ended: tuple[type[BaseException], ...] = (LawError,) if raised is None else (raised,)
    with suppress(*ended):
        dpaudit.check(make(generator), inputs=[0, 1], budget=1)
    assert parts() == before
    assert law(FORMS["legacy"][1]) == law(inside)


def test_two_generators_have_two_streams() -> None:
    first, second = np.random.default_rng(), np.random.default_rng()
    found = law(lambda bit: (first.random() < 0.5, second.random() < 0.5))
    assert set(found.values()) == {"1/4"}
    assert set(law(lambda bit: (first.random() < 0.5, first.random() < 0.5)).values()) == {"1/4"}


def test_a_service_as_it_is_written_is_read_as_run() -> None:
    found = dpaudit.check(
        services.count_where, inputs=[[], [{"age": 70}]], neighbours="all", budget="1, 1e-12"
    )
    assert isinstance(found, dpaudit.Check)
    assert (found.audit.semantics, found.verdict) == ("as run", dpaudit.Verdict.WITHIN)
