"""Audits of programs that are stopped within a size, limits on paths, and what is said before."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check, program
from dpaudit.cli.main import invoke
from dpaudit.errors import LawError, ParameterError
from dpaudit.notices import ManyPathsWarning
from dpaudit.results.documents import seal_of

FILE = """
from fractions import Fraction
from dpaudit import program

STOP = {{}}

@program(datasets=range({datasets}), neighbours=lambda x, y: abs(x - y) == 1, budget={budget!r})
def count(true, random, eps=Fraction(1, 2), high={high}):
    if true == {stop} and not STOP:
        STOP[0] = True
        raise KeyboardInterrupt  # as if somebody had pressed Ctrl-C here
    return max(0, min(high, true + random.discrete_laplace(1 / eps)))
"""


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    def in_folder(*words: str) -> tuple[int, str, str]:
        code = invoke([*words])
        return int(code), *capfd.readouterr()

    monkeypatch.chdir(tmp_path)
    return in_folder


CHECK = ("check", "stops.py:count", "--format", "json", "--no-plot", "--jobs", "1")


def stopped(run: Run, *words: str, **given: Any) -> tuple[int, dict[str, Any], str]:
    given = {"datasets": 12, "stop": 6, "high": 4, "budget": "2*eps", **given}
    Path("stops.py").write_text(FILE.format(**given))
    code, _, err = run(*CHECK, *words, "--output", "found.json")
    return code, json.loads(Path("found.json").read_text()), err


@pytest.mark.parametrize("datasets", [12, 40])  # without a screen and with one
def test_what_is_found_before_ctrl_c_is_an_interval_that_contains_the_truth(
    datasets: int, run: Run
) -> None:
    code, document, err = stopped(run, datasets=datasets)
    assert (code, err) == (130, "dpaudit: interrupted; what was finished is reported\n")
    (result,) = document["results"]
    assert document["verdict"] == result["verdict"] == "undecided"
    assert 0 < result["pairs_covered"] < result["pairs"] == datasets - 1
    assert result["reason"] == (
        f"it was stopped when {result['pairs_covered']} of {datasets - 1} pairs were covered"
    )
    assert float(result["epsilon"]["lower"]) <= 0.5
    assert result["epsilon"]["upper"] == "inf"
    assert (result["delta"]["lower"], result["delta"]["upper"]) == ("0", "1")
    assert "contradicted" not in run("verify", "found.json", "--own", "stops.py:count")[1]


def test_a_budget_that_is_exceeded_before_ctrl_c_is_exceeded(run: Run) -> None:
    code, document, _ = stopped(run, budget="eps/2")
    (result,) = document["results"]
    assert code == 130
    assert result["verdict"] == document["verdict"] == "exceeds"
    assert 0 < result["pairs_covered"] < result["pairs"]
    code, out, _ = run("verify", "found.json", "--own", "stops.py:count")
    assert (code, "accepted" in out) == (0, True), out


@pytest.mark.wrong_on_purpose
def test_a_report_of_a_part_that_says_within_is_contradicted(run: Run) -> None:
    _, document, _ = stopped(run)
    document["verdict"] = document["results"][0]["verdict"] = "within"
    del document["results"][0]["reason"]
    Path("found.json").write_text(json.dumps({**document, "sha256": seal_of(document)}))
    code, out, _ = run("verify", "found.json", "--own", "stops.py:count")
    assert (code, "contradicted" in out) == (1, True), out


def test_a_size_that_was_stopped_is_audited_again(run: Run) -> None:
    assert stopped(run)[0] == 130
    part = Path("found.json").read_text()
    # The program stops in every process.
    assert run(*CHECK, "--resume", "found.json", "--output", "again.json")[0] == 130
    assert Path("again.json").read_text() == part


@program(datasets=[0, 1], neighbours="all", budget=1)
def bits(x: int, random: Any, count: int = 11) -> int:
    heads = 0
    for _ in range(count):  # each pass goes on from the one before
        heads = heads + random.bernoulli("1/2")
    return heads


def test_a_program_of_many_paths_says_so_before_it_is_refused() -> None:
    with (
        pytest.warns(ManyPathsWarning, match=r"about 2e\+03 paths, but the limit is 1500"),
        pytest.raises(LawError, match="more than 1500 paths"),
    ):
        check(bits.with_parameters(paths=1500))


def test_the_limit_of_paths_is_given_on_the_command_line(run: Run) -> None:
    Path("many.py").write_text(
        "from dpaudit import program\n"
        "@program(datasets=[0, 1], neighbours='all', budget=1, paths=10)\n"
        "def bits(x, random):\n"
        "    return sum(random.bernoulli('1/2') for _ in range(4))\n"
    )
    words = ("check", "many.py:bits", "--no-plot", "--format", "json")
    code, _, err = run(*words)
    assert (code, "more than 10 paths" in err) == (2, True)
    code, out, _ = run(*words, "--paths", "16")
    assert code == 0
    assert json.loads(out)["mechanism"] == {"name": "bits", "paths": "16"}
    for wrong in ("0", "x", "-1"):
        code, _, err = run(*words, "--paths", wrong)
        assert (code, "paths" in err) == (2, True)


def test_a_programs_own_parameter_may_be_called_paths() -> None:
    @program(datasets=[0, 1], neighbours="all", budget="ln(3)")
    def respond(x: int, random: Any, paths: int = 2) -> bool:
        return bool(random.integers(4) < paths + x)

    assert respond.with_parameters(paths=1).values() == {"paths": 1}
    with pytest.raises(ParameterError):
        bits.with_parameters(paths=0)
