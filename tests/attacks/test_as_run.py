"""Programs that cheat as they run: draws past what stands in for them, state, time, detection."""

import datetime
import os
import random
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from operator import methodcaller
from os import urandom as urandom_bound_early
from random import random as random_bound_early
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng as default_rng_bound_early
from numpy.random import random as numpy_bound_early

from dpaudit import program
from dpaudit.errors import LawError

PYTHON_BEFORE, NUMPY_BEFORE = random.Random(), np.random.default_rng()
LEGACY_BEFORE = np.random.RandomState()
STATE: dict[str, Any] = {"runs": 0, "kept": None, "last": 0.0}
Program = Callable[[int], Any]


def outcome(function: Program) -> str:
    """Return why a program is refused, or its law at 0."""
    one = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(function)
    try:
        law = one.laws().law(0)
    except LawError as error:
        return f"refused: {error}"
    del law
    return str({output: str(mass) for output, mass in one.law(0).items()})


def bound_in_a_default(bit: int, draw: Callable[[], float] = random.random) -> bool:
    return draw() < 0.999999


HELD: list[Any] = [random.random, os.urandom, np.random.random]


class Keeper:
    draw = staticmethod(random.random)


def early_in_a_closure() -> Program:
    draw = random.random

    def function(bit: int) -> bool:
        return draw() < 0.999999

    return function


def swallows(bit: int) -> int:
    try:
        return int(random.random() * 1e9)
    except BaseException:
        return bit


def counts_runs(bit: int) -> int:
    STATE["runs"] += 1
    return int(STATE["runs"]) + (random.random() < 0.5)


def keeps_a_draw(bit: int) -> bool:
    found, STATE["kept"] = STATE["kept"], random.random()
    return found is not None and bool(found < 0.5)


def starts_a_thread(bit: int) -> bool:
    found: list[float] = []
    one = threading.Thread(target=lambda: found.append(random.random()))
    one.start()
    one.join()
    return found[0] < 0.999999


def looks_at_the_type(bit: int) -> bool:
    u = random.random()
    return u < 0.5 if type(u) is float else u < 0.25


def looks_at_the_type_in_an_array(bit: int) -> bool:
    u = np.random.random(2)[0]
    return bool(u < 0.5 if type(u) is np.float64 and isinstance(u, float) else u < 0.25)


def looks_at_the_type_of_many(bit: int) -> bool:
    k = np.random.default_rng().integers(1 << 40)
    return bool(k < 1 << 39 if type(k) is np.int64 and not isinstance(k, int) else k < 7)


def looks_at_one_of_many(bit: int) -> bool:
    k = np.random.randint(1 << 40, size=2)[0] + 1
    return bool(k < 7 if type(k) is int or isinstance(k, int) else k <= 1 << 39)


def looks_at_the_array(bit: int) -> bool:
    u = np.random.random(2)
    return bool(u[0] < (0.5 if u.dtype == float else 0.25))


def looks_at_the_stack(bit: int) -> bool:
    frame, names = sys._getframe(), []
    while frame is not None:
        names.append(frame.f_code.co_filename)
        frame = frame.f_back  # type: ignore[assignment]
    return random.random() < (0.25 if any("dpaudit" in name for name in names) else 0.5)


def with_bits_of_its_own(bit: int, kind: type[random.Random] = random.Random) -> bool:
    one = kind()
    one.getrandbits = lambda k: bit  # type: ignore[method-assign]
    return one.randrange(4) == 0


def with_bits_of_a_class(bit: int) -> bool:
    class Constant(random.Random):
        def getrandbits(self, k: int) -> int:
            return bit

    return Constant().randrange(2) == 0


def a_device(bit: int, path: str = "/dev/urandom") -> bool:
    with open(path, "rb") as file:
        return file.read(1)[0] > 250 and bit == 1


REFUSED: dict[str, Program] = {
    "bits of its own": with_bits_of_its_own,
    "bits of its own, of the system": lambda bit: with_bits_of_its_own(bit, random.SystemRandom),
    "bits of a class": with_bits_of_a_class,
    "a device": a_device,
    "a device by its number": lambda bit: os.read(os.open("/dev/urandom", os.O_RDONLY), 1)[0] < 250,
    "a process": lambda bit: subprocess.run(["true"], check=False).returncode == 0,
    "a process of the shell": lambda bit: os.system("true") == 0,
    "a default argument": bound_in_a_default,
    "a list": lambda bit: HELD[0]() < 0.999999,
    "a list, through map": lambda bit: next(map(methodcaller("__call__"), HELD[:1])) < 0.999999,
    "bytes of a list": lambda bit: HELD[1](1)[0] < 256,
    "NumPy of a list": lambda bit: HELD[2]() < 0.999999,
    "a class": lambda bit: Keeper.draw() < 0.999999,
    "a closure": early_in_a_closure(),
    "Python's generator made before": lambda bit: PYTHON_BEFORE.random() < 0.999999,
    "one made before, whole numbers": lambda bit: PYTHON_BEFORE.randrange(10**9) > 0,
    "a generator inside NumPy": lambda bit: np.random.mtrand._rand.random_sample() < 0.999999,
    "a seed": lambda bit: random.Random(bit).random() < 0.5,
    "NumPy's seed": lambda bit: np.random.RandomState(3).random_sample() < 0.5,
    "the state": lambda bit: random.setstate(STATE["kept"]),
    "the clock": lambda bit: time.time() > 0,
    "a clock of nanoseconds": lambda bit: time.perf_counter_ns() % 2,
    "the day": lambda bit: datetime.date.today().toordinal(),
    "a thread": starts_a_thread,
    "a count of runs": counts_runs,
    "a draw kept for the next run": keeps_a_draw,
    "exceptions caught": swallows,
    "the array": looks_at_the_array,
    "the stack": looks_at_the_stack,
    "the profiler": lambda bit: random.random() < (0.5 if sys.getprofile() is None else 0.25),
    "the profiler switched off": lambda bit: sys.setprofile(None),
    "a mutable output": lambda bit: bytearray([random.random() < 0.5]),
    "an iterator": lambda bit: iter([random.random() < 0.5]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_that_cheats_is_refused(name: str) -> None:
    STATE.update(runs=0, kept=None)
    found = outcome(REFUSED[name])
    assert found.startswith("refused: "), found
    assert "\n" not in found


MET: dict[str, tuple[Program, str]] = {
    "a name of a module": (lambda bit: random_bound_early() < 0.25, "{True: '1/4', False: '3/4'}"),
    "bytes": (lambda bit: urandom_bound_early(1)[0] < 64, "{True: '1/4', False: '3/4'}"),
    "NumPy": (lambda bit: numpy_bound_early() < 0.25, "{True: '1/4', False: '3/4'}"),
    "a generator": (
        lambda bit: default_rng_bound_early().random() < 0.25,
        "{True: '1/4', False: '3/4'}",
    ),
    "secrets": (lambda bit: secrets.choice([1, 2]), "{1: '1/2', 2: '1/2'}"),
    "its own generator": (
        lambda bit: random.Random().random() < 0.25,
        "{True: '1/4', False: '3/4'}",
    ),
    "the type": (looks_at_the_type, "{True: '1/2', False: '1/2'}"),
    "the type in an array": (looks_at_the_type_in_an_array, "{True: '1/2', False: '1/2'}"),
    "the type of many": (looks_at_the_type_of_many, "{True: '1/2', False: '1/2'}"),
    # The float 0.999999 is an integer over 2⁵³; its distance to 1 is that of the other output.
    "NumPy's generator made before": (
        lambda bit: NUMPY_BEFORE.random() < 0.999999,
        str({True: str(Fraction(0.999999)), False: str(1 - Fraction(0.999999))}),
    ),
    "a legacy generator made before": (
        lambda bit: LEGACY_BEFORE.randint(10**9) > 0,
        "{True: '999999999/1000000000', False: '1/1000000000'}",
    ),
    "the type of one of many": (looks_at_one_of_many, "{True: '1/2', False: '1/2'}"),
}


@pytest.mark.parametrize("name", MET)
def test_what_a_module_names_is_stood_in_for(name: str) -> None:
    function, law = MET[name]
    assert outcome(function) == law


def test_another_thread_draws_for_real_meanwhile() -> None:
    found: list[Any] = []
    stop = threading.Event()

    def draws() -> None:
        while not stop.is_set():
            found.append(random.random())
            found.append(np.random.random())

    def decides(bit: int) -> bool:
        return sum(random.random() < 0.5 for _ in range(3)) > 1

    thread = threading.Thread(target=draws)
    thread.start()
    try:
        outcome(decides)
    finally:
        stop.set()
        thread.join()
    assert {type(one) for one in found} == {float}
