"""What a call leaves for later ones never makes a law that no first call has."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest

import dpaudit
from dpaudit.errors import LawError
from tests.attacks.stateful import HARMFUL, HARMLESS, Stateful

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_UNDERIVED = {"lazy generator"}
"""Harmless ones without a law all the same, for the reason that is said."""


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[[Stateful], Callable[[Any], Any]]]:
    """Return what writes a program to a file and imports it."""
    name = "stateful_program"

    def loaded(case: Stateful) -> Callable[[Any], Any]:
        path = tmp_path / f"{name}.py"
        path.write_text(case.source)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function: Callable[[Any], Any] = module.f
        return function

    yield loaded
    sys.modules.pop(name, None)


@pytest.mark.parametrize("case", HARMFUL, ids=lambda case: case.name)
def test_calls_that_depend_on_earlier_ones_have_no_law(
    case: Stateful, load: Callable[[Stateful], Callable[[Any], Any]]
) -> None:
    with pytest.raises(LawError, match=r"a later call|later calls|an earlier call"):
        dpaudit.check(load(case), inputs=list(case.inputs), neighbours="all", budget="2")


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case.name)
def test_harmless_state_keeps_its_law(
    case: Stateful, load: Callable[[Stateful], Callable[[Any], Any]]
) -> None:
    function = load(case)
    if case.name in _UNDERIVED:
        with pytest.raises(LawError, match=r"rng \(stateful_program\.py"):
            dpaudit.check(function, inputs=list(case.inputs), neighbours="all", budget="2")
        return
    report = dpaudit.check(function, inputs=list(case.inputs), neighbours="all", budget="2")
    assert str(getattr(report.verdict, "value", "")) in ("within", "exceeds")


@pytest.mark.parametrize("case", HARMFUL[:3], ids=lambda case: case.name)
def test_nothing_is_drawn_from_calls_that_depend_on_earlier_ones(
    case: Stateful, load: Callable[[Stateful], Callable[[Any], Any]]
) -> None:
    with pytest.raises(LawError, match=r"a later call|later calls|an earlier call"):
        dpaudit.sample(
            load(case), inputs=list(case.inputs), neighbours="all", budget="2", draws=20_000
        )
