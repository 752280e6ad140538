"""What reports say of programs, and every command on one."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import dpaudit
from dpaudit import program
from dpaudit.cli.main import main
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.loading import load, spec_of

FILE = """
from fractions import Fraction
from dpaudit import program

@program(datasets=lambda n: range(n + 1), neighbours=lambda x, y: abs(x - y) == 1, budget="2*eps")
def count(true, random, eps=Fraction(1, 2), high=2):
    return max(0, min(high, true + random.discrete_laplace(1 / eps)))
"""


def told(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> Any:
    (folder / "count.py").write_text(FILE)
    monkeypatch.chdir(folder)
    return CliRunner().invoke(main, [*words])


def test_a_report_says_how_the_law_was_derived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(
        tmp_path, monkeypatch, "check", "count.py:count", "--n", "2", "--set", "eps=1/3",
        "--format", "json", "--no-plot",
    )  # fmt: skip
    document = json.loads(found.output)
    assert (document["semantics"], document["paths"], document["rest"]) == ("ideal", 3, "0")
    assert document["mechanism"] == {"name": "count", "eps": "1/3", "high": "2"}
    assert document["budget"] == {"epsilon": "2/3", "delta": "0"}
    assert document["results"][0]["epsilon"]["exact"] == "1/3"


@pytest.mark.parametrize(
    "command",
    [
        "check count.py:count --n 2 --notion zcdp",
        "check count.py:count --n 2 --conformance",
        "curve count.py:count --n 2",
        "tradeoff count.py:count --n 2",
        "calibrate count.py:count --n 2 --budget 1/4",
        "show count.py:count",
    ],
)
def test_every_command_takes_a_program(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(tmp_path, monkeypatch, *command.split())
    assert found.exit_code == 0, found.output


def test_a_report_on_a_program_is_verified_and_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("check", "count.py:count", "--format", "json", "--no-plot")
    first = told(tmp_path, monkeypatch, *asked, "--n", "2")
    (tmp_path / "first.json").write_text(first.output)
    verified = told(tmp_path, monkeypatch, "verify", "first.json", "--own", "count.py:count")
    assert verified.exit_code == 0, verified.output
    more = told(tmp_path, monkeypatch, *asked, "--n", "2..3", "--resume", "first.json")
    whole = told(tmp_path, monkeypatch, *asked, "--n", "2..3")
    assert json.loads(more.output)["results"] == json.loads(whole.output)["results"]


def test_a_parameter_it_does_not_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(tmp_path, monkeypatch, "check", "count.py:count", "--n", "2", "--set", "hihg=1")
    assert "did you mean high?" in str(found.exception)


def test_another_process_finds_the_same_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "count.py").write_text(FILE)
    monkeypatch.syspath_prepend(str(tmp_path))
    from count import count  # type: ignore[import-not-found]

    for one in (count, count.with_parameters(eps="1/5")):
        twin: Any = load(spec_of(one))
        assert twin.values() == one.values()
        assert dict(twin.law(1)) == dict(one.law(1))


def test_run_draws_for_real_and_refuses_densities() -> None:
    @dpaudit.program(datasets=[0, 1], neighbours="all")
    def drawn(bit: int, random: Any) -> tuple[Any, ...]:
        return (
            random.bernoulli("exp(-1)"),
            random.integers(3),
            random.choice("ab", ["ln(2)", 1]),
            tuple(random.permutation(range(3))),
            max(0, min(5, random.geometric("1/3"))),
            max(-5, min(5, random.discrete_laplace(2))),
            max(-5, min(5, random.discrete_gaussian("3/2"))),
            random.bits(3),
        )

    seen = [drawn.run(0) for _ in range(200)]
    values = [set(column) for column in zip(*seen, strict=True)]
    assert values[0] == {True, False}
    assert values[1] == {0, 1, 2}
    assert values[2] == {"a", "b"}
    assert len(values[3]) == 6
    assert values[4] <= set(range(6))
    assert values[5] | values[6] <= set(range(-5, 6))
    assert values[7] == set(range(8))

    @dpaudit.program(datasets=[0, 1], neighbours="all")
    def density(bit: int, random: Any) -> bool:
        return bool(random.laplace(1) > bit)

    with pytest.raises(ParameterError, match="continuous"):
        density.run(0)


def test_a_witness_names_the_path_in_words() -> None:
    @program(datasets=[(0, 0), (1, 0), (1, 1)], neighbours="all", budget=1)
    def first_above(queries: tuple[int, ...], random: Any) -> Any:
        lucky = random.bernoulli("1/2")
        noisy = random.laplace(4) + 1
        shift = random.discrete_laplace(2)
        for i, query in enumerate(queries):
            if lucky and query + random.laplace(8) >= noisy:
                return i, shift > 2
        return None, shift <= -1

    (result,) = dpaudit.check(first_above).results
    assert result.witness.output == (1, True)
    assert result.witness.path == (
        "bernoulli 1 is True",
        "laplace 2 - laplace 1 (noisy) < 0",
        "laplace 3 - laplace 1 (noisy) >= 0",
        "discrete_laplace 1 (shift) > 2",
    )
    counted = program(datasets=[0, 1], neighbours="all", budget=1, name="counted")(
        lambda x, random: max(-2, 2 * (x - random.geometric("1/2")))
    )
    (result,) = dpaudit.check(counted).results
    assert result.witness.path == ("-2*geometric 1 + 2 > -2", "geometric 1 = 0")
