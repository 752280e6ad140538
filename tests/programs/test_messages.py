"""What is said where an open number is taken for a known one: the limit, at the user's line."""

import array
import datetime
import decimal
import importlib.util
import json
import math
import random as python_random
import statistics
import struct
import sys
import textwrap
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.programs.exploring.outputs import Raised

FILE = Path(__file__).name


def law_of(function: Callable[..., Any], *, as_run: bool = True) -> Any:
    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=as_run)(function)
    return made.laws().called(0)


def reason(function: Callable[..., Any], *, as_run: bool = True) -> str:
    with pytest.raises(LawError) as refused:
        law_of(function, as_run=as_run)
    return str(refused.value)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "a fraction of a whole number": lambda x: Fraction(python_random.randrange(100), 7) > 3,
    "a fraction of a float": lambda x: Fraction(python_random.random()) > 3,
    "a fraction below": lambda x: Fraction(3, 1 + python_random.randrange(100)) > 1,
    "a decimal of a whole number": lambda x: decimal.Decimal(python_random.randrange(100)) > 3,
    "a decimal of a float": lambda x: decimal.Decimal(python_random.random()) > 3,
    "a decimal times": lambda x: decimal.Decimal(2) * python_random.random() > 1,  # type: ignore[operator]
    "a span of a whole number": lambda x: datetime.timedelta(seconds=python_random.randrange(100)),
    "a span of a float": lambda x: datetime.timedelta(seconds=python_random.random()),
    "a span times a float": lambda x: datetime.timedelta(seconds=1) * python_random.random(),
    "a mean": lambda x: statistics.mean([x, python_random.random()]) > 0.5,
    "a mean of floats": lambda x: statistics.fmean([x, python_random.random()]) > 0.5,
    "a deviation": lambda x: statistics.stdev([x, 0.3, python_random.random()]) > 0.5,
    "a scalar": lambda x: np.float64(python_random.random()) > 0.5,
    "isnan": lambda x: bool(np.isnan(np.random.random(2))[0]),
    "bincount": lambda x: int(np.bincount(np.random.randint(0, 100, 2), minlength=3)[0]),
    "a sum of draws": lambda x: bool(np.sum(np.random.random(2)) > 0.5),
    "a mean of draws": lambda x: bool(np.mean(np.random.random(2)) > 0.5),
    "the largest": lambda x: int(np.argmax(np.random.random(2))),
    "sorted draws": lambda x: bool(np.sort(np.random.random(2))[0] > 0.5),
    "a sine": lambda x: bool(np.sin(np.random.random(2))[0] > 0.5),
    "a norm": lambda x: bool(np.linalg.norm(np.random.random(2)) > 0.5),
    "an array of floats": lambda x: bool(np.array([python_random.random()], dtype=float)[0] > 0.5),
    "the place of a float": lambda x: [0.0, 0.1].index(python_random.random()),
    "a format code": lambda x: f"{python_random.random():.2f}",
    "percent": lambda x: "%.1f" % python_random.random(),  # noqa: UP031
    "packed": lambda x: struct.pack("d", python_random.random()),
    "bytes": lambda x: bytes(python_random.randrange(100)) == b"",
    "a range": lambda x: len(range(python_random.random())) > 5,  # type: ignore[call-overload]
    "an index": lambda x: [1, 2, 3][python_random.random()],  # type: ignore[call-overload]
    "time": lambda x: time.gmtime(python_random.randrange(100)).tm_sec,
    "json": lambda x: json.dumps(python_random.randrange(100)),
    "json of a float": lambda x: json.dumps(python_random.random()) > "0",
    "an array of Python's": lambda x: array.array("d", [python_random.random()])[0] > 0.5,
    "bits": lambda x: python_random.randrange(100).bit_length(),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_line_is_named_and_the_program_is_not_blamed(what: str) -> None:
    function = REFUSED[what]
    told = reason(function)
    assert f"{FILE}:{function.__code__.co_firstlineno}: " in told
    assert "run raises" not in told
    assert "it raised" not in told
    assert "engine raise" not in told


def in_place(x: int) -> bool:
    a = np.zeros(2)
    a += np.random.random(2)
    return bool(a[0] > 0.5)


def in_place_by_one(x: int) -> bool:
    a = np.ones(2)
    a *= np.random.random()
    return bool(a[0] > 0.5)


def into_an_array(x: int) -> bool:
    a = np.ones(2)
    np.add(a, np.random.random(2), out=a)
    return bool(a[0] > 0.5)


def into_an_entry(x: int) -> bool:
    a = np.ones(2)
    a[0] = np.random.random()
    return bool(a[0] > 0.5)


@pytest.mark.parametrize("function", [in_place, in_place_by_one, into_an_array, into_an_entry])
def test_operations_in_place_are_the_engines_limit(function: Callable[..., Any]) -> None:
    told = reason(function)
    assert f"{FILE}:{function.__code__.co_firstlineno + 2}: " in told
    assert "run raises" not in told
    assert function is into_an_entry or "write a = a + b in place of a += b" in told


def test_the_same_holds_of_ideal_draws() -> None:
    def fraction(x: int, random: Any) -> bool:
        return Fraction(random.geometric("1/2"), 7) > 3

    def negative(x: int, random: Any) -> Any:
        return math.sqrt(random.laplace(1)) > 1

    for function in (fraction, negative):
        told = reason(function, as_run=False)
        assert f"{FILE}:{function.__code__.co_firstlineno + 1}: " in told
        assert "run raises" not in told


def test_what_known_numbers_raise_is_an_output() -> None:
    def root(x: int) -> bool:
        return math.sqrt(python_random.random() - 0.5) > 0.5

    def inverse(x: int) -> bool:
        return 1 / python_random.random() > 2

    def far(x: int) -> int:
        return [0, 1, 2].index(python_random.randrange(100))

    found = {str(output): weight for output, weight in law_of(root).items()}
    assert found["raises ValueError: math domain error"].as_fraction() == Fraction(1, 2)
    found = {str(output): weight for output, weight in law_of(inverse).items()}
    raised = found["raises ZeroDivisionError: float division by zero"]
    assert raised.as_fraction() == Fraction(1, 1 << 53)
    assert sum(isinstance(output, Raised) for output in law_of(far)) == 97


def test_a_program_that_always_raises_is_still_said_to() -> None:
    def always(x: int) -> None:
        python_random.random()
        raise ValueError("no")

    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(always)
    with pytest.raises(LawError, match="every run raises ValueError: no"):
        dpaudit.check(made)


@pytest.mark.parametrize(
    ("name", "shift", "above", "chance"),
    [
        ("sqrt", 0.5, 0.5, Fraction(1, 4)),
        ("log", 0.5, -1e9, Fraction(1, 2) - Fraction(1, 1 << 53)),
        ("log2", 0.5, -2.0, Fraction(1, 4)),
        ("log10", 0.0, -1e9, 1 - Fraction(1, 1 << 53)),
        ("log1p", 1.5, -1e9, Fraction(1, 2) - Fraction(1, 1 << 53)),
    ],
)
def test_numpys_roots_and_logarithms_of_negative_numbers_are_no_numbers(
    name: str, shift: float, above: float, chance: Fraction
) -> None:
    def tail(x: int) -> bool:
        with np.errstate(all="ignore"):
            return bool(getattr(np, name)(np.random.random(2) - shift)[0] > above)

    found = law_of(tail)[True].as_fraction()
    assert abs(found - chance) <= Fraction(2, 1 << 53)

    def nan(x: int) -> bool:
        with np.errstate(all="ignore"):
            return bool(getattr(np, name)(np.random.random(2) - 1 - shift)[0] >= -1e9)

    with np.errstate(all="ignore"):
        never = np.isnan(getattr(np, name)(np.float64(0.999 - 1 - shift)))
    assert (True in law_of(nan)) != never


def test_what_numpy_says_of_no_numbers_is_said_of_the_users_line() -> None:
    def root(x: int) -> bool:
        return bool(np.sqrt(np.random.random(2) - 0.5)[0] > 0.5)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        law_of(root)
    assert {Path(one.filename).name for one in said} == {FILE}
    assert {str(one.message) for one in said} == {"invalid value encountered in sqrt"}


def test_numpy_may_be_set_to_raise() -> None:
    def root(x: int) -> bool:
        with np.errstate(invalid="raise"):
            return bool(np.sqrt(np.random.random(2) - 0.5)[0] > 0.5)

    found = {str(output): weight for output, weight in law_of(root).items()}
    (raised,) = (text for text in found if text.startswith("raises FloatingPointError"))
    # Each of two roots may be none.
    assert found[raised].as_fraction() == Fraction(3, 4)


# Whose line it is


LIMIT = "np.sum(np.random.random(2)) > 0.5"


def loaded(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_a_line_of_a_helper_of_the_users_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "my_helpers"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text(f"import numpy as np\ndef high():\n    return {LIMIT}\n")
    (tmp_path / "mine.py").write_text(
        "from my_helpers.inner import high\ndef mine(x):\n    return bool(high())\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "inner.py:3: " in reason(loaded(tmp_path / "mine.py", "mine").mine)


def test_a_line_of_an_installed_library_is_named_where_the_program_is_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "their_noise"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "draws.py").write_text(
        f"import numpy as np\ndef high():\n    return {LIMIT}\ndef theirs(x):\n    return high()\n"
    )
    (tmp_path / "uses.py").write_text(
        "from their_noise.draws import theirs\n\ndef uses(x):\n    return bool(theirs(x))\n"
    )
    monkeypatch.syspath_prepend(str(package.parent))
    draws = loaded(package / "draws.py", "their_noise.draws")
    assert "draws.py:3: " in reason(draws.theirs)
    assert "uses.py:4: " in reason(loaded(tmp_path / "uses.py", "uses").uses)


@dataclass
class Kept:
    """What a class of Python's own makes: code of a text without a file."""

    value: Any

    def __post_init__(self) -> None:
        self.high = bool(np.sum(self.value) > 0.5)


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("<string>", "<string>:3"),
        ("<ipython-input-3-0123456789ab>", "<ipython-input-3-0123456789ab>:3"),
        ("/tmp/ipykernel_71/1234567890.py", "cell:3"),
        ("work/notes.py", "notes.py:3"),
    ],
)
def test_lines_of_notebooks_and_of_texts_are_named(file: str, shown: str) -> None:
    names: dict[str, Any] = {"np": np, "__name__": "__main__"}
    text = f"""
    def program(x):
        return bool({LIMIT})
    """
    exec(compile(textwrap.dedent(text), file, "exec"), names)
    assert f"{shown}: " in reason(names["program"])


def test_code_that_a_dataclass_made_is_passed_over() -> None:
    def keeps(x: int) -> bool:
        return Kept(np.random.random(2)).high

    line = Kept.__post_init__.__code__.co_firstlineno + 1
    assert f"{FILE}:{line}: " in reason(keeps)
