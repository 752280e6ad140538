"""An exception at some draws is an output, beside numbers with a density."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import pytest
from scipy.special import ndtr

import dpaudit
from dpaudit import program

PAIR = [1, 2]


def expected() -> float:
    """Return δ(1) of unit normal noise around 1 and 2, of which what is below 0 is one output."""
    forward = ndtr(-0.5) - math.e * ndtr(-1.5)  # from 2.5 on
    backward = ndtr(-0.5) - math.e * ndtr(-1.5)  # below 0.5, below 0 included
    return float(max(forward, backward))


def test_a_number_that_is_refused_below_zero() -> None:
    def noisy(count: Any, random: Any) -> Any:
        value = count + random.gaussian(1)
        if value < 0:
            raise ValueError("negative count")
        return value

    made = program(datasets=PAIR, neighbours="all", budget=("1", "1/2"))(noisy)
    (found,) = dpaudit.check(made, n=1).results
    assert found.delta is not None
    assert float(found.delta.upper) == pytest.approx(expected(), abs=1e-9)


def test_a_plain_function_that_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
import random


def noisy(count):
    value = count + random.gauss(0, 1)
    if value < 0:
        raise ValueError("negative count")
    return {"count": value}
"""
    (tmp_path / "raising_service.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    noisy = importlib.import_module("raising_service").noisy
    found = dpaudit.check(noisy, inputs=PAIR, neighbours="all", budget=("1", "1/2")).results[0]
    assert found.delta is not None
    assert float(found.delta.upper) == pytest.approx(expected(), abs=1e-9)
