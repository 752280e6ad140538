"""The page of one audit: it is whole, asks for nothing, and says what the report says."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from dpaudit.audit.verdicts import is_limit
from dpaudit.cli.main import invoke
from tests.chromium import IN_A_BROWSER, check_renders_alone
from tests.cli.test_terminal import DRAWN
from tests.gate.test_reports import _Page

COMMANDS = {
    "one size": "check EHDS --n 10",
    "sizes": "check EHDS LSHist --n 4..6",
    "no size": "check RR --budget 1",
    "a budget that is exceeded": "check MH --n 10 --divisor 1",
    "curve": "curve EHDS --n 6",
    "notion": "check EHDS --n 4,5 --notion kl",
    "trade-off": "tradeoff EHDS --n 6",
    "accuracy": "accuracy EHD EHDS --at 3,4",
    "calibration": "calibrate LSHist --n 5,6",
    "interval": "check LSHist --n 3 --eps 1/10..2",
    "canaries": "canaries --canaries 1000 --guesses 100 --right 75 --delta 1e-4",
    "account": "account EHDS --n 4 --compose 3 --at-delta 1e-5,1e-7 --at-eps 1 --budget 2,1e-3",
    "training": "account dpsgd --noise-multiplier 1 --sample-rate 1/10 --steps 3 --delta 1e-5",
    "estimates": "account EHDS --n 4 --compose 3 --epsilon-grid 1/2,1 --no-estimates",
    "hunt": "hunt EHD --over prior=1/20..1 --n 5 --evaluations 20 --no-plot",
    "hunt in δ": "hunt MH --over n=4..6 --evaluations 5 --no-plot",
    "sample": "sample drawn.py:drawn --draws 2000 --no-plot",
}

FIGURES = ("one size", "account", "training", "hunt", "hunt in δ", "sample")
"""Pages that have a figure, a table (or the worst point) and the worst pair in words."""

OWN = """
import dpaudit

NAMES = ["<b>a", "&\\"b"]


@dpaudit.program(datasets=NAMES, neighbours="all", budget="ln(3)")
def answer(x, random):
    return x if random.bernoulli("3/4") else NAMES[1 - NAMES.index(x)]
"""


def made(command: str) -> tuple[str, str]:
    """Return the page of a command, and the same report as JSON."""
    code = invoke([*command.split(), "--report", "html=a.html", "--report", "json=a.json"])
    assert code in (0, 1)
    return Path("a.html").read_text(), Path("a.json").read_text()


def words(page: str) -> str:
    """Return what a reader sees, without drawings and the command."""
    body = re.sub(r"<style>.*?</style>|<svg.*?</svg>|<code>.*?</code>", " ", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", " ", body))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_is_whole_and_asks_for_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drawn.py").write_text(DRAWN)
    text, _ = made(COMMANDS[name])
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.links == []
    assert not page.tags & {"script", "link", "img", "iframe", "object"}
    assert f"dpaudit {COMMANDS[name]} --report html=a.html" in unescape(text)
    if name in FIGURES:
        assert "<svg" in text
        assert ("<table>" in text) is not name.startswith("hunt")
        assert "<h2>The witness</h2>" in text


@pytest.mark.parametrize("name", ["one size", "sizes", "no size", "a budget that is exceeded"])
def test_a_page_says_no_number_that_the_report_does_not(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, report = made(COMMANDS[name])
    shared = re.compile(r"(\d+\.\d+)\((\d+)\.\.(\d+)\)")
    said = shared.sub(lambda one: f"{one[1]}{one[2]} {one[1]}{one[3]}", words(text))
    numbers = set(re.findall(r"\d+\.\d{4,}", said))
    digits = {re.sub(r"0+$", "", one) for one in re.findall(r"\d+\.\d+", report)}
    assert {re.sub(r"0+$", "", one) for one in numbers} <= digits
    documents = json.loads(report)
    verdicts = {one["verdict"] for one in documents.get("reports", [documents])}
    assert {one for one in ("within", "exceeds", "undecided") if one in said} == verdicts


def test_one_size_has_the_curve_and_several_have_the_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, _ = made(COMMANDS["one size"])
    assert "Lower bound of the privacy curve at n = 10" in one
    assert "by number of records" not in one
    assert "(0,10) and (1,9) are neighbours" in words(one)
    several, _ = made(COMMANDS["sizes"])
    assert several.count("by number of records</title>") == 2
    assert "Privacy curve" not in several
    alone, _ = made(COMMANDS["no size"])
    assert "Lower bound of the privacy curve, from its worst events" in alone


def test_names_of_users_are_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    text, _ = made("check own.py:answer")
    assert "<b>" not in text
    assert '<b>a and &"b are neighbours' in words(text).replace('&"b and <b>a', '<b>a and &"b')


def test_no_page_where_the_audit_fails_or_the_page_has_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.html").write_text("as it was")
    for given in ("EHDS --n nothing", "nothing --n 3", "own.py:nothing --n 3"):
        assert invoke(["check", *given.split(), "--report", "html=old.html"]) == 2
    said = {"pdf=a.html": "allowed is", "html=": "allowed is", "html=no/a.html": "cannot write"}
    for given, message in said.items():
        capfd.readouterr()
        assert invoke(["check", "EHDS", "--n", "3", "--report", given]) == 2
        out, err = capfd.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert message in err
    twice = ["--report", "html=b", "--report", "json=b"]
    assert invoke(["check", "EHDS", "--n", "3", *twice]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]
    assert Path("old.html").read_text() == "as it was"


@IN_A_BROWSER
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_in_a_real_browser(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(COMMANDS["one size"])
    check_renders_alone(tmp_path / "a.html", tmp_path, scheme, 1600)


@pytest.mark.parametrize(
    ("noise", "said", "other"),
    [
        ("random.gauss(0, 1)", "grows without bound as x", "never does"),
        ("random.randrange(3)", "its neighbour 1 never does", "without bound"),
    ],
)
def test_an_infinite_loss_is_one_of_an_output_or_of_a_limit(
    noise: str, said: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("noisy.py").write_text(f"import random\ndef noisy(x):\n    return x + {noise}\n")
    page = words(made("check noisy.py:noisy --inputs 0,1 --budget 1")[0])
    assert said in page
    assert other not in page


def test_limits_are_told_from_outputs() -> None:
    limits = ("x -> inf", "x -> -inf", "r → ∞", "r → −∞", "x -> 1/2")
    assert all(map(is_limit, limits))
    assert not any(map(is_limit, ("x", "xy -> inf", "x -> ", 3, None, ("x -> inf",))))
