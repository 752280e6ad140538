"""Laws of programs are held to the unchanged code on real numbers, over known raw streams."""

import json
import os
import random
import secrets
import uuid
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dpaudit import program
from dpaudit.cli.main import main
from dpaudit.errors import LawError, LoadError, ParameterError
from dpaudit.programs.as_run import explored, supply
from dpaudit.programs.program import Program
from dpaudit.programs.real import as_run as real_as_run
from dpaudit.programs.real.constants import constants_of
from dpaudit.programs.real.counted import MISSED, RealRuns, fewest, unseen_mass
from dpaudit.programs.real.effort import Effort
from dpaudit.programs.real.installed import RawStreams, raw_streams
from dpaudit.programs.real.points import clipped, random_value
from dpaudit.programs.real.tree import Leaf
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED
from tests.programs import streams


def as_run(function: Callable[..., Any], **given: Any) -> Program:
    return program(datasets=[0, 1], neighbours="all", budget=1, as_run=True, **given)(function)


def real_runs(one: Program, dataset: Any = 0) -> RealRuns:
    one.laws().law(dataset)
    return one.explorer.explored[dataset].real


def reason(one: Program, dataset: Any = 1) -> str:
    with pytest.raises(LawError) as refused:
        one.laws().law(dataset)
    assert "\n" not in str(refused.value)
    return str(refused.value)


# What is drawn


def of_python(call: streams.Call) -> Callable[[Any], Any]:
    return lambda data: call(random, random_of_arguments())


def of_old(call: streams.Call) -> Callable[[Any], Any]:
    return lambda data: call(np.random, random_of_arguments())


def of_new(call: streams.Call) -> Callable[[Any], Any]:
    return lambda data: call(np.random.default_rng(), random_of_arguments())


class Arguments:
    """Gives arguments that are the same at every run, and small."""

    def randrange(self, low: int, high: int | None = None) -> int:
        return min(low, 2) if high is None else low + min(high - low - 1, 2)

    def random(self) -> float:
        return 0.3125

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * 0.375

    def choice(self, items: Any) -> Any:
        return items[0]


def random_of_arguments() -> Any:
    return Arguments()


CALLS = {
    **{f"random, {name}": of_python(call) for name, call in streams.PYTHON.items()},
    **{f"np.random, {name}": of_old(call) for name, call in streams.OLD.items()},
    **{f"default_rng, {name}": of_new(call) for name, call in streams.NEW.items()},
}


REFUSED = {"random, randbytes", "np.random, bytes", "default_rng, choice, without, tail"}
"""What exploring refuses: too many values for one number, or too many numbers."""


@pytest.mark.parametrize("name", sorted(set(CALLS) - REFUSED))
def test_chosen_words_make_every_call_of_a_library_take_the_path_that_was_chosen(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both directions of the words are the library's, or the real call would take another path."""
    hits: list[bool] = []

    def held(call: Any, plain: Any, leaves: list[Leaf], *more: Any, **named: Any) -> RealRuns:
        one = real_as_run._Held(call, plain, leaves)
        with raw_streams(one.streams):
            for leaf in random.Random(3).sample(leaves, min(len(leaves), 40)):
                supports = [clipped(part) for part in leaf.run.supports]
                point = [random_value(part, one.junk) for part in supports]
                hits.append(one.run(leaf.asked, real_as_run._values(leaf, point)) is leaf)
            hits.extend(one.run() is not None for _ in range(200))
        return RealRuns(200)

    monkeypatch.setattr(explored, "hold_to_real_runs", held)
    call = CALLS[name]

    def body(data: Any) -> Any:
        found = call(data)
        if isinstance(found, np.ndarray):
            found = list(found.ravel())
        listed = found if isinstance(found, list) else [found]
        return [one if isinstance(one, (str, bytes)) else bool(one < 0.5) for one in listed[:2]]

    as_run(body).laws().law(0)
    assert len(hits) > 200
    assert all(hits)


def test_every_generator_that_a_run_makes_has_a_stream_of_its_own() -> None:
    def body(data: int) -> Any:
        mine, old, new = random.Random(), np.random.RandomState(), np.random.default_rng()
        over = np.random.Generator(np.random.MT19937())
        return (
            *(mine.random() < 0.5, old.randint(3), new.integers(5), over.random() < 0.1),
            *(random.getrandbits(3), bool(np.random.rand() < 0.1), secrets.randbelow(3)),
        )

    assert real_runs(as_run(body, real_runs=300)).runs == 300


def test_chosen_words_beyond_a_state_of_the_twister_are_read_as_they_were_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hits: list[bool] = []

    def held(call: Any, plain: Any, leaves: list[Leaf], *more: Any, **named: Any) -> RealRuns:
        one = real_as_run._Held(call, plain, leaves)
        with raw_streams(one.streams):
            for leaf in [*leaves, *reversed(leaves)]:
                supports = [clipped(part) for part in leaf.run.supports]
                point = [random_value(part, one.junk) for part in supports]
                hits.append(one.run(leaf.asked, real_as_run._values(leaf, point)) is leaf)
        return RealRuns(1)

    monkeypatch.setattr(explored, "hold_to_real_runs", held)
    mine = random.Random

    def body(data: Any) -> Any:
        other = mine()
        drawn = [(random.random(), other.getrandbits(70)) for _ in range(700)]
        return [drawn[place][0] < 1e-9 for place in (0, 350, 699)], drawn[699][1] < 2**20

    as_run(body).laws().law(0)
    assert hits == [True] * 32


def test_streams_longer_than_a_state_of_the_twister_are_followed() -> None:
    one = as_run(lambda data: [random.random() for _ in range(700)][-1] < 0.25, real_runs=50)
    assert real_runs(one).runs == 50


def test_real_runs_leave_everything_as_it_was() -> None:
    np.random.standard_normal()  # which keeps half of a pair
    before = random.getstate(), np.random.get_state(legacy=False), os.urandom
    module: Any = np.random
    kinds = np.random.PCG64, random.Random.seed, module.get_bit_generator()
    held = RawStreams(1)

    def use() -> None:
        with raw_streams(held):
            held.begin()
            print(random.random(), np.random.random(), os.urandom(3), random.Random().random())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        use()
    after = random.getstate(), np.random.get_state(legacy=False), os.urandom
    assert repr(before) == repr(after)
    assert kinds == (np.random.PCG64, random.Random.seed, module.get_bit_generator())


def test_everything_between_raw_words_and_code_is_real() -> None:
    held = RawStreams(1)
    with raw_streams(held):
        held.begin()
        generator = np.random.default_rng()
        assert type(generator) is np.random.Generator
        assert isinstance(generator.bit_generator, np.random.PCG64)
        assert type(np.random.RandomState()) is np.random.RandomState
        assert type(generator.random()) is float
        assert type(generator.integers(3)) is np.int64
        assert uuid.uuid4().version == 4
        with pytest.raises(ValueError, match="high"):
            np.random.randint(3, 2)
        with pytest.raises(TypeError):
            generator.random("3")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="negative"):
            os.urandom(-1)
        assert np.random.default_rng(5).random() == np.random.default_rng(5).random()


def test_an_interrupt_inside_of_numpy_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any, bits: int) -> int:
        raise KeyboardInterrupt

    one = as_run(lambda data: bool(np.random.random() < 0.5))
    monkeypatch.setattr("dpaudit.programs.real.streams.TypedStream.word", interrupted)
    with pytest.raises(KeyboardInterrupt):
        one.laws().law(0)


@pytest.mark.parametrize("population", [1, 4, [3], [3, 5, 8]])
def test_a_sample_of_nothing_draws_what_its_library_draws(population: Any) -> None:
    def old(data: int) -> int:
        assert len(np.random.choice(population, size=0, replace=False)) == 0
        return data + int(np.random.randint(0, 3))

    def new(data: int) -> int:
        generator = np.random.default_rng()
        assert len(generator.choice(population, size=0, replace=False)) == 0
        return data + int(generator.integers(3))

    for function in (old, new):
        law = as_run(function).law(1)
        assert {output: p.as_fraction() for output, p in law.items()} == {
            value: Fraction(1, 3) for value in (1, 2, 3)
        }


@pytest.mark.parametrize(("low", "high"), [(0, 3.7), (0.9, 3.0), (np.float64(0), np.float32(3.5))])
def test_whole_numbers_between_floats_are_drawn_as_numpy_draws_them(low: Any, high: Any) -> None:
    for draw in (
        lambda *ends: np.random.randint(*ends),  # noqa: PLW0108 (a stand-in is looked up at each run)
        lambda *ends: np.random.default_rng().integers(*ends),
    ):
        law = as_run(lambda data, draw=draw: data + int(draw(low, high))).law(1)
        assert {output: p.as_fraction() for output, p in law.items()} == {
            value: Fraction(1, 3) for value in (1, 2, 3)
        }


# What is told apart

VIP = np.array([17, 23, 42])


def in_an_array(data: int) -> int:
    return data if random.randrange(100) in VIP else -1


def any_equal(data: int) -> int:
    return data if np.any(np.random.default_rng().integers(1000) == VIP) else -1


def identical(data: int) -> int:
    draw = random.randrange(100)
    return data if draw is VIP_NUMBER else -1


VIP_NUMBER = 7


def bound_slot(data: int) -> int:
    return data if (0.5).__lt__(random.random()) is True else -1


def after_two_to_the_53(data: int) -> int:
    return data if np.random.default_rng().integers(0, 2**60) == 2.0**53 else -1


@pytest.mark.parametrize(
    "body", [in_an_array, any_equal, identical, bound_slot, after_two_to_the_53]
)
def test_code_that_is_answered_for_an_unknown_number_is_refused(body: Any) -> None:
    with FAILS_CLOSED.off():  # so that the unknown numbers answer as they once did
        assert "a real run with the draws (" in reason(as_run(body))


def test_a_disagreement_names_the_draws_and_both_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    real = supply.Exploring.unit
    monkeypatch.setattr(
        supply.Exploring, "unit", lambda self, *given, **named: real(self, *given, **named) * 0.75
    )
    one = as_run(lambda data: random.random() < 0.5)
    found = reason(one)
    assert "a real run with the draws (0." in found
    assert "True" in found
    assert "False" in found


def test_code_that_draws_more_than_was_derived_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = supply.Exploring.bits
    monkeypatch.setattr(supply.Exploring, "bits", lambda self, k: real(self, min(k, 31)))
    assert "draws differently" in reason(as_run(lambda data: random.getrandbits(40) < 5))


def test_every_outcome_of_few_draws_is_run() -> None:
    found = real_runs(as_run(lambda data: (data, random.randrange(100), secrets.randbelow(60))))
    assert found.exhaustive
    assert found.chosen >= 6000
    assert not real_runs(as_run(lambda data: random.random() < 0.5)).exhaustive
    assert not real_runs(as_run(lambda data: random.getrandbits(17) < 5)).exhaustive


def rare(data: int, random: Any) -> int:
    """Tells a real number from an unknown one where that is as improbable as is said."""
    draw = random.laplace(1)
    return data if (6.2).__lt__(draw) is True else -1  # e^(−6.2)/2 = 0.00101


def test_an_ideal_program_is_held_to_floats() -> None:
    one = program(datasets=[0, 1], neighbours="all", budget=1, real_runs=20_724)(rare)
    with FAILS_CLOSED.off():
        assert "a real run with the draws (" in reason(one)


def test_floats_next_to_a_boundary_are_told_from_a_disagreement() -> None:
    @program(datasets=[0, 1], neighbours="all", budget=2, real_runs=3000)
    def thin(data: int, random: Any) -> bool:
        u = random.uniform(0, 1)
        return bool((u + 10**9) - 10**9 < 1e-7 + data / 10**9)

    assert real_runs(thin).runs == 3000


def test_few_values_of_a_count_without_an_end_are_all_tried() -> None:
    one = program(datasets=[0, 1], neighbours="all", budget=2, real_runs=64)(
        lambda data, random: bool(random.geometric("1/2") > 3)
    )
    assert real_runs(one).chosen >= 30  # 2⁻³⁰ is below 10⁻⁹


def test_a_sub_sampler_is_held_to_real_runs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpaudit.programs.exploring.explorer.tells_apart", lambda *given: False)

    def sampler(source: Any) -> bool:
        return (2).__le__(source.geometric("1/2")) is True  # NotImplemented of an unknown

    @program(datasets=[0, 1], neighbours="all", budget=2)
    def body(data: int, random: Any) -> int:
        return data if random.sub(sampler) else -1

    with FAILS_CLOSED.off():
        assert "a real run with the draws (" in reason(body)


# What is said of it


def test_the_unseen_mass_is_rounded_up() -> None:
    for runs in (1, 10, 64, 1000, 20_724, 10**6, 10**9):
        mass = float(unseen_mass(runs))
        assert (1 - mass) ** runs <= MISSED * (1 + 1e-6)
        assert runs < 10 or (1 - 0.85 * mass) ** runs > MISSED
    assert unseen_mass(0) == "1"


def test_what_holds_of_all_datasets() -> None:
    assert fewest([]) == RealRuns(0)
    assert fewest([RealRuns(5, 3, True), RealRuns(7, 9)]) == RealRuns(7, 3)
    assert fewest([RealRuns(5, 3, True), RealRuns(7, 9, True)]) == RealRuns(5, 3, True)


def test_the_number_of_runs_does_not_hang_on_the_clock_of_a_fast_audit() -> None:
    assert [Effort(datasets=count).wanted for count in (1, 2, 5, 10**6)] == [8192, 4096, 1024, 64]
    assert len(list(Effort(runs=10, seconds=0).times())) == 10


def test_constants_are_found_wherever_code_meets_them() -> None:
    table: dict[Any, Any] = {"a": [3, (4, {5})]}
    array = np.array([[6, 7]])

    class Holder:
        kept = 8

        def __init__(self) -> None:
            self.more = 9.5

    holder = Holder()

    def body(data: int, default: int = 10) -> Any:
        def inner(x: int) -> bool:
            return x == 11

        return data in table or data in array or inner(data) or holder.more == default

    assert set(constants_of(body)) >= {3, 4, 5, 6, 7, 8, 9.5, 10, 11}


SERVICE = """
import random

def answer(smokes):
    return smokes if random.random() < 0.75 else 1 - smokes

def small(smokes):
    return smokes if random.randrange(4) < 3 else 1 - smokes
"""


def check(folder: Path, name: str, *more: str) -> Any:
    (folder / "service.py").write_text(SERVICE)
    line = ["check", "--call", f"{folder / 'service.py'}:{name}", "--inputs", "0,1"]
    line += ["--budget", "ln(3)", "--no-plot", *more]
    return CliRunner().invoke(main, line, catch_exceptions=False)


def test_reports_say_how_many_real_runs_a_law_was_held_to(tmp_path: Path) -> None:
    found = check(tmp_path, "answer", "--real-runs", "1000")
    assert "checked with 1,000 real runs a dataset: an error in more than 2.1 %" in found.stdout
    told = json.loads(check(tmp_path, "answer", "--real-runs", "1000", "--format", "json").stdout)
    assert (told["real_runs"], told["unseen_mass"]) == (1000, "0.021")
    assert "checked with real runs of every outcome" in check(tmp_path, "small").stdout
    told = json.loads(check(tmp_path, "small", "--format", "json").stdout)
    assert told["unseen_mass"] == "0"


def test_no_real_runs_certify_nothing(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="real_runs = 0: must be a whole number, at least 1"):
        check(tmp_path, "answer", "--real-runs", "0")
    with pytest.raises(ParameterError, match="because nothing is certified without real runs"):
        as_run(lambda data: data, real_runs=0)
