"""``dpaudit check`` and ``curve`` of what states no budget: what is ε?"""

import csv
import io
import json
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

SOURCE = """
from dpaudit import finite_mechanism

@finite_mechanism(datasets=["no", "yes"], neighbours="all")
def response(answer):
    return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}

@finite_mechanism(datasets=["no", "yes"], neighbours="all", budget=1)
def stated(answer):
    return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}
"""
CUT = """
from dpaudit import finite_mechanism

@finite_mechanism(datasets=["no", "yes"], neighbours="all", rest="1/100")
def cut(answer):
    return {answer: "297/400", "no" if answer == "yes" else "yes": "99/400"}
"""
GATE = '[[mechanism]]\nmechanism = "mine.py:response"\nn = 1\n'


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SOURCE)


def told(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert invoke([*words, "--no-plot"]) == code
    return capfd.readouterr().out


def test_epsilon_is_told_and_no_verdict(capfd: pytest.CaptureFixture[str]) -> None:
    text = told(capfd, "check", "mine.py:response")
    assert "no budget is stated: ε is ln(3) exactly (1.09861…), and 1.09859(8..9) at δ" in text
    assert "worst pair: no / yes → no" in text
    assert "δ(1/2)" in text
    for verdict in ("verdict", "within", "exceeds", "undecided"):
        assert verdict not in text
    assert "δ(0)" in told(capfd, "check", "mine.py:response", "--at-eps", "0")


def test_a_budget_that_is_given_is_held_to(capfd: pytest.CaptureFixture[str]) -> None:
    assert "within: ε = ln(3)" in told(capfd, "check", "mine.py:response", "--budget", "ln(3)")
    told(capfd, "check", "mine.py:response", "--budget", "1", code=1)


def test_at_the_delta_of_a_budget_epsilon_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """ε is infinite, or above the budget; at its δ it is what `--at-delta` says."""
    said = "at the budget's δ, 1/100000, the smallest ε is "
    for sigma, code in ((2, 1), (5, 0)):
        words = ["check", "Gaussian", "--sigma", str(sigma), "--budget", "1,1e-5"]
        line = told(capfd, *words, code=code).splitlines()[-1]
        assert line.startswith(said)
        low, high = (float(end) for end in _ends(line.removeprefix(said)))
        document = json.loads(
            told(capfd, *words, "--at-delta", "1e-5", "--format", "json", code=code)
        )
        (point,) = document["results"][0]["at_delta"]
        assert low <= float(point["lower"]) <= float(point["upper"]) <= high
        assert high - low < 1e-5
        asked = told(capfd, *words, "--at-delta", "1e-5", code=code)
        assert said not in asked  # it is in the table
    for more in (
        ("mine.py:response", "--budget", "2, 1e-5"),  # ε alone is within
        ("mine.py:stated",),
        ("mine.py:response",),
    ):
        assert said not in told(capfd, "check", *more, code=1 if "stated" in more[0] else 0)


def _ends(shown: str) -> tuple[str, str]:
    """Return the ends of an interval that is shown as 1.99309(1..2)."""
    front, _, last = shown.rstrip(")").partition("(")
    low, high = last.split("..")
    return front + low, front + high


def test_documents_hold_no_budget(capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(told(capfd, "check", "mine.py:response", "--format", "json"))
    assert (document["budget"], document["verdict"]) == (None, None)
    (result,) = document["results"]
    assert (result["delta"], result["verdict"]) == (None, None)
    text = told(capfd, "check", "mine.py:response", "mine.py:stated", "--format", "csv", code=1)
    without, beside = csv.DictReader(io.StringIO(text))
    assert {without[name] for name in without if name.startswith("budget")} == {""}
    assert (without["verdict"], without["delta_lower"], without["epsilon_1"]) == ("", "", "1/2")
    assert (beside["verdict"], beside["budget_epsilon"], beside["epsilon_1"]) == (
        "exceeds",
        "1",
        "",
    )


def test_markdown_and_figures_claim_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    text = told(capfd, "check", "mine.py:response", "--format", "markdown")
    assert "- no budget is stated: ε is ln(3) exactly" in text
    assert "verdict" not in text
    assert invoke(["check", "mine.py:response", "--plot", "one.svg"]) == 0
    assert "no stated budget" in Path("one.caption.txt").read_text()
    assert invoke(["check", "mine.py:response", "mine.py:stated", "--plot", "two.svg"]) == 1
    assert Path("two.svg").is_file()


def test_the_worst_of_several_is_the_code(capfd: pytest.CaptureFixture[str]) -> None:
    text = told(capfd, "check", "mine.py:response", "mine.py:stated", code=1)
    assert "overall" not in text


def test_a_report_is_resumed(capfd: pytest.CaptureFixture[str]) -> None:
    told(capfd, "check", "mine.py:response", "--format", "json", "--output", "first.json")
    first = Path("first.json").read_bytes()
    again = ("--format", "json", "--output", "second.json", "--resume", "first.json")
    told(capfd, "check", "mine.py:response", *again)
    assert Path("second.json").read_bytes() == first
    held = (*again, "--budget", "2")
    told(capfd, "check", "mine.py:response", *held, code=2)


def test_a_curve_needs_no_budget(capfd: pytest.CaptureFixture[str]) -> None:
    text = told(capfd, "curve", "mine.py:response")
    assert "δ(1/2)" in text
    assert "δ(2)" in text
    told(capfd, "curve", "mine.py:response", "--budget", "1")


def test_an_epsilon_that_nothing_bounds_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    Path("cut.py").write_text(CUT)
    text = told(capfd, "check", "cut.py:cut", code=3)
    assert "no budget is stated: ε is unknown, but at least 1.05" in text
    assert "not enclosed: some probability is not assigned to any output" in text
    document = told(capfd, "check", "cut.py:cut", "--format", "json", code=3)
    assert json.loads(document)["verdict"] is None
    Path("cut.json").write_text(document)
    assert invoke(["verify", "cut.json", "--own", "cut.py:cut"]) == 3
    assert "cannot recompute" in capfd.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["check", "mine.py:response", "--notion", "kl"],
        ["check", "mine.py:response", "--export", "coq", "mine.v"],
        ["check", "mine.py:response", "--export", "certificate", "mine.json"],
        ["calibrate", "mine.py:response"],
    ],
)
def test_what_is_about_a_budget_asks_for_one(
    words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke([*words, "--no-plot"]) == 2
    assert "states no budget; give one (--budget)" in capfd.readouterr().err
    assert sorted(path.name for path in Path().glob("mine*")) == ["mine.py"]


def test_a_gate_passes_nothing_without_a_budget(capfd: pytest.CaptureFixture[str]) -> None:
    Path("dpaudit.toml").write_text(GATE)
    assert invoke(["gate"]) != 0
    assert "states no budget; give one (budget)" in capfd.readouterr().out
