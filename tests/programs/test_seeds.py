"""Generators that were made before a run, from a seed that somebody chose or from none."""

import random
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpaudit.errors import LawError
from dpaudit.programs.guarding.seeds import has_chosen_seed
from dpaudit.programs.rungs import on_rung

CHOSEN = [
    0,
    1,
    42,
    -7,
    2**31,
    2**32 - 1,
    2**40 + 5,
    2**64 - 1,
    1.5,
    "a",
    "a text",
    b"sixteen letters!",
]
OF_NUMPY: list[Any] = [0, 42, 2**32 - 1, [7], [1, 2]]
DRAWN = [0, 1, 624, 3000, 9000]


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("seed", CHOSEN)
def test_a_chosen_seed_is_seen(seed: Any, drawn: int) -> None:
    generator = random.Random(seed)
    for _ in range(drawn):
        generator.getrandbits(32)
    assert has_chosen_seed(generator)


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("seed", OF_NUMPY)
def test_a_chosen_seed_of_numpy_is_seen(seed: Any, drawn: int) -> None:
    generator = np.random.RandomState(seed)
    generator.bytes(4 * drawn)
    assert has_chosen_seed(generator)


UNCHOSEN: dict[str, Callable[[], Any]] = {
    "Python's": random.Random,
    "NumPy's": np.random.RandomState,
    "of many random bits": lambda: random.Random(secrets.randbits(256)),
    "of a random text": lambda: random.Random(secrets.token_hex(32)),
    "of many words": lambda: np.random.RandomState([1, 2, 3]),
    "the system's": random.SystemRandom,
}


@pytest.mark.parametrize("drawn", [0, 1000])
@pytest.mark.parametrize("name", UNCHOSEN)
def test_no_chosen_seed_is_seen_where_there_is_none(name: str, drawn: int) -> None:
    generator = UNCHOSEN[name]()
    for _ in range(drawn):
        generator.random()
    assert not has_chosen_seed(generator)


class Own(random.Random):
    pass


def later(generator: Any) -> Any:
    generator.seed(3)
    return generator


SEEDED = [
    random.Random(42),
    random.Random("name"),
    Own(42),
    later(random.Random()),
    np.random.RandomState(42),
    later(np.random.RandomState()),
    np.random.default_rng(42),
    np.random.Generator(np.random.MT19937(42)),
]
UNSEEDED = [random.Random(), Own(), np.random.RandomState(), np.random.default_rng()]


def read(generator: Any) -> Any:
    holder = [generator]
    body = lambda x: x ^ bool(holder[0].random() < 0.25)  # noqa: E731
    one = on_rung(body, "ideal", datasets=[0, 1], neighbours="all", name="noisy")
    return {bool(output): str(mass) for output, mass in one.law(1).items()}


@pytest.mark.parametrize("place", range(len(SEEDED)))
def test_a_generator_with_a_chosen_seed_is_no_noise(place: int) -> None:
    with pytest.raises(LawError, match="fixed seed, so its draws can be predicted"):
        read(SEEDED[place])


@pytest.mark.parametrize("place", range(len(UNSEEDED)))
def test_a_generator_without_a_seed_is_noise(place: int) -> None:
    assert read(UNSEEDED[place]) == {True: "3/4", False: "1/4"}


@pytest.mark.parametrize("reading", ["as-run", "ideal"])
@pytest.mark.parametrize("module", ["random", "numpy.random"])
def test_a_module_that_its_file_seeds_is_no_noise(
    module: str, reading: str, tmp_path: Path
) -> None:
    def audited(first: str) -> str:
        file = tmp_path / "noisy.py"
        file.write_text(
            f"import {module}\n{first}\n\ndef noisy(x):\n"
            f"    return x ^ int({module}.random() < 0.25)\n"
        )
        command = f"check --call noisy.py:noisy --inputs 0,1 --neighbours all --only {reading}"
        words = [sys.executable, "-m", "dpaudit", *command.split(), "--budget", "2", "--no-plot"]
        result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        return result.stdout + result.stderr

    assert f"the generator of the module {module} has a fixed seed" in " ".join(
        audited(f"{module}.seed(0)").split()
    )
    assert "within" in audited("")
