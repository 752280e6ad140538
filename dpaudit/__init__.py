"""dpaudit: certified two-sided audits of differentially private mechanisms.

``dpaudit.check("EHDS", n=50, eps="0.8")`` audits a mechanism over every pair of neighbouring
datasets and gives the realised (ε, δ) as intervals that provably contain the truth, with a witness.
``dpaudit.curve`` gives the whole privacy curve, ``dpaudit.calibrate`` the largest nominal ε that
is certified to keep a budget.  The same from the shell: ``dpaudit check --help``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit import subjects
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit import noise
    from dpaudit.api import mechanism, mechanisms
    from dpaudit.api.claims import Decisions, prove
    from dpaudit.api.differences import Differences, diff
    from dpaudit.api.rechecks import Verified, verify
    from dpaudit.gate.interface import Gated, run_gate
    from dpaudit.machine import memory_cap
    from dpaudit.mechanisms.user import finite_mechanism
    from dpaudit.notes.reproduce.interface import Reproduced, reproduce
    from dpaudit.numbers.real import real
    from dpaudit.programs.program import program
    from dpaudit.questions.account.dpsgd_interface import account_dpsgd
    from dpaudit.questions.account.export import to_dp_accounting
    from dpaudit.questions.account.interface import Accounted, account
    from dpaudit.questions.account.joint import Run
    from dpaudit.questions.account_matrix.function import account_matrix
    from dpaudit.questions.account_run.function import account_run
    from dpaudit.questions.accuracy.function import Accuracies, compare_accuracy
    from dpaudit.questions.calibrate.function import Calibrations, calibrate
    from dpaudit.questions.canaries.function import CanaryAudit, canaries
    from dpaudit.questions.canaries.inclusion import Inclusion, plan_inclusion
    from dpaudit.questions.canaries.needs import CanariesNeeded, canaries_needed
    from dpaudit.questions.canaries.plan import CanaryPlanned, plan_canaries
    from dpaudit.questions.check.function import Check, check
    from dpaudit.questions.curve.function import Curves, curve
    from dpaudit.questions.hunt.function import Hunt, hunt
    from dpaudit.questions.interval.function import (
        IntervalCheck,
        IntervalCurves,
        check_interval,
        curve_interval,
    )
    from dpaudit.questions.notion.function import NotionCheck, check_notion
    from dpaudit.questions.sample.function import Sampled, sample
    from dpaudit.questions.tradeoff.function import Tradeoffs, tradeoff
    from dpaudit.results import Verdict
    from dpaudit.results.documents import schema
    from dpaudit.sampling.sampler import sampler

__all__ = [
    "Accounted",
    "Accuracies",
    "Calibrations",
    "CanariesNeeded",
    "CanaryAudit",
    "CanaryPlanned",
    "Check",
    "Curves",
    "Decisions",
    "Differences",
    "Gated",
    "Hunt",
    "Inclusion",
    "IntervalCheck",
    "IntervalCurves",
    "NotionCheck",
    "Reproduced",
    "Run",
    "Sampled",
    "Tradeoffs",
    "Verdict",
    "Verified",
    "__version__",
    "account",
    "account_dpsgd",
    "account_matrix",
    "account_run",
    "calibrate",
    "canaries",
    "canaries_needed",
    "check",
    "check_interval",
    "check_notion",
    "compare_accuracy",
    "curve",
    "curve_interval",
    "diff",
    "finite_mechanism",
    "hunt",
    "mechanism",
    "mechanisms",
    "memory_cap",
    "noise",
    "plan_canaries",
    "plan_inclusion",
    "program",
    "prove",
    "real",
    "reproduce",
    "run_gate",
    "sample",
    "sampler",
    "schema",
    "to_dp_accounting",
    "tradeoff",
    "verify",
]

_HOMES = {
    "mechanism": "dpaudit.api.plans",
    "mechanisms": "dpaudit.api.plans",
    "Verdict": "dpaudit.results",
    "real": "dpaudit.numbers.real",
    "Decisions": "dpaudit.api.claims",
    "Differences": "dpaudit.api.differences",
    "diff": "dpaudit.api.differences",
    "Reproduced": "dpaudit.notes.reproduce.interface",
    "reproduce": "dpaudit.notes.reproduce.interface",
    "schema": "dpaudit.results.documents",
    "finite_mechanism": "dpaudit.mechanisms.user",
    "memory_cap": "dpaudit.machine",
    "prove": "dpaudit.api.claims",
    "Gated": "dpaudit.gate.interface",
    "run_gate": "dpaudit.gate.interface",
    "Verified": "dpaudit.api.rechecks",
    "verify": "dpaudit.api.rechecks",
    "program": "dpaudit.programs.program",
    "sampler": "dpaudit.sampling.sampler",
}


subjects.register(subjects.CALL, "dpaudit.programs.callables:called")
subjects.register(subjects.DRAWS, "dpaudit.sampling.functions:drawn")
subjects.register(subjects.COMMAND, "dpaudit.sampling.commands:commanded")


def __getattr__(name: str) -> object:
    """Import what is asked for on first use: ``import dpaudit`` alone costs nothing."""
    from importlib import import_module
    from importlib.util import find_spec

    if name == "noise":
        return import_module("dpaudit.noise")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    # What Python itself looks for, and modules that are about to be imported: no need of the table.
    is_module = name.isidentifier() and find_spec("." + name, __name__) is not None
    if name.startswith("_") or is_module:
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
    from dpaudit.question import questions

    for one in questions():
        if name in one.functions:
            return getattr(import_module(one.functions[name]), name)
        if one.sweep is not None and one.function_name == name:
            from dpaudit.api.asking import function_of

            return function_of(one)
    raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, those of questions that are added too."""
    from dpaudit.question import questions

    return sorted({*__all__, *(one.function_name for one in questions() if one.sweep)})
