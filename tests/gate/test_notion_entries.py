"""Entries whose budget is in a notion of privacy: judged as ``check --notion`` judges them."""

import json
from pathlib import Path

import pytest

from dpaudit import check, check_notion
from dpaudit.cli.main import invoke
from dpaudit.gate.run import run_gate

ENTRY = '[[mechanism]]\nmechanism = "{}"\nn = {}\nnotion = "{}"\nbudget = {}\n'


def found(folder: Path, config: str) -> list[tuple[str, str]]:
    path = folder / "dpaudit.toml"
    path.write_text(config)
    return [(one.kind.value, one.message) for one in run_gate(path, jobs=2).mechanisms]


def test_a_budget_just_above_and_just_below(tmp_path: Path) -> None:
    value = check_notion("LSHist", 10, "gdp", budget=1).value
    config = ENTRY.format("LSHist", 10, "gdp", f'"{value.upper}"')
    config += ENTRY.format("LSHist", 10, "gdp", f'"{value.lower - value.width}"')
    within, exceeds = found(tmp_path, config)
    assert within[0] == "within"
    assert exceeds == (
        "exceeds",
        f"at n = 10, with (0,10) against (1,9): realised μ ≥ {value.lower}, "
        f"budget {value.lower - value.width}",
    )


def test_every_notion(tmp_path: Path) -> None:
    config = "".join(
        [
            ENTRY.format("EHDS", '"10..20..5"', "zcdp", '"1/8"'),
            ENTRY.format("EHDS", 10, "renyi", '"1/50"') + 'order = "3/2"\n',
            ENTRY.format("EHDS", 10, "renyi", '"1/100"') + "order = 1.5\n",
            ENTRY.format("EHDS", 10, "kl", '"1/50"'),
            ENTRY.format("EHDS", 10, "tv", '"1/50"'),
            ENTRY.format("EHDS", 10, "pure", '"4/5"'),
            ENTRY.format("EHDS", 10, "approximate", '["1/10", "1/10"]'),
        ]
    )
    kinds = [kind for kind, _ in found(tmp_path, config)]
    asked = [
        check_notion("EHDS", "10..20..5", "zcdp", budget="1/8"),
        check_notion("EHDS", 10, "renyi", order="3/2", budget="1/50"),
        check_notion("EHDS", 10, "renyi", order="3/2", budget="1/100"),
        check_notion("EHDS", 10, "kl", budget="1/50"),
        check_notion("EHDS", 10, "tv", budget="1/50"),
        check_notion("EHDS", 10, "pure", budget="4/5"),
        check_notion("EHDS", 10, "approximate", budget=["1/10", "1/10"]),
    ]
    assert kinds == [one.verdict.value for one in asked]
    assert {"within", "exceeds"} == set(kinds)


OWN = """
from dpaudit.mechanisms.user import finite_mechanism

@finite_mechanism(budget="ln(3)", datasets=[0, 1], neighbours="all")
def mechanism(x):
    return {x: "3/4", 1 - x: "1/4"}
"""


def test_an_exact_tie_passes_unless_ties_fail(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    entry = ENTRY.format("own.py:mechanism", 1, "tv", '"1/2"')
    assert found(tmp_path, entry) == [("within", "TV = 1/2 exactly (0.5), budget 1/2")]
    strict = found(tmp_path, 'fail-on = "tie"\n' + entry)
    assert strict == [("tie", "at n = 1 the realised TV is exactly the budget")]
    implied = entry.replace('budget = "1/2"\n', "")  # of ln(3): the same
    assert found(tmp_path, 'fail-on = "tie"\n' + implied)[0][0] == "tie"


def test_a_tie_of_delta_is_one_of_delta(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    entry = '[[mechanism]]\nmechanism = "own.py:mechanism"\nn = 1\nbudget = {}\n'
    strict = 'fail-on = "tie"\n' + entry
    assert found(tmp_path, strict.format('"ln(3)"'))[0][0] == "tie"
    assert found(tmp_path, strict.format('["ln(2)", "1/4"]')) == [
        ("tie", "at n = 1 the realised δ(ln(2)) is exactly the budget")
    ]
    # The realised ε is exactly ln(3), but the budget is about δ, which is far from it.
    assert found(tmp_path, strict.format('["ln(3)", "1/4"]'))[0][0] == "within"


def test_the_pair_of_delta_is_named_with_delta(tmp_path: Path) -> None:
    message = found(
        tmp_path,
        '[[mechanism]]\nmechanism = "MH"\nn = 10\nparameters = { divisor = 1 }\n',
    )[0][1]
    delta = check("MH", 10, divisor=1).delta_held
    assert f"with {shown(delta.x)} against {shown(delta.y)}: realised δ(4/5) ≥ " in message
    assert f"≥ {delta.value.lower}, budget 1/2000" in message


def shown(counts: object) -> str:
    assert isinstance(counts, tuple)
    return f"({','.join(map(str, counts))})"


@pytest.mark.parametrize("form", ["junit", "sarif", "markdown", "annotations", "html", "json"])
def test_in_every_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dpaudit.toml").write_text(ENTRY.format("LSHist", '"9,10"', "gdp", '"3/4"'))
    assert invoke(["gate", "--report", f"{form}=report"]) == 1
    page = Path("report").read_text()
    assert "realised μ ≥ 0.75653" in page
    if form == "html":
        assert "Realised μ of LSHist by number of records" in page
        assert "Trade-off function of LSHist" in page
    if form == "json":
        finding = json.loads(page)["mechanisms"][0]
        assert finding["report"]["schema"] == "dpaudit.notion/1"
        assert finding["report"]["notion"]["name"] == "gdp"
