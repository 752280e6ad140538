"""Help on one screen, in groups; a mechanism's own options once it is named."""

import re
from pathlib import Path

import click
import pytest

from dpaudit.cli.main import invoke, main

SCREEN = 50
SWEEPS = ["check", "curve", "tradeoff", "calibrate"]


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert invoke([*words, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [*SWEEPS, "accuracy", "hunt", "account"])
def test_help_is_one_screen(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``check --help`` had 176 lines, 35 of its options those of one mechanism or two."""
    text = shown(capsys, command)
    assert len(text.splitlines()) <= SCREEN + 10 * (command in ("accuracy", "account"))
    assert "--bits" not in text
    assert "--gamma" not in text
    assert "--eps NUMBER" in text


@pytest.mark.parametrize("command", SWEEPS)
def test_options_come_in_groups(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, command)
    groups = re.findall(r"^(\w[\w ]*):$", text, re.MULTILINE)
    assert groups[:1] == ["Mechanism and data"]
    assert groups[-2:] == ["Output", "Time and memory"]


def test_a_mechanism_that_is_named_has_its_own_options(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "check", "EHDS")
    section = text.partition("Parameters of EHDS:")[2].partition("\n\n")[0]
    assert set(re.findall(r"^  --(\w+)", section, re.MULTILINE)) == {"eps", "prior", "gamma"}
    assert "--bits" not in text


def test_everything_is_explained_once_a_mechanism_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    brief, whole = shown(capsys, "check"), shown(capsys, "check", "RR")
    named = set(re.findall(r"--[a-z][\w-]*", brief)) - {"--eps", "--help"}
    explained = set(re.findall(r"^  (?:-h, )?(--[a-z][\w-]*)", whole, re.MULTILINE))
    assert named <= explained
    assert {"--dask", "--pairs", "--missing"} <= explained


def test_the_same_options_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "curve", "tradeoff", "calibrate", "accuracy", "hunt"):
        text = shown(capsys, command, "EHDS")
        for option in ("--format", "--output", "--plot", "--digits"):
            assert f"  {option} " in text, (command, option)


@pytest.mark.parametrize(
    ("given", "called"),
    [("--epsilon", "--eps"), ("--out", "--output"), ("--workers", "--jobs"), ("--csv", "--format")],
)
def test_an_option_of_another_name_says_its_name(
    given: str, called: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["check", "EHDS", "--n", "5", given, "1"]) == 2
    assert capsys.readouterr().err.startswith(f"dpaudit: there is no {given}; here it is {called}")


def test_the_page_of_commands_has_each() -> None:
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `dpaudit ")]
    named = {word for row in rows for word in re.findall(r"`dpaudit (\S+?)[ `]", row)}
    assert named == set(main.list_commands(click.Context(main)))
