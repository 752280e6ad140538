"""Every command in a terminal of 80 columns: no row is broken, and colours are for terminals."""

import re
from pathlib import Path

import pytest

from dpaudit.cli.main import main
from tests.pages import shell, without_runs
from tests.recordings import COLUMNS, PICTURES, RUNS, plain, typed, workplace
from tests.untested import refusal

EVERY = {
    "check": "check EHDS MH --n 10..40 --divisor 1 --no-plot",
    "curve": "curve MH --n 20 --no-plot",
    "calibrate": "calibrate LSHist --n 5,6 --no-plot",
    "accuracy": "accuracy EHD EHDS --at 3,4 --no-plot",
    "hunt": "hunt RR --over eps=1/2..2 --n 1 --evaluations 4 --no-plot",
    "sample": "sample drawn.py:drawn --draws 2000 --no-plot",
    "canaries": "canaries --canaries 1000 --guesses 100 --right 75 --delta 1e-4",
    "account": "account RR --n 1 --at-delta 1e-6 --compose 4",
    "account-run": "account-run run.json --delta 1e-5",
    "account-matrix": "account-matrix strategy.csv --noise-multiplier 4 --max-participations 2 "
    "--min-sep 1 --delta 1e-5",
    "tradeoff": "tradeoff EHDS --n 10,20 --no-plot",
    "reproduce": "reproduce fig-2 --output out --jobs 1",
    "gate": "gate",
    "verify": "verify report.json",
    "diff": "diff report.json report.json",
    "prove": "prove I-left --list",
    "new": "new mechanism mine",
    "list": "list",
    "show": "show EHDS",
    "schema": "schema",
}
"""A run of each command; machine forms are for machines."""

DRAWN = """
import numpy as np

from dpaudit import sampler


@sampler(datasets=[0, 1], neighbours="all", budget="ln(3)")
def drawn(answer, size, rng):
    return np.where(rng.integers(4, size=size) < 3, answer, 1 - answer)
"""


def too_wide(shown: str) -> list[str]:
    """The lines that 80 columns break; one word that is too long has no other place to break."""
    return [
        line
        for line in plain(shown).split("\n")
        if len(line) > COLUMNS and " " in line.strip() and not line.startswith("plot: ")
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with workplace() as place:
        for file in place.iterdir():
            (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "drawn.py").write_text(DRAWN)
    (tmp_path / "strategy.csv").write_text("1,0\n1,1\n")
    (tmp_path / "run.json").write_text('{"history": [[1.1, 0.01, 100]], "mechanism": "rdp"}')
    return tmp_path


def test_a_run_of_every_command_is_looked_at() -> None:
    assert list(EVERY) == main.list_commands(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", EVERY)
def test_no_row_is_broken_in_a_terminal(name: str, folder: Path) -> None:
    if name in ("verify", "diff"):
        shell("dpaudit check EHDS --n 10 --format json --output report.json", folder)
    code, shown = typed(f"dpaudit {EVERY[name]}", folder)
    assert code in (0, 1), shown
    assert len(plain(shown)) > 40
    assert too_wide(shown) == []


@pytest.mark.parametrize(
    "command",
    [
        "prove I-right --explain",
        "verify --schemas",
        "reproduce --list",
        "account --help",
        "gate --help",
        "sample --help",
    ],
)
def test_no_other_page_is_broken_either(command: str, folder: Path) -> None:
    code, shown = typed(f"dpaudit {command}", folder)
    assert code == 0, shown
    assert too_wide(shown) == []


def test_a_broken_row_is_seen() -> None:
    assert too_wide("a" * 81) == []
    assert too_wide("\x1b[32mword\x1b[0m " * 20) == ["word " * 20]


def test_colour_is_for_terminals(folder: Path) -> None:
    """The same words without colour in a pipe, and where NO_COLOR asks for none."""
    command = "dpaudit check survey.py:honest --no-plot"
    _, shown = typed(command, folder)
    assert re.search("\x1b\\[3[0-9]mwithin", shown)
    assert "\x1b" not in shell(command, folder)
    assert "\x1b" not in typed(f"NO_COLOR=1 {command}", folder)[1]
    assert plain(shown).split() == shell(command, folder).split()


@pytest.mark.parametrize("name", RUNS)
def test_what_is_recorded_is_what_is_shown(name: str, folder: Path) -> None:
    """Recordings ask nothing of the network, and every word of the run is in them."""
    drawing = (PICTURES / f"{name}.svg").read_text()
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|@font-face", drawing)
    spoken = "".join(re.findall(r"<text[^>]*>([^<]*)</text>", drawing))
    spoken = spoken.replace("&#160;", " ").replace("&quot;", '"').replace("&#x27;", "'")
    kept = re.sub(r"\s", "", spoken.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    for command in RUNS[name]:
        _, shown = typed(command, folder)
        expected = re.sub(r"\s", "", f"$ {command}{plain(shown)}")
        if (reason := refusal()) and re.sub(r"\s", "", reason) in expected:
            pytest.skip(reason)
        assert without_runs(expected) in without_runs(kept)
