"""What stands in does what NumPy's generators do; what is kept, raised and opened is seen."""

import array
import enum
import importlib
import math
import os
import random as python_random
import sys
import time
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpaudit import check, program
from dpaudit.errors import LawError


def of(
    function: Callable[..., Any], datasets: Any = (0, 1), budget: Any = "1/100", **how: Any
) -> Any:
    return program(datasets=list(datasets), neighbours="all", budget=budget, **how)(function)


def verdict(function: Callable[..., Any], datasets: Any = (0, 1), **how: Any) -> str:
    found = check(of(function, datasets, **how), n=1).verdict
    assert found is not None
    return str(found.value)


def first_of_a_table(age: int) -> int:
    rows = np.array([(age, 1.0), (30, 2.0)], dtype=[("age", int), ("pay", float)])
    np.random.shuffle(rows)
    return int(rows[0]["age"])


def kind_of_generator(x: int) -> int:
    rng = np.random.default_rng()
    if isinstance(rng, np.random.Generator):
        return x and int(rng.random() < 0.5)
    return int(rng.random() < 0.5)


def zeros_as_text(x: int) -> int:
    shown = [str(round(python_random.uniform(-0.4, 0.4), 0)) for _ in range(2)]
    return x if "-" not in "".join(shown) else -1


def zeros_by_sign(x: int) -> int:
    u = python_random.random()
    first, second = (math.copysign(1, (u - at) * 0.0) for at in (0.25, 0.75))
    return x if first > second else -1


@pytest.mark.parametrize(
    ("function", "datasets"),
    [
        (first_of_a_table, (21, 77)),
        (kind_of_generator, (0, 1)),
        (zeros_as_text, (0, 1)),
        (zeros_by_sign, (0, 1)),
    ],
)
def test_what_leaks_as_run_exceeds(function: Callable[..., Any], datasets: Any) -> None:
    assert verdict(function, datasets, as_run=True) == "exceeds"


def rows_alike(x: int) -> int:
    rows = np.array([(0, 1), (1, 0)], dtype=[("a", int), ("b", int)])
    np.random.shuffle(rows)
    return int(rows[0]["a"])


def test_a_table_is_shuffled_as_numpy_shuffles_it() -> None:
    law = of(rows_alike, as_run=True).law(0)
    assert {output: p.as_fraction() for output, p in law.items()} == dict.fromkeys(
        (0, 1), Fraction(1, 2)
    )


RAISES: list[tuple[str, tuple[Any, ...]]] = [
    ("laplace", (0.0, -0.0)), ("laplace", (0, "1")), ("laplace", (0, -1)),
    ("gumbel", (0.0, -0.0)), ("logistic", (0.0, -1.0)), ("exponential", (-0.0,)),
    ("geometric", ("0.5",)), ("geometric", (0.0,)), ("binomial", (-1, 0.5)), ("binomial", (2, 1.5)),
    ("uniform", ("0", "1")), ("uniform", (1.0, 0.0)),
    ("integers", (0, 2**64)), ("integers", (3, 3)), ("randint", (0, 2**64)), ("randint", (3, 3)),
    ("uniform", (0.0, math.inf)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), RAISES)
@pytest.mark.parametrize("new", [False, True])
def test_numpy_s_errors_are_raised(name: str, given: tuple[Any, ...], new: bool) -> None:
    real: Any = np.random.default_rng() if new else np.random.RandomState()
    if not hasattr(real, name) or (new and name == "exponential"):
        return  # which is not followed
    try:
        getattr(real, name)(*given)
        raised = None
    except Exception as error:
        raised = type(error)

    def caught(x: int) -> str:
        source: Any = np.random.default_rng() if new else np.random
        try:
            getattr(source, name)(*given)
        except Exception as error:
            return type(error).__name__
        return "none"

    law = of(caught, as_run=True).law(0)
    assert set(law) == {"none" if raised is None else raised.__name__}


def draws_many(x: int) -> bool:
    return bool(np.random.random(1_000_000)[0] < 0.5)


def test_a_run_of_very_many_draws_is_refused() -> None:
    with pytest.raises(LawError, match="draws more than 30000 numbers"):
        of(draws_many, as_run=True).law(0)


@pytest.mark.parametrize("made", [deque, bytearray, lambda: array.array("b")])
def test_a_sub_sampler_that_counts_its_tries_is_refused(made: Callable[[], Any]) -> None:
    def tries(x: int, random: Any) -> int:
        log = made()

        def attempt(source: Any) -> Any:
            log.append(1)
            return True if source.bernoulli(Fraction(9, 10) if x else Fraction(1, 10)) else None

        random.until(attempt)
        return len(log)

    with pytest.raises(LawError, match=r"a function of random\.sub changes something outside"):
        of(tries).law(0)


MODULE = """
EPS = "1/2"
"""
SAMPLER = """
import settings_of_a_test as settings

def noisy(source):
    if source.integers(64) < 20:
        return False
    return bool(source.bernoulli(settings.EPS))

def twice(x, random):
    settings.EPS = "1/2"
    first = random.sub(noisy)
    settings.EPS = "1/1000" if x else "1/2"
    second = random.sub(noisy)
    settings.EPS = "1/2"
    return first, second
"""


def test_what_a_sub_sampler_reads_in_another_module_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings_of_a_test.py").write_text(MODULE)
    (tmp_path / "sampler_of_a_test.py").write_text(SAMPLER)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("settings_of_a_test", "sampler_of_a_test"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert verdict(importlib.import_module("sampler_of_a_test").twice) == "exceeds"


class FailedError(Exception):
    pass


def raises_from(x: int, random: Any) -> None:
    if random.bernoulli("1/2"):
        raise FailedError("no such user") from KeyError(x)


def raises_inside(x: int, random: Any) -> None:
    if random.bernoulli("1/2"):
        try:
            raise KeyError(x)
        except KeyError:
            raise FailedError("no such user")  # noqa: B904


def raises_of_a_value(x: int, random: Any) -> Any:
    number: Any = x
    return number.secret if random.bernoulli("1/2") else None


def raises_of_a_name(x: int, random: Any) -> None:
    if random.bernoulli("1/2"):
        raise ImportError("no plugin", name=str(x))


def raises_of_a_file(x: int, random: Any) -> None:
    if random.bernoulli("1/2"):
        error = OSError("no file")
        error.filename = str(x)
        raise error


@pytest.mark.parametrize(
    "function",
    [raises_from, raises_inside, raises_of_a_value, raises_of_a_name, raises_of_a_file],
)
def test_exceptions_differ_by_all_that_is_seen_of_them(function: Callable[..., Any]) -> None:
    assert verdict(function, (3, 4)) == "exceeds"


class Thing:
    def method(self) -> None:
        """Do nothing."""


def raises_of_an_object(x: int, random: Any) -> Any:
    thing: Any = Thing()
    return thing.missing if random.bernoulli("1/2") else None


def test_where_an_object_lies_is_not_part_of_an_exception() -> None:
    assert verdict(raises_of_an_object) == "within"


class Result:
    value: Any = None


class Color(enum.Enum):
    RED = 1


def gives_a_class(x: int, random: Any) -> Any:
    Result.value = x
    return Result if random.bernoulli("1/2") else None


def gives_a_member(x: int, random: Any) -> Any:
    Color.RED.note = x  # type: ignore[attr-defined]
    return Color.RED if random.bernoulli("1/2") else None


@pytest.mark.parametrize("function", [gives_a_class, gives_a_member])
def test_classes_and_members_that_carry_data_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(LawError, match=r"compare equal but are not the same|changes after"):
        check(of(function), n=1)


def tells_the_minute(x: int, random: Any) -> Any:
    return time.strftime("%M") == "00", random.bernoulli("1/2")


def tells_the_ticks(x: int, random: Any) -> Any:
    return os.times().elapsed > 10, random.bernoulli("1/2")


def opens(path: Any) -> Callable[..., Any]:
    def function(x: int, random: Any) -> Any:
        with open(path, "rb") as file:
            return file.read(1) == b"a", random.bernoulli("1/2")

    return function


def from_openssl(x: int, random: Any) -> Any:
    import ssl

    return ssl.RAND_bytes(1) == b"a", random.bernoulli("1/2")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (tells_the_minute, "it uses time.strftime"),
        (tells_the_ticks, "it uses os.times"),
        (opens(b"/dev/urandom"), "it uses /dev/urandom"),
        (opens("//dev/../dev/urandom"), "it uses /dev/urandom"),
        (opens(Path("/dev/urandom")), "it uses /dev/urandom"),
        (opens("/proc/sys/kernel/random/uuid"), "it uses /proc/sys/kernel/random/uuid"),
        (from_openssl, "it uses ssl.RAND_bytes"),
    ],
)
def test_clocks_and_devices_are_seen_by_other_names(
    function: Callable[..., Any], said: str
) -> None:
    with pytest.raises(LawError, match=said):
        of(function).law(0)
