"""Dataclasses as outputs: compared by their fields, all of them, whatever their own ``==`` says."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.errors import DpauditError, LawError
from dpaudit.mechanisms.records import recorded
from dpaudit.numbers.real import real
from dpaudit.results import Verdict

_FILE = """
import random
from dataclasses import dataclass, field
import numpy as np

@dataclass
class Release:
    count: object
    label: str = "people"

@dataclass(frozen=True, slots=True)
class Fixed:
    count: object
    parts: tuple = ()

@dataclass(frozen=True)
class Hiding:
    shown: int
    hidden: int = field(default=0, compare=False, repr=False)

class Address:
    def __init__(self, value):
        self.value = value
    def __eq__(self, other):
        return self.value == other.value
    def __hash__(self):
        return hash(self.value)

def answered(x):
    return x if random.random() < 0.75 else 1 - x

def release(x):
    return Release(answered(x))

def fixed(x):
    return Fixed(answered(x), (1, "a"))

def nested(x):
    return {"a": [Release(answered(x))]}

def noisy(x):
    return Release(x + np.random.laplace(0, 1))

def rounded(x):
    return Fixed(round(x + np.random.laplace(0, 1)))

def hiding(x):
    return Hiding(1, x)

def two_classes(x):
    return Release(1) if x else Hiding(1)

def more_attributes(x):
    release = Release(1)
    release.other = x
    return release

def address(x):
    return Address(x)

def iterator(x):
    return iter([x])
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "releases.py"
    path.write_text(_FILE)
    return path


@pytest.mark.parametrize(
    ("name", "only", "epsilon"),
    [
        ("release", "as-run", "ln(3)"),
        ("fixed", "as-run", "ln(3)"),
        ("nested", "as-run", "ln(3)"),
        ("release", "ideal", "ln(3)"),
        ("nested", "ideal", "ln(3)"),
        ("noisy", "ideal", "1"),
        ("rounded", "ideal", "1"),
    ],
)
def test_a_dataclass_has_the_law_of_its_fields(
    file: Path, name: str, only: str, epsilon: str
) -> None:
    report = dpaudit.check(f"{file}:{name}", inputs="0,1", budget=epsilon, only=only)
    assert report.results[0].epsilon.exact == real(epsilon)
    assert report.verdict is Verdict.WITHIN


@pytest.mark.parametrize("only", ["as-run", "ideal"])
def test_a_field_that_equality_leaves_out_is_an_output(file: Path, only: str) -> None:
    report = dpaudit.check(f"{file}:hiding", inputs="0,1", budget="2", only=only)
    assert report.verdict is Verdict.EXCEEDS


@pytest.mark.parametrize("name", ["two_classes", "more_attributes"])
def test_what_a_record_would_lose_is_never_within(file: Path, name: str) -> None:
    try:
        report = dpaudit.check(f"{file}:{name}", inputs="0,1", budget="2")
    except LawError:
        return
    assert report.verdict is not Verdict.WITHIN


@pytest.mark.parametrize("name", ["address", "iterator"])
def test_objects_that_show_an_address_alone_are_not_drawn(file: Path, name: str) -> None:
    with pytest.raises(
        DpauditError, match="whose values dpaudit cannot see; return numbers, texts"
    ):
        dpaudit.check(f"{file}:{name}", inputs="0,1", budget="2", only="drawn")


@dataclass
class _Pair:
    first: Any
    second: Any = field(default=1, compare=False)


def test_records_of_one_class_are_compared_field_by_field() -> None:
    assert recorded(_Pair(1)) == recorded(_Pair(1))
    assert recorded(_Pair(1)) != recorded(_Pair(1, 2))
    assert repr(recorded(_Pair(np.int64(1), [2]))).endswith("second=[2])")
    assert recorded(_Pair) is _Pair
    assert type(recorded(_Pair(1))) is type(recorded(_Pair(2)))
