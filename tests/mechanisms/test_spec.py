"""A mechanism by reference: what travels, what is refused, and what stays where it is."""

import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from dpaudit import check
from dpaudit.errors import (
    ClusterError,
    DomainError,
    DpauditError,
    LoadError,
    NumberSyntaxError,
    ParameterError,
    UnknownMechanismError,
)
from dpaudit.mechanisms.loading import find_mechanism, load, load_mechanism, spec_of
from dpaudit.mechanisms.references import reference
from dpaudit.mechanisms.registry import mechanism_classes
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism, own_mechanism
from dpaudit.notices import StaysHereWarning
from dpaudit.numbers.real import real

if TYPE_CHECKING:
    from dpaudit.mechanisms.spec import Spec

COIN = """
from fractions import Fraction

class Coin:
    budget, datasets, neighbours = "ln(3)", [0, 1], "all"

    def __init__(self, p: Fraction = Fraction(3, 4), fair: bool = False):
        self.p = Fraction(1, 2) if fair else p

    def law(self, bit):
        return {bit: self.p, 1 - bit: 1 - self.p}
"""


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    load.cache_clear()


@pytest.mark.parametrize("name", mechanism_classes())
def test_every_mechanism_of_the_package_is_the_same_elsewhere(name: str) -> None:
    made = mechanism_classes()[name].build({})
    spec: Spec = pickle.loads(pickle.dumps(spec_of(made)))
    assert (spec.reference, spec.sha256, spec.source) == (name, "", None)
    assert load(spec).values() == made.values()


@pytest.mark.parametrize(
    "given",
    [
        {"p": 0.75},
        {"p": "3/4"},
        {"p": Fraction(3, 4)},
        {"p": Decimal("0.75")},
        {"p": real("3/4")},
        {"p": 1},
        {"fair": True},
        {"fair": "yes"},
    ],
)
def test_parameters_travel_as_text_and_are_what_they_were(tmp_path: Path, given: Any) -> None:
    (tmp_path / "coin.py").write_text(COIN)
    made = load_mechanism("coin.py:Coin", given, tmp_path)
    spec: Spec = pickle.loads(pickle.dumps(spec_of(made)))
    assert all(isinstance(value, (str, bool)) for _, value in spec.parameters)
    again = load(spec)
    assert again.values() == made.values()
    assert check(again).to_json() == check(made).to_json()


def test_another_file_is_refused_wherever_it_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "coin.py"
    path.write_text(COIN)
    spec = reference("coin.py:Coin", {}, tmp_path)
    assert spec == spec_of(load_mechanism("coin.py:Coin", {}, tmp_path))
    path.write_text(COIN.replace("3, 4", "2, 3"))
    with pytest.raises(
        LoadError, match=r"coin\.py:Coin: its file has changed, or is a different one"
    ):
        load(spec)


def test_a_worker_refuses_a_file_that_was_changed_after_the_audit_began(tmp_path: Path) -> None:
    """It is one line from another process, too: an error used to break the pool it crossed."""
    (tmp_path / "coin.py").write_text(COIN)
    made = load_mechanism("coin.py:Coin", {}, tmp_path)
    (tmp_path / "coin.py").write_text(COIN + "\n")
    with pytest.raises(LoadError, match="has changed"):
        check(made, (1, 2), jobs=2)


def test_what_no_other_process_can_find_stays_here_and_says_so() -> None:
    """It ended in a traceback of pickle."""

    @finite_mechanism(budget=1, datasets=lambda n: [0, 1], neighbours="all")
    def local(x: int) -> dict[int, str]:
        return {x: "3/4", 1 - x: "1/4"}

    with pytest.warns(StaysHereWarning, match="local: a worker process cannot load it") as said:
        found = check(local, (1, 2), jobs=2)
    assert found.to_json() == check(local, (1, 2)).to_json()
    (text,) = {str(one.message) for one in said}
    assert "\n" not in text
    assert "name it as path.py:name" in text


def test_a_function_of_main_stays_in_its_process(tmp_path: Path) -> None:
    """As a script, and as a cell of a notebook, whose module has no file."""
    code = (
        "from dpaudit.mechanisms.user import finite_mechanism\n"
        "from dpaudit import check\n"
        "@finite_mechanism(budget=1, datasets=lambda n: [0, 1], neighbours='all')\n"
        "def coin(x): return {x: '3/4', 1 - x: '1/4'}\n"
        "if __name__ == '__main__':\n"
        "    print(check(coin, (1, 2), jobs=2).verdict)\n"
    )
    (tmp_path / "script.py").write_text(code)
    for command in (["script.py"], ["-c", code]):
        done = subprocess.run(
            [sys.executable, "-W", "always", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "Verdict.EXCEEDS" in done.stdout or "exceeds" in done.stdout
        assert done.stderr.count("StaysHereWarning: coin: a worker process") == 1
        assert "Traceback" not in done.stderr


class Stateful:
    budget: ClassVar[Any] = 1
    datasets: ClassVar[Any] = [0, 1]

    def __init__(self, p: str = "3/4") -> None:
        self.p = p

    def law(self, x: int) -> dict[int, Any]:
        return {x: self.p, 1 - x: 1 - Fraction(self.p)}


THIRD = own_mechanism(Stateful("2/3"))


def test_an_object_is_found_by_its_class_only_if_that_makes_the_same() -> None:
    assert spec_of(own_mechanism(Stateful())).reference == f"{__name__}:Stateful"
    assert spec_of(THIRD).reference == f"{__name__}:THIRD"
    with pytest.raises(LoadError, match="a worker process cannot load it"):
        spec_of(own_mechanism(Stateful("2/3")))
    with pytest.raises(LoadError, match="a worker process cannot load it"):
        spec_of(own_mechanism(Stateful(), "another name"))


def test_parameters_without_a_text_are_named_and_do_not_travel(tmp_path: Path) -> None:
    (tmp_path / "table.py").write_text(
        "from dpaudit.mechanisms.user import finite_mechanism as f\n"
        "def make(table):\n"
        "    return f(budget=1, datasets=[0, 1])(lambda x: table[x])\n"
    )
    table = {0: {0: 1}, 1: {0: 1}}
    made = load_mechanism("table.py:make", {"table": table}, tmp_path)
    assert isinstance(made, FiniteMechanism)
    assert made.spec is not None
    assert made.spec.untold == ("table",)
    with pytest.raises(LoadError, match="cannot be written as text: table"):
        load(made.spec)
    with pytest.raises(LoadError, match="a worker process cannot load it"):
        spec_of(made)


def test_a_gate_refers_to_a_file_without_running_it(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("raise SystemExit('it was run')\n")
    spec = reference("loud.py:Coin", {"p": 0.5}, tmp_path)
    assert len(spec.sha256) == 64
    assert spec.parameters == (("p", "0.5"),)
    with pytest.raises(LoadError, match="it was run"):
        find_mechanism(spec.reference, tmp_path)


ERRORS: list[DpauditError] = [
    NumberSyntaxError("x", "no", "eps"),
    DomainError("eps", 0, "must be more"),
    ParameterError("p", "no such"),
    UnknownMechanismError("x", ["y"]),
    LoadError("x.py:y", "gone"),
    ClusterError("tcp://x", "gone"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_travel_between_processes(error: DpauditError) -> None:
    """Those with two arguments could not be unpickled, which broke the pool."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))
