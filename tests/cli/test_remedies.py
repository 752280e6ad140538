"""A command that cannot be run is followed by commands that can: each is pasted and run here."""

import shlex
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke
from dpaudit.cli.mistakes import remedies_of
from dpaudit.errors import LoadError, Remedy, UsageError
from dpaudit.questions.check import drawn

SERVICE = '''
import random

import numpy as np
import pandas as pd


def noisy_count(records, eps=1.0):
    """Count records that are active."""
    return sum(1 for r in records if r["active"]) + np.random.laplace(0, 1 / eps)


def noisy_number(people, eps=1.0):
    return max(0, round(people + np.random.laplace(scale=1 / eps)))


def winner(votes):
    names = ["red", "green"]
    noisy = [votes.count(name) + np.random.laplace(scale=2) for name in names]
    return names[int(np.argmax(noisy))]


def mean(ages):
    ages = np.clip(ages, 0, 100)
    return float(ages.mean() + np.random.laplace(scale=100 / len(ages)))


def by_city(df):
    counts = df.groupby("city").size().reindex(["Berlin", "Paris"], fill_value=0)
    return counts + np.random.laplace(scale=1, size=len(counts))


def array_total(ages):
    return ages.clip(0, 5).sum() + np.random.laplace(scale=5)


class Survey:
    def answer(self, answers):
        return {q: a if random.random() < 0.6 else not a for q, a in answers.items()}
'''

MISTAKES = [
    ("service.py:noisy_count", "noisy_count needs records"),
    ("service.py:noisy_number", "noisy_number needs people"),
    ("service.py:by_city", "by_city needs df"),
    ("service.py", "name the mechanism or function in it"),
    ('service.noisy_count --inputs [],[{"active":1}]', "no mechanism is called"),
    ("service.py:noisy_number --inputs 0..3", "which inputs are neighbours"),
    ("service.py:noisy_number --inputs 0,5,10", "which inputs are neighbours"),
    ("service.py:mean --inputs [0,100],[0,0],[100,100]", "which inputs are neighbours"),
    ('service.py:winner --inputs ["red","green"],["red"],["red","red"]', "which inputs are"),
    ('service.py:noisy_count --inputs [],[{"active":1}],[{"active":0}]', "which inputs are"),
    ("service.py:mean --inputs [1,2],[3,4] --neighbours one-entry", "no two of the inputs are"),
    ("service.py:noisy_number --inputs 0,7 --neighbours=adjacent", "no two of the inputs are"),
    ("service.py:winner --inputs red,red,green", "read as 3 inputs"),
    ("service.py:mean --inputs 3,4", "it was called with 3, a number"),
    ('service.py:by_city --inputs [{"city":"Paris"}],[{"city":"Berlin"}]', "called with a list"),
    ("service.py:array_total --inputs [1,2],[1,3]", "called with a list"),
    ('service.py:Survey.answer --inputs {"a":true},{"a":false}', "is a method"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_every_command_below_a_message_can_be_run(
    words: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drawn, "_DRAWS", (2_000,))
    (tmp_path / "service.py").write_text(SERVICE)
    assert invoke(["check", *words.split(" "), "--budget", "1", "--no-plot"]) == 2
    first, *rest = capfd.readouterr().err.splitlines()
    assert message in first
    commands = [line.strip() for line in rest if line.startswith("    ")]
    assert commands
    assert len(rest) == 2 * len(commands)  # each with the line that says what it means
    ran = []
    for command in commands:
        name, *given = shlex.split(command)
        assert Path(name).name == "dpaudit"
        assert given[-1] != "--budget"
        ran.append(invoke([*given, "--real-runs", "16"]))
        capfd.readouterr()
    if "needs" in message or "called with 3" in message:  # a guess at values may be none of its own
        assert ran[0] != 2 or 2 not in ran[1:]
    elif "name the mechanism or function" not in message:
        assert 2 not in ran


def test_a_command_keeps_what_was_given_and_can_be_pasted() -> None:
    error = UsageError("which?").remedied(Remedy((("--neighbours", "all"),), "any two"))
    given = ["check", "a b.py:f", "--inputs", "'\n\x1b[2J", "--neighbours=one-entry"]
    meaning, command = remedies_of(error, given)
    assert meaning == "any two:"
    assert command.isprintable()
    assert command.endswith(r"check 'a b.py:f' --inputs $'\'\n\x1b[2J' --neighbours=all")
    given[-1:] = ["--neighbours", "one-entry", "--budget", "1"]
    assert list(remedies_of(error, given))[1].endswith("--neighbours all --budget 1")


def test_only_what_asks_about_a_mechanism_has_remedies() -> None:
    error = LoadError("f", "what?").remedied(Remedy((("--neighbours", "all"),), "any two"))
    assert not list(remedies_of(error, ["show", "f.py:f"]))
    assert not list(remedies_of(error, []))


def test_the_likeliest_relation_comes_first_and_all_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "service.py").write_text(SERVICE)
    for inputs, first in (
        ("[0,0],[0,1],[1,1]", "one-entry"),
        ('["a","a","b"],["a","a"],["a"]', "sequence-add-remove"),
        ("0..3", "adjacent"),
        ("0,10,20", "adjacent(10)"),
        ('{"a":1},{"a":2},{"a":3}', "histogram-add-remove"),
    ):
        assert invoke(["check", "service.py:mean", "--inputs", inputs]) == 2
        lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("    ")]
        names = [shlex.split(line)[-1] for line in lines]
        assert (names[0], names[-1]) == (first, "all")
