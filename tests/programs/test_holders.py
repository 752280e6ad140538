"""Where modules hold random functions: looked for in memory, found as by looking at all of them."""

from __future__ import annotations

import random
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import dpaudit
from dpaudit.programs.guarding.holders import _VERSION, _version_of, held_by_modules
from dpaudit.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS = {id(one): (one, None) for one in (random.random, random.getrandbits)}
NAME = "holding_a_random_function"


@pytest.fixture
def module() -> Iterator[ModuleType]:
    """Give a module that others can import."""
    made = ModuleType(NAME)
    made.first, made.second, made.third = 1, 2, 3  # type: ignore[attr-defined]
    sys.modules[NAME] = made
    yield made
    del sys.modules[NAME]


def _all() -> set[tuple[int, str, int]]:
    """Return where they are, of all that every module holds."""
    return {
        (id(vars(one)), key, id(value))
        for name, one in list(sys.modules.items())
        if not name.startswith(("dpaudit.", "numpy.random.")) and hasattr(one, "__dict__")
        for key, value in list(vars(one).items())
        if id(value) in FUNCTIONS
    }


def _found() -> set[tuple[int, str, int]]:
    return {(id(space), key, id(value)) for space, key, value in held_by_modules(FUNCTIONS)}


@pytest.mark.skipif(_VERSION is None, reason="the place of versions is not known here")
def test_every_change_of_a_namespace_gives_it_another_version(module: ModuleType) -> None:
    held, other = vars(module), vars(ModuleType("other"))
    seen = {_version_of(held).value, _version_of(other).value}
    assert len(seen) == 2
    binds = dict(held, number=0)
    exec("def bind():\n    global number\n    number += 1", held)
    held["number"] = 0
    for change in (
        lambda: held.update(new=1),
        lambda: setattr(module, "new", 2),
        lambda: held.pop("new"),
        lambda: held.__ior__({"new": 3}),
        *([held["bind"]] * 30),  # Python writes code anew that runs often
        *([lambda: setattr(module, "new", object())] * 30),
        lambda: held.__delitem__("new"),
        held.popitem,
        held.clear,
        lambda: held.update(binds),
    ):
        before = _version_of(held).value
        change()
        after = _version_of(held).value
        assert after != before
        assert after not in seen
        seen.add(after)


def _rebound(held: dict[str, Any]) -> None:
    held["second"] = random.random


def _added(held: dict[str, Any]) -> None:
    held["fourth"] = random.getrandbits


def _renamed_in_place(held: dict[str, Any]) -> None:
    kept = list(held.items())
    held.clear()
    held.update({"other" if key == "third" else key: value for key, value in kept})


def _removed(held: dict[str, Any]) -> None:
    del held["third"]


def _exchanged(held: dict[str, Any]) -> None:
    held["third"], held["second"] = held["second"], held["third"]


@pytest.mark.parametrize("change", [_rebound, _added, _renamed_in_place, _removed, _exchanged])
def test_what_is_bound_anew_is_found(module: ModuleType, change: Any) -> None:
    vars(module)["third"] = random.random
    assert _found() == _found() == _all()
    change(vars(module))
    assert _found() == _found() == _all()


def test_what_moves_to_the_module_after_is_found(module: ModuleType) -> None:
    """What all modules hold is the same then, one after the other."""
    after = ModuleType("after")
    kept = dict(vars(after))
    vars(after).clear()
    vars(module)["last"] = random.random
    sys.modules["after"] = after
    try:
        assert _found() == _found() == _all()
        del vars(module)["last"]
        vars(after)["moved"] = random.random
        assert _found() == _found() == _all()
    finally:
        vars(after).update(kept)
        del sys.modules["after"]


def test_a_module_in_the_place_of_another_is_looked_through(module: ModuleType) -> None:
    assert _found() == _all()
    other = ModuleType(NAME)
    vars(other).update(vars(module), first=random.random)
    sys.modules[NAME] = other
    assert _found() == _found() == _all()


_kept: Any = None


def _draws_from_a_global(x: int) -> bool:
    global _kept  # noqa: PLW0603
    drawn = random.random() if _kept is None else _kept()
    _kept = random.random  # the real one in a real run, which the next input is explored with
    return drawn + x / 4 < 0.5


def test_a_function_that_a_run_binds_is_stood_in_for_at_the_next_input() -> None:
    found = dpaudit.check(
        _draws_from_a_global, inputs=[0, 1], neighbours="all", budget=1, only="as-run"
    )
    assert found.verdict is Verdict.WITHIN
