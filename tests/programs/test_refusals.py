"""What cannot be followed, or is no function of the draws, is refused in one line."""

import datetime
import functools
import gc
import os
import random as python_random
import re
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from os import urandom as bound_early
from pathlib import Path
from random import random as module_function_bound_early
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError, ParameterError
from dpaudit.programs.exploring.explorer import Followed, Samplers
from dpaudit.programs.program import Program

generator = np.random.default_rng(0)
state: dict[str, int] = {"runs": 0}


def at_one_bit(function: Callable[..., Any], **given: Any) -> Program:
    return program(datasets=[0, 1], neighbours="all", budget=1, **given)(function)


def reason(function: Callable[..., Any], **given: Any) -> str:
    with pytest.raises(LawError) as refused:
        at_one_bit(function, **given).laws().law(0)
    message = str(refused.value)
    assert "\n" not in message
    return message


def calls_urandom(bit: int, random: Any) -> int:
    return os.urandom(1)[0] & 1


def calls_urandom_bound_early(bit: int, random: Any) -> int:
    return bound_early(1)[0] & 1


def calls_urandom_in_a_try(bit: int, random: Any) -> int:
    try:
        return os.urandom(1)[0] & 1
    except BaseException:
        return bit


def calls_urandom_after_comparing(bit: int, random: Any) -> int:
    return int(abs(random.laplace(1) - random.laplace(2)) > 1 and os.urandom(1) != b"")


def calls_urandom_after_a_sampler(bit: int, random: Any) -> int:
    return int(random.sub(calls_a_sampler) and os.urandom(1) != b"")


def calls_a_sampler(random: Any) -> bool:
    found: bool = random.sub(lambda source: source.bernoulli("1/3"))
    return found


def calls_python_random(bit: int, random: Any) -> bool:
    return python_random.random() < 0.5


def calls_python_random_bound_early(bit: int, random: Any) -> bool:
    return module_function_bound_early() < 0.5


def calls_python_random_through_map(bit: int, random: Any) -> bool:
    return next(map(python_random.randrange, [2])) == bit


def makes_a_generator(bit: int, random: Any) -> bool:
    return python_random.Random(7).random() < 0.5


def calls_secrets(bit: int, random: Any) -> int:
    return secrets.randbelow(2)


def calls_numpy(bit: int, random: Any) -> bool:
    return bool(np.random.random() < 0.5)


def calls_a_numpy_generator(bit: int, random: Any) -> bool:
    return bool(generator.random() < 0.5)


def asks_the_time(bit: int, random: Any) -> bool:
    return time.time() > 0


def asks_the_day(bit: int, random: Any) -> int:
    return datetime.datetime.now().year


def starts_a_thread(bit: int, random: Any) -> int:
    one = threading.Thread(target=lambda: None)
    one.start()
    one.join()
    return bit


ELSEWHERE = [
    calls_urandom,
    calls_urandom_bound_early,
    calls_urandom_in_a_try,
    calls_python_random,
    calls_python_random_bound_early,
    calls_python_random_through_map,
    makes_a_generator,
    calls_secrets,
    calls_numpy,
    calls_a_numpy_generator,
    asks_the_time,
    asks_the_day,
    starts_a_thread,
]


@pytest.mark.parametrize("function", ELSEWHERE, ids=lambda function: function.__name__)
def test_randomness_and_time_from_elsewhere_are_refused(function: Callable[..., Any]) -> None:
    message = reason(function)
    assert any(one in message for one in ("it uses", "it passes", "generator", "same"))


def test_draws_that_no_hook_hears_of_are_told_whatever_they_change() -> None:
    """NumPy's functions are compiled: as often as not, the next run comes out otherwise."""
    for _ in range(8):
        assert "it uses Python's or NumPy's own generator" in reason(calls_numpy)


@pytest.mark.parametrize("function", [calls_urandom_after_comparing, calls_urandom_after_a_sampler])
def test_the_watch_goes_on_after_the_engine_was_not_watched(function: Callable[..., Any]) -> None:
    assert "it uses os.urandom" in reason(function)  # though nothing that it gives shows a draw


def keeps_a_count(bit: int, random: Any) -> int:
    state["runs"] += 1
    return state["runs"]


def keeps_a_count_and_decides(bit: int, random: Any) -> int:
    state["runs"] += 1
    return random.integers(2 + state["runs"] % 2)  # type: ignore[no-any-return]


def gives_an_object(bit: int, random: Any) -> object:
    return object()


@functools.cache
def remembered(bit: int) -> list[int]:
    return []


def grows(bit: int, random: Any) -> int:
    remembered(bit).append(0)
    return len(remembered(bit))


@pytest.mark.parametrize(
    "function", [keeps_a_count, keeps_a_count_and_decides, gives_an_object, grows]
)
def test_a_program_that_changes_is_refused(function: Callable[..., Any]) -> None:
    assert re.search("again|an earlier call left it", reason(function))


def swallows_everything(bit: int, random: Any) -> int:
    try:
        return float(random.laplace(1))  # type: ignore[return-value]
    except BaseException:
        return bit


def floats(bit: int, random: Any) -> bool:
    return float(random.laplace(1)) > 0


def takes_a_logarithm(bit: int, random: Any) -> float:
    import math

    return math.log(random.uniform())


def multiplies(bit: int, random: Any) -> bool:
    return random.laplace(1) * random.laplace(1) > 0  # type: ignore[no-any-return]


def takes_a_remainder(bit: int, random: Any) -> bool:
    return random.laplace(1) % 1 > 0  # type: ignore[no-any-return]


def makes_text(bit: int, random: Any) -> str:
    return f"{random.laplace(1)}"


def makes_a_key(bit: int, random: Any) -> int:
    return len({random.laplace(1), random.laplace(1)})


def asks_an_attribute(bit: int, random: Any) -> bool:
    return random.laplace(1).is_integer()  # type: ignore[no-any-return]


def compares_three(bit: int, random: Any) -> bool:
    return random.laplace(1) + random.laplace(1) > random.laplace(1)  # type: ignore[no-any-return]


def compares_in_two_proportions(bit: int, random: Any) -> bool:
    x, y = random.laplace(1), random.laplace(1)
    return x > y and x > 2 * y + 1  # type: ignore[no-any-return]


def names_an_irrational_shift(bit: int, random: Any) -> bool:
    from dpaudit import real

    return random.laplace(1) > real("sqrt(2)")  # type: ignore[no-any-return]


NOT_FOLLOWED = [
    swallows_everything,
    floats,
    takes_a_logarithm,
    multiplies,
    takes_a_remainder,
    makes_text,
    makes_a_key,
    asks_an_attribute,
    compares_three,
    compares_in_two_proportions,
    names_an_irrational_shift,
]


@pytest.mark.parametrize("function", NOT_FOLLOWED, ids=lambda function: function.__name__)
def test_what_is_not_followed_is_refused_where_it_stands(function: Callable[..., Any]) -> None:
    assert ("test_refusals.py:" in reason(function)) != function.__name__.startswith("prints")


def draws_with_a_wrong_chance(bit: int, random: Any) -> bool:
    return random.bernoulli("3/2")  # type: ignore[no-any-return]


def draws_with_a_negative_weight(bit: int, random: Any) -> int:
    return random.choice([0, 1], [2, -1])  # type: ignore[no-any-return]


def draws_with_no_scale(bit: int, random: Any) -> bool:
    return random.laplace(0) > 0  # type: ignore[no-any-return]


def draws_from_nothing(bit: int, random: Any) -> int:
    return random.integers(0)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "function",
    [
        draws_with_a_wrong_chance,
        draws_with_a_negative_weight,
        draws_with_no_scale,
        draws_from_nothing,
    ],
)
def test_a_draw_without_a_law_is_refused(function: Callable[..., Any]) -> None:
    assert "test_refusals.py:" in reason(function)


def never_ends(bit: int, random: Any) -> int:
    while True:
        random.bernoulli("1/2")


def ends_rarely(bit: int, random: Any) -> int:
    while not random.bernoulli("1/2"):
        pass
    return bit


def has_many_paths(bit: int, random: Any) -> int:
    heads = 0
    for _ in range(30):  # each pass goes on from the one before
        heads = heads + int(random.bernoulli("1/2"))
    return heads


def recurses(bit: int, random: Any) -> int:
    return recurses(bit, random)


def gives_a_generator(bit: int, random: Any) -> Iterator[int]:
    return iter([bit])


def gives_a_bytearray(bit: int, random: Any) -> bytearray:
    return bytearray([bit])


def exits(bit: int, random: Any) -> int:
    raise SystemExit(0)


def raises_always(bit: int, random: Any) -> int:
    raise ValueError("no data")


def test_paths_without_an_end_are_refused_with_an_estimate() -> None:
    assert "too long to be followed" in reason(never_ends)
    assert "more than 50 paths" in reason(ends_rarely, paths=50)
    assert "about" in reason(has_many_paths, paths=500)


def test_outputs_that_are_none_are_refused() -> None:
    assert "recursion" in reason(recurses)
    assert "hash" in reason(gives_a_bytearray)
    assert "again" in reason(gives_a_generator)
    assert "SystemExit" in reason(exits)
    assert "every run raises ValueError: no data" in reason(raises_always)


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


def raises_without_a_text(bit: int, random: Any) -> None:
    raise SpeechlessError


def test_an_exception_without_a_text_is_refused() -> None:
    said = (
        "it raised SpeechlessError, and its message cannot be shown, because str() of it raises too"
    )
    assert reason(raises_without_a_text).endswith(said)


def test_an_output_that_cannot_be_shown_is_refused() -> None:
    large = at_one_bit(lambda bit, random: 10**6000 + bit)
    with pytest.raises(LawError, match=r"^an output cannot be shown: [^\n]*4300 digits[^\n]*$"):
        dpaudit.check(large).to_json()


@pytest.mark.filterwarnings("ignore::dpaudit.notices.ManyPathsWarning")  # of slow machines
def test_siblings_wait_as_one() -> None:
    """Paths that are not followed yet take memory by decisions, not by decisions times ways."""

    def body(random: Any) -> int:
        return sum(random.integers(4096) for _ in range(500))

    followed = Followed(body, 100_000, Samplers(100_000), opens=True)
    assert followed.begin(20)
    assert len(followed.waiting.left) <= 500


def test_an_exception_is_an_output() -> None:
    def sometimes(bit: int, random: Any) -> int:
        return 1 // int(random.bernoulli("3/4" if bit else "1/4"))

    law = at_one_bit(sometimes).law(0)
    assert {str(output): str(mass) for output, mass in law.items()} == {
        "1": "1/4",
        "raises ZeroDivisionError: integer division or modulo by zero": "3/4",
    }


def test_what_is_not_offered_is_said_where_it_is_asked_for() -> None:
    with pytest.raises(ParameterError, match="as_run cannot be the name of a parameter; rename it"):
        at_one_bit(lambda bit, random, as_run=1: bit)
    with pytest.raises(ParameterError, match="paths = 0"):
        program(datasets=[0, 1], paths=0)
    with pytest.raises(ParameterError, match="needs a default"):
        at_one_bit(lambda bit, random, eps: bit)


def test_who_is_told_of_collections_may_ask_for_the_time() -> None:
    def told(phase: str, about: dict[str, int]) -> None:
        time.perf_counter()

    def collects(bit: int, random: Any) -> int:
        kept = [[] for _ in range(5000)]  # type: ignore[var-annotated]
        return int(random.bernoulli("1/2")) + bit + 0 * len(kept)

    gc.callbacks.append(told)
    try:
        assert len(at_one_bit(collects).law(0)) == 2
    finally:
        gc.callbacks.remove(told)
    assert gc.isenabled()


def test_an_unknown_is_refused_after_its_run() -> None:
    kept: list[Any] = []

    def keeps_a_draw(bit: int, random: Any) -> bool:
        kept.append(random.laplace(1))
        return kept[0] > 0  # type: ignore[no-any-return]

    assert "an earlier call left it" in reason(keeps_a_draw)


def of_arrays(bit: int, random: Any) -> Any:
    noisy = np.array([bit, 1]) + np.array([random.laplace(1), random.laplace(1)])
    return np.argmax(noisy), noisy[0] > 1, noisy[1]


def test_arrays_give_the_same_with_known_numbers() -> None:
    assert at_one_bit(of_arrays).paths(0) == 4


PROFILED = """
import cProfile, random
import dpaudit


def flip(bit):
    return bit ^ (random.random() < 0.25)


profile = cProfile.Profile()
profile.enable()
found = dpaudit.check(flip, inputs=[0, 1], budget="ln(3)")
profile.disable()
print(found.verdict.value, len(profile.getstats()) > 1000)
"""


def test_a_profiler_may_run_around_an_audit(tmp_path: Path) -> None:
    """Python's own profiler is no function that ``sys.setprofile`` takes back."""
    script = tmp_path / "profiled.py"
    script.write_text(PROFILED)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("within True\n", "")
