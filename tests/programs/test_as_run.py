"""Programs as they run: floats in integers over 2^53, calls of libraries, how reports say so."""

import json
import math
import platform
import random
import secrets
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dpaudit import program
from dpaudit.cli.main import invoke, main
from dpaudit.errors import LawError, ParameterError
from dpaudit.mechanisms.loading import load, spec_of
from dpaudit.programs.as_run import versions
from dpaudit.programs.callables import read_inputs
from dpaudit.programs.program import Program
from tests.programs import streams
from tests.untested import refusal


def as_run(function: Callable[..., Any], **given: Any) -> Program:
    return program(datasets=[0, 1], neighbours="all", budget=1, as_run=True, **given)(function)


def law(function: Callable[..., Any], dataset: int = 0) -> dict[Any, Fraction]:
    found = {}
    for output, mass in as_run(function).law(dataset).items():
        chance = mass.as_fraction()
        assert chance is not None
        found[output] = chance
    assert sum(found.values()) == 1
    return found


def reason(function: Callable[..., Any]) -> str:
    with pytest.raises(LawError) as refused:
        as_run(function).laws().law(0)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def over(count: int, power: int = 53) -> Fraction:
    return Fraction(count, 2**power)


def test_a_uniform_is_compared_in_integers() -> None:
    for p in (0.7, 0.1, 1 / 3, 0.5, 2.0**-53, 1 - 2.0**-53):
        below = math.ceil(Fraction(p) * 2**53)
        assert law(lambda bit, p=p: random.random() < p)[True] == over(below)
        at_most = math.floor(Fraction(p) * 2**53) + 1
        assert law(lambda bit, p=p: random.random() <= p)[True] == over(at_most)


@pytest.mark.parametrize(
    "made",
    [
        lambda u: 1 - u,
        lambda u: 3 * u - 1,
        lambda u: u / 3 + 0.1,
        lambda u: 1 / (u + 0.5),
        lambda u: (u - 0.5) * (u - 0.5),
        lambda u: (u + 1) * (2 * u + 0.1),
        lambda u: u / (1.0 - u + 0.01),
        lambda u: (2.0 - u) - u,
        lambda u: abs(u - 0.3),
        lambda u: math.log(u + 0.1),
        lambda u: math.exp(-u) - u,
        lambda u: math.sqrt(u) + 0.0,
        lambda u: u**3,
        lambda u: 2**u,
        lambda u: round(u, 3),
        lambda u: np.log(u + 0.1),
        lambda u: np.float64(2.5) * u,
        lambda u: -(u * np.array([0.5, 2.0]))[1],
    ],
)
def test_an_expression_splits_where_the_float_operations_do(made: Callable[[Any], Any]) -> None:
    number = float(made(0.37))
    found = law(lambda bit: bool(made(random.random()) < number))[True]

    def inside(k: int) -> bool:
        return bool(made(k * 2.0**-53) < number)

    # Both ends of every interval are looked for by bisection between sampled points.
    points = [k * (2**53 - 1) // 4000 for k in range(4001)]
    count = 0
    for low, high in pairwise(points):
        first, last = inside(low), inside(high)
        if first == last:
            count += (high - low) * first
            continue
        left, right = low, high
        while right - left > 1:
            middle = (left + right) // 2
            left, right = (middle, right) if inside(middle) == first else (left, middle)
        count += (left - low + 1) if first else (high - right)
    assert found == over(count + inside(2**53 - 1))


def test_whole_numbers_and_choices_have_the_law_of_their_raw_streams() -> None:
    assert set(law(lambda bit: random.randrange(3)).values()) == {Fraction(1, 3)}
    assert law(lambda bit: random.getrandbits(80) < 5) == {
        True: over(5, 80),
        False: 1 - over(5, 80),
    }
    assert set(law(lambda bit: tuple(random.sample(range(4), 2))).values()) == {Fraction(1, 12)}
    assert law(lambda bit: secrets.randbelow(5) == 0)[True] == Fraction(1, 5)
    assert law(lambda bit: np.random.choice(3, p=[0.1, 0.2, 0.7]))[0] == over(
        math.ceil(Fraction(0.1 / (0.1 + 0.2 + 0.7)) * 2**53)
    )
    assert law(lambda bit: np.random.binomial(1, 0.3))[1] == 1 - over(
        math.floor(Fraction(math.exp(math.log(1 - 0.3))) * 2**53) + 1
    )
    assert law(lambda bit: np.random.permutation(3)) == law(
        lambda bit: np.random.default_rng().permutation(3)
    )
    assert set(law(lambda bit: np.random.choice(5, 2, replace=False)).values()) == {Fraction(1, 20)}


def test_arrays_of_draws_follow_what_is_done_with_arrays() -> None:
    def flipped(bit: int) -> Any:
        clear = np.zeros(3)
        clear[bit] = 1
        return np.where(np.random.random(3) < np.where(clear == 1, 0.5, 0.25), 1, 0)

    found = law(flipped)
    assert found[1, 0, 0] == Fraction(1, 2) * Fraction(3, 4) ** 2
    assert law(lambda bit: (np.random.random((2, 2)) < 0.5).sum())[2] == Fraction(6, 16)


def test_the_grain_of_floats_is_a_class_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text(
        "import math, random\nfrom dpaudit import program\n"
        "def noise():\n    return math.floor(-2 * math.log(1 - random.random()))\n"
        "@program(datasets=[0, 1], neighbours='all', budget='1/2', as_run=True)\n"
        "def geometric(count):\n"
        "    sign = random.getrandbits(1)\n"
        "    return count + (noise() if sign else -1 - noise())\n"
        "@program(datasets=[0, 1], neighbours='all', budget='1/2', as_run=True)\n"
        "def wrong(count):\n    return count + noise()\n"
    )
    monkeypatch.chdir(tmp_path)
    document = checked("own.py:geometric")
    (size,) = document["results"]
    assert document["semantics"] == "as run"
    assert document["interposed"] == ["random.getrandbits", "random.random"]
    assert [name.partition(" ")[0] for name in document["monotone"]] == ["log"]
    assert (size["verdict"], size["excess"]) == ("exceeds", "granularity")
    assert size["epsilon"]["lower"] == "inf"
    assert 1e-17 < float(size["delta"]["lower"]) < 1e-14
    (size,) = checked("own.py:wrong")["results"]
    assert (size["verdict"], "excess" in size) == ("exceeds", False)
    text = CliRunner().invoke(main, ["check", "own.py:geometric", "--no-plot"]).output
    assert "granularity: the excess comes from the rounding of floats" in text
    assert "as run: random.getrandbits, random.random; assumed monotone: log (" in text


def test_functions_assumed_monotone_are_named_wherever_they_decide() -> None:
    compared = as_run(lambda bit: math.log(random.random() + 1) < 0.25)
    rounded = as_run(lambda bit: math.floor(8 * math.exp(random.random())))
    neither = as_run(lambda bit: math.sqrt(random.random()) < 0.25)
    found = [[n.split()[0] for n in one.derivation(1)["monotone"]] for one in (compared, rounded)]
    assert found == [["log"], ["exp"]]
    assert neither.derivation(1)["monotone"] == ()


def checked(*words: str) -> Any:
    found = CliRunner().invoke(main, ["check", *words, "--no-plot", "--format", "json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.output)


SAME = """
from dpaudit import program

@program(datasets=[0, 1], neighbours="all", budget="ln(7/3)")
def respond(bit, random, p=0.7):
    return bit ^ (random.random() >= p)
"""


def test_the_same_code_is_explored_ideally_and_as_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "same.py").write_text(SAME)
    monkeypatch.chdir(tmp_path)
    ideal = checked("same.py:respond")
    run = checked("same.py:respond", "--as-run")
    assert (ideal["semantics"], run["semantics"]) == ("ideal", "as run")
    assert ideal["results"][0]["epsilon"]["exact"] == "ln(7/3)"
    assert run["results"][0]["epsilon"]["exact"] == "ln(3152519739159347/1351079888211149)"
    assert run["mechanism"] == {"name": "respond", "p": "0.7", "as_run": "True"}


OWNED = """
import random

class Client:
    def __init__(self, p, keep=None):
        self.p, self.keep = p, keep

    def privatise(self, value):
        return value if random.random() < self.p else random.randrange(3)

def respond(p, value):
    return Client(p).privatise(value)
"""


def test_any_callable_is_named_by_its_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "owned.py").write_text(OWNED)
    monkeypatch.chdir(tmp_path)
    call = "owned.py:Client(0.5, keep=[1, 'a']).privatise"
    given = ("--inputs", "0..2", "--neighbours", "all", "--budget", "ln(4)")
    document = checked("--call", call, *given)
    assert document["results"][0]["epsilon"]["exact"] == "2*ln(2)"
    assert document["loaded"]["reference"] == f"call {call}"
    assert document["mechanism"]["inputs"] == "0..2"
    other = checked("--call", "owned.py:respond(0.5, _)", *given)
    assert other["results"] == document["results"]
    third = checked("--call", "owned.py:Client(0.5).privatise(_)", *given)
    assert third["results"] == document["results"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--call", "os:system('x')"], "--call needs its datasets: --inputs 0"),
        (["--call", "os:getcwd() + 1", "--inputs", "0..1"], "allowed are names"),
        (["--call", "os:getcwd(open('x'))", "--inputs", "0..1"], "allowed are names"),
        (["--call", "os:getcwd.__globals__", "--inputs", "0..1"], "allowed are names"),
        (["--call", "os:nothing", "--inputs", "0..1"], "os has no nothing"),
        (["--call", "os:getcwd", "--inputs", "1..0"], "inputs = 1..0"),
        (["--call", "os:getcwd", "--inputs", "0,0"], "must be different"),
        (["--call", "os:getcwd", "--inputs", "0..1", "RR"], "replaces the mechanism"),
        (["RR", "--neighbours", "all"], "neighbours"),
    ],
)
def test_a_call_that_is_none_is_refused(words: list[str], said: str) -> None:
    found = CliRunner().invoke(main, ["check", *words, "--budget", "1"])
    assert said in str(found.exception) + found.output


def test_inputs_are_read() -> None:
    assert read_inputs("2") == [2]
    assert read_inputs("'a', (1, 2)") == ["a", (1, 2)]
    with pytest.raises(ParameterError, match="different"):
        read_inputs("1,1")


def test_another_process_finds_the_same_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dpaudit.mechanisms.loading import load_mechanism

    (tmp_path / "owned.py").write_text(OWNED)
    one: Any = load_mechanism("call owned.py:respond(0.5, _)", {"inputs": "0..1"}, tmp_path)
    twin: Any = load(spec_of(one))
    assert dict(twin.law(1)) == dict(one.law(1))


def test_parameters_are_floats_where_their_defaults_are() -> None:
    one = as_run(lambda bit, p=0.5: isinstance(p, float) and random.random() < p)
    third = one.with_parameters(p="1/3").law(0)[True]
    assert third.as_fraction() == over(math.ceil(Fraction(1 / 3) * 2**53))
    with pytest.raises(
        ParameterError, match="draws from its own generators, so dpaudit cannot read"
    ):
        one.with_parameters(as_run="no")
    assert one.run(0) in (True, False)


def test_versions_that_were_not_tested_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(versions.TESTED, "Python", (platform.python_version().rpartition(".")[0],))
    monkeypatch.setitem(versions.TESTED, "NumPy", ("1.0", "1.1"))
    assert f"NumPy {np.__version__}: its random algorithms were not tested" in reason(
        lambda bit: random.random() < 0.5
    )
    assert "tested are NumPy 1.0 and 1.1" in reason(lambda bit: random.random() < 0.5)


@pytest.mark.untested
@pytest.mark.skipif(refusal() is None, reason="this Python was tested")
def test_a_python_that_was_not_tested_is_one_line_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "service.py").write_text(
        "import random\ndef answer(bit):\n    return bit ^ (random.random() < 0.25)\n"
    )
    monkeypatch.chdir(tmp_path)
    assert invoke(["check", "--call", "service.py:answer", "--inputs", "0,1", "--budget", "2"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert str(refusal()) in line


def twice(u: float) -> float:
    return u * u - u


NOT_FOLLOWED: dict[str, tuple[Callable[[int], Any], str]] = {
    "not monotone": (lambda bit: twice(random.random()) < -0.1, "come from the same draw"),
    "two added": (
        lambda bit: random.random() + random.random() < 1,
        "two random floats are combined",
    ),
    "two compared": (lambda bit: random.random() < random.random(), "random floats are compared"),
    "given out": (lambda bit: random.random(), "4096 values"),
    "gauss": (lambda bit: random.gauss(0, 1) > 0, "4096 values"),
    "normal": (lambda bit: np.random.normal() > 0, "cannot follow numpy.random.normal"),
    "new normal": (
        lambda bit: np.random.default_rng().normal() > 0,
        "cannot follow numpy.random.default_rng.normal",
    ),
    "btpe": (lambda bit: np.random.binomial(1000, 0.5), "above 30"),
    "float32": (lambda bit: np.random.default_rng().random(dtype=np.float32) < 0.5, "float64"),
    "seed": (lambda bit: random.seed(1), "random.seed"),
    "many bytes": (lambda bit: secrets.token_bytes(8), "more than one random byte"),
    "a remainder": (lambda bit: random.random() % 0.1 < 0.05, "a remainder"),
    "a large index": (lambda bit: 3 ** random.getrandbits(40), "possible values is used"),
    "numpy seeded": (lambda bit: np.random.default_rng(5).random() < 0.5, "with its own seed"),
}


@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_what_is_not_followed_as_run_is_refused_in_one_line(name: str) -> None:
    function, said = NOT_FOLLOWED[name]
    assert said in reason(function)


def test_half_a_normal_pair_that_was_drawn_before_is_no_draw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(random._inst, "gauss_next", 0.5)  # as random.gauss leaves it
    assert "4096 values" in reason(NOT_FOLLOWED["gauss"][0])
    assert vars(random._inst)["gauss_next"] == 0.5
    earlier = random.Random(1)
    earlier.gauss()
    assert "created before" in reason(lambda bit: earlier.gauss() > 0)


@pytest.mark.parametrize("library", streams.LIBRARIES)
def test_library_algorithms_agree_bit_for_bit(library: str) -> None:
    count = 3 if library.endswith("slow") else 60
    found = {name: streams.check(library, name, count) for name in streams.names(library)}
    assert not any(found.values()), found


def test_modules_are_as_before_after_an_exploration() -> None:
    functions = random.random, random.Random.random, np.random.choice, math.log, secrets.randbits
    as_run(lambda bit: random.random() < 0.5).law(0)
    reason(lambda bit: random.random())
    after = random.random, random.Random.random, np.random.choice, math.log, secrets.randbits
    assert after == functions
    assert isinstance(random.random(), float)
    assert 0 <= random.SystemRandom().random() < 1
