"""Long explorations say how long they take, soon, and how far they are; Ctrl-C ends them."""

import io
import math
import os
import pty
import random as python_random
import select
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpaudit import program, progress
from dpaudit.cli.bars import progress_on_stderr
from dpaudit.notices import ManyPathsWarning
from dpaudit.programs.exploring.estimates import LOOKED_AHEAD, Chance, Series, leaves
from dpaudit.programs.exploring.exploration import Left
from dpaudit.programs.exploring.run import Run
from dpaudit.programs.program import Program

SOON = 5.0
"""So many seconds of processor time after an exploration has begun, it says how long it takes."""


class Interrupted(KeyboardInterrupt):
    """Stands for Ctrl-C once the estimate is there."""


def ways_of(
    tree: Callable[[Callable[[int], int]], None], trail: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the ways along the path of a tree that takes a trail, and the first way after it."""
    ways: list[int] = []

    def decide(count: int) -> int:
        taken = trail[len(ways)] if len(ways) < len(trail) else 0
        ways.append(count)
        return taken % count

    tree(decide)
    return tuple(ways)


def counted(tree: Callable[[Callable[[int], int]], None]) -> int:
    """Return how many leaves a tree has."""
    waiting: list[tuple[int, ...]] = [()]
    found = 0
    while waiting:
        trail = waiting.pop()
        ways = ways_of(tree, trail)
        found += 1
        for place in range(len(trail), len(ways)):
            before = trail + (0,) * (place - len(trail))
            waiting += [(*before, way) for way in range(1, ways[place])]
    return found


def coins(decide: Callable[[int], int]) -> None:
    for _ in range(10):
        decide(2)


def permutation(decide: Callable[[int], int]) -> None:
    for left in range(6, 0, -1):
        decide(left)


def above_three_times(decide: Callable[[int], int]) -> None:
    above = 0
    for _ in range(15):
        above += decide(2)
        if above == 3:
            return


def loops(decide: Callable[[int], int]) -> None:
    for _ in range(2):
        for _ in range(25):
            if decide(2):
                break


def three_then_one(decide: Callable[[int], int]) -> None:
    if decide(3) == 1:
        for _ in range(8):
            decide(2)


TREES = [coins, permutation, above_three_times, loops, three_then_one]


def estimates(tree: Any, count: int, out_of_time: bool) -> list[float]:
    chance = Chance()
    return [
        leaves([((), 1)], lambda trail: ways_of(tree, trail), chance, lambda: out_of_time)
        for _ in range(count)
    ]


@pytest.mark.parametrize("tree", TREES)
def test_the_paths_of_trees_are_estimated(tree: Any) -> None:
    truth = counted(tree)
    few = sum(estimates(tree, 4, out_of_time=False)) / 4
    assert truth / 4 < few < 4 * truth, (few, truth)
    many = estimates(tree, 400, out_of_time=False)
    # Where the tail is heavy, as of loops after one another, most estimates are too low.
    assert math.isclose(sum(many) / 400, truth, rel_tol=0.4 if tree is loops else 0.1)


@pytest.mark.parametrize("tree", [coins, permutation, three_then_one])
def test_where_time_is_up_one_random_path_stands_for_each_stratum(tree: Any) -> None:
    many = estimates(tree, 3000, out_of_time=True)
    assert math.isclose(sum(many) / 3000, counted(tree), rel_tol=0.2)


def test_paths_that_were_run_are_not_estimated_again() -> None:
    tree, chance = above_three_times, Chance()
    # The trails (0, 0, …) were run: those that part from the first path wait.
    length = len(ways_of(tree, ()))
    waiting = [((0,) * place + (1,), 2) for place in range(length)]
    found = [leaves(waiting, lambda t: ways_of(tree, t), chance) for _ in range(200)]
    assert math.isclose(sum(found) / 200, counted(tree) - 1, rel_tol=0.1)


@pytest.mark.parametrize(("count", "power"), [(20_000, 1.0), (3_000, 0.5), (3_000, 0.25)])
def test_how_many_paths_leave_little_is_estimated(count: int, power: float) -> None:
    """Paths as improbable as a program of some loops has them: exp(−c·nᵖ), summing to one."""
    rate = 30.0 / 20_000**power if power == 1.0 else 14.0 / 3_000**power
    masses = [math.exp(-rate * n**power) for n in range(1, 400_000)]
    total = math.fsum(masses)
    left = Left(10**9)
    rest = 1.0
    truth = 0
    for n, mass in enumerate(masses, 1):
        rest -= mass / total
        if n < count // 4:
            run = Run(())
            run.weight = real_of(Fraction(mass / total))
            assert not left.is_small_after(run)
    tail = 0.0
    for n in range(len(masses) - 1, -1, -1):
        tail += masses[n] / total
        if tail > 1e-15:
            truth = n
            break
    found = left.expected()
    assert found is not None
    assert truth / 10 < found < 10 * truth, (found, truth)


def real_of(number: Fraction) -> Any:
    from dpaudit.numbers.real import rational

    return rational(number)


def noisy_max(counts: Any, random: Any) -> int:
    noisy = [count + random.gumbel(4) for count in counts]
    return max(range(len(noisy)), key=noisy.__getitem__)


def noisy_max_that_only_calculates(counts: Any, random: Any) -> int:
    best, where = counts[0] + random.gumbel(4), 0
    for i in range(1, len(counts)):
        noisy = counts[i] + random.gumbel(4)
        if noisy > best:
            best, where = noisy, i
    return where


def permuted(x: Any, random: Any) -> bool:
    return bool(random.permutation(range(12))[0] == 0)


def sparse_vector(queries: Any, random: Any) -> Any:
    noisy = random.laplace(4)
    return tuple([query + random.laplace(8) >= noisy for query in queries])


def forty_coins(x: Any, random: Any) -> int:
    heads = 0
    for _ in range(40):  # each pass goes on from the one before
        heads = heads + random.bernoulli("1/2")
    return heads


def forty_coins_as_run(x: Any) -> int:
    return sum(python_random.random() < 0.5 for _ in range(40))


def shuffled_as_run(x: Any) -> int:
    items = list(range(12))
    python_random.shuffle(items)
    return items[0]


def a_long_sampler(x: Any, random: Any) -> bool:
    return bool(random.sub(lambda source: sum(source.bernoulli("1/2") for _ in range(20)) > 7))


def loops_without_an_end(x: Any, random: Any) -> int:
    found = 0
    for _ in range(5):
        while random.bernoulli("1/2"):
            found += 1
    return min(found, 3)


ZEROS = [(0,) * 16, (1,) * 16]
LONG: list[tuple[Callable[..., Any], list[Any], float, float]] = [
    (noisy_max, ZEROS, 2.0**15, 1.5),
    (noisy_max_that_only_calculates, ZEROS, 2.0**15, 1.5),
    (noisy_max_that_only_calculates, [(i,) * 16 for i in range(30)], 2.0**15, 1.5),
    (permuted, [0, 1], 479_001_600, 1.5),
    (sparse_vector, [(0,) * 20, (1,) * 20], 2.0**20, 1.5),
    (forty_coins, [0, 1], 2.0**40, 1.5),
    (forty_coins_as_run, [0, 1], 2.0**40, 1.5),
    (shuffled_as_run, [0, 1], 479_001_600, 1.5),
    (a_long_sampler, [0, 1], 2.0**20, 1.5),
    (loops_without_an_end, [0, 1], 1e5, 1e12),
]


def explore(one: Program, listed: Any, datasets: Any) -> None:
    one.explorer.prepare(listed)
    for dataset in datasets:
        one.explorer.exploration(dataset)


def made(function: Callable[..., Any], datasets: list[Any]) -> Program:
    as_run = function.__name__.endswith("as_run")
    return program(datasets=datasets, neighbours="all", budget=1, as_run=as_run)(function)


@pytest.mark.parametrize(("function", "datasets", "truth", "factor"), LONG)
def test_an_estimate_comes_soon(
    function: Any, datasets: Any, truth: float, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def show(message: Any, *where: Any, **more: Any) -> None:
        said.append(str(message))
        raise Interrupted

    one = made(function, datasets)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("always", ManyPathsWarning)
        monkeypatch.setattr(warnings, "showwarning", show)
        with pytest.raises(Interrupted):
            explore(one, datasets, datasets[:1])
    assert time.process_time() - started < SOON
    (text,) = said
    assert text.startswith(function.__name__)
    assert "Ctrl-C ends it" in text
    about = float(text.partition(" has about ")[2].split()[0]) if " has about " in text else truth
    assert truth / factor < about < truth * factor


def test_running_paths_again_at_many_datasets_says_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Few paths serve many datasets, of which each has its turn."""
    monkeypatch.setattr("dpaudit.programs.exploring.estimates._LONG", 0.2)
    monkeypatch.setattr("dpaudit.programs.exploring.estimates._FIRST_SECONDS", 0.1)
    datasets = [(i, j, k) for i in range(15) for j in range(15) for k in range(15)]
    one = made(noisy_max_that_only_calculates, datasets)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ManyPathsWarning)
        with pytest.raises(ManyPathsWarning, match=r"3\.4e\+03 paths run again"):
            explore(one, datasets, [])
    assert time.process_time() - started < SOON


def test_a_short_exploration_says_nothing(recwarn: pytest.WarningsRecorder) -> None:
    one = made(lambda x, random: sum(random.bernoulli("1/2") for _ in range(11)), [0, 1])
    assert one.paths(0) == 2048
    assert not [w for w in recwarn if issubclass(w.category, ManyPathsWarning)]


def test_many_short_explorations_say_how_long_they_take_together() -> None:
    def counts(x: Any, random: Any) -> Any:
        found = sum(random.bernoulli("1/2") for _ in range(8))
        return found if isinstance(x, int) else None  # so each dataset is explored alone

    one = made(counts, list(range(2000)))
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ManyPathsWarning)
        with pytest.raises(ManyPathsWarning, match=r"2000 datasets"):
            explore(one, range(2000), range(2000))
    assert time.process_time() - started < SOON


def test_a_series_of_long_explorations_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpaudit.programs.exploring.estimates._LONG", 0.01)

    def many(x: Any, random: Any) -> Any:
        found = sum(random.bernoulli("1/2") for _ in range(10))
        return found if isinstance(x, int) else None  # so each dataset is explored alone

    one = made(many, list(range(6)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explore(one, range(6), range(6))
    assert one.paths(0) >= LOOKED_AHEAD
    assert sum(issubclass(w.category, ManyPathsWarning) for w in caught) == 1


# What is shown


def steps_of(function: Any, datasets: Any) -> Iterator[progress.Step | None]:
    seen: list[progress.Step | None] = []

    def show(step: progress.Step | None) -> float:
        seen.append(step)
        return 0.0

    one = made(function, datasets)
    with progress.shown_by(show):
        one.explorer.prepare(datasets)
        one.explorer.masses(datasets[0])
    return iter(seen)


def five_coins(x: Any, random: Any) -> Any:
    return sum(random.bernoulli("1/2") for _ in range(5))


def five_coins_as_run(x: Any) -> Any:
    return sum(python_random.random() < 0.5 for _ in range(5))


def best_of_five(x: Any, random: Any) -> Any:
    noisy = [random.laplace(1) for _ in range(5)]
    return max(range(5), key=noisy.__getitem__)


@pytest.mark.parametrize(
    ("function", "stages"),
    [
        (five_coins, ["paths", "paths run again", "paths run again with plain numbers"]),
        (five_coins_as_run, ["paths"]),
        (best_of_five, ["paths", "paths run again", "paths joined"]),
    ],
)
def test_every_stage_tells_how_far_it_is(function: Any, stages: list[str]) -> None:
    seen = list(steps_of(function, [0, 1]))
    assert seen[-1] is None  # it is over
    told = {step.what.partition(" of ")[0] for step in seen if step is not None}
    assert {*stages, "output probabilities"} <= told
    for step in seen:
        if step is not None:
            assert function.__name__ in step.what
            assert step.expected is None or step.done <= step.expected


def test_lines_come_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr("dpaudit.progress.monotonic", lambda: now[0])
    monkeypatch.setattr("dpaudit.cli.bars.monotonic", lambda: now[0])
    with progress_on_stderr():
        for done in range(1, 101):
            now[0] += 1
            progress.step(done, 100, "paths of count at 3")
    first, second, third = shown.getvalue().splitlines()
    assert first == "dpaudit: 30 of about 100 paths of count at 3"
    assert second == "dpaudit: 60 of about 100 paths of count at 3, about 40 s left"
    assert third.startswith("dpaudit: 90 of about 100")


def test_showing_progress_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What shows progress may ask for the time, and draw, while a program is explored."""

    def show(step: progress.Step | None) -> float:
        time.time()
        assert sys.getprofile() is None
        return 0.0

    one = made(five_coins, [0, 1])
    with progress.shown_by(show):
        assert one.paths(0) == 32


FILE = """
from fractions import Fraction
from tests.programs import test_estimates as long
from dpaudit import program
one = program(datasets={datasets!r}, neighbours="all", budget=1, as_run={as_run}, name="long")(
    long.{name}
)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")
@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("place", [0, 1, 3, 4, 5, 6])
def test_ctrl_c_ends_it_on_a_terminal_and_elsewhere(
    place: int, terminal: bool, tmp_path: Path
) -> None:
    function, datasets, _, _ = LONG[place]
    text = FILE.format(
        datasets=datasets, as_run=function.__name__.endswith("as_run"), name=function.__name__
    )
    (tmp_path / "long.py").write_text(text)
    ours, theirs = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "dpaudit", "check", "long.py:one", "--no-plot"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    told = b""
    asked = 0.0
    end = time.monotonic() + 300
    try:
        while time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    more = os.read(ours, 1 << 16)
                except OSError:  # as a terminal ends
                    break
                if not more:
                    break
                told += more
            if not asked and b"Ctrl-C ends it" in told and (not terminal or b" of about " in told):
                asked = time.monotonic()
                os.killpg(process.pid, signal.SIGINT)
        code = process.wait(30)
    finally:
        process.kill()
        os.close(ours)
    assert asked, told
    assert (code, b"interrupted" in told) == (130, True), told
    assert (b"\x1b[K" in told) == terminal


def test_time_between_two_explorations_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    series = Series()
    monkeypatch.setattr("dpaudit.programs.exploring.estimates.process_time", lambda: 1e6)
    for left in range(8, -1, -1):
        series.step("body", left, 0.01)  # a notice would be an error here
    with pytest.warns(ManyPathsWarning, match="about"):
        Series().step("body", 8, 60.0)
