"""One name for one option across commands; the same forms, --output, --plot and --digits."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import click
import pytest

from dpaudit.cli.main import invoke, main

_CONTEXT = click.Context(main, info_name="dpaudit")
COMMANDS = {name: main.get_command(_CONTEXT, name) for name in main.list_commands(_CONTEXT)}
NO_REPORT = {"new"}
"""What writes files and reports nothing."""

SHAPES = {
    ("--output", "reproduce"): "a folder: it writes many files",
    ("--at", "accuracy"): "the data themselves, where others restrict pairs to them",
    ("--trust", "prove"): "a class to be believed",
    ("--trust", "show"): "what is believed",
}
"""Options of the same name that take something else, and why."""


def options(name: str) -> dict[str, click.Option]:
    command = COMMANDS[name]
    assert command is not None
    return {
        opt: option
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
        for opt in option.opts
        if opt.startswith("--")
    }


def shape(option: click.Option) -> tuple[Any, ...]:
    metavar = {"SIZES": "SIZE", "[FILE]": "FILE", "COUNTS|uniform|DATA": "COUNTS|uniform"}
    shown = option.metavar and metavar.get(option.metavar, option.metavar)
    return option.is_flag, option.multiple, shown if shown not in ("NUMBER", "N") else None


def test_one_name_is_one_option() -> None:
    found: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in COMMANDS:
        for opt, option in options(name).items():
            if (opt, name) not in SHAPES and opt != "--export":
                found[opt][shape(option)].append(name)
    assert {opt: dict(shapes) for opt, shapes in found.items() if len(shapes) > 1} == {}


def test_one_option_is_one_name() -> None:
    """What a command calls by one name inside has one name outside."""
    names: dict[str, set[str]] = defaultdict(set)
    for name in COMMANDS:
        for opt, option in options(name).items():
            names[str(option.name)].add(opt)
    assert {inside: found for inside, found in names.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - NO_REPORT))
def test_every_report_has_the_same_forms_and_goes_to_a_file(name: str) -> None:
    own = options(name)
    assert "--output" in own
    if name != "schema":  # which is JSON
        form = own["--format"].type
        assert isinstance(form, click.Choice)
        assert tuple(form.choices) == ("text", "json", "csv", "markdown")
    assert ("--plot" in own) == ("--plot-width" in own)


WITHOUT = {
    **dict.fromkeys(("list", "show", "schema", "new"), "says or writes what there is: no numbers"),
    "prove": "decides statements: true or false, no intervals",
    "reproduce": "draws every figure of its targets, and has as many digits as are printed",
    "diff": "compares the numbers of two reports as they are",
    "verify": "computes every number to 30 digits more than its report has, and draws none",
}
"""Commands that take neither --digits nor --plot, and why."""

PARTLY = {
    ("--no-plot", "account"): "draws nothing unasked",
    ("--digits", "account-matrix"): "certifies ε to a width",
    ("--no-plot", "account-matrix"): "draws nothing unasked",
    ("--digits", "account-run"): "certifies ε to a width",
    ("--no-plot", "account-run"): "draws nothing unasked",
    ("--no-plot", "canaries"): "draws nothing unasked",
    ("--no-plot", "gate"): "draws nothing unasked: it leaves no files behind in CI",
}
"""Single options that a command with intervals does not have, and why."""


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_what_has_intervals_takes_digits_and_draws(name: str) -> None:
    own = options(name)
    for opt in ("--digits", "--plot", "--no-plot"):
        assert (opt in own) != (name in WITHOUT or (opt, name) in PARTLY), opt


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("list --format markdown", 0),
        ("list --format csv", 0),
        ("show EHDS", 0),
        ("show EHDS --format csv", 0),
        ("show --trust --format markdown", 0),
        ("schema audit", 0),
        ("verify report.json", 0),
        ("verify report.json --format csv", 0),
        ("verify report.json --format markdown", 0),
        ("diff report.json report.json", 0),
        ("diff report.json report.json --format json", 0),
        ("gate --format json", 0),
        ("gate --format csv", 0),
        ("gate --format markdown", 0),
        ("prove I-right --format csv", 0),
        ("prove --list --format json", 0),
        ("prove --list --format csv", 0),
    ],
)
def test_output_has_what_would_be_printed(
    command: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dpaudit.toml").write_text('[[mechanism]]\nmechanism = "RR"\nn = 1\n')
    assert invoke(["check", "RR", "--n", "1", "--format", "json", "--output", "report.json"]) == 0
    assert invoke(command.split()) == code
    printed = capfdbinary.readouterr().out
    assert printed
    assert invoke([*command.split(), "--output", "said"]) == code
    assert capfdbinary.readouterr().out == b""
    assert (tmp_path / "said").read_bytes() == printed


@pytest.mark.parametrize("command", ["list", "show EHDS", "schema audit", "show nothing.py:x"])
def test_what_cannot_be_written_is_said_before_and_an_error_leaves_no_file(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke([*command.split(), "--output", "missing/file"]) == 2
    assert invoke(["show", "nothing.py:x", "--output", "said"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 2
    assert not list(tmp_path.iterdir())


def test_a_new_name_is_told_only_where_it_exists(capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["check", "EHDS", "--neighbors", "x"]) == 2
    assert "there is no --neighbors; here it is --adjacency" in capfd.readouterr().err
    assert invoke(["prove", "--neighbors", "x"]) == 2
    assert "here it is" not in capfd.readouterr().err


def test_no_option_is_hidden() -> None:
    """``parameters`` stands for the options of a mechanism and is none on a command line."""
    hidden = {
        (name, option.name)
        for name, command in COMMANDS.items()
        if command is not None
        for option in command.params
        if isinstance(option, click.Option) and option.hidden
    }
    assert {name for _, name in hidden} == {"parameters"}
    assert invoke(["check", "EHDS", "--parameters", "x"]) == 2
