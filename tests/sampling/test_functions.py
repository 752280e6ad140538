"""Plain functions that are drawn from: outputs of every kind, seeds, errors, and the gate."""

import json
import random
import time
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import LawError, LoadError, ParameterError
from dpaudit.gate.run import run_gate
from dpaudit.questions.check import drawn
from dpaudit.questions.check.drawn import prepared
from dpaudit.sampling.functions import function_sampler
from dpaudit.sampling.sampler import generator

MODULE = """\
import random

import numpy as np


def flip(bit):
    return bit ^ (random.random() < 0.25)


def gauss(n):
    return np.random.normal(n) * random.gauss(0, 1) > 2


def shifted(n):
    return n + random.gauss(0, 1) * random.gauss(0, 1) > 1


def failing(n):
    if random.random() < 0.3 * n:
        raise ValueError("out of range")
    return "fine"


def length(rows):
    return len(rows) + random.random()


def two(left, right):
    return left


done = 3


def table(rows):
    rows.append(0)  # its own
    parts = [np.float64(random.random() < 0.5)]
    return {"count": len(rows) + (random.random() < 0.5), "parts": parts}
"""


def flip(bit: int) -> int:
    return bit ^ (random.random() < 0.25)


def test_draws_are_repeated_by_the_seed_and_shared_generators_have_their_state_back() -> None:
    made = function_sampler(lambda n: (random.random(), np.random.random(), n), inputs=[0, 1])
    random.seed(5)
    np.random.seed(5)
    state = random.getstate(), np.random.get_state(legacy=False)
    drawn = [made.draw(1, 3, generator(seed, 0)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 3
    assert random.getstate() == state[0]
    assert str(np.random.get_state(legacy=False)) == str(state[1])


def test_a_function_is_sampled_in_python() -> None:
    found = dpaudit.sample(flip, inputs=[0, 1], budget=1, draws=20_000, error="1e-6")
    assert found.verdict == "exceeds"
    kept = dpaudit.sample(flip, inputs=[0, 1], budget="ln(3)", draws=20_000, error="1e-6")
    assert kept.verdict == "not refuted"
    with pytest.raises(ParameterError, match="which inputs are neighbours"):
        dpaudit.sample(flip, inputs=[0, 1, 2], draws=2000)
    with pytest.raises(ParameterError, match="did you mean inputs"):
        dpaudit.sample(flip, inputs=[0, 1], input=3)


@pytest.mark.parametrize(
    ("name", "inputs", "budget", "code"),
    [
        ("flip", "0,1", "1", 1),
        ("flip", "0,1", "ln(3)", 0),
        ("gauss", "0,3", "1/10", 1),
        ("failing", "0,1", "1", 1),
        ("table", "[1],[1,2]", "1", 1),
        ("flip(_)", "0,1", "1", 1),
    ],
)
def test_a_function_of_a_file_is_sampled(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    *,
    name: str,
    inputs: str,
    budget: str,
    code: int,
) -> None:
    (tmp_path / "service.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    asked = ["--inputs", inputs, "--budget", budget, "--draws", "20000", "--error", "1e-6"]
    assert invoke(["sample", f"service.py:{name}", *asked, "--no-plot"]) == code
    told = capfd.readouterr()
    assert told.err == ""
    if name == "failing":
        assert "raises ValueError" in told.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["service.py:flip", "--neighbours", "all"], "--neighbours needs --inputs too"),
        (["service.py:flop", "--inputs", "0,1"], "service.py has no flop"),
        (["service.py:two", "--inputs", "0,1"], "every run raises TypeError"),
        (["service.py:two", "--inputs", "0,1"], "two(_, right=VALUE)"),
        (["service.py:length", "--inputs", "0,1"], "it was called with 0, a number"),
        (["service.py:done", "--inputs", "0,1"], "every run raises TypeError"),
        (["service.py:flip", "--inputs", "0..3"], "which inputs are neighbours"),
        (["service.py:flip", "--inputs", "0,0"], "must be different"),
        (["service.py:flip", "--inputs", "0,1", "--command", "x {data}"], "replaces the"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    (tmp_path / "service.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    assert invoke(["sample", *words, "--draws", "2000"]) == 2
    told = capfd.readouterr().err
    first, *further = told.splitlines()
    assert message in first
    assert all(line.startswith("    dpaudit sample ") for line in further[1::2])


def test_the_refusal_of_a_law_names_the_draws() -> None:
    def product(n: int) -> Any:
        return n + random.gauss(0, 1) * random.gauss(0, 1) > 0

    with pytest.raises((LawError, LoadError), match="dpaudit sample can test it by sampling"):
        dpaudit.curve(product, inputs=[0, 1], at_eps=[1])


@pytest.mark.parametrize(
    ("name", "budget", "code", "verdict"),
    [("shifted", "1/2", 1, "exceeds"), ("shifted", "5", 3, "not refuted")],
)
def test_check_draws_where_no_reading_has_a_law(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    *,
    name: str,
    budget: str,
    code: int,
    verdict: str,
) -> None:
    (tmp_path / "service.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drawn, "_SECONDS", inf)  # on a busy machine fewer are made
    asked = ["check", f"service.py:{name}", "--inputs", "0,1", "--format", "json"]
    assert invoke([*asked, "--budget", budget]) == code
    told = capfd.readouterr()
    found = json.loads(told.out)
    assert (found["schema"].partition("/")[0], found["verdict"]) == ("dpaudit.sample", verdict)
    assert found["loaded"]["reference"] == f"draws of service.py:{name}"
    assert told.err.count("\n") == 1
    assert "cannot be derived; 100000 draws of each input" in told.err
    assert "product of two random draws" in found["no_law"]
    for refused in ([], ["--budget", budget, "--only", "ideal"]):
        assert invoke([*asked, *refused]) == 2
        assert capfd.readouterr().err.count("\n") == 1


def shifted(n: int) -> Any:
    return n + random.gauss(0, 1) * random.gauss(0, 1) > 1


@pytest.mark.parametrize(
    ("function", "asked", "verdict", "no_law"),
    [
        (shifted, {"budget": "1/2"}, "exceeds", "product of two random draws"),
        (shifted, {"budget": 5}, "not refuted", "product of two random draws"),
        (flip, {"budget": "1/2", "only": "drawn"}, "exceeds", ""),
        (flip, {"budget": "ln(3)", "only": "drawn"}, "not refuted", ""),
    ],
)
def test_check_in_python_draws_as_the_command_does(
    function: Any,
    asked: dict[str, Any],
    verdict: str,
    no_law: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawn, "_SECONDS", inf)
    found = dpaudit.check(function, inputs=iter([0, 1]), **asked)
    assert not isinstance(found, dpaudit.Check)
    assert found.verdict == verdict
    assert found.verdict.value in repr(found)
    assert found.report.draws == 100_000
    assert no_law in found.report.no_law
    assert bool(found.report.no_law) == bool(no_law) == ("sampled, because" in str(found))


def test_slow_functions_are_drawn_from_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """One delay makes no function slow."""

    clock = iter([0, 9, 10, 10.0035, 20, 20.0035, 30, 30.0035])
    told = SimpleNamespace(perf_counter=lambda: next(clock))
    monkeypatch.setattr("dpaudit.questions.check.drawn.time", told)
    _, settings = prepared(shifted, {"inputs": [0, 1]}, budget=1)
    assert settings.draws == 20_000


@pytest.mark.parametrize("only", ["drawn", None])
def test_a_named_function_is_drawn_from_in_python_too(tmp_path: Path, only: str | None) -> None:
    (tmp_path / "service.py").write_text(MODULE)
    asked: dict[str, Any] = {"only": only} if only else {}
    found = dpaudit.check(f"{tmp_path}/service.py:shifted", inputs="0,1", budget="1/2", **asked)
    assert found.verdict == "exceeds"
    law = dpaudit.check(f"{tmp_path}/service.py:flip", inputs="0,1", budget="ln(3)")
    assert law.verdict == "within"
    with pytest.raises(ParameterError, match="inputs must be a text"):
        dpaudit.check(f"{tmp_path}/service.py:flip", inputs=[0, 1], budget="ln(3)")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "give --budget"),
        ({"budget": 1, "only": "ideal"}, "product of two random draws"),
        ({"budget": 1, "at_delta": "1e-5"}, "dpaudit sample can test it by sampling"),
    ],
)
def test_check_in_python_draws_only_where_draws_answer(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(LawError, match=message):
        dpaudit.check(shifted, inputs=[0, 1], **asked)


@pytest.mark.parametrize(
    ("subject", "asked", "message"),
    [
        (
            flip,
            {"inputs": [0, 1], "budget": 1, "at_delta": "1e-5"},
            "--at-delta needs an exact output distribution",
        ),
        (
            flip,
            {"inputs": [0, 1], "budget": 1, "adjacency": "all"},
            "--adjacency needs an exact output distribution",
        ),
        ("EHDS", {"n": 10}, "needs a plain function with its inputs"),
        (dpaudit.mechanism("EHDS"), {"inputs": [0], "n": 10}, "needs a plain function"),
    ],
)
def test_only_drawn_in_python_takes_nothing_about_a_law(
    subject: Any, asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        dpaudit.check(subject, only="drawn", **asked)


def test_a_slow_function_is_drawn_from_less_often() -> None:
    def slow(n: int) -> bool:
        time.sleep(0.002)
        return random.random() < 0.25 * n

    _, settings = prepared(slow, {"inputs": [1, 2]}, budget=1)
    assert settings.draws in (5_000, 10_000)


@pytest.mark.parametrize(
    ("name", "budget", "code", "verdict"),
    [("flip", "ln(3)", 3, "not refuted"), ("flip", "1/2", 1, "exceeds")],
)
def test_only_drawn_tries_no_law(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    *,
    name: str,
    budget: str,
    code: int,
    verdict: str,
) -> None:
    """The function has a law, which would be ``within`` its budget."""
    (tmp_path / "service.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    asked = [f"service.py:{name}", "--inputs", "0,1", "--budget", budget, "--only", "drawn"]
    assert invoke(["check", *asked, "--format", "json"]) == code
    told = capfd.readouterr()
    found = json.loads(told.out)
    assert (found["schema"].partition("/")[0], found["verdict"]) == ("dpaudit.sample", verdict)
    assert told.err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["curve", "service.py:flip", "--inputs", "0,1", "--budget", "1"],
            "only = drawn gives no exact output distribution; use it",
        ),
        (["check", "EHDS", "--n", "10"], "needs a plain function with its inputs"),
        (
            ["check", "EHDS", "EHD", "--n", "10"],
            "--only drawn audits one function at a time; give one",
        ),
        (["check", "service.py:flip", "--inputs", "0,1"], "give --budget"),
    ],
)
def test_only_drawn_of_what_is_not_drawn_from_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    (tmp_path / "service.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    assert invoke([*words, "--only", "drawn"]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert message in told.err


def test_a_gate_draws_from_a_function(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text(MODULE)
    entry = '[[mechanism]]\nmechanism = "service.py:{name}"\ninputs = [0, 1]\nmeasure = "sample"\n'
    more = 'draws = 20000\nbudget = "{budget}"\nlabel = "{label}"\n'
    (tmp_path / "dpaudit.toml").write_text(
        (entry + more).format(name="flip", budget="ln(3)", label="kept")
        + (entry + more).format(name="failing", budget="1", label="leaking")
    )
    found = run_gate(tmp_path / "dpaudit.toml", jobs=2)
    kinds = {one.title: one.kind.value for one in found.mechanisms}
    assert kinds == {"kept": "not refuted", "leaking": "exceeds"}
    assert found.verdict == "exceeds"


def test_a_gates_figure_and_table_count_apart_what_was_only_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "service.py").write_text(MODULE)
    entry = '[[mechanism]]\nmechanism = "service.py:flip"\ninputs = [0, 1]\nbudget = "ln(3)"\n'
    (tmp_path / "dpaudit.toml").write_text(
        f'{entry}label = "a"\nonly = "ideal"\n{entry}label = "b"\nmeasure = "sample"\n'
        "draws = 20000\n"
    )
    monkeypatch.chdir(tmp_path)
    assert invoke(["gate", "--plot", "shares.svg", "--report", "html=gate.html"]) == 0
    assert "not refuted: 2 checked, 1 passed by draws alone" in capfd.readouterr().out
    caption = (tmp_path / "shares.caption.txt").read_text()
    counted = "not refuted: 1 of 2 certified, 1 passed by draws alone"
    assert counted in caption
    page = (tmp_path / "gate.html").read_text()
    assert counted in page
    assert page.count("✓ passes") == page.count("○ passes by draws") == 2
    assert "n = 1" not in page
    assert "records n" not in page


@pytest.mark.parametrize("words", [["check"], ["check", "--call"], ["sample"]])
def test_a_program_is_given_no_inputs(
    words: list[str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """It was run on them as a plain function, and every error of that was shown."""
    (tmp_path / "own.py").write_text(
        "from dpaudit import program\n\n\n"
        "@program(datasets=[0, 1], neighbours='all', budget=1)\n"
        "def flip(x, random):\n    return random.bernoulli('1/4') ^ bool(x)\n"
    )
    assert invoke([*words, f"{tmp_path}/own.py:flip", "--inputs", "0,1"]) == 2
    captured = capfdbinary.readouterr()
    assert captured.out == b""
    assert captured.err.decode().endswith(
        "flip defines its own datasets; leave --inputs and --neighbours out\n"
    )
