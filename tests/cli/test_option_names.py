"""Messages name the option that was typed, and not one that it stands for."""

import re
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke, main
from dpaudit.errors import UsageError

_CONTEXT = click.Context(main, info_name="dpaudit")
BASES = {
    "account": "Laplace --compose 3 --at-eps 1",
    "account dpsgd": "--noise-multiplier 1 --batch-size 9 --dataset-size 99 --epochs 1 --delta 0.1",
    "account-matrix": "c.npy --noise-multiplier 6 --max-participations 2 --min-sep 2 --delta 1e-5",
    "account-run": "run.json --delta 1e-5",
    "accuracy": "EHDS --at 4,4",
    "calibrate": "EHDS --n 5",
    "canaries": "--canaries 100 --guesses 20 --right 15",
    "check": "EHDS --n 5",
    "curve": "RR",
    "hunt": "EHDS --over eps=1/10..1 --n 5 --budget 1",
    "tradeoff": "RR",
}
"""Commands with numbers, and options that each needs."""
NO_NUMBERS = {
    *("--output", "--plot", "--report", "--resume", "--data", "--dask", "--export", "--call"),
    *(
        "--set",
        "--parameters",
        "--then",
        "--memory-cap",
        "--time-cap",
        "--column",
        "--categories",
        "--profile",
    ),
}
"""Options that take a name, or that set what a process may use."""
OTHERS = {
    ("canaries", "--m"): "canaries",
    ("canaries", "--score"): "scores",
    ("canaries", "--member"): "scores",
    ("canaries", "--inclusion"): "scores",
    ("canaries", "--refute"): "plan",
    ("canaries", "--shares"): "plan",
    ("canaries", "--seed"): "plan-inclusion",
}
"""Options that belong to others, which the message names instead."""


def cases() -> list[tuple[str, str]]:
    """Return every command with each of its options that take text or numbers."""
    found = []
    for name in BASES:
        command = main.get_command(_CONTEXT, name.split()[0])
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option) and option.type is click.STRING:
                found += [(name, word) for word in option.opts if word.startswith("--")]
    return [(name, word) for name, word in found if word not in NO_NUMBERS]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("c.npy", np.tril(np.ones((4, 4))))
    history = '{"history": [[1.1, 0.01, 1000]], "mechanism": "rdp"}'
    Path("run.json").write_text(history)
    return tmp_path


@pytest.mark.parametrize("bad", ["2x", "-3"])
@pytest.mark.parametrize(("name", "option"), cases())
def test_a_bad_number_is_refused_under_its_option(
    name: str, option: str, bad: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = [*name.split(), *BASES[name].split()]
    if option in words:
        place = words.index(option)
        del words[place : place + 2]
    status = invoke([*words, f"{option}={bad}"])
    said = capfd.readouterr().err
    assert status in (0, 1, 2, 3)
    if status != 2:  # other options refuse this number, and this one allows it
        assert "Traceback" not in said
        return
    typed = OTHERS.get((name, option), option.removeprefix("--"))
    assert re.search(rf"(?<!\w)(?<!\w-){re.escape(typed)}(?![\w-])", said), said
    assert "--set" not in said


@pytest.mark.parametrize(
    ("option", "bad"), [("delta", "2"), ("delta", "1x"), ("epsilon", "-1"), ("epsilon", "1x")]
)
@pytest.mark.parametrize(
    "words",
    [
        "account-matrix c.npy --noise-multiplier 6 --max-participations 2 --min-sep 2",
        "account-run run.json",
        "account dpsgd --noise-multiplier 1 --batch-size 10 --dataset-size 100 --epochs 1",
        "account dpsgd --noise-multiplier 1 --batch-size 10 --dataset-size 100 --epochs 1"
        " --sampling shuffle",
    ],
)
def test_commands_of_trainings_say_delta_and_epsilon(
    words: str, option: str, bad: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke([*words.split(), f"--{option}={bad}"]) == 2
    said = capfd.readouterr().err
    assert option in said
    assert "at-" not in said


@pytest.mark.parametrize("name", ["delta", "epsilon"])
@pytest.mark.parametrize(
    ("account", "options"),
    [
        ("account_matrix", {"max_participations": 2, "min_sep": 2, "noise_multiplier": 6}),
        ("account_run", {}),
        ("account_dpsgd", {"noise_multiplier": 1, "sample_rate": "1/10", "steps": 10}),
    ],
)
def test_functions_of_trainings_say_delta_and_epsilon(
    account: str, options: dict[str, Any], name: str, folder: Path
) -> None:
    subject = {"account_matrix": ["c.npy"], "account_run": ["run.json"]}.get(account, [])
    with pytest.raises(UsageError, match=f"^{name} = -1"):
        getattr(dpaudit, account)(*subject, **options, **{name: -1})
