"""Texts of users in every form, and the seams of the command line that say something else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

HOSTILE = "\\u202eevil\\x1b[31m\\x00 ](javascript:alert(1)) [x](javascript:alert(1)) |a| <b> % : ,"
LINES = f"""
from dataclasses import dataclass

from dpaudit import finite_mechanism

class Silent:
    def __repr__(self):
        raise ValueError("no")

NAN, SILENT = float("nan"), Silent()

def of(*outputs, datasets=(0, 1)):
    @finite_mechanism(datasets=datasets, budget="1", neighbours="all")
    def law(dataset):
        share = "1/2" if dataset else "1/9"
        return {{outputs[0]: share, outputs[1]: "1/2" if dataset else "8/9"}}
    return law

hostile = of("{HOSTILE}", 1)
long = of("x" * 300_000, 1)
nan, part_of_nan, silent = of(NAN, 1), of((1, NAN), 1), of(SILENT, 1)
nan_in_a_set = of(frozenset([NAN]), 1)

@dataclass(frozen=True)
class Held:
    number: float

    def __repr__(self):
        return "held"

nan_in_a_dataclass = of(Held(NAN), 1)
of_nan, of_silent = of(0, 1, datasets=[NAN, 1]), of(0, 1, datasets=[SILENT, 1])
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(LINES)


def run(*arguments: str, extra: dict[str, str] | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(extra or {})},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "name",
    ["nan", "part_of_nan", "nan_in_a_set", "nan_in_a_dataclass", "silent", "of_nan", "of_silent"],
)
def test_a_value_that_is_not_itself_or_has_no_text_is_refused(name: str) -> None:
    """A nan was another output on either side, an infinite loss; a raising text a traceback."""
    code, out, err = run("check", f"own.py:{name}", "--no-plot")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert ("is not equal to itself" in err) == ("nan" in name)
    assert ("raised ValueError: no" in err) == ("silent" in name)


@pytest.mark.parametrize("name", ["hostile", "long"])
def test_texts_of_users_are_escaped_and_have_an_end_in_every_form(name: str) -> None:
    label = HOSTILE.encode().decode("unicode_escape") if name == "hostile" else "y" * 300_000
    forms = ("annotations", "junit", "sarif", "markdown", "html", "json")
    toml = label.encode("unicode_escape").decode().replace("\\x", "\\u00").replace('"', "'")
    Path("dpaudit.toml").write_text(
        f'[[mechanism]]\nmechanism = "own.py:{name}"\nlabel = "{toml}"\nn = 1\nbudget = "1/100"\n'
    )
    reports = [f"--report={form}={form}.out" for form in forms]
    code, out, _ = run("gate", *reports)
    assert code == 1
    texts = {form: Path(f"{form}.out").read_text() for form in forms if form != "json"}
    for form in ("text", "markdown", "csv"):
        code, texts[f"check {form}"], _ = run(
            "check", f"own.py:{name}", "--no-plot", "--format", form
        )
        assert code == 1
    for form, text in (*texts.items(), ("gate text", out)):
        if form != "check csv":  # for machines: values as they are
            assert not {"\u202e", "\x1b", "\x00"} & set(text), form
            assert len(text) < 60_000, form
        if "markdown" in form:
            assert "](" not in text
            assert "<b>" not in text


def test_a_reader_that_goes_away_does_not_change_the_verdict() -> None:
    """A broken pipe made 3 of what was 1."""
    command = f"{sys.executable} -m dpaudit check MH --divisor 1 --n 10..90 --no-plot"
    script = f"set -o pipefail; {command} | true"
    assert subprocess.run(["bash", "-c", script], check=False).returncode == 1


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("check EHDS --n ", set()),
        ("check EHDS --eps ", set()),
        ("check eh", {"EHD", "EHDL", "EHDS"}),
        ("check --n 5 lsh", {"LSHist"}),
        ("hunt lsd", {"LSDim"}),
        ("account lsd", {"LSDim"}),
        ("show lsd", {"LSDim"}),
        ("nosuch ", set()),
    ],
)
def test_completion_offers_mechanisms_and_never_a_traceback(words: str, offered: set[str]) -> None:
    given = ["dpaudit", *words.split(" ")]
    extra = {
        "COMP_WORDS": " ".join(given),
        "COMP_CWORD": str(len(given) - 1),
        "_DPAUDIT_COMPLETE": "bash_complete",
    }
    program = "from dpaudit.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **extra},
    )
    assert done.stderr == ""
    plain = {line.partition(",")[2] for line in done.stdout.splitlines()}
    assert {name for name in plain if name} == offered


def test_a_default_plot_keeps_another_one(capfd: pytest.CaptureFixture[str]) -> None:
    """A plot of another ε was overwritten without a word."""
    for epsilon in ("1/2", "1", "1/2"):
        assert invoke(["check", "EHDS", "--n", "5..7", "--eps", epsilon]) == 0
    plots = [line for line in capfd.readouterr().out.splitlines() if line.startswith("plot: ")]
    first, second, third = plots
    assert first == third != second
    assert len(list(Path("dpaudit-results").iterdir())) == 2


def test_a_budget_of_delta_alone_is_one(capfd: pytest.CaptureFixture[str]) -> None:
    """(0, δ) bounds the total variation distance; it was refused."""
    Path("tv.json").touch()
    arguments = ["EHDS", "--n", "5", "--format", "json", "--output", "tv.json"]
    assert invoke(["check", *arguments, "--budget", "0,1/2"]) == 0
    assert invoke(["verify", "tv.json", "--budget", "0,1/2"]) == 0
    assert invoke(["check", *arguments, "--budget", "0,1/100"]) == 1
    assert invoke(["check", *arguments, "--budget", "0"]) == 2
    assert invoke(["calibrate", *arguments, "--budget", "0,1/2"]) == 2
    assert "an ε greater than 0" in capfd.readouterr().err


def test_a_stated_budget_is_shown_as_one(capfd: pytest.CaptureFixture[str]) -> None:
    """It was shown as ('4/5', '0')."""
    assert invoke(["check", "EHDS", "--n", "5", "--budget", "1/100", "--no-plot"]) == 1
    assert "(stated: ε = 4/5)" in capfd.readouterr().out
