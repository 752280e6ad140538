"""One word, one meaning: what an option or keyword says is the same at every entry point."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import dpaudit
from dpaudit.cli.main import invoke, main
from dpaudit.errors import ParameterError, UsageError
from dpaudit.numbers.real import ZERO, real
from dpaudit.results import Budget
from dpaudit.testing import assert_private

OWN = """
class Noisy:
    budget, neighbours = "ln(3)", "all"

    def __init__(self, budget="3/4", digits="2"):
        self.keep = budget

    def datasets(self, n):
        return [0, 1]

    def law(self, bit):
        from fractions import Fraction

        keep = Fraction(self.keep)
        return {bit: keep, 1 - bit: 1 - keep}
"""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "check": dpaudit.check,
    "curve": dpaudit.curve,
    "calibrate": dpaudit.calibrate,
    "check_notion": dpaudit.check_notion,
    "hunt": dpaudit.hunt,
    "account": dpaudit.account,
    "to_dp_accounting": dpaudit.to_dp_accounting,
    "assert_private": assert_private,
}

NARROWER = {
    "--n": {"hunt", "account", "sample"},
    "--at": {"hunt", "account", "accuracy"},
    "--inputs": {"sample"},
    "--neighbours": {"sample"},
}
"""Where an option takes some of what it takes elsewhere: one size; no name of data; what says the
datasets of a call or a command, and not the parameter of a mechanism that has this name."""


def commands() -> dict[str, list[click.Option]]:
    """The options of every command."""
    assert isinstance(main, click.Group)
    context = click.Context(main, **main.context_settings)
    found = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {
        name: [
            one
            for one in command.get_params(click.Context(command, parent=context))
            if isinstance(one, click.Option) and not one.hidden
        ]
        for name, command in found.items()
        if command is not None
    }


def test_an_option_takes_the_same_at_every_command() -> None:
    taken: dict[str, dict[tuple[str, bool], set[str]]] = {}
    for name, options in commands().items():
        for option in options:
            for flag in option.opts:
                if name in NARROWER.get(flag, ()):
                    continue
                kind = {"integer range": "integer"}.get(option.type.name, option.type.name)
                takes = "NUMBER" if kind == "integer" and flag == "--k" else option.metavar or kind
                taken.setdefault(flag, {}).setdefault((takes, option.is_flag), set()).add(name)
    different = {flag: kinds for flag, kinds in taken.items() if len(kinds) > 1}
    assert different.pop("--output").keys() == {("FILE", False), ("FOLDER", False)}
    assert different.pop("--export").keys() == {("KIND FILE", False), ("coq DIR", False)}
    assert different.pop("--trust").keys() == {("MODULE:CLASS", False), ("boolean", True)}
    assert not different


def test_eps_is_the_mechanisms_own_and_budget_the_audits_at_every_command() -> None:
    for name, options in commands().items():
        for option in options:
            if "--eps" in option.opts:
                assert "the mechanism is run with" in str(option.help), name
            if "--budget" in option.opts:
                assert option.metavar == "EPS[,DELTA]", name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_has_a_word_of_its_own_for_the_budget(name: str) -> None:
    known = inspect.signature(FUNCTIONS[name]).parameters
    assert not {"epsilon", "eps", "delta"} & set(known)


BUDGETS = [5, "5", ["5"], ("5", 0), "5,0"]


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_budget_is_read_one_way(budget: Any, tmp_path: Path) -> None:
    given: dict[str, Any] = {"n": 2, "budget": budget, "eps": "1/2"}
    audits = [
        dpaudit.check("EHD", **given).audit,
        dpaudit.curve("EHD", **given).audit,
        assert_private("EHD", **given).audit,
    ]
    for subject in audits:
        assert (subject.budget, subject.parameters["epsilon"]) == (Budget(real(5), ZERO), "1/2")
    hunted = dpaudit.hunt("EHD", {"prior": ["1"]}, **given).worst
    assert hunted is not None
    assert hunted.audit.budget == Budget(real(5), ZERO)
    assert hunted.audit.parameters["epsilon"] == "1/2"


def test_the_gate_reads_a_budget_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = '[[mechanism]]\nmechanism = "MH"\nn = 3\nparameters = { epsilon = "1/2" }\nbudget = '
    texts = ('"5,1/2000"', '["5", "1/2000"]', '["5", 0.0005]')
    (tmp_path / "dpaudit.toml").write_text("\n".join(entry + text for text in texts))
    assert invoke(["gate", "--format", "json"]) == 0
    for one in json.loads(capfd.readouterr().out)["mechanisms"]:
        assert one["report"]["budget"] == {"epsilon": "5", "delta": "1/2000"}
        assert one["report"]["mechanism"]["epsilon"] == "1/2"


def test_assert_private_refuses_the_word_that_was_the_budget() -> None:
    """``epsilon="5"`` passed a mechanism that is run, and states, far less."""
    for more in ({}, {"delta": "1/2"}, {"notion": "zcdp"}):
        with pytest.raises(ParameterError, match=r"write budget=.* or eps=\"5\""):
            assert_private("EHD", n=5, prior="1/20,1/20", epsilon="5", **more)  # type: ignore[call-overload]
    with pytest.raises(AssertionError):
        assert_private("EHD", n=5, prior="1/20,1/20", eps="4/5")


def test_calibrate_has_one_epsilon() -> None:
    with pytest.raises(ParameterError, match="leave eps out"):
        dpaudit.calibrate("LSDim", 3, eps=1, budget=2)


@pytest.mark.parametrize("word", ["budget", "digits"])
def test_a_word_that_a_mechanism_has_too_is_refused(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noisy.py").write_text(OWN)
    given: dict[str, Any] = {word: 3}
    for call in (
        lambda: dpaudit.check("noisy.py:Noisy", 1, **given),
        lambda: dpaudit.curve("noisy.py:Noisy", 1, **given),
        lambda: assert_private("noisy.py:Noisy", n=1, **given),
        lambda: dpaudit.check_notion("noisy.py:Noisy", 1, "kl", **given),
    ):
        with pytest.raises(ParameterError, match=rf"write dpaudit.mechanism\(NAME, {word}=…\)"):
            call()
    made = dpaudit.mechanism("noisy.py:Noisy", budget="3/4")
    assert dpaudit.check(made, 1, budget="ln(3)").verdict == "within"


def test_a_parameter_that_is_none_points_to_budget() -> None:
    with pytest.raises(UsageError, match="for a budget, give budget"):
        dpaudit.check("EHD", 3, delta="1/2")
