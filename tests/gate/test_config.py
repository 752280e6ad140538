"""Malformed configurations: one line each that names the file and the key, exit 2, no traceback."""

import json
import random
import string
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

GOOD = '[[mechanism]]\nmechanism = "EHDS"\nn = 10\n'
MODULE = "from dpaudit.mechanisms.user import finite_mechanism\n"

MALFORMED: dict[str, tuple[str, str]] = {
    "empty": ("", "mechanism"),
    "only a comment": ("# nothing\n", "mechanism"),
    "not TOML": ("[[mechanism\n", "not TOML"),
    "not TOML either": ("mechanism = = 3", "not TOML"),
    "nested too deeply": ("a = " + "[" * 5000 + "]" * 5000, "not TOML"),
    "unknown key": ("speed = 3\n" + GOOD, "speed"),
    "misspelt key": ("fail_on = 'tie'\n" + GOOD, "fail-on"),
    "misspelt table": (GOOD.replace("[[mechanism]]", "[[mechanisms]]"), "mechanisms"),
    "unknown key of an entry": (GOOD + "sizes = 3\n", "mechanism[0].sizes"),
    "misspelt key of an entry": (GOOD + "bugdet = 1\n", "did you mean budget"),
    "underscore": (GOOD + "time_cap = 3\n", "did you mean time-cap"),
    "mechanism is a number": ("mechanism = 3\n", "mechanism"),
    "mechanism is a table": ('[mechanism]\nmechanism = "EHDS"\nn = 3\n', "mechanism"),
    "an entry is a number": ("mechanism = [3]\n", "mechanism"),
    "no name": ("[[mechanism]]\nn = 3\n", "mechanism[0]"),
    "empty name": ('[[mechanism]]\nmechanism = ""\nn = 3\n', "mechanism[0].mechanism"),
    "name is a number": ("[[mechanism]]\nmechanism = 3\nn = 3\n", "mechanism[0].mechanism"),
    "unknown mechanism": (GOOD.replace("EHDS", "EHSD"), "or EHDS"),
    "no sizes": ('[[mechanism]]\nmechanism = "EHDS"\n', "mechanism[0]"),
    "empty sizes": (GOOD.replace("10", '""'), "mechanism[0].n"),
    "no sizes in a list": (GOOD.replace("10", "[]"), "mechanism[0].n"),
    "size zero": (GOOD.replace("10", "0"), "mechanism[0].n"),
    "negative size": (GOOD.replace("10", "-4"), "mechanism[0].n"),
    "a size that is half": (GOOD.replace("10", "1.5"), "mechanism[0].n"),
    "sizes backwards": (GOOD.replace("10", '"9..3"'), "mechanism[0].n"),
    "sizes are words": (GOOD.replace("10", '"many"'), "mechanism[0].n"),
    "sizes are a table": (GOOD.replace("10", "{ from = 1 }"), "mechanism[0].n"),
    "sizes are true": (GOOD.replace("10", "true"), "mechanism[0].n"),
    "budget zero": (GOOD + "budget = 0\n", "mechanism[0]"),
    "budget negative": (GOOD + "budget = -1\n", "mechanism[0]"),
    "budget is a word": (GOOD + 'budget = "lots"\n', "mechanism[0].budget"),
    "budget is code": (GOOD + "budget = \"__import__('os')\"\n", "mechanism[0].budget"),
    "budget of three": (GOOD + "budget = [1, 2, 3]\n", "mechanism[0].budget"),
    "budget of none": (GOOD + "budget = []\n", "mechanism[0].budget"),
    "budget true": (GOOD + "budget = true\n", "mechanism[0].budget"),
    "budget is a table": (GOOD + "budget = { epsilon = 1 }\n", "mechanism[0].budget"),
    "delta above one": (GOOD + "budget = [1, 2]\n", "mechanism[0]"),
    "budget nan": (GOOD + "budget = nan\n", "mechanism[0].budget"),
    "budget inf": (GOOD + "budget = inf\n", "mechanism[0].budget"),
    "budget is a date": (GOOD + "budget = 2026-01-01\n", "mechanism[0].budget"),
    "unknown parameter": (GOOD + "parameters = { gama = 1 }\n", "mechanism[0]"),
    "parameters are a list": (GOOD + "parameters = [1]\n", "mechanism[0].parameters"),
    "bad parameter": (GOOD + "parameters = { gamma = 0 }\n", "mechanism[0]"),
    "bad prior": (GOOD + "parameters = { prior = [1, -1] }\n", "mechanism[0]"),
    "prior of one": (GOOD + "parameters = { prior = [1] }\n", "mechanism[0]"),
    "unknown notion": (GOOD + 'notion = "zdcp"\n', "did you mean zcdp"),
    "empty notion": (GOOD + 'notion = ""\n', "mechanism[0].notion"),
    "a notion that is a number": (GOOD + "notion = 3\n", "mechanism[0].notion"),
    "order without notion": (GOOD + "order = 2\n", "mechanism[0].order"),
    "order of another notion": (GOOD + 'notion = "kl"\norder = 2\n', "mechanism[0].order"),
    "no order": (GOOD + 'notion = "renyi"\n', "mechanism[0].order"),
    "order below one": (GOOD + 'notion = "renyi"\norder = 0.5\n', "mechanism[0].order"),
    "order nan": (GOOD + 'notion = "renyi"\norder = nan\n', "mechanism[0].order"),
    "order true": (GOOD + 'notion = "renyi"\norder = true\n', "mechanism[0].order"),
    "order is a list": (GOOD + 'notion = "renyi"\norder = [2]\n', "mechanism[0].order"),
    "order is a date": (GOOD + 'notion = "renyi"\norder = 2026-01-01\n', "mechanism[0].order"),
    "order is code": (GOOD + 'notion = "renyi"\norder = "exit()"\n', "mechanism[0].order"),
    "two budgets of one notion": (GOOD + 'notion = "kl"\nbudget = [1, 0]\n', "mechanism[0]"),
    "one budget of approximate": (
        GOOD + 'notion = "approximate"\nbudget = 1\n',
        "mechanism[0]",
    ),
    "a distance above one": (GOOD + 'notion = "tv"\nbudget = 2\n', "mechanism[0]"),
    "no budget follows": (GOOD + 'notion = "gdp"\n', "mechanism[0]"),
    "unknown adjacency": (GOOD + 'adjacency = "swap"\n', "mechanism[0]"),
    "ties": (GOOD + 'ties = "pass"\n', "mechanism[0].ties"),
    "one bracket": (GOOD.replace("[[mechanism]]", "[mechanism]"), "write [[mechanism]]"),
    "the size by another name": (GOOD + "sizes = 3\n", "mechanism[0].sizes: no such key; it is n"),
    "ε beside its table": (GOOD + "eps = 1\n", "it is a key of parameters"),
    "a number without quotes": (GOOD + "budget = ln(3)\n", "stand in quotes"),
    "digits zero": (GOOD + "digits = 0\n", "mechanism[0].digits"),
    "digits": ("digits = 100000\n" + GOOD, "digits"),
    "digits text": ('digits = "many"\n' + GOOD, "digits"),
    "time cap zero": (GOOD + "time-cap = 0\n", "mechanism[0].time-cap"),
    "time cap negative": ("time-cap = -1\n" + GOOD, "time-cap"),
    "precision cap": (GOOD + "precision-cap = 3\n", "mechanism[0].precision-cap"),
    "fail-on nothing": ('fail-on = "never"\n' + GOOD, "fail-on"),
    "claims are a list": ("claims = ['I-left']\n" + GOOD, "claims"),
    "a claim is a number": ("[claims]\nI-left = 3\n", "claims.I-left"),
    "a claim with a dot": ('[claims]\nthm-3.1-EHDS = "proved"\n', "written in quotes"),
    "no such file": (GOOD.replace("EHDS", "absent.py:mechanism"), "absent.py"),
    "an attribute that is code": (
        GOOD.replace("EHDS", "own.py:a.b()"),
        "a call needs its datasets",
    ),
    "a measure that there is not": (GOOD + 'measure = "curves"\n', "mechanism[0].measure"),
    "a curve without a budget": (GOOD + 'measure = "curve"\n', "mechanism[0].budget"),
    "a curve held to one number": (
        GOOD + 'measure = "curve"\nbudget = "1/2"\n',
        "needs budget = [EPSILON, DELTA]",
    ),
    "a curve held twice at one ε": (
        GOOD + 'measure = "curve"\nbudget = [["1/2", 0.1], [0.5, 0.2]]\n',
        "the same ε twice",
    ),
    "a curve held to a δ above one": (
        GOOD + 'measure = "curve"\nbudget = [["1/2", 2]]\n',
        "mechanism[0].budget",
    ),
    "a trade-off held to two numbers": (
        GOOD + 'measure = "tradeoff"\nbudget = [1, 2]\n',
        "which is μ",
    ),
    "a trade-off held to nothing": (GOOD + 'measure = "tradeoff"\nbudget = 0\n', "greater than 0"),
    "a calibration without a nominal ε": (
        GOOD + 'measure = "calibrate"\n',
        "mechanism[0].nominal",
    ),
    "a nominal ε without a calibration": (GOOD + "nominal = 1\n", "mechanism[0].nominal"),
    "a nominal ε that is code": (
        GOOD + 'measure = "calibrate"\nnominal = "exit()"\n',
        "mechanism[0].nominal",
    ),
    "a calibration with a budget and an ε": (
        GOOD + 'measure = "calibrate"\nnominal = 1\nbudget = 1\nparameters = { epsilon = 1 }\n',
        "mechanism[0].budget",
    ),
    "a notion of a curve": (
        GOOD + 'measure = "curve"\nbudget = [1, 0]\nnotion = "kl"\n',
        "mechanism[0].notion",
    ),
    "a calibration without an ε": (
        GOOD.replace("EHDS", "DiscreteGaussian") + 'measure = "calibrate"\nnominal = 1\n',
        "no nominal ε",
    ),
    "a folder": (GOOD.replace("EHDS", "folder.py:mechanism"), "no file"),
}


BUDGETS = """
class Silent:
    datasets, neighbours = ["no", "yes"], "all"

    def law(self, answer):
        return {"any": 1}

class Below(Silent):
    budget = -1

class Certain(Silent):
    budget = (1, 1)

class Word(Silent):
    budget = "lots"
"""

FAULTY_PLUGINS = {
    "no such module": ("absent_module:mechanism", "absent_module"),
    "no attribute": ("own.py:absent", "has no absent"),
    "an attribute that is no mechanism": ("own.py:NUMBER", "not a mechanism"),
    "raises at import": ("raising.py:mechanism", "ValueError: no"),
    "leaves at import": ("leaving.py:mechanism", "SystemExit"),
    "does not parse": ("garbled.py:mechanism", "SyntaxError"),
    "imports itself in a circle": ("circle_a:mechanism", "circular"),
    "states a budget below 0": ("budget.py:Below", "budget epsilon"),
    "states a δ of 1": ("budget.py:Certain", "less than 1"),
    "states a budget that is a word": ("budget.py:Word", "lots"),
    "states no budget": ("budget.py:Silent", "states no budget"),
}
"""What a plug-in has wrong, and what is said of it."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own.py").write_text(MODULE + "NUMBER = 3\n")
    (tmp_path / "raising.py").write_text("raise ValueError('no\\nsecond line')\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "garbled.py").write_text("def (:\n")
    (tmp_path / "circle_a.py").write_text("from circle_b import b\nmechanism = b\n")
    (tmp_path / "circle_b.py").write_text("from circle_a import mechanism\nb = mechanism\n")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "budget.py").write_text(BUDGETS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rejected(project: Path, config: bytes, capsys: pytest.CaptureFixture[str]) -> str:
    path = project / "dpaudit.toml"
    path.write_bytes(config)
    before = sorted(p.name for p in project.iterdir())
    code = invoke(["gate", "--jobs", "1", "--report", "junit=report.xml"])
    captured = capsys.readouterr()
    assert code == 2, captured
    assert captured.out == ""
    assert captured.err.startswith("dpaudit: "), captured.err
    assert captured.err.count("\n") == 1, captured.err
    assert "Traceback" not in captured.err
    assert "dpaudit.toml" in captured.err
    after = sorted(p.name for p in project.iterdir() if p.name != "__pycache__")
    assert after == [name for name in before if name != "__pycache__"]
    return captured.err


def test_there_are_sixty() -> None:
    assert len(MALFORMED) >= 60


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_configuration_is_one_line(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, expected = MALFORMED[name]
    assert expected in rejected(project, config.encode(), capsys)


@pytest.mark.parametrize("name", FAULTY_PLUGINS)
def test_a_faulty_plugin_fails_alone_beside_the_results_of_others(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin, says = FAULTY_PLUGINS[name]
    entry = f'[[mechanism]]\nmechanism = "{plugin}"\nn = 1\n'
    for others, code in ((GOOD, 3), (GOOD + 'budget = "1/10"\n', 1)):
        (project / "dpaudit.toml").write_text(entry + others)
        assert invoke(["gate", "--format", "json"]) == code
        first, second = json.loads(capsys.readouterr().out)["mechanisms"]
        assert (first["passed"], first["kind"] in ("not loaded", "broken")) == (False, True), first
        assert says in first["message"]
        assert second["kind"] == ("within" if code == 3 else "exceeds")


def test_a_large_file_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "larger than" in rejected(project, b"# " + b"x" * 10_000_000, capsys)


def test_bytes_that_are_no_text_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "UTF-8" in rejected(project, b"\xff\xfe\x00\x01", capsys)


@pytest.mark.parametrize("seed", range(30))
def test_fuzzed_configurations_are_refused_or_well_formed(
    seed: int, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Characters of a good file replaced at random: never a traceback, never exit 0 by accident."""
    rng = random.Random(seed)
    text = list(GOOD.replace("10", "3"))
    for _ in range(rng.randint(1, 3)):
        text[rng.randrange(len(text))] = rng.choice(string.printable)
    (project / "dpaudit.toml").write_text("".join(text))
    code = invoke(["gate", "--jobs", "1"])
    captured = capsys.readouterr()
    assert code in (0, 1, 2, 3)
    assert "Traceback" not in captured.err
    assert "internal" not in captured.err
    if code == 2:
        assert captured.err.count("\n") == 1


def test_no_configuration_at_all(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["gate"]) == 2
    assert "there is no dpaudit.toml" in capsys.readouterr().err
    assert invoke(["gate", "--config", "absent.toml"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert invoke(["gate", "--report", "pdf=x"]) == 2
    assert "allowed is FORM=FILE" in capsys.readouterr().err
