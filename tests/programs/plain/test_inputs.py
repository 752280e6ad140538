"""Inputs that a function of the same file lists, and calls with arrays made of what is listed."""

import json
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

SERVICE = """
import numpy as np

def cases():
    yield np.array([0, 1])
    yield np.array([1, 1])

def twice():
    return [1, 1]

def failing():
    raise KeyError("x")

def total(values):
    return float(values.sum()) + np.random.laplace(0, 1)
"""


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "service.py"
    path.write_text(SERVICE)
    return path


def check(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = invoke(["check", *words, "--budget", "1", "--format", "json", "--no-plot"])
    found = capfd.readouterr()
    return int(code), found.out, found.err


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize(
    "words",
    [
        ("service.py:total", "--inputs", "cases()"),
        ("service.py:total(np.array(_))", "--inputs", "[0, 1], [1, 1]"),
        ("service.py:total(np.array(_, dtype='float32'))", "--inputs", "[0, 1], [1, 1]"),
    ],
)
def test_arrays_come_from_a_function_or_from_the_call(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, out, _ = check(capfd, *words)
    assert code == 0
    (size,) = json.loads(out)["results"]
    assert size["epsilon"]["exact"] == "1"


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("service.py:total", "--inputs", "failing()"), "it raised KeyError: 'x'"),
        (("service.py:total", "--inputs", "twice()"), "must list different inputs"),
        (("service.py:total", "--inputs", "none()"), "has no function none"),
        (("service.py:total", "--inputs", "[0, 1], [1, 1]"), "it is called with a list"),
        (("service.py:total(np.array([_]))", "--inputs", "0, 1"), "allowed are names"),
        (("service.py:total(np.__loader__(_))", "--inputs", "0, 1"), "allowed are names"),
    ],
)
def test_what_is_wrong_is_one_line(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    code, out, err = check(capfd, *words)
    assert (code, out) == (2, "")
    first, *further = err.splitlines()
    assert said in first
    assert bool(further) == (said == "it is called with a list")
    assert not further or "'service.py:total(np.array(_))'" in further[1]


def test_a_gate_takes_them_too(service: Path, capfd: pytest.CaptureFixture[str]) -> None:
    entry = '[[mechanism]]\nmechanism = "service.py:total"\ninputs = "cases()"\nbudget = "1"\n'
    (service.parent / "gate.toml").write_text(f'{entry}accepts = ["ideal"]\n')
    assert invoke(["gate", "--config", "gate.toml", "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["verdict"] == "within"


COIN = """
import random


def answer(value):
    return value if random.random() < 0.75 else 1 - value
"""


@pytest.mark.parametrize("only", ["as run", "as-run"])
def test_a_reading_is_named_as_reports_write_it(
    only: str, capfd: pytest.CaptureFixture[str], service: Path
) -> None:
    """The gate's ``accepts`` and reports write "as run"; the option takes this too."""
    (service.parent / "rr.py").write_text(COIN)
    command = ["check", "rr.py:answer", "--inputs", "0,1", "--budget", "ln(3)", "--no-plot"]
    assert invoke([*command, "--only", only]) == 0
    assert "\nwithin: ε = ln(3)" in capfd.readouterr().out
    assert invoke([*command, "--only", "as runs"]) == 2
    assert "'as runs' is not one of 'as-run', 'ideal', 'drawn'" in capfd.readouterr().err


def test_the_first_line_says_that_a_formula_was_judged(
    capfd: pytest.CaptureFixture[str], service: Path
) -> None:
    """Who reads the verdict alone must not take the formula for the floats of the code."""
    (service.parent / "rr.py").write_text(COIN)
    command = ["check", "rr.py:answer", "--inputs", "0,1", "--budget", "ln(3)", "--no-plot"]
    assert invoke([*command, "--only", "ideal"]) == 0
    said = capfd.readouterr().out
    assert "\nwithin in the ideal reading: ε = ln(3)" in said
    assert "what rounding to floats gives away is not counted" in said
